//===- ItemMaker.cpp - Decoded dumps as items -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/ItemMaker.h"
#include "core/arch/RegisterFile.h"
#include "core/formats/htm/HtmText.h"
#include "core/formats/ppc/PPCItems.h"
#include "core/model/LossNotes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
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

ppc::Access accessAt(const DataPlace &D) { return {D.EA, D.RA, D.PageShift}; }
} // namespace

Error ItemMaker::batch(const Batch &B) {
  size_t NextEvent = 0;
  auto eventsUpTo = [&](size_t Item) {
    for (; NextEvent < B.Events.size() && B.Events[NextEvent].Before <= Item;
         ++NextEvent)
      event(B.Events[NextEvent]);
  };
  for (size_t I = 0; I < B.Instructions.size(); ++I) {
    eventsUpTo(I);
    if (Error E = instruction(B.Instructions[I]))
      return E;
  }
  for (size_t I = 0; I < B.Executions.size();) {
    eventsUpTo(I);
    size_t End = B.Executions.size();
    if (NextEvent < B.Events.size())
      End = std::min<size_t>(End, B.Events[NextEvent].Before);
    if (Error E = executions(B.Executions.slice(I, End - I), B.Data.data()))
      return E;
    I = End;
  }
  eventsUpTo(B.Instructions.size() + B.Executions.size());
  return Error::success();
}

Error ItemMaker::end(const Summary &S) {
  endUnplaced();
  if (Error E = Out.finish())
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
    H.Notes.push_back(lossNote(Loss::LeftOut, utostr(S.Unplaced) +
                                                  " instructions whose "
                                                  "address is not in the "
                                                  "dump"));
  if (S.DroppedEvents)
    H.Notes.push_back(lossNote(Loss::StampsLeftOut, utostr(S.DroppedEvents)));
  H.Notes.push_back({"cycles", utostr(S.Cycles)});
  return Sink.finish(H);
}

/// What was known before a gap is not known after it; if nothing comes after
/// it, it stays known.
void ItemMaker::gap() {
  Forget = true;
  After = {};
}
void ItemMaker::forget() {
  Forget = false;
  Registers.forget(Added);
  addToLast();
}

void ItemMaker::addToLast() {
  for (const RegItem &R : Added)
    Out.addToLast(R);
  Added.clear();
}

void ItemMaker::event(const Event &E) {
  if (E.What.Kind == StampKind::Time)
    seeTime();
  switch (E.What.Kind) {
  case StampKind::Mark:
    Out.addEvent(EventKind::Mark, describe(E.What)).Value =
        bits(E.What.Word, 41, 52);
    break;
  case StampKind::Pause:
    Out.addEvent(EventKind::Pause, describe(E.What));
    Paused = true;
    gap();
    return;
  case StampKind::Record:
    // After a pause it only says that it is over.
    if (E.What.Gap && !Paused)
      Out.addEvent(EventKind::Gap, describe(E.What));
    break;
  case StampKind::Time:
    if (E.What.Gap)
      Out.addEvent(EventKind::Gap, describe(E.What));
    else if (!E.What.WellFormed || bits(E.What.Word, 20, 27) == 0xB0)
      Out.addEvent(EventKind::Error, describe(E.What));
    break;
  case StampKind::Loss:
    Out.addEvent(EventKind::Gap, describe(E.What));
    break;
  case StampKind::Complete:
  case StampKind::Sync:
  case StampKind::Undefined:
    break;
  }
  if (E.What.Gap)
    gap();
}

void ItemMaker::endUnplaced() {
  if (!Unplaced)
    return;
  Out.addEvent(EventKind::Gap,
               formatv("{0} instructions whose address the dump does not tell",
                       Unplaced));
  gap();
  Unplaced = 0;
}

void ItemMaker::discontinuity(const Instruction &I) {
  std::optional<std::string> Entry =
      ppc::exceptionEntry(After.PC, After.Opcode, After.Class, I.EA);
  if (!Entry) {
    // A kernel that is not in the dump goes on elsewhere for a signal or a
    // return from one.
    if (After.Class == InsnClass::SystemCall)
      return forget();
    jumped(I, Added);
    addToLast();
    return;
  }
  EventItem &E = Out.addEvent(EventKind::Exception, *Entry);
  if (After.Class == InsnClass::None || After.Class == InsnClass::SystemCall)
    E.PC = After.Next; // where it will go on; a branch would go elsewhere
  E.Value = I.EA & 0x1fff;
  // A transaction that is given up takes its registers along.
  if (I.Msr & MsrTS ||
      (After.Class != InsnClass::SystemCall && ppc::mayLoseRegisters(I.EA)))
    forget();
}

