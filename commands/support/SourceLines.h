//===- SourceLines.h - Lines of source files --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_SOURCELINES_H
#define REWIND_COMMANDS_SUPPORT_SOURCELINES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <vector>

namespace rw {

/// Reads source files as their lines are asked for and keeps them.
class SourceLines {
public:
  /// Line \p N (from 1) of a file; empty if there is none.
  llvm::StringRef line(llvm::StringRef Path, unsigned N);

private:
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> Text;
    llvm::SmallVector<llvm::StringRef, 0> Lines;
  };
  llvm::StringMap<File> Files;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_SOURCELINES_H
