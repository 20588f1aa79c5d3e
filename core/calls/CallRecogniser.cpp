//===- CallRecogniser.cpp - Finds calls in a stream -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a thread is a stack of frames. While stack pointers are known
// they never rise towards the top of the stack within one domain (the frames
// above an exception are a domain of their own, since a handler may have
// another stack), so whatever a transfer of control can match is at its end.
//
// Most instructions cost a few compares: everything else happens at transfers
// of control only.
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallRecogniser.h"
#include "core/arch/CodeAddress.h"
#include "core/arch/RegisterFile.h"
#include "core/calls/ActivationSorter.h"
#include "core/calls/CallIndex.h"
#include "core/calls/CallSection.h"
#include "core/calls/PeerRule.h"
#include "core/model/CodeSequence.h"
#include "core/store/Coding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <utility>

namespace rw {

using namespace callsection;

namespace {

constexpr uint64_t NoSP = ~uint64_t(0);

/// The lr window of the Tarmac Trace Utilities: instructions, bytes.
constexpr unsigned LRWindow = 8;
constexpr uint64_t LRDistance = 64;

/// LLVM's hash maps keep the two highest keys for themselves.
constexpr uint64_t ReservedKeys = ~uint64_t(1);
/// No code is at the last addresses.
constexpr uint64_t keyOf(uint64_t PC) { return std::min(PC, ReservedKeys - 1); }

constexpr size_t MaxFrames = 1 << 20;
constexpr unsigned MaxOutermost = 4096;

struct Frame {
  Position Start;
  uint64_t Return; ///< without Thumb bit
  uint64_t SP;     ///< in the caller; NoSP if not known
  uint64_t EntryPC;
  ActivationKind Kind;
  bool Certain;             ///< the encoding says call
  bool Setjmp = false;      ///< what is called may return again
  uint32_t ReturnId = ~0u;  ///< of Return, if it has one already
  uint32_t EntrySlot = ~0u; ///< where its entry is remembered
  /// An interrupt came before the first instruction at the target of a transfer
  /// of control: its class, and what is behind it. None: of no transfer.
  InsnClass Interrupted = InsnClass::None;
  uint64_t InterruptedNext = 0;
};

/// Whether it is a transfer that an interrupt after it can hide.
inline bool isHidden(InsnClass Class) {
  switch (Class) {
  case InsnClass::Branch:
  case InsnClass::IndirectBranch:
  case InsnClass::Call:
  case InsnClass::IndirectCall:
  case InsnClass::Return:
  case InsnClass::ExceptionReturn:
    return true;
  default:
    return false;
  }
}

/// Which lanes hold sp and lr in an instruction set, and how much of them
/// counts. Size 0: there is none, or its value decides nothing.
struct StackLanes {
  uint16_t SP = 0, LR = 0;
  uint8_t SPKnown = 0, LRKnown = 0; ///< mask of bytes that must be known
  uint64_t Mask = ~uint64_t(0);
};

inline const StackLanes &lanesOf(ISA Isa) {
  static constexpr StackLanes None{};
  static constexpr StackLanes A64{arm::SP, arm::X30, 0xff, 0xff, ~uint64_t(0)};
  static constexpr StackLanes A32{arm::R13, arm::R14, 0x0f, 0x0f, 0xffffffff};
  static constexpr StackLanes PPC{ppc::R0 + 1, ppc::LR, 0xff, 0, ~uint64_t(0)};
  switch (Isa) {
  case ISA::A64:
    return A64;
  case ISA::A32:
  case ISA::T32:
    return A32;
  case ISA::PPC64:
    return PPC;
  // A call on x86 pushes: sp differs between call and return; the return
  // address decides.
  case ISA::X86_64:
  case ISA::Unknown:
    return None;
  }
  return None;
}

/// An activation was resumed by a return.
struct Resumption {
  size_t Depth = 0;   ///< frames below it and itself
  Position Start = 0; ///< its own
  uint64_t SP = 0;    ///< then
};

/// The same by setjmp, where sp is not known.
struct SetjmpReturn {
  uint64_t PC = 0;
  size_t Depth = 0;
  Position Start = 0;
};

/// sp from its lane, NoSP if not known.
inline uint64_t spOf(const StackLanes &Lanes, uint64_t Value, uint8_t Known) {
  return (Known & Lanes.SPKnown) == Lanes.SPKnown ? Value & Lanes.Mask : NoSP;
}

struct PendingException {
  uint64_t PC = 0; ///< where it will return to; ~0 if not told
};

struct ThreadState {
  explicit ThreadState(size_t MaxBuffered) : Done(MaxBuffered) {}

