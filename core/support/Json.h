//===- Json.h - JSON that somebody else may have written --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_JSON_H
#define REWIND_SUPPORT_JSON_H

#include "llvm/Support/JSON.h"

namespace rw {

/// As llvm::json::parse, which takes a frame of the stack for each level and so
/// must not be given text that is nested without bound.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef Text);

} // namespace rw

#endif // REWIND_SUPPORT_JSON_H
