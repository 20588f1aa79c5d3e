//===- ProfileRows.cpp - Lines of a profile, as text and JSON -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileRows.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

std::string blockName(const ProfileView &V, ProfileBlockId B) {
  return B == NoProfileBlock ? "(none)" : V.block(B).Name;
}

ProfileRow blockRow(const ProfileView &V, ProfileBlockId B,
                    ContextProfile::Costs Cost) {
  ProfileRow R;
  R.About = ProfileRow::Block;
  R.Id = R.Of = B;
  R.Cost = Cost.vec();
  R.Activations = V.profile().ofBlock(B);
  R.Name = blockName(V, B);
  return R;
}

bool isFree(const ProfileRow &R) {
  return all_of(R.Cost, [](uint64_t C) { return C == 0; });
}

/// Unknown, if the second one is 0.
static std::optional<double> ratioOf(const ProfileRow &R) {
  if (!R.Cost[1])
    return std::nullopt;
  return double(R.Cost[0]) / double(R.Cost[1]);
}

Error sortRows(const ProfileView &V, const ParsedOptions &O,
               std::vector<ProfileRow> &Rows) {
  StringRef Key = O.value("sort").value_or("cost");
  auto By = [&](auto Less) {
    stable_sort(Rows, Less);
    return Error::success();
  };
  auto Cost = [](const ProfileRow &A, const ProfileRow &B) {
    return A.Cost > B.Cost;
  };
  if (Key == "cost")
    return By(Cost);
  if (Key == "activations")
    return By([](const ProfileRow &A, const ProfileRow &B) {
      return A.Activations.Count > B.Activations.Count;
    });
  if (Key == "name")
    return By([](const ProfileRow &A, const ProfileRow &B) {
      return A.Name < B.Name;
    });
  if (Key == "ratio" && V.isRatio()) {
    stable_sort(Rows, Cost);
    return By([](const ProfileRow &A, const ProfileRow &B) {
      return ratioOf(A).value_or(-1) > ratioOf(B).value_or(-1);
    });
  }
  if (Key == "ratio")
    return usageError("--sort ratio needs one: --metric time/instructions");
  return usageError("--sort wants cost, ratio, activations or name, not '" +
                    Key + "'");
}

namespace {
/// Columns as wide as they must be; the last one is to the left.
class TextTable {
public:
  void row(std::vector<std::string> Cells) {
    Width.resize(std::max(Width.size(), Cells.size()));
    for (size_t I = 0; I + 1 < Cells.size(); ++I)
      Width[I] = std::max(Width[I], Cells[I].size());
    Rows.push_back(std::move(Cells));
  }
  void print(raw_ostream &Out) const {
    for (const auto &Cells : Rows) {
      for (size_t I = 0; I + 1 < Cells.size(); ++I) {
        Out.indent(unsigned(Width[I] - Cells[I].size())) << Cells[I];
        Out << "  ";
      }
      Out << Cells.back() << "\n";
    }
  }

private:
  std::vector<size_t> Width;
  std::vector<std::vector<std::string>> Rows;
};
} // namespace

static std::string placeText(const Session &S, ActivationSummary::Place P) {
  return formatPlace(S.Store, P.Thread, P.Start);
}

/// As `calls tree` marks them, where a line is about who called it.
static std::string tailCalls(const ProfileRow &R) {
  const ActivationSummary &A = R.Activations;
  if (!A.TailCalls || R.About == ProfileRow::Block)
    return "";
  if (A.TailCalls == A.Count)
    return "  (tail call" + std::string(A.Count == 1 ? ")" : "s)");
  return "  (" + grouped(A.TailCalls) + " of them tail calls)";
}

void printRows(Session &S, const ProfileView &V, ArrayRef<ProfileRow> Rows,
               StringRef What) {
  if (Rows.empty())
    return;
  ArrayRef<Metric> Metrics = V.metrics();
  auto Total = double(V.profile().total()[0]);
  bool WithSelf = any_of(Rows, [](auto &R) { return !R.Self.empty(); });
  TextTable Table;
  std::vector<std::string> Head;
  auto Costs = [&](const std::string &Kind) {
    Head.push_back(Kind + V.unit(Metrics[0]));
    Head.push_back("");
    if (V.isRatio()) {
      Head.push_back(Kind + V.unit(Metrics[1]));
      Head.push_back("ratio");
    }
  };
  Costs(What.empty() ? "" : What.str() + " ");
  if (WithSelf) {
    Head.push_back("self");
    Head.push_back("");
  }
  for (const char *H : {"activations", "first", "longest", ""})
    Head.push_back(H);
  Head.push_back(V.blockNoun().str());
  Table.row(std::move(Head));
  for (const ProfileRow &R : Rows) {
    std::vector<std::string> Cells{grouped(R.Cost[0]),
                                   percent(double(R.Cost[0]), Total)};
    if (V.isRatio()) {
      Cells.push_back(grouped(R.Cost[1]));
      auto Ratio = ratioOf(R);
      Cells.push_back(Ratio ? formatv("{0:f3}", *Ratio).str() : "-");
    }
    if (WithSelf) {
      Cells.push_back(R.Self.empty() ? "" : grouped(R.Self[0]));
      Cells.push_back(R.Self.empty() ? "" : percent(double(R.Self[0]), Total));
    }
    const ActivationSummary &A = R.Activations;
    if (A.Count) {
      Cells.push_back(grouped(A.Count));
      Cells.push_back(placeText(S, A.First));
      Cells.push_back(placeText(S, A.Longest));
      Cells.push_back("(" + grouped(A.LongestCost) + ")");
    } else {
      Cells.insert(Cells.end(), {"-", "-", "-", ""});
    }
    Cells.push_back(std::string(2 * size_t(R.Depth), ' ') +
                    (V.byFunctions() ? briefName(R.Name) : R.Name) +
                    tailCalls(R));
    Table.row(std::move(Cells));
  }
  Table.print(S.Out);
}