  // Of the instruction before.
  uint64_t ExpectedPC = 0;
  uint64_t LastOpcode = 0;
  ISA LastIsa = ISA::Unknown;
  bool LastExecuted = false, LastOpcodeKnown = false;
  std::optional<InsnClass> LastClass; ///< if it is known already
  bool HaveLast = false;
  bool CallsNext = false; ///< it calls the very next instruction

  unsigned SinceLR = LRWindow;
  uint64_t LastLR = 0;
  uint64_t SP = NoSP;
  uint64_t MaxSP = 0; ///< highest since the last transfer; 0 if not known
  uint64_t HighestSP = 0;
  uint64_t LeavingSP = 0; ///< MaxSP before conditional branches; 0 if not known

  Position Next = 0;
  Position Base = 0; ///< where the trace, or what is after a gap, begins
  uint64_t BasePC = 0;
  uint64_t RootPC = 0;    ///< BasePC of the beginning, once there was a gap
  unsigned Outermost = 0; ///< returns to what was called before Base
  std::vector<Frame> Stack;
  std::vector<unsigned> Returns;                ///< by ReturnId: frames with it
  llvm::DenseMap<uint64_t, Resumption> Resumed; ///< pc: the last one there
  std::vector<SetjmpReturn> Setjmps;            ///< by depth
  PeerRule Peer;
  std::optional<PendingException> Exception;
  std::optional<uint64_t> PausedAt; ///< before the next one; ~0: not told where
  bool GapBefore = false;
  bool Disturbed = true;     ///< more than code decides what comes next
  uint32_t LastReturn = ~0u; ///< id of ExpectedPC after a call

  ActivationSorter Done;

  /// Before an instruction, and after control arrived at it.
  void setSP(uint64_t New) {
    if (New == SP)
      return;
    SP = New;
    if (SP != NoSP && SP > MaxSP)
      MaxSP = SP;
  }
  void enteredSetjmp() {
    if (!Stack.empty())
      Stack.back().Setjmp = true;
  }
  void ranWithSP() {
    if (SP != NoSP && SP > HighestSP)
      HighestSP = SP;
  }
};

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

struct CallRecogniser::Impl {
  Options Opts;
  std::vector<std::unique_ptr<ThreadState>> Threads;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> EntryIds;
  std::vector<EntryRecord> Entries;
  llvm::DenseSet<uint64_t> JumpTargets;
  std::array<uint64_t, 256> RecentJumps;
  std::vector<SequenceInfo> Sequences;
  llvm::DenseMap<uint64_t, llvm::SmallVector<LandingPad, 1>> Pads; ///< by PC
  llvm::DenseSet<uint64_t> Setjmps;
  const CodeTable *Known = nullptr;       ///< its Nonlocal was added
  llvm::DenseMap<uint64_t, uint32_t> Ids; ///< of addresses
  std::vector<uint32_t> ReturnedEntries;  ///< by slot: the entry, or ~0

  explicit Impl(Options O) : Opts(std::move(O)) { RecentJumps.fill(~0ULL); }

  ThreadState &thread(unsigned T) {
    if (T < Threads.size() && Threads[T])
      return *Threads[T];
    return newThread(T);
  }
  LLVM_ATTRIBUTE_NOINLINE ThreadState &newThread(unsigned T) {
    if (T >= Threads.size())
      Threads.resize(T + 1);
    Threads[T] = std::make_unique<ThreadState>(Opts.MaxBuffered);
    return *Threads[T];
  }

  InsnClass lastClass(const ThreadState &T) {
    if (T.LastClass)
      return *T.LastClass;
    if (!T.LastExecuted)
      return InsnClass::None;
    return T.LastOpcodeKnown ? classify(T.LastIsa, T.LastOpcode)
                             : InsnClass::Unknown;
  }

  uint32_t entryOf(uint64_t EntryPC, ActivationKind Kind, unsigned Flags) {
    auto [It, New] = EntryIds.try_emplace(
        {EntryPC, unsigned(Kind) | Flags << 8}, uint32_t(Entries.size()));
    if (New) {
      EntryRecord R;
      R.PC = EntryPC;
      R.KindFlags = unsigned(Kind) | Flags << 8;
      R.Reserved = 0;
      Entries.push_back(R);
    }
    return It->second;
  }

