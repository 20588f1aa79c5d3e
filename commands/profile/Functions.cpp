//===- Functions.cpp - rewind profile functions ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/CallSupport.h"
#include "commands/support/Listing.h"
#include "commands/support/NameGlob.h"
#include "commands/support/NearNames.h"
#include "core/calls/FunctionProfile.h"
#include "core/calls/TtuTree.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static Error sortBy(StringRef Key, FunctionNames &Names,
                    std::vector<FunctionCost> &Costs) {
  auto By = [&](auto Value) {
    llvm::stable_sort(Costs, [&](const FunctionCost &A, const FunctionCost &B) {
      return Value(A) > Value(B);
    });
    return Error::success();
  };
  if (Key == "own")
    return By([](const FunctionCost &C) { return C.Own; });
  if (Key == "inclusive")
    return By([](const FunctionCost &C) { return C.Instructions; });
  if (Key == "calls")
    return By([](const FunctionCost &C) { return C.Calls; });
  if (Key == "time")
    return By([](const FunctionCost &C) { return C.Time; });
  if (Key == "own-time")
    return By([](const FunctionCost &C) { return C.OwnTime; });
  if (Key == "address")
    return Error::success();
  if (Key == "name") {
    llvm::stable_sort(Costs, [&](const FunctionCost &A, const FunctionCost &B) {
      return functionLabel(Names, A.Function) <
             functionLabel(Names, B.Function);
    });
    return Error::success();
  }
  return usageError(
      "--sort wants own, inclusive, calls, time, own-time, address "
      "or name, not '" +
      Key + "'");
}

static Error runProfileFunctions(Session &S, const ParsedOptions &O) {
  auto Ttu = ttuStyle(O);
  if (!Ttu)
    return Ttu.takeError();
  auto Calls = CallsOfSession::open(S, *Ttu, !O.has("no-offsets"));
  if (!Calls)
    return Calls.takeError();
  CallQuery Q = (*Calls)->query();
  if (*Ttu)
    return printTtuProfile(Q, S.Out);
  auto Limit = listLimit(S, O);
  if (!Limit)
    return Limit.takeError();
  std::optional<NameGlob> Glob;
  if (auto Text = O.value("function")) {
    auto G = NameGlob::create("--function", *Text);
    if (!G)
      return G.takeError();
    Glob = std::move(*G);
  }
  SweepOptions Sweep;
  Sweep.Times = S.Store.header().Can.Time;
  if (!Sweep.Times && O.value("sort").value_or("").contains("time"))
    return userError("the trace tells no time to sort by");
  auto Costs = profileFunctions(Q, Sweep);
  if (!Costs)
    return Costs.takeError();
  FunctionNames &Names = (*Calls)->names();
  if (Error E = sortBy(O.value("sort").value_or("own"), Names, *Costs))
    return E;
  uint64_t Total = std::max<uint64_t>(S.Store.numInstructions(), 1);
  if (Glob)
    llvm::erase_if(*Costs, [&](const FunctionCost &C) {
      return !Glob->match(functionLabel(Names, C.Function));
    });
  bool Complete = Costs->size() <= *Limit;
  size_t All = Costs->size();
  if (!Complete)
    Costs->resize(size_t(*Limit));

  if (O.has("json")) {
    json::Array Items;
    for (const FunctionCost &C : *Costs) {
      const FunctionNames::Function &F = Names.at(C.Function.Start);
      json::Object Item{
          {"function", json::fixUTF8(functionLabel(Names, C.Function))},
          {"address", hex(C.Function.Start)},
          {"calls", C.Calls},
          {"instructions", C.Instructions},
          {"own", C.Own},
          {"recursive", C.Recursive}};
      if (Sweep.Times) {
        Item["time"] = C.Time;
        Item["own_time"] = C.OwnTime;
      }
      if (F.Line) {
        Item["file"] = json::fixUTF8(F.File);
        Item["source_line"] = F.Line;
      }
      Items.push_back(std::move(Item));
    }
    Ending End;
    End.Complete = Complete;
    End.Searched = {0, S.Store.numInstructions()};
    printJson(S.Out, listJson(S, std::move(Items), End));
    return Error::success();
  }

  S.FoundNothing |= !All;
  const std::string &Unit = S.Store.header().TimeUnit;
  S.Out << formatv("{0,12} {1,15} {2,7} {3,15} {4,7}", "calls", "instructions",
                   "", "own", "");
  if (Sweep.Times)
    S.Out << formatv(" {0,16} {1,16}", Unit, "own " + Unit);
  S.Out << "  function\n";
  for (const FunctionCost &C : *Costs) {
    S.Out << formatv("{0,12} {1,15} {2,6:f1}% {3,15} {4,6:f1}%",
                     grouped(C.Calls), grouped(C.Instructions),
                     100.0 * double(C.Instructions) / double(Total),
                     grouped(C.Own), 100.0 * double(C.Own) / double(Total));
    if (Sweep.Times)
      S.Out << formatv(" {0,16} {1,16}", grouped(C.Time), grouped(C.OwnTime));
    S.Out << "  " << briefName(functionLabel(Names, C.Function))
          << (C.Recursive ? " (recursive)" : "") << "\n";
  }
  S.Out << "-- " << grouped(All) << (All == 1 ? " function" : " functions");
  if (!Complete)
    S.Out << "; " << grouped(*Limit) << " are listed (--count)";
  S.Out << ", " << grouped(S.Store.numInstructions()) << " instructions in all";
  if (!All && Glob)
    S.Out << "; no function that ran is called '" << Glob->text() << "'"
          << nearFunctions(S.Symbols, Glob->text());
  S.Out << "\n";
  return Error::success();
}

static constexpr OptionSpec ProfileFunctionsOptions[] = {
    opt::Json,
    opt::Count,
    {"sort", 0, "key",
     "own (default), inclusive, calls, time, own-time, address or name",
     "own|inclusive|calls|time|own-time|address|name"},
    {"function", 'f', "glob", "only functions that match"},
    opt::Style,
    opt::NoOffsets,
};

extern const Command ProfileFunctionsCommand = {
    .Name = "profile functions",
    .Summary = "Show what each function costs",
    .Help = R"(
Calls, instructions with callees, instructions of its own, and the same in the
trace's time. What runs below a recursive function counts once. With --style
tarmac the output equals that of tarmac-profile, which counts it each time.
What a tail call runs is the jumping function's, too; in 'profile dominated' and
'profile block' it takes that one's place.

  rewind profile functions
  rewind profile functions --sort calls -c 10
)",
    .Options = ProfileFunctionsOptions,
    .MaxArguments = 0,
    .Run = runProfileFunctions,
    .OnlyAsks = true,
};

} // namespace rw
