//===- ReadOnlyMessage.h - What a recording does not do ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_READONLYMESSAGE_H
#define REWIND_SUPPORT_READONLYMESSAGE_H

#include "llvm/ADT/StringRef.h"

namespace rw {

/// What is said, by whichever door, to who wants to write to registers or to
/// memory.
inline constexpr llvm::StringLiteral ReadOnlyMessage =
    "this is a recording: it cannot be changed";

} // namespace rw

#endif // REWIND_SUPPORT_READONLYMESSAGE_H
