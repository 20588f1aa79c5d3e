//===- HtrBlock.cpp - rewind htr block ------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/HtrOutline.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {

/// All that is told of a block, gathered once for both forms of output.
struct Facts {
  BlockInfo Block;
  std::optional<uint64_t> TotalTime;
  std::optional<Position> First, Last;
  ThreadIndex FirstThread = 0, LastThread = 0;
  std::vector<std::pair<uint64_t, uint64_t>> Calls; ///< entry pc, times
};

} // namespace

static Expected<Facts> gather(Session &S, const HtrFile &File, BlockId B) {
  Facts F;
  F.Block = File.block(B);
  HtrClock Clock(S, File);
  auto Total = Clock.total();
  if (!Total)
    return Total.takeError();
  F.TotalTime = *Total;
  if (F.Block.Home && F.Block.Occurrences) {
    std::tie(F.FirstThread, F.First) = File.positionOf(File.occurrence(B, 0));
    std::tie(F.LastThread, F.Last) =
        File.positionOf(File.occurrence(B, F.Block.Occurrences - 1));
  } else if (F.Block.Kind == BlockKind::Instruction && F.Block.Occurrences) {
    HtrOccurrences O(S, File, B);
    auto First = O.get(0);
    if (!First)
      return First.takeError();
    auto Last = S.Store.lastVisit(F.Block.Value, S.Store.numInstructions());
    if (!Last)
      return Last.takeError();
    auto T = S.Store.threadAt(Last->value_or(First->When));
    if (!T)
      return T.takeError();
    F.FirstThread = First->Thread;
    F.LastThread = *T;
    auto P = S.Store.positionOf(F.FirstThread, First->When);
    auto Q = S.Store.positionOf(F.LastThread, Last->value_or(First->When));
    if (!P || !Q)
      return joinErrors(P.takeError(), Q.takeError());
    F.First = *P;
    F.Last = *Q;
  }
  for (auto [PC, N] : File.callsIn(B))
    F.Calls.push_back({PC, N});
  stable_sort(F.Calls,
              [](const auto &A, const auto &B) { return A.second > B.second; });
  return F;
}

static Error print(Session &S, const HtrFile &File, const Facts &F,
                   ArrayRef<OutlineRow> Parts, uint64_t NumParts) {
  const BlockInfo &I = F.Block;
  HtrNames Names(S, File);
  auto line = [&](StringRef Label, const Twine &Text) {
    S.Out << formatv("{0,-16}", Label) << Text << "\n";
  };
  line("Block:", blockLabel(I.Id) + "  " + Names.block(I.Id));
  line("Kind:", blockKindName(I.Kind) + " of layer " + Twine(I.Home) + ", " +
                    File.layer(I.Home).Pass);
  line("Occurrences:", grouped(I.Occurrences));
  uint64_t All = I.Length * I.Occurrences;
  line("Instructions:", grouped(I.Length) + " each, " + grouped(All) +
                            " in all (" + percent(All, File.numInstructions()) +
                            ")");
  if (I.Time && F.TotalTime)
    line("Time:", grouped(*I.Time) + " " + S.Store.header().TimeUnit +
                      " in all (" + percent(*I.Time, *F.TotalTime) + ")");
  else
    line("Time:", UnknownText + Twine(" (the trace has no time)"));
  if (F.First)
    line("Positions:",
         "first " + formatPlace(S.Store, F.FirstThread, *F.First) + ", last " +
             formatPlace(S.Store, F.LastThread, *F.Last));
  for (auto [Label, B] : {std::pair("Entry:", I.Entry), {"Exit:", I.Exit}})
    if (B != htr::NoBlock) {
      uint64_t PC = File.block(B).Value;
      std::string Code = formatCode(S, PC);
      line(Label, hex(PC) + (Code.empty() ? "" : " " + Code));
    }
  if (F.Calls.empty())
    line("Calls:", File.header().FunctionEntries.empty()
                       ? UnknownText + Twine(" (no call index)")
                       : Twine("none"));
  for (size_t K = 0; K < F.Calls.size() && K < 20; ++K)
    line(K ? "" : "Calls:",
         grouped(F.Calls[K].second) + " x " + Names.function(F.Calls[K].first));
  if (F.Calls.size() > 20)
    line("", "... " + grouped(F.Calls.size() - 20) + " functions more");
  if (NumParts == 0)
    return Error::success();
  S.Out << "\nIt is made of " << grouped(NumParts)
        << (NumParts == 1 ? " unit" : " units");
  if (I.Kind == BlockKind::Repeat)
    S.Out << ", " << grouped(I.Value) << " times";
  S.Out << " (in its first occurrence):\n";
  return printOutline(S, File, Parts);
}

