//===- TinyTrace.cpp ------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

void addInsn(ItemBatch &B, uint64_t PC, uint32_t Opcode, uint8_t Thread) {
  InsnItem I;
  I.PC = PC;
  I.Opcode = Opcode;
  I.Time = 10 * B.Insns.size();
  I.Lines = 2;
  I.Size = 4;
  I.Isa = ISA::A64;
  I.Thread = Thread;
  I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown | InsnItem::TimeKnown;
  B.Insns.push_back(I);
}

void addReg(ItemBatch &B, unsigned Lane, uint64_t Value, uint8_t Thread) {
  RegItem R;
  R.Lane = uint16_t(Lane);
  R.Value = Value;
  R.Written = 0xff;
  R.Thread = Thread;
  B.Regs.push_back(R);
  if (B.Insns.empty())
    ++B.LeadRegs;
  else
    ++B.Insns.back().NumRegs;
}

void addMem(ItemBatch &B, uint64_t Addr, unsigned Size, uint64_t Value,
            uint8_t Flags) {
  MemItem M;
  M.Addr = Addr;
  M.Value = Value;
  M.Real = ~uint64_t(0);
  M.Size = uint8_t(Size);
  M.Flags = Flags;
  M.Known = uint8_t((1u << Size) - 1);
  B.Mems.push_back(M);
  ++B.Insns.back().NumMems;
}

void TinyTrace::SetUp() {
  ASSERT_FALSE(sys::fs::createUniqueDirectory("rewind-commands", Folder));
  ItemBatch B;
  B.LeadLines = 2;
  addReg(B, arm::SP, 0x8000);
  addInsn(B, 0x1000, 0xd28000a0);
  addReg(B, 0, 5);
  addInsn(B, 0x1004, 0x91000801);
  addReg(B, 1, 7);
  addInsn(B, 0x1008, 0xf90007e1);
  addMem(B, 0x8008, 8, 7, MemItem::Write);
  addInsn(B, 0x100c, 0xaa0103e2);
  addReg(B, 2, 7);
  addInsn(B, 0x1010, 0xb9400be3);
  addMem(B, 0x8008, 4, 7, 0);
  addReg(B, 3, 7);
  addInsn(B, 0x1014, 0xa90103e2);
  addMem(B, 0x8010, 8, 7, MemItem::Write);
  addMem(B, 0x8018, 8, 5, MemItem::Write | MemItem::Joined);
  addInsn(B, 0x1018, 0x394083e4);
  addMem(B, 0x8020, 1, 0xab, 0);
  addReg(B, 4, 0xab);
  addInsn(B, 0x101c, 0x390027e4);
  addMem(B, 0x8009, 1, 0xab, MemItem::Write);
  addInsn(B, 0x1020, 0x54ffff00);
  B.Insns.back().Flags &= ~InsnItem::Executed;
  EventItem E;
  E.Before = 9;
  E.Kind = EventKind::Exception;
  E.Text = "IRQ";
  B.Events.push_back(E);
  addInsn(B, 0x1024, 0x97fffff7);
  addReg(B, 30, 0x1028);
  addInsn(B, 0x1000, 0xd28000a0);
  addReg(B, 0, 5);

  TraceHeader H = header();
  H.TotalLines = 24;
  H.Ignored.emplace_back("MMU", 3);
  H.Malformed.push_back({5, 100, "a hexadecimal value"});
  H.NumMalformed = 2;
  build(B, H);
}

TraceHeader TinyTrace::header() {
  TraceHeader H;
  H.Format = "tarmac";
  H.Architecture = Arch::AArch64;
  H.TimeUnit = "clk";
  H.Can.Registers = H.Can.MemAddresses = H.Can.MemValues = true;
  H.Can.Opcodes = H.Can.Time = H.Can.Lines = true;
  H.Threads.resize(1);
  return H;
}

void TinyTrace::build(ItemBatch &B, const TraceHeader &H,
                      StreamObserver *Observer) {
  SourceStamp Stamp;
  Stamp.Path = path("tiny.tarmac");
  auto Builder = StoreBuilder::create(path("tiny.rewind"), Stamp, {});
  ASSERT_TRUE(bool(Builder)) << toString(Builder.takeError());
  if (Observer)
    (*Builder)->addObserver(*Observer);
  ASSERT_FALSE(errorToBool((*Builder)->consume(B)));
  ASSERT_FALSE(errorToBool((*Builder)->finish(H)));
  auto Opened = TraceStore::open(path("tiny.rewind"));
  ASSERT_TRUE(bool(Opened)) << toString(Opened.takeError());
  Store = std::move(*Opened);
}

std::string TinyTrace::run(std::vector<StringRef> Words) {
  unsigned Used = 0;
  const Command *C = findCommand(Words, Used);
  if (!C)
    return "no such command";
  std::string Text;
  raw_string_ostream OS(Text);
  Session S(*Store, OS, Memory);
  S.TracePath = path("tiny.tarmac");
  S.StorePath = path("tiny.rewind");
  S.Here = Here;
  S.Watch = Watch;
  S.Symbols = Symbols;
  S.Expressions = Expressions;
  S.Warn = [&](const std::string &W) { Warnings += W + "\n"; };
  if (InDebugger)
    S.Move = [&](Place Where, const std::string &Description) -> Error {
      auto P = Store->positionOf(Where.Thread, Where.When);
      if (!P)
        return P.takeError();
      LastMove = "#" + std::to_string(*P) + " " + Description;
      Here = Where;
      return Error::success();
    };
  if (Error E = runCommand(*C, S, ArrayRef(Words).drop_front(Used)))
    return Text + "error: " + toString(std::move(E));
  return Text;
}

} // namespace rw
