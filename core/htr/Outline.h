//===- Outline.h - A trace as a tree of calls and loops ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happened under a line of the page, added up: a row stands for all
// executions of a thing in the context of the row above it. Things are calls
// (of a function, from an instruction), loops (by where their rounds begin) and
// the code that is neither. Nothing is scaled, nothing is estimated:
//
//   * a row's instructions are those of all its executions, and the rows inside
//     of an opened row add up to it;
//   * its place is that of its first execution in this context.
//
// Calls of a function directly in itself are folded into it: its rows are about
// all of these activations.
//
// Costs: to open a row, the distinct blocks in it with their parts; what they
// were repeated does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_OUTLINE_H
#define REWIND_HTR_OUTLINE_H

#include "core/htr/LoopPaths.h"

namespace rw::htr {

/// How loops go round; of all rounds but last ones that are only a test.
struct LoopSummary {
  uint64_t Stays = 0; ///< how often the loop was entered
  uint64_t Trips = 0, MinTrips = 0, MaxTrips = 0; ///< of all stays; of one
  uint64_t Min = 0, Median = 0, P99 = 0, Max = 0; ///< instructions of a round
  std::optional<Place> Dearest; ///< the first round that took Max
  bool Irreducible = false;
  uint64_t Cut = 0; ///< stays whose first round began before a gap ended
};

/// The summary of these stays in a loop. Cost: their runs of equal rounds.
LoopSummary summarizeLoop(const HtrFile &File,
                          llvm::ArrayRef<BlockTimes> Stays);

struct OutlineRow {
  enum Kind : uint8_t {
    Call, ///< activations of a function
    Loop,
    Own,  ///< all code of the row above that is in no row of its own
    Code, ///< a block of code, or a run of instructions
    Gap,  ///< instructions are missing here
    Rest, ///< rows that are left out
  } What = Code;
  BlockId Id = NoBlock; ///< the block at At; none for Own, Rest and runs
  BlockId First = NoBlock, Last = NoBlock; ///< of a run of instructions
  Place At = 0;                            ///< of the first execution
  uint64_t Times = 0; ///< executions; Rest: rows left out; Own: 0
  /// Call: activations of the last function directly in its own ones. The row
  /// is about them, too; those in loops have rows there.
  uint64_t Nested = 0;
  /// Call: code of others that are nested too deep to be blocks is in it.
  bool HasOthers = false;
  uint64_t Instructions = 0;    ///< of all executions
  std::optional<uint64_t> Time; ///< of all executions, where that is known
  /// Call: entry pcs. More than one: each called nothing that matters but the
  /// next one, and that once.
  std::vector<uint64_t> Functions;
  std::vector<BlockId> Chain;        ///< an activation of each of them
  std::optional<LoopSummary> Rounds; ///< Loop
  std::vector<OutlineRow> Inside;    ///< in order of At, Rest last

  std::vector<BlockTimes> Of; ///< the distinct blocks that it stands for
  // Only while the outline is made:
  const OutlineRow *Parent = nullptr;
  uint64_t Rank = 0;
};

struct OutlineOptions {
  unsigned Layer = 0;    ///< tells what functions are made of
  uint64_t MaxRows = 60; ///< lines in all
  /// Levels to open, as far as there are lines; none: what matters most is
  /// opened.
  std::optional<unsigned> MaxDepth;
  /// Asked before each row is opened: if it is to stop, the outline is cut.
  const Watch *Stop = nullptr;
  /// Rows of less than this share of all share a line, and nothing below five
  /// times as much is opened. Not with MaxDepth.
  double Small = 0.001;
};

/// No row is opened further down than this: rows are printed, and viewers read
/// JSON, level by level.
inline constexpr unsigned MaxOutlineDepth = 1000;

class Outliner {
public:
  Outliner(const HtrFile &File, const OutlineOptions &Options);

  /// The rows of units [From, To) of a range, of which the first is at \p At.
  std::vector<OutlineRow> outline(const UnitRange &Range, uint64_t From,
                                  uint64_t To, Place At);
  /// Each unit a row, in order, but runs of instructions one; and opened as far
  /// as MaxDepth says. The last row is Rest where there are more than MaxRows.
  std::vector<OutlineRow> list(const UnitRange &Range, uint64_t From,
                               uint64_t To, Place At, uint64_t Times = 1);

  /// What a row is made of, nothing left out; empty for plain code.
  std::vector<OutlineRow> inside(const OutlineRow &Row);

  /// Whether there were not lines enough for all levels of MaxDepth.
  bool isCut() const { return Cut; }

private:
  const HtrFile &File;
  const OutlineOptions Options;
  const unsigned Layer;
  uint64_t Left = 0, Whole = 0;
  bool Cut = false;
  // By block, while a row is opened: executions, the first place, and the
  // unit before it there.
  std::vector<uint64_t> TimesOf;
  std::vector<Place> FirstOf;
  std::vector<BlockId> BeforeOf;
  std::vector<BlockId> Heap; ///< blocks that have executions
  class Children;

  void note(BlockId B, uint64_t Times, Place At, BlockId Before);
  void part(Children &To, BlockId B, uint64_t Times, Place At, BlockId &Before);
  bool isPlain(BlockId B) const;
  std::vector<OutlineRow> finish(Children &From);
  void complete(OutlineRow &Row) const;
  void describe(OutlineRow &Row) const;
  void joinInstructions(std::vector<OutlineRow> &Rows) const;
  std::vector<OutlineRow> chosen(std::vector<OutlineRow> Rows);
  void open(std::vector<OutlineRow> &Rows);
  static uint64_t rank(const OutlineRow &Row);
};

} // namespace rw::htr

#endif // REWIND_HTR_OUTLINE_H
