//===- Deps.cpp - rewind deps ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/DepsLinks.h"
#include "commands/dataflow/Modes.h"
#include "commands/support/Access.h"
#include "commands/support/JsonRows.h"
#include "commands/support/Listing.h"
#include "commands/support/PositionExpr.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::DataPlace;

static Expected<Moment> instructionAt(Session &S, const Place &P,
                                      StringRef Text) {
  auto Pos = S.Store.positionOf(P.Thread, P.When);
  if (!Pos)
    return Pos.takeError();
  if (*Pos >= S.Store.numInstructions(P.Thread))
    return userError("there is no instruction at " + Text);
  return S.Store.momentOf(P.Thread, *Pos);
}

/// The instruction that the question is about: at a position, or the one that
/// wrote a location last. What can be both is a location.
static Expected<Moment> asked(Session &S, const ParsedOptions &O) {
  const std::string Words = O.text();
  const StringRef Text = Words;
  if (isWrittenAsPosition(Text)) {
    auto P = positionAsked(S, O, Text);
    if (!P)
      return P.takeError();
    return instructionAt(S, *P, Text);
  }
  auto At = askedAt(S, O, Looks::Back);
  if (!At)
    return At.takeError();
  auto Size = O.number("size");
  if (!Size)
    return Size.takeError();
  auto L = parseLocation(S, *At, Text, *Size);
  if (!L) {
    // "+5" is a number, and so is "-5".
    if (Text.starts_with("+") || Text.starts_with("-"))
      return L.takeError();
    auto P = positionAsked(S, O, Text);
    if (P) {
      consumeError(L.takeError());
      return instructionAt(S, *P, Text);
    }
    // "end-99999999" is a position, and says what is wrong with it; what lies
    // before a colon need not be a thread.
    const bool IsNone = P.errorIsA<UsageError>() || Text.contains(':');
    consumeError(IsNone ? P.takeError() : L.takeError());
    return IsNone ? L.takeError() : P.takeError();
  }
  if (Error E = checkCapable(S.Store, *L))
    return E;
  auto M = lastAccess(S.Store, *L, AccessKind::Write, At->When);
  if (!M)
    return M.takeError();
  if (!*M || **M == BeforeTrace)
    return userError("nothing wrote " + describe(*L) + " before that");
  return **M;
}

/// "raw register (x0, x1)", "call".
static std::string why(Session &S, const dataflow::CellMap &Cells,
                       const DepsLink &L) {
  std::string Text = name(L.Why).str();
  if (L.Through.empty())
    return Text;
  return Text + " " + name(L.Where).str() + " (" +
         formatPlaces(S, Cells, L.Through) + ")";
}

static void print(Session &S, const dataflow::CellMap &Cells,
                  const DepsLink &L) {
  S.Out << "  " << instructionRow(S, L.Of) << "\n     "
        << formatInstruction(S, L.Of.Insn) << "   " << why(S, Cells, L) << "\n";
}

static json::Object toJson(Session &S, const dataflow::CellMap &Cells,
                           const DepsLink &L, StringRef Direction) {
  json::Object O = placeJson(S, L.Of);
  O["instruction"] = formatInstruction(S, L.Of.Insn);
  O["direction"] = Direction;
  O["kind"] = name(L.Why);
  if (!L.Through.empty()) {
    O["where"] = name(L.Where);
    O["through"] = formatPlaces(S, Cells, L.Through);
  }
  return O;
}

/// --kinds
static Error parseKinds(const ParsedOptions &O, DepsOf &Of) {
  auto Text = O.value("kinds");
  if (!Text)
    return Error::success();
  Of.Raw = Of.War = Of.Waw = Of.Structure = false;
  SmallVector<StringRef, 4> Names;
  StringRef(*Text).split(Names, ',');
  for (StringRef Name : Names) {
    if (Name == "raw")
      Of.Raw = true;
    else if (Name == "war")
      Of.War = true;
    else if (Name == "waw")
      Of.Waw = true;
    else if (Name == "call")
      Of.Structure = true;
    else
      return usageError("--kinds wants any of raw, war, waw, call, not '" +
                        Name + "'");
  }
  return Error::success();
}

