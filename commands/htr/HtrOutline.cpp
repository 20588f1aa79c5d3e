//===- HtrOutline.cpp - Blocks as a page to read --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/htr/HtrOutline.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

Expected<std::optional<unsigned>> outlineDepth(const ParsedOptions &O,
                                               unsigned Least) {
  auto Depth = O.number("depth");
  if (!Depth)
    return Depth.takeError();
  if (*Depth && (**Depth < Least || **Depth > htr::MaxOutlineDepth))
    return usageError("--depth must be from " + Twine(Least) + " to " +
                      grouped(htr::MaxOutlineDepth));
  return *Depth;
}

namespace {

/// What both forms of output say of a row.
class RowPrinter {
public:
  RowPrinter(Session &S, const HtrFile &File, NameLength Length)
      : S(S), File(File), Names(S, File, Length), Clock(S, File) {}

  Error start() {
    auto T = Clock.total();
    if (!T)
      return T.takeError();
    TotalTime = *T;
    return Error::success();
  }

  Error print(const OutlineRow &R, unsigned Depth = 0) {
    const bool Rest = R.What == OutlineRow::Rest;
    const bool Counted = !Rest && R.What != OutlineRow::Own && R.Times;
    auto Time = timeOf(R);
    if (!Time)
      return Time.takeError();
    auto Text = text(R);
    if (!Text)
      return Text.takeError();
    const std::string Source = source(R);
    S.Out << formatv("{0,12}  {1,-9} {2,9}  {3,14} {4,6} {5,6}  {6}{7}{8}\n",
                     Rest ? "" : formatHtrPlace(S, File, R.At),
                     R.Id == htr::NoBlock ? "" : blockLabel(R.Id),
                     Counted ? "x" + grouped(R.Times) : "",
                     grouped(R.Instructions), share(R),
                     *Time && TotalTime ? percent(**Time, *TotalTime) : "",
                     std::string(2 * Depth, ' '), *Text,
                     Source.empty() ? "" : "  " + Source);
    for (const OutlineRow &C : R.Inside)
      if (Error E = print(C, Depth + 1))
        return E;
    return Error::success();
  }

  Expected<json::Value> toJson(const OutlineRow &R) {
    json::Object O;
    O["instructions"] = R.Instructions;
    O["share_instructions"] =
        double(R.Instructions) / std::max<uint64_t>(1, File.numInstructions());
    if (R.What == OutlineRow::Rest) {
      O["more"] = R.Times;
      return O;
    }
    auto [T, Pos] = File.positionOf(R.At);
    O["thread"] = int64_t(T) + 1;
    O["position"] = Pos;
    O["name"] = name(R);
    if (R.What != OutlineRow::Own)
      O["times"] = R.Times;
    if (R.Nested)
      O["nested"] = R.Nested;
    if (R.HasOthers)
      O["folded"] = true;
    if (R.Of.size() > 1)
      O["blocks"] = uint64_t(R.Of.size());
    if (R.Id != htr::NoBlock) {
      const BlockInfo I = File.block(R.Id);
      O["id"] = int64_t(R.Id);
      O["kind"] = blockKindName(I.Kind);
      O["layer"] = int64_t(I.Home);
      O["occurrences"] = I.Occurrences;
    } else {
      O["kind"] = R.What == OutlineRow::Own ? "own code" : "instructions";
    }
    if (R.Rounds) {
      json::Object Rounds = loopJson(File, *R.Rounds);
      auto L = htr::loopPaths(File, R.Of, S.Watch);
      if (!L)
        return L.takeError();
      Rounds["paths"] = uint64_t(L->Paths.size());
      if (const htr::LoopChoice *Main = L->main())
        Rounds["chosen_by"] = Names.stepJson(Main->After);
      O["rounds"] = std::move(Rounds);
    }
    auto Time = timeOf(R);
    if (!Time)
      return Time.takeError();
    if (*Time) {
      O["time"] = **Time;
      if (TotalTime && *TotalTime)
        O["share_time"] = double(**Time) / *TotalTime;
    }
    if (std::string Source = source(R); !Source.empty())
      O["source"] = Source;
    if (!R.Inside.empty()) {
      json::Array Inside;
      for (const OutlineRow &C : R.Inside) {
        auto V = toJson(C);
        if (!V)
          return V.takeError();
        Inside.push_back(std::move(*V));
      }
      O["inside"] = std::move(Inside);
    }
    return O;
  }

private:
  Session &S;
  const HtrFile &File;
  HtrNames Names;
  HtrClock Clock;
  std::optional<uint64_t> TotalTime;

  std::string name(const OutlineRow &R) {
    switch (R.What) {
    case OutlineRow::Call: {
      std::string Text;
      for (BlockId B : R.Chain)
        Text += (Text.empty() ? "" : " > ") + Names.call(B);
      return asCall(std::move(Text));
    }
    case OutlineRow::Loop:
      return "loop " + Names.header(R.Id);
    case OutlineRow::Own:
      return "own code";
    case OutlineRow::Rest:
      return "... " + grouped(R.Times) + " more";
    case OutlineRow::Code:
    case OutlineRow::Gap:
      break;
    }
    return R.Id == htr::NoBlock ? Names.code(R.First, R.Last)
                                : Names.block(R.Id);
  }

