//===- HtrHot.cpp - rewind htr hot ----------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/Htr.h"
#include "core/htr/HotSpots.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using htr::HotSpot;

static StringRef kindName(HotSpot::Kind Kind) {
  switch (Kind) {
  case HotSpot::Loop:
    return "loop";
  case HotSpot::Function:
    return "function";
  case HotSpot::Thread:
    return "thread";
  case HotSpot::Block:
    return "block";
  }
  return "";
}

static std::string nameOf(HtrNames &Names, const HotSpot &Spot) {
  switch (Spot.What) {
  case HotSpot::Loop:
    return "loop " + Names.header(Spot.Id);
  case HotSpot::Function:
    return Names.block(Spot.Id) + " outside of loops";
  case HotSpot::Thread:
    return "thread " + std::to_string(Spot.Value + 1) + " outside of functions";
  case HotSpot::Block:
    break;
  }
  return Names.block(Spot.Id);
}

static std::string sourceOf(HtrNames &Names, const HtrFile &File,
                            const HotSpot &Spot) {
  if (Spot.Id == htr::NoBlock)
    return {};
  const BlockInfo I = File.block(Spot.Id);
  return Spot.What == HotSpot::Function ? Names.source(I.Entry, I.Entry)
                                        : Names.source(I.Entry, I.Exit);
}

static Error runHtrHot(Session &S, const ParsedOptions &Options) {
  auto Opened = openHtr(S);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = **Opened;
  auto Count = Options.number("count");
  if (!Count)
    return Count.takeError();
  const uint64_t Max = std::max<uint64_t>(1, Count->value_or(20));
  if (File.numLayers() == 1)
    return userError("there are no layers above the instructions: no pass "
                     "found anything to condense");
  std::vector<HotSpot> Spots = htr::hotSpots(File, Options.has("blocks"));
  HtrNames Names(S, File, nameLength(Options));
  const uint64_t Shown = std::min<uint64_t>(Max, Spots.size());
  uint64_t Rest = 0;
  for (uint64_t I = Shown; I < Spots.size(); ++I)
    Rest += Spots[I].Own;
  json::Array Items;
  if (!Options.has("json"))
    S.Out << formatv("{0,12}  {1,-9} {2,11}  {3,14} {4,6}  {5}\n", "position",
                     "block", "times", "own insns", "insns", "what");
  for (const HotSpot &Spot : ArrayRef(Spots).take_front(Shown)) {
    htr::Place At = Spot.At;
    if (At == ~htr::Place(0)) { // an instruction: the store knows
      HtrOccurrences Of(S, File, Spot.Id);
      auto P = Of.get(0);
      if (!P)
        return P.takeError();
      auto Pos = S.Store.positionOf(P->Thread, P->When);
      if (!Pos)
        return Pos.takeError();
      At = File.placeOf(P->Thread, *Pos);
    }
    const std::string Source = sourceOf(Names, File, Spot);
    if (Options.has("json")) {
      auto [T, Pos] = File.positionOf(At);
      json::Object O{
          {"name", nameOf(Names, Spot)},
          {"kind", kindName(Spot.What)},
          {"thread", int64_t(T) + 1},
          {"position", Pos},
          {"times", Spot.Times},
          {"own", Spot.Own},
          {"share_instructions",
           double(Spot.Own) / std::max<uint64_t>(1, File.numInstructions())}};
      if (Spot.Id != htr::NoBlock)
        O["id"] = int64_t(Spot.Id);
      if (!Source.empty())
        O["source"] = Source;
      Items.push_back(std::move(O));
      continue;
    }
    S.Out << formatv("{0,12}  {1,-9} {2,11}  {3,14} {4,6}  {5}{6}\n",
                     formatHtrPlace(S, File, At),
                     Spot.Id == htr::NoBlock ? "" : blockLabel(Spot.Id),
                     "x" + grouped(Spot.Times), grouped(Spot.Own),
                     percent(double(Spot.Own), double(File.numInstructions())),
                     nameOf(Names, Spot), Source.empty() ? "" : "  " + Source);
  }
  if (Options.has("json")) {
    printJson(S.Out, json::Object{{"items", std::move(Items)},
                                  {"spots", uint64_t(Spots.size())},
                                  {"complete", Shown == Spots.size()}});
    return Error::success();
  }
  S.Out << "-- " << grouped(Shown) << " of " << grouped(Spots.size());
  if (Rest)
    S.Out << "; the others have "
          << percent(double(Rest), double(File.numInstructions()))
          << " (see more with --count)";
  S.Out << "\n";
  return Error::success();
}

static constexpr OptionSpec HtrHotOptions[] = {
    opt::Json,
    {"count", 'c', "n", "at most n lines (20)"},
    {"blocks", 0, "", "runs of code instead, wherever they are"},
};

extern const Command HtrHotCommand = {
    .Name = "htr hot",
    .Summary = "List loops and functions by what they execute themselves",
    .Help = R"(
Every instruction of the trace is counted once: in the innermost loop that it is
executed in, if its function is in one, else in its function. What a loop calls
is not its own. All lines together make up the trace.

  rewind htr hot
  rewind htr hot --blocks -c 5
)",
    .Options = HtrHotOptions,
    .MaxArguments = 0,
    .Run = runHtrHot,
    .OnlyAsks = true,
};

} // namespace rw
