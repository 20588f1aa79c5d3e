//===- ReplayEngine.h - A position in a trace that runs -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_REPLAYENGINE_H
#define REWIND_PLUGIN_REPLAYENGINE_H

#include "core/store/TraceStore.h"
#include <map>
#include <mutex>

namespace rw {

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
  };
  Kind What = Initial;
  ThreadIndex Thread = 0;
  uint64_t Addr = 0;
  AccessKind Access = AccessKind::Any; ///< of a Watchpoint: its kind
  std::string Text;
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
  /// Looks from another thread without moving in time.
  void selectThread(ThreadIndex T);

  /// The pc of the instruction at which \p T stands. A thread that has run out
  /// of instructions stays at its last one. Empty if it has none at all.
  llvm::Expected<std::optional<uint64_t>> pc(ThreadIndex T) const;
  /// The registers of \p T, cached until the next move.
  llvm::Expected<std::shared_ptr<const RegisterState>>
  registers(ThreadIndex T) const;

  void addBreakpoint(uint64_t PC);
  void removeBreakpoint(uint64_t PC);
  void addWatchpoint(uint64_t Addr, uint64_t Size, AccessKind Kind);
  void removeWatchpoint(uint64_t Addr, uint64_t Size, AccessKind Kind);

  llvm::Expected<ReplayStop> stepForward(ThreadIndex T);
  llvm::Expected<ReplayStop> stepBackward(ThreadIndex T);
  llvm::Expected<ReplayStop> runForward();
  llvm::Expected<ReplayStop> runBackward();

  /// The next resume of any kind ends at \p To for the reason \p Why. This is
  /// how commands move: they tell it here, then resume the process.
  void land(Instant To, ReplayStop Why);
  /// Resumes of any kind run backwards, end at breakpoints and watchpoints, and
  /// at the latest at \p To for the reason \p Why. This stays until \p To is
  /// reached or cancelLanding() is called, because the debugger resumes by
  /// itself: from a breakpoint whose condition is false, and, by a single step,
  /// off a breakpoint.
  void runBackTo(Instant To, ReplayStop Why);
  /// Takes a landing back.
  void cancelLanding();

private:
  struct Watchpoint {
    uint64_t Addr, Size;
    AccessKind Kind;
  };
  llvm::Expected<std::optional<std::pair<Instant, ReplayStop>>>
  findForward(Moment BreakFrom, Moment AccessFrom) const;
  llvm::Expected<std::optional<Moment>> accessFrom(const Watchpoint &W,
                                                   Moment From) const;
  llvm::Expected<std::optional<std::pair<Instant, ReplayStop>>>
  findBackward(Moment From, Moment NotBefore) const;
  ReplayStop moveTo(Instant To, ReplayStop Why);

  const std::shared_ptr<const TraceStore> Store;
  mutable std::mutex Mutex;
  Instant Here;
  ReplayStop Last;
  std::map<uint64_t, unsigned> Breakpoints; ///< pc -> how often it was set
  std::vector<Watchpoint> Watchpoints;
  struct Landing {
    Instant To;
    ReplayStop Why;
    bool Stoppable;
  };
  std::optional<llvm::Expected<ReplayStop>> runLanding(bool SingleStep,
                                                       ThreadIndex T);
  std::optional<Landing> Pending;
  mutable std::map<ThreadIndex, std::shared_ptr<const RegisterState>> Cache;
};

} // namespace rw

#endif // REWIND_PLUGIN_REPLAYENGINE_H
