//===- CriticalPath.cpp - rewind critical-path ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/PathLists.h"
#include "core/store/ExecutionCursor.h"
#include "core/store/TraceStore.h"
#include "core/support/NumberMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::PathAnswer;
using dataflow::PathQuery;

namespace {

/// What the chain spends where.
struct Share {
  std::string Name, Brief;
  uint64_t Address = 0; ///< one of it
  uint64_t Path = 0;    ///< time on the path
  uint64_t Executed = 0;
};

struct Shares {
  std::vector<Share> Functions, Lines;
};

} // namespace

static std::vector<Share> sorted(StringMap<Share> Map) {
  std::vector<Share> List;
  for (auto &Entry : Map)
    List.push_back(std::move(Entry.second));
  llvm::sort(List, [](const Share &A, const Share &B) {
    return std::tuple(~A.Path, StringRef(A.Name), A.Address) <
           std::tuple(~B.Path, StringRef(B.Name), B.Address);
  });
  llvm::erase_if(List, [](const Share &S) { return !S.Path; });
  return List;
}

/// Walks the part once more for the addresses of the chain.
static Expected<Shares> collectShares(Session &S, const PathQuery &Q,
                                      const PathAnswer &A) {
  struct Count {
    uint64_t Path = 0, Executed = 0;
  };
  std::vector<Count> ByTemplate(ExecutionCursor::numTemplates(S.Store));
  auto Cursor = ExecutionCursor::open(S.Store, ExecutionCursor::Flow);
  Cursor->seek(Q.Part.From);
  dataflow::StepPace P(S.Watch, "summing up", A.OnPath.size());
  size_t Step = 0;
  for (;;) {
    const ExecutionRun R = Cursor->nextRun();
    uint64_t N = R.First - Q.Part.From;
    if (R.Templates.empty() || N >= A.OnPath.size())
      break;
    if (Error E = P.at(N))
      return E;
    if (Q.Part.Thread && R.Thread != *Q.Part.Thread)
      continue;
    for (uint32_t T : R.Templates.take_front(A.OnPath.size() - N)) {
      Count &C = ByTemplate[T];
      ++C.Executed;
      if (A.OnPath[N++])
        C.Path += A.Latencies.empty() ? 1 : A.Latencies[Step++];
    }
  }
  if (Error E = Cursor->takeError())
    return E;
  NumberMap<Count> ByPC;
  for (uint32_t T = 0; T < ByTemplate.size(); ++T)
    if (ByTemplate[T].Executed) {
      Count &C = ByPC[ExecutionCursor::pc(S.Store, T)];
      C.Path += ByTemplate[T].Path;
      C.Executed += ByTemplate[T].Executed;
    }
  StringMap<Share> Functions, Lines;
  for (auto &[PC, C] : ByPC) {
    const CodeKeys Keys = codeKeys(S, PC);
    for (bool Line : {false, true}) {
      Share &Of = Line ? Lines[Keys.Source] : Functions[Keys.Function];
      if (Of.Name.empty()) {
        Of.Name = Line ? sourcePlace(S, PC) : functionAt(S, PC);
        Of.Brief = Line ? sourcePlace(S, PC, NameLength::Brief)
                        : functionAt(S, PC, NameLength::Brief);
      }
      const uint64_t Lowest =
          Of.Path || Of.Executed ? Of.Address : ~uint64_t(0);
      Of.Address = std::min<uint64_t>(Lowest, PC);
      Of.Path += C.Path;
      Of.Executed += C.Executed;
    }
  }
  return Shares{sorted(std::move(Functions)), sorted(std::move(Lines))};
}

static std::string percent(uint64_t Part, uint64_t All) {
  return formatv("{0:f1}%", All ? 100.0 * double(Part) / double(All) : 0).str();
}

static json::Array toJson(ArrayRef<Share> List, uint64_t Limit,
                          StringRef Name) {
  json::Array A;
  for (const Share &S : List.take_front(std::min<size_t>(List.size(), Limit)))
    A.push_back(json::Object{{Name, json::fixUTF8(S.Name)},
                             {"address", hex(S.Address)},
                             {"path", S.Path},
                             {"executed", S.Executed}});
  return A;
}

