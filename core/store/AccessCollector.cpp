//===- AccessCollector.cpp - Accesses without values ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/AccessCollector.h"
#include <algorithm>
#include <bit>

using namespace rw;
using namespace rw::format;

void AccessCollector::begin(SegmentMemory *O) {
  Out = O;
  NumPages = 0;
  Pages.clear();
  std::fill(std::begin(Cache), std::end(Cache), nullptr);
}

AccessCollector::Page &AccessCollector::otherPage(uint64_t Number) {
  Page *&P = Pages[Number];
  if (!P) {
    if (NumPages == Room.size())
      Room.push_back(std::make_unique<Page>());
    P = Room[NumPages++].get();
    P->Number = Number;
    P->Real = NoReal;
    std::fill(std::begin(P->Touched), std::end(P->Touched), 0);
  }
  return *(Cache[Number % CacheSize] = P);
}

void AccessCollector::secondGranule(const FlowPlace &Place,
                                    const MemShape &Shape, uint8_t Bytes,
                                    unsigned Block, unsigned Insn) {
  const uint64_t G =
      ((Place.Addr >> GranuleBits) + 1) & (~uint64_t(0) >> GranuleBits);
  granule(G, Bytes,
          Shape.HasReal ? (Place.Real + Shape.Size - 1) >> RealPages::PageBits
                        : NoReal,
          Shape.Flags, Block, Insn);
}

void AccessCollector::end() {
  std::sort(Room.begin(), Room.begin() + NumPages,
            [](const auto &A, const auto &B) { return A->Number < B->Number; });
  for (size_t K = 0; K < NumPages; ++K) {
    const Page &P = *Room[K];
    for (unsigned W = 0; W < std::size(P.Touched); ++W)
      for (uint64_t Left = P.Touched[W]; Left; Left &= Left - 1) {
        const unsigned I = W * 64 + unsigned(std::countr_zero(Left));
        Out->Touched.emplace_back(P.Number * GranulesPerPage + I, P.Entry[I]);
      }
  }
}