  void emit(ThreadState &T, Position Start, Position End, uint64_t EntryPC,
            ActivationKind Kind, unsigned Flags) {
    T.Done.add(Start, End, entryOf(EntryPC, Kind, Flags));
  }

  uint32_t idOf(uint64_t PC) {
    return Ids.try_emplace(keyOf(PC), uint32_t(Ids.size())).first->second;
  }

  /// Whether a frame may return to \p PC.
  bool isAwaited(const ThreadState &T, uint64_t PC) const {
    auto It = Ids.find(keyOf(PC));
    return It != Ids.end() && isAwaited(T, It->second);
  }
  static bool isAwaited(const ThreadState &T, uint32_t Id) {
    return Id < T.Returns.size() && T.Returns[Id];
  }

  void push(ThreadState &T, Frame F) {
    if (T.Stack.size() == MaxFrames)
      unwindAll(T, T.Next, Activation::EndedByGap);
    if (F.ReturnId == ~0u)
      F.ReturnId = idOf(F.Return);
    T.Stack.push_back(F);
    if (F.ReturnId >= T.Returns.size())
      T.Returns.resize(Ids.size());
    ++T.Returns[F.ReturnId];
  }

  /// Ends the innermost frame at \p End. A potential call that nothing
  /// confirmed was none.
  void pop(ThreadState &T, Position End, unsigned Flags) {
    const Frame &F = T.Stack.back();
    --T.Returns[F.ReturnId];
    if (F.Certain || (Flags & Activation::Returned))
      emit(T, F.Start, End, F.EntryPC, F.Kind,
           Flags | (F.Certain ? 0 : Activation::Heuristic));
    T.Stack.pop_back();
  }

  /// The same of one that is Certain and has an EntrySlot.
  void popReturned(ThreadState &T, Position End) {
    const Frame &F = T.Stack.back();
    --T.Returns[F.ReturnId];
    uint32_t &Entry = ReturnedEntries[F.EntrySlot];
    if (Entry == ~0u)
      Entry = entryOf(F.EntryPC, F.Kind, Activation::Returned);
    T.Done.add(F.Start, End, Entry);
    T.Stack.pop_back();
  }

  void unwindAll(ThreadState &T, Position End, unsigned Flags) {
    while (!T.Stack.empty())
      pop(T, End, Flags);
  }

  /// Index of the frame that a transfer to \p PC returns from, or npos.
  static constexpr size_t npos = ~size_t(0), Outside = npos - 1;
  size_t findReturn(const ThreadState &T, uint64_t PC, InsnClass Class) {
    const bool MayReturn = Class == InsnClass::Return ||
                           Class == InsnClass::IndirectBranch ||
                           Class == InsnClass::Unknown;
    // A plain return from a handler, as M-profile has it. A signal handler of
    // x86 returns to code that makes a system call.
    if (Class == InsnClass::Return && T.LastIsa != ISA::X86_64 &&
        !T.Stack.empty() && T.Stack.back().Kind == ActivationKind::Exception)
      return T.Stack.size() - 1;
    if ((!MayReturn && T.SP == NoSP) || !isAwaited(T, PC))
      return npos;
    bool OtherDomain = false;
    for (size_t I = T.Stack.size(); I-- > 0;) {
      const Frame &F = T.Stack[I];
      OtherDomain |= F.Kind == ActivationKind::Exception;
      // Without sp the address must do, if the instruction can be a return.
      if (F.SP == NoSP || T.SP == NoSP) {
        if (MayReturn && F.Return == PC)
          return I;
        continue;
      }
      if (F.SP == T.SP && F.Return == PC)
        return I;
      if (F.SP > T.SP && !OtherDomain)
        break;
    }
    return npos;
  }

  /// Start of the activation that the innermost of \p Depth frames is.
  static Position startOf(const ThreadState &T, size_t Depth) {
    return Depth ? T.Stack[Depth - 1].Start : T.Base;
  }

  /// Frames that are left if a jump to \p PC goes to where one of them was
  /// resumed before, with sp as it was then: longjmp, from functions that left
  /// sp alone. npos if not.
  size_t findResumed(const ThreadState &T, uint64_t PC) {
    if (T.SP == NoSP)
      return findSetjmp(T, PC);
    auto It = T.Resumed.find(keyOf(PC));
    if (It == T.Resumed.end())
      return npos;
    const Resumption &R = It->second;
    if (R.SP != T.SP || R.Depth > T.Stack.size() ||
        R.Start != startOf(T, R.Depth))
      return npos;
    for (size_t I = R.Depth; I < T.Stack.size(); ++I)
      if (T.Stack[I].Kind == ActivationKind::Exception)
        return npos;
    return R.Depth;
  }

