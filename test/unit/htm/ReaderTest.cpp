//===- ReaderTest.cpp - Dumps as items ------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "core/arch/Disassembler.h"
#include "core/arch/PPCInsn.h"
#include "core/arch/PPCOperands.h"
#include "core/arch/RegisterFile.h"
#include "core/formats/htm/HtmReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

namespace rw::htm::test {
namespace {

struct Kept : TraceSink {
  ItemBatch All; ///< of one batch: the tests' dumps are small
  TraceHeader Header;
  std::string Failure;
  unsigned Batches = 0;
  std::vector<InsnItem> Insns; ///< of all batches
  llvm::Error consume(ItemBatch &B) override {
    llvm::append_range(Insns, B.Insns);
    std::swap(All, B);
    ++Batches;
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &H) override {
    Header = H;
    return llvm::Error::success();
  }
  /// Register effects of instruction \p N.
  llvm::ArrayRef<RegItem> regs(size_t N) const {
    size_t At = All.LeadRegs;
    for (size_t I = 0; I < N; ++I)
      At += All.Insns[I].NumRegs;
    return llvm::ArrayRef(All.Regs).slice(At, All.Insns[N].NumRegs);
  }
  llvm::ArrayRef<MemItem> mems(size_t N) const {
    size_t At = All.LeadMems;
    for (size_t I = 0; I < N; ++I)
      At += All.Insns[I].NumMems;
    return llvm::ArrayRef(All.Mems).slice(At, All.Insns[N].NumMems);
  }
};

std::unique_ptr<Kept> read(const Words &W, const ReaderOptions &Options = {},
                           unsigned MaxBatches = 1) {
  auto K = std::make_unique<Kept>();
  std::vector<uint8_t> Bytes = bytesOf(W);
  auto Reader = makeReader(
      [Bytes, At = size_t(0)](uint8_t *Buffer,
                              size_t Size) mutable -> llvm::Expected<size_t> {
        Size = std::min(Size, Bytes.size() - At);
        std::copy_n(Bytes.begin() + At, Size, Buffer);
        At += Size;
        return Size;
      },
      Bytes.size(), Options);
  if (llvm::Error E = Reader->read(*K))
    K->Failure = llvm::toString(std::move(E));
  EXPECT_LE(K->Batches, MaxBatches);
  return K;
}

constexpr uint64_t Text = 0x10000600;

TEST(Reader, AccessesByOpcode) {
  Words W;
  line(W, Text, 0x40000000);
  load(W, 0xe8890000, Text, 0x3fff80001234, 0x7000001234);     // ld
  load(W, 0x98890000, Text + 4, 0x3fff80001235, 0x7000001235); // stb
  // lxv, 16 bytes; ld over a page's end; dcbz; lwarx; ldat; dcbt
  load(W, 0xf4090001, Text + 8, 0x3fff80001230, 0x7000001230);
  W.insert(W.end(), {p10Info(0xe8890000, Text + 12, 2), Msr, 0x3fff80000ffe,
                     dra(0x7000000000), 0x3fff80001000, dra(0x8000000000)});
  load(W, 0x7c001fec, Text + 16, 0x3fff80001234, 0x7000001234);
  load(W, 0x7c601828, Text + 20, 0x3fff80001234, 0x7000001234);
  load(W, 0x7c6004cc | 4 << 16, Text + 24, 0x3fff80001238, 0x7000001238);
  load(W, 0x7c00222c, Text + 28, 0x3fff80001238, 0x7000001238);
  auto K = read(W);
  ASSERT_EQ(K->Failure, "");
  ASSERT_EQ(K->All.Insns.size(), 8u);
  auto M = K->mems(0);
  ASSERT_EQ(M.size(), 1u);
  EXPECT_EQ(M[0].Addr, 0x3fff80001234u);
  EXPECT_EQ(M[0].Real, 0x7000001234u);
  EXPECT_EQ(M[0].Size, 8u);
  EXPECT_EQ(M[0].Flags, MemItem::NoValue);
  EXPECT_EQ(M[0].Known, 0u);
  M = K->mems(1);
  ASSERT_EQ(M.size(), 1u);
  EXPECT_EQ(M[0].Size, 1u);
  EXPECT_EQ(M[0].Flags, MemItem::NoValue | MemItem::Write);
  M = K->mems(2);
  ASSERT_EQ(M.size(), 2u);
  EXPECT_EQ(M[1].Addr, 0x3fff80001238u);
  EXPECT_EQ(M[1].Real, 0x7000001238u);
  EXPECT_EQ(M[1].Flags, MemItem::NoValue | MemItem::Joined);
  M = K->mems(3); // two and six bytes on pages that are not neighbours
  ASSERT_EQ(M.size(), 2u);
  EXPECT_EQ(M[0].Size, 2u);
  EXPECT_EQ(M[0].Real, 0x7000000ffeu);
  EXPECT_EQ(M[1].Size, 6u);
  EXPECT_EQ(M[1].Addr, 0x3fff80001000u);
  EXPECT_EQ(M[1].Real, 0x8000000000u);
  EXPECT_TRUE(M[1].Flags & MemItem::Joined);
  M = K->mems(4); // the whole cache block
  ASSERT_EQ(M.size(), 16u);
  EXPECT_EQ(M[0].Addr, 0x3fff80001200u);
  EXPECT_TRUE(M[15].Flags & MemItem::Write);
  EXPECT_TRUE(K->mems(5)[0].Flags & MemItem::Exclusive);
  M = K->mems(6);
  ASSERT_EQ(M.size(), 2u); // reads and writes
  EXPECT_FALSE(M[0].Flags & MemItem::Write);
  EXPECT_TRUE(M[1].Flags & MemItem::Write);
  EXPECT_TRUE(K->mems(7).empty());
  EXPECT_TRUE(K->Header.Ignored.empty());
}

const RegItem *writeOf(llvm::ArrayRef<RegItem> Regs, unsigned Lane) {
  for (const RegItem &R : Regs)
    if (R.Lane == Lane)
      return &R;
  return nullptr;
}

TEST(Reader, RegistersThatTheCodeImplies) {
  Words W;
  line(W, Text, 0x40000000);
  insn(W, 0x38600005, Text);                                    // li r3,5
  insn(W, 0x3c801234, Text + 4);                                // lis r4,0x1234
  insn(W, 0x60845678, Text + 8);                                // ori r4,r4,..
  insn(W, 0x7c852378, Text + 12);                               // mr r5,r4
  insn(W, 0x7c662a14, Text + 16);                               // add r3,r6,r5
  load(W, 0xf821ffe1, Text + 20, 0x7fff0000ffe0, 0x700000ffe0); // stdu r1
  insn(W, 0x38210020, Text + 24);                               // addi r1,r1,32
  insn(W, 0x7ca903a6, Text + 28);                               // mtctr r5
  insn(W, 0x48000041, Text + 32);                               // bl +64
  insn(W, 0x60000000, Text + 96);
  auto K = read(W);
  ASSERT_EQ(K->All.Insns.size(), 10u);
  auto value = [&](size_t N, unsigned Lane) -> uint64_t {
    const RegItem *R = writeOf(K->regs(N), Lane);
    EXPECT_TRUE(R && R->Written == 0xff && R->Unknown == 0) << N;
    return R ? R->Value : 0;
  };
  EXPECT_EQ(value(0, 3), 5u);
  EXPECT_EQ(value(1, 4), 0x12340000u);
  EXPECT_EQ(value(2, 4), 0x12345678u);
  EXPECT_EQ(value(3, 5), 0x12345678u);
  const RegItem *R3 = writeOf(K->regs(4), 3);
  ASSERT_TRUE(R3);
  EXPECT_EQ(R3->Unknown, 0xff);
  EXPECT_EQ(value(5, 1), 0x7fff0000ffe0u);
  EXPECT_EQ(value(6, 1), 0x7fff00010000u);
  EXPECT_EQ(value(7, ppc::CTR), 0x12345678u);
  EXPECT_EQ(value(8, ppc::LR), Text + 36);
  EXPECT_TRUE(K->regs(9).empty());
}

/// What a kernel does that is not in the dump.
TEST(Reader, ASystemCallChangesWhatItMay) {
  for (uint32_t Call : {0x44000002u, 0x44000001u}) { // sc, scv
    SCOPED_TRACE(Call);
    Words W;
    line(W, Text, 0x40000000);
    for (uint32_t N : {3u, 4u, 12u, 13u, 31u})
      insn(W, 0x38000000 | N << 21 | N, Text + 4 * (W.size() / 2)); // li
    const uint64_t At = Text + 4 * (W.size() / 2);
    insn(W, Call, At);
    insn(W, 0x7c641b78, At + 4);  // mr r4,r3
    insn(W, 0x7d8c6378, At + 8);  // mr r12,r12
    insn(W, 0x7dad6b78, At + 12); // mr r13,r13
    insn(W, 0x7ffffb78, At + 16); // mr r31,r31
    auto K = read(W);
    ASSERT_EQ(K->All.Insns.size(), 10u);
    const RegItem *Result = writeOf(K->regs(5), 3);
    ASSERT_TRUE(Result);
    EXPECT_EQ(Result->Written, 0xff);
    EXPECT_EQ(Result->Unknown, 0xff);
    EXPECT_EQ(Result->Flags, 0); // written by the call
    const RegItem *Lost = writeOf(K->regs(5), 4);
    ASSERT_TRUE(Lost);
    EXPECT_EQ(Lost->Unknown, 0xff);
    EXPECT_EQ(Lost->Flags, RegItem::NotWritten);
    for (auto [N, Lane] : {std::pair(6, 4), std::pair(7, 12)})
      EXPECT_EQ(writeOf(K->regs(N), Lane)->Unknown, 0xff) << Lane;
    EXPECT_EQ(writeOf(K->regs(8), 13)->Value, 13u);
    EXPECT_EQ(writeOf(K->regs(9), 31)->Value, 31u);
  }
}

/// A kernel that is in the dump is given its arguments.
TEST(Reader, AnEntryOfTheKernelChangesNothing) {
  Words W;
  line(W, Text, 0x40000000);
  insn(W, 0x38600005, Text);     // li r3,5
  insn(W, 0x44000002, Text + 4); // sc
  line(W, 0xc000000000004c00, 0x4c00);
  insn(W, 0x7c641b78, 0xc000000000004c00); // mr r4,r3
  auto K = read(W);
  ASSERT_EQ(K->All.Insns.size(), 3u);
  EXPECT_EQ(writeOf(K->regs(2), 4)->Value, 5u);
}

TEST(Reader, BasesAndJumpsShowRegisters) {
  Words W;
  line(W, Text, 0x40000000);
  load(W, 0xe8890010, Text, 0x3fff80001244, 0x7000001244);     // ld r4,16(r9)
  load(W, 0xf8a90008, Text + 4, 0x3fff8000123c, 0x700000123c); // std r5,8(r9)
  load(W, 0xe9290000, Text + 8, 0x3fff80001234, 0x7000001234); // ld r9,0(r9)
  insn(W, 0x60000000, Text + 12);
  W.push_back(p10Info(0x2d100020, Text + 16) | uint64_t(1) << 31); // blr
  W.push_back(Msr);
  line(W, 0x10010000, 0x40010000);
  insn(W, 0x60000000, 0x10010000);
  auto K = read(W);
  ASSERT_EQ(K->All.Insns.size(), 6u);
  EXPECT_EQ(K->All.Insns[4].Opcode, 0x4e800020u);
  constexpr uint8_t Shown = RegItem::Inferred | RegItem::NotWritten;
  const RegItem *R = writeOf(K->regs(0), 9);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Value, 0x3fff80001234u);
  EXPECT_EQ(R->Flags, Shown);
  EXPECT_EQ(writeOf(K->regs(0), 4)->Flags, 0);
  // It is known by then; and a load over its base tells nothing.
  EXPECT_TRUE(K->regs(1).empty());
  ASSERT_EQ(K->regs(2).size(), 1u);
  EXPECT_EQ(K->regs(2)[0].Unknown, 0xff);
  R = writeOf(K->regs(4), ppc::LR);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Value, 0x10010000u);
  EXPECT_EQ(R->Flags, Shown);
}

