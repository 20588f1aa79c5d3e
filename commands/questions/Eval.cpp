//===- Eval.cpp - rewind eval ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Access.h"
#include "commands/support/CompiledText.h"
#include "commands/support/Listing.h"
#include "commands/support/LocationAlong.h"
#include "commands/support/PlaceReport.h"
#include "commands/support/PlaceRows.h"
#include "commands/support/PositionExpr.h"
#include "commands/support/SessionInput.h"
#include "commands/support/UnknownName.h"
#include "commands/support/Visits.h"
#include "core/store/TraceStore.h"
#include <chrono>
#include <unordered_map>

using namespace llvm;

namespace rw {

/// Whether \p Value, as it is shown, says only that, or in its brackets also
/// why.
static bool isUnknown(StringRef Value) {
  return Value == UnknownText || (Value.consume_front("<unknown:") &&
                                  Value.find('>') + 1 == Value.size());
}

namespace {

/// The value of an expression at one place after the other. In LLDB what the
/// debugger makes of it; else the contents of a register or of memory.
class Evaluation {
public:
  Evaluation(Session &S, const ParsedOptions &Options,
             std::optional<uint64_t> Size)
      : S(S), Text(StringRef(Options.text()).trim()), Size(Size),
        Json(Options.has("json")), PC(pcNamed(Text)),
        Near(PC ? StateCursor::openPlaces(S.Store)
             : namesRegister(S.Store, Text)
                 ? StateCursor::openRegisters(S.Store)
                 : StateCursor::open(S.Store)),
        What(S, *Near, Text, Size) {
    ByDebugger = S.Expressions && S.inDebugger() && !Size &&
                 !namesRegister(S.Store, Text);
    if (!Size && isComputed(Text))
      Computed.emplace(S, Text);
  }

  /// Appends the value at \p Where, as it is shown. \p At: the address that the
  /// thread goes on at; none if it ends there.
  Error append(std::string &Out, Place Where, std::optional<uint64_t> At) {
    if (auto It = At ? Nameless.find(*At) : Nameless.end();
        It != Nameless.end())
      return make_error<NoSuchName>(It->second);
    Error E = appendAnew(Out, Where, At);
    if (!At || !E.isA<NoSuchName>())
      return E;
    const std::string &Why = Nameless[*At] = toString(std::move(E));
    return make_error<NoSuchName>(Why);
  }
  /// The one at \p M, without effects. In the order in which a cursor goes, it
  /// is asked for after a value there.
  Expected<const Instruction *> instruction(Moment M) {
    return Near->placeAt(M);
  }

private:
  Error appendAnew(std::string &Out, Place Where, std::optional<uint64_t> At);
  Error appendPC(std::string &Out, std::optional<uint64_t> At);
  Error appendByDebugger(std::string &Out, Place Where,
                         std::optional<uint64_t> At);
  bool appendNumber(std::string &Out, Place Where, uint64_t At);
  bool appendComputed(std::string &Out, Place Where, uint64_t At);
  void appendTold(std::string &Out, const Value &V) const;
  Error appendContents(std::string &Out, const Location &L, Moment When);
  Error appendEvaluated(std::string &Out, Place Where);
  const RegisterInfo *pcNamed(StringRef Text) const {
    const RegisterInfo *R = S.Store.registerFile().find(Text);
    return R && R->IsPC && !Size ? R : nullptr;
  }

  Session &S;
  const std::string Text;
  const std::optional<uint64_t> Size;
  const bool Json;
  const RegisterInfo
      *const PC; ///< the register that is asked for; null: another
  bool ByDebugger;
  std::unique_ptr<StateCursor> Near;
  LocationAlong What;
  std::optional<CompiledText> Computed; ///< if it has operators
  Value V;                              ///< the last contents
  /// What is said at instructions that do not know a name of it: to look for
  /// others like it takes milliseconds.
  std::unordered_map<uint64_t, std::string> Nameless;

