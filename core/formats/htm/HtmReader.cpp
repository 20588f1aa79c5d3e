//===- HtmReader.cpp - Core HTM dumps as a trace --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmReader.h"
#include "core/arch/PPCInference.h"
#include "core/arch/RegisterFile.h"
#include "core/formats/BatchPipe.h"
#include "core/formats/htm/HtmDecoder.h"
#include "core/formats/htm/HtmText.h"
#include "core/formats/ppc/PPCItems.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::htm {

namespace {

/// The bits of the MSR that dumps tell. They are registers of their own: the
/// others of the MSR are not known.
constexpr struct {
  const char *Name;
  uint16_t Mask;
} MsrFields[] = {{"msr_hv", MsrHV}, {"msr_pr", MsrPR}, {"msr_ir", MsrIR},
                 {"msr_dr", MsrDR}, {"msr_ee", MsrEE}, {"msr_s", MsrS},
                 {"msr_ts", MsrTS}, {"msr_le", MsrLE}, {"msr_sf", MsrSF}};
constexpr uint16_t LpidLane = ppc::FirstNamed + std::size(MsrFields);
constexpr uint16_t PidLane = LpidLane + 1;
/// POWER8 tells only these.
constexpr uint16_t P8MsrFields = MsrHV | MsrIR;

class ItemMaker : public BatchSink {
public:
  ItemMaker(TraceSink &Sink, bool BigEndian)
      : Sink(Sink), BigEndian(BigEndian) {}

  Error batch(const Batch &B) override {
    size_t NextEvent = 0;
    for (size_t I = 0; I < B.Instructions.size(); ++I) {
      for (; NextEvent < B.Events.size() && B.Events[NextEvent].Before <= I;
           ++NextEvent)
        event(B.Events[NextEvent]);
      instruction(B.Instructions[I]);
    }
    for (; NextEvent < B.Events.size(); ++NextEvent)
      event(B.Events[NextEvent]);
    if (Items.Insns.size() >= BatchInsns || Items.Events.size() >= BatchInsns)
      return flush();
    return Error::success();
  }

  Error flush() {
    if (Items.Insns.empty() && Items.Events.empty() && Items.Regs.empty())
      return Error::success();
    Error E = Sink.consume(Items);
    Items.clear();
    return E;
  }

  Error finish(const Summary &S) {
    endUnplaced();
    if (Error E = flush())
      return E;
    TraceHeader H;
    H.Format = "htm";
    bool Little = SeenMsr ? LittleInsns * 2 >= MsrInsns : !BigEndian;
    H.Architecture = Little ? Arch::PPC64LE : Arch::PPC64;
    H.Order = Little ? ByteOrder::Little : ByteOrder::Big;
    H.Can.RegisterWrites = true;
    H.Can.MemAddresses = true;
    H.Can.RealAddresses = true;
    H.Can.Opcodes = true;
    H.Can.Time = S.Stamps[unsigned(StampKind::Time)] != 0;
    if (H.Can.Time)
      H.TimeUnit = "cycles";
    H.Threads.resize(1);
    uint16_t Lane = ppc::FirstNamed;
    for (auto &F : MsrFields)
      H.NamedRegisters.push_back({F.Name, Lane++, 1});
    H.NamedRegisters.push_back({"lpid", LpidLane, 4});
    H.NamedRegisters.push_back({"pid", PidLane, 4});
    H.NumMalformed = S.numDamages();
    for (const Problem &P : S.Problems)
      H.Malformed.push_back({0, P.Offset, P.What});
    if (UnknownAccesses)
      H.Ignored.push_back(
          {"data address of an instruction that is no load or store",
           UnknownAccesses});
    bool P8 = S.P8Instructions, P10 = S.Instructions > S.P8Instructions;
    H.Notes.push_back({"processor", P8 && P10 ? "POWER8 and POWER10"
                                    : P8      ? "POWER8"
                                              : "POWER10"});
    H.Notes.push_back({"registers", "which are written follows from the "
                                    "opcodes; values only where the code "
                                    "implies them"});
    if (S.Unplaced)
      H.Notes.push_back(
          {"left out", utostr(S.Unplaced) +
                           " instructions whose address is not in the dump"});
    if (S.DroppedEvents)
      H.Notes.push_back({"stamps left out", utostr(S.DroppedEvents)});
    H.Notes.push_back({"cycles", utostr(S.Cycles)});
    return Sink.finish(H);
  }

private:
  /// So many that a batch stays in a cache until it is consumed.
  static constexpr size_t BatchInsns = 4096;

