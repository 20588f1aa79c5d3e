//===- HtrOutline.h - Blocks as a page to read ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_HTR_HTROUTLINE_H
#define REWIND_COMMANDS_HTR_HTROUTLINE_H

#include "commands/htr/Htr.h"
#include "core/htr/Outline.h"

namespace rw {

using htr::OutlineOptions;
using htr::OutlineRow;

/// The number of levels that --depth names, if it is there.
llvm::Expected<std::optional<unsigned>> outlineDepth(const ParsedOptions &O,
                                                     unsigned Least);

/// Prints rows as text, or makes JSON of them ("inside" holds opened ones).
llvm::Error printOutline(Session &S, const HtrFile &File,
                         llvm::ArrayRef<OutlineRow> Rows);
llvm::Expected<llvm::json::Array> outlineJson(Session &S, const HtrFile &File,
                                              llvm::ArrayRef<OutlineRow> Rows);

/// "loop 0..9 (avg 5.4) x find+0x3c, 16..17 each (median 17, ...)"; \p Header
/// is "find+0x3c".
std::string loopText(Session &S, const HtrFile &File, const htr::LoopSummary &L,
                     llvm::StringRef Header);
/// "rounds" of a loop.
llvm::json::Object loopJson(const HtrFile &File, const htr::LoopSummary &L);

} // namespace rw

#endif // REWIND_COMMANDS_HTR_HTROUTLINE_H
