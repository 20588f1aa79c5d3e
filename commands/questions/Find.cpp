//===- Find.cpp - rewind find ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/questions/FindTarget.h"
#include "commands/support/Listing.h"
#include "commands/support/NearNames.h"
#include "commands/support/PlaceRows.h"
#include "commands/support/PositionExpr.h"
#include "commands/support/UnknownName.h"
#include "core/store/StateCursor.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

namespace {

struct Found {
  /// When, and which of those that are there at once.
  std::vector<std::pair<Moment, uint64_t>> Moments;
  uint64_t Count = 0;
  Ending End;
};

} // namespace

/// An item of the list: the place, and what the target has to say.
static void addItem(JsonItems &Items, PlaceRows &Places, const Instruction &I,
                    json::Object More) {
  JsonRows &Row = Items.begin(
      Places.fields(Items.rows(), I, [](json::Object &O, const InsnItem &Insn) {
        addOutcome(O, Insn);
      }));
  SmallVector<std::pair<StringRef, json::Value *>, 4> Sorted;
  for (auto &[Key, V] : More)
    Sorted.push_back({Key, &V});
  llvm::sort(Sorted, less_first());
  auto Next = Sorted.begin();
  auto UpTo = [&](StringRef Key) {
    for (; Next != Sorted.end() && (Key.empty() || Next->first < Key); ++Next)
      Row.field(Next->first, std::move(*Next->second));
  };
  UpTo("line");
  Places.line(Row, I);
  UpTo("position");
  Places.position(Row, I);
  UpTo("thread");
  Places.threadAndTime(Row, I);
  UpTo("");
  Row.end();
}

static Error report(Session &S, FindTarget &What, StringRef Noun,
                    const Found &Result, bool Json) {
  JsonItems Items(S.Out);
  PlaceRows Places(S);
  auto Near = StateCursor::openPlaces(S.Store);
  std::string Row;
  for (const auto &[M, Nth] : Result.Moments) {
    json::Object More;
    auto Remark = What.remark(M, Nth, More);
    if (!Remark)
      return Remark.takeError();
    if (M >= S.Store.numInstructions()) { // an event that ended the trace
      More["position"] = M;
      if (Json)
        Items.add(std::move(More));
      else
        S.Out << formatPosition(M) << "  (end)  " << *Remark << "\n";
      continue;
    }
    auto At = Near->at(M);
    if (!At)
      return At.takeError();
    const Instruction &I = **At;
    if (Json) {
      addItem(Items, Places, I, std::move(More));
      continue;
    }
    Row.clear();
    Places.text(Row, I);
    if (StringRef Outcome = formatOutcome(I.Insn); !Outcome.empty())
      Row += ("  (" + Outcome + ")").str();
    if (!Remark->empty())
      Row += "  " + *Remark;
    S.Out << Row << "\n";
  }
  if (Json) {
    S.FoundNothing |= Result.Moments.empty();
    json::Object O = listJson({}, Result.End);
    O["answered_by"] = What.scans() ? "scan" : "index";
    if (What.unknown())
      O["unknown"] = What.unknown();
    Items.print(std::move(O));
  } else if (Result.Moments.size() != 1 || !Result.End.Complete)
    printEnding(S, Result.Count, Noun, Result.End);
  if (!Json && What.unknown())
    S.Out << "-- " << What.leftOut() << "\n";
  if (!Json && What.scans())
    S.Out << "-- " << What.scanned() << "\n";
  return Error::success();
}

/// "cpu-change", "cpu change".
static Expected<EventKind> parseKind(StringRef Text) {
  std::string Kinds;
  for (unsigned K = 0; K < NumEventKinds; ++K) {
    std::string Name = eventName(EventKind(K));
    if (Text == Name)
      return EventKind(K);
    std::replace(Name.begin(), Name.end(), ' ', '-');
    if (Text == Name)
      return EventKind(K);
    Kinds += (K ? ", " : "") + Name;
  }
  return usageError("no kind of event: '" + Text + "'; there are " + Kinds);
}