  EventItem &addEvent(EventKind Kind, std::string Text) {
    EventItem E;
    E.Before = uint32_t(Items.Insns.size());
    E.Kind = Kind;
    E.Text = std::move(Text);
    Items.Events.push_back(std::move(E));
    return Items.Events.back();
  }

  /// Effects that belong to the instruction before the next one.
  void addedToLast(size_t FirstReg) {
    size_t N = Items.Regs.size() - FirstReg;
    if (Items.Insns.empty())
      Items.LeadRegs += uint32_t(N);
    else
      Items.Insns.back().NumRegs += uint16_t(N);
  }

  /// What was known before a gap is not known after it; if nothing comes after
  /// it, it stays known.
  void gap() {
    Forget = true;
    After = {};
  }
  void forget() {
    Forget = false;
    size_t First = Items.Regs.size();
    Registers.forget(Items.Regs);
    addedToLast(First);
  }

  void event(const Event &E) {
    TimeSeen |= E.What.Kind == StampKind::Time;
    switch (E.What.Kind) {
    case StampKind::Mark:
      addEvent(EventKind::Mark, describe(E.What)).Value =
          bits(E.What.Word, 41, 52);
      break;
    case StampKind::Pause:
      addEvent(EventKind::Pause, describe(E.What));
      Paused = true;
      gap();
      return;
    case StampKind::Record:
      // After a pause it only says that it is over.
      if (E.What.Gap && !Paused)
        addEvent(EventKind::Gap, describe(E.What));
      break;
    case StampKind::Time:
      if (E.What.Gap)
        addEvent(EventKind::Gap, describe(E.What));
      else if (!E.What.WellFormed || bits(E.What.Word, 20, 27) == 0xB0)
        addEvent(EventKind::Error, describe(E.What));
      break;
    case StampKind::Complete:
    case StampKind::Sync:
    case StampKind::Undefined:
      break;
    }
    if (E.What.Gap)
      gap();
  }

  void endUnplaced() {
    if (!Unplaced)
      return;
    addEvent(EventKind::Gap,
             formatv("{0} instructions whose address the dump does not tell",
                     Unplaced));
    gap();
    Unplaced = 0;
  }

  void instruction(const Instruction &I) {
    Paused = false;
    if (!I.has(Instruction::AddressKnown)) {
      ++Unplaced;
      return;
    }
    endUnplaced();
    if (Forget)
      forget();
    state(I);
    uint64_t Opcode = uint64_t(I.Prefix) << 32 | I.Opcode;
    bool OpcodeKnown = !I.has(Instruction::Prefixed) || I.Prefix;
    if (After.Valid && I.EA != After.Next)
      discontinuity(I);

    if (Items.Insns.empty())
      Items.FileOffset = I.Offset;
    // In place: copying what was just written piece by piece stalls.
    InsnItem &Item = Items.Insns.emplace_back();
    Item.PC = I.EA;
    Item.Opcode = OpcodeKnown ? Opcode : 0;
    Item.Time = I.Time;
    Item.Size = uint8_t(I.size());
    Item.Isa = ISA::PPC64;
    TimeSeen |= I.Time != 0;
    Item.Flags = InsnItem::Executed |
                 (OpcodeKnown ? InsnItem::OpcodeKnown : 0) |
                 (TimeSeen ? InsnItem::TimeKnown : 0);
    size_t FirstReg = Items.Regs.size(), FirstMem = Items.Mems.size();
    After.JumpsTo = PPCFacts::None;
    After.Class = InsnClass::Unknown;
    if (OpcodeKnown) {
      const PPCFacts &F = Registers.facts(Opcode);
      After.JumpsTo = F.JumpsTo;
      After.Class = F.Class;
      // In 32-bit mode, registers hold more than the code lets see.
      const uint64_t *DataEA = nullptr;
      if (I.NumData && (I.Msr & MsrSF || !I.has(Instruction::P10)))
        DataEA = &I.Data[0];
      Registers.instruction(F, I.EA, I.size(), DataEA, Items.Regs);
      if (I.NumData)
        accesses(I, F.Memory);
    }
    Item.NumRegs = uint16_t(Items.Regs.size() - FirstReg);
    Item.NumMems = uint16_t(Items.Mems.size() - FirstMem);
    After.Valid = true;
    After.PC = I.EA;
    After.Next = I.next();
    After.Opcode = Opcode;
    After.Msr = I.Msr;
  }

