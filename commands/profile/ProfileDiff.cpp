//===- ProfileDiff.cpp - rewind profile diff ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/ProfileDiff.h"
#include "commands/profile/OtherTrace.h"
#include "commands/profile/ProfileRows.h"
#include "commands/support/PlaceReport.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static const uint64_t *costOf(const std::optional<ContextChange::Side> &S) {
  return S ? S->Self.data() : nullptr;
}

/// By how much the first metric changed. Costs are far from 2^63.
static int64_t change(const ContextChange &C) {
  const uint64_t *Before = costOf(C.Before), *After = costOf(C.After);
  return int64_t(After ? *After : 0) - int64_t(Before ? *Before : 0);
}

static std::string signedText(int64_t N) {
  return (N < 0   ? "-"
          : N > 0 ? "+"
                  : "") +
         grouped(N < 0 ? uint64_t(-N) : uint64_t(N));
}

static StringRef stateOf(const ContextChange &C) {
  return !C.Before ? "new" : !C.After ? "gone" : "";
}

static std::string pathText(const ContextChange &C) {
  return C.Path.empty() ? AllFolded.str() : llvm::join(C.Path, " > ");
}

static json::Object changeJson(const ContextChange &C) {
  json::Array Path;
  for (const std::string &Name : C.Path)
    Path.push_back(json::fixUTF8(Name));
  json::Object O{{"path", std::move(Path)},
                 {"state", stateOf(C).empty() ? "changed" : stateOf(C)},
                 {"change", change(C)}};
  for (auto [Key, Side] : {std::pair("before", &C.Before), {"after", &C.After}})
    if (*Side) {
      json::Object Of{{"self", (*Side)->Self[0]},
                      {"activations", (*Side)->Activations.Count}};
      if ((*Side)->Activations.Count)
        Of["longest"] =
            json::Object{{"thread", (*Side)->Activations.Longest.Thread + 1},
                         {"position", (*Side)->Activations.Longest.Start},
                         {"cost", (*Side)->Activations.LongestCost}};
      O[Key] = std::move(Of);
    }
  return O;
}

/// Where the longest activation is: in the other trace, or, of what is gone, in
/// this one.
static std::string longestText(const TraceStore &Before,
                               const TraceStore &After,
                               const ContextChange &C) {
  const ActivationSummary &A =
      C.After ? C.After->Activations : C.Before->Activations;
  if (!A.Count)
    return "-";
  return formatPlace(C.After ? After : Before, A.Longest.Thread,
                     A.Longest.Start);
}

static void printChanges(Session &S, const TraceStore &Other, StringRef Unit,
                         ArrayRef<const ContextChange *> Changes) {
  if (Changes.empty())
    return;
  S.Out << formatv("{0,15} {1,15} {2,15}  {3,4}  {4,10}  self {5}\n", "before",
                   "after", "change", "", "longest", Unit);
  for (const ContextChange *C : Changes)
    S.Out << formatv("{0,15} {1,15} {2,15}  {3,4}  {4,10}  {5}\n",
                     C->Before ? grouped(C->Before->Self[0]) : "-",
                     C->After ? grouped(C->After->Self[0]) : "-",
                     signedText(change(*C)), stateOf(*C),
                     longestText(S.Store, Other, *C), pathText(*C));
}

/// Whether anything that runs has a name.
static bool hasNames(const ProfileView &V) {
  for (ProfileBlockId B = 0; B < V.profile().numBlocks(); ++B)
    if (V.profile().ofBlock(B).Count &&
        !StringRef(V.block(B).Name).starts_with("0x"))
      return true;
  return false;
}

/// Names are all that contexts of two builds have in common.
static void warnOfNames(Session &S, const ProfileView &Before,
                        const ProfileView &After) {
  bool HasBefore = hasNames(Before), HasAfter = hasNames(After);
  if (HasBefore != HasAfter)
    S.warn("the image of " +
           std::string(HasBefore ? "the other trace" : "this trace") +
           " has no names (stripped?): its functions are compared by their "
           "addresses, and none is the same as in the other one");
}

/// To an activation in this trace.
static Error gotoChange(Session &S, const ParsedOptions &O,
                        ArrayRef<const ContextChange *> Changes) {
  auto Line = gotoRow(O, Changes.size());
  if (!Line)
    return Line.takeError();
  const ContextChange &C = *Changes[*Line];
  const std::string Name = pathText(C);
  if (!C.Before)
    return userError(Name + " is in the other trace only");
  const ActivationSummary &A = C.Before->Activations;
  if (!A.Count)
    return userError("no activation of " + Name + " is told of");
  StringRef Which = *O.value("goto");
  const ActivationSummary::Place P = Which == "first" ? A.First : A.Longest;
  auto M = S.Store.momentOf(P.Thread, P.Start);
  if (!M)
    return M.takeError();
  return moveAndTell(S, O, {P.Thread, *M},
                     (Which + " activation of " + Name).str());
}

