//===- ReplayEngine.h - A position in a trace that runs -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_REPLAYENGINE_H
#define REWIND_REPLAY_REPLAYENGINE_H

#include "core/replay/StopConditions.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace rw {

/// Empty, or why no watchpoint can be of \p Size bytes: a hit of one that is
/// large is looked for byte by byte.
std::string whyNotWatched(uint64_t Size);

/// Why the replay stopped, and which thread it was that did it.
struct ReplayStop {
  enum Kind : uint8_t {
    Initial,      ///< nothing has run yet
    Step,         ///< a single step was asked for and done
    Breakpoint,   ///< Thread stands before the instruction at Addr
    Watchpoint,   ///< Thread accessed the watched range that begins at Addr
    HistoryBegin, ///< there is nothing before
    HistoryEnd,   ///< there is nothing after
    Landing,      ///< a command moved here; Text says which and why
    Interrupted,  ///< the user does not want to wait any longer
  };
  Kind What = Initial;
  ThreadIndex Thread = 0;
  uint64_t Addr = 0;
  AccessKind Access = AccessKind::Any; ///< of a Watchpoint: its kind
  Moment Accessed = 0;                 ///< of a Watchpoint: the instruction
  std::string Text;
  /// A Breakpoint's or Watchpoint's condition, if the debugger need not, or
  /// cannot, test that.
  StopReason Reason;
  /// A HistoryEnd at which one stood already: nothing has moved.
  bool Again = false;

  ReplayStop(Kind What = Initial, std::string Text = "")
      : What(What), Text(std::move(Text)) {}
  static ReplayStop breakpoint(uint64_t PC) {
    ReplayStop S(Breakpoint);
    S.Addr = PC;
    return S;
  }
  static ReplayStop watchpoint(uint64_t Addr, AccessKind Access) {
    ReplayStop S(Watchpoint);
    S.Addr = Addr;
    S.Access = Access;
    return S;
  }
};

/// A moment, and the thread from which it is looked at.
struct Instant {
  Moment When = 0;
  ThreadIndex Thread = 0;
};

class StopSearch;

struct ReplayWatchpoint {
  uint64_t Addr = 0, Size = 0;
  AccessKind Kind = AccessKind::Any;
  bool operator==(const ReplayWatchpoint &) const = default;
};

/// The replay process without its wire: where we are, and what stops us.
/// Running never executes anything: every resume is a handful of searches in
/// the store. Thread-safe.
///
/// An instant is "just before moment When, looking from Thread". A thread
/// stands at its first instruction that is not before When. Single steps and
/// watchpoint hits leave When just behind the instruction that ran, so no
/// event of another thread is ever jumped over. The end is behind the last
/// instruction, whose effects can so be seen.
///
/// Running forwards into a watched access stops behind it; backwards, in front
/// of it, where the value is still the old one. Both are the first state, in
/// the direction of travel, in which the access makes a difference.
class ReplayEngine {
public:
  explicit ReplayEngine(std::shared_ptr<const TraceStore> Store);

  const TraceStore &store() const { return *Store; }

  Instant here() const;
  ReplayStop lastStop() const;
  /// Looks at another instant: nothing has stopped there, and lastStop() is as
  /// before.
  void look(Instant At);

  /// The pc of the instruction at which \p T stands. A thread that has run out
  /// of instructions stays at its last one. Empty if it has none at all.
  llvm::Expected<std::optional<uint64_t>> pc(ThreadIndex T) const;
  /// Nowhere: what every thread's pc reads as between a single step and the
  /// landing that it came before (see land()). No breakpoint is there, and no
  /// thread.
  std::optional<uint64_t> nowhere() const;
  /// Whether \p T has run out of instructions.
  bool atEnd(ThreadIndex T) const;
  /// The registers of \p T, cached until the next move.
  llvm::Expected<std::shared_ptr<const RegisterState>>
  registers(ThreadIndex T) const;

