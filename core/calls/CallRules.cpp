//===- CallRules.cpp - What a transfer of control means -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallRules.h"
#include <utility>

namespace rw {

using namespace callsection;

/// Whether it is a transfer that an interrupt after it can hide.
static bool isHidden(InsnClass Class) {
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

LLVM_ATTRIBUTE_NOINLINE CallState &CallRules::newThread(unsigned T) {
  if (T >= Threads.size())
    Threads.resize(T + 1);
  Threads[T] = std::make_unique<CallState>(MaxBuffered);
  return *Threads[T];
}

void CallRules::add(const NonlocalTargets &Targets) {
  for (const LandingPad &P : Targets.Pads)
    Pads[P.PC].push_back(P);
  Setjmps.insert_range(Targets.Setjmps);
}

void CallRules::unwindAll(CallState &T, Position End, unsigned Flags) {
  while (!T.Stack.empty())
    pop(T, End, Flags);
}

size_t CallRules::findReturn(const CallState &T, uint64_t PC, InsnClass Class) {
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

size_t CallRules::findResumed(const CallState &T, uint64_t PC) {
  auto It = T.Resumed.find(PC);
  if (It == T.Resumed.end())
    return npos;
  const Resumption &R = It->second;
  if (R.SP != T.SP || R.Depth > T.Stack.size() ||
      R.Start != startOf(T, R.Depth))
    return npos;
  // It may be a signal handler that longjmp leaves.
  return R.Depth;
}

std::pair<uint64_t, uint64_t> CallRules::functionOf(uint64_t PC) const {
  auto Next = Functions.upper_bound(PC);
  return {Next == Functions.begin() ? 0 : *std::prev(Next),
          Next == Functions.end() ? ~uint64_t(0) : *Next};
}

size_t CallRules::findUnwound(const CallState &T, uint64_t PC, ISA Isa,
                              uint64_t LR, bool LRKnown, size_t Match) {
  // A tail call leaves lr for the return that it does not do itself.
  if (T.Stack.empty() ||
      (LRKnown && codeAddress(Isa, LR) == T.Stack.back().Return))
    return npos;
  const Preserved Kept = preservedOf(lanesOf(Isa), T.LaneValue, T.LaneKnown);
  // A landing pad may be behind the very call that throws.
  if (Match != npos && T.Stack[Match].Kept == Kept)
    return npos;
  // Where the frame pointer agrees with the return, all registers must object.
  const bool IsReturn = Match != npos && !T.Stack[Match].Kept.contradicts(Kept);
  const auto It = T.Resumed.find(PC);
  const bool WasResumed =
      It != T.Resumed.end() && isRunning(T, It->second.Depth, It->second.Start);
  const bool ByRegisters = LRKnown && Kept.knowsFP();
  if (!WasResumed && !ByRegisters)
    return npos;
  const auto [Begin, End] = functionOf(PC);
  const uint64_t From = T.ExpectedPC - 1;
  if (PC == Begin || (Begin <= From && From < End))
    return npos; // a call of a kind, or a jump table
  // Recursions may share a frame pointer, but hardly all of the registers.
  if (WasResumed && It->second.Kept == Kept)
    return It->second.Depth;
  size_t ByFP = npos;
  for (size_t I = ByRegisters ? T.Stack.size() : 0; I-- > 0;) {
    const Frame &F = T.Stack[I];
    const uint64_t Site = F.Return - 1;
    if (Site < Begin || Site >= End)
      continue;
    if (F.Kept == Kept)
      return I;
    if (ByFP == npos && F.Kept.FP == Kept.FP)
      ByFP = I;
  }
  if (IsReturn)
    return npos;
  if (WasResumed && !It->second.Kept.contradicts(Kept) &&
      (ByFP == npos || It->second.Kept.knowsFP()))
    return It->second.Depth;
  return ByFP;
}

size_t CallRules::findLanding(const CallState &T, uint64_t PC,
                              InsnClass Class) {
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
    // The table lists the call instruction itself, but for a signal the next
    // one.
    uint64_t Site =
        F.Kind == ActivationKind::Exception ? F.Return : F.Return - 1;
    for (const LandingPad &P : It->second)
      if (P.CallBegin <= Site && Site < P.CallEnd)
        return I;
  }
  return Outside;
}

void CallRules::leaveOutermost(CallState &T, uint64_t PC, unsigned Flags) {
  if (T.Outermost == MaxOutermost)
    return;
  ++T.Outermost;
  emit(T, T.Base, T.Next, T.BasePC, ActivationKind::Function,
       Activation::BeforeTrace | Flags);
  T.BasePC = PC;
}

size_t CallRules::findSetjmp(const CallState &T, uint64_t PC) {
  for (size_t I = T.Setjmps.size(); I-- > 0;)
    if (const SetjmpReturn &S = T.Setjmps[I];
        S.PC == PC && isRunning(T, S.Depth, S.Start))
      return S.Depth;
  return npos;
}

void CallRules::returnedFromSetjmp(CallState &T, uint64_t PC) {
  while (!T.Setjmps.empty() &&
         !isRunning(T, T.Setjmps.back().Depth, T.Setjmps.back().Start))
    T.Setjmps.pop_back();
  const SetjmpReturn New = {PC, T.Stack.size(), startOf(T, T.Stack.size())};
  for (size_t I = T.Setjmps.size(); I-- > 0 && T.Setjmps[I].Start == New.Start;)
    if (T.Setjmps[I].PC == PC)
      return;
  T.Setjmps.push_back(New);
}

void CallRules::gap(CallState &T, uint64_t PC) {
  unwindAll(T, T.Next, Activation::EndedByGap);
  // What ran between the last gap and this one, whatever it was called.
  if (T.Base != 0)
    emit(T, T.Base, T.Next, T.BasePC, ActivationKind::Function,
         Activation::BeforeTrace | Activation::EndedByGap);
  else
    T.RootPC = T.BasePC;
  T.Ttu = TtuRule();
  T.Base = T.Next;
  T.BasePC = PC;
  T.HaveLast = false;
  T.SinceLR = LRWindow;
  T.HighestSP = T.MaxSP = T.LeavingSP = 0;
  T.GapBefore = false;
  T.Outermost = 0;
}

void CallRules::transfer(CallState &T, uint64_t PC, ISA Isa, uint64_t LR,
                         bool LRKnown) {
  const Position Here = T.Next;
  bool Sequential = PC == T.ExpectedPC;
  const uint64_t NaturalLR = T.ExpectedPC | (T.LastIsa == ISA::T32 ? 1 : 0);
  const bool PotentialCall =
      !Sequential && LRKnown && T.SinceLR < LRWindow &&
      (LR > NaturalLR ? LR - NaturalLR : NaturalLR - LR) < LRDistance;

  // TTU's rule, which knows nothing of encodings and exceptions.
  std::optional<TtuRule::Pending> TtuReturn;
  if (!Sequential) {
    uint64_t TtuPC = PC | (Isa == ISA::T32 ? 1 : 0);
    if (T.MaxSP)
      T.Ttu.raiseSP(T.MaxSP);
    TtuReturn = T.Ttu.matchReturn(T.SP, TtuPC);
    if (!TtuReturn && PotentialCall)
      T.Ttu.addCall({T.SP, LR, Here, PC});
  }
  auto TtuFlag = [&](Position Start) -> unsigned {
    if (!TtuReturn || TtuReturn->Start != Start)
      return 0;
    TtuReturn.reset();
    return Activation::TtuCall;
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
    pop(T, Here, Activation::Returned | TtuFlag(Handler.Start));
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
    const bool MayLeave =
        Class == InsnClass::Return || Class == InsnClass::IndirectBranch;
    size_t Depth = npos;
    if (MayLeave && lacksSP(T) &&
        (!PotentialCall || codeAddress(Isa, LR) == PC))
      Depth = findUnwound(T, PC, Isa, LR, LRKnown, Match);
    if (Depth != npos)
      Match = npos;
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
    if (Match == npos && MayLeave) {
      if (Depth == npos)
        Depth = T.SP == NoSP ? findSetjmp(T, PC) : findResumed(T, PC);
      if (Depth != npos)
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
      pop(T, Here, Activation::Returned | TtuFlag(T.Stack[Match].Start));
      if (Setjmp)
        returnedFromSetjmp(T, PC);
      if (T.SP != NoSP || lacksSP(T))
        T.Resumed[PC] = {
            T.Stack.size(), startOf(T, T.Stack.size()), T.SP,
            lacksSP(T) ? preservedOf(lanesOf(Isa), T.LaneValue, T.LaneKnown)
                       : Preserved()};
    } else if (Depth == npos && (isCall(Class) || PotentialCall)) {
      bool Certain = isCall(Class);
      uint64_t Return = Certain ? T.ExpectedPC : codeAddress(Isa, LR);
      // The frame makes the same call again: the first one never returned
      // (longjmp, an exception of the language). But a jump soon
      // after lr was restored to what it already is is a tail call.
      size_t Same = npos;
      if (T.SP != NoSP)
        for (size_t I = T.Stack.size(); I-- > 0 && T.Stack[I].SP == T.SP;)
          if (T.Stack[I].Return == Return)
            Same = I;
      if (Certain)
        while (Same < T.Stack.size())
          pop(T, Here, 0);
      if (Certain || Same == npos) {
        Frame New = {Here, Return, T.SP, PC, ActivationKind::Function, Certain};
        if (lacksSP(T)) {
          New.Kept = preservedOf(lanesOf(T.LastIsa), T.LaneValue, T.LaneKnown);
          if (Certain)
            addFunction(PC);
        }
        push(T, New);
      }
    } else if (Class == InsnClass::Return && T.Stack.empty() && !Before &&
               (T.SP == NoSP || T.SP >= T.HighestSP)) {
      leaveOutermost(T, PC, Activation::Returned);
    }
    if (Match == npos && !isCall(Class) && Class != InsnClass::CondBranch &&
        Class != InsnClass::None) {
      uint64_t &Recent = RecentJumps[(PC >> 1) % RecentJumps.size()];
      if (Recent != PC) {
        Recent = PC;
        JumpTargets.insert(PC);
      }
    }
  }
  if (TtuReturn)
    emit(T, TtuReturn->Start, Here, TtuReturn->EntryPC,
         ActivationKind::Function, FlagTtuOnly >> 8);
  if (!Sequential)
    T.SinceLR = LRWindow;
  T.MaxSP = T.SP == NoSP ? 0 : T.SP;
}

/// Whether transfer() would do nothing, which is quick to see of most
/// conditional branches where no link register is known: they go nowhere that
/// a call returns to, and sp ends no activation.
bool CallRules::staysInActivation(CallState &T, uint64_t PC) {
  if (T.LastClass != InsnClass::CondBranch || T.Exception || T.CallsNext ||
      !T.Ttu.empty())
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

} // namespace rw
