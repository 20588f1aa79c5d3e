//===- HtrWhere.cpp - rewind htr where ------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/Htr.h"
#include "commands/support/PositionExpr.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {

/// A block that encloses the position.
struct Level {
  BlockInfo Block;
  htr::Place Start = 0;
  uint64_t Offset = 0;                    ///< instructions into this occurrence
  uint64_t Iteration = 0, Iterations = 0; ///< from 1; 0: no loop
  BlockId RoundsAt = htr::NoBlock; ///< several equal rounds, of which one is
                                   ///< meant
};

} // namespace

/// From the top layer down to the instruction.
static std::vector<Level> enclosing(const HtrFile &File, ThreadIndex T,
                                    Position P) {
  std::vector<Level> Path;
  unsigned Top = File.numLayers() - 1;
  UnitRange Range = File.sequence(Top, T);
  uint64_t Offset = P; // into the range
  htr::Place Start = File.placeOf(T, 0);
  // Depth is bounded by the number of blocks; a damaged file may have rings.
  while (Range.size() && Path.size() <= File.numBlocks()) {
    htr::UnitAt U = File.unitAt(Range, Offset);
    Start += U.Offset;
    Offset -= std::min(Offset, U.Offset);
    Level L;
    L.Block = File.block(U.Id);
    L.Start = Start;
    L.Offset = Offset;
    Range = File.parts(U.Id, Top);
    // Rounds that are the same are one block of the loop, no loop in it.
    if (!Path.empty() && Path.back().RoundsAt == U.Id) {
      Level &Loop = Path.back();
      const uint64_t Once = L.Block.Length / L.Block.Value;
      Loop.Iteration += Offset / Once;
      Start += Offset / Once * Once;
      Offset %= Once;
      Loop.RoundsAt = htr::NoBlock;
      continue;
    }
    if (L.Block.Kind == BlockKind::Repeat && L.Block.Value) {
      uint64_t Body = std::max<uint64_t>(1, L.Block.Length / L.Block.Value);
      L.Iterations = L.Block.Value;
      L.Iteration = Offset / Body + 1;
      Start += Offset / Body * Body;
      Offset %= Body;
    } else if (L.Block.Kind == BlockKind::Iterations) {
      L.Iterations = File.numRounds(U.Id);
      File.forEachRounds(U.Id, [&](const HtrFile::Rounds &R) {
        if (R.Offset > Offset)
          return false;
        L.Iteration = R.Before + 1;
        return true;
      });
      const BlockId In = File.unitAt(Range, Offset).Id;
      if (File.loopFacts(U.Id) && File.kind(In) == BlockKind::Repeat)
        L.RoundsAt = In;
    }
    Path.push_back(L);
  }
  return Path;
}

static Error runHtrWhere(Session &S, const ParsedOptions &Options) {
  auto Opened = openHtr(S);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = **Opened;
  Place Where = S.Here;
  const bool Argument = !Options.arguments().empty();
  if (Argument && Options.has("at"))
    return usageError("a position or --at, not both");
  if (Argument || Options.has("at")) {
    auto P = parsePosition(S, Argument ? StringRef(Options.text())
                                       : *Options.value("at"));
    if (!P)
      return P.takeError();
    Where = *P;
  }
  auto Pos = S.Store.positionOf(Where.Thread, Where.When);
  if (!Pos)
    return Pos.takeError();
  if (*Pos >= File.numInstructions(Where.Thread))
    return userError("the end of the trace is in no block");
  if (File.numLayers() == 1)
    return userError("there are no layers above the instructions: no pass "
                     "found anything to condense");

  std::vector<Level> Path = enclosing(File, Where.Thread, *Pos);
  HtrNames Names(S, File, nameLength(Options));
  if (Options.has("json")) {
    json::Array Items;
    for (const Level &L : Path) {
      if (L.Block.Kind == BlockKind::Instruction)
        continue;
      auto [T, Start] = File.positionOf(L.Start);
      json::Object O{
          {"id", int64_t(L.Block.Id)},
          {"name", Names.block(L.Block.Id)},
          {"kind", blockKindName(L.Block.Kind)},
          {"layer", int64_t(L.Block.Home)},
          {"pass", File.layer(L.Block.Home).Pass},
          {"start", Start},
          {"offset", L.Offset},
          {"instructions", L.Block.Length},
          {"occurrence", File.occurrencesBefore(L.Block.Id, L.Start) + 1},
          {"occurrences", L.Block.Occurrences}};
      if (L.Iterations) {
        O["iteration"] = L.Iteration;
        O["iterations"] = L.Iterations;
      }
      Items.push_back(std::move(O));
    }
    printJson(S.Out, json::Object{{"thread", int64_t(Where.Thread) + 1},
                                  {"position", *Pos},
                                  {"enclosing", std::move(Items)}});
    return Error::success();
  }

  S.Out << formatPlace(S.Store, Where.Thread, *Pos) << " is in, outermost "
        << "first:\n";
  std::vector<bool> Told(File.numLayers());
  for (const Level &L : Path) {
    if (L.Block.Kind == BlockKind::Instruction)
      break;
    Told[L.Block.Home] = true;
    S.Out << formatv("  layer {0} {1,-10} {2,-8} {3}", L.Block.Home,
                     File.layer(L.Block.Home).Pass, blockLabel(L.Block.Id),
                     Names.block(L.Block.Id));
    if (L.Iterations)
      S.Out << ", iteration " << grouped(L.Iteration) << " of "
            << grouped(L.Iterations);
    S.Out << ", occurrence "
          << grouped(File.occurrencesBefore(L.Block.Id, L.Start) + 1) << " of "
          << grouped(L.Block.Occurrences) << ", from "
          << formatHtrPlace(S, File, L.Start) << ", " << grouped(L.Block.Length)
          << " instructions\n";
  }
  for (unsigned L = File.numLayers() - 1; L > 0; --L)
    if (!Told[L])
      S.Out << "  layer " << L << " " << File.layer(L).Pass
            << " has no block of its own here\n";
  return Error::success();
}

static constexpr OptionSpec HtrWhereOptions[] = {opt::At, opt::Json};

extern const Command HtrWhereCommand = {
    .Name = "htr where",
    .Summary = "Tell the blocks that enclose a position",
    .Arguments = "[<position>]",
    .Help = R"(
For a position (where you are, if none is named): the blocks of all layers that
it lies in, from the outermost to the innermost, with the iteration of each
loop, which occurrence of the block it is, and where that begins.

  rewind htr where
  rewind htr where 50%
  rewind htr where --at 50%
)",
    .Options = HtrWhereOptions,
    .Run = runHtrWhere,
    .OnlyAsks = true,
};

} // namespace rw
