//===- Eval.cpp - rewind eval ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Access.h"
#include "commands/support/Listing.h"
#include "commands/support/PlaceReport.h"
#include "commands/support/PlaceRows.h"
#include "commands/support/PositionExpr.h"
#include "commands/support/UnknownName.h"
#include "commands/support/Visits.h"

using namespace llvm;

namespace rw {

/// What is at \p L, as it is shown.
static Expected<std::string> contents(Session &S, StateCursor &Near,
                                      const Location &L, Moment When,
                                      bool Json) {
  auto V = readLocation(S, Near, L, When);
  if (!V)
    return V.takeError();
  if (Json && !V->Type && S.Style.Format == ValueFormat::None)
    return formatValue(*V);
  return shown(S, *V);
}

/// Where the thread goes on at \p Where.
static Expected<uint64_t> nextPC(Session &S, StateCursor &Near, Place Where) {
  if (Where.When < S.Store.numInstructions()) {
    auto I = Near.at(Where.When);
    if (!I)
      return I.takeError();
    if ((*I)->Thread == Where.Thread)
      return (*I)->Insn.PC;
  }
  auto I = nextInstruction(S.Store, Where);
  if (!I)
    return I.takeError();
  if (!*I)
    return userError("the pc is unknown: the thread ends here");
  return (*I)->Insn.PC;
}

/// The value of \p Text at \p Where. In LLDB what the debugger makes of it;
/// else the contents of a register or of memory.
static Expected<std::string> valueAt(Session &S, StateCursor &Near,
                                     StringRef Text, Place Where,
                                     std::optional<uint64_t> Size, bool Json) {
  Text = Text.trim();
  const RegisterFile &Registers = S.Store.registerFile();
  const RegisterInfo *R = Registers.find(Text);
  if (R && R->IsPC && !Size) {
    auto PC = nextPC(S, Near, Where);
    if (!PC)
      return PC.takeError();
    // No lane keeps it, but every instruction tells it.
    Value V(R->Slice.Size);
    for (size_t B = 0; B < V.Bytes.size(); ++B) {
      V.Bytes[B] = uint8_t(*PC >> 8 * B);
      V.Known[B] = 1;
    }
    return Json && S.Style.Format == ValueFormat::None ? formatValue(V)
                                                       : shown(S, V);
  }
  auto Evaluate = [&]() -> Expected<std::string> {
    auto E = S.Expressions->evaluate(Text, Where, S.Style);
    if (!E)
      return E.takeError();
    if (E->Object)
      return contents(S, Near, *E->Object, Where.When, Json);
    if (!E->Scalar)
      return std::move(E->Text);
    Value V(E->Scalar->Value.size());
    V.Bytes = std::move(E->Scalar->Value);
    V.Known.assign(V.Bytes.size(), 1);
    V.Order = E->Scalar->Order;
    V.Type = E->Scalar->Type;
    V.When = Where.When;
    return shown(S, V);
  };
  if (S.Expressions && S.inDebugger() && !Size &&
      !namesRegister(S.Store, Text)) {
    auto V = Evaluate();
    if (V || !V.errorIsA<UnknownValue>())
      return V;
    // What is known of a value with a place is told as elsewhere.
    auto L = S.Expressions->locate(Text, Where);
    if (!L) {
      consumeError(L.takeError());
      return V;
    }
    consumeError(V.takeError());
    return contents(S, Near, *L, Where.When, Json);
  }
  if (S.Expressions && !Size && Text.starts_with("&"))
    return Evaluate();
  auto L = parseLocation(S, Where, Text, Size);
  if (L)
    return contents(S, Near, *L, Where.When, Json);
  if (!S.Expressions || Size)
    return L.takeError();
  // What has no place may have a value.
  auto V = Evaluate();
  if (V) {
    consumeError(L.takeError());
    return V;
  }
  consumeError(V.takeError());
  return L.takeError();
}

/// Whether \p Value, as it is shown, says only that, or in its brackets also
/// why.
static bool isUnknown(StringRef Value) {
  return Value == UnknownText || (Value.consume_front("<unknown:") &&
                                  Value.find('>') + 1 == Value.size());
}

static json::Value valueJson(const std::string &Shown) {
  return isUnknown(Shown) ? json::Value(nullptr) : json::Value(Shown);
}

/// Where in time the question is asked, or else the places of the code, in
/// \p Code. A name or a number that can be both is a place of the code, but for
/// numbers in decimal.
static Expected<std::optional<Place>>
whereToEvaluate(Session &S, const ParsedOptions &Options, CodePlace &Code) {
  auto Text = Options.value("at");
  if (!Text) {
    if (S.inDebugger())
      return S.Here;
    return usageError("--at <file:line | symbol | address | position> is "
                      "missing: where to evaluate");
  }
  if (!isWrittenAsPosition(*Text)) {
    auto Named = parseCodePlace(S, S.Here, *Text, Options.has("entry"));
    if (Named) {
      Code = std::move(*Named);
      return std::nullopt;
    }
    // "end", "end-20", "caller", a bookmark.
    auto P = parsePosition(S, *Text);
    if (!P) {
      consumeError(P.takeError());
      return Named.takeError();
    }
    consumeError(Named.takeError());
    return *P;
  }
  auto P = parsePosition(S, *Text);
  if (!P)
    return P.takeError();
  return *P;
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
  const std::string Text = Options.text();
  const bool Json = Options.has("json");
  auto Near = StateCursor::open(S.Store);
  auto V = valueAt(S, *Near, Text, Where, *Size, Json);
  if (!V)
    return usageError(
        StringRef(toString(V.takeError())).split('\n').first.str());
  if (!Json) {
    std::string Row;
    if (*I)
      PlaceRows(S).text(Row, **I);
    else
      appendPlace(Row, S.Store, Where.Thread, Pos);
    S.Out << Row << (*I ? "  " : "  (its end)  ") << *V << "\n";
    return Error::success();
  }
  json::Object Item = *I ? placeJson(S, **I)
                         : json::Object{{"position", Pos},
                                        {"thread", int64_t(Where.Thread) + 1}};
  Item["value"] = valueJson(*V);
  Ending End;
  End.Searched = {Where.When, Where.When};
  json::Object O = listJson(json::Array{std::move(Item)}, End);
  O["expression"] = Text;
  O["at"] = Options.value("at").value_or("").str();
  if (!Options.has("at"))
    O["at"] = formatPlace(S.Store, Where.Thread, Pos);
  printJson(S.Out, std::move(O));
  return Error::success();
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
  std::string Text = Options.text();
  bool Json = Options.has("json");

  Ending End;
  End.Searched = *Range;
  JsonItems Items;
  PlaceRows Places(S);
  auto Near = StateCursor::open(S.Store);
  VisitSearch Visits(S.Store, Code, std::nullopt);
  uint64_t Count = 0, Failed = 0;
  std::string FirstProblem;
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
    auto V = valueAt(S, *Near, Text, {*T, **M}, *Size, Json);
    std::string Problem;
    if (!V) {
      // A row is a line; a compiler's complaint goes on for several.
      Problem = StringRef(toString(V.takeError())).split('\n').first.str();
      if (!Failed++)
        FirstProblem = Problem;
      SameProblem &= Problem == FirstProblem;
    }
    auto At = Near->at(**M);
    if (!At)
      return At.takeError();
    const Instruction &I = **At;
    if (!Json) {
      Places.text(Rows, I);
      Rows += "  " + (Problem.empty() ? *V : "error: " + Problem) + "\n";
      if (Failed <= Count) {
        S.Out << Rows;
        Rows.clear();
      }
      continue;
    }
    JsonRows &Item = Items.begin(Places.fields(
        Items.rows(), I, [](json::Object &, const InsnItem &) {}));
    if (!Problem.empty())
      Item.field("error", Problem);
    Places.line(Item, I);
    Places.position(Item, I);
    Places.threadAndTime(Item, I);
    if (Problem.empty())
      Item.field("value", valueJson(*V));
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
  O["expression"] = Text;
  O["at"] = Options.value("at")->str();
  Items.print(S.Out, std::move(O));
  return Error::success();
}

static constexpr OptionSpec EvalOptions[] = {
    {"at", 0, "place",
     "file:line, symbol or address: at each visit; or a position"},
    opt::Entry,
    opt::Count,
    opt::From,
    opt::To,
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
register or a memory location.

  (lldb) rewind eval item->sku --at inventory.c:97 -c 10
  rewind eval w1 --at find
  rewind eval w1 --at #1234

With a position it is the value there, in one row; without --at it is that where
you stand. What can be both, such as "end" in a program that has a symbol of
that name, is a place of the code; a number in decimal is a position.

A function, or the line that opens it, is meant behind its prologue, where a
breakpoint on it stops: before, its parameters and variables are not yet where debug info says (--entry).
)",
    .Options = EvalOptions,
    .MinArguments = 1,
    .Run = runEval,
};

} // namespace rw
