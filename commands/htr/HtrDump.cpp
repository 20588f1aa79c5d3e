//===- HtrDump.cpp - rewind htr dump --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/HtrOutline.h"
#include "commands/support/Listing.h"
#include "commands/support/PositionExpr.h"
#include "core/htr/Phases.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {

/// Positions [From, To) of one thread.
struct Stretch {
  ThreadIndex Thread = 0;
  Position From = 0, To = 0;
  bool Asked = false; ///< by --from or --to
};

/// Units that a stretch touches.
struct Touched {
  UnitRange Range;
  uint64_t Begin = 0, End = 0;   ///< in the range
  htr::Place At = 0;             ///< where the first of them begins
  BlockId Inside = htr::NoBlock; ///< what they are parts of, if not of all
};

} // namespace

/// What --from, --to and --thread ask for: all threads if they ask for nothing.
static Expected<std::vector<Stretch>> stretches(Session &S, const HtrFile &File,
                                                const ParsedOptions &O) {
  std::optional<ThreadIndex> Thread;
  if (auto T = O.value("thread")) {
    auto Parsed = parseThread(S.Store, *T);
    if (!Parsed)
      return Parsed.takeError();
    Thread = *Parsed;
  }
  std::optional<Position> Ends[2];
  for (auto [Name, End] : {std::pair("from", &Ends[0]), {"to", &Ends[1]}}) {
    auto Text = O.value(Name);
    if (!Text)
      continue;
    auto P = positionAsked(S, O, *Text);
    if (!P)
      return P.takeError();
    if (Thread && *Thread != P->Thread && S.Store.numThreads() > 1)
      return usageError("--from, --to and --thread name different threads");
    Thread = P->Thread;
    auto Pos = S.Store.positionOf(P->Thread, P->When);
    if (!Pos)
      return Pos.takeError();
    *End = *Pos;
  }
  std::vector<Stretch> Result;
  for (ThreadIndex T = 0; T < File.numThreads(); ++T)
    if (!Thread || *Thread == T)
      Result.push_back(
          {T, Ends[0].value_or(0),
           std::min(Ends[1].value_or(~Position(0)), File.numInstructions(T)),
           Ends[0] || Ends[1]});
  for (const Stretch &W : Result)
    if (W.Asked && W.From >= W.To)
      return usageError("nothing lies between --from and --to");
  return Result;
}

/// The innermost units that hold the stretch: a page about a part of the trace
/// is not about what all of the trace is in.
static Touched touched(const HtrFile &File, unsigned Layer, const Stretch &W) {
  Touched T;
  T.Range = File.sequence(Layer, W.Thread);
  Position At = 0;
  for (Position Base = 0;;) {
    htr::UnitAt First = File.unitAt(T.Range, W.From - Base);
    htr::UnitAt Last = File.unitAt(T.Range, W.To - 1 - Base);
    At = Base + First.Offset;
    T.Begin = First.Index;
    T.End = Last.Index + 1;
    uint64_t Length = File.length(First.Id);
    UnitRange Parts = File.parts(First.Id, Layer);
    if (!W.Asked || T.End - T.Begin > 1 || Parts.size() == 0 ||
        W.To - W.From == Length)
      break;
    uint64_t Once = Length / Parts.Times, Round = (W.From - At) / Once;
    if ((W.To - 1 - At) / Once != Round)
      break; // more than one time round a loop
    Base = At + Round * Once;
    T.Inside = First.Id;
    T.Range = Parts;
    T.Range.Times = 1;
  }
  if (T.Inside == htr::NoBlock) { // gaps at the beginning, at the end
    if (W.From == 0)
      T.Begin = At = 0;
    if (W.To == File.numInstructions(W.Thread))
      T.End = T.Range.size();
  }
  T.At = File.placeOf(W.Thread, At);
  return T;
}