static json::Object toJson(Session &S, const HtrFile &File, const Facts &F) {
  const BlockInfo &I = F.Block;
  HtrNames Names(S, File, NameLength::Whole);
  json::Object O{{"id", int64_t(I.Id)},
                 {"name", Names.block(I.Id)},
                 {"kind", blockKindName(I.Kind)},
                 {"layer", int64_t(I.Home)},
                 {"pass", File.layer(I.Home).Pass},
                 {"occurrences", I.Occurrences},
                 {"instructions", I.Length},
                 {"share_instructions",
                  double(I.Length) * I.Occurrences /
                      std::max<uint64_t>(1, File.numInstructions())}};
  if (const uint64_t Rounds = File.numRounds(I.Id))
    O["count"] = Rounds;
  if (I.Time) {
    O["time"] = *I.Time;
    if (F.TotalTime && *F.TotalTime)
      O["share_time"] = double(*I.Time) / *F.TotalTime;
  }
  if (F.First) {
    O["first"] = json::Object{{"thread", int64_t(F.FirstThread) + 1},
                              {"position", *F.First}};
    O["last"] = json::Object{{"thread", int64_t(F.LastThread) + 1},
                             {"position", *F.Last}};
  }
  for (auto [Key, B] : {std::pair("entry_pc", I.Entry), {"exit_pc", I.Exit}})
    if (B != htr::NoBlock)
      O[Key] = hex(File.block(B).Value);
  json::Array Calls;
  for (auto [PC, N] : F.Calls)
    Calls.push_back(json::Object{
        {"function", Names.function(PC)}, {"pc", hex(PC)}, {"count", N}});
  if (!File.header().FunctionEntries.empty())
    O["calls"] = std::move(Calls);
  return O;
}

static Error runHtrBlock(Session &S, const ParsedOptions &Options) {
  auto Opened = openBlock(S, Options);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = *Opened->File;
  const BlockId B = Opened->Id;
  auto F = gather(S, File, B);
  if (!F)
    return F.takeError();
  auto Count = Options.number("count");
  if (!Count)
    return Count.takeError();

  OutlineOptions Outline;
  Outline.Layer = File.numLayers() - 1;
  Outline.MaxDepth = 0;
  Outline.MaxRows = std::max<uint64_t>(1, Count->value_or(20));
  UnitRange Parts = File.parts(B, Outline.Layer);
  std::vector<OutlineRow> Rows;
  if (Parts.size() && F->Block.Occurrences)
    Rows =
        htr::Outliner(File, Outline)
            .list(Parts, 0, Parts.size(), File.occurrence(B, 0), Parts.Times);
  if (!Options.has("json"))
    return print(S, File, *F, Rows, Parts.size());
  json::Object O = toJson(S, File, *F);
  auto Items = outlineJson(S, File, Rows);
  if (!Items)
    return Items.takeError();
  O["parts"] = std::move(*Items);
  O["num_parts"] = Parts.size();
  printJson(S.Out, std::move(O));
  return Error::success();
}

static constexpr OptionSpec HtrBlockOptions[] = {
    opt::Json,
    {"count", 'c', "n", "list at most n of its parts (20)"},
};

extern const Command HtrBlockCommand = {
    .Name = "htr block",
    .Summary = "Tell all that is known of a block",
    .Arguments = "<block>",
    .Help = R"(
What kind of block it is, how often it occurs, how many instructions and how
much time all its occurrences take, where the first and the last one are, the
code that it begins and ends with, the functions called in one occurrence with
how often, and what it is made of one layer down.

  rewind htr block B1187
)",
    .Options = HtrBlockOptions,
    .MinArguments = 1,
    .MaxArguments = 1,
    .Run = runHtrBlock,
    .OnlyAsks = true,
};

} // namespace rw
