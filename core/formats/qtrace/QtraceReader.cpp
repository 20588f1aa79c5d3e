//===- QtraceReader.cpp - Qtrace files as a trace -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/qtrace/QtraceReader.h"
#include "core/arch/PPCInference.h"
#include "core/arch/PPCInsn.h"
#include "core/arch/RegisterFile.h"
#include "core/formats/ppc/CodePageTracker.h"
#include "core/formats/ppc/PPCItems.h"
#include "core/support/NumberMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;

namespace rw::qtrace {

namespace {

/// The lanes of a register of a file.
void addRegister(const RegisterValue &R, std::vector<RegItem> &Out) {
  auto add = [&](unsigned Lane, uint64_t Value) {
    RegItem I;
    I.Lane = uint16_t(Lane);
    I.Value = Value;
    I.Written = 0xff;
    Out.push_back(I);
  };
  using File = RegisterValue::File;
  switch (R.Which) {
  case File::Gpr:
    if (R.Index < 32)
      add(ppc::R0 + R.Index, R.Value[0]);
    return;
  case File::Fpr:
    if (R.Index < 32)
      add(ppc::VSR0 + 2 * R.Index + 1, R.Value[0]);
    return;
  case File::Vmx:
  case File::Vsx: {
    unsigned N = R.Index + (R.Which == File::Vmx ? 32 : 0);
    if (N < 64) {
      add(ppc::VSR0 + 2 * N + 1, R.Value[0]);
      add(ppc::VSR0 + 2 * N, R.Value[1]);
    }
    return;
  }
  case File::Spr:
    if (R.Index == 1)
      add(ppc::XER, R.Value[0]);
    else if (R.Index == 8)
      add(ppc::LR, R.Value[0]);
    else if (R.Index == 9)
      add(ppc::CTR, R.Value[0]);
    return;
  }
}

class QtraceReader final : public TraceReader {
public:
  QtraceReader(ByteSource Source, uint64_t Bytes, const ReaderOptions &Options)
      : Parser(std::move(Source)), Bytes(Bytes), Options(Options),
        Pages(Options.CodePages) {}
  StringRef formatName() const override { return "qtrace"; }

  Error read(TraceSink &Sink) override {
    TraceHeader H;
    H.Format = "qtrace";
    const bool Big = Options.Settings.has(format_option::BigEndian);
    H.Architecture = Big ? Arch::PPC64 : Arch::PPC64LE;
    H.Order = Big ? ByteOrder::Big : ByteOrder::Little;
    H.Can.RegisterWrites = true; // from the opcodes
    H.Can.MemAddresses = H.Can.Opcodes = true;
    H.Threads.resize(1);
    uint64_t Insns = 0;
    ReadInsn I;
    for (;;) {
      Expected<bool> Got = Parser.next(I);
      if (!Got) {
        // What comes before the damage is as good as ever.
        if (!Insns)
          return Got.takeError();
        std::string What = toString(Got.takeError());
        event(EventKind::Error, "the trace cannot be read on: " + What);
        H.NumMalformed = 1;
        H.Malformed.push_back({0, Parser.offset(), What});
        break;
      }
      if (!*Got)
        break;
      Pages.instruction(Insns++, I.EA, I.Real.value_or(~uint64_t(0)));
      H.Can.RealAddresses |= I.Data.Rpn.has_value();
      instruction(I);
      H.Can.MemValues |= !I.Value.empty();
      H.Can.Registers |= !I.Out.empty();
      if (Items.Insns.size() < BatchInsns)
        continue;
      if (Options.Cancel && *Options.Cancel)
        return createStringError(std::errc::interrupted, "interrupted");
      if (Options.Progress)
        Options.Progress(Parser.offset(), Bytes);
      if (Error E = Sink.consume(Items))
        return E;
      Items.clear();
    }
    if (!Insns)
      return createStringError(std::errc::invalid_argument,
                               "the Qtrace file has no instruction");
    if (Error E = Sink.consume(Items))
      return E;
    if (Parser.version())
      H.Notes.push_back(
          {"version", formatv("{0:x-8}", *Parser.version()).str()});
    if (Parser.pid())
      H.Notes.push_back({"pid", std::to_string(*Parser.pid())});
    if (Parser.lpid())
      H.Notes.push_back({"lpid", std::to_string(*Parser.lpid())});
    if (!Parser.comment().empty())
      H.Notes.push_back({"comment", Parser.comment().str()});
    if (UnknownAccesses)
      H.Ignored.push_back(
          {"data address of an instruction that is no load or store",
           UnknownAccesses});
    return Sink.finish(H);
  }

private:
  static constexpr size_t BatchInsns = 16384;