/// Layer 0 lives in the store alone.
static Error dumpInstructions(Session &S, const HtrFile &File,
                              ArrayRef<Stretch> Where, uint64_t Max,
                              bool Json) {
  HtrNames Names(S, File, Json ? NameLength::Whole : NameLength::Brief);
  json::Array Items;
  uint64_t Rows = 0, All = 0;
  for (const Stretch &W : Where) {
    All += W.To > W.From ? W.To - W.From : 0;
    for (Position P = W.From; P < W.To && Rows < Max; ++P, ++Rows) {
      if (Error E = S.Watch.check())
        return E;
      auto M = S.Store.momentOf(W.Thread, P);
      if (!M)
        return M.takeError();
      auto I = S.Store.instruction(*M);
      if (!I)
        return I.takeError();
      if (Json) {
        json::Object O = placeJson(S, *I);
        O["name"] = Names.pc(I->Insn.PC);
        Items.push_back(std::move(O));
      } else {
        S.Out << instructionRow(S, *I) << "\n";
      }
    }
  }
  if (Json)
    printJson(S.Out, json::Object{{"layer", 0},
                                  {"items", std::move(Items)},
                                  {"complete", Rows == All}});
  else
    S.Out << "-- layer 0, instructions: " << grouped(Rows) << " of "
          << grouped(All) << "\n";
  return Error::success();
}

/// Names of the calls and loops that a phase is made of.
static std::string nameOf(HtrNames &Names, const HtrFile &File,
                          const htr::Phase &P) {
  std::vector<std::string> All;
  for (BlockId B : P.In) {
    std::string Name = File.kind(B) == BlockKind::Function
                           ? Names.block(B)
                           : "loop " + Names.header(B);
    if (!is_contained(All, Name))
      All.push_back(std::move(Name));
  }
  if (P.In.empty())
    return "code outside of calls and loops";
  if (P.More)
    All.push_back("...");
  return join(All, ", ");
}

static void printPhases(Session &S, const HtrFile &File,
                        ArrayRef<htr::Phase> Phases) {
  HtrNames Names(S, File);
  S.Out << formatv("{0,12}  {1,9} {2,9}  {3,14} {4,6} {5,6}  {6}\n", "position",
                   "", "", "instructions", "insns", "", "phase");
  for (const htr::Phase &P : Phases)
    S.Out << formatv("{0,12}  {1,9} {2,9}  {3,14} {4,6} {5,6}  {6}\n",
                     formatHtrPlace(S, File, P.At), "", "",
                     grouped(P.Instructions),
                     percent(P.Instructions, File.numInstructions()), "",
                     nameOf(Names, File, P));
  S.Out << "\n";
}

static json::Array phasesJson(Session &S, const HtrFile &File,
                              ArrayRef<htr::Phase> Phases) {
  HtrNames Names(S, File, NameLength::Whole);
  json::Array Items;
  for (const htr::Phase &P : Phases) {
    auto [T, Pos] = File.positionOf(P.At);
    Items.push_back(json::Object{
        {"thread", int64_t(T) + 1},
        {"position", Pos},
        {"instructions", P.Instructions},
        {"share_instructions", double(P.Instructions) / File.numInstructions()},
        {"name", nameOf(Names, File, P)}});
  }
  return Items;
}