  void accesses(const Instruction &I, ppc::MemoryKind Kind) {
    ppc::Access A[2];
    for (unsigned N = 0; N < I.NumData; ++N)
      A[N] = {I.Data[N], I.DataRA[N], I.DataPageShift[N]};
    if (!ppc::addAccesses(Kind, ArrayRef(A, I.NumData), Items.Mems))
      ++UnknownAccesses;
  }

  void discontinuity(const Instruction &I) {
    std::optional<std::string> Entry =
        ppc::exceptionEntry(After.PC, After.Opcode, After.Class, I.EA);
    if (!Entry) {
      // An interrupt that is not known for one would have changed the mode.
      if (After.JumpsTo != PPCFacts::None && After.Msr == I.Msr &&
          (I.Msr & MsrSF || !I.has(Instruction::P10))) {
        size_t First = Items.Regs.size();
        Registers.arrived(After.JumpsTo, I.EA, Items.Regs);
        addedToLast(First);
      }
      return;
    }
    EventItem &E = addEvent(EventKind::Exception, *Entry);
    if (After.Class == InsnClass::None || After.Class == InsnClass::SystemCall)
      E.PC = After.Next; // where it will go on; a branch would go elsewhere
    E.Value = I.EA & 0x1fff;
    // A transaction that is given up takes its registers along.
    if (I.Msr & MsrTS)
      forget();
  }

  /// What the instruction was executed under. It is state before it, so a
  /// change is an effect of the one before.
  void state(const Instruction &I) {
    size_t First = Items.Regs.size();
    bool P10 = I.has(Instruction::P10);
    bool Changed = false;
    if (I.has(Instruction::MsrKnown)) {
      if (P10) {
        SeenMsr = true;
        ++MsrInsns;
        LittleInsns += (I.Msr & MsrLE) != 0;
      }
      uint16_t Tells = P10 ? 0xffff : P8MsrFields;
      if (uint16_t Diff = uint16_t((I.Msr ^ Msr) | ~MsrValid) & Tells) {
        uint16_t Lane = ppc::FirstNamed;
        for (auto &F : MsrFields) {
          if (Diff & F.Mask & Tells)
            set(Lane, (I.Msr & F.Mask) >> llvm::countr_zero(F.Mask), 1);
          ++Lane;
        }
        // Interrupts are switched on and off all the time.
        Changed = Diff & ~(MsrEE | MsrTS);
        Msr = uint16_t((Msr & ~Tells) | (I.Msr & Tells));
        MsrValid |= Tells;
      }
    }
    if (I.has(Instruction::ContextKnown) &&
        (!ContextValid || Context != I.Context)) {
      if (!ContextValid || Context >> 20 != I.Context >> 20)
        set(LpidLane, I.Context >> 20, 4);
      if (!ContextValid || (Context ^ I.Context) & 0xfffff)
        set(PidLane, I.Context & 0xfffff, 4);
      Context = I.Context;
      ContextValid = true;
      Changed = true;
    }
    addedToLast(First);
    if (Changed)
      addEvent(EventKind::ModeChange, modeText()).Value =
          uint64_t(Msr) << 32 | Context;
  }

  void set(uint16_t Lane, uint64_t Value, unsigned Bytes) {
    RegItem R;
    R.Lane = Lane;
    R.Value = Value;
    R.Written = uint8_t((1u << Bytes) - 1);
    Items.Regs.push_back(R);
  }

  std::string modeText() const {
    std::string Text;
    if (MsrValid == 0xffff)
      Text = std::string(Msr & MsrHV ? "hypervisor" : "guest") +
             (Msr & MsrPR ? " user" : " kernel") +
             (Msr & MsrSF ? ", 64-bit" : ", 32-bit") +
             (Msr & MsrLE ? " little endian" : " big endian") +
             (Msr & MsrIR ? "" : ", instructions untranslated") +
             (Msr & MsrDR ? "" : ", data untranslated");
    else if (MsrValid)
      Text = std::string(Msr & MsrHV ? "hypervisor" : "guest") +
             (Msr & MsrIR ? "" : ", instructions untranslated");
    if (ContextValid)
      Text += formatv("{0}lpid {1}, pid {2}", Text.empty() ? "" : ", ",
                      Context >> 20, Context & 0xfffff)
                  .str();
    return Text;
  }

