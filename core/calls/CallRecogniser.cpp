//===- CallRecogniser.cpp - Finds calls in a stream -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most instructions cost a few compares: everything else happens at transfers
// of control only (CallRules).
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallRecogniser.h"
#include "core/calls/CallRules.h"
#include "core/calls/CallSectionWriter.h"
#include "core/model/CodeSequence.h"
#include "core/support/Coding.h"
#include <utility>

namespace rw {

using namespace callsection;

namespace {

/// What matters of a sequence of a CodeTable: where control does not go on with
/// the next instruction, its end, and where sp changes.
struct SequenceInfo {
  /// Control leaves an instruction of this class.
  struct Exit {
    uint64_t PC = 0;   ///< where control came from the exit before
    uint32_t Next = 0; ///< instructions up to it
    uint64_t ExpectedPC = 0;
    InsnClass Class = InsnClass::Unknown;
    bool Setjmp = false;      ///< PC is where such a function begins
    bool Pad = false;         ///< PC is a landing pad
    bool JumpedTo = false;    ///< PC is in JumpTargets
    uint32_t Id = ~0u;        ///< of PC
    uint32_t ReturnId = ~0u;  ///< of ExpectedPC, if it calls
    uint32_t EntrySlot = ~0u; ///< of calls of PC
  };
  /// A register effect on sp, seen from instruction \p From on.
  struct Change {
    uint32_t From = 0;
    uint8_t Written = 0, Unknown = 0;
    uint32_t Value = 0; ///< which of the execution's values, if it tells one
  };
  bool Known = false;
  bool Simple = false; ///< no register but sp decides about its calls
  ISA Isa = ISA::Unknown;
  llvm::SmallVector<Exit, 1> Exits; ///< the last one is its end
  std::vector<Change> Changes;      ///< but for those of the last instruction
};

} // namespace

struct CallRecogniser::Impl : CallRules {
  explicit Impl(const Options &Opts) : CallRules(Opts.MaxBuffered) {}

  std::vector<SequenceInfo> Sequences;
  const CodeTable *Known = nullptr;      ///< its Nonlocal was added
  std::vector<uint32_t> ReturnedEntries; ///< by slot: the entry, or ~0

  /// pop() of a frame that is Certain and has an EntrySlot.
  void popReturned(CallState &T, Position End) {
    const Frame &F = T.Stack.back();
    --T.Returns[F.ReturnId];
    uint32_t &Entry = ReturnedEntries[F.EntrySlot];
    if (Entry == ~0u)
      Entry = entryOf(F.EntryPC, F.Kind, Activation::Returned);
    T.Done.add(F.Start, End, Entry);
    T.Stack.pop_back();
  }

