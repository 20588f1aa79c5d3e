//===- Deps.cpp - rewind deps ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/DataflowSupport.h"
#include "commands/support/Access.h"
#include "commands/support/Listing.h"
#include "commands/support/PositionExpr.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::DataPlace;

namespace {

/// Another instruction, and through what the two depend on one another.
struct Link {
  Instruction Of;
  std::vector<DataPlace> Through;
};

} // namespace

/// The instruction that the question is about: at a position, or the one that
/// wrote a location last.
static Expected<Moment> asked(Session &S, const ParsedOptions &O,
                              const dataflow::CellMap &Cells) {
  std::string Text = O.text();
  bool IsPosition =
      StringRef(Text).starts_with("#") ||
      (StringRef(Text).find_first_not_of("0123456789,:#") == StringRef::npos);
  if (IsPosition) {
    auto P = positionAsked(S, O, Text);
    if (!P)
      return P.takeError();
    auto Pos = S.Store.positionOf(P->Thread, P->When);
    if (!Pos)
      return Pos.takeError();
    if (*Pos >= S.Store.numInstructions(P->Thread))
      return userError("there is no instruction at " + Text);
    return S.Store.momentOf(P->Thread, *Pos);
  }
  auto At = askedAt(S, O, Looks::Back);
  if (!At)
    return At.takeError();
  auto Size = O.number("size");
  if (!Size)
    return Size.takeError();
  auto L = parseLocation(S, *At, Text, *Size);
  if (!L)
    return L.takeError();
  if (Error E = checkCapable(S.Store, *L))
    return E;
  (void)Cells;
  auto M = lastAccess(S.Store, *L, AccessKind::Write, At->When);
  if (!M)
    return M.takeError();
  if (!*M || **M == BeforeTrace)
    return userError("nothing wrote " + describe(*L) + " before that");
  return **M;
}

/// Takes \p R out of \p Left; what of it was there.
static std::vector<dataflow::Range> take(std::vector<dataflow::Range> &Left,
                                         dataflow::Range R, bool Remove) {
  std::vector<dataflow::Range> Common, Rest;
  for (dataflow::Range L : Left) {
    if (!L.overlaps(R)) {
      Rest.push_back(L);
      continue;
    }
    Common.push_back(L.common(R));
    auto [Before, Behind] = L.around(Common.back());
    if (Before.Size)
      Rest.push_back(Before);
    if (Behind.Size)
      Rest.push_back(Behind);
  }
  if (Remove)
    Left = std::move(Rest);
  return Common;
}

/// Whoever reads what \p I made before it is overwritten, at most \p Limit.
static Expected<std::vector<Link>> feeds(Session &S, dataflow::StepCodes &Codes,
                                         const Instruction &I, uint64_t Limit,
                                         Ending &End) {
  std::vector<dataflow::Cell> Cells;
  const dataflow::StepCode &Code = Codes.of(I);
  for (const dataflow::NodeCode &N : Code.Nodes)
    for (dataflow::Cell C : Code.writes(N))
      Cells.push_back(C);
  dataflow::Accesses Made(I);
  std::vector<dataflow::Range> Memory(Made.Stores.begin(), Made.Stores.end());
  std::vector<Link> Links;
  dataflow::StepReader Reader(S.Store, nullptr, Codes, {I.When + 1, ~0ul, {}});
  uint64_t Total = S.Store.numInstructions() - I.When;
  Pace P(S.Watch, "looking ahead", Total);
  End.Searched = {I.When, I.When};
  uint64_t Steps = 0;
  while (!Cells.empty() || !Memory.empty()) {
    if (Steps++ % 4096 == 0 && S.cancelled()) {
      End.Cancelled = true;
      End.Complete = false;
      break;
    }
    if (Links.size() == Limit) {
      End.Complete = false;
      break;
    }
    const dataflow::Step *Step = Reader.next();
    if (!Step)
      break;
    End.Searched.To = Step->When + 1;
    if (Error E = P.at(Step->When - I.When)) {
      consumeError(std::move(E));
      End.Cancelled = true;
      End.Complete = false;
      break;
    }
    std::vector<DataPlace> Through;
    const dataflow::StepCode &At = *Step->Code;
    bool Mine = Step->Thread == I.Thread;
    for (const dataflow::NodeCode &N : At.Nodes) {
      if (Mine)
        for (dataflow::Cell C : At.reads(N))
          if (is_contained(Cells, C))
            Through.push_back({I.Thread, {C, 1}, {}});
    }
    for (dataflow::Range R : Step->Loads)
      for (dataflow::Range C : take(Memory, R, false))
        Through.push_back({I.Thread, {}, C});
    if (!Through.empty()) {
      auto Reads = S.Store.instruction(Step->When);
      if (!Reads)
        return joinErrors(Reads.takeError(), Reader.takeError());
      Links.push_back({std::move(*Reads), std::move(Through)});
    }
    if (!Step->Executed)
      continue;
    if (Mine)
      for (const dataflow::NodeCode &N : At.Nodes)
        for (dataflow::Cell C : At.writes(N))
          llvm::erase(Cells, C);
    for (dataflow::Range R : Step->Stores)
      take(Memory, R, true);
  }
  if (Error E = Reader.takeError())
    return E;
  return Links;
}