static void print(Session &S, StringRef Title, ArrayRef<Share> List,
                  uint64_t Limit, uint64_t Length) {
  S.Out << formatv("{0,12} {1,7} {2,15}  {3}\n", "path", "", "executed", Title);
  for (const Share &X : List.take_front(std::min<size_t>(List.size(), Limit)))
    S.Out << formatv("{0,12} {1,7} {2,15}  {3}\n", grouped(X.Path),
                     percent(X.Path, Length), grouped(X.Executed), X.Brief);
  if (List.size() > Limit)
    S.Out << "-- " << grouped(List.size()) << " in all (--count)\n";
}

/// Why \p To waited for \p From, which are neighbours in a chain.
static std::string edgeBetween(Session &S, dataflow::StepCodes &Codes,
                               const Instruction &From, const Instruction &To) {
  const dataflow::StepCode &A = Codes.of(From), &B = Codes.of(To);
  std::vector<dataflow::DataPlace> Through;
  dataflow::Accesses Made(From), Read(To);
  for (const dataflow::NodeCode &N : A.Nodes)
    for (dataflow::Cell C : A.writes(N))
      for (const dataflow::NodeCode &M : B.Nodes)
        if (From.Thread == To.Thread && is_contained(B.reads(M), C))
          Through.push_back({To.Thread, {C, 1}, {}});
  for (dataflow::Range W : Made.Stores)
    for (dataflow::Range R : Read.Loads)
      if (dataflow::Range Common = W.common(R); Common.Size)
        Through.push_back({To.Thread, {}, Common});
  if (!Through.empty())
    return formatPlaces(S, Codes.cells(), Through);
  if (A.Branch)
    return "control";
  for (dataflow::Range W : Made.Stores)
    for (dataflow::Range X : Read.Stores)
      if (W.overlaps(X))
        return "storage";
  for (dataflow::Range R : Made.Loads)
    for (dataflow::Range X : Read.Stores)
      if (R.overlaps(X))
        return "storage";
  return "call, or a register restored";
}

/// The chain itself. Returns the first one.
static Expected<std::optional<Instruction>>
listSteps(Session &S, dataflow::StepCodes &Codes, const PathQuery &Q,
          const PathAnswer &A, uint64_t Limit, JsonItems *Items) {
  std::optional<Instruction> First, Last;
  uint64_t Time = 0, N = 0;
  for (unsigned At : A.OnPath.set_bits()) {
    if (N == Limit || S.cancelled())
      break;
    auto I = S.Store.instruction(Q.Part.From + At);
    if (!I)
      return I.takeError();
    std::string Edge = Last ? edgeBetween(S, Codes, *Last, *I) : "";
    if (Items) {
      json::Object O = placeJson(S, *I);
      O["instruction"] = formatInstruction(S, I->Insn);
      O["start"] = Time;
      O["through"] = Edge;
      Items->add(std::move(O));
    } else {
      S.Out << formatv("{0,10}  ", grouped(Time)) << instructionRow(S, *I)
            << "\n            " << formatInstruction(S, I->Insn);
      if (!Edge.empty())
        S.Out << "   (" << Edge << ")";
      S.Out << "\n";
    }
    Time += A.Latencies.empty() ? 1 : A.Latencies[N];
    ++N;
    if (!First)
      First = *I;
    Last = std::move(*I);
  }
  return First;
}

