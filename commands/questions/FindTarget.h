//===- FindTarget.h - What one can look for in a trace ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_QUESTIONS_FINDTARGET_H
#define REWIND_COMMANDS_QUESTIONS_FINDTARGET_H

#include "commands/support/Options.h"
#include "commands/support/Visits.h"
#include "core/calls/CallIndex.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"

namespace rw {

/// Something to look for. Answers moments; a search that is interrupted answers
/// none, and cut() tells so.
class FindTarget {
public:
  using Answer = llvm::Expected<std::optional<Moment>>;
  virtual ~FindTarget();
  virtual Answer last(Moment Before) = 0;
  /// May answer \p First itself.
  virtual Answer from(Moment First) = 0;
  /// Whether Ctrl-C ended the last search, and how far it came: nothing is
  /// between where it began and there.
  virtual std::optional<Moment> cut() const { return Cut; }
  /// At how many places of the code it is looked for; 1: it is not known.
  virtual size_t numPlaces() const { return 1; }
  /// How many inlined calls deep what was found at \p PC is, as Place has it.
  virtual std::optional<unsigned> depthAt(uint64_t) const {
    return std::nullopt;
  }
  /// How many there are at the moment \p M, which was an answer; one after the
  /// other.
  virtual llvm::Expected<uint64_t> together(Moment) { return 1; }
  /// Whether some may be behind the last instruction.
  virtual bool atEnd() const { return false; }
  /// More to say of the one found at \p M, of several the \p Nth (from 0);
  /// fields for JSON go to \p Json.
  virtual llvm::Expected<std::string> remark(Moment M, uint64_t Nth,
                                             llvm::json::Object &Json);
  /// How the answers are found: from the index, or by looking at instructions.
  virtual bool scans() const { return false; }
  /// What is said of a scan.
  virtual llvm::StringRef scanned() const {
    return "every instruction was looked at: no index tells this";
  }
  /// How many that were looked at are left out, as the trace does not tell
  /// whether they are wanted.
  virtual uint64_t unknown() const { return 0; }
  /// Says so: "without 3 whose number is not known"; empty if there are none.
  virtual std::string leftOut() const { return {}; }

protected:
  /// The answers of \p Step, one after the other, until \p Wanted takes one or
  /// Ctrl-C ends the search, also by making Wanted fail: those before \p Before
  /// (\p Step is as last), those from \p First on (as from).
  using Step = llvm::function_ref<Answer(Moment)>;
  using Filter = llvm::function_ref<llvm::Expected<bool>(Moment)>;
  Answer lastWanted(const Session &S, Moment Before, Step Next, Filter Wanted);
  Answer firstWanted(const Session &S, Moment First, Step Next, Filter Wanted);

  std::optional<Moment> Cut;

private:
  Answer wantedFrom(const Session &S, Moment At, Step Next, Filter Wanted,
                    Moment Behind);
};

/// The answers of another target of which one more thing is wanted.
class NarrowedTarget : public FindTarget {
public:
  NarrowedTarget(Session &S, std::unique_ptr<FindTarget> Inner)
      : S(S), Inner(std::move(Inner)) {}
  bool scans() const override { return Inner->scans(); }
  llvm::StringRef scanned() const override { return Inner->scanned(); }
  std::optional<unsigned> depthAt(uint64_t PC) const override {
    return Inner->depthAt(PC);
  }
  size_t numPlaces() const override { return Inner->numPlaces(); }
  llvm::Expected<uint64_t> together(Moment M) override {
    return Inner->together(M);
  }
  std::optional<Moment> cut() const override {
    return Cut ? Cut : Inner->cut();
  }
  uint64_t unknown() const override { return NumUnknown + Inner->unknown(); }
  std::string leftOut() const override;
  Answer last(Moment Before) override;
  Answer from(Moment First) override;

protected:
  virtual llvm::Expected<bool> wanted(Moment M) = 0;
  /// What is not known of those that wanted() counts: "whose number".
  virtual std::string unknownThing() const { return {}; }

