//===- DepsCalls.cpp - rewind deps lines --calls --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/DepsLines.h"
#include "core/dataflow/CallDependences.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::CallDependences;

namespace {

/// Prints what a CallDependences found.
class CallPrinter {
public:
  CallPrinter(Session &S, dataflow::StepCodes &Codes, const DepsQuery &Q,
              const CallDependences &Found)
      : S(S), Codes(Codes), Q(Q), Found(Found) {}

  void sort();
  /// Whether all are shown.
  bool complete() const {
    return Pairs.size() <= Q.Limit && Joins.size() <= Q.Limit;
  }
  size_t numSites() const { return Joins.size(); }
  /// The first time of the most frequent pair.
  std::optional<Moment> first() const {
    return Pairs.empty() ? std::nullopt : std::optional(Pairs[0].second.First);
  }
  Error print();
  Expected<json::Object> toJson(const Ending &End);

private:
  using PairEntry =
      std::pair<std::pair<uint32_t, uint32_t>, CallDependences::Pair>;

  /// "inventory.c:12 find".
  std::string name(const CallDependences::Site &Of) {
    return sourcePlace(S, Codes.pc(Of.Static), NameLength::Brief) + " " +
           functionAt(S, Of.Entry, NameLength::Brief);
  }
  const CallDependences::Site &site(uint32_t Number) const {
    return Found.joins()[Number].Of;
  }
  bool wants(const CallDependences::Site &Of) {
    return Q.wants(S, {Codes.pc(Of.Static), Of.Entry});
  }
  template <typename T> ArrayRef<T> shown(const std::vector<T> &List) const {
    return ArrayRef(List).take_front(std::min<size_t>(List.size(), Q.Limit));
  }

  Session &S;
  dataflow::StepCodes &Codes;
  const DepsQuery &Q;
  const CallDependences &Found;
  std::vector<PairEntry> Pairs;
  std::vector<CallDependences::Joins> Joins;
};

} // namespace

void CallPrinter::sort() {
  for (const auto &Entry : Found.pairs())
    if (wants(site(Entry.first.first)) || wants(site(Entry.first.second)))
      Pairs.push_back(Entry);
  llvm::sort(Pairs, [](const PairEntry &A, const PairEntry &B) {
    return std::tuple(~A.second.Times, A.second.First, A.first) <
           std::tuple(~B.second.Times, B.second.First, B.first);
  });
  for (const CallDependences::Joins &J : Found.joins())
    if (wants(J.Of))
      Joins.push_back(J);
  llvm::sort(Joins, [](const auto &A, const auto &B) {
    return std::tuple(~A.Calls, A.First, A.Of.Static, A.Of.Entry) <
           std::tuple(~B.Calls, B.First, B.Of.Static, B.Of.Entry);
  });
}

Error CallPrinter::print() {
  S.Out << formatv("{0,12}  {1,-10} call <- an earlier call that it depends "
                   "on\n",
                   "times", "first");
  for (const PairEntry &P : shown(Pairs)) {
    auto I = S.Store.instruction(P.second.First);
    if (!I)
      return I.takeError();
    S.Out << formatv("{0,12}  {1,-10} {2} <- {3}\n", grouped(P.second.Times),
                     formatPlace(S.Store, I->Thread, I->Pos),
                     name(site(P.first.second)), name(site(P.first.first)));
  }
  if (Pairs.empty())
    S.Out << "-- no call depends on an earlier one of its activation\n";
  else if (Pairs.size() > Q.Limit)
    S.Out << "-- " << grouped(Pairs.size()) << " in all (--count)\n";
  S.Out << formatv("{0,12} {1,12} {2,12} {3,12}  call, first needed by\n",
                   "calls", "joined", "distance", "mean");
  for (const CallDependences::Joins &J : shown(Joins)) {
    if (!J.Joined) {
      S.Out << formatv("{0,12} {1,12} {2,12} {2,12}  {3}\n", grouped(J.Calls),
                       "0", "", name(J.Of));
      continue;
    }
    S.Out << formatv("{0,12} {1,12} {2,12} {3,12:f1}  {4}, {5}\n",
                     grouped(J.Calls), grouped(J.Joined), grouped(J.Least),
                     double(J.Sum) / double(J.Joined), name(J.Of),
                     sourcePlace(S, Codes.pc(J.By), NameLength::Brief));
  }
  return Error::success();
}