  /// Frames that stay if a jump to \p PC is the end of throwing an exception of
  /// the language; npos if it is not, Outside if it goes to a function that was
  /// called before the trace began. Which activation handles it, the unwinder
  /// decides by the table of call sites, innermost first, and so do we.
  size_t findLanding(const ThreadState &T, uint64_t PC, InsnClass Class) {
    if (T.SP != NoSP ||
        (Class != InsnClass::IndirectBranch && Class != InsnClass::Return))
      return npos;
    if (Class == InsnClass::Return && !T.Stack.empty() &&
        T.Stack.back().Return == PC)
      return npos;
    auto It = Pads.find(PC);
    if (It == Pads.end())
      return npos;
    for (size_t I = T.Stack.size(); I-- > 0;) {
      const Frame &F = T.Stack[I];
      // Of a call, the table lists the instruction; of a signal, the next one.
      uint64_t Site =
          F.Kind == ActivationKind::Exception ? F.Return : F.Return - 1;
      for (const LandingPad &P : It->second)
        if (P.CallBegin <= Site && Site < P.CallEnd)
          return I;
    }
    return Outside;
  }

  /// What was called before the trace began ends, and control is in \p PC's
  /// function, which called it.
  void leaveOutermost(ThreadState &T, uint64_t PC, unsigned Flags) {
    if (T.Outermost == MaxOutermost)
      return;
    ++T.Outermost;
    emit(T, T.Base, T.Next, T.BasePC, ActivationKind::Function,
         Activation::BeforeTrace | Flags);
    T.BasePC = PC;
  }

  /// The same for a jump to where setjmp has returned before.
  static size_t findSetjmp(const ThreadState &T, uint64_t PC) {
    for (size_t I = T.Setjmps.size(); I-- > 0;)
      if (const SetjmpReturn &S = T.Setjmps[I];
          S.PC == PC && isRunning(T, S.Depth, S.Start))
        return S.Depth;
    return npos;
  }
  static bool isRunning(const ThreadState &T, size_t Depth, Position Start) {
    return Depth <= T.Stack.size() && startOf(T, Depth) == Start;
  }

  void returnedFromSetjmp(ThreadState &T, uint64_t PC) {
    while (!T.Setjmps.empty() &&
           !isRunning(T, T.Setjmps.back().Depth, T.Setjmps.back().Start))
      T.Setjmps.pop_back();
    const SetjmpReturn New = {PC, T.Stack.size(), startOf(T, T.Stack.size())};
    for (size_t I = T.Setjmps.size();
         I-- > 0 && T.Setjmps[I].Start == New.Start;)
      if (T.Setjmps[I].PC == PC)
        return;
    T.Setjmps.push_back(New);
  }