/// Control came to \p I, which is not where it would have come otherwise.
void ItemMaker::jumped(const Instruction &I, std::vector<RegItem> &Effects) {
  // An interrupt that is not known for one would have changed the mode.
  if (After.JumpsTo != PPCFacts::None && After.Msr == I.Msr &&
      (I.Msr & MsrSF || !I.has(Instruction::P10)))
    Registers.arrived(After.JumpsTo, I.EA, Effects);
}

/// Control is at \p I.
void ItemMaker::arrive(const Instruction &I, bool ContextKnown,
                       uint32_t NewContext, uint64_t Time) {
  Paused = false;
  endUnplaced();
  if (Forget)
    forget();
  state(I, ContextKnown, NewContext);
  if (LLVM_UNLIKELY(mayEndTransaction(After, I))) {
    After.JumpsTo = PPCFacts::None;
    forget();
  }
  if (LLVM_UNLIKELY(cameBack(After, I))) {
    Registers.systemCall(PPCInference::isVectoredCall(After.Opcode), Added);
    addToLast();
  } else if (!isExpected(After, I)) {
    discontinuity(I);
  }
  if (Time)
    seeTime();
}

/// Instructions have a time from now on; those of the plans have none.
void ItemMaker::seeTime() {
  if (std::exchange(TimeSeen, true))
    return;
  Groups.clear();
  Infos.clear();
}

/// Appends the instruction to One. \p Data: its data addresses; the effects are
/// noted in \p Plan, if there is one.
void ItemMaker::append(const Instruction &I, uint64_t Time,
                       const DataPlace *Data, GroupPlan *Plan) {
  uint64_t Opcode = uint64_t(I.Prefix) << 32 | I.Opcode;
  bool OpcodeKnown = !I.has(Instruction::Prefixed) || I.Prefix;
  if (LLVM_UNLIKELY(!One.Insns.empty() && cameBack(After, I))) {
    const size_t Before = One.Regs.size();
    Registers.systemCall(PPCInference::isVectoredCall(After.Opcode), One.Regs);
    One.Insns.back().NumRegs += uint16_t(One.Regs.size() - Before);
  }
  InsnItem &Item = One.Insns.emplace_back();
  Item.PC = I.EA;
  Item.Opcode = OpcodeKnown ? Opcode : 0;
  Item.Time = Time;
  Item.Size = uint8_t(I.size());
  Item.Isa = ISA::PPC64;
  Item.Flags = InsnItem::Executed | (OpcodeKnown ? InsnItem::OpcodeKnown : 0) |
               (TimeSeen ? InsnItem::TimeKnown : 0);
  size_t FirstReg = One.Regs.size(), FirstMem = One.Mems.size();
  After = {};
  if (OpcodeKnown) {
    const PPCFacts &F = Registers.facts(Opcode);
    if (LLVM_UNLIKELY(PPCInference::beginsTransaction(Opcode)))
      NewHandler |= Handlers.insert(I.next()).second;
    After.JumpsTo = F.JumpsTo;
    After.Class = F.Class;
    if (F.Class != InsnClass::None)
      After.Target =
          ppc::branchTarget(uint32_t(Opcode), I.EA).value_or(NoAddress);
    // In 32-bit mode, registers hold more than the code lets see.
    const uint64_t *DataEA = nullptr;
    if (I.NumData && (I.Msr & MsrSF || !I.has(Instruction::P10)))
      DataEA = &Data->EA;
    Registers.instruction(F, I.EA, I.size(), DataEA, One.Regs);
    if (I.NumData) {
      SmallVector<ppc::Access, 2> A;
      for (unsigned N = 0; N < I.NumData; ++N)
        A.push_back(accessAt(Data[N]));
      bool Known = ppc::addAccesses(F.Memory, A, One.Mems);
      UnknownAccesses += !Known;
      if (Plan) {
        PlannedAccess P = {F.Memory, I.NumData,
                           uint8_t(One.Mems.size() - FirstMem), false, false};
        P.IsSimple = I.NumData == 1 && ppc::isSimple(F.Memory);
        P.HasReal = P.NumItems && One.Mems[FirstMem].Real != NoAddress;
        Plan->Accesses.push_back(P);
        Plan->UnknownAccesses += !Known;
      }
    }
  }
  Item.NumRegs = uint16_t(One.Regs.size() - FirstReg);
  Item.NumMems = uint16_t(One.Mems.size() - FirstMem);
  After.Valid = true;
  After.PC = I.EA;
  After.Next = I.next();
  After.Opcode = Opcode;
  After.Msr = I.Msr;
}

