//===- Parallelism.cpp - rewind parallelism -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/DepsLines.h"
#include "commands/support/Listing.h"
#include "commands/support/Visits.h"
#include "core/dataflow/CallDependences.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::CallDependences;

namespace {

/// What keeps a function from making its calls side by side: the later call of
/// one place that depends most often on an earlier one of another.
struct Block {
  CallDependences::Site From, To;
  uint64_t Times = 0, Calls = 0; ///< of the calls at To
};

} // namespace

/// By the CodeKeys::Function of who makes the calls. One pass over the part.
static Expected<StringMap<Block>> blocks(Session &S, dataflow::StepCodes &Codes,
                                         const dataflow::PathQuery &Path,
                                         std::vector<std::string> &Limits) {
  DepsQuery Q;
  Q.Part = Path.Part;
  Q.Part.StackPointer = true;
  Q.To = std::min(Path.Part.To, S.Store.numInstructions());
  Q.Suppress = Path.Suppress;
  dataflow::EngineOptions Options = engineOptions(S, Codes, Q);
  Options.Modes = Path.Storage;
  CallDependences Found(S.Store.numThreads(), /*Kinds=*/7);
  dataflow::Engine<CallDependences> Engine(Options, Found);
  if (Error E = runEngine(S, Codes, Q, Engine))
    return E;
  if (Found.overflowed())
    Limits.push_back("there are too many sets of calls to keep: what blocks a "
                     "function may be something else");
  StringMap<Block> Most;
  for (const auto &[Sites, P] : Found.pairs()) {
    const auto &From = Found.joins()[Sites.first],
               &To = Found.joins()[Sites.second];
    Block &B = Most[codeKeys(S, Codes.pc(To.Of.Static)).Function];
    if (P.Times > B.Times)
      B = {From.Of, To.Of, P.Times, To.Calls};
  }
  return Most;
}

/// --goto
static Error goToFirst(Session &S, const ParsedOptions &O,
                       const dataflow::PathQuery &Q,
                       ArrayRef<dataflow::RegionCost> Costs) {
  if (!O.has("goto"))
    return Error::success();
  if (Costs.empty())
    return userError("there is no function to go to");
  const std::string Name = functionAt(S, Costs.front().Entry);
  auto M = visitFrom(S.Store, {Name, {Costs.front().Entry}}, Q.Part.From,
                     Q.Part.Thread);
  if (!M)
    return M.takeError();
  if (!*M || **M >= Q.Part.To)
    return userError(Name + " began before that");
  auto T = S.Store.threadAt(**M);
  if (!T)
    return T.takeError();
  return S.moveTo({*T, **M}, "first call of " + Name);
}

static json::Object costJson(const dataflow::RegionCost &C) {
  return json::Object{{"work", C.Work},
                      {"span", C.Span},
                      {"parallelism", C.parallelism()},
                      {"self_parallelism", C.selfParallelism()}};
}

static void printCost(Session &S, StringRef Calls,
                      const dataflow::RegionCost &C, StringRef Name) {
  S.Out << formatv("{0,10} {1,14} {2,14} {3,12:f2} {4,12:f2}  {5}\n", Calls,
                   grouped(C.Work), grouped(C.Span), C.parallelism(),
                   C.selfParallelism(), Name);
}