  /// What is set twice is there once, and gone when it is removed, as the
  /// remote protocol has it: LLDB sets a watchpoint anew that is asked for
  /// again.
  void addBreakpoint(uint64_t PC);
  void removeBreakpoint(uint64_t PC);
  void addWatchpoint(uint64_t Addr, uint64_t Size, AccessKind Kind);
  void removeWatchpoint(uint64_t Addr, uint64_t Size, AccessKind Kind);

  /// A thread that is at its end stays there, which is a HistoryEnd; but where
  /// it, or one that runs on, is only to get off a breakpoint, threads are
  /// nowhere (see land()) until the next run or step.
  llvm::Expected<ReplayStop> stepForward(ThreadIndex T);
  llvm::Expected<ReplayStop> stepBackward(ThreadIndex T);
  /// \p Alone: all threads run, at most to the end of that one, and only that
  /// one stops.
  llvm::Expected<ReplayStop>
  runForward(std::optional<ThreadIndex> Alone = std::nullopt);
  llvm::Expected<ReplayStop> runBackward();
  /// The hit that a step of \p T would be: the instruction it goes over makes a
  /// watched access.
  llvm::Expected<std::optional<ReplayStop>> watchedByStep(ThreadIndex T,
                                                          bool Forward) const;

  /// The next run, forwards or backwards, ends at \p To for the reason \p Why.
  /// This is how commands move: they tell it here, then resume the process.
  ///
  /// The debugger first steps threads off the breakpoints that they stand on,
  /// whichever those are, each alone, and asks no other thread whether to stop.
  /// Such a step takes the threads nowhere: time stands still, and the next run
  /// begins where the first would have.
  void land(Instant To, ReplayStop Why);
  /// Runs of either kind go backwards, end at breakpoints and watchpoints, and
  /// at the latest at \p To for the reason \p Why. This stays until \p To is
  /// reached, endJump() is called or somebody looks at a stop that the user
  /// asked for, because the debugger resumes by itself from a breakpoint whose
  /// condition is false. Single steps are as for land().
  void runBackTo(Instant To, ReplayStop Why);
  /// Takes a landing back.
  void cancelLanding();
  /// To be called when the user is told of a stop: what was to come of a
  /// landing is forgotten. True if there was one since the last stop that was
  /// told.
  bool endJump();
  /// The debugger asks for more than breakpoints. LLDB calls no hook at a stop
  /// that the user asked for, whatever had stopped it by then, and interrupts a
  /// run itself only to set breakpoints.
  void stopIsLookedAt();
  /// Says that endJump() will be called. Then a run that follows a step off a
  /// breakpoint, with no stop told in between, begins where the step did: the
  /// step of one thread would leap over what the others do until then.
  void expectEndOfJumps();

  /// How long it has been standing still.
  std::chrono::steady_clock::duration idle() const;
  /// How many stops there have been, of runs and of steps. Waits for no one.
  uint64_t moves() const { return Moves; }

  using Found = std::optional<std::pair<Instant, ReplayStop>>;
  /// Asks for what stops a run forwards besides breakpoints and watchpoints:
  /// the first one after \p From that is before \p Before.
  using Departures = std::function<llvm::Expected<Found>(
      Moment From, std::optional<Moment> Before)>;
  void setDepartures(Departures D);

  /// What runs ask for, in their thread: the conditions of stops, null for
  /// none, and whether the user wants to stop, which ends a long search.
  /// takeIgnored() is to be asked before the conditions are, and before the
  /// debugger is told of a stop. \p BeingStopped: whether the debugger waits
  /// for a stop; it is asked while nothing runs, too.
  void setHooks(std::function<const StopConditions *()> ConditionsNow,
                std::function<bool()> UserInterrupts,
                std::function<bool()> BeingStopped = nullptr) {
    Conditions = std::move(ConditionsNow);
    Interrupted = std::move(UserInterrupts);
    StopAwaited = std::move(BeingStopped);
  }
  /// What steps ask for, in the thread that answers the debugger. \p RunsOn:
  /// whether that thread is to run once it has got off a breakpoint. \p HitsAt:
  /// how many hits of its breakpoints at a pc the debugger has counted, nothing
  /// if that cannot be told; runs ask for it, too.
  void
  setStepHooks(std::function<bool(ThreadIndex)> RunsOn,
               std::function<std::optional<uint64_t>(uint64_t PC)> HitsAt) {
    OnlyGetsOff = std::move(RunsOn);
    CountedHits = std::move(HitsAt);
  }