void printEnding(Session &S, const ProfileView &V, size_t Listed, size_t All,
                 StringRef Noun, StringRef Options) {
  S.Out << "-- " << grouped(All) << " " << Noun << (All == 1 ? "" : "s")
        << ", ";
  for (size_t I = 0; I < V.metrics().size(); ++I)
    S.Out << (I ? ", " : "") << grouped(V.profile().total()[I]) << " "
          << V.unit(V.metrics()[I]);
  S.Out << " in all";
  if (std::string Text = V.filters(); !Text.empty())
    S.Out << "; " << Text;
  if (V.interrupted())
    S.Out << "; interrupted, counted " << formatPosition(V.span().From)
          << " to " << formatPosition(V.span().To)
          << (S.Store.numThreads() > 1 ? " of all threads together" : "");
  else if (!All)
    S.Out << "; " << V.whyEmpty();
  if (Listed != All)
    S.Out << "; " << grouped(Listed) << " are listed (" << Options << ")";
  else if (!V.interrupted())
    S.Out << "; that is all";
  S.Out << "\n";
}

static json::Object costsJson(const ProfileView &V, ArrayRef<uint64_t> Costs) {
  json::Object O;
  for (size_t I = 0; I < Costs.size(); ++I)
    O[metricInfo(V.metrics()[I]).Name] = Costs[I];
  return O;
}

static json::Object placeJson(ActivationSummary::Place P) {
  return json::Object{{"thread", P.Thread + 1}, {"position", P.Start}};
}

json::Object rowJson(const ProfileView &V, const ProfileRow &R,
                     StringRef What) {
  json::Object O{{"block", json::fixUTF8(R.Name)},
                 {What, costsJson(V, R.Cost)},
                 {"activations", R.Activations.Count}};
  if (R.Activations.TailCalls)
    O["tail_calls"] = R.Activations.TailCalls;
  if (!R.Self.empty())
    O["self"] = costsJson(V, R.Self);
  if (R.Of != NoProfileBlock) {
    const ProfileBlock &B = V.block(R.Of);
    O["address"] = hex(B.Address);
    if (!B.Frames.empty() && B.Frames.front().Line) {
      O["file"] = json::fixUTF8(B.Frames.front().File);
      O["source_line"] = B.Frames.front().Line;
    }
  }
  if (V.isRatio()) {
    auto Ratio = ratioOf(R);
    O["ratio"] = Ratio ? json::Value(*Ratio) : json::Value(nullptr);
  }
  if (R.Activations.Count) {
    O["first"] = placeJson(R.Activations.First);
    json::Object Longest = placeJson(R.Activations.Longest);
    Longest["cost"] = R.Activations.LongestCost;
    O["longest"] = std::move(Longest);
  }
  return O;
}

json::Object profileJson(Session &S, const ProfileView &V, json::Array Items,
                         bool Complete) {
  Ending End;
  End.Cancelled = V.interrupted();
  End.Complete = Complete && !End.Cancelled;
  End.Searched = V.span();
  const bool Empty = Items.empty() && End.Complete;
  json::Object O = listJson(S, std::move(Items), End);
  if (Empty)
    O["why_empty"] = V.whyEmpty();
  O["total"] = costsJson(V, V.profile().total());
  O["by"] = V.blockNoun();
  V.addFilters(O);
  return O;
}

Error listRows(Session &S, const ParsedOptions &O, ProfileView &V,
               std::vector<ProfileRow> Rows, StringRef What, StringRef Noun) {
  if (O.has("goto"))
    return gotoActivation(S, O, V, Rows);
  auto Limit = listLimit(S, O);
  if (!Limit)
    return Limit.takeError();
  size_t All = Rows.size();
  Rows.resize(size_t(std::min<uint64_t>(All, *Limit)));
  if (O.has("json")) {
    json::Array Items;
    for (const ProfileRow &R : Rows)
      Items.push_back(rowJson(V, R, What));
    printJson(S.Out, profileJson(S, V, std::move(Items), Rows.size() == All));
    return Error::success();
  }
  S.FoundNothing |= Rows.empty();
  printRows(S, V, Rows, What);
  printEnding(S, V, Rows.size(), All, Noun);
  return Error::success();
}

} // namespace rw
