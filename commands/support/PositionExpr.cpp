//===- PositionExpr.cpp - What a user may type for a position -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/PositionExpr.h"
#include "commands/support/Bookmarks.h"
#include "commands/support/Format.h"
#include "commands/support/Options.h"
#include "commands/support/Symbols.h"
#include "core/calls/CallIndex.h"
#include "core/model/TimeUnit.h"
#include "core/store/TraceStore.h"
#include "core/support/Reals.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace rw {

Expected<Place> placeOf(const TraceStore &Store, ThreadIndex T, Position P) {
  const uint64_t N = Store.numInstructions(T);
  if (N == 0)
    return Place{T, 0};
  auto M = Store.momentOf(T, std::min(P, N - 1));
  if (!M)
    return M.takeError();
  return Place{T, *M + (P >= N)};
}

ArrayRef<StringLiteral> positionWords() {
  static constexpr StringLiteral Words[] = {"start", "end", "caller", "entry",
                                            "return"};
  return Words;
}

/// Whether there are digits, or \p Others, and nothing else.
static bool isOfDigits(StringRef Text, StringRef Others = "") {
  return !Text.empty() &&
         all_of(Text, [&](char C) { return isDigit(C) || Others.contains(C); });
}

bool isPositionWord(StringRef Text) {
  Text = Text.trim();
  if (size_t At = Text.find_last_of("+-");
      At != StringRef::npos && Text.size() <= LongestNumber)
    if (parseNumber(Text.substr(At + 1).trim()))
      return isPositionWord(Text.take_front(At));
  return is_contained(positionWords(), Text);
}

bool isWrittenAsPosition(StringRef Text) {
  auto OfThread = [](StringRef T) {
    return T.starts_with("#") || T.starts_with("t:") || T.starts_with("l:") ||
           ((T.starts_with("+") || T.starts_with("-")) &&
            isOfDigits(T.drop_front(), ",+-"));
  };
  if (OfThread(Text) || isOfDigits(Text, ",%"))
    return true;
  // "main.c:12" is a line.
  auto [Thread, Rest] = Text.split(':');
  return !Thread.empty() &&
         (OfThread(Rest) || (isOfDigits(Thread) && isOfDigits(Rest, ",%")));
}

Expected<ThreadIndex> parseThread(const TraceStore &Store, StringRef Text) {
  const auto &Threads = Store.header().Threads;
  auto Named = [&](StringRef Name) -> std::optional<ThreadIndex> {
    for (ThreadIndex T = 0; T < Threads.size() && !Name.empty(); ++T)
      if (Threads[T].Name == Name)
        return T;
    return std::nullopt;
  };
  // A number means what is printed in front of positions, also where another
  // thread has it for a name.
  if (isOfDigits(Text)) {
    uint64_t N;
    if (!Text.getAsInteger(10, N) && N >= 1 && N <= Store.numThreads())
      return ThreadIndex(N - 1);
  } else if (auto T = Named(Text)) {
    return *T;
  } else if (Text.starts_with("=")) {
    if (auto T = Named(Text.drop_front()))
      return *T;
  }
  std::string Known;
  for (ThreadIndex T = 0; T < Store.numThreads(); ++T)
    Known += (T ? ", " : "") + threadLabel(Store, T);
  return userError(
      "no thread '" + Text + "'; the trace has " + Known +
      (Named(Text) ? "; '=" + Text + "' is the one of that name" : Twine()));
}

namespace {

constexpr StringLiteral Forms =
    "try #1234, start, end, +10, -10, +0 (here), t:<time>, l:<line>, 50%, "
    "caller, entry, return, <thread>:#1234, a bookmark, or any of these and a "
    "distance (end-20)";

/// The bookmarks, read when a name is asked for: no other position needs their
/// file, which may be damaged.
class Names {
public:
  explicit Names(const Session &S) : S(S) {}