namespace {

/// What is looked for, in a word.
struct Wanted {
  std::unique_ptr<FindTarget> What;
  std::string Noun = "visit"; ///< "visit", "call of push", for messages
  std::string Of;             ///< " of main"
};

/// Which of them, and from where.
struct Choice {
  enum { First, Last, Next, Prev, All } Which = All;
  uint64_t Nth = 1;
  bool ahead() const { return Which != Last && Which != Prev; }
};

} // namespace

static constexpr StringLiteral TargetKinds[] = {
    "value", "opcode", "mnemonic", "syscall", "call", "exception"};

/// The kind of target that \p Word is short for, if only one is, and no place
/// is called so; else the word.
static StringRef kindOfTarget(Session &S, StringRef Word) {
  StringRef Only;
  for (StringRef K : TargetKinds) {
    if (K == Word)
      return Word;
    if (Word.empty() || !K.starts_with(Word))
      continue;
    if (!Only.empty())
      return Word;
    Only = K;
  }
  if (Only.empty() || namesRegister(S.Store, Word) ||
      (S.Symbols && !S.Symbols->findSymbol(Word).empty()))
    return Word;
  return Only;
}

/// What is said of words that name no place, as \p Why tells: the first may be
/// a kind of target that is spelt otherwise.
static Error misspelledTarget(Session &S, ArrayRef<std::string> Words,
                              Error Why) {
  const StringRef First = Words[0];
  const bool Computes =
      Words.size() > 1 &&
      StringRef("+-*<>").contains(Words[1].empty() ? '+' : Words[1][0]);
  if (!Why.isA<NoSuchName>() || Computes || !all_of(First, isAlpha))
    return Why;
  NearNames Kinds(First);
  // It may be short for one, and the name of something.
  for (StringRef K : TargetKinds)
    Kinds.add(K.starts_with(First) ? First : K, ("find " + K).str());
  if (Kinds.question().empty())
    return Why;
  consumeError(std::move(Why));
  if (Words.size() == 1) {
    Kinds.addRegisters(S.Store.registerFile());
    if (S.Symbols)
      Kinds.addSymbols(*S.Symbols);
  }
  return usageError("'" + join(Words, " ") +
                    "' is no place of the code, and nothing that find knows" +
                    Kinds.question());
}

static Expected<Wanted> understand(Session &S, const ParsedOptions &O,
                                   const Place &At, ThreadFilter T) {
  Wanted W;
  const auto &Words = O.arguments();
  const StringRef Kind =
      Words.empty() ? StringRef() : kindOfTarget(S, Words[0]);
  const std::string Text = O.text(), Rest = O.text(1);
  const bool More = Words.size() > 1;
  auto Take = [&](Expected<std::unique_ptr<FindTarget>> Made,
                  const Twine &Noun) -> Expected<Wanted> {
    if (!Made)
      return Made.takeError();
    W.What = std::move(*Made);
    W.Noun = Noun.str();
    return Expected<Wanted>(std::move(W));
  };
  const bool ByValue = Kind == "value" && More;
  for (StringRef Name : {"in", "size"})
    if (O.has(Name) && !ByValue)
      return usageError("--" + Name + " is for 'find value'");
  if (O.has("kind") && Kind != "exception")
    return usageError("--kind is for 'find exception'");

  if (Kind == "exception" && More)
    return usageError("'find exception' takes no more words; --kind says of "
                      "which text");
  if (Kind == "exception" || O.has("event")) {
    auto Event =
        O.has("event") ? parseKind(*O.value("event")) : EventKind::Exception;
    if (!Event)
      return Event.takeError();
    if (O.has("event") && !Text.empty())
      return usageError("either --event or a place in the code");
    return Take(findEvents(S, *Event, O.value("kind").value_or(""), T),
                eventName(*Event));
  }
  if (Text.empty())
    return usageError("find what? An address, a symbol, file:line, a value, an "
                      "opcode, a mnemonic, a syscall, a call, or --event");
  if (ByValue) {
    auto Q = parseValueQuestion(S, At, Rest, O);
    if (!Q)
      return Q.takeError();
    const TraceHeader &H = S.Store.header();
    if (!(Q->Registers && H.Can.Registers) && !(Q->Memory && H.Can.MemValues))
      return userError("this trace (" + H.Format + ") tells no values there");
    W.Noun = "instruction";
    W.Of = " that made it " + Rest + Q->Meaning;
    W.What = findValue(S, std::move(*Q), T);
    return W;
  }
  if (Kind == "opcode" && More)
    return Take(findOpcode(S, Rest, T), "instruction");
  if (Kind == "mnemonic" && More)
    return Take(findMnemonic(S, Rest, T), "instruction");
  if (Kind == "syscall" && Words.size() <= 2)
    return Take(findSystemCalls(S, Rest, T), "system call");
  if (Kind == "call" && More) {
    W.Of = " of " + Rest;
    return Take(findCalls(S, At, Rest, O.has("entry"), T), "call");
  }
  auto Code = parseCodePlace(S, At, Text, O.has("entry"));
  if (!Code) {
    // A function may be called so, but none is.
    for (auto [Word, Example] : {std::pair("value", "42"),
                                 {"opcode", "d4????01"},
                                 {"mnemonic", "udiv"},
                                 {"call", "main"}})
      if (Kind == Word && !More) {
        consumeError(Code.takeError());
        return usageError("find which " + Kind + "? For example: rewind find " +
                          Kind + " " + Example);
      }
    return misspelledTarget(S, Words, Code.takeError());
  }
  W.What = findVisits(S, std::move(*Code), T);
  W.Of = " of " + Text;
  return W;
}