Error ItemMaker::instruction(const Instruction &I) {
  if (!I.has(Instruction::AddressKnown)) {
    Paused = false;
    ++Unplaced;
    return Error::success();
  }
  arrive(I, I.has(Instruction::ContextKnown), I.Context, I.Time);
  countModes(I, 1);
  One.clear();
  DataPlace Data[2];
  for (unsigned N = 0; N < I.NumData; ++N)
    Data[N] = {I.Data[N], I.DataRA[N], I.DataPageShift[N]};
  append(I, I.Time, Data, nullptr);
  Pages.instruction(Placed++, I.EA, I.RA);
  return Out.execute(One, I.Offset);
}

/// The accesses of an execution that is as the plan has it; false if it is not.
bool ItemMaker::place(const GroupPlan &Plan, const DataPlace *Data) {
  std::vector<FlowPlace> &Places = Out.places();
  const size_t First = Places.size();
  ArrayRef<MemItem> Shapes = Out.code().mems(Plan.Sequence);
  Places.resize(First + Shapes.size());
  FlowPlace *To = Places.data() + First;
  for (const PlannedAccess &A : Plan.Accesses) {
    if (LLVM_LIKELY(A.IsSimple)) {
      const uint64_t Real =
          ppc::inPage(accessAt(*Data), A.Kind.Size) ? Data->RA : NoAddress;
      if (LLVM_UNLIKELY((Real != NoAddress) != A.HasReal)) {
        Places.resize(First);
        return false;
      }
      *To = {Data->EA, Real};
    } else {
      Accesses.clear();
      ppc::Access Both[2] = {accessAt(Data[0])};
      if (A.NumData == 2)
        Both[1] = accessAt(Data[1]);
      ppc::addAccesses(A.Kind, ArrayRef(Both, A.NumData), Accesses);
      if (!equal(Accesses, Shapes.take_front(A.NumItems),
                 FlowWriter::sameShape)) {
        Places.resize(First);
        return false;
      }
      for (size_t N = 0; N < Accesses.size(); ++N)
        To[N] = {Accesses[N].Addr, Accesses[N].Real};
    }
    To += A.NumItems;
    Data += A.NumData;
    Shapes = Shapes.drop_front(A.NumItems);
  }
  return true;
}

bool ItemMaker::run(const GroupPlan &Plan, const DataPlace *Data) {
  if (!place(Plan, Data))
    return false;
  if (Registers.run(
          Plan.Registers, [Data](unsigned N) { return Data[N].EA; },
          Out.values()))
    return true;
  Out.places().resize(Out.places().size() -
                      Out.code().mems(Plan.Sequence).size());
  return false;
}

ItemMaker::GroupInfo &ItemMaker::infoOf(const BlockGroups::Group &G) {
  if (G.Id >= Infos.size())
    Infos.resize(std::max<size_t>(G.Id + 1, 2 * Infos.size()));
  return Infos[G.Id];
}

/// Whether there is nothing between the two but what the plan of a group can
/// tell.
bool ItemMaker::canJoin(const BlockGroups::Group &G, const CodeBlock &B) const {
  const Instruction &I = *B.Insns, &First = *G.Blocks.front()->Insns;
  constexpr uint16_t Mode = Instruction::P10 | Instruction::MsrKnown;
  if ((First.Flags ^ I.Flags) & Mode || First.Msr != I.Msr ||
      G.Id >= Infos.size())
    return false;
  const Done &End = Infos[G.Id].After;
  return End.Valid && End.Class != InsnClass::SystemCall &&
         !mayEndTransaction(End, I) &&
         (isExpected(End, I) ||
          !ppc::exceptionEntry(End.PC, End.Opcode, End.Class, I.EA));
}

/// Executes the group by one of its plans; false if none fits.
bool ItemMaker::follow(GroupInfo &Info, uint64_t Time, const DataPlace *Data) {
  for (GroupPlan &Plan : Info.Plans) {
    if (!Registers.fits(Plan.Registers) || !run(Plan, Data))
      continue;
    Out.end(Plan.Sequence, Time);
    UnknownAccesses += Plan.UnknownAccesses;
    After = Info.After;
    if (&Plan != &Info.Plans.front())
      std::swap(Plan, Info.Plans.front());
    return true;
  }
  return false;
}

