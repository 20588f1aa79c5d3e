//===- Shadow.cpp - Known memory while building ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/Shadow.h"
#include "core/store/Coding.h"

using namespace rw;
using namespace rw::format;

struct Shadow::Page {
  uint64_t Number;
  uint64_t Value[GranulesPerPage] = {}; ///< 0 where not known
  uint32_t Entry[GranulesPerPage];      ///< valid if Segment is the current one
  uint8_t Known[GranulesPerPage] = {};
  uint32_t Segment = ~0u;
};

Shadow::Shadow() = default;
Shadow::~Shadow() = default;

void Shadow::beginSegment(SegmentMemory *O) {
  Out = O;
  ++Segment;
}

Shadow::Page &Shadow::page(uint64_t Number) {
  Page *&C = Cache[Number % CacheSize];
  if (!C || C->Number != Number) {
    std::unique_ptr<Page> &P = Pages[Number];
    if (!P) {
      P = std::make_unique<Page>();
      P->Number = Number;
    }
    C = P.get();
  }
  if (C->Segment != Segment) {
    C->Segment = Segment;
    std::fill(std::begin(C->Entry), std::end(C->Entry), NoEntry);
  }
  return *C;
}

void Shadow::access(const MemItem &M, Moment When, unsigned Block,
                    unsigned Insn) {
  assert(M.Size >= 1 && M.Size <= 8);
  uint64_t G = M.Addr >> GranuleBits;
  unsigned Shift = M.Addr & 7;
  uint8_t Mask = uint8_t((1u << M.Size) - 1);
  uint8_t Known = M.Known & Mask;
  uint64_t Value = M.Value & expandMask(Known);
  granule(G, Value << (8 * Shift), uint8_t(Mask << Shift),
          uint8_t(Known << Shift), M, When, Block, Insn);
  if (Shift + M.Size > 8) {
    unsigned Low = 8 - Shift; // bytes that lay in the first granule
    granule((G + 1) & (~uint64_t(0) >> GranuleBits), Value >> (8 * Low),
            uint8_t(Mask >> Low), uint8_t(Known >> Low), M, When, Block, Insn);
  }
}

void Shadow::granule(uint64_t G, uint64_t Value, uint8_t Bytes, uint8_t Known,
                     const MemItem &M, Moment When, unsigned Block,
                     unsigned Insn) {
  Page &P = page(G / GranulesPerPage);
  unsigned I = G % GranulesPerPage;
  uint32_t E = P.Entry[I];
  if (E == NoEntry || Out->Entries[E].Block != Block) {
    if (E == NoEntry)
      Out->Touched.emplace_back(G, 0);
    Out->Entries.push_back({G, 0, E, uint16_t(Block), 0, 0, 0, 0, 0});
    E = P.Entry[I] = uint32_t(Out->Entries.size() - 1);
  }
  GranuleEntry &Entry = Out->Entries[E];
  uint64_t &V = P.Value[I];
  uint8_t &K = P.Known[I];
  if (M.Flags & MemItem::Write) {
    Entry.Written |= Bytes;
    Entry.LastWrite = uint16_t(Insn);
    // Before the trace the masks tell where a byte's value came from last.
    if (When == BeforeTrace)
      Entry.Read &= ~Bytes;
    uint8_t LostNow = Bytes & ~Known;
    if (LostNow || !Lost.empty())
      forget(G, Bytes); // whatever it was: it is written now
    if (LostNow)
      Lost[G].push_back({When == BeforeTrace ? 0 : When + 1, LostNow,
                         (M.Flags & MemItem::Implied) != 0});
    V = (V & ~expandMask(Bytes)) | Value;
    K = uint8_t((K & ~Bytes) | Known);
  } else {
    uint8_t New = Known & ~K;
    if (When == BeforeTrace) {
      uint8_t Told = New;
      for (unsigned B = 0; B < 8; ++B)
        if ((Known >> B & 1) && (V ^ Value) >> (8 * B) & 0xff)
          Told |= uint8_t(1u << B);
      Entry.Read |= Told;
      Entry.Written &= ~Told;
    } else {
      Entry.Read |= Bytes;
      if (uint64_t Differs = (V ^ Value) & expandMask(Known & K))
        for (unsigned B = 0; B < 8; ++B)
          if (Differs >> (8 * B) & 0xff)
            Entry.Contradicted |= uint8_t(1u << B);
    }
    if (New)
      reveal(G, New, Value, When);
    V = (V & ~expandMask(Known)) | Value;
    K |= Known;
  }
  Entry.Value = V;
  Entry.Known = K;
}

void Shadow::forget(uint64_t G, uint8_t Bytes) {
  auto It = Lost.find(G);
  if (It == Lost.end())
    return;
  for (Unknown &U : It->second)
    U.Mask &= ~Bytes;
  std::erase_if(It->second, [](const Unknown &U) { return !U.Mask; });
  if (It->second.empty())
    Lost.erase(It);
}

/// Bytes became known by a read: they had that value ever since they became
/// unknown, which was at the start or at a write of unknown data.
void Shadow::reveal(uint64_t G, uint8_t Bytes, uint64_t Value, Moment When) {
  if (When == BeforeTrace)
    return;
  uint8_t FromStart = Bytes;
  auto It = Lost.find(G);
  if (It != Lost.end()) {
    for (const Unknown &U : It->second)
      if (uint8_t Mask = U.Mask & Bytes) {
        Back.push_back(
            {G, U.Since, When, Value & expandMask(Mask), Mask, U.Semihosting});
        FromStart &= ~Mask;
      }
    forget(G, Bytes);
  }
  // Bytes that were written as unknown and never since are in Lost; the others
  // were never written.
  if (FromStart)
    Back.push_back(
        {G, 0, When, Value & expandMask(FromStart), FromStart, false});
}

void Shadow::endSegment() {
  for (auto &[G, Last] : Out->Touched)
    Last = page(G / GranulesPerPage).Entry[G % GranulesPerPage];
}