  std::optional<Place> find(StringRef Name) {
    if (!isBookmarkName(Name))
      return std::nullopt;
    if (!Marks) {
      auto Loaded = loadBookmarks(S);
      if (!Loaded)
        Problem = toString(Loaded.takeError());
      Marks = Loaded ? std::move(*Loaded) : std::vector<Bookmark>();
    }
    for (const Bookmark &B : *Marks)
      if (B.Name == Name) {
        if (B.Old)
          S.warn(oldRemark(B));
        return B.Where;
      }
    return std::nullopt;
  }
  /// Why the file could not be read, if it had to be.
  const std::string &problem() const { return Problem; }

private:
  const Session &S;
  std::optional<std::vector<Bookmark>> Marks;
  std::string Problem;
};

struct Parser {
  const Session &S;
  Place From; ///< what is relative counts from there
  ThreadIndex Thread;
  Names &Marks;
  bool OfNamed = false; ///< the thread was named

  Expected<Place> position(StringRef Shown, uint64_t P) const {
    uint64_t N = S.Store.numInstructions(Thread);
    if (P > N)
      return outOfRange(Shown, N);
    return placeOf(S.Store, Thread, P);
  }

  /// The end of all threads.
  Place end() const { return {Thread, S.Store.numInstructions()}; }

  Error outOfRange(StringRef Shown, uint64_t N) const {
    std::string Whose = S.Store.numThreads() > 1
                            ? "thread " + threadLabel(S.Store, Thread)
                            : std::string("the trace");
    return userError("position " + Shown + " is out of range: " + Whose +
                     " has #0 to #" + Twine(N));
  }

  Expected<Place> relative(StringRef Text) const {
    auto N = parseNumber(Text.drop_front());
    if (!N)
      return usageError("'" + Text + "' is not a distance, such as +10 or -10");
    auto Now = S.Store.positionOf(Thread, From.When);
    if (!Now)
      return Now.takeError();
    if (*N == 0) // not where it came to stand there
      return Place{Thread, From.When};
    bool Back = Text.front() == '-';
    if (Back ? *N > *Now : *N > S.Store.numInstructions(Thread) - *Now)
      return userError("position " + Text + " is out of range: you are at " +
                       formatPosition(*Now) + " of #0 to #" +
                       Twine(S.Store.numInstructions(Thread)));
    return position(Text, Back ? *Now - *N : *Now + *N);
  }

  /// "1.5ms" in the unit of the trace.
  Expected<std::optional<uint64_t>> inUnit(StringRef Text) const {
    const size_t End = Text.find_if_not(
        [](char C) { return isDigit(C) || C == '.' || C == ',' || C == '_'; });
    const StringRef Unit =
        End == StringRef::npos ? "" : Text.substr(End).trim();
    const StringRef Number = Text.take_front(End).trim();
    const StringRef Own = S.Store.header().TimeUnit;
    if (Unit.empty() || Unit == Own)
      if (auto N = parseNumber(Number))
        return N;
    const TimeUnit *Given = findTimeUnit(Unit.empty() ? Own : Unit);
    const TimeUnit *Ours = findTimeUnit(Own);
    const auto Told = Given ? readReal(Number) : std::nullopt;
    if (!Told || !(*Told >= 0))
      return std::nullopt;
    double Amount = *Told;
    if (Given != Ours && (!Given->Nanoseconds || !Ours || !Ours->Nanoseconds))
      return userError("'t:" + Text + "': the trace's time is in " + Own +
                       ", and nobody tells how long that is in " + Given->Name);
    if (Given != Ours)
      Amount *= Given->Nanoseconds / Ours->Nanoseconds;
    if (Amount >= 0x1p63)
      return std::nullopt;
    // The first instruction at or after that time.
    return uint64_t(std::ceil(Amount - 1e-9));
  }

  Expected<Place> atTime(StringRef Text) const {
    if (!S.Store.header().Can.Time)
      return userError("'" + Text + "': this trace has no times");
    auto InUnit = inUnit(Text.drop_front(2));
    if (!InUnit)
      return InUnit.takeError();
    const std::optional<uint64_t> N = *InUnit;
    if (!N)
      return usageError("'" + Text +
                        "' is not a time, such as t:2044 or t:1.5ms");
    if (*N > S.Store.lastTime())
      return userError("time " + Twine(*N) +
                       " is out of range: the trace has " +
                       formatTime(S.Store, S.Store.firstTime()) + " to " +
                       formatTime(S.Store, S.Store.lastTime()));
    auto M = S.Store.momentAtTime(*N);
    if (!M)
      return M.takeError();
    return Place{Thread, *M};
  }