TEST(Reader, AnInterruptAfterAReturnShowsNothing) {
  for (bool ModeChanges : {false, true}) {
    Words W;
    line(W, Text, 0x40000000);
    W.push_back(p10Info(0x2d100020, Text) | uint64_t(1) << 31); // blr
    W.push_back(Msr);
    // To a vector; or to one that is not known, with another MSR.
    uint64_t To = ModeChanges ? 0xc000000000987600 : 0xc000000000004500;
    line(W, To, 0x4500);
    insn(W, 0x60000000, To);
    if (ModeChanges)
      W.back() = uint64_t(0xb0c0) << 48;
    auto K = read(W);
    ASSERT_EQ(K->All.Insns.size(), 2u);
    EXPECT_FALSE(writeOf(K->regs(0), ppc::LR));
  }
}

TEST(Reader, AGapForgetsWhatWasKnown) {
  Words W;
  line(W, Text, 0x40000000);
  insn(W, 0x38600005, Text);
  W.push_back(uint64_t(0xACEFF2) << 40); // PAUSE
  W.push_back(uint64_t(0xACEFF0) << 40);
  line(W, Text, 0x40000000);
  insn(W, 0x60000000, Text + 32);
  W.push_back(uint64_t(0xACEFF3) << 40 | 21 << 11);
  auto K = read(W);
  ASSERT_EQ(K->All.Insns.size(), 2u);
  auto Regs = K->regs(0);
  ASSERT_EQ(Regs.size(), 2u);
  EXPECT_EQ(Regs[0].Unknown, 0);
  EXPECT_EQ(Regs[1].Lane, 3);
  EXPECT_EQ(Regs[1].Unknown, 0xff);
  EXPECT_EQ(Regs[1].Flags, RegItem::NotWritten);
  std::vector<std::pair<EventKind, uint32_t>> Events;
  for (const EventItem &E : K->All.Events)
    Events.push_back({E.Kind, E.Before});
  EXPECT_EQ(Events, (std::vector<std::pair<EventKind, uint32_t>>{
                        {EventKind::ModeChange, 0},
                        {EventKind::Pause, 1},
                        {EventKind::Mark, 2}}));
  EXPECT_EQ(K->All.Events[2].Value, 21u);
}

