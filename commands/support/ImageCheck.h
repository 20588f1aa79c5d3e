//===- ImageCheck.h - Whether an image fits a trace -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of another program, or of another place in it, look as good as the
// right ones. So the code of an image is compared with the opcodes that the
// trace tells.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_IMAGECHECK_H
#define REWIND_COMMANDS_SUPPORT_IMAGECHECK_H

#include "commands/support/LoadOptions.h"

namespace rw {

/// Compares some thousand instructions of the trace with what \p Image has at
/// their addresses. An Error if the image is not that of the trace: of another
/// machine or byte order, at another address, or if more than a quarter of the
/// instructions are others. What is odd but may be right (patched code, an
/// image that did not run) goes to \p Warn. Instructions that the trace saw
/// being written are no difference. With \p Force only another machine is an
/// Error.
llvm::Error checkImage(const TraceStore &Store, const ImageOption &Image,
                       bool Force,
                       llvm::function_ref<void(const std::string &)> Warn);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_IMAGECHECK_H