  /// Where one goes is where a tail call can be, like where others go.
  void jumpsToNext(const InsnItem &Insn) {
    if (LLVM_UNLIKELY(isJumpToNext(Insn)))
      JumpTargets.insert(Insn.PC + Insn.Size);
  }
  SequenceInfo &sequence(const CodeTable &Code, uint32_t Id);
  void sequenceWithoutSP(CallState &T, SequenceInfo &S);
  bool jump(CallState &T, SequenceInfo::Exit &To);
};

CallRecogniser::CallRecogniser() : CallRecogniser(Options()) {}
CallRecogniser::CallRecogniser(Options Opts)
    : I(std::make_unique<Impl>(Opts)) {}
CallRecogniser::~CallRecogniser() = default;

void CallRecogniser::add(const NonlocalTargets &Targets) { I->add(Targets); }

void CallRecogniser::instruction(Moment, const InsnItem &Insn,
                                 llvm::ArrayRef<RegItem> Regs,
                                 llvm::ArrayRef<MemItem>,
                                 const uint64_t *LaneValue,
                                 const uint8_t *LaneKnown) {
  CallState &T = I->thread(Insn.Thread);
  const StackLanes &Lanes = lanesOf(Insn.Isa);
  if (T.SinceLR < LRWindow)
    ++T.SinceLR;
  uint64_t LR = 0;
  bool LRKnown = false;
  if (Lanes.SPKnown) {
    T.setSP(spOf(Lanes, LaneValue[Lanes.SP], LaneKnown[Lanes.SP]));
  }
  if (Lanes.LRKnown) {
    LRKnown = (LaneKnown[Lanes.LR] & Lanes.LRKnown) == Lanes.LRKnown;
    LR = LaneValue[Lanes.LR] & Lanes.Mask;
    if (LR != T.LastLR) {
      T.LastLR = LR;
      T.SinceLR = 1; // by the instruction before, whoever reported it
    }
  }

  const bool Elsewhere = T.HaveLast && Insn.PC != T.ExpectedPC;
  T.LaneValue = LaneValue;
  T.LaneKnown = LaneKnown;
  I->arrive(T, Insn.PC, Insn.Isa, LR, LRKnown);
  if (Elsewhere && !I->Setjmps.empty() && I->Setjmps.contains(Insn.PC))
    T.enteredSetjmp();
  T.ranWithSP();

  T.ExpectedPC = Insn.PC + Insn.Size;
  T.LastOpcode = Insn.Opcode;
  T.LastIsa = Insn.Isa;
  T.LastExecuted = Insn.Flags & InsnItem::Executed;
  T.LastOpcodeKnown = Insn.Flags & InsnItem::OpcodeKnown;
  T.LastClass.reset();
  T.CallsNext = callsNext(Insn.Isa, Insn.Opcode);
  I->jumpsToNext(Insn);
  T.HaveLast = true;
  ++T.Next;
  if (Lanes.LRKnown)
    for (const RegItem &R : Regs)
      if (R.Lane == Lanes.LR && R.Thread == Insn.Thread &&
          !(R.Flags & RegItem::NotWritten))
        T.SinceLR = 0;
}

SequenceInfo &CallRecogniser::Impl::sequence(const CodeTable &Code,
                                             uint32_t Id) {
  if (Id >= Sequences.size())
    Sequences.resize(std::max<size_t>(Code.size(), Id + 1));
  SequenceInfo &S = Sequences[Id];
  if (S.Known)
    return S;
  S.Known = true;
  if (std::exchange(Known, &Code) != &Code)
    add(Code.Nonlocal);
  llvm::ArrayRef<InsnItem> Insns = Code.insns(Id);
  S.Isa = Insns.empty() ? ISA::Unknown : Insns.front().Isa;
  S.Simple = S.Isa == ISA::X86_64 || S.Isa == ISA::PPC64;
  const StackLanes &Lanes = lanesOf(S.Isa);
  assert(!S.Simple || !Lanes.LRKnown);
  const RegItem *Reg = Code.regs(Id).data();
  uint32_t Value = 0, Begin = 0;
  for (uint32_t K = 0; K < Insns.size(); ++K) {
    const InsnItem &Insn = Insns[K];
    S.Simple &= Insn.Isa == S.Isa;
    for (unsigned R = 0; R < Insn.NumRegs; ++R, ++Reg) {
      if (Lanes.SPKnown && Reg->Lane == Lanes.SP && K + 1 < Insns.size())
        S.Changes.push_back({K + 1, Reg->Written, Reg->Unknown, Value});
      Value += CodeTable::tellsValue(*Reg);
    }
    uint64_t Expected = Insn.PC + Insn.Size;
    jumpsToNext(Insn);
    if (K + 1 < Insns.size() && Insns[K + 1].PC == Expected)
      continue;
    InsnClass Class = InsnClass::Unknown;
    if (!(Insn.Flags & InsnItem::Executed))
      Class = InsnClass::None;
    else if (Insn.Flags & InsnItem::OpcodeKnown)
      Class = classify(Insn.Isa, Insn.Opcode);
    SequenceInfo::Exit E = {Insns[Begin].PC, K + 1, Expected, Class};
    E.Setjmp = Setjmps.contains(E.PC);
    E.Pad = Pads.contains(E.PC);
    E.Id = idOf(E.PC);
    if (isCall(Class))
      E.ReturnId = idOf(Expected);
    S.Exits.push_back(E);
    Begin = K + 1;
  }
  return S;
}

void CallRecogniser::sequence(Moment When, const FlowItem &Flow,
                              const CodeTable &Code, const FlowEffects &Effects,
                              const uint64_t *LaneValue,
                              const uint8_t *LaneKnown) {
  SequenceInfo &S = I->sequence(Code, Flow.Sequence);
  if (!S.Simple)
    return StreamObserver::sequence(When, Flow, Code, Effects, LaneValue,
                                    LaneKnown);
  CallState &T = I->thread(Flow.Thread);
  const StackLanes &Lanes = lanesOf(S.Isa);
  if (!Lanes.SPKnown)
    return I->sequenceWithoutSP(T, S);
  uint64_t SP = LaneValue[Lanes.SP];
  uint8_t SPKnown = LaneKnown[Lanes.SP];
  T.setSP(spOf(Lanes, SP, SPKnown));
  T.CallsNext = false;
  const Position Start = T.Next;
  uint32_t At = 0;
  const SequenceInfo::Change *Change = S.Changes.data();
  const SequenceInfo::Change *const End = Change + S.Changes.size();
  auto changesAt = [&](uint32_t Insn) {
    if (Change == End || Change->From != Insn)
      return;
    for (; Change != End && Change->From == Insn; ++Change) {
      uint64_t Mask = expandMask(Change->Written & ~Change->Unknown);
      SP &= ~expandMask(Change->Written);
      if (Mask)
        SP |= Effects.Values[Change->Value] & Mask;
      SPKnown = uint8_t((SPKnown | Change->Written) & ~Change->Unknown);
    }
    T.setSP(spOf(Lanes, SP, SPKnown));
  };
  for (const SequenceInfo::Exit &E : S.Exits) {
    changesAt(At);
    I->arrive(T, E.PC, S.Isa, 0, false);
    T.ranWithSP();
    while (Change != End && Change->From < E.Next) {
      changesAt(Change->From);
      T.ranWithSP();
    }
    T.LastIsa = S.Isa;
    T.ExpectedPC = E.ExpectedPC;
    T.LastClass = E.Class;
    T.HaveLast = true;
    At = E.Next;
    T.Next = Start + At;
  }
}

/// A transfer of control whose place in the calls is seen at once, which most
/// are where sp is not known. False: it is one for transfer().
bool CallRecogniser::Impl::jump(CallState &T, SequenceInfo::Exit &To) {
  switch (*T.LastClass) {
  case InsnClass::CondBranch: // neither calls nor returns
    return true;
  case InsnClass::Branch:
    return To.JumpedTo;
  case InsnClass::IndirectBranch:
    return To.JumpedTo && !To.Pad && !isAwaited(T, To.Id) && T.Setjmps.empty();
  case InsnClass::Call:
  case InsnClass::IndirectCall:
    if (To.EntrySlot == ~0u) {
      To.EntrySlot = uint32_t(ReturnedEntries.size());
      ReturnedEntries.push_back(~0u);
    }
    push(T, {T.Next, T.ExpectedPC, NoSP, To.PC, ActivationKind::Function, true,
             false, T.LastReturn, To.EntrySlot});
    return true;
  case InsnClass::Return:
    if (T.Stack.empty() || T.Stack.back().Return != To.PC ||
        T.Stack.back().EntrySlot == ~0u || T.Stack.back().Setjmp)
      return false;
    popReturned(T, T.Next);
    return true;
  default:
    return false;
  }
}

void CallRecogniser::Impl::sequenceWithoutSP(CallState &T, SequenceInfo &S) {
  const Position Start = T.Next;
  for (SequenceInfo::Exit &E : S.Exits) {
    if (T.Disturbed || !T.LastClass) {
      T.Disturbed = false;
      arrive(T, E.PC, S.Isa, 0, false);
    } else if (E.PC != T.ExpectedPC && !jump(T, E)) {
      transfer(T, E.PC, S.Isa, 0, false);
      E.JumpedTo = E.JumpedTo || JumpTargets.contains(E.PC);
    }
    if (E.Setjmp)
      T.enteredSetjmp();
    T.ExpectedPC = E.ExpectedPC;
    T.LastClass = E.Class;
    T.LastReturn = E.ReturnId;
    T.Next = Start + E.Next;
  }
  T.LastIsa = S.Isa;
  T.HaveLast = true;
  T.CallsNext = false;
}

void CallRecogniser::event(Moment, const EventItem &Event) {
  CallState &T = I->thread(Event.Thread);
  T.Disturbed = true;
  switch (Event.Kind) {
  case EventKind::Pause:
    // Intel PT pauses while something runs that is not traced: whether code is
    // missing, the next pc tells. Elsewhere nobody knows.
    if (T.HaveLast && T.LastIsa == ISA::X86_64) {
      T.PausedAt = Event.PC;
      if (Event.PC == ~uint64_t(0) && Event.Value) // interrupted anywhere
        T.PausedAt.reset();
      break;
    }
    [[fallthrough]];
  case EventKind::Error:
    if (Event.Value) // nothing is missing here
      break;
    [[fallthrough]];
  case EventKind::Gap:
    if (T.HaveLast)
      T.GapBefore = true;
    T.Exception.reset();
    break;
  case EventKind::Exception:
    T.Exception = PendingException{Event.PC};
    break;
  case EventKind::Mark:
  case EventKind::CpuChange:
  case EventKind::ModeChange:
  case EventKind::ClockTick:
  case EventKind::SyncPoint:
    break;
  }
}

llvm::Error CallRecogniser::finish(const TraceHeader &, SectionWriter &Out) {
  std::vector<ActivationSorter *> ByThread;
  for (auto &State : I->Threads) {
    ByThread.push_back(nullptr);
    if (!State || State->Next == 0)
      continue;
    CallState &T = *State;
    I->unwindAll(T, T.Next, Activation::Truncated);
    if (T.Base != 0)
      I->emit(T, T.Base, T.Next, T.BasePC, ActivationKind::Function,
              Activation::BeforeTrace | Activation::Truncated);
    I->emit(T, 0, T.Next, T.Base ? T.RootPC : T.BasePC, ActivationKind::Root,
            Activation::BeforeTrace | Activation::Truncated);
    ByThread.back() = &T.Done;
  }
  std::vector<uint64_t> Targets(I->JumpTargets.begin(), I->JumpTargets.end());
  llvm::sort(Targets);
  return writeCalls(Out, ByThread, I->Entries, Targets);
}

} // namespace rw
