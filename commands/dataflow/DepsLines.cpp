//===- DepsLines.cpp - rewind deps lines ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/DepsLines.h"
#include "core/dataflow/Edges.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::EdgeKind;
using dataflow::Hazard;
using dataflow::Storage;

namespace {

/// Counts dependences between sites: how many executions of the later one have
/// it, in however many of their values.
struct SiteTable {
  struct Count {
    uint64_t Times = 0;
    Moment First = 0, Last = 0;
  };
  /// The two sites; kind and whether it goes into or comes out of a call.
  using Key = std::pair<uint64_t, uint32_t>;
  DenseMap<Key, Count> Counts;

  void edge(dataflow::Site From, dataflow::Site To, EdgeKind Kind, bool Enters,
            Moment When) {
    uint32_t Crosses = Enters || From.isReturn();
    Count &C = Counts[{uint64_t(From.instruction()) << 32 | To.instruction(),
                       uint32_t(Kind.What) << 4 | uint32_t(Kind.Where) << 1 |
                           Crosses}];
    if (C.Times && C.Last == When)
      return;
    if (!C.Times++)
      C.First = When;
    C.Last = When;
  }
};

struct LineEdge {
  uint64_t From = 0, To = 0; ///< addresses in these lines
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

bool DepsQuery::wants(Session &S, ArrayRef<uint64_t> PCs) const {
  return !Function ||
         any_of(PCs, [&](uint64_t PC) { return isOf(S, PC, *Function); });
}

dataflow::EngineOptions engineOptions(Session &S, dataflow::StepCodes &Codes,
                                      const DepsQuery &Q) {
  dataflow::EngineOptions E;
  E.Threads = S.Store.numThreads();
  E.Cells = Codes.cells().size();
  E.Suppress = Q.Suppress;
  E.PlacesKnown = S.Store.header().Can.MemAddresses;
  if (Q.Kinds & 2)
    E.Modes.WAR = 6;
  if (Q.Kinds & 4)
    E.Modes.WAW = 6;
  for (dataflow::CellRef R : Codes.stackPointers())
    E.StackPointers.push_back(R);
  return E;
}

static Expected<DepsQuery> parseQuery(Session &S, const ParsedOptions &O) {
  DepsQuery Q;
  dataflow::PathQuery Part;
  if (Error E = parsePart(S, O, Part))
    return E;
  Q.Part = Part.Part;
  Q.To = std::min(Q.Part.To, S.Store.numInstructions());
  auto Limit = listLimit(S, O);
  if (!Limit)
    return Limit.takeError();
  Q.Limit = *Limit;
  if (auto Text = O.value("function")) {
    auto G = NameGlob::create("--function", *Text);
    if (!G)
      return G.takeError();
    Q.Function = std::move(*G);
  }
  SmallVector<StringRef, 3> Names;
  O.value("kinds").value_or("raw,war,waw").split(Names, ',');
  for (StringRef Name : Names) {
    if (Name != "raw" && Name != "war" && Name != "waw")
      return usageError("--kinds wants any of raw, war, waw, not '" + Name +
                        "'");
    Q.Kinds |= 1u << (Name == "raw" ? 0 : Name == "war" ? 1 : 2);
  }
  Q.Suppress = !O.has("no-suppress");
  // Where frames of calls are: what is at the same place is not the same.
  Q.Part.StackPointer = Q.Kinds & 6;
  return Q;
}

Error goToFirst(Session &S, std::optional<Moment> M) {
  if (!M)
    return userError("there is no instruction to go to");
  auto I = S.Store.instruction(*M);
  if (!I)
    return I.takeError();
  return S.moveTo({I->Thread, *M}, "first of the most frequent dependence");
}

static Error runDepsLines(Session &S, const ParsedOptions &O) {
  if (Error E = dataflow::StepCodes::check(S.Store))
    return E;
  auto Q = parseQuery(S, O);
  if (!Q)
    return Q.takeError();
  if (Q->Function)
    if (Error E = checkExecuted(S, "--function", *Q->Function))
      return E;
  if (O.has("calls"))
    return listCallDependences(S, O, *Q);
  dataflow::StepCodes Codes(S.Store, {});
  SiteTable Table;
  dataflow::EdgeDomain<SiteTable> D(S.Store.numThreads(), {}, Table);
  dataflow::Engine<dataflow::EdgeDomain<SiteTable>> Engine(
      engineOptions(S, Codes, *Q), D);
  if (Error E = runEngine(S, Codes, *Q, Engine))
    return E;

  std::map<std::tuple<std::string, std::string, uint32_t>, LineEdge> ByLine;
  for (auto &[Key, C] : Table.Counts) {
    auto [Sites, Kind] = Key;
    if (!(Q->Kinds >> (Kind >> 4) & 1))
      continue;
    uint64_t From = Codes.pc(uint32_t(Sites >> 32)),
             Into = Codes.pc(uint32_t(Sites));
    if (!Q->wants(S, {From, Into}))
      continue;
    LineEdge &L =
        ByLine[{codeKeys(S, From).Source, codeKeys(S, Into).Source, Kind}];
    if (!L.Times || C.First < L.First)
      L.First = C.First;
    L.From = From;
    L.To = Into;
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
  End.Searched = {Q->Part.From, Q->To};
  End.Complete = List.size() <= Q->Limit;
  size_t All = List.size();
  if (!End.Complete)
    List.resize(Q->Limit);
  std::vector<std::string> Limits = dataflowLimits(S.Store);
  if (Codes.unknown())
    Limits.push_back(notUnderstood(Codes.unknown()));
  if (D.crossings())
    Limits.push_back(leftOut(D.crossings()));
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
      J["from"] = json::fixUTF8(sourcePlace(S, L.From));
      J["to"] = json::fixUTF8(sourcePlace(S, L.To));
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
                     formatPlace(S.Store, I->Thread, I->Pos),
                     sourcePlace(S, L.From, NameLength::Brief),
                     sourcePlace(S, L.To, NameLength::Brief));
  }
  if (Json) {
    json::Object J = listJson(S, std::move(Items), End);
    J["limits"] = json::Array(Limits);
    printJson(S.Out, std::move(J));
  } else {
    printEnding(S, All, "dependence", End);
  }
  return O.has("goto")
             ? goToFirst(S, List.empty() ? std::nullopt
                                         : std::optional(List[0].First))
             : Error::success();
}

static constexpr OptionSpec DepsLinesOptions[] = {
    {"function", 'f', "glob", "only those from or to such functions"},
    {"kinds", 0, "list", "any of raw, war, waw; else all", "raw|war|waw"},
    {"calls", 0, "", "which calls depend on earlier ones, and when at last"},
    opt::NoSuppress,
    opt::From,
    opt::To,
    opt::Thread,
    opt::Count,
    opt::Goto,
    opt::Json};

extern const Command DepsLinesCommand = {
    .Name = "deps lines",
    .Summary = "List which source lines depend on which",
    .Help = R"(
Each pair of source lines of which the second read what the first wrote (raw),
overwrote what it read (war) or wrote (waw): how often, where first, and whether
through a call: then the line is that of the call, in the function that made it.
How often: for each two instructions, executions of the later one, added up. On
the stack is what is addressed by the stack pointer or the frame pointer; a local
variable that is accessed through a pointer is memory.
Registers are renamed: only raw counts for them. However often a line read what
a write overwrites, that is one war. That frames of calls were at the same place,
one after the other, is neither war nor waw.

With --calls: which calls depend on earlier ones of the same activation, directly
or through its instructions; and for each place of a call how many instructions
later, at the least, something needed what was done in it: so much could have run
at the same time. That they write the same array of their caller's counts
(--kinds raw leaves it out). --goto moves to the first time of what is most
frequent.

  rewind deps lines -c 5
  rewind deps lines --kinds raw -f 'take_*' -c 5
  rewind deps lines --calls -c 5
)",
    .Options = DepsLinesOptions,
    .MaxArguments = 0,
    .Run = runDepsLines,
    .OnlyAsks = true,
};

} // namespace rw