static void print(Session &S, const dataflow::CellMap &Cells, const Link &L) {
  S.Out << "  " << instructionRow(S, L.Of) << "\n     "
        << formatInstruction(S, L.Of.Insn) << "   ("
        << formatPlaces(S, Cells, L.Through) << ")\n";
}

static json::Object toJson(Session &S, const dataflow::CellMap &Cells,
                           const Link &L, StringRef Direction) {
  json::Object O = placeJson(S, L.Of);
  O["instruction"] = formatInstruction(S, L.Of.Insn);
  O["direction"] = Direction;
  O["through"] = formatPlaces(S, Cells, L.Through);
  return O;
}

static Error run(Session &S, const ParsedOptions &O) {
  if (Error E = dataflow::StepCodes::check(S.Store))
    return E;
  auto Limit = listLimit(S, O, 20);
  if (!Limit)
    return Limit.takeError();
  uint64_t Most = O.has("count") ? *Limit : std::min<uint64_t>(*Limit, 20);
  dataflow::StepCodes Codes(S.Store, {});
  auto At = asked(S, O, Codes.cells());
  if (!At)
    return At.takeError();
  auto I = S.Store.instruction(*At);
  if (!I)
    return I.takeError();

  dataflow::BackwardSlice::Options SO;
  SO.Suppress = false;
  SO.MaxDepth = 1;
  dataflow::BackwardSlice Slice(S.Store, Codes, nullptr, SO);
  Slice.add(*At);
  auto Step = Slice.next(S.Watch);
  if (!Step)
    return Step.takeError();
  std::vector<Link> Needs;
  std::vector<DataPlace> Before;
  for (const dataflow::SliceStep::Need &N : (*Step)->Needs) {
    if (!N.By) {
      Before.push_back(N.Of);
      continue;
    }
    auto Same =
        find_if(Needs, [&](const Link &L) { return L.Of.When == *N.By; });
    if (Same != Needs.end()) {
      Same->Through.push_back(N.Of);
      continue;
    }
    auto By = S.Store.instruction(*N.By);
    if (!By)
      return By.takeError();
    Needs.push_back({std::move(*By), {N.Of}});
  }
  llvm::sort(Needs, [](const Link &A, const Link &B) {
    return A.Of.When > B.Of.When;
  });
  Ending End;
  auto Feeds = feeds(S, Codes, *I, Most, End);
  if (!Feeds)
    return Feeds.takeError();
  std::vector<std::string> Limits = dataflowLimits(S.Store);
  if (!Codes.effects(I->Insn).Known)
    Limits.push_back("this instruction is not understood: what it reads is "
                     "missing");
  const dataflow::CellMap &Cells = Codes.cells();
  if (O.has("json")) {
    json::Array Items;
    for (const Link &L : Needs)
      Items.push_back(toJson(S, Cells, L, "needs"));
    for (const Link &L : *Feeds)
      Items.push_back(toJson(S, Cells, L, "feeds"));
    json::Object J = listJson(std::move(Items), End);
    J["of"] = placeJson(S, *I);
    J["instruction"] = formatInstruction(S, I->Insn);
    J["before_trace"] = formatPlaces(S, Cells, Before);
    J["limits"] = json::Array(Limits);
    printJson(S.Out, std::move(J));
  } else {
    for (const std::string &Line : Limits)
      S.Out << "note: " << Line << "\n";
    S.Out << instructionRow(S, *I) << "\n     " << formatInstruction(S, I->Insn)
          << "\nneeds\n";
    for (const Link &L : Needs)
      print(S, Cells, L);
    if (!Before.empty())
      S.Out << "  " << formatPlaces(S, Cells, Before)
            << ": nothing in the trace wrote it before\n";
    if (Needs.empty() && Before.empty())
      S.Out << "  nothing\n";
    S.Out << "feeds\n";
    for (const Link &L : *Feeds)
      print(S, Cells, L);
    if (Feeds->empty())
      S.Out << "  nothing\n";
    printEnding(S, Feeds->size(), "reader", End);
    S.FoundNothing = false;
  }
  if (!O.has("goto"))
    return Error::success();
  if (Needs.empty())
    return userError("there is no instruction to go to");
  return S.moveTo({Needs[0].Of.Thread, Needs[0].Of.When},
                  "what was needed last");
}

static constexpr OptionSpec Options[] = {opt::Size,  opt::At,   opt::Thread,
                                         opt::Count, opt::Goto, opt::Json};

extern const Command DepsCommand = {
    .Name = "deps",
    .Summary = "Tell what an instruction needed and what it feeds",
    .Arguments = "<location|position>",
    .Help = R"(
Of the instruction at a position, or of the one that wrote a location last: the
instructions that made what it reads, and those that read what it makes before
that is overwritten, nearest first. With --goto it moves to the nearest that it
needed. 'rewind slice' goes on from there.

  rewind deps x0 -c 3
  rewind deps '#31408' -c 3
)",
    .Options = Options,
    .MinArguments = 1,
    .Run = run,
};

} // namespace rw
