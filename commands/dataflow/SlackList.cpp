//===- SlackList.cpp - rewind critical-path --slack -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/PathLists.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::SlackOf;

namespace {

struct LineSlack {
  std::string Line;
  uint64_t PC = 0;
  SlackOf Of;
  double mean() const { return double(Of.Sum) / double(Of.Executed); }
};

} // namespace

static std::vector<LineSlack> byLine(Session &S,
                                     const dataflow::StepCodes &Codes,
                                     ArrayRef<SlackOf> ByStatic) {
  StringMap<LineSlack> Lines;
  for (uint32_t Static = 0; Static < ByStatic.size(); ++Static) {
    const SlackOf &X = ByStatic[Static];
    if (!X.Executed)
      continue;
    const uint64_t PC = Codes.pc(Static);
    LineSlack &L = Lines[codeKeys(S, PC).Source];
    if (L.Line.empty())
      L.Line = sourcePlace(S, PC);
    if (!L.Of.Executed || PC < L.PC)
      L.PC = PC;
    L.Of.Executed += X.Executed;
    L.Of.Critical += X.Critical;
    L.Of.Sum += X.Sum;
    if (std::tie(X.Least, X.Where) < std::tie(L.Of.Least, L.Of.Where)) {
      L.Of.Least = X.Least;
      L.Of.Where = X.Where;
    }
  }
  std::vector<LineSlack> List;
  for (auto &Entry : Lines)
    List.push_back(std::move(Entry.second));
  llvm::sort(List, [](const LineSlack &A, const LineSlack &B) {
    return std::tuple(A.Of.Least, ~A.Of.Critical, ~A.Of.Executed,
                      StringRef(A.Line), A.PC) <
           std::tuple(B.Of.Least, ~B.Of.Critical, ~B.Of.Executed,
                      StringRef(B.Line), B.PC);
  });
  return List;
}

void PathList::finish(Session &S, size_t All) {
  if (All <= Limit)
    return;
  End.Complete = false;
  if (!Items)
    S.Out << "-- " << grouped(All) << " in all (--count)\n";
}

Expected<std::optional<Instruction>> listSlack(Session &S,
                                               const dataflow::StepCodes &Codes,
                                               const dataflow::PathAnswer &A,
                                               PathList To) {
  std::vector<LineSlack> List = byLine(S, Codes, A.Slack);
  std::optional<Instruction> First;
  if (!To.Items)
    S.Out << formatv("{0,12} {1,14} {2,15} {3,15}  {4,-10} line\n", "slack",
                     "mean", "critical", "executed", "first");
  for (const LineSlack &L : ArrayRef(List).take_front(To.shown(List.size()))) {
    auto I = S.Store.instruction(L.Of.Where);
    if (!I)
      return I.takeError();
    if (To.Items) {
      json::Object O = placeJson(S, *I);
      O["source"] = json::fixUTF8(L.Line);
      O["address"] = hex(L.PC);
      O["slack"] = L.Of.Least;
      O["mean_slack"] = L.mean();
      O["critical"] = L.Of.Critical;
      O["executed"] = L.Of.Executed;
      To.Items->add(std::move(O));
    } else {
      S.Out << formatv("{0,12} {1,14:f1} {2,15} {3,15}  {4,-10} {5}\n",
                       grouped(L.Of.Least), L.mean(), grouped(L.Of.Critical),
                       grouped(L.Of.Executed),
                       formatPlace(S.Store, I->Thread, I->Pos),
                       sourcePlace(S, L.PC, NameLength::Brief));
    }
    if (!First)
      First = std::move(*I);
  }
  To.finish(S, List.size());
  return First;
}

} // namespace rw