static Expected<Choice> choose(const Session &S, const ParsedOptions &O) {
  Choice C;
  unsigned Given = 0;
  for (auto [Name, Which] : {std::pair("first", Choice::First),
                             {"last", Choice::Last},
                             {"next", Choice::Next},
                             {"prev", Choice::Prev},
                             {"all", Choice::All}})
    if (O.has(Name)) {
      C.Which = Which;
      ++Given;
    }
  if (Given > 1)
    return usageError("only one of --first, --last, --next, --prev and --all "
                      "at a time");
  auto Nth = O.number("nth");
  if (!Nth)
    return Nth.takeError();
  if (*Nth && !**Nth)
    return usageError("--nth counts from 1");
  C.Nth = Nth->value_or(1);
  if (*Nth && Given && C.Which == Choice::All)
    return usageError("--nth asks for one, --all for all");
  if (*Nth && !Given)
    C.Which = Choice::First;
  const bool Counts = O.has("how-many");
  if (Counts && (*Nth || O.has("goto") || O.has("count")))
    return usageError("--how-many only counts: neither --nth, --count nor "
                      "--goto goes with it");
  // At a prompt one wants the next one; a script wants them all.
  if (!Given && !*Nth && !Counts && (S.inDebugger() || O.has("goto")))
    C.Which = Choice::Next;
  if (C.Which == Choice::All && O.has("goto"))
    return usageError("--goto needs one place to go to: --next, --prev, "
                      "--first, --last or --nth");
  return C;
}