  Expected<Place> atLine(StringRef Text) const {
    if (!S.Store.header().Can.Lines)
      return userError("'" + Text +
                       "': this trace is not a text, it has no lines");
    auto N = parseNumber(Text.drop_front(2));
    if (!N)
      return usageError("'" + Text + "' is not a line, such as l:4321");
    if (*N == 0 || *N > S.Store.header().TotalLines)
      return userError("line " + Twine(*N) +
                       " is out of range: the trace has " + "lines 1 to " +
                       Twine(S.Store.header().TotalLines));
    auto M = S.Store.momentAtLine(*N);
    if (!M)
      return M.takeError();
    // Lines before the first instruction tell the initial state.
    Moment When = M->value_or(0);
    if (When == BeforeTrace)
      When = 0;
    // The thread whose line it is, unless one was asked for.
    if (When < S.Store.numInstructions() && !OfNamed && Thread == From.Thread) {
      auto T = S.Store.threadAt(When);
      if (!T)
        return T.takeError();
      return Place{*T, When};
    }
    return Place{Thread, When};
  }

  Expected<Place> percent(StringRef Text) const {
    const auto Told = readReal(Text.drop_back());
    const double Share = Told.value_or(-1);
    if (!(Share >= 0 && Share <= 100))
      return usageError("'" + Text + "' is not a share from 0% to 100%");
    if (Share == 100)
      return end();
    uint64_t N = S.Store.numInstructions(Thread);
    return position(Text, uint64_t(double(N) * Share / 100));
  }

  /// A place of the call of the function that runs where one is.
  Expected<Place> ofCall(StringRef Text) const {
    auto Calls = CallIndex::open(S.Store);
    if (!Calls)
      return Calls.takeError();
    auto Now = S.Store.positionOf(Thread, From.When);
    if (!Now)
      return Now.takeError();
    if (!*Calls)
      return userError("'" + Text + "': the index of this trace has no calls");
    auto A = (*Calls)->enclosing(Thread, *Now);
    if (!A)
      return A.takeError();
    if (!*A)
      return userError("'" + Text +
                       "': no function runs at the end of the "
                       "trace");
    const Activation &F = **A;
    if (Text == "entry")
      return position(Text, F.Start);
    if (Text == "return")
      return position(Text, F.End - 1);
    if (F.Start == 0 || F.Kind == ActivationKind::Root ||
        (F.Flags & Activation::BeforeTrace))
      return userError("'caller': the function that runs at " +
                       formatPlace(S.Store, Thread, *Now) +
                       " was called before the trace begins, or before a gap "
                       "in it");
    return position(Text, F.Start - 1);
  }

  /// "crash+5": a position and a distance from it; none if it is no such thing.
  Expected<std::optional<Place>> sum(StringRef Text) const {
    const size_t At = Text.find_last_of("+-");
    if (At == StringRef::npos || At == 0)
      return std::nullopt;
    auto N = parseNumber(Text.substr(At + 1).trim());
    if (!N)
      return std::nullopt;
    auto Base = parse(Text.take_front(At).trim());
    if (!Base) {
      if (!Base.errorIsA<UsageError>())
        return Base.takeError();
      consumeError(Base.takeError());
      return std::nullopt;
    }
    Parser Other = *this;
    Other.Thread = Base->Thread;
    auto P = S.Store.positionOf(Base->Thread, Base->When);
    if (!P)
      return P.takeError();
    const bool Back = Text[At] == '-';
    const uint64_t Last = S.Store.numInstructions(Base->Thread);
    if (Back ? *N > *P : *N > Last - *P)
      return userError("position " + Text + " is out of range: " +
                       Text.take_front(At).trim() + " is " +
                       formatPosition(*P) + " of #0 to #" + Twine(Last));
    auto Where = Other.position(Text, Back ? *P - *N : *P + *N);
    if (!Where)
      return Where.takeError();
    return *Where;
  }

