//===- SourceLines.cpp - Lines of source files ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/SourceLines.h"
#include "core/support/InputFile.h"

using namespace llvm;

namespace rw {

StringRef SourceLines::line(StringRef Path, unsigned N) {
  auto [It, New] = Files.try_emplace(Path);
  File &F = It->second;
  if (New) {
    constexpr uint64_t MaxBytes = 64 << 20; // of what people write
    if (auto Text = readWholeFile(Path, MaxBytes)) {
      F.Text = std::move(*Text);
      F.Text->getBuffer().split(F.Lines, '\n');
    } else {
      consumeError(Text.takeError());
    }
  }
  return N >= 1 && N <= F.Lines.size() ? F.Lines[N - 1].rtrim() : StringRef();
}

} // namespace rw