  void add(const NonlocalTargets &Targets);
  SequenceInfo &sequence(const CodeTable &Code, uint32_t Id);
  void sequenceWithoutSP(ThreadState &T, SequenceInfo &S);
  bool jump(ThreadState &T, SequenceInfo::Exit &To);
  void arrive(ThreadState &T, uint64_t PC, ISA Isa, uint64_t LR, bool LRKnown);
  bool staysInActivation(ThreadState &T, uint64_t PC);
  void transfer(ThreadState &T, uint64_t PC, ISA Isa, uint64_t LR,
                bool LRKnown);
  void gap(ThreadState &T, uint64_t PC);
};

void CallRecogniser::Impl::gap(ThreadState &T, uint64_t PC) {
  unwindAll(T, T.Next, Activation::EndedByGap);
  // What ran between the last gap and this one, whatever it was called.
  if (T.Base != 0)
    emit(T, T.Base, T.Next, T.BasePC, ActivationKind::Function,
         Activation::BeforeTrace | Activation::EndedByGap);
  else
    T.RootPC = T.BasePC;
  T.Peer = PeerRule();
  T.Base = T.Next;
  T.BasePC = PC;
  T.HaveLast = false;
  T.SinceLR = LRWindow;
  T.HighestSP = T.MaxSP = T.LeavingSP = 0;
  T.GapBefore = false;
  T.Outermost = 0;
}

void CallRecogniser::Impl::transfer(ThreadState &T, uint64_t PC, ISA Isa,
                                    uint64_t LR, bool LRKnown) {
  const Position Here = T.Next;
  bool Sequential = PC == T.ExpectedPC;
  const uint64_t NaturalLR = T.ExpectedPC | (T.LastIsa == ISA::T32 ? 1 : 0);
  const bool PotentialCall =
      !Sequential && LRKnown && T.SinceLR < LRWindow &&
      (LR > NaturalLR ? LR - NaturalLR : NaturalLR - LR) < LRDistance;

  // The peer's rule, which knows nothing of encodings and exceptions.
  std::optional<PeerRule::Pending> PeerReturn;
  if (!Sequential) {
    uint64_t PeerPC = PC | (Isa == ISA::T32 ? 1 : 0);
    if (T.MaxSP)
      T.Peer.raiseSP(T.MaxSP);
    PeerReturn = T.Peer.matchReturn(T.SP, PeerPC);
    if (!PeerReturn && PotentialCall)
      T.Peer.addCall({T.SP, LR, Here, PC});
  }
  auto PeerFlag = [&](Position Start) -> unsigned {
    if (!PeerReturn || PeerReturn->Start != Start)
      return 0;
    PeerReturn.reset();
    return Activation::Peer;
  };

  InsnClass Class = lastClass(T);
  size_t Match = npos;
  // A trace that leaves the handler out just goes on.
  if (T.Exception && T.Exception->PC == PC && !Sequential && isHidden(Class))
    T.Exception.reset();
  // Where a handler returns to, the transfer that it interrupted goes.
  bool Resumed = false;
  while (Class == InsnClass::ExceptionReturn && !Resumed && !T.Exception) {
    for (size_t I = T.Stack.size(); I-- > 0 && Match == npos;)
      if (T.Stack[I].Kind == ActivationKind::Exception)
        Match = I;
    if (Match == npos)
      break;
    while (T.Stack.size() > Match + 1)
      pop(T, Here, 0);
    const Frame Handler = T.Stack[Match];
    pop(T, Here, Activation::Returned | PeerFlag(Handler.Start));
    Match = npos;
    Class = Handler.Interrupted;
    Sequential = PC == Handler.InterruptedNext;
    Resumed = Class == InsnClass::None || Sequential;
    if (!Resumed)
      T.ExpectedPC = Handler.InterruptedNext;
  }
  if (T.Exception) {
    if (!Sequential && T.Exception->PC != PC) {
      Frame Handler = {Here,
                       T.Exception->PC == ~uint64_t(0) ? T.ExpectedPC
                                                       : T.Exception->PC,
                       NoSP,
                       PC,
                       ActivationKind::Exception,
                       true};
      if (isHidden(Class)) {
        Handler.Interrupted = Class;
        Handler.InterruptedNext = T.ExpectedPC;
      }
      push(T, Handler);
    }
    T.Exception.reset();
  } else if (Resumed || Class == InsnClass::ExceptionReturn) {
    // All is done.
  } else if (Class == InsnClass::SystemCall && !Sequential &&
             T.LastIsa == ISA::X86_64) {
    // The end of a signal handler, which goes on where the signal came; two
    // bytes before that if it was a system call that begins again. Else the
    // beginning of one, or of the kernel.
    for (size_t I = T.Stack.size(); I-- > 0 && Match == npos;)
      if (T.Stack[I].Kind == ActivationKind::Exception &&
          (T.Stack[I].Return == PC || T.Stack[I].Return - 2 == PC))
        Match = I;
    if (Match == npos) {
      push(T, {Here, T.ExpectedPC, NoSP, PC, ActivationKind::Exception, true});
    } else {
      while (T.Stack.size() > Match + 1)
        pop(T, Here, 0);
      pop(T, Here, Activation::Returned);
    }
  } else if (size_t Left = Sequential ? npos : findLanding(T, PC, Class);
             Left != npos) {
    while (T.Stack.size() > (Left == Outside ? 0 : Left))
      pop(T, Here, 0);
    if (Left == Outside)
      leaveOutermost(T, PC, 0);
  } else {
    if (!Sequential)
      Match = findReturn(T, PC, Class);
    // Left without a return: sp has been above that of their callers. If
    // it is now that of the next one's caller and this is how longjmp ends,
    // control is with that caller.
    size_t Keep = Match == npos ? 0 : Match + 1, Before = T.Stack.size();
    T.LeavingSP = std::max(T.LeavingSP, T.MaxSP);
    // But longjmp may set sp and branch before it goes there.
    while (Class != InsnClass::CondBranch && T.Stack.size() > Keep &&
           T.LeavingSP && T.Stack.back().SP != NoSP &&
           T.Stack.back().SP < T.LeavingSP)
      pop(T, Here, 0);
    if (Class != InsnClass::CondBranch)
      T.LeavingSP = 0;
    if (Match == npos &&
        (Class == InsnClass::Return || Class == InsnClass::IndirectBranch)) {
      if (size_t Depth = findResumed(T, PC); Depth != npos)
        while (T.Stack.size() > Depth)
          pop(T, Here, 0);
      else if (T.Stack.size() < Before && !T.Stack.empty() && T.SP != NoSP &&
               T.Stack.back().SP == T.SP)
        pop(T, Here, 0);
    }
    if (Match != npos) {
      while (T.Stack.size() > Match + 1)
        pop(T, Here, 0);
      const bool Setjmp = T.Stack[Match].Setjmp;
      pop(T, Here, Activation::Returned | PeerFlag(T.Stack[Match].Start));
      if (Setjmp)
        returnedFromSetjmp(T, PC);
      if (T.SP != NoSP)
        T.Resumed[keyOf(PC)] = {T.Stack.size(), startOf(T, T.Stack.size()),
                                T.SP};
    } else if (isCall(Class) || PotentialCall) {
      bool Certain = isCall(Class);
      uint64_t Return = Certain ? T.ExpectedPC : codeAddress(Isa, LR);
      // The same call from the same frame again: the first one never
      // returned (longjmp, an exception of the language). But a jump soon
      // after lr was restored to what it already is is a tail call.
      size_t Same = npos;
      if (T.SP != NoSP)
        for (size_t I = T.Stack.size(); I-- > 0 && T.Stack[I].SP == T.SP;)
          if (T.Stack[I].Return == Return)
            Same = I;
      if (Certain)
        while (Same < T.Stack.size())
          pop(T, Here, 0);
      if (Certain || Same == npos)
        push(T, {Here, Return, T.SP, PC, ActivationKind::Function, Certain});
    } else if (Class == InsnClass::Return && T.Stack.empty() && !Before &&
               (T.SP == NoSP || T.SP >= T.HighestSP)) {
      leaveOutermost(T, PC, Activation::Returned);
    }
    if (Match == npos && !isCall(Class) && Class != InsnClass::CondBranch &&
        Class != InsnClass::None) {
      uint64_t &Recent = RecentJumps[(PC >> 1) % RecentJumps.size()];
      if (Recent != PC && PC < ReservedKeys) {
        Recent = PC;
        JumpTargets.insert(PC);
      }
    }
  }
  if (PeerReturn)
    emit(T, PeerReturn->Start, Here, PeerReturn->EntryPC,
         ActivationKind::Function, FlagPeerOnly >> 8);
  if (!Sequential)
    T.SinceLR = LRWindow;
  T.MaxSP = T.SP == NoSP ? 0 : T.SP;
}

/// Whether transfer() would do nothing, which is quick to see of most
/// conditional branches where no link register is known: they go nowhere that
/// a call returns to, and sp ends no activation.
bool CallRecogniser::Impl::staysInActivation(ThreadState &T, uint64_t PC) {
  if (T.LastClass != InsnClass::CondBranch || T.Exception || T.CallsNext ||
      !T.Peer.empty())
    return false;
  if (T.SP == NoSP && !T.MaxSP)
    return true;
  if (!T.Stack.empty() && T.MaxSP && T.Stack.back().SP != NoSP &&
      T.Stack.back().SP < T.MaxSP)
    return false;
  if (T.SP != NoSP && isAwaited(T, PC))
    return false;
  T.SinceLR = LRWindow;
  T.MaxSP = T.SP == NoSP ? 0 : T.SP;
  return true;
}

/// Control is at an instruction.
void CallRecogniser::Impl::arrive(ThreadState &T, uint64_t PC, ISA Isa,
                                  uint64_t LR, bool LRKnown) {
  if (T.PausedAt) {
    T.GapBefore |= PC != *T.PausedAt && PC != T.ExpectedPC && !T.Exception &&
                   lastClass(T) != InsnClass::SystemCall;
    T.PausedAt.reset();
  }
  if (T.GapBefore)
    gap(T, PC);
  if (!T.HaveLast) {
    if (T.Next == 0)
      T.BasePC = PC;
    T.Exception.reset(); // reset
  } else if (PC != T.ExpectedPC || T.CallsNext || T.Exception) {
    if (LRKnown || !staysInActivation(T, PC))
      transfer(T, PC, Isa, LR, LRKnown);
  }
}

CallRecogniser::CallRecogniser() : CallRecogniser(Options()) {}
CallRecogniser::CallRecogniser(Options Opts)
    : I(std::make_unique<Impl>(std::move(Opts))) {}
CallRecogniser::~CallRecogniser() = default;

void CallRecogniser::add(const NonlocalTargets &Targets) { I->add(Targets); }

void CallRecogniser::Impl::add(const NonlocalTargets &Targets) {
  for (const LandingPad &P : Targets.Pads)
    if (P.PC < ReservedKeys)
      Pads[P.PC].push_back(P);
  for (uint64_t PC : Targets.Setjmps)
    if (PC < ReservedKeys)
      Setjmps.insert(PC);
}

void CallRecogniser::instruction(Moment, const InsnItem &Insn,
                                 llvm::ArrayRef<RegItem> Regs,
                                 llvm::ArrayRef<MemItem>,
                                 const uint64_t *LaneValue,
                                 const uint8_t *LaneKnown) {
  ThreadState &T = I->thread(Insn.Thread);
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
  // "bl .+4" is a call on A64 and A32 (elsewhere it is how code finds out its
  // own address).
  T.CallsNext = (Insn.Isa == ISA::A64 && Insn.Opcode == 0x94000001) ||
                (Insn.Isa == ISA::A32 && Insn.Opcode == 0xebffffff);
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
  ThreadState &T = I->thread(Flow.Thread);
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
bool CallRecogniser::Impl::jump(ThreadState &T, SequenceInfo::Exit &To) {
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

void CallRecogniser::Impl::sequenceWithoutSP(ThreadState &T, SequenceInfo &S) {
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
  ThreadState &T = I->thread(Event.Thread);
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

namespace {

/// Writes the activations of one thread, which come in preorder.
class ThreadWriter {
public:
  ThreadWriter(SectionWriter &Out, uint64_t &Offset,
               const std::vector<EntryRecord> &Entries)
      : Out(Out), Offset(Offset), Entries(Entries) {}

  llvm::Error add(const ActivationSorter::Record &R) {
    if (Entries[R.Entry].KindFlags & FlagPeerOnly) {
      putVarint(PeerOnly, R.Start - LastPeerStart);
      putVarint(PeerOnly, R.End - R.Start);
      putVarint(PeerOnly, R.Entry);
      LastPeerStart = R.Start;
      ++NumPeerOnly;
      return llvm::Error::success();
    }
    while (!Open.empty() && Open.back() <= R.Start)
      Open.pop_back();
    assert((Open.empty() || R.End <= Open.back()) && "activations must nest");
    uint32_t Depth = uint32_t(Open.size());
    Open.push_back(R.End);
    MaxDepth = std::max(MaxDepth, Depth);
    if (Count % BlockSize == 0) {
      if (llvm::Error E = flush())
        return E;
      BlockEntry B;
      B.FirstStart = LastStart = R.Start;
      B.MaxEnd = R.End;
      B.Offset = Offset;
      B.FirstDepth = Depth;
      B.MinDepth = Depth;
      Directory.push_back(B);
      LastDepth = Depth ? Depth - 1 : 0;
    }
    BlockEntry &B = Directory.back();
    B.MaxEnd = std::max<uint64_t>(B.MaxEnd, R.End);
    B.MinDepth = std::min<uint32_t>(B.MinDepth, Depth);
    putVarintAt(To, R.Start - LastStart);
    putVarintAt(To, R.End - R.Start);
    putVarintAt(To, R.Entry);
    putVarintAt(To, LastDepth + 1 - Depth);
    LastStart = R.Start;
    LastDepth = Depth;
    ++Count;
    return llvm::Error::success();
  }

  llvm::Error flush() {
    llvm::ArrayRef<uint8_t> Block(Bytes.get(), To);
    To = Bytes.get();
    Offset += Block.size();
    return Out.write(Block);
  }

  std::vector<BlockEntry> Directory;
  std::vector<uint8_t> PeerOnly;
  uint64_t Count = 0, NumPeerOnly = 0, BlocksEnd = 0;
  uint32_t MaxDepth = 0;

private:
  SectionWriter &Out;
  uint64_t &Offset;
  const std::vector<EntryRecord> &Entries;
  /// Of the block at hand: room for four of the longest numbers each.
  std::unique_ptr<uint8_t[]> Bytes =
      std::make_unique<uint8_t[]>(size_t(BlockSize) * 4 * 10);
  uint8_t *To = Bytes.get();
  std::vector<Position> Open;
  Position LastStart = 0, LastPeerStart = 0;
  uint32_t LastDepth = 0;
};

template <class T>
llvm::Error writeArray(SectionWriter &Out, uint64_t &Offset,
                       const std::vector<T> &Array) {
  llvm::ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Array.data()),
                                Array.size() * sizeof(T));
  Offset += Bytes.size();
  return Out.write(Bytes);
}

} // namespace

llvm::Error CallRecogniser::finish(const TraceHeader &, SectionWriter &Out) {
  if (llvm::Error E = Out.begin("calls"))
    return E;
  uint64_t Offset = 0;
  std::vector<std::unique_ptr<ThreadWriter>> Writers;
  for (auto &State : I->Threads) {
    auto &W = *Writers.emplace_back(
        std::make_unique<ThreadWriter>(Out, Offset, I->Entries));
    if (!State || State->Next == 0)
      continue;
    ThreadState &T = *State;
    I->unwindAll(T, T.Next, Activation::Truncated);
    if (T.Base != 0)
      I->emit(T, T.Base, T.Next, T.BasePC, ActivationKind::Function,
              Activation::BeforeTrace | Activation::Truncated);
    I->emit(T, 0, T.Next, T.Base ? T.RootPC : T.BasePC, ActivationKind::Root,
            Activation::BeforeTrace | Activation::Truncated);
    if (llvm::Error E = T.Done.merge(
            [&](const ActivationSorter::Record &R) { return W.add(R); }))
      return E;
    if (llvm::Error E = W.flush())
      return E;
    W.BlocksEnd = Offset;
  }

  Footer F = {};
  F.NumThreads = Writers.size();
  F.NumEntries = I->Entries.size();
  std::copy(std::begin(Magic), std::end(Magic), F.Magic);
  std::vector<uint8_t> Padding((8 - Offset % 8) % 8);
  if (llvm::Error E = writeArray(Out, Offset, Padding))
    return E;
  F.Entries = Offset;
  if (llvm::Error E = writeArray(Out, Offset, I->Entries))
    return E;
  std::vector<uint64_t> Targets(I->JumpTargets.begin(), I->JumpTargets.end());
  llvm::sort(Targets);
  std::vector<ulittle64_t> TargetsOut(Targets.size());
  for (size_t J = 0; J < Targets.size(); ++J)
    TargetsOut[J] = Targets[J];
  F.NumJumpTargets = Targets.size();
  F.JumpTargets = Offset;
  if (llvm::Error E = writeArray(Out, Offset, TargetsOut))
    return E;
  std::vector<ThreadEntry> Threads(Writers.size());
  for (size_t T = 0; T < Writers.size(); ++T) {
    ThreadWriter &W = *Writers[T];
    ThreadEntry &E = Threads[T];
    E.NumActivations = W.Count;
    E.BlocksEnd = W.BlocksEnd;
    E.PeerOnly = Offset;
    E.NumPeerOnly = W.NumPeerOnly;
    E.MaxDepth = W.MaxDepth;
    E.Reserved = 0;
    if (llvm::Error Err = writeArray(Out, Offset, W.PeerOnly))
      return Err;
  }
  F.PeerOnlyEnd = Offset;
  Padding.assign((8 - Offset % 8) % 8, 0);
  if (llvm::Error E = writeArray(Out, Offset, Padding))
    return E;
  for (size_t T = 0; T < Writers.size(); ++T) {
    Threads[T].Directory = Offset;
    if (llvm::Error E = writeArray(Out, Offset, Writers[T]->Directory))
      return E;
  }
  F.Threads = Offset;
  if (llvm::Error E = writeArray(Out, Offset, Threads))
    return E;
  if (llvm::Error E = Out.write(llvm::ArrayRef<uint8_t>(
          reinterpret_cast<const uint8_t *>(&F), sizeof(F))))
    return E;
  return Out.end();
}

} // namespace rw
