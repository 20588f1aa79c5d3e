//===- Layout.h - Which pane has which part of the screen -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_LAYOUT_H
#define REWIND_COMMANDS_VIEW_TERMINAL_LAYOUT_H

#include "commands/view/terminal/Canvas.h"

namespace rw::term {

struct PaneWish {
  int Height = 1; ///< lines it would like to have
  int Taller = 0; ///< of them, what the user asked for
};

struct ScreenParts {
  /// The trace's place, then those of the other panes; each with a line for
  /// its status at the end. Of no height where there was no room.
  std::vector<Rect> Panes;
  std::optional<int> Divider; ///< a column between the trace and the others
};

/// The smallest screen on which anything can be shown.
inline constexpr int LeastWidth = 20, LeastHeight = 6;
/// From this width on panes stand beside the trace.
inline constexpr int WideWidth = 140;
/// Columns of the other panes of a screen of that width.
int sideWidth(int Width);

/// Parts a screen without its bottom line. \p Focus, a pane of \p Others, is
/// never left out; null is the trace.
ScreenParts partScreen(int Width, int Height,
                       const std::vector<PaneWish> &Others,
                       std::optional<size_t> Focus);

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_LAYOUT_H