  // These are for what the debugger evaluates.
  std::chrono::steady_clock::duration Spent{}; ///< by the debugger
  bool ToldNumber = false; ///< its last answer, as Evaluated says
  std::optional<std::unique_ptr<LvalueAlong>> Lvalue;
  struct Agreement {
    unsigned Answers = 0;
    bool Broken = false;
  };
  std::unordered_map<uint64_t, Agreement> Agreed; ///< by instruction
};

} // namespace

Error Evaluation::appendPC(std::string &Out, std::optional<uint64_t> At) {
  if (!At)
    return userError("the pc is unknown: the thread ends here");
  // No lane keeps it, but every instruction tells it.
  V = Value(PC->Slice.Size);
  for (size_t B = 0; B < V.Bytes.size(); ++B) {
    V.Bytes[B] = uint8_t(*At >> 8 * B);
    V.Known[B] = 1;
  }
  appendTold(Out, V);
  return Error::success();
}

void Evaluation::appendTold(std::string &Out, const Value &V) const {
  // In JSON bytes are only bytes; what a person makes of them follows them in
  // text.
  if (Json && S.Style.Format == ValueFormat::None && showsBytes(S, V))
    appendValue(Out, V);
  else
    appendShown(Out, S, V);
}

Error Evaluation::appendContents(std::string &Out, const Location &L,
                                 Moment When) {
  if (Error E = readLocation(S, *Near, L, When, V))
    return E;
  appendTold(Out, V);
  return Error::success();
}

Error Evaluation::appendEvaluated(std::string &Out, Place Where) {
  auto E = S.Expressions->evaluate(Text, Where, S.Style);
  if (!E)
    return E.takeError();
  ToldNumber = E->Comparable;
  if (E->Object)
    return appendContents(Out, *E->Object, Where.When);
  if (!E->Scalar) {
    Out += E->Text;
    return Error::success();
  }
  Value Scalar(E->Scalar->Value.size());
  Scalar.Bytes = std::move(E->Scalar->Value);
  Scalar.Known.assign(Scalar.Bytes.size(), 1);
  Scalar.Order = E->Scalar->Order;
  Scalar.Type = E->Scalar->Type;
  Scalar.When = Where.When;
  appendTold(Out, Scalar);
  return Error::success();
}

/// Appends the value of what is computed of numbers; false if it is no such
/// thing, or not known.
bool Evaluation::appendComputed(std::string &Out, Place Where, uint64_t At) {
  if (!Computed)
    return false;
  const auto &E = Computed->at(Where, At).Compiled;
  if (!E || E->type().Address)
    return false;
  SessionInput Input(S, Where, Near.get());
  auto N = E->isTruth() ? E->test(Input) : E->evaluate(Input);
  if (!N || !*N) {
    consumeError(N.takeError());
    return false;
  }
  V = computedValue(E->type(), E->isTruth(), **N);
  appendTold(Out, V);
  return true;
}

/// Appends the value of a number or pointer as debug information has it, or of
/// what is computed; false if it is no such thing, or not known.
bool Evaluation::appendNumber(std::string &Out, Place Where, uint64_t At) {
  if (Computed)
    return appendComputed(Out, Where, At);
  if (!Lvalue)
    Lvalue = S.Expressions->along(Text, *Near);
  const Location *L = *Lvalue ? (*Lvalue)->at(Where, At) : nullptr;
  if (!L || !L->Type || !L->Type->isScalar() || L->Type->Kind == TypeKind::Text)
    return false;
  if (Error E = readLocation(S, *Near, *L, Where.When, V)) {
    consumeError(std::move(E));
    return false;
  }
  if (!all_of(V.Known, [](uint8_t Known) { return Known != 0; }))
    return false;
  appendTold(Out, V);
  return true;
}

/// A debugger takes a thousand times as long as debug information does. Where
/// the two have agreed on a number at several visits of an instruction, the
/// latter is believed at the others.
Error Evaluation::appendByDebugger(std::string &Out, Place Where,
                                   std::optional<uint64_t> At) {
  using Clock = std::chrono::steady_clock;
  constexpr unsigned Enough = 3;
  constexpr auto Long = std::chrono::milliseconds(300);
  Agreement *Both = nullptr;
  std::string Ours;
  if (At && Spent >= Long && !S.Style.Raw &&
      S.Style.Format == ValueFormat::None) {
    Both = &Agreed[*At];
    if (!Both->Broken && !appendNumber(Ours, Where, *At))
      Ours.clear();
    if (!Ours.empty() && Both->Answers >= Enough) {
      Out += Ours;
      return Error::success();
    }
  }
  const size_t Begin = Out.size();
  const auto Started = Clock::now();
  Error E = appendEvaluated(Out, Where);
  Spent += Clock::now() - Started;
  if (!E && !Ours.empty()) {
    const StringRef Told = StringRef(Out).drop_front(Begin);
    ++Both->Answers;
    Both->Broken |= !ToldNumber || Told != Ours;
  }
  if (!E.isA<UnknownValue>())
    return E;
  // What is known of a value with a place is told as elsewhere.
  auto L = S.Expressions->locate(Text, Where);
  if (!L) {
    consumeError(L.takeError());
    return E;
  }
  consumeError(std::move(E));
  return appendContents(Out, *L, Where.When);
}

Error Evaluation::appendAnew(std::string &Out, Place Where,
                             std::optional<uint64_t> At) {
  if (PC)
    return appendPC(Out, At);
  if (ByDebugger)
    return appendByDebugger(Out, Where, At);
  if (S.Expressions && !Size && StringRef(Text).ltrim("( ").starts_with("&"))
    return appendEvaluated(Out, Where);
  // At the end of a thread there is no place of the code.
  if (Computed && appendComputed(Out, Where, At.value_or(~uint64_t(0))))
    return Error::success();
  if (Computed && S.Expressions) {
    Error E = appendEvaluated(Out, Where);
    if (!E.isA<UnknownValue>())
      return E;
    consumeError(std::move(E));
    Out += UnknownText;
    return Error::success();
  }
  auto L = What.at(Where, At.value_or(~uint64_t(0)));
  if (L)
    return appendContents(Out, **L, Where.When);
  if (!S.Expressions || Size)
    return L.takeError();
  // What has no place may have a value.
  if (Error E = appendEvaluated(Out, Where)) {
    consumeError(std::move(E));
    return L.takeError();
  }
  consumeError(L.takeError());
  return Error::success();
}

/// Where in time the question is asked, or else the places of the code, in
/// \p Code. A name or a number that can be both is a place of the code, but for
/// numbers in decimal and the words for positions.
static Expected<std::optional<Place>>
whereToEvaluate(Session &S, const ParsedOptions &Options, CodePlace &Code) {
  auto Text = Options.value("at");
  if (!Text) {
    if (S.inDebugger())
      return askedAt(S, Options, Looks::Ahead);
    return usageError("--at <file:line | symbol | address | position> is "
                      "missing: where to evaluate");
  }
  if (!isWrittenAsPosition(*Text) && !isPositionWord(*Text)) {
    auto Named = parseCodePlace(S, S.Here, *Text, Options.has("entry"));
    if (Named) {
      Code = std::move(*Named);
      return std::nullopt;
    }
    // A bookmark.
    auto P = askedAt(S, Options, Looks::Ahead);
    if (!P) {
      consumeError(P.takeError());
      if (!Named.errorIsA<NoSuchName>())
        return Named.takeError();
      return userError("'" + *Text + "' is no bookmark or other position: " +
                       toString(Named.takeError()));
    }
    consumeError(Named.takeError());
    return *P;
  }
  return askedAt(S, Options, Looks::Ahead);
}

/// A row is a line; a compiler's complaint goes on for several.
static std::string inOneLine(Error E) {
  const std::string Text = toString(std::move(E));
  // A compiler's messages may begin with a line that says nothing.
  StringRef Rest = StringRef(Text).trim();
  while (Rest.consume_front("error:"))
    Rest = Rest.ltrim();
  return Rest.empty() ? "it has no value, and no reason was told"
                      : Rest.split('\n').first.rtrim().str();
}

/// Whose instruction comes first at \p Where, as a position is written, if it
/// is another thread's: what is told of memory is from before it, while the row
/// is of \p Next, the thread's own that follows. Empty if that comes first, or
/// none follows.
static Expected<std::string>
whoGoesFirst(const TraceStore &Store, Place Where,
             const std::optional<Instruction> &Next) {
  if (!Next || Next->When <= Where.When)
    return std::string();
  auto First = Store.positionAt(Where.When);
  if (!First)
    return First.takeError();
  return formatPlace(Store, First->first, First->second);
}

/// The value at a position: one row.
static Error evalAt(Session &S, const ParsedOptions &Options, Place Where) {
  for (StringRef Name : {"entry", "from", "to"})
    if (Options.has(Name))
      return usageError("--" + Name + " is for the visits of a place of the " +
                        "code: --at names one");
  auto Size = Options.number("size");
  if (!Size)
    return Size.takeError();
  Position Pos;
  auto I = nextInstruction(S.Store, Where, &Pos);
  if (!I)
    return I.takeError();
  std::string V;
  if (Error E = Evaluation(S, Options, *Size)
                    .append(V, Where,
                            *I ? std::optional((*I)->Insn.PC) : std::nullopt))
    return usageError(inOneLine(std::move(E)));
  auto First = whoGoesFirst(S.Store, Where, *I);
  if (!First)
    return First.takeError();
  if (!Options.has("json")) {
    std::string Row;
    if (*I)
      PlaceRows(S).text(Row, **I);
    else
      appendPlace(Row, S.Store, Where.Thread, Pos);
    S.Out << Row << (*I ? "  " : "  (its end)  ") << V;
    if (!First->empty())
      S.Out << "  (as of " << *First << ")";
    S.Out << "\n";
    return Error::success();
  }
  json::Object Item = *I ? placeJson(S, **I) : endJson(Where.Thread, Pos);
  Item["value"] = isUnknown(V) ? json::Value(nullptr) : json::Value(V);
  if (!First->empty())
    Item["as_of"] = *First;
  Ending End;
  End.Searched = {Where.When, Where.When};
  json::Object O = listJson(json::Array{std::move(Item)}, End);
  O["expression"] = Options.text();
  O["at"] = Options.value("at").value_or("").str();
  if (!Options.has("at"))
    O["at"] = formatPlace(S.Store, Where.Thread, Pos);
  printJson(S.Out, std::move(O));
  return Error::success();
}

/// Whether all that there is in \p Range of the places of \p Code fails as
/// \p Problem says, because the expression has a name that they do not know.
static Expected<bool> isUnknownEverywhere(Session &S, Evaluation &What,
                                          const CodePlace &Code, Span Range,
                                          StringRef Problem) {
  for (uint64_t PC : Code.Addresses) {
    auto M = S.Store.visitAtOrAfter(PC, Range.From);
    if (!M)
      return M.takeError();
    if (!*M || **M >= Range.To)
      continue;
    auto T = S.Store.threadAt(**M);
    if (!T)
      return T.takeError();
    std::string Text;
    Error E = What.append(Text, {*T, **M, Code.depthAt(PC)}, PC);
    const bool Unknown = E.isA<NoSuchName>();
    if (!E || inOneLine(std::move(E)) != Problem || !Unknown)
      return false;
  }
  return true;
}

static Error runEval(Session &S, const ParsedOptions &Options) {
  CodePlace Code;
  auto Where = whereToEvaluate(S, Options, Code);
  if (!Where)
    return Where.takeError();
  if (*Where)
    return evalAt(S, Options, **Where);
  auto Limit = listLimit(S, Options, 20);
  if (!Limit)
    return Limit.takeError();
  auto Size = Options.number("size");
  if (!Size)
    return Size.takeError();
  auto Range = searchSpan(S, Options);
  if (!Range)
    return Range.takeError();
  bool Json = Options.has("json");

  Ending End;
  End.Searched = *Range;
  JsonItems Items(S.Out);
  PlaceRows Places(S);
  Evaluation What(S, Options, *Size);
  auto Thread = threadAsked(S, Options);
  if (!Thread)
    return Thread.takeError();
  VisitSearch Visits(S.Store, Code, *Thread);
  uint64_t Count = 0, Failed = 0;
  std::string FirstProblem, V;
  bool SameProblem = true;
  // Rows of failures only, until something succeeds.
  std::string Rows;
  for (Moment Cursor = Range->From;; ++Count) {
    auto M = Visits.from(Cursor);
    if (!M)
      return M.takeError();
    if (!*M || **M >= Range->To)
      break;
    if (End.before(S, Count, *Limit, **M))
      break;
    Cursor = **M + 1;
    auto T = S.Store.threadAt(**M);
    if (!T)
      return T.takeError();
    V.clear();
    std::string Problem;
    const uint64_t PC = Visits.address();
    if (Error E = What.append(V, {*T, **M, Code.depthAt(PC)}, PC)) {
      const bool Unknown = E.isA<NoSuchName>();
      Problem = inOneLine(std::move(E));
      if (!Failed++)
        FirstProblem = Problem;
      SameProblem &= Problem == FirstProblem;
      if (Unknown && !Count) {
        auto Everywhere = isUnknownEverywhere(S, What, Code, *Range, Problem);
        if (!Everywhere)
          return Everywhere.takeError();
        if (*Everywhere)
          return usageError(FirstProblem);
        // Rows tell of which functions it is not.
        SameProblem = false;
      }
    }
    auto At = What.instruction(**M);
    if (!At)
      return At.takeError();
    const Instruction &I = **At;
    if (!Json) {
      Places.text(Rows, I);
      Rows += Problem.empty() ? "  " : "  error: ";
      Rows += Problem.empty() ? V : Problem;
      Rows += '\n';
      if (Failed <= Count) {
        S.Out << Rows;
        Rows.clear();
      }
      continue;
    }
    JsonRows &Item = Items.begin(Places.fields(
        Items.rows(), I, [](json::Object &, const InsnItem &) {}));
    if (!Problem.empty())
      Item.textField("error", Problem);
    Places.line(Item, I);
    Places.position(Item, I);
    Places.threadAndTime(Item, I);
    if (Problem.empty() && isUnknown(V))
      Item.field("value") += "null";
    else if (Problem.empty())
      Item.textField("value", V);
    Item.end();
  }
  // It fails everywhere: that is the answer. In the same way: it is the
  // expression that is wrong.
  if (Count && Failed == Count && SameProblem)
    return usageError(FirstProblem);
  S.Out << Rows;
  S.FoundNothing |= Failed == Count;
  if (!Json) {
    printEnding(S, Count, "visit", End);
    return Error::success();
  }
  json::Object O = listJson({}, End);
  O["expression"] = Options.text();
  O["at"] = Options.value("at")->str();
  Items.print(std::move(O));
  return Error::success();
}

static constexpr OptionSpec EvalOptions[] = {
    {"at", 0, "place",
     "file:line, symbol or address: at each visit; or a position"},
    opt::Entry,
    opt::Count,
    opt::From,
    opt::To,
    opt::Thread,
    opt::Size,
    opt::Format,
    opt::Raw,
    opt::Json};

extern const Command EvalCommand = {
    .Name = "eval",
    .Summary =
        "Evaluate an expression at every visit of a place, or at a position",
    .Arguments = "<expression>",
    .Help = R"(
A table of the values that an expression had each time a place of the code was
about to run. In LLDB any expression of the program's language; in the shell a
register, a memory location, a variable, or what is computed of these, as for
"find --if". Quote expressions there: an unquoted '>' is the shell's own,
'item->sku' is not.

  (lldb) rewind eval item->sku --at inventory.c:97 -c 10
  rewind eval w1 --at find
  rewind eval 'w1 & 7' --at find -c 3
  rewind eval w1 --at #1234

With a position it is the value there, in one row; without --at it is that where
you stand. With --thread only the visits of that thread are listed, and a
position's value is the one that thread has then: where another thread acts before
it goes on, (as of 2:#44) says before what. What can be both, such as
"end" in a program that has a symbol of that name, is a place of the code; a
number in decimal is a position.

A function, or the line that opens it, is meant behind its prologue, where a
breakpoint on it stops: before, its parameters and variables are not yet where debug info says (--entry).
)",
    .Options = EvalOptions,
    .MinArguments = 1,
    .Run = runEval,
    .OnlyAsks = true,
};

} // namespace rw
