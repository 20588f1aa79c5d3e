//===- CallRules.h - What a transfer of control means -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_CALLRULES_H
#define REWIND_CALLS_CALLRULES_H

#include "core/arch/CodeAddress.h"
#include "core/calls/CallSection.h"
#include "core/calls/CallState.h"
#include "core/model/NonlocalTargets.h"
#include "core/support/NumberMap.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <set>
#include <utility>

namespace rw {

/// Decides at transfers of control what was called and what has ended, and
/// gives activations that are over to their thread's sorter.
struct CallRules {
  /// \p MaxBuffered: see CallRecogniser::Options.
  explicit CallRules(size_t MaxBuffered) : MaxBuffered(MaxBuffered) {
    // No entry may look like the address that belongs there: 0 belongs to the
    // first one, 4 to others.
    RecentJumps.fill(0);
    RecentCalls.fill(0);
    RecentJumps[0] = RecentCalls[0] = 4;
  }

  CallState &thread(unsigned T) {
    if (T < Threads.size() && Threads[T])
      return *Threads[T];
    return newThread(T);
  }
  /// Control is at an instruction.
  void arrive(CallState &T, uint64_t PC, ISA Isa, uint64_t LR, bool LRKnown);
  void transfer(CallState &T, uint64_t PC, ISA Isa, uint64_t LR, bool LRKnown);
  void add(const NonlocalTargets &Targets);
  /// Ends all frames at \p End.
  void unwindAll(CallState &T, Position End, unsigned Flags);
  void emit(CallState &T, Position Start, Position End, uint64_t EntryPC,
            ActivationKind Kind, unsigned Flags) {
    T.Done.add(Start, End, entryOf(EntryPC, Kind, Flags));
  }
  uint32_t entryOf(uint64_t EntryPC, ActivationKind Kind, unsigned Flags) {
    auto [It, New] = EntryIds.try_emplace(
        {EntryPC, unsigned(Kind) | Flags << 8}, uint32_t(Entries.size()));
    if (New) {
      callsection::EntryRecord R;
      R.PC = EntryPC;
      R.KindFlags = unsigned(Kind) | Flags << 8;
      R.Reserved = 0;
      Entries.push_back(R);
    }
    return It->second;
  }

  uint32_t idOf(uint64_t PC) {
    return Ids.try_emplace(PC, uint32_t(Ids.size())).first->second;
  }
  /// Whether a frame may return to \p PC.
  bool isAwaited(const CallState &T, uint64_t PC) const {
    auto It = Ids.find(PC);
    return It != Ids.end() && isAwaited(T, It->second);
  }
  static bool isAwaited(const CallState &T, uint32_t Id) {
    return Id < T.Returns.size() && T.Returns[Id];
  }

  void push(CallState &T, Frame F) {
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
  void pop(CallState &T, Position End, unsigned Flags) {
    const Frame &F = T.Stack.back();
    --T.Returns[F.ReturnId];
    if (F.Certain || (Flags & Activation::Returned))
      emit(T, F.Start, End, F.EntryPC, F.Kind,
           Flags | (F.Certain ? 0 : Activation::Heuristic));
    T.Stack.pop_back();
  }

  std::vector<std::unique_ptr<CallState>> Threads;
  std::vector<callsection::EntryRecord> Entries;
  NumberSet JumpTargets;
  NumberMap<llvm::SmallVector<LandingPad, 1>> Pads; ///< by PC
  NumberSet Setjmps;
  NumberMap<uint32_t> Ids; ///< of addresses

private:
  static constexpr size_t MaxFrames = 1 << 20;
  static constexpr unsigned MaxOutermost = 4096;

  CallState &newThread(unsigned T);
  InsnClass lastClass(const CallState &T) {
    if (T.LastClass)
      return *T.LastClass;
    if (!T.LastExecuted)
      return InsnClass::None;
    return T.LastOpcodeKnown ? classify(T.LastIsa, T.LastOpcode)
                             : InsnClass::Unknown;
  }
  void gap(CallState &T, uint64_t PC);
  bool staysInActivation(CallState &T, uint64_t PC);

  static constexpr size_t npos = ~size_t(0), Outside = npos - 1;
  /// Index of the frame that a transfer to \p PC returns from, or npos.
  size_t findReturn(const CallState &T, uint64_t PC, InsnClass Class);
  /// Start of the activation that the innermost of \p Depth frames is.
  static Position startOf(const CallState &T, size_t Depth) {
    return Depth ? T.Stack[Depth - 1].Start : T.Base;
  }
  /// Frames that are left if a jump to \p PC goes to where one of them was
  /// resumed before, with sp as it was then: longjmp, from functions that left
  /// sp alone. npos if not.
  static size_t findResumed(const CallState &T, uint64_t PC);
  /// Frames that stay if a jump to \p PC is the end of throwing an exception of
  /// the language; npos if it is not, Outside if it goes to a function that was
  /// called before the trace began. Which activation handles it, the unwinder
  /// decides by the table of call sites, innermost first, and so do we.
  size_t findLanding(const CallState &T, uint64_t PC, InsnClass Class);
  /// What was called before the trace began ends, and control is in \p PC's
  /// function, which called it.
  void leaveOutermost(CallState &T, uint64_t PC, unsigned Flags);
  /// findResumed() where sp is not known: control goes, by no return and no
  /// tail call, from one function into the body of another that is active. The
  /// registers that calls preserve are then as they were in it, and the frame
  /// pointer is one of them. \p Match: what findReturn() says.
  size_t findUnwound(const CallState &T, uint64_t PC, ISA Isa, uint64_t LR,
                     bool LRKnown, size_t Match);
  /// From the last function that was seen called at or before \p PC up to the
  /// next one.
  std::pair<uint64_t, uint64_t> functionOf(uint64_t PC) const;
  void addFunction(uint64_t PC) {
    uint64_t &Recent = RecentCalls[(PC >> 2) % RecentCalls.size()];
    if (std::exchange(Recent, PC) != PC)
      Functions.insert(PC);
  }
  /// Whether the instruction set has an sp that would tell more.
  static bool lacksSP(const CallState &T) {
    return T.SP == NoSP && lanesOf(T.LastIsa).SPKnown;
  }
  /// Finds a setjmp where the files tell the setjmps.
  static size_t findSetjmp(const CallState &T, uint64_t PC);
  static bool isRunning(const CallState &T, size_t Depth, Position Start) {
    return Depth <= T.Stack.size() && startOf(T, Depth) == Start;
  }
  void returnedFromSetjmp(CallState &T, uint64_t PC);

  const size_t MaxBuffered;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> EntryIds;
  std::array<uint64_t, 256> RecentJumps;
  std::array<uint64_t, 256> RecentCalls;
  std::set<uint64_t> Functions; ///< called ones, while sp is not known
};

inline void CallRules::arrive(CallState &T, uint64_t PC, ISA Isa, uint64_t LR,
                              bool LRKnown) {
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

} // namespace rw

#endif // REWIND_CALLS_CALLRULES_H
