//===- Parallelism.cpp - rewind parallelism -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/Modes.h"
#include "commands/support/Listing.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static Error run(Session &S, const ParsedOptions &O) {
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
  Ending End;
  End.Complete = Costs->size() <= *Limit;
  End.Searched = {Q.Part.From, std::min(Q.Part.To, S.Store.numInstructions())};
  size_t All = Costs->size();
  if (!End.Complete)
    Costs->resize(*Limit);
  if (O.has("json")) {
    json::Array Items;
    for (const dataflow::RegionCost &C : *Costs)
      Items.push_back(json::Object{
          {"function", json::fixUTF8(functionAt(S, C.Entry))},
          {"address", hex(C.Entry)},
          {"calls", C.Calls},
          {"work", C.Work},
          {"span", C.Span},
          {"parallelism", C.Span ? double(C.Work) / double(C.Span) : 1},
          {"self_parallelism", C.selfParallelism()}});
    json::Object J = listJson(S, std::move(Items), End);
    J["limits"] = json::Array(Limits);
    printJson(S.Out, std::move(J));
    return Error::success();
  }
  for (const std::string &Line : Limits)
    S.Out << "note: " << Line << "\n";
  S.Out << formatv("{0,10} {1,14} {2,14} {3,12} {4,12}  function\n", "calls",
                   "work", "span", "parallelism", "of its own");
  for (const dataflow::RegionCost &C : *Costs)
    S.Out << formatv("{0,10} {1,14} {2,14} {3,12:f2} {4,12:f2}  {5}\n",
                     grouped(C.Calls), grouped(C.Work), grouped(C.Span),
                     C.Span ? double(C.Work) / double(C.Span) : 1,
                     C.selfParallelism(), functionAt(S, C.Entry));
  printEnding(S, All, "function", End);
  return Error::success();
}

static constexpr OptionSpec Options[] = {
    opt::Control,    opt::Storage, opt::LoadLatency, opt::StackLatency,
    opt::NoSuppress, opt::From,    opt::To,          opt::Thread,
    opt::Count,      opt::Json};

extern const Command ParallelismCommand = {
    .Name = "parallelism",
    .Summary = "Tell how parallel each function could be",
    .Help = R"(
For each function: its calls, the work in them (with callees), their span (the
critical path of a call, where calls are units) and how many times the span the
work is. "Of its own" is Kremlin's self-parallelism: what it calls counts with
its span, so that a function is not called parallel because of a callee that is.

  rewind parallelism
  rewind parallelism --control exact -c 5
)",
    .Options = Options,
    .MaxArguments = 0,
    .Run = run,
};

} // namespace rw
