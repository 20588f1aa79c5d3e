//===- Resync.h - Records with words missing or too many --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction record says which words follow it. Where they do not look like
// that, these functions find the reading with the fewest assumptions: words
// lost, words put in. A tag alone proves nothing: addresses may look like a
// record. What has to fit as well is the opcode, what follows it, and where the
// next record begins.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_RESYNC_H
#define REWIND_FORMATS_HTM_RESYNC_H

#include "core/arch/PPCInsn.h"
#include "core/formats/htm/HtmWords.h"
#include "llvm/ADT/ArrayRef.h"

namespace rw::htm {

enum class Slot : uint8_t {
  Msr,
  Prefix,
  Dea,
  Dra,
  Esid,
  Vsid,
  Iea,
  Ira,
  P8Dra
};

/// The words that INFO word \p W announces, in order. At most six.
struct Slots {
  Slot At[6];
  unsigned Size = 0;
  void add(Slot S) { At[Size++] = S; }
};
Slots announcedBy(uint64_t W);

/// Words ahead of some place, free of stamps.
struct Lookahead {
  llvm::ArrayRef<uint64_t> Words;
  bool ToEnd = false; ///< the dump ends with them
};

/// Whether \p W looks like a POWER10 MSR word, and as a real page would be
/// farther up than there is memory.
inline bool isLikeMsr(uint64_t W) {
  return W >> 60 != 0 && (W & 0xffffffffffff) == 0;
}

/// Whether \p W can be the content of \p S by its own bits.
inline bool fits(Slot S, uint64_t W) {
  switch (S) {
  case Slot::Msr:
    return (W & 0xffffffffffff) == 0;
  case Slot::Prefix:
    return (W & 0xffffffff) == 0 && ppc::isPrefix(uint32_t(W >> 32));
  case Slot::Dra:
    return (W & 0x7fffff) == 0 && !isLikeMsr(W);
  case Slot::Esid:
    return (W & 0xfffffff) == 0;
  case Slot::Ira:
    return bits(W, 38, 39) != 0 && bits(W, 41, 63) == 0;
  case Slot::P8Dra:
    return bits(W, 0, 1) != 2 && bits(W, 40, 62) == 0;
  case Slot::Iea:
    // No code lies there, and real pages look like this.
    return W & 0x7fffff;
  case Slot::Dea:
  case Slot::Vsid:
    return true;
  }
  return false;
}

/// Whether \p W, a real address of POWER8, has bits that no page size sets: it
/// is another word, and what it stands for is lost.
inline bool isOtherWord(Slot S, uint64_t W) {
  return S == Slot::Ira ? bits(W, 41, 63) != 0 : bits(W, 40, 62) != 0;
}

/// Whether a record (of any kind) can begin at word \p I: its own bits, an
/// opcode that exists, the words after it, and the tag that follows them.
bool recordAt(const Lookahead &Ahead, size_t I);

/// Whether \p W can be the real page of a line of the cache.
inline bool isLinePage(uint64_t W) {
  return (W & 0xffffff) == 0 && !isLikeMsr(W);
}

/// Whether only its place tells what a word is.
constexpr bool isFree(Slot S) {
  return S == Slot::Dea || S == Slot::Vsid || S == Slot::Iea;
}

/// Whether \p W can be an entry of a radix walk.
bool isWalkEntry(uint64_t W);

/// Where the announced words are.
struct Reading {
  int8_t Index[6]; ///< in the lookahead; -1: lost
  unsigned Lost = 0;
  unsigned Surplus = 0; ///< words that belong to nothing
  unsigned Used = 0;    ///< words of the lookahead that belong to the record
  bool Bounded = false; ///< what can follow a record follows
  bool Intact = false;  ///< none is lost, as far as one can see
};
/// \p Ahead begins with the word after the INFO word.
Reading bestReading(const Slots &Expected, const Lookahead &Ahead);

/// Enough lookahead for both functions.
constexpr size_t LookaheadWords = 20;

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_RESYNC_H