  /// The name with all that is known of it.
  Expected<std::string> text(const OutlineRow &R) {
    if (!R.Rounds) {
      std::string Text = name(R);
      if (R.Nested)
        Text += ", " + grouped(R.Nested) + " of itself inside";
      if (R.HasOthers)
        Text += ", with calls that are no blocks";
      return Text;
    }
    std::string Text = loopText(S, File, *R.Rounds, Names.header(R.Id));
    auto L = htr::loopPaths(File, R.Of, S.Watch);
    if (!L)
      return L.takeError();
    const htr::LoopChoice *Main = L->main();
    if (!Main)
      return Text;
    Text += ", " + grouped(L->Paths.size()) + " paths (" +
            percent(L->Paths[0].Rounds, L->Rounds) + " on one) chosen at " +
            Names.step(Main->After);
    if (std::string Source = Names.source(Main->After.At, Main->After.At);
        !Source.empty())
      Text += " " + Source;
    return Text;
  }

  std::string source(const OutlineRow &R) {
    if (R.What == OutlineRow::Rest || R.What == OutlineRow::Own)
      return {};
    if (R.Id == htr::NoBlock)
      return Names.source(R.First, R.Last);
    const BlockInfo I = File.block(R.Id);
    if (I.Kind != BlockKind::Function)
      return Names.source(I.Entry, I.Exit);
    // A merged row has the line of its innermost function.
    const BlockId Entry = Names.entry(R.Chain.back());
    return Names.source(Entry, Entry);
  }
  std::string share(const OutlineRow &R) const {
    return percent(double(R.Instructions), double(File.numInstructions()));
  }
  /// The time of all executions; asked from the store where there is but one.
  Expected<std::optional<uint64_t>> timeOf(const OutlineRow &R) {
    if (R.Time || R.What == OutlineRow::Own || R.What == OutlineRow::Rest ||
        R.Times != 1)
      return R.Time;
    return Clock.spent(R.At, R.Instructions);
  }
};

} // namespace

static std::string average(uint64_t Sum, uint64_t Count) {
  return formatv("{0:f1}", double(Sum) / std::max<uint64_t>(1, Count)).str();
}

std::string loopText(Session &S, const HtrFile &File, const htr::LoopSummary &L,
                     StringRef Header) {
  std::string Text = (L.Irreducible ? "irreducible loop " : "loop ") +
                     (L.MinTrips == L.MaxTrips
                          ? grouped(L.MaxTrips)
                          : grouped(L.MinTrips) + ".." + grouped(L.MaxTrips) +
                                " (avg " + average(L.Trips, L.Stays) + ")") +
                     " x " + Header.str();
  if (L.Cut)
    Text += ", cut by a gap " + grouped(L.Cut) + "x";
  if (!L.Trips)
    return Text;
  if (L.Min == L.Max)
    return Text + ", " + grouped(L.Max) + " each";
  Text += ", " + grouped(L.Min) + ".." + grouped(L.Max) + " each (median " +
          grouped(L.Median) + ", p99 " + grouped(L.P99);
  if (L.Dearest)
    Text += ", most at " + formatHtrPlace(S, File, *L.Dearest);
  return Text + ")";
}

json::Object loopJson(const HtrFile &File, const htr::LoopSummary &L) {
  json::Object O{{"stays", L.Stays},
                 {"trips", L.Trips},
                 {"min_trips", L.MinTrips},
                 {"max_trips", L.MaxTrips},
                 {"min", L.Min},
                 {"median", L.Median},
                 {"p99", L.P99},
                 {"max", L.Max},
                 {"irreducible", L.Irreducible},
                 {"cut", L.Cut}};
  if (L.Dearest)
    O["dearest"] = File.positionOf(*L.Dearest).second;
  return O;
}

Error printOutline(Session &S, const HtrFile &File, ArrayRef<OutlineRow> Rows) {
  RowPrinter P(S, File, NameLength::Brief);
  if (Error E = P.start())
    return E;
  S.Out << formatv("{0,12}  {1,-9} {2,9}  {3,14} {4,6} {5,6}  {6}\n",
                   "position", "block", "times", "instructions", "insns",
                   "time", "what");
  for (const OutlineRow &R : Rows) {
    if (Error E = S.Watch.check())
      return E;
    if (Error E = P.print(R))
      return E;
  }
  return Error::success();
}

Expected<json::Array> outlineJson(Session &S, const HtrFile &File,
                                  ArrayRef<OutlineRow> Rows) {
  RowPrinter P(S, File, NameLength::Whole);
  if (Error E = P.start())
    return E;
  json::Array Items;
  for (const OutlineRow &R : Rows) {
    if (Error E = S.Watch.check())
      return E;
    auto V = P.toJson(R);
    if (!V)
      return V.takeError();
    Items.push_back(std::move(*V));
  }
  return Items;
}

} // namespace rw