  TraceSink &Sink;
  bool BigEndian;
  ItemBatch Items;
  PPCInference Registers;
  struct {
    bool Valid = false;
    uint64_t PC = 0, Next = 0, Opcode = 0;
    uint16_t Msr = 0;
    uint8_t JumpsTo = PPCFacts::None;
    InsnClass Class = InsnClass::Unknown;
  } After; ///< the instruction before
  bool Forget = false, Paused = false, TimeSeen = false, SeenMsr = false,
       ContextValid = false;
  uint16_t Msr = 0, MsrValid = 0;
  uint32_t Context = 0;
  uint64_t Unplaced = 0, UnknownAccesses = 0, MsrInsns = 0, LittleInsns = 0;
};

class HtmReader final : public TraceReader {
public:
  HtmReader(ByteSource Source, uint64_t Bytes, bool Ahead,
            const ReaderOptions &Options)
      : Source(std::move(Source)), Bytes(Bytes), Ahead(Ahead),
        Options(Options) {}
  StringRef formatName() const override { return "htm"; }
  Error read(TraceSink &Sink) override {
    if (Options.Threads == 1)
      return readInto(Sink, Options.Progress);
    std::atomic<uint64_t> Done = 0;
    return readAhead(
        Sink,
        [&](TraceSink &Ahead) {
          return readInto(Ahead, [&](uint64_t D, uint64_t) { Done = D; });
        },
        [&] {
          if (Options.Progress)
            Options.Progress(Done, Bytes);
        });
  }

private:
  Error readInto(TraceSink &Sink,
                 const std::function<void(uint64_t, uint64_t)> &Progress) {
    ItemMaker Maker(Sink, Options.BigEndian);
    DecoderOptions O;
    O.Cancel = Options.Cancel;
    if (Progress)
      O.Progress = [&](uint64_t Done) { Progress(Done, Bytes); };
    O.ReadAhead = Ahead && Options.Threads != 1;
    if (Options.ChunkBytes)
      O.WindowWords = std::max<size_t>(Options.ChunkBytes / 8, 256);
    HtmDecoder Decoder(std::move(Source), Maker, O);
    if (Error E = Decoder.run())
      return E;
    return Maker.finish(Decoder.summary());
  }

  ByteSource Source;
  uint64_t Bytes;
  bool Ahead;
  ReaderOptions Options;
};
} // namespace

std::unique_ptr<TraceReader> makeReader(ByteSource Source, uint64_t Bytes,
                                        const ReaderOptions &Options) {
  return std::make_unique<HtmReader>(std::move(Source), Bytes, /*Ahead=*/false,
                                     Options);
}

unsigned sniff(StringRef, ArrayRef<uint8_t> Head) {
  Head = Head.drop_front(firstTarMember(Head).Offset);
  // Tags make up a good part of the words of any dump, and hardly ever any of
  // another file's.
  size_t Words = std::min<size_t>(Head.size() / 8, 4096), Tags = 0, NonZero = 0;
  for (size_t I = 0; I < Words; ++I) {
    uint64_t W = support::endian::read64be(&Head[8 * I]);
    NonZero += W != 0;
    if (hasStampTag(W)) {
      Tags += parseStamp(W).Kind != StampKind::Undefined;
    } else if (tagOf(W) == P8Tag) {
      ++Tags;
    } else if (tagOf(W) == P10Tag) {
      Tags += p10Type(W) != P10Type::Invalid;
    }
  }
  if (!Tags)
    return 0;
  // A dump may begin with a page's worth of walk words.
  if (Tags * 64 < NonZero)
    return 0;
  return Tags >= 2 || NonZero <= 4 ? 95 : 60;
}

Expected<std::unique_ptr<TraceReader>> open(StringRef Path,
                                            const ReaderOptions &Options) {
  auto Stream = InputStream::open(Path, Options.Cancel);
  if (!Stream)
    return Stream.takeError();
  // How far the reading is, only the size of a plain file can tell.
  uint64_t Bytes = (*Stream)->isSeekable() ? (*Stream)->bytesTotal() : 0;
  bool Ahead = (*Stream)->isRegular();
  auto Source = openBytes(std::move(*Stream));
  if (!Source)
    return Source.takeError();
  return std::make_unique<HtmReader>(std::move(*Source), Bytes, Ahead, Options);
}

} // namespace rw::htm
