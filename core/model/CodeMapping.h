//===- CodeMapping.h - Where a file's code lies in memory -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_CODEMAPPING_H
#define REWIND_MODEL_CODEMAPPING_H

#include <cstdint>
#include <string>

namespace rw {

/// An executable segment of a program or library, at addresses of the trace.
struct CodeMapping {
  std::string Path;
  std::string BuildId; ///< hex digits; empty if the file has none
  uint64_t Start = 0, End = 0;
  uint64_t Offset = 0; ///< of Start, in the file
};

} // namespace rw

#endif // REWIND_MODEL_CODEMAPPING_H