TEST(Reader, ModeAndExceptions) {
  Words W;
  line(W, Text, 0x40000000);
  insn(W, 0x60000000, Text);
  line(W, 0xc000000000004900, 0x4900);
  W.insert(W.end(), {p10Info(0x60000000, 0x00), uint64_t(0xb0c0) << 48});
  auto K = read(W);
  ASSERT_EQ(K->All.Insns.size(), 2u);
  ASSERT_EQ(K->All.Events.size(), 3u);
  EXPECT_EQ(K->All.Events[1].Kind, EventKind::ModeChange);
  EXPECT_NE(K->All.Events[1].Text.find("kernel"), std::string::npos);
  EXPECT_EQ(K->All.Events[2].Kind, EventKind::Exception);
  EXPECT_NE(K->All.Events[2].Text.find("decrementer"), std::string::npos);
  // The mode is state before the instruction: an effect of the one before.
  const RegItem *PR = nullptr;
  for (const NamedRegister &N : K->Header.NamedRegisters)
    if (N.Name == "msr_pr")
      PR = writeOf(K->regs(0), N.Lane);
  ASSERT_TRUE(PR);
  EXPECT_EQ(PR->Value, 0u);
  EXPECT_EQ(K->Header.Architecture, Arch::PPC64LE);
  EXPECT_TRUE(K->Header.Can.RealAddresses);
  EXPECT_FALSE(K->Header.Can.Time);
}