static Error runParallelism(Session &S, const ParsedOptions &O) {
  if (Error E = dataflow::StepCodes::check(S.Store))
    return E;
  dataflow::PathQuery Q;
  Q.Calls = dataflow::PathQuery::Atomic;
  if (Error E = parseModes(O, Q))
    return E;
  if (Error E = parsePart(S, O, Q))
    return E;
  auto Limit = listLimit(S, O);
  if (!Limit)
    return Limit.takeError();
  auto Index = CallIndex::open(S.Store);
  if (!Index)
    return Index.takeError();
  dataflow::StepCodes Codes(S.Store, {});
  auto Costs = regionCosts(S.Store, Index->get(), Codes, Q, S.Watch);
  if (!Costs)
    return Costs.takeError();
  std::vector<std::string> Limits = dataflowLimits(S.Store);
  auto Blocks = blocks(S, Codes, Q, Limits);
  if (!Blocks)
    return Blocks.takeError();
  std::vector<dataflow::RegionCost> &Functions = Costs->Functions;
  auto Place = [&](const CallDependences::Site &At, NameLength Names) {
    return sourcePlace(S, Codes.pc(At.Static), Names);
  };
  Ending End;
  End.Complete = Functions.size() <= *Limit;
  End.Searched = {Q.Part.From, std::min(Q.Part.To, S.Store.numInstructions())};
  size_t All = Functions.size();
  if (!End.Complete)
    Functions.resize(*Limit);
  if (O.has("json")) {
    json::Array Items, Threads;
    for (const dataflow::RegionCost &C : Functions) {
      json::Object Of = costJson(C);
      Of["function"] = json::fixUTF8(functionAt(S, C.Entry));
      Of["address"] = hex(C.Entry);
      Of["calls"] = C.Calls;
      if (auto B = Blocks->find(codeKeys(S, C.Entry).Function);
          B != Blocks->end()) {
        const Block &By = B->second;
        Of["blocked_by"] = json::Object{
            {"from", json::fixUTF8(Place(By.From, NameLength::Whole))},
            {"from_callee", json::fixUTF8(functionAt(S, By.From.Entry))},
            {"to", json::fixUTF8(Place(By.To, NameLength::Whole))},
            {"to_callee", json::fixUTF8(functionAt(S, By.To.Entry))},
            {"times", By.Times},
            {"calls", By.Calls}};
      }
      Items.push_back(std::move(Of));
    }
    for (auto [T, C] : enumerate(Costs->Threads))
      if (C.Work) {
        json::Object Of = costJson(C);
        Of["thread"] = int64_t(T) + 1;
        Threads.push_back(std::move(Of));
      }
    json::Object J = listJson(S, std::move(Items), End);
    J["threads"] = std::move(Threads);
    J["limits"] = json::Array(Limits);
    printJson(S.Out, std::move(J));
    return goToFirst(S, O, Q, Functions);
  }
  for (const std::string &Line : Limits)
    S.Out << "note: " << Line << "\n";
  S.Out << formatv("{0,10} {1,14} {2,14} {3,12} {4,12}  function\n", "calls",
                   "work", "span", "parallelism", "of its own");
  for (auto [T, C] : enumerate(Costs->Threads))
    if (C.Work)
      printCost(S, "", C,
                S.Store.numThreads() > 1
                    ? "(all of thread " + std::to_string(T + 1) + ")"
                    : "(all)");
  for (const dataflow::RegionCost &C : Functions) {
    printCost(S, grouped(C.Calls), C,
              functionAt(S, C.Entry, NameLength::Brief));
    auto B = Blocks->find(codeKeys(S, C.Entry).Function);
    if (B == Blocks->end())
      continue;
    const Block &By = B->second;
    S.Out << formatv("{0,12}{1} of {2} calls at {3} {4} wait for {5} {6}\n", "",
                     grouped(By.Times), grouped(By.Calls),
                     Place(By.To, NameLength::Brief),
                     functionAt(S, By.To.Entry, NameLength::Brief),
                     Place(By.From, NameLength::Brief),
                     functionAt(S, By.From.Entry, NameLength::Brief));
  }
  printEnding(S, All, "function", End);
  return goToFirst(S, O, Q, Functions);
}

static constexpr OptionSpec ParallelismOptions[] = {
    opt::Control,    opt::Storage, opt::LoadLatency, opt::StackLatency,
    opt::NoSuppress, opt::From,    opt::To,          opt::Thread,
    opt::Count,      opt::Goto,    opt::Json};

extern const Command ParallelismCommand = {
    .Name = "parallelism",
    .Summary = "Tell how parallel each function could be",
    .Help = R"(
For each function: its calls, the work in them (with callees), their span (the
critical path of a call, where calls are units) and how many times the span the
work is. What a function does in calls of itself is in the work and the span of
the outermost one, and counts once. The first row is all that was traced (of each
thread): a function that was entered before has no row of its own. "Of its own" is Kremlin's self-parallelism: what it calls counts with
its span, so that a function is not called parallel because of a callee that is.
Below a function is what blocks it the most often: which of its calls need what an
earlier one of the same activation made ('deps lines --calls -f' lists all). Where
there is none, its calls depend on nothing but its own instructions, or it makes
none: 'deps lines -f' tells how these depend on one another. With --goto it moves
to the first call of the function that is listed first.

  rewind parallelism
  rewind parallelism --control exact -c 5
)",
    .Options = ParallelismOptions,
    .MaxArguments = 0,
    .Run = runParallelism,
    .OnlyAsks = true,
};

} // namespace rw