Expected<json::Object> CallPrinter::toJson(const Ending &End) {
  json::Array Items, Sites;
  for (const PairEntry &P : shown(Pairs)) {
    auto I = S.Store.instruction(P.second.First);
    if (!I)
      return I.takeError();
    const CallDependences::Site &From = site(P.first.first),
                                &To = site(P.first.second);
    json::Object O = placeJson(S, *I);
    O["from"] = json::fixUTF8(sourcePlace(S, Codes.pc(From.Static)));
    O["from_callee"] = json::fixUTF8(functionAt(S, From.Entry));
    O["to"] = json::fixUTF8(sourcePlace(S, Codes.pc(To.Static)));
    O["to_callee"] = json::fixUTF8(functionAt(S, To.Entry));
    O["times"] = P.second.Times;
    Items.push_back(std::move(O));
  }
  for (const CallDependences::Joins &J : shown(Joins)) {
    json::Object O{
        {"source", json::fixUTF8(sourcePlace(S, Codes.pc(J.Of.Static)))},
        {"callee", json::fixUTF8(functionAt(S, J.Of.Entry))},
        {"calls", J.Calls},
        {"joined", J.Joined}};
    if (J.Joined) {
      auto I = S.Store.instruction(J.Where);
      if (!I)
        return I.takeError();
      O["distance"] = J.Least;
      O["mean_distance"] = double(J.Sum) / double(J.Joined);
      O["needed_by"] = json::fixUTF8(sourcePlace(S, Codes.pc(J.By)));
      O["return"] = placeJson(S, *I);
    }
    Sites.push_back(std::move(O));
  }
  S.FoundNothing |= Joins.empty(); // as of text
  json::Object J = listJson(std::move(Items), End);
  J["calls"] = std::move(Sites);
  return J;
}

Error listCallDependences(Session &S, const ParsedOptions &O,
                          const DepsQuery &Q) {
  dataflow::StepCodes Codes(S.Store, {});
  CallDependences Found(S.Store.numThreads(), Q.Kinds);
  dataflow::EngineOptions Options = engineOptions(S, Codes, Q);
  // Each call could have a stack of its own: what is addressed by the stack
  // pointer is left out here, other places of frames in CallDependences.
  constexpr uint8_t Stack = 1 << unsigned(dataflow::Storage::Stack);
  Options.Modes.WAR &= ~Stack;
  Options.Modes.WAW &= ~Stack;
  dataflow::Engine<CallDependences> Engine(Options, Found);
  if (Error E = runEngine(S, Codes, Q, Engine))
    return E;
  CallPrinter Out(S, Codes, Q, Found);
  Out.sort();
  std::vector<std::string> Limits = dataflowLimits(S.Store);
  if (Codes.unknown())
    Limits.push_back(notUnderstood(Codes.unknown()));
  if (Found.overflowed())
    Limits.push_back("there are too many sets of calls to keep: some that "
                     "depend on one another are not listed");
  Ending End;
  End.Searched = {Q.Part.From, Q.To};
  End.Complete = Out.complete() && !Found.overflowed();
  if (O.has("json")) {
    auto J = Out.toJson(End);
    if (!J)
      return J.takeError();
    (*J)["limits"] = json::Array(Limits);
    printJson(S.Out, std::move(*J));
  } else {
    for (const std::string &Line : Limits)
      S.Out << "note: " << Line << "\n";
    if (Error E = Out.print())
      return E;
    printEnding(S, Out.numSites(), "call site", End);
  }
  return O.has("goto") ? goToFirst(S, Out.first()) : Error::success();
}

} // namespace rw