TEST(Reader, WithoutAnAddressThereIsAGap) {
  Words W;
  insn(W, 0x60000000, 0x40);
  line(W, Text, 0x40000000);
  insn(W, 0x60000000, Text);
  auto K = read(W);
  ASSERT_EQ(K->All.Insns.size(), 1u);
  EXPECT_EQ(K->All.Insns[0].PC, Text);
  ASSERT_FALSE(K->All.Events.empty());
  EXPECT_EQ(K->All.Events[0].Kind, EventKind::Gap);
  EXPECT_EQ(K->Header.NumMalformed, 1u);
}

TEST(Reader, Sniffing) {
  const TraceFormat *Format = findFormat("htm");
  ASSERT_TRUE(Format);
  std::vector<uint8_t> Bytes = bytesOf({uint64_t(0xACEFF0) << 40});
  EXPECT_GT(Format->Sniff("x", Bytes), 0u);
  const char *Text = "0 clk IT (0) 00008000 e3a00001 A svc_s : MOV r0,#1\n";
  EXPECT_EQ(
      Format->Sniff("x", llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Text),
                                        strlen(Text))),
      0u);
}

TEST(Operands, WhatIsWritten) {
  PPCOperands O;
  auto lanes = [&](uint64_t Op) {
    std::vector<unsigned> L;
    for (LaneBytes B : O.writes(Op))
      L.push_back(B.Lane);
    return L;
  };
  using V = std::vector<unsigned>;
  EXPECT_EQ(lanes(0x38600005), V{3});         // li r3,5
  EXPECT_EQ(lanes(0xf821ffe1), V{1});         // stdu r1,-32(r1)
  EXPECT_EQ(lanes(0xe8890001), (V{4, 9}));    // ldu r4,0(r9)
  EXPECT_EQ(lanes(0x4e800020), V{});          // blr
  EXPECT_EQ(lanes(0x4e800421), V{ppc::LR});   // bctrl
  EXPECT_EQ(lanes(0x42000010), V{ppc::CTR});  // bdnz
  EXPECT_EQ(lanes(0x41820010), V{});          // beq
  EXPECT_EQ(lanes(0x7c6ff120), V{ppc::CR});   // mtcr
  EXPECT_EQ(lanes(0x2c1f0064), V{ppc::CR});   // cmpwi
  EXPECT_EQ(lanes(0x0600000038630005), V{3}); // paddi
  EXPECT_EQ(lanes(0xf4090001), (V{ppc::VSR0, ppc::VSR0 + 1})); // lxv vs0
  EXPECT_EQ(lanes(0xf8890000), V{});                           // std
  // Several general registers.
  EXPECT_EQ(lanes(0xe0c30010), (V{6, 7}));              // lq r6
  EXPECT_EQ(lanes(0x7cc32228), (V{6, 7}));              // lqarx r6
  EXPECT_EQ(lanes(0x04000000e0c30010), (V{6, 7}));      // plq r6
  EXPECT_EQ(lanes(0xbb830008), (V{28, 29, 30, 31}));    // lmw r28
  EXPECT_EQ(lanes(0x7ca33caa), (V{5, 6}));              // lswi r5,r3,7
  EXPECT_EQ(lanes(0x7fe344aa), (V{0, 31}));             // lswi r31,r3,8
  EXPECT_EQ(lanes(0x7ca304aa).size(), 8u);              // lswi r5,r3,32
  EXPECT_EQ(lanes(0x44000001), (V{ppc::LR, ppc::CTR})); // scv
  EXPECT_EQ(lanes(0x7c6803a6), V{ppc::LR});             // mtlr
  EXPECT_EQ(lanes(0x7c6903a6), V{ppc::CTR});            // mtctr
  EXPECT_EQ(lanes(0x7c64285e), V{3});                   // isel
  EXPECT_EQ(lanes(0x18430000).size(), 4u);              // lxvp
  EXPECT_EQ(lanes(0x7c6429ef), V{});                    // no such one
  for (uint64_t Op : {0x7ca3242au, 0x4c0002e4u, 0x7c00071du, 0x7c00075du,
                      0x04000000u, 0x7c6429efu})
    EXPECT_TRUE(O.mayWriteMore(Op)) << Op; // lswx, stop, tabort., treclaim.
  for (uint64_t Op : {0x38600005u, 0xbb830008u, 0x7ca33caau, 0x4e800020u,
                      0x4c000024u, 0x44000002u, 0x44000001u, 0x4c0000a4u,
                      0x7c6ff120u, 0xf8890000u, 0x60000000u})
    EXPECT_FALSE(O.mayWriteMore(Op)) << Op;
}