  Session &S;
  const std::unique_ptr<FindTarget> Inner;
  uint64_t NumUnknown = 0;
};

/// Looks at instructions one after the other. \p Wanted is asked about each.
class InstructionScan {
public:
  using Filter = llvm::function_ref<llvm::Expected<bool>(const Instruction &)>;
  InstructionScan(Session &S, bool WithEffects)
      : S(S), Cursor(S.Store.cursor(WithEffects)) {}
  FindTarget::Answer from(Moment First, Filter Wanted);
  /// Goes back in stretches, which are read forwards.
  FindTarget::Answer last(Moment Before, Filter Wanted);
  /// As that of a target.
  std::optional<Moment> cut() const { return Cut; }

private:
  FindTarget::Answer within(Moment From, Moment To, bool Last, Filter Wanted);
  Session &S;
  std::optional<Moment> Cut;
  std::unique_ptr<InstructionCursor> Cursor;
};

using ThreadFilter = std::optional<ThreadIndex>;

/// A glob that does not care about case. A '[' that no ']' closes is itself, or
/// every one if \p PlainBrackets.
class TextPattern {
public:
  static llvm::Expected<TextPattern> create(llvm::StringRef Text,
                                            bool PlainBrackets = false);
  bool match(llvm::StringRef Text) const { return Glob->match(Text.lower()); }

private:
  /// The glob points into its text.
  std::shared_ptr<const std::string> Lower;
  std::optional<llvm::GlobPattern> Glob;
};

std::unique_ptr<FindTarget> findVisits(Session &S, CodePlace Code,
                                       ThreadFilter T);
/// \p Text: what the event's text must match, by SymbolPattern's globs in any
/// case; empty: any.
llvm::Expected<std::unique_ptr<FindTarget>>
findEvents(Session &S, EventKind Kind, llvm::StringRef Text, ThreadFilter T);
/// Calls of the function, found where a breakpoint on it stops, or with
/// \p Entry at its first instruction.
llvm::Expected<std::unique_ptr<FindTarget>>
findCalls(Session &S, const Place &At, llvm::StringRef Function, bool Entry,
          ThreadFilter T);
/// Instructions whose opcode is like "d4??0001", with a "?" for each digit that
/// does not matter, or "0xd4000001/0xffe0001f", with a mask; or whose text is
/// like a glob: the mnemonic alone, or all of it if \p Pattern has a blank.
llvm::Expected<std::unique_ptr<FindTarget>>
findOpcode(Session &S, llvm::StringRef Pattern, ThreadFilter T);
llvm::Expected<std::unique_ptr<FindTarget>>
findMnemonic(Session &S, llvm::StringRef Pattern, ThreadFilter T);
/// \p Name: a glob; empty: all.
llvm::Expected<std::unique_ptr<FindTarget>>
findSystemCalls(Session &S, llvm::StringRef Name, ThreadFilter T);

/// Where \p Inner is found and \p Condition holds.
llvm::Expected<std::unique_ptr<FindTarget>>
findIf(Session &S, std::unique_ptr<FindTarget> Inner,
       llvm::StringRef Condition);

/// When something became a value.
struct ValueQuestion {
  /// What it may look like. A number with a fraction is a float or a double.
  struct Form {
    uint64_t Number = 0;
    std::optional<uint64_t> Size; ///< 1, 2, 4 or 8
  };
  llvm::SmallVector<Form, 2> Forms;
  bool Registers = true, Memory = true;
  std::optional<Location> Where; ///< only there
  std::string Meaning;           ///< " (2)": the value of an enumerator
};
llvm::Expected<ValueQuestion> parseValueQuestion(Session &S, const Place &At,
                                                 llvm::StringRef Text,
                                                 const ParsedOptions &O);
std::unique_ptr<FindTarget> findValue(Session &S, ValueQuestion Q,
                                      ThreadFilter T);
/// When a location, of which only some bits may count, became a number.
std::unique_ptr<FindTarget> findFieldValue(Session &S, Location Where,
                                           uint64_t Number, ThreadFilter T);
/// What one of two finds.
std::unique_ptr<FindTarget> findEither(std::unique_ptr<FindTarget> A,
                                       std::unique_ptr<FindTarget> B);

/// Instructions at some places of the code, of which \p Wanted says more.
struct CodeSet {
  std::vector<uint64_t> Addresses;              ///< ascending
  std::function<bool(const InsnItem &)> Wanted; ///< null: all
};
/// Every way that an instruction of the trace was executed that \p Wanted
/// takes.
CodeSet codeWhere(Session &S, std::function<bool(const InsnItem &)> Wanted);
std::unique_ptr<FindTarget> findCode(Session &S, CodeSet Code, ThreadFilter T);

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_FINDTARGET_H
