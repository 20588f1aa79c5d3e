//===- HtrOutline.h - Blocks as a page to read ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An outline lists the units of a range and opens those that matter most, the
// largest first, as long as the page has lines left. Where a block is a loop,
// its lines are about the first time round and their shares about all of them.
// What has too many parts for the page is summed up by what they are: "48 times
// insert()". Parts are alike if they are the same but for what functions did
// inside and for how often loops went round.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_HTR_HTROUTLINE_H
#define REWIND_COMMANDS_HTR_HTROUTLINE_H

#include "commands/htr/Htr.h"

namespace rw {

/// A line of an outline.
struct OutlineRow {
  BlockId Id = htr::NoBlock; ///< NoBlock: a run of instructions, or "n more"
  BlockId First = htr::NoBlock, Last = htr::NoBlock; ///< of such a run
  uint64_t Hidden = 0; ///< units that are not listed: "n more"
  bool Small = false;  ///< they are left out because they hardly matter
  htr::Place At = 0;   ///< of its first occurrence here
  uint64_t Length = 0; ///< instructions, once
  uint64_t Times = 1;  ///< how often it runs under the line above
  double Weight = 0;   ///< instructions of all the times it stands for; where
                       ///< the times differ, inner lines share it out evenly
  unsigned Depth = 0;
  bool Grouped = false; ///< stands for Times parts of GroupOf that are alike
  UnitRange GroupOf;
  std::vector<OutlineRow> Inside;
};

struct OutlineOptions {
  unsigned Layer = 0;    ///< tells what functions are made of
  uint64_t MaxRows = 60; ///< lines in all
  /// Levels to open, however much that is; none: what matters most is opened.
  std::optional<unsigned> MaxDepth;
  bool Flat = false;  ///< every unit a line, nothing opened
  double Share = 0.0; ///< open only what has at least this share of the whole
};

/// No row is opened further down than this: rows are printed, and viewers read
/// JSON, level by level.
inline constexpr unsigned MaxOutlineDepth = 1000;

/// The number of levels that --depth names, if it is there.
llvm::Expected<std::optional<unsigned>> outlineDepth(const ParsedOptions &O,
                                                     unsigned Least);

/// The units of \p Range from \p From on, of which the first begins at \p At.
std::vector<OutlineRow> outline(const HtrFile &File, UnitRange Range,
                                uint64_t From, uint64_t To, htr::Place At,
                                const OutlineOptions &Options);

/// Prints rows as text, or makes JSON of them ("inside" holds opened ones).
llvm::Error printOutline(Session &S, const HtrFile &File,
                         llvm::ArrayRef<OutlineRow> Rows);
llvm::Expected<llvm::json::Array> outlineJson(Session &S, const HtrFile &File,
                                              llvm::ArrayRef<OutlineRow> Rows);

} // namespace rw

#endif // REWIND_COMMANDS_HTR_HTROUTLINE_H