/// Nobody knows what an opcode writes that LLVM cannot decode. Of others,
/// the registers that it writes first are as its text has them.
TEST(Operands, AllOpcodes) {
  PPCOperands O;
  Disassembler Code;
  unsigned Unknown = 0, Known = 0;
  auto check = [&](uint64_t Op) {
    const unsigned Size = Op >> 32 ? 8 : 4;
    std::string Text =
        Code.text(ISA::PPC64, opcodeBytes(ISA::PPC64, Op, Size), 0x1000);
    const bool Branch = !(Op >> 32) && uint32_t(Op) >> 28 == 4;
    if (Text.empty()) {
      EXPECT_TRUE(O.mayWriteMore(Op) || Branch || !O.writes(Op).empty())
          << llvm::utohexstr(Op);
      ++Unknown;
      return;
    }
    ++Known;
    auto [Name, Operands] = llvm::StringRef(Text).split(' ');
    if (!Name.starts_with("l") || Operands.contains("v") ||
        Operands.starts_with("f") || O.mayWriteMore(Op))
      return;
    // A load: of the register that it names first.
    llvm::StringRef First = Operands.split(',').first;
    unsigned N;
    if (!First.consume_front("r") || First.getAsInteger(10, N))
      return;
    EXPECT_TRUE(llvm::any_of(O.writes(Op), [N](LaneBytes B) {
      return B.Lane == N;
    })) << Text;
  };
  for (uint64_t Registers : {0x00c32000u, 0x03e11800u, 0x00a52000u}) {
    for (uint32_t Major = 0; Major < 64; ++Major)
      for (uint32_t Low = 0; Low < 2048; ++Low)
        if (Major != 1)
          check(Major << 26 | Registers | Low);
    for (uint32_t Major = 0; Major < 64; ++Major)
      for (uint64_t Type : {0x04000000u, 0x05000000u, 0x06000000u, 0x07000000u})
        check(Type << 32 | Major << 26 | Registers);
  }
  EXPECT_GT(Unknown, 1000u);
  EXPECT_GT(Known, 100000u);
}