static Error runFind(Session &S, const ParsedOptions &Options) {
  auto C = choose(S, Options);
  if (!C)
    return C.takeError();
  auto At = askedAt(S, Options,
                    C->Which == Choice::Prev ? Looks::Back : Looks::Ahead);
  if (!At)
    return At.takeError();
  const bool Counts = Options.has("how-many"), Json = Options.has("json");
  const bool All = C->Which == Choice::All;
  auto Limit = listLimit(S, Options);
  if (!Limit)
    return Limit.takeError();
  if (Counts)
    Limit = ~uint64_t(0);
  else if (!All && !Options.has("count"))
    Limit = 1;

  std::optional<ThreadIndex> T;
  if (Options.has("thread"))
    T = At->Thread;
  auto W = understand(S, Options, *At, T);
  if (!W)
    return W.takeError();
  const auto If = Options.value("if");
  if (If) {
    auto Filtered = findIf(S, std::move(W->What), *If);
    if (!Filtered)
      return Filtered.takeError();
    W->What = std::move(*Filtered);
  }
  FindTarget &What = *W->What;
  std::string Nth; // "2nd "
  if (C->Nth > 1)
    Nth = (Twine(C->Nth) + getOrdinalSuffix(unsigned(C->Nth)) + " ").str();

  Found Result;
  const Moment End = S.Store.numInstructions();
  Span &Searched = Result.End.Searched;
  Searched = {0, End};
  if (C->Which == Choice::Prev)
    Searched.To = At->When;
  else if (C->Which == Choice::Next)
    Searched.From = std::min(At->When + 1, End);
  const bool Ahead = C->ahead();
  Moment Cursor = Ahead ? Searched.From : Searched.To;
  Cursor += C->Which == Choice::Last && What.atEnd();
  auto Step = [&]() -> Expected<bool> {
    auto M = Ahead ? What.from(Cursor) : What.last(Cursor);
    if (!M)
      return M.takeError();
    if (!*M)
      return false;
    Cursor = Ahead ? **M + 1 : **M;
    return true;
  };
  uint64_t Seen = 0, &Kept = Result.Count;
  uint64_t Left = 0; // of those found at once
  bool More = true, &Cut = Result.End.Cancelled;
  while (More && Kept < *Limit && !(Cut = S.cancelled())) {
    auto One = Step();
    if (!One)
      return One.takeError();
    More = *One;
    if (!More)
      continue;
    const Moment M = Ahead ? Cursor - 1 : Cursor;
    auto Here = What.together(M);
    if (!Here)
      return Here.takeError();
    for (uint64_t N = 0; N < *Here && Kept < *Limit; ++N) {
      Left = *Here - N - 1;
      if (++Seen < C->Nth)
        continue;
      ++Kept;
      if (!Counts)
        Result.Moments.push_back({M, Ahead ? N : Left});
    }
  }
  // One more than wanted, to tell whether there are more. Whoever asked for one
  // knows that there may be others.
  if (More && !Cut && !Left && (All || *Limit != 1 || Json)) {
    auto One = Step();
    if (!One)
      return One.takeError();
    More = *One;
  }
  if (auto Reached = What.cut(); !More && Reached) {
    Cut = true;
    Cursor = *Reached;
  }
  if (Cut && Ahead)
    Searched.To = std::min(Cursor, End); // events may be behind the end
  else if (Cut)
    Searched.From = Cursor;
  Result.End.Complete = !More && !Cut;
  if (!All && *Limit == 1 && Result.Moments.size() == 1 && !Json)
    Result.End.Complete = true;
  const StringRef How = What.scans() ? "scan" : "index";

  if (Counts) {
    if (Json) {
      json::Object O = listJson({}, Result.End);
      O["count"] = Kept;
      O["answered_by"] = How;
      if (What.unknown())
        O["unknown"] = What.unknown();
      printJson(S.Out, std::move(O));
    } else {
      S.Out << Kept << " " << W->Noun << (Kept == 1 ? "" : "s") << W->Of
            << (What.unknown() ? "; " + What.leftOut() : std::string())
            << (Cut ? "; interrupted, searched " +
                          formatPosition(Searched.From) + " to " +
                          formatPosition(Searched.To)
                    : std::string())
            << "\n";
    }
    S.FoundNothing = !Kept;
    return Error::success();
  }
  if (Result.Moments.empty() && !Json && !All)
    return userError(
        (Cut ? "interrupted: no " : "no ") + Nth + W->Noun + W->Of +
        (If ? " for which '" + If->str() + "' holds" : "") +
        (C->Which == Choice::Prev   ? " before here"
         : C->Which == Choice::Next ? " after here"
                                    : "") +
        " (searched " + formatPosition(Searched.From) + " to " +
        formatPosition(Searched.To) +
        (What.unknown() ? ", " + What.leftOut() : std::string()) + ")");
  if (Error E = report(S, What, W->Noun, Result, Json))
    return E;
  if (!Options.has("goto") || Result.Moments.empty())
    return Error::success();
  if (Cut && Kept < *Limit) // the last of those found is not the one asked for
    return userError("interrupted");
  const Moment M = Result.Moments.back().first;
  S.TellsPlace = Result.Moments.size() == 1; // of several, the stop says which
  ThreadIndex Thread = At->Thread;
  if (M < End) {
    auto Whose = S.Store.threadAt(M);
    if (!Whose)
      return Whose.takeError();
    Thread = *Whose;
  }
  static constexpr StringLiteral Words[] = {"first ", "last ", "next ",
                                            "previous "};
  const StringRef Word = Words[C->Which];
  return S.moveTo({Thread, M}, ((Nth.empty() || Word != Words[0] ? Word : "") +
                                Nth + W->Noun + W->Of)
                                   .str());
}