static Error runCriticalPath(Session &S, const ParsedOptions &O) {
  if (Error E = dataflow::StepCodes::check(S.Store))
    return E;
  PathQuery Q;
  if (Error E = parseModes(O, Q))
    return E;
  if (Error E = parsePart(S, O, Q))
    return E;
  auto Limit = listLimit(S, O, 20);
  if (!Limit)
    return Limit.takeError();
  uint64_t Shown = O.has("count") ? *Limit : std::min<uint64_t>(*Limit, 20);
  StringRef Calls = O.value("calls").value_or("fine"),
            Deps = O.value("dependences").value_or("dynamic");
  if (Deps == "static") {
    if (O.has("calls") && Calls != "atomic")
      return usageError("static dependences are those of atomic calls");
    Q.Calls = PathQuery::Static;
  } else if (Deps != "dynamic") {
    return usageError("--dependences wants dynamic or static, not '" + Deps +
                      "'");
  } else if (Calls == "atomic") {
    Q.Calls = PathQuery::Atomic;
  } else if (Calls == "none") {
    Q.Calls = PathQuery::None;
  } else if (Calls != "fine") {
    return usageError("--calls wants fine, atomic or none, not '" + Calls +
                      "'");
  }
  const bool Absolute =
      Q.Calls == PathQuery::Fine || Q.Calls == PathQuery::None;
  const bool ShowSuppressed = O.has("show-suppressed");
  if (O.has("slack") + O.has("steps") + ShowSuppressed > 1)
    return usageError("one of --steps, --slack and --show-suppressed");
  if (ShowSuppressed && !Q.Suppress)
    return usageError("with --no-suppress, nothing is suppressed");
  Q.Slack = O.has("slack");
  Q.Chain = Absolute && !Q.Slack && !ShowSuppressed;
  bool Steps = O.has("steps") || (O.has("goto") && !Q.Slack && !ShowSuppressed);
  if ((Steps || Q.Slack) && !Absolute)
    return usageError("the steps of a path, and slack, are those of --calls "
                      "fine or none");
  auto Latency = parseLatencies(S, O);
  if (!Latency)
    return Latency.takeError();
  auto Index = CallIndex::open(S.Store);
  if (!Index)
    return Index.takeError();
  dataflow::StepCodes Codes(S.Store, {false, std::move(Latency->Of)});
  auto A = criticalPath(S.Store, Index->get(), Codes, Q, S.Watch);
  if (!A)
    return A.takeError();
  // The matching of mnemonics may have been cut short.
  if (Error E = S.Watch.check())
    return E;
  if (Error E = Latency->check())
    return E;
  S.FoundNothing |= !A->Instructions;
  const bool PlacesMissing = placesMissing(S.Store);
  double Parallel =
      A->Length ? double(A->Work) / double(A->Length) : double(A->Work != 0);
  std::vector<std::string> Limits = dataflowLimits(S.Store);
  llvm::append_range(Limits, pathRemarks(*A));
  llvm::append_range(Limits, Latency->remarks());
  bool Json = O.has("json");

  std::optional<Shares> Of;
  if (Q.Chain && !Steps) {
    auto Found = collectShares(S, Q, *A);
    if (!Found)
      return Found.takeError();
    Of = std::move(*Found);
  }
  if (!Json) {
    for (const std::string &Line : Limits)
      S.Out << "note: " << Line << "\n";
    S.Out << "critical path " << grouped(A->Length) << ", work "
          << grouped(A->Work) << ": parallelism "
          << (A->Length ? PlacesMissing ? "" : "at most " : "unbounded: ")
          << (A->Length         ? formatv("{0:f2}", Parallel).str()
              : A->Instructions ? "nothing takes any time"
                                : "there are no instructions")
          << partText(S, O, Q) << "\n";
    if (Q.Suppress && A->Instructions)
      S.Out << "-- stepped over: " << grouped(A->Suppressed.Saves) << " saves, "
            << grouped(A->Suppressed.Restores)
            << " restores; the stack pointer, frame pointers, return "
               "addresses\n";
  }
  JsonItems Items(S.Out);
  std::optional<Instruction> First;
  Ending End;
  End.Searched = {Q.Part.From, std::min(Q.Part.To, S.Store.numInstructions())};
  const PathList List{Json ? *Limit : Shown, Json ? &Items : nullptr, End};
  if (!A->Instructions) {
    if (!Json)
      printEnding(S, 0, "instruction", End);
  } else if (Steps) {
    auto Found = listSteps(S, Codes, Q, *A, *Limit, Json ? &Items : nullptr);
    if (!Found)
      return Found.takeError();
    First = std::move(*Found);
    const size_t All = A->OnPath.count();
    End.Complete = All <= *Limit;
    if (!Json && !End.Complete)
      S.Out << "-- " << grouped(All) << " steps in all (--count)\n";
  } else if (Q.Slack) {
    auto Found = listSlack(S, Codes, *A, List);
    if (!Found)
      return Found.takeError();
    First = std::move(*Found);
  } else if (ShowSuppressed) {
    auto All = suppressedIn(S.Store, Index->get(), Codes, Q, S.Watch);
    if (!All)
      return All.takeError();
    auto Found = listSuppressed(S, Codes, *All, List);
    if (!Found)
      return Found.takeError();
    First = std::move(*Found);
  } else if (Of) {
    End.Complete = std::max(Of->Functions.size(), Of->Lines.size()) <= *Limit;
    if (!Json) {
      print(S, "function", Of->Functions, Shown, A->Length);
      print(S, "line", Of->Lines, Shown, A->Length);
    }
  }
  if (Json) {
    End.Cancelled = S.cancelled();
    End.Complete &= !End.Cancelled;
    json::Object J = listJson(json::Array(), End);
    J["length"] = A->Length;
    J["work"] = A->Work;
    J["parallelism"] = Parallel;
    J["instructions"] = A->Instructions;
    J["saves"] = A->Suppressed.Saves;
    J["restores"] = A->Suppressed.Restores;
    J["limits"] = json::Array(Limits);
    if (Of) {
      J["functions"] = toJson(Of->Functions, *Limit, "function");
      J["lines"] = toJson(Of->Lines, *Limit, "source");
    }
    Items.print(std::move(J));
  }
  if (!O.has("goto"))
    return Error::success();
  if (!First)
    return userError("there is no instruction to go to");
  return S.moveTo({First->Thread, First->When},
                  Q.Slack          ? "where there is the least slack"
                  : ShowSuppressed ? "the first that was suppressed"
                                   : "start of the critical path");
}

