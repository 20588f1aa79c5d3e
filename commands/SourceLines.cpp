//===- SourceLines.cpp - Lines of source files ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/SourceLines.h"

using namespace llvm;

namespace rw {

StringRef SourceLines::line(StringRef Path, unsigned N) {
  auto [It, New] = Files.try_emplace(Path);
  File &F = It->second;
  if (New) {
    if (auto Text = MemoryBuffer::getFile(Path, /*IsText=*/true)) {
      F.Text = std::move(*Text);
      F.Text->getBuffer().split(F.Lines, '\n');
    }
  }
  return N >= 1 && N <= F.Lines.size() ? F.Lines[N - 1].rtrim() : StringRef();
}

} // namespace rw