static Error runHtrDump(Session &S, const ParsedOptions &Options) {
  auto Opened = openHtr(S);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = **Opened;
  auto Layer = parseLayer(
      File, Options.arguments().empty() ? "top" : Options.arguments()[0]);
  if (!Layer)
    return Layer.takeError();
  auto Where = stretches(S, File, Options);
  if (!Where)
    return Where.takeError();
  auto Count = Options.number("count");
  if (!Count)
    return Count.takeError();
  auto Depth = outlineDepth(Options, 0);
  if (!Depth)
    return Depth.takeError();
  const bool Page = !Options.has("flat") && !*Depth;
  uint64_t Max = Count->value_or(*Depth ? ~uint64_t(0) : 60);
  bool Json = Options.has("json");
  if (*Layer == 0)
    return dumpInstructions(S, File, *Where, Max, Json);

  OutlineOptions Outline;
  Outline.Layer = *Layer;
  Outline.MaxDepth = *Depth;
  Outline.Stop = &S.Watch;
  const bool Flat = Options.has("flat");
  uint64_t Units = 0, Shown = 0;
  bool Cut = false;              // it is not opened as deep as --depth says
  BlockId Inside = htr::NoBlock; // of one stretch: that is all one can ask for
  std::vector<OutlineRow> Rows;
  std::vector<htr::Phase> Phases;
  std::vector<Touched> Parts;
  for (const Stretch &W : *Where) {
    if (W.From >= W.To)
      continue;
    Touched T = touched(File, *Layer, W);
    Parts.push_back(T);
    if (!Page)
      continue;
    auto Found =
        htr::phases(File, *Layer, T.Range, T.Begin, T.End, T.At, S.Watch);
    if (!Found)
      return Found.takeError();
    // One phase is what the page itself is about.
    if (Found->size() > 1)
      append_range(Phases, *Found);
  }
  if (Page && !*Count) {
    // Less than 60 lines in all: two are around the tree, two around phases.
    const uint64_t Around = 3 + (Phases.empty() ? 0 : Phases.size() + 2);
    Max = Max > Around ? Max - Around : 1;
  }
  Outline.MaxRows = std::max<uint64_t>(1, Max / Where->size());
  for (const Touched &T : Parts) {
    Inside = T.Inside;
    htr::Outliner Outliner(File, Outline);
    std::vector<OutlineRow> Part =
        Flat ? Outliner.list(T.Range, T.Begin, T.End, T.At)
             : Outliner.outline(T.Range, T.Begin, T.End, T.At);
    if (Error E = S.Watch.check())
      return E;
    Cut |= Outliner.isCut();
    Units += T.End - T.Begin;
    Shown += T.End - T.Begin;
    if (Flat && !Part.empty() && Part.back().What == OutlineRow::Rest)
      Shown -= Part.back().Times;
    Rows.insert(Rows.end(), Part.begin(), Part.end());
  }
  if (Json) {
    auto Items = outlineJson(S, File, Rows);
    if (!Items)
      return Items.takeError();
    json::Object Page{{"layer", int64_t(*Layer)},
                      {"pass", File.layer(*Layer).Pass},
                      {"items", std::move(*Items)},
                      {"units", Units},
                      {"complete", Shown == Units && !Cut}};
    if (!Phases.empty())
      Page["phases"] = phasesJson(S, File, Phases);
    if (Inside != htr::NoBlock)
      Page["inside"] = int64_t(Inside);
    printJson(S.Out, std::move(Page));
    return Error::success();
  }
  if (!Phases.empty())
    printPhases(S, File, Phases);
  if (Error E = printOutline(S, File, Rows))
    return E;
  S.Out << "-- layer " << *Layer << ", " << File.layer(*Layer).Pass << ": "
        << grouped(Shown) << " of " << grouped(Units) << " units";
  if (Inside != htr::NoBlock)
    S.Out << " inside of " << blockLabel(Inside);
  if (Cut)
    S.Out << ", not opened as deep as --depth says (see all without --count)";
  else if (Shown != Units)
    S.Out << " (see more with --count, or the rest with --from)";
  S.Out << "\n";
  return Error::success();
}

static constexpr OptionSpec HtrDumpOptions[] = {
    opt::Json,
    {"count", 'c', "n",
     "at most n lines of the tree (without, a page of less than 60 with its "
     "phases; --flat 60, --depth all)"},
    {"from", 0, "position", "begin with the unit that holds this position"},
    {"to", 0, "position", "end with the one before this position"},
    {"flat", 0, "", "one line for each unit, none opened"},
    {"depth", 0, "n", "open all blocks n levels deep (up to 1000)"},
    opt::Thread,
};

extern const Command HtrDumpCommand = {
    .Name = "htr dump",
    .Summary = "Show a layer as a page to read",
    .Arguments = "[<layer>]",
    .Help = R"(
Shows what a layer (a number, the name of its pass, or "top", which is meant if
none is named) tells of the trace as a tree of calls and loops. A line stands
for all executions of a call or a loop under the line above it: the position of
the first one, its block, how many there were, their instructions and the share
of all instructions and of the time, and source lines. The lines set in under
one add up to it; "own code" is what it executes itself. Of a loop, how often it
goes round is told, and what a round costs: least, most, the median, the 99th
percentile, and where the first round of the most is. What matters most is
opened first, as long as there are lines left (-c). Functions that do nothing
that matters but call the next one share a line: _start > main.

Above that stand the phases, if there are several: where other code begins to run
than before, and the calls and loops that it is in.

With --from and --to, the page is about the smallest block that holds all that
lies between. A position can be gone to (goto), a block looked at
(htr block, htr goto).

  rewind htr dump
  rewind htr dump --from 10% --to 20%
  rewind htr dump 1 --flat --from 50% -c 20
)",
    .Options = HtrDumpOptions,
    .MaxArguments = 1,
    .Run = runHtrDump,
    .OnlyAsks = true,
};

} // namespace rw