/// What was known of a register ends where an instruction writes it, or may.
TEST(Reader, InferredValuesEnd) {
  // li r7,4; the instruction; addi r7,r7,1
  auto known = [](uint32_t Op, bool Data, uint64_t Next = Text + 8,
                  uint32_t First = 0x38e00004, unsigned Lane = 7) {
    Words W;
    line(W, Text, 0x40000000);
    insn(W, First, Text);
    if (Data)
      load(W, Op, Text + 4, 0x20000010, 0x20000010);
    else
      insn(W, Op, Text + 4);
    if (Next != Text + 8)
      line(W, Next, 0x40000000);
    insn(W, 0x38000000 | Lane << 21 | Lane << 16 | 1, Next);
    auto K = read(W);
    EXPECT_EQ(K->All.Insns.size(), 3u);
    const RegItem *R = writeOf(K->regs(2), Lane);
    return R && R->Unknown == 0;
  };
  EXPECT_TRUE(known(0x60000000, false));
  EXPECT_TRUE(known(0xe9030010, true));                      // ld r8
  EXPECT_FALSE(known(0xe0c30010, true));                     // lq r6
  EXPECT_FALSE(known(0x7cc32228, true));                     // lqarx r6
  EXPECT_FALSE(known(0xb8c30008, true));                     // lmw r6
  EXPECT_FALSE(known(0x7ca34caa, true));                     // lswi r5,r3,9
  EXPECT_FALSE(known(0x7ca3242a, true));                     // lswx r5,r3,r4
  EXPECT_FALSE(known(0x7c6429ef, false));                    // nobody knows
  EXPECT_FALSE(known(0x4c0002e4, false, 0x100));             // stop, and reset
  EXPECT_FALSE(known(0x60000000, false, 0x100));             // reset
  EXPECT_TRUE(known(0x60000000, false, 0xc000000000004500)); // interrupt
  EXPECT_FALSE(known(0x60000000, false, 0x10020000));        // nobody knows why
}