/// Executes the group instruction by instruction, and makes a plan of that.
Error ItemMaker::record(const BlockGroups::Group &G, GroupInfo &Info,
                        const Execution &First, const DataPlace *Data) {
  One.clear();
  GroupPlan New;
  const bool Record = Info.Plans.size() < MaxPlans;
  if (Record)
    Registers.record(New.Registers);
  unsigned At = 0;
  for (const CodeBlock *B : G.Blocks) {
    if (!One.Insns.empty() && !isExpected(After, *B->Insns)) {
      const size_t Before = One.Regs.size();
      jumped(*B->Insns, One.Regs);
      One.Insns.back().NumRegs += uint16_t(One.Regs.size() - Before);
    }
    for (const Instruction &I : B->insns()) {
      Registers.nextAddress(uint8_t(At));
      append(I, First.Time, Data + At, Record ? &New : nullptr);
      At += I.NumData;
    }
  }
  Info.After = After;
  if (Record)
    Registers.stop();
  if (Error E = Out.execute(One, First.Offset))
    return E;
  if (Record && New.Registers.Valid) {
    New.Sequence = Out.latest();
    Info.Plans.push_back(std::move(New));
  }
  return Error::success();
}

/// \p Same: one or more between which nothing happened. \p Data: of the batch.
Error ItemMaker::executions(ArrayRef<Execution> Same, const DataPlace *Data) {
  while (!Same.empty()) {
    if (LLVM_UNLIKELY(std::exchange(NewHandler, false))) {
      Groups.clear();
      Infos.clear();
    }
    const Execution &E = Same.front();
    arrive(*E.Block->Insns, E.ContextKnown, E.Context, E.Time);
    if (Error Err = Out.begin(E.Offset))
      return Err;
    const DataPlace *Own = Data + E.FirstData;
    BlockGroups::Group *G = &Groups.longest(
        Same, [this](const BlockGroups::Group &To, const CodeBlock &B) {
          return canJoin(To, B);
        });
    GroupInfo *Info = &infoOf(*G);
    bool Followed = follow(*Info, E.Time, Own);
    if (!Followed && G->Blocks.size() > 1 && Info->Plans.size() == MaxPlans) {
      G = &Groups.single(*E.Block);
      Info = &infoOf(*G);
      Followed = follow(*Info, E.Time, Own);
    }
    if (!Followed)
      if (Error Err = record(*G, *Info, E, Own))
        return Err;
    countModes(*E.Block->Insns, G->NumInsns);
    if (LLVM_UNLIKELY(Info->PagesNoted != Pages.changes() + 1))
      notePages(*G, *Info);
    Placed += G->NumInsns;
    Same = Same.drop_front(G->Blocks.size());
  }
  return Error::success();
}

/// Notes where the group that is executed now is in real memory. As long as no
/// page comes to be elsewhere, its next execution need not be looked at.
void ItemMaker::notePages(const BlockGroups::Group &G, GroupInfo &Info) {
  if (!Pages.isWanted()) {
    Info.PagesNoted = Pages.changes() + 1;
    return;
  }
  SmallDenseMap<uint64_t, uint64_t, 4> Seen;
  bool Same = true; // each page is at one place in all of it
  Moment When = Placed;
  for (const CodeBlock *B : G.Blocks)
    for (const Instruction &I : B->insns()) {
      Pages.instruction(When++, I.EA, I.RA);
      const uint64_t Real = I.RA == NoAddress ? NoAddress : I.RA >> 12;
      Same &= Seen.try_emplace(I.EA >> 12, Real).first->second == Real;
    }
  Info.PagesNoted = Same ? Pages.changes() + 1 : 0;
}

void ItemMaker::countModes(const Instruction &I, unsigned NumInsns) {
  if (!I.has(Instruction::MsrKnown) || !I.has(Instruction::P10))
    return;
  SeenMsr = true;
  MsrInsns += NumInsns;
  LittleInsns += I.Msr & MsrLE ? NumInsns : 0;
}

/// What the instruction was executed under. It is state before it, so a
/// change is an effect of the one before.
void ItemMaker::state(const Instruction &I, bool ContextKnown,
                      uint32_t NewContext) {
  bool Changed = false;
  if (I.has(Instruction::MsrKnown)) {
    uint16_t Tells = I.has(Instruction::P10) ? 0xffff : P8MsrFields;
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
  if (ContextKnown && (!ContextValid || Context != NewContext)) {
    if (!ContextValid || Context >> 20 != NewContext >> 20)
      set(LpidLane, NewContext >> 20, 4);
    if (!ContextValid || (Context ^ NewContext) & 0xfffff)
      set(PidLane, NewContext & 0xfffff, 4);
    Context = NewContext;
    ContextValid = true;
    Changed = true;
  }
  addToLast();
  if (Changed)
    Out.addEvent(EventKind::ModeChange, modeText()).Value =
        uint64_t(Msr) << 32 | Context;
}

void ItemMaker::set(uint16_t Lane, uint64_t Value, unsigned Bytes) {
  RegItem R;
  R.Lane = Lane;
  R.Value = Value;
  R.Written = uint8_t((1u << Bytes) - 1);
  Added.push_back(R);
}

std::string ItemMaker::modeText() const {
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

} // namespace rw::htm