static Error runProfileDiff(Session &S, const ParsedOptions &O) {
  if (Error E = checkGoto(S, O, /*Summary=*/true))
    return E;
  auto Limit = listLimit(S, O);
  if (!Limit)
    return Limit.takeError();
  if (StringRef(O.value("metric").value_or("")).contains('/'))
    return usageError("a difference is of one metric, not of a ratio");
  auto Before = ProfileView::open(S, O);
  if (!Before)
    return Before.takeError();
  // Halves cannot be compared.
  if (Error E = (*Before)->sweepWhole())
    return E;
  auto Other = OtherTrace::open(S, O, O.arguments()[0]);
  if (!Other)
    return Other.takeError();
  auto After = ProfileView::open((*Other)->session(), O);
  if (!After)
    return After.takeError();
  if (Error E = (*After)->sweepWhole())
    return E;
  if (Error E = (*Before)->checkFilters(After->get()))
    return E;
  const std::vector<ContextChange> Contexts =
      diffProfiles((*Before)->profile(), (*Before)->blocks(),
                   (*After)->profile(), (*After)->blocks(), O.has("flat"));
  warnOfNames(S, **Before, **After);
  std::vector<const ContextChange *> Changes;
  for (const ContextChange &C : Contexts)
    if (change(C))
      Changes.push_back(&C);
  stable_sort(Changes, [](const ContextChange *A, const ContextChange *B) {
    return std::abs(change(*A)) > std::abs(change(*B));
  });
  if (O.has("goto"))
    return gotoChange(S, O, Changes);
  size_t All = Changes.size();
  Changes.resize(size_t(std::min<uint64_t>(All, *Limit)));
  uint64_t TotalBefore = (*Before)->profile().total()[0];
  uint64_t TotalAfter = (*After)->profile().total()[0];
  Metric M = (*Before)->metrics()[0];
  if (O.has("json")) {
    json::Array Items;
    for (const ContextChange *C : Changes)
      Items.push_back(changeJson(*C));
    Ending End;
    End.Complete = Changes.size() == All;
    End.Searched = (*Before)->span();
    json::Object J = listJson(std::move(Items), End);
    J["metric"] = metricInfo(M).Name;
    J["contexts"] = Contexts.size();
    J["total_before"] = TotalBefore;
    J["total_after"] = TotalAfter;
    (*Before)->addFilters(J);
    printJson(S.Out, std::move(J));
    return Error::success();
  }
  printChanges(S, (*Other)->session().Store, (*Before)->unit(M), Changes);
  S.Out << "-- " << grouped(All) << " of " << grouped(Contexts.size())
        << (O.has("flat") ? " " + (*Before)->blockNoun().str() + "s"
                          : std::string(" contexts"))
        << " changed, from " << grouped(TotalBefore) << " to "
        << grouped(TotalAfter) << " " << (*Before)->unit(M);
  if (std::string Text = (*Before)->filters(); !Text.empty())
    S.Out << "; " << Text;
  if (Contexts.empty())
    S.Out << "; " << (*Before)->whyEmpty();
  if (Changes.size() != All)
    S.Out << "; " << grouped(Changes.size()) << " are listed (--count)\n";
  else
    S.Out << "; that is all\n";
  return Error::success();
}

static constexpr OptionSpec ProfileDiffOptions[] = {
    opt::Json,
    opt::Count,
    opt::MetricOption,
    REWIND_PROFILE_OPTIONS,
    opt::OtherImage,
    {"flat", 0, "",
     "a line for each function, line or block, whoever calls it"},
    {"goto", 'g', "which",
     "LLDB only: move to an activation of a line in this trace: longest or "
     "first",
     "longest|first"},
    opt::Row};

extern const Command ProfileDiffCommand = {
    .Name = "profile diff",
    .Summary = "Compare the profile with that of another trace",
    .Arguments = "<other trace>",
    .Help = R"(
What each context (chain of callers, as in 'profile sequences') costs by itself
in this trace and in the other one, the greatest change first. Contexts are the
same if the functions on the way have the same names; new and gone ones are
marked. What costs the same is not listed. The longest activation is one of the
other trace, of gone contexts one of this trace. With --flat, a line is what a
function costs by itself, whoever calls it (pprof's flat). The other trace has
the same program unless --other-image names one.

  rewind profile diff other.tarmac
  rewind profile diff other.tarmac --flat
  rewind profile diff other.tarmac --metric calls --json
  (lldb) rewind profile diff other.tarmac --row 2 --goto first
)",
    .Options = ProfileDiffOptions,
    .MinArguments = 1,
    .MaxArguments = 1,
    .Run = runProfileDiff,
};

} // namespace rw