  bool isFunction(StringRef Text) const {
    return S.Symbols && !Text.empty() && !isDigit(Text[0]) &&
           any_of(S.Symbols->findSymbol(Text), [&](const DataSymbol &D) {
             auto Code = S.Symbols->symbolizeCode(D.Start);
             return Code && Code->Start == D.Start;
           });
  }

  /// What is said of a function's name.
  static Error noPosition(StringRef Text) {
    return usageError("'" + Text +
                      "' is a function, not a position: 'rewind find " + Text +
                      "' tells when it runs; " + Forms);
  }

  Expected<Place> parse(StringRef Text) const {
    if (auto Where = Marks.find(Text))
      return OfNamed ? Place{Thread, Where->When} : *Where;
    if (Text == "start")
      return position(Text, 0);
    if (Text == "end")
      return end();
    if (Text == "caller" || Text == "entry" || Text == "return")
      return ofCall(Text);
    if ((Text.starts_with("+") || Text.starts_with("-")) &&
        Text.find_first_of("+-", 1) == StringRef::npos)
      return relative(Text);
    if (auto Sum = sum(Text); !Sum)
      return Sum.takeError();
    else if (*Sum)
      return **Sum;
    if (Text.starts_with("+") || Text.starts_with("-"))
      return relative(Text);
    if (Text.starts_with("t:"))
      return atTime(Text);
    if (Text.starts_with("l:"))
      return atLine(Text);
    if (Text.size() > 1 && Text.ends_with("%"))
      return percent(Text);
    StringRef Number = Text;
    bool Hash = Number.consume_front("#");
    if (auto N = parseNumber(Number); N && (Hash || isDigit(Number.front())))
      return position(Text, *N);
    if (!Marks.problem().empty())
      return userError("'" + Text + "' may be a bookmark, but the " +
                       Marks.problem());
    if (std::string Why = whyNoNumber(Number); !Why.empty())
      return usageError("'" + Text + "' is not a position: " + Why);
    return isFunction(Text)
               ? noPosition(Text)
               : usageError("'" + Text + "' is not a position; " + Forms);
  }
};

} // namespace

Expected<Place> parsePosition(const Session &S, StringRef Text,
                              std::optional<ThreadIndex> Of,
                              std::optional<Place> From) {
  Text = Text.trim();
  if (Text.empty())
    return usageError("a position is missing");
  if (Text.size() > LongestNumber)
    return usageError("a position of " + Twine(Text.size()) +
                      " characters is too long");
  Names Marks(S);
  const Place Here = From.value_or(S.Here);
  Parser P{S, Here, Of.value_or(Here.Thread), Marks};
  if (Text.contains(':') && !Text.starts_with("t:") &&
      !Text.starts_with("l:")) {
    // A thread's name may hold colons itself.
    auto [Name, Rest] = Text.rsplit(':');
    if (Name.ends_with(":t") || Name.ends_with(":l")) {
      Rest = Text.drop_front(Name.size() - 1);
      Name = Name.drop_back(2);
    }
    auto T = parseThread(S.Store, Name);
    if (!T) {
      if (P.isFunction(Text)) {
        consumeError(T.takeError());
        return P.noPosition(Text);
      }
      uint64_t Line;
      if (!Name.contains('.') || Rest.trim().getAsInteger(10, Line))
        return T.takeError();
      consumeError(T.takeError());
      return usageError("'" + Text +
                        "' is a source line, not a position: 'rewind find " +
                        Text + "' tells where it runs; " + Forms);
    }
    P.Thread = *T;
    P.OfNamed = true;
    Text = Rest.trim();
  }
  auto Where = P.parse(Text);
  if (Where && !Marks.problem().empty())
    S.warn("'" + Text.str() + "' is not looked for among the bookmarks: the " +
           Marks.problem());
  return Where;
}

} // namespace rw
