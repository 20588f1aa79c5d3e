//===- DepsLines.cpp - rewind deps lines ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/Modes.h"
#include "commands/support/Listing.h"
#include "commands/support/NameGlob.h"
#include "core/dataflow/Edges.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::EdgeKind;
using dataflow::Hazard;
using dataflow::Site;
using dataflow::Storage;

namespace {

/// Counts dependences between sites.
struct SiteTable {
  struct Count {
    uint64_t Times = 0;
    Moment First = 0;
  };
  /// The two sites; kind and whether it goes into or comes out of a call.
  using Key = std::pair<uint64_t, uint32_t>;
  DenseMap<Key, Count> Counts;

  void edge(Site From, Site To, EdgeKind Kind, bool Enters, Moment When) {
    uint32_t Crosses = Enters || From.isReturn();
    Count &C = Counts[{uint64_t(From.instruction()) << 32 | To.instruction(),
                       uint32_t(Kind.What) << 4 | uint32_t(Kind.Where) << 1 |
                           Crosses}];
    if (!C.Times++)
      C.First = When;
  }
};

struct LineEdge {
  std::string From, To;
  uint32_t Kind = 0;
  uint64_t Times = 0;
  Moment First = 0;
};

StringRef hazardName(uint32_t Kind) {
  static constexpr StringLiteral Names[] = {"raw", "war", "waw"};
  return Names[Kind >> 4];
}
StringRef storageName(uint32_t Kind) {
  static constexpr StringLiteral Names[] = {"register", "stack", "memory"};
  return Names[Kind >> 1 & 7];
}

} // namespace