static constexpr OptionSpec FindOptions[] = {
    {"next", 'n', "", "the next one after here"},
    {"prev", 'p', "", "the last one before here"},
    {"first", 0, "", "the first one of the trace"},
    {"last", 0, "", "the last one of the trace"},
    {"all", 'a', "", "all of the trace"},
    {"nth", 0, "k",
     "the k-th one, from 1 (of the trace, or as --next and its "
     "kin say)"},
    {"how-many", 0, "", "only count them"},
    {"if", 0, "expression", "only where it holds"},
    {"in", 0, "where",
     "of a value: reg, mem, a register, a variable, a bit-field or a range "
     "(0x1000..0x2000)",
     "reg|mem"},
    {"size", 's', "bytes", "of a value: 1, 2, 4 or 8"},
    {"kind", 0, "text", "of exceptions: only those whose text has it (a glob)"},
    {"event", 'e', "kind",
     "find an event instead of a place in the code: exception, gap, pause, "
     "mark, "
     "cpu-change, mode-change, error, clock-tick, sync-point",
     "exception|gap|pause|mark|cpu-change|mode-change|error|clock-tick|sync-"
     "point"},
    opt::Entry,
    opt::Count,
    opt::At,
    opt::Thread,
    opt::Goto,
    opt::Json};

extern const Command FindCommand = {
    .Name = "find",
    .Summary = "Find when code was reached, a value made, a call or an event",
    .Arguments = "<place> | value <v> | opcode|mnemonic <pattern> | syscall "
                 "[<syscall>] | call <function> | exception",
    .Help = R"(
Tells when the instruction at an address, a function's body (where a breakpoint
on it stops; --entry: its first instruction) or the code of a source line was
about to run. A line that opens a function is meant behind its prologue, too;
one with several blocks (a loop and its body) is a place in each of them.
Answered from the index: the distance does not matter. Without --next, --prev, --first, --last or --all it finds the next one, or, in
the shell, all. An instruction whose condition failed counts and is marked.

  (lldb) rewind find sort --prev --goto
  rewind find inventory.c:99 --all -c 5
  rewind find exception --next
  rewind find --event pause --all

A value: when a register or a word of memory became it (42, -471, 0x6c00000067,
'x', an enumerator, or 1.5, which is looked for as a float and as a double).
Registers as a whole, memory in aligned words of 4 bytes, of 8 if the value
needs them; --size for other ones. A variable with --in has its type: what that
cannot be is refused. With --in a register, a variable or a range
the index knows where to look, unless much is written there; else every
instruction is looked at, on all cores. The answer says which.

  rewind find value 0x174 --first
  rewind find value -1 --in mem --size 4 --all -c 3
  rewind find value 251 --in 0x4200f0..0x4200f4 --first

Instructions, by opcode ("?": any digit; or with a mask) or by mnemonic (a glob;
with a blank in it, all of the text), and system calls (Linux's svc, sc and
syscall, and Arm's semihosting) with their arguments and results:

  rewind find mnemonic udiv --how-many
  rewind find opcode d4????01 --all
  rewind find syscall --all

Calls of a function, each once, found where its arguments are. --if asks about
registers and memory, in LLDB about anything; in the shell also about variables,
by C's rules: numbers, pointers, enumerators, functions. What it does not compute
(text, __int128, long double) it refuses; how often it is not known is told.

  rewind find call find --if '$w1 == 148' --nth 2
)",
    .Options = FindOptions,
    .Run = runFind,
    .OnlyAsks = true,
};

} // namespace rw