static constexpr OptionSpec CriticalPathOptions[] = {
    {"calls", 0, "mode", "fine (default), atomic or none", "fine|atomic|none"},
    opt::Control,
    {"dependences", 0, "mode", "dynamic (default) or static", "dynamic|static"},
    opt::Storage,
    opt::LoadLatency,
    opt::StackLatency,
    opt::LatencyFile,
    opt::Free,
    opt::NoSuppress,
    {"steps", 0, "", "list the path itself"},
    {"slack", 0, "", "list how much later each line could have been"},
    {"show-suppressed", 0, "",
     "list the saves, stack pointers and return addresses stepped over"},
    opt::From,
    opt::To,
    opt::Thread,
    opt::Count,
    opt::Goto,
    opt::Json};

extern const Command CriticalPathCommand = {
    .Name = "critical-path",
    .Summary = "Measure what the program was waiting for",
    .Help = R"(
The longest chain of instructions that depend on one another, each taking one
unit of time; all instructions together are the work. Work divided by the path
is the parallelism that no machine could exceed. By function and source line: how
much of the path they are. --free tells what the path would be if something took
no time: of a function its own instructions, not what it calls. --slack tells of
each line how much later it could have been without making the path longer: the
least of all its executions, and the mean. --show-suppressed lists what is no
dependence by the conventions of calls: saves and restores, stack and frame
pointers, return addresses. docs/dataflow.md explains the modes.

  rewind critical-path
  rewind critical-path --steps -c 5
  rewind critical-path --calls atomic --control call
  rewind critical-path --free find
  rewind critical-path --slack -c 5
  rewind critical-path --show-suppressed -c 5
)",
    .Options = CriticalPathOptions,
    .MaxArguments = 0,
    .Run = runCriticalPath,
    .OnlyAsks = true,
};

} // namespace rw