static Error run(Session &S, const ParsedOptions &O) {
  if (Error E = dataflow::StepCodes::check(S.Store))
    return E;
  dataflow::PathQuery Q;
  if (Error E = parsePart(S, O, Q))
    return E;
  auto Limit = listLimit(S, O);
  if (!Limit)
    return Limit.takeError();
  std::optional<NameGlob> Function;
  if (auto Text = O.value("function")) {
    auto G = NameGlob::create("--function", *Text);
    if (!G)
      return G.takeError();
    Function = std::move(*G);
  }
  unsigned Kinds = 0;
  SmallVector<StringRef, 3> Names;
  O.value("kinds").value_or("raw,war,waw").split(Names, ',');
  for (StringRef Name : Names) {
    if (Name != "raw" && Name != "war" && Name != "waw")
      return usageError("--kinds wants any of raw, war, waw, not '" + Name +
                        "'");
    Kinds |= 1u << (Name == "raw" ? 0 : Name == "war" ? 1 : 2);
  }
  auto Index = CallIndex::open(S.Store);
  if (!Index)
    return Index.takeError();
  dataflow::StepCodes Codes(S.Store, {});
  SiteTable Table;
  dataflow::EdgeDomain<SiteTable> D(S.Store.numThreads(), {}, Table);
  dataflow::EngineOptions E;
  E.Threads = S.Store.numThreads();
  E.Cells = Codes.cells().size();
  E.Suppress = !O.has("no-suppress");
  if (Kinds & 2)
    E.Modes.WAR = 6;
  if (Kinds & 4)
    E.Modes.WAW = 6;
  for (dataflow::CellRef R : Codes.stackPointers())
    E.StackPointers.push_back(R);
  dataflow::Engine<dataflow::EdgeDomain<SiteTable>> Engine(E, D);
  dataflow::StepReader Reader(S.Store, Index->get(), Codes, Q.Part);
  Moment To = std::min(Q.Part.To, S.Store.numInstructions());
  Pace P(S.Watch, "finding dependences", To - std::min(Q.Part.From, To));
  uint64_t Steps = 0;
  while (const dataflow::Step *Step = Reader.next()) {
    if (Steps++ % 16384 == 0)
      if (Error Stop = S.Watch.check())
        return joinErrors(std::move(Stop), Reader.takeError());
    if (Error Stop = P.at(Step->When - Q.Part.From))
      return joinErrors(std::move(Stop), Reader.takeError());
    Engine.step(*Step);
  }
  if (Error Bad = Reader.takeError())
    return Bad;
  Engine.finish();

  std::map<std::tuple<std::string, std::string, uint32_t>, LineEdge> ByLine;
  for (auto &[Key, C] : Table.Counts) {
    auto [Sites, Kind] = Key;
    if (!(Kinds >> (Kind >> 4) & 1))
      continue;
    uint64_t From = Codes.pc(uint32_t(Sites >> 32)),
             Into = Codes.pc(uint32_t(Sites));
    if (Function && !Function->match(functionAt(S, From)) &&
        !Function->match(functionAt(S, Into)))
      continue;
    std::string A = sourcePlace(S, From), B = sourcePlace(S, Into);
    LineEdge &L = ByLine[{A, B, Kind}];
    if (!L.Times || C.First < L.First)
      L.First = C.First;
    L.From = A;
    L.To = B;
    L.Kind = Kind;
    L.Times += C.Times;
  }
  std::vector<LineEdge> List;
  for (auto &[Key, L] : ByLine)
    List.push_back(std::move(L));
  llvm::stable_sort(List, [](const LineEdge &A, const LineEdge &B) {
    return A.Times > B.Times;
  });
  Ending End;
  End.Searched = {Q.Part.From, To};
  End.Complete = List.size() <= *Limit;
  size_t All = List.size();
  if (!End.Complete)
    List.resize(*Limit);
  std::vector<std::string> Limits = dataflowLimits(S.Store);
  if (Codes.unknown())
    Limits.push_back(grouped(Codes.unknown()) +
                     " instructions are not understood: what they read is "
                     "missing");
  if (D.crossings())
    Limits.push_back(grouped(D.crossings()) +
                     " dependences between threads are left out");
  bool Json = O.has("json");
  if (!Json) {
    for (const std::string &Line : Limits)
      S.Out << "note: " << Line << "\n";
    S.Out << formatv("{0,12}  {1,-4} {2,-9} {3,-5} {4,-10} from -> to\n",
                     "times", "kind", "where", "calls", "first");
  }
  json::Array Items;
  for (const LineEdge &L : List) {
    auto I = S.Store.instruction(L.First);
    if (!I)
      return I.takeError();
    if (Json) {
      json::Object J = placeJson(S, *I);
      J["from"] = json::fixUTF8(L.From);
      J["to"] = json::fixUTF8(L.To);
      J["kind"] = hazardName(L.Kind);
      J["where"] = storageName(L.Kind);
      J["crosses_call"] = bool(L.Kind & 1);
      J["times"] = L.Times;
      Items.push_back(std::move(J));
      continue;
    }
    S.Out << formatv("{0,12}  {1,-4} {2,-9} {3,-5} {4,-10} {5} -> {6}\n",
                     grouped(L.Times), hazardName(L.Kind), storageName(L.Kind),
                     L.Kind & 1 ? "cross" : "",
                     formatPlace(S.Store, I->Thread, I->Pos), L.From, L.To);
  }
  if (Json) {
    json::Object J = listJson(S, std::move(Items), End);
    J["limits"] = json::Array(Limits);
    printJson(S.Out, std::move(J));
    return Error::success();
  }
  printEnding(S, All, "dependence", End);
  return Error::success();
}

static constexpr OptionSpec Options[] = {
    {"function", 'f', "glob", "only those from or to such functions"},
    {"kinds", 0, "list", "any of raw, war, waw; else all"},
    opt::NoSuppress,
    opt::From,
    opt::To,
    opt::Thread,
    opt::Count,
    opt::Json};

extern const Command DepsLinesCommand = {
    .Name = "deps lines",
    .Summary = "List which source lines depend on which",
    .Help = R"(
Each pair of source lines of which the second read what the first wrote (raw),
overwrote what it read (war) or wrote (waw): how often, where first, and whether
through a call: then the line is that of the call, in the function that made it.
Registers are renamed: only raw counts for them. However often a line read what
a write overwrites, that is one war.

  rewind deps lines -c 5
  rewind deps lines --kinds raw -f 'take_*' -c 5
)",
    .Options = Options,
    .MaxArguments = 0,
    .Run = run,
};

} // namespace rw
