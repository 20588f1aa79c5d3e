//===- Shadow.cpp - Known memory while building ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/Shadow.h"
#include "core/support/Coding.h"

using namespace rw;
using namespace rw::format;

struct Shadow::Page {
  uint64_t Number;
  uint64_t Value[GranulesPerPage] = {}; ///< 0 where not known
  uint32_t Entry[GranulesPerPage];      ///< valid if Segment is the current one
  uint8_t Known[GranulesPerPage] = {};
  uint32_t Segment = ~0u;
  std::unique_ptr<Unknown[]> Lost; ///< by granule; null if there is none
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

bool Shadow::access(const MemItem &M, Moment When, unsigned Block,
                    unsigned Insn) {
  assert(M.Size >= 1 && M.Size <= 8);
  uint64_t G = M.Addr >> GranuleBits;
  unsigned Shift = M.Addr & 7;
  uint8_t Mask = uint8_t((1u << M.Size) - 1);
  uint8_t Known = M.Known & Mask;
  uint64_t Value = M.Value & expandMask(Known);
  bool Old = granule(G, Value << (8 * Shift), uint8_t(Mask << Shift),
                     uint8_t(Known << Shift), M, When, Block, Insn);
  if (Shift + M.Size > 8) {
    unsigned Low = 8 - Shift; // bytes that lay in the first granule
    Old &= granule((G + 1) & (~uint64_t(0) >> GranuleBits), Value >> (8 * Low),
                   uint8_t(Mask >> Low), uint8_t(Known >> Low), M, When, Block,
                   Insn);
  }
  return Old;
}

bool Shadow::granule(uint64_t G, uint64_t Value, uint8_t Bytes, uint8_t Known,
                     const MemItem &M, Moment When, unsigned Block,
                     unsigned Insn) {
  Page &P = page(G / GranulesPerPage);
  unsigned I = G % GranulesPerPage;
  uint32_t E = P.Entry[I];
  if (E == NoEntry || Out->Entries[E].Block != Block) {
    if (E == NoEntry)
      Out->Touched.emplace_back(G, 0);
    Out->Entries.push_back({0, E, uint16_t(Block), 0, 0, 0, 0, 0});
    E = P.Entry[I] = uint32_t(Out->Entries.size() - 1);
  }
  GranuleEntry &Entry = Out->Entries[E];
  uint64_t &V = P.Value[I];
  uint8_t &K = P.Known[I];
  const bool Old = !(M.Flags & MemItem::Write) && Known == Bytes &&
                   !(Bytes & ~K) && !((V ^ Value) & expandMask(Bytes));
  if (M.Flags & MemItem::Write) {
    Entry.Written |= Bytes;
    Entry.LastWrite = uint16_t(Insn);
    // Before the trace the masks tell where a byte's value came from last.
    if (When == BeforeTrace)
      Entry.Read &= ~Bytes;
    uint8_t LostNow = Bytes & ~Known;
    if (LostNow || P.Lost)
      written(P, G, Bytes, LostNow, M, When);
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
      reveal(P, G, New, Value, When);
    V = (V & ~expandMask(Known)) | Value;
    K |= Known;
  }
  Entry.Value = V;
  Entry.Known = K;
  return Old;
}

/// Whatever \p Bytes of a granule were, they are written now, and those of
/// \p LostNow with what the trace does not tell.
void Shadow::written(Page &P, uint64_t G, uint8_t Bytes, uint8_t LostNow,
                     const MemItem &M, Moment When) {
  if (!P.Lost)
    P.Lost = std::make_unique<Unknown[]>(GranulesPerPage);
  Unknown &L = P.Lost[G % GranulesPerPage];
  if (!OlderLost.empty())
    forgetOlder(G, Bytes);
  L.Mask &= uint8_t(~Bytes);
  if (!LostNow)
    return;
  if (L.Mask)
    OlderLost[G].push_back(L);
  L.Since = When == BeforeTrace ? 0 : When + 1;
  L.Mask = LostNow;
  L.Semihosting = (M.Flags & MemItem::Implied) != 0;
}

void Shadow::forgetOlder(uint64_t G, uint8_t Bytes) {
  auto It = OlderLost.find(G);
  if (It == OlderLost.end())
    return;
  for (Unknown &U : It->second)
    U.Mask &= uint8_t(~Bytes);
  std::erase_if(It->second, [](const Unknown &U) { return !U.Mask; });
  if (It->second.empty())
    OlderLost.erase(It);
}

/// Bytes became known by a read: they had that value ever since they became
/// unknown, which was at the start or at a write of unknown data.
void Shadow::reveal(Page &P, uint64_t G, uint8_t Bytes, uint64_t Value,
                    Moment When) {
  if (When == BeforeTrace)
    return;
  uint8_t FromStart = Bytes;
  if (P.Lost) {
    auto told = [&](const Unknown &U) {
      uint8_t Mask = U.Mask & Bytes;
      if (!Mask)
        return;
      Back.push_back({G, U.Since, When, Value & expandMask(Mask), Mask,
                      U.Semihosting != 0});
      FromStart &= ~Mask;
    };
    auto It = OlderLost.find(G);
    if (It != OlderLost.end()) {
      for (const Unknown &U : It->second)
        told(U);
      forgetOlder(G, Bytes);
    }
    Unknown &Latest = P.Lost[G % GranulesPerPage];
    told(Latest);
    Latest.Mask &= uint8_t(~Bytes);
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
