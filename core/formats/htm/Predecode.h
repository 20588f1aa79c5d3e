//===- Predecode.h - Branches as the core predecodes them -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The core recodes branches when it fetches them: instead of a displacement the
// word holds the low bits of the target address. The dump has the recoded word
// ("munged"), and these functions give back the architected one.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_PREDECODE_H
#define REWIND_FORMATS_HTM_PREDECODE_H

#include <cstdint>
#include <optional>

namespace rw::htm {

/// isel has the branch bit set but is not recoded.
constexpr bool isIsel(uint32_t Word) {
  return (Word >> 26) == 31 && (Word & 63) == 30;
}

/// The instruction at \p EA whose recoded word is \p Word. Words that are no
/// recoded branch (isel, isync...) come back as they are.
uint32_t demungeP8(uint32_t Word, uint64_t EA);

/// As above. A word that may be an isel or a recoded branch is taken for the
/// isel (see ambiguousP10).
uint32_t demungeP10(uint32_t Word, uint64_t EA);

/// What a word that looks like an isel is if it is a branch after all: "bl" or
/// "bcl" to the 64 MiB (64 KiB) below its own. Nothing if it can only be isel.
struct AmbiguousBranch {
  uint32_t Opcode = 0;
  uint64_t Target = 0;
};
std::optional<AmbiguousBranch> ambiguousP10(uint32_t Word, uint64_t EA);

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_PREDECODE_H
