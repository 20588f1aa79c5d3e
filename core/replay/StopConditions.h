//===- StopConditions.h - When a breakpoint stops ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_STOPCONDITIONS_H
#define REWIND_REPLAY_STOPCONDITIONS_H

#include "core/expr/Expression.h"
#include "core/replay/IgnoredHits.h"
#include "core/replay/MemoryView.h"
#include <map>

namespace rw {

/// The conditions that a debugger tests when a place is reached: it stops if
/// one of them holds and its hit is not to be ignored. A place that stops
/// without any is not in here.
struct ConditionTexts {
  using List = std::vector<std::string>;
  std::map<uint64_t, List> Breakpoints; ///< by pc; an empty text always holds
  /// Where hits may have to be ignored: for each text at a pc, the location in
  /// Ignored that it is of, or NotCounted. What holds always has one.
  static constexpr uint32_t NotCounted = ~0u;
  std::map<uint64_t, std::vector<uint32_t>> Counted;
  IgnoredHits Ignored;
  /// A watchpoint of the user's. The debugger may watch more bytes than are
  /// asked for, and several of these at once.
  struct Watch {
    uint64_t Addr = 0, Size = 0;
    bool ChangesOnly = false;
    std::string Condition; ///< empty: none
    /// Index in Ignored, if hits may have to be ignored.
    uint32_t Counted = NotCounted;
    bool operator==(const Watch &) const = default;
  };
  /// By address and size of what the debugger watches for them.
  std::map<std::pair<uint64_t, uint64_t>, std::vector<Watch>> Watchpoints;
  /// Counts change with every run.
  bool sameTexts(const ConditionTexts &B) const {
    return Breakpoints == B.Breakpoints && Watchpoints == B.Watchpoints;
  }
  /// Whether there is a condition at all.
  bool any() const;
};

/// Tests what is not compiled.
class ConditionTester {
public:
  virtual ~ConditionTester() = default;
  /// Whether \p Condition holds where \p T stands before \p M; nothing if that
  /// is not known. An Error: it is not understood there.
  virtual llvm::Expected<std::optional<bool>> test(llvm::StringRef Condition,
                                                   ThreadIndex T, Moment M) = 0;
};

/// Why a place stops whose condition was tested here.
struct StopReason {
  enum Kind : uint8_t {
    None,    ///< it was not, or has no value that is known here
    True,    ///< a debugger would find that, too
    Holds,   ///< with what a debugger may not know: reals, containers
    Unknown, ///< the same; some of it is not known
    Divides, ///< by zero: it has no value
    TooDeep, ///< a debugger's parser would not survive it
  } What = None;
  std::string Condition;
  /// Whether the conditions at a breakpoint's place hold, as far as that is
  /// known here: a debugger finds that, too, or knows less.
  std::vector<std::pair<std::string, bool>> Outcomes;
};

/// Conditions as far as they are understood without the debugger. Places whose
/// conditions are not all understood are left to it.
class StopConditions {
public:
  /// \p Names and \p Tester outlive this. Null: no variable is known; what is
  /// not compiled is not understood.
  StopConditions(const TraceStore &Store, const MemoryView &Memory,
                 ProgramNames *Names = nullptr,
                 ConditionTester *Tester = nullptr)
      : Store(Store), Memory(Memory), Names(Names), Tester(Tester) {}

  /// Compiles what is new; all, if \p NamesChanged.
  void set(ConditionTexts New, bool NamesChanged = false);

  struct Condition {
    std::optional<Expression> Test;                ///< none: Tester is asked
    std::string Text;                              ///< empty: it always holds
    uint32_t Counted = ConditionTexts::NotCounted; ///< index in ignored()
    bool TooDeep = false;                          ///< nobody is asked
  };
  using List = std::vector<Condition>;
  /// Null: whether to stop there is not decided here.
  const List *atBreakpoint(uint64_t PC) const {
    auto It = Breakpoints.find(PC);
    return It == Breakpoints.end() ? nullptr : &It->second;
  }
  struct Watch {
    uint64_t Addr = 0, Size = 0;
    bool ChangesOnly = false;
    bool Whole = false;  ///< all that the debugger watches for it
    List Conditions;     ///< one or none
    bool Always = false; ///< whatever the condition is
    uint32_t Counted = ConditionTexts::NotCounted; ///< index in ignored()
  };
  using WatchList = std::vector<Watch>;
  const WatchList *atWatchpoint(uint64_t Addr, uint64_t Size) const {
    auto It = Watchpoints.find({Addr, Size});
    return It == Watchpoints.end() ? nullptr : &It->second;
  }
  /// What is to be ignored from here on.
  const IgnoredHits &ignored() const { return Texts.Ignored; }
  /// Whether every condition is known not to hold, or its hit is ignored as
  /// \p Counts tells, where that is noted if none stops. What is unknown is the
  /// debugger's to report. \p Reason is that of the one that stops. \p Near:
  /// the cursor of who asks about one place after the other.
  llvm::Expected<bool> noneHolds(const List &Conditions, StateCursor &Near,
                                 ThreadIndex T, Moment M, StopReason &Reason,
                                 IgnoredHits *Counts = nullptr) const;

  /// Whether the instruction at \p Access, an access of \p Kind, is known to
  /// stop at none of \p Parts: it does not access its bytes, changes nothing,
  /// the condition does not hold, or the hit is to be ignored, which LLDB looks
  /// at before it tests the condition. Counts and faults as in noneHolds().
  llvm::Expected<bool> noneStops(const WatchList &Parts, AccessKind Kind,
                                 Moment Access, StateCursor &Near,
                                 ThreadIndex T, Moment M, StopReason &Reason,
                                 IgnoredHits *Counts = nullptr) const;

private:
  llvm::Expected<bool> passes(const Watch &W, AccessKind Kind,
                              Moment Access) const;
  void placeCounts();
  llvm::Expected<std::optional<bool>> test(const Condition &C,
                                           ExpressionInput &Input,
                                           ThreadIndex T, Moment M) const;
  std::optional<List> compile(const ConditionTexts::List &Texts,
                              std::optional<uint64_t> PC) const;

  const TraceStore &Store;
  const MemoryView &Memory;
  ProgramNames *const Names;
  ConditionTester *const Tester;
  ConditionTexts Texts;
  std::map<uint64_t, List> Breakpoints;
  std::map<std::pair<uint64_t, uint64_t>, WatchList> Watchpoints;
};

} // namespace rw

#endif // REWIND_REPLAY_STOPCONDITIONS_H
