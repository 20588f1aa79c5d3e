//===- CallSection.h - The bytes of the section "calls" ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What writer and reader share. All numbers are little endian. The section is
//
//   blocks of thread 0, blocks of thread 1, ...   (see below)
//   entries      16 bytes each: u64 entry pc, u32 kind | flags << 8, u32 0
//   jump targets u64 each, ascending
//   ttu-only     per thread: varints start delta, duration, entry
//   directories  BlockEntry of thread 0, of thread 1, ...
//   threads      ThreadEntry each
//   footer       Footer, the last bytes of the section
//
// A block codes up to BlockSize activations in preorder, each as varints
//   start minus the start before it (the first: minus BlockEntry::FirstStart)
//   end minus start
//   index of its entry
//   how many levels it is above "one deeper than the one before"
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_CALLSECTION_H
#define REWIND_CALLS_CALLSECTION_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"

namespace rw::callsection {

using llvm::support::ulittle32_t;
using llvm::support::ulittle64_t;

constexpr char Magic[8] = {'R', 'W', 'C', 'A', 'L', 'L', 'S', '1'};
constexpr unsigned BlockSize = 128;
constexpr unsigned FlagTtuOnly = 1u << 16; ///< in memory only

struct EntryRecord {
  ulittle64_t PC;
  ulittle32_t KindFlags;
  ulittle32_t Reserved;
};

struct BlockEntry {
  ulittle64_t FirstStart;
  ulittle64_t MaxEnd;
  ulittle64_t Offset; ///< in the section
  ulittle32_t FirstDepth;
  ulittle32_t MinDepth;
};

struct ThreadEntry {
  ulittle64_t NumActivations;
  ulittle64_t Directory; ///< offset in the section
  ulittle64_t BlocksEnd; ///< offset one past its last block
  ulittle64_t TtuOnly;   ///< offset in the section
  ulittle64_t NumTtuOnly;
  ulittle32_t MaxDepth;
  ulittle32_t Reserved;
};

struct Footer {
  ulittle64_t NumThreads, Threads;
  ulittle64_t NumEntries, Entries;
  ulittle64_t NumJumpTargets, JumpTargets;
  ulittle64_t TtuOnlyEnd;
  char Magic[8];
};

/// Null if it runs over \p End or is longer than 64 bits.
inline const uint8_t *getVarint(const uint8_t *P, const uint8_t *End,
                                uint64_t &V) {
  V = 0;
  for (unsigned Shift = 0; P != End && Shift < 64; Shift += 7) {
    uint8_t B = *P++;
    V |= uint64_t(B & 0x7f) << Shift;
    if (!(B & 0x80))
      return P;
  }
  return nullptr;
}

} // namespace rw::callsection

#endif // REWIND_CALLS_CALLSECTION_H