/// Where a transaction that failed goes on, registers are what they were.
TEST(Reader, AFailedTransactionRestoresRegisters) {
  for (bool Fails : {false, true}) {
    Words W;
    line(W, Text, 0x40000000);
    insn(W, 0x7c00051d, Text);     // tbegin.
    insn(W, 0x60000000, Text + 4); // its handler
    insn(W, 0x38e00004, Text + 8); // li r7,4
    uint64_t Next = Fails ? Text + 4 : Text + 12;
    insn(W, 0x4e800020, Text + 12); // blr
    if (Fails)
      line(W, Next & ~uint64_t(0x7f), 0x40000000);
    insn(W, Fails ? 0x60000000 : 0x38e70001, Fails ? Next : Text + 16);
    if (Fails)
      insn(W, 0x38e70001, Next + 4); // addi r7,r7,1
    auto K = read(W);
    const RegItem *R = writeOf(K->regs(K->All.Insns.size() - 1), 7);
    ASSERT_TRUE(R);
    EXPECT_EQ(R->Unknown != 0, Fails);
    EXPECT_FALSE(writeOf(K->regs(3), ppc::LR) && Fails &&
                 !writeOf(K->regs(3), ppc::LR)->Unknown);
  }
}

/// Two processes run the same loop at the same addresses, each from pages of
/// its own. Blocks and groups of them must not hide that.
TEST(Reader, CodeThatMovesInRealMemory) {
  Words W;
  std::vector<uint64_t> Expected; // real address of each instruction
  auto loop = [&](uint64_t Real, unsigned Times) {
    for (unsigned N = 0; N < Times; ++N) {
      line(W, Text, Real);
      insn(W, 0x60000000, Text);
      insn(W, 0x48000000 | 0x1000, Text + 4); // b to the next page
      line(W, Text + 0x1004, Real + 0x5000);
      insn(W, 0x60000000, Text + 0x1004);
      insn(W, 0x48000000 | (-0x1008 & 0x3fffffc), Text + 0x1008);
      for (uint64_t At : {0x600, 0x604, 0x5604, 0x5608})
        Expected.push_back((Real & ~uint64_t(0xfff)) + At);
    }
  };
  loop(0x40000600, 400);
  loop(0x70000600, 400);
  loop(0x40000600, 3);
  loop(0x70000600, 1);
  std::vector<CodePage> Pages;
  ReaderOptions Options;
  Options.CodePages = &Pages;
  auto K = read(W, Options, 2);
  ASSERT_EQ(K->Failure, "");
  ASSERT_EQ(K->Insns.size(), Expected.size());
  EXPECT_EQ(Pages.size(), 8u); // two pages, each four times
  for (size_t N = 0; N < Expected.size(); ++N) {
    const CodePage *Found = nullptr;
    for (const CodePage &P : Pages)
      if (P.Effective == K->Insns[N].PC >> 12 && P.From <= N)
        Found = &P;
    ASSERT_TRUE(Found) << N;
    ASSERT_EQ(Found->Real << 12 | (K->Insns[N].PC & 0xfff), Expected[N]) << N;
  }
}

} // namespace
} // namespace rw::htm::test