static Error runDeps(Session &S, const ParsedOptions &O) {
  if (Error E = dataflow::StepCodes::check(S.Store))
    return E;
  auto Limit = listLimit(S, O, 20);
  if (!Limit)
    return Limit.takeError();
  uint64_t Most = O.has("count") ? *Limit : std::min<uint64_t>(*Limit, 20);
  dataflow::StepCodes Codes(S.Store, {});
  auto At = asked(S, O);
  if (!At)
    return At.takeError();
  auto I = S.Store.instruction(*At);
  if (!I)
    return I.takeError();

  auto Part = searchSpan(S, O);
  if (!Part)
    return Part.takeError();
  auto Index = CallIndex::open(S.Store);
  if (!Index)
    return Index.takeError();
  DepsOf Of{S, Codes, Index->get(), *I};
  Of.Part = *Part;
  if (Error E = parseKinds(O, Of))
    return E;
  auto Control = controlTable(S, O, Codes, Index->get(), *At + 1);
  if (!Control)
    return Control.takeError();
  Of.Control = Control->get();
  std::vector<DataPlace> Before;
  Ending End;
  auto Needs = Of.needs(Most, Before, End);
  if (!Needs)
    return Needs.takeError();
  auto Feeds = Of.feeds(Most, End);
  if (!Feeds)
    return Feeds.takeError();
  std::vector<std::string> Limits = dataflowLimits(S.Store);
  if (!Codes.effects(I->Insn).Known)
    Limits.push_back("this instruction is not understood: what it reads is "
                     "missing");
  const dataflow::CellMap &Cells = Codes.cells();
  if (O.has("json")) {
    JsonItems Items(S.Out);
    for (const DepsLink &L : *Needs)
      Items.add(toJson(S, Cells, L, "needs"));
    for (const DepsLink &L : *Feeds)
      Items.add(toJson(S, Cells, L, "feeds"));
    json::Object J = listJson(json::Array(), End);
    J["of"] = placeJson(S, *I);
    J["instruction"] = formatInstruction(S, I->Insn);
    J["before_trace"] = formatPlaces(S, Cells, Before);
    J["limits"] = json::Array(Limits);
    Items.print(std::move(J));
  } else {
    const std::string In =
        O.has("from") || O.has("to")
            ? ", from " + formatPosition(Part->From) + " to " +
                  formatPosition(std::min(Part->To, S.Store.numInstructions()))
            : "";
    for (const std::string &Line : Limits)
      S.Out << "note: " << Line << "\n";
    S.Out << instructionRow(S, *I) << "\n     " << formatInstruction(S, I->Insn)
          << "\nneeds" << In << "\n";
    for (const DepsLink &L : *Needs)
      print(S, Cells, L);
    if (!Before.empty())
      S.Out << "  " << formatPlaces(S, Cells, Before)
            << ": nothing in the trace wrote it before\n";
    if (Needs->empty() && Before.empty())
      S.Out << "  nothing\n";
    S.Out << "feeds" << In << "\n";
    for (const DepsLink &L : *Feeds)
      print(S, Cells, L);
    if (Feeds->empty())
      S.Out << "  nothing\n";
    printEnding(S, Feeds->size(), "dependent", End);
    S.FoundNothing = false;
  }
  if (!O.has("goto"))
    return Error::success();
  if (Needs->empty())
    return userError("there is no instruction to go to");
  auto Made =
      find_if(*Needs, [](const DepsLink &L) { return L.Why == DepsLink::Raw; });
  const Instruction &To = (Made == Needs->end() ? Needs->begin() : Made)->Of;
  return S.moveTo({To.Thread, To.When}, "what was needed last");
}

static constexpr OptionSpec DepsOptions[] = {
    opt::Size,
    opt::At,
    opt::Thread,
    {"kinds", 0, "list", "any of raw, war, waw, call; else all",
     "raw|war|waw|call"},
    {"control", 0, "mode",
     "also what decided that it was reached: none (default), exact, call or "
     "all",
     "none|exact|call|all"},
    opt::From,
    opt::To,
    opt::Count,
    opt::Goto,
    opt::Json};

extern const Command DepsCommand = {
    .Name = "deps",
    .Summary = "Tell what an instruction needed and what it feeds",
    .Arguments = "<location|position>",
    .Help = R"(
Of the instruction at a position ('#31408', end-20, a bookmark; what could be a
location, too, is one), or of the one that wrote a location last: the
instructions that made what it reads, and those that read what it makes before
that is overwritten (raw), nearest first. In memory (registers are renamed) also
those that read (war) or wrote (waw) what it overwrites, and that overwrite what
it read or wrote; and the call that its function was entered by, and the return
that waits for all in it (call). With --control what decided that it was reached,
the branch or the call: that takes a pass over the trace first. With --from and
--to only what lies between them is listed.
With --goto it moves to the nearest that made what it reads. 'rewind slice' goes
on from there.

  rewind deps x0 -c 3
  rewind deps '#31408' -c 3
  rewind deps x0 --kinds raw --control exact -c 3
)",
    .Options = DepsOptions,
    .MinArguments = 1,
    .Run = runDeps,
    .OnlyAsks = true,
};

} // namespace rw