  /// The hits that runs have passed by, since they were asked last, because
  /// they are to be ignored: the debugger counts them.
  std::vector<IgnoredHits> takeIgnored();

private:
  /// \p ToTheEnd: whatever the user wants.
  StopSearch search(std::optional<ThreadIndex> Alone = std::nullopt,
                    bool ToTheEnd = false) const;
  /// Others may look at where we are while a search is under way: these let go
  /// of \p Lock.
  llvm::Expected<Found> findForward(std::unique_lock<std::mutex> &Lock,
                                    Moment BreakFrom, Moment AccessFrom,
                                    std::optional<ThreadIndex> Alone,
                                    Moment End);
  llvm::Expected<Found> findBackward(std::unique_lock<std::mutex> &Lock,
                                     Moment From, Moment NotBefore);
  llvm::Expected<std::optional<uint64_t>> pcAt(ThreadIndex T,
                                               Moment When) const;
  ReplayStop moveTo(Instant To, ReplayStop Why);

  const std::shared_ptr<const TraceStore> Store;
  Departures Leaving;
  mutable std::mutex Mutex;
  Instant Here;
  ReplayStop Last;
  std::set<uint64_t> Breakpoints; ///< by pc
  std::vector<ReplayWatchpoint> Watchpoints;
  std::function<const StopConditions *()> Conditions;
  std::function<bool()> Interrupted, StopAwaited;
  std::function<bool(ThreadIndex)> OnlyGetsOff;
  std::function<std::optional<uint64_t>(uint64_t PC)> CountedHits;
  /// What the last search has passed by, and what has come to be.
  IgnoredHits Passed;
  std::vector<IgnoredHits> Ignored;
  void keepPassed();
  struct Landing {
    Instant To;
    ReplayStop Why;
    bool Stoppable;
    uint64_t Moves;           ///< before it was asked for
    bool StopAwaited = false; ///< when its last run ended
  };
  std::optional<llvm::Expected<ReplayStop>>
  runLanding(std::unique_lock<std::mutex> &Lock);
  ReplayStop stepNowhere(ThreadIndex T);
  std::optional<Landing> Pending;
  bool Jumped = false;
  void forgetJump();
  /// While threads are nowhere: the stop that says so.
  std::optional<ReplayStop> Between;
  std::chrono::steady_clock::time_point LastMove;
  std::atomic<uint64_t> Moves = 0;
  void countMove();
  bool Searching = false; ///< without the mutex
  /// Where it stood before the debugger stepped threads off breakpoints.
  struct StepOff {
    Instant From;
    ReplayStop Last;
    std::vector<Moment> Looks; ///< when it looked for breakpoints
    /// Those that each step may have been meant for.
    std::vector<std::vector<uint64_t>> Left;
    bool Only; ///< no step was for anything else
  };
  std::optional<StepOff> Off;
  bool EndsAreTold = false;
  /// Breakpoints that were removed, and not set again, since the last stop that
  /// was told.
  std::set<uint64_t> TakenAway;
  llvm::Expected<bool> noteStep(ThreadIndex T);
  void undoSteps();
  /// A breakpoint that no run is to stop at any more, since the debugger knows
  /// that a thread stands there.
  struct ToldHit {
    uint64_t PC = 0;
    /// The debugger looked before the other threads had come as far, and may
    /// have found that a condition does not hold yet: how many hits it had
    /// counted by then. Nothing once it is sure.
    std::optional<uint64_t> CountedBefore;
  };
  std::map<Moment, ToldHit> Told; ///< by the instruction
  llvm::Error noteArrival(ThreadIndex T, uint64_t Position);
  void forgetUncounted();
  mutable std::map<ThreadIndex, std::shared_ptr<const RegisterState>> Cache;
};

} // namespace rw

#endif // REWIND_REPLAY_REPLAYENGINE_H