  EventItem &event(EventKind Kind, std::string Text) {
    EventItem E;
    E.Before = uint32_t(Items.Insns.size());
    E.Kind = Kind;
    E.Text = std::move(Text);
    Items.Events.push_back(std::move(E));
    return Items.Events.back();
  }

  void instruction(const ReadInsn &I) {
    uint64_t Opcode = uint64_t(I.Prefix) << 32 | I.Opcode;
    if (Last.Valid && I.EA != Last.Next) {
      const PPCFacts &F = Registers.facts(Last.Opcode);
      if (std::optional<std::string> Entry =
              ppc::exceptionEntry(Last.PC, Last.Opcode, F.Class, I.EA)) {
        EventItem &E = event(EventKind::Exception, *Entry);
        if (F.Class == InsnClass::None || F.Class == InsnClass::SystemCall)
          E.PC = Last.Next;
        E.Value = I.EA & 0x1fff;
        if (F.Class != InsnClass::SystemCall && ppc::mayLoseRegisters(I.EA))
          forget();
      } else if (Handlers.contains(I.EA) || F.Class == InsnClass::SystemCall) {
        // A kernel that is not in the trace goes on elsewhere for a signal or
        // a return from one.
        forget();
      } else if (F.JumpsTo != PPCFacts::None) {
        size_t First = Items.Regs.size();
        Registers.arrived(F.JumpsTo, I.EA, Items.Regs);
        addToLast(First);
      }
    } else if (Last.Valid && Last.IsCall) {
      systemCall();
    }
    InsnItem Item;
    if (Items.Insns.empty())
      Items.FileOffset = I.Offset;
    Item.PC = I.EA;
    Item.Opcode = Opcode;
    Item.Size = I.Prefixed ? 8 : 4;
    Item.Isa = ISA::PPC64;
    Item.Flags = InsnItem::Executed | InsnItem::OpcodeKnown;
    size_t FirstReg = Items.Regs.size(), FirstMem = Items.Mems.size();
    const PPCFacts &F = Registers.facts(Opcode);
    Registers.instruction(F, I.EA, Item.Size, I.DataEA ? &*I.DataEA : nullptr,
                          Items.Regs);
    if (F.WritesMore)
      forgetTold();
    if (LLVM_UNLIKELY(PPCInference::beginsTransaction(Opcode)))
      Handlers.insert(I.EA + Item.Size);
    const size_t FirstTold = Items.Regs.size();
    for (const RegisterValue &R : I.Out)
      addRegister(R, Items.Regs);
    ToldLast.clear();
    for (size_t K = FirstTold; K < Items.Regs.size(); ++K) {
      Told.insert(Items.Regs[K].Lane);
      ToldLast.push_back(Items.Regs[K].Lane);
    }
    if (I.DataEA) {
      ppc::Access A;
      A.EA = *I.DataEA;
      if (std::optional<uint64_t> RA = I.Data.real(A.EA))
        A.RA = *RA;
      A.PageShift = I.Data.PageShift ? uint8_t(I.Data.commonShift()) : 0;
      if (!ppc::addAccesses(F.Memory, A, Items.Mems))
        ++UnknownAccesses;
      values(I, FirstMem);
    }
    Item.NumRegs = uint16_t(Items.Regs.size() - FirstReg);
    Item.NumMems = uint16_t(Items.Mems.size() - FirstMem);
    Items.Insns.push_back(Item);
    Last = {true, F.Class == InsnClass::SystemCall, I.EA, I.EA + Item.Size,
            Opcode};
  }

