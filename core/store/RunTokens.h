//===- RunTokens.h - The sequence of runs in a block ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block's runs are coded as alternating numbers: how many runs in a row are
// what followed the same run last time in this block, then the id of one that
// is not. So a loop costs a byte or two, whatever its count.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_RUNTOKENS_H
#define REWIND_STORE_RUNTOKENS_H

#include "core/support/Coding.h"
#include "llvm/ADT/ArrayRef.h"

namespace rw {

/// What followed a run last time; small, and forgets on collision.
class RunPredictor {
public:
  RunPredictor() { std::memset(Slots, 0xff, sizeof(Slots)); }
  uint32_t predict(uint32_t Run) const {
    const Slot &S = Slots[index(Run)];
    return S.Run == Run ? S.Next : ~0u;
  }
  void learn(uint32_t Run, uint32_t Next) { Slots[index(Run)] = {Run, Next}; }

private:
  struct Slot {
    uint32_t Run, Next;
  };
  static unsigned index(uint32_t Run) { return (Run ^ Run >> 7) & 127; }
  Slot Slots[128];
};

inline void putRunTokens(Bytes &Out, llvm::ArrayRef<uint32_t> Runs) {
  RunPredictor P;
  uint32_t Last = ~0u;
  uint64_t Hits = 0;
  for (uint32_t R : Runs) {
    if (Last != ~0u && P.predict(Last) == R) {
      ++Hits;
    } else {
      putVarint(Out, Hits);
      putVarint(Out, R);
      Hits = 0;
      if (Last != ~0u)
        P.learn(Last, R);
    }
    Last = R;
  }
  if (Hits)
    putVarint(Out, Hits);
}

/// Yields the runs again, until the bytes end.
class RunTokenReader {
public:
  RunTokenReader(const uint8_t *Begin, const uint8_t *End) : In(Begin, End) {}
  /// The next run id; ~0 at the end or if damaged.
  uint32_t next() {
    if (!Hits) {
      if (!Fresh) { // the literal that ends a row of hits
        Fresh = true;
        if (In.atEnd())
          return ~0u;
        uint32_t R = uint32_t(In.varint());
        if (Last != ~0u)
          P.learn(Last, R);
        return Last = R;
      }
      if (In.atEnd())
        return ~0u;
      Hits = In.varint();
      Fresh = false;
      if (!Hits)
        return next();
    }
    --Hits;
    uint32_t R = Last == ~0u ? ~0u : P.predict(Last);
    return Last = R;
  }

private:
  ByteReader In;
  RunPredictor P;
  uint64_t Hits = 0;
  uint32_t Last = ~0u;
  bool Fresh = true; ///< the next number is a count of hits
};

} // namespace rw

#endif // REWIND_STORE_RUNTOKENS_H
