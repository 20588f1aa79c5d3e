//===- TraceRowText.h - A row of the trace as text --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_TRACEROWTEXT_H
#define REWIND_COMMANDS_VIEW_TERMINAL_TRACEROWTEXT_H

#include "commands/view/terminal/Canvas.h"
#include "commands/view/terminal/TraceModel.h"

namespace rw::term {

/// What an instruction read or wrote.
struct Effect {
  std::string Name; ///< of a register, or an address: as a location is typed
  bool IsMemory = false, IsWrite = false;
  uint64_t Size = 0;                ///< of memory
  std::optional<std::string> Value; ///< with "??" for bytes that are unknown
  bool Inferred = false;
};
/// Memory first, then registers; of a row of the answer "rows".
std::vector<Effect> effectsOf(const llvm::json::Object &Row);

/// "0x2a" of "0x0000002a".
std::string brief(llvm::StringRef Value);

struct RowStyle {
  unsigned Width = 80;
  unsigned PositionWidth = 6; ///< of the last position
  unsigned PCWidth = 8;
  bool HasTime = false;
  unsigned TimeWidth = 0;
  bool HasSymbols = false;
  uint32_t BaseDepth = 0;
  bool Indent = true, Colours = true, Targets = true;
  bool Utf8 = true;
  bool Current = false;
  int Marked = -1; ///< which effect
};

/// Events before it, the instruction, and what of its effects does not fit
/// behind it: one line each, at least one.
std::vector<Line> linesOf(const llvm::json::Object &Row, const RowStyle &S);

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_TRACEROWTEXT_H
