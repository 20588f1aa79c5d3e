//===- ChunkSource.cpp - A trace cut into chunks --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/ChunkSource.h"
#include <algorithm>
#include <cstring>

namespace rw::tarmac {

/// A longer line is no Tarmac, and would fill the memory.
static constexpr size_t MaxLine = 16 << 20;
/// A chunk grows to so many times its usual size, and so far in any case, in
/// search of an instruction.
static constexpr size_t MaxGrowth = 4;
static constexpr size_t MinSearched = 64 << 10;

static const char *lastNewline(const char *Begin, const char *End) {
  return static_cast<const char *>(memrchr(Begin, '\n', size_t(End - Begin)));
}

size_t ChunkSource::lastCut(const Chunk &C, size_t From) {
  const char *Begin = C.begin();
  const char *E = lastNewline(Begin, C.end());
  // *E ends a line; the line that may be cut off begins behind the one before.
  while (E && size_t(E - Begin) > From) {
    const char *Before = lastNewline(Begin, E);
    if (!Before)
      return 0;
    if (Cutter.isCutPoint(Before + 1, E))
      return size_t(Before + 1 - Begin);
    E = Before;
  }
  return 0;
}

llvm::Expected<bool> ChunkSource::next(Chunk &C) {
  C.Size = 0;
  if (AtEnd && Carry.empty())
    return false;
  C.reserve(std::max<size_t>(ChunkBytes, Carry.size()));
  if (!Carry.empty()) // memcpy of nothing from null is undefined
    std::copy(Carry.begin(), Carry.end(), C.Text.get());
  C.Size = Carry.size();
  Carry.clear();

  size_t Target = std::max<size_t>(ChunkBytes, C.Size + 1), Cut = 0;
  while (!AtEnd) {
    size_t Searched = C.Size;
    C.reserve(Target);
    if (C.Size < Target) {
      size_t Wanted = Target - C.Size;
      llvm::Expected<size_t> N = In.read({C.Text.get() + C.Size, Wanted});
      if (!N)
        return N.takeError();
      C.Size += *N;
      AtEnd = *N < Wanted;
    }
    if (AtEnd)
      break;
    C.seal();
    Cut = lastCut(C, Searched == C.Size ? 0 : Searched);
    if (Cut)
      break;
    if (Target >= std::max<size_t>(ChunkBytes * MaxGrowth, MinSearched)) {
      // No instruction far and wide: any line will do.
      if (const char *NL = lastNewline(C.begin(), C.end())) {
        Cut = size_t(NL + 1 - C.begin());
        break;
      }
      if (Target >= MaxLine)
        return llvm::createStringError(
            std::make_error_code(std::errc::invalid_argument),
            "the line that begins at byte " + llvm::Twine(Offset) +
                " is longer than " + llvm::Twine(MaxLine >> 20) +
                " MiB; this is no Tarmac trace");
    }
    Target *= 2;
  }
  if (Cut) {
    Carry.assign(C.begin() + Cut, C.end());
    C.Size = Cut;
  }
  // A byte order mark of UTF-8 is not part of the first line.
  constexpr llvm::StringLiteral Mark = "\xef\xbb\xbf";
  if (!Offset && llvm::StringRef(C.begin(), C.Size).starts_with(Mark))
    std::fill_n(C.Text.get(), Mark.size(), ' ');
  C.Last = AtEnd && Carry.empty();
  C.EndsInNewline = C.Size == 0 || C.end()[-1] == '\n';
  C.seal();
  C.Offset = Offset;
  Offset += C.Size;
  return C.Size != 0;
}

} // namespace rw::tarmac