  /// Register effects from \p First on belong to the instruction before.
  void addToLast(size_t First) {
    if (Items.Insns.empty())
      Items.LeadRegs += uint32_t(Items.Regs.size() - First);
    else
      Items.Insns.back().NumRegs += uint16_t(Items.Regs.size() - First);
  }
  /// No register is known any more.
  void forget() {
    const size_t First = Items.Regs.size();
    Registers.forget(Items.Regs);
    forgetTold();
    addToLast(First);
  }
  /// The one before came back without a kernel in the trace.
  void systemCall() {
    const bool Vectored = PPCInference::isVectoredCall(Last.Opcode);
    const size_t First = Items.Regs.size();
    Registers.systemCall(Vectored, Items.Regs);
    // The file may tell what came back.
    Items.Regs.erase(std::remove_if(Items.Regs.begin() + ptrdiff_t(First),
                                    Items.Regs.end(),
                                    [&](const RegItem &R) {
                                      return is_contained(ToldLast, R.Lane);
                                    }),
                     Items.Regs.end());
    std::erase_if(Told, [&](uint16_t Lane) {
      if (PPCInference::isKeptBySystemCall(Lane, Vectored) ||
          is_contained(ToldLast, Lane))
        return false;
      Items.Regs.push_back({0, Lane, 0xff, 0xff, 0, RegItem::NotWritten});
      return true;
    });
    addToLast(First);
  }
  void forgetTold() {
    for (uint16_t Lane : Told)
      Items.Regs.push_back({0, Lane, 0xff, 0xff, 0, RegItem::NotWritten});
    Told.clear();
  }

  /// Data values, where the file has as many bytes as the access.
  void values(const ReadInsn &I, size_t FirstMem) {
    size_t Size = 0;
    for (size_t M = FirstMem; M < Items.Mems.size(); ++M)
      Size += Items.Mems[M].Size;
    if (I.Value.empty() || I.Value.size() != Size)
      return;
    size_t At = 0;
    for (size_t M = FirstMem; M < Items.Mems.size(); ++M) {
      MemItem &Mem = Items.Mems[M];
      Mem.Flags &= uint8_t(~MemItem::NoValue);
      Mem.Known = uint8_t((1u << Mem.Size) - 1);
      for (unsigned B = 0; B < Mem.Size; ++B)
        Mem.Value |= uint64_t(I.Value[At++]) << 8 * B;
    }
  }

  QtraceParser Parser;
  uint64_t Bytes;
  ReaderOptions Options;
  ItemBatch Items;
  CodePageTracker Pages;
  PPCInference Registers;
  std::set<uint16_t> Told;        ///< registers of which the file had a value
  SmallVector<uint16_t> ToldLast; ///< at the last instruction
  NumberSet Handlers;             ///< where failed transactions go on
  struct {
    bool Valid = false, IsCall = false; ///< of the system
    uint64_t PC = 0, Next = 0, Opcode = 0;
  } Last;
  uint64_t UnknownAccesses = 0;
};
} // namespace

std::unique_ptr<TraceReader> makeReader(ByteSource Source, uint64_t Bytes,
                                        const ReaderOptions &Options) {
  return std::make_unique<QtraceReader>(std::move(Source), Bytes, Options);
}

static unsigned sniff(StringRef, ArrayRef<uint8_t> Head) {
  Head = Head.drop_front(firstTarMember(Head).Offset);
  // A header: zero, 0001, 0002 or 0003.
  if (Head.size() < 10 || support::endian::read32be(&Head[0]) != 0 ||
      support::endian::read16be(&Head[4]) != FlagExt)
    return 0;
  uint16_t Flags2 = support::endian::read16be(&Head[6]);
  if ((Flags2 & ~Flag2Ext) != Flag2Header)
    return 0;
  size_t At = Flags2 & Flag2Ext ? 10 : 8;
  if (Head.size() < At + 2)
    return 0;
  // No dump of Core HTM begins like that, whatever follows.
  return support::endian::read16be(&Head[At]) & HeaderUnknown ? 0 : 98;
}

static TraceFormat::Reader open(std::unique_ptr<InputStream> In,
                                const ReaderOptions &Options) {
  // How far the reading is, only the size of a plain file can tell.
  uint64_t Bytes = In->isSeekable() ? In->bytesTotal() : 0;
  auto Source = openBytes(std::move(In));
  if (!Source)
    return Source.takeError();
  return makeReader(std::move(*Source), Bytes, Options);
}

extern const TraceFormat Format = {
    .Name = "qtrace",
    .Description = "Qtrace files (POWER)",
    .Options = format_option::BigEndian,
    .Sniff = sniff,
    .OpenStream = open,
};

} // namespace rw::qtrace
