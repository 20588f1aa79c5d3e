//===- BlockMemory.cpp - Memory as a block sees it ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockMemory.h"

using namespace rw;
using namespace rw::format;

const GranuleState *BlockMemory::granule(uint64_t Number) {
  auto [It, New] = Granules.try_emplace(Number);
  if (!New)
    return &It->second;
  auto Pages = I.postings(PostingKind::Pages);
  if (!Pages) {
    llvm::consumeError(Pages.takeError());
    return nullptr;
  }
  PageIndex Page(I, *Pages, Number / GranulesPerPage);
  auto H = Page.last(Number, S.Index, int(Block) - 1, 0, anyEntry);
  if (!H) {
    llvm::consumeError(H.takeError());
    return nullptr;
  }
  if (*H)
    It->second = {(*H)->E.Value, (*H)->E.Known};
  for (const DecodedMem &M : llvm::ArrayRef(Past).drop_back(RoomLeft))
    It->second.apply(Number, M);
  Watched |= uint64_t(1) << (Number & 63);
  return &It->second;
}

std::optional<uint64_t> BlockMemory::read(uint64_t Addr, unsigned Size) {
  uint64_t Value = 0;
  bool Known = true;
  unsigned Done = 0;
  forEachPiece(Addr, Size, [&](Piece What) {
    const GranuleState *G = granule(What.Granule);
    Known &= G && !(What.Mask & ~G->Known);
    if (!Known)
      return false;
    unsigned Shift = unsigned(std::countr_zero(What.Mask));
    uint64_t Part = (G->Value & expandMask(What.Mask)) >> (8 * Shift);
    Value |= Part << (8 * Done);
    Done += unsigned(std::popcount(What.Mask));
    return true;
  });
  if (!Known)
    return std::nullopt;
  return Value;
}

void BlockMemory::makeRoom(size_t N) {
  const size_t NumPast = Past.size() - RoomLeft;
  Past.resize(std::max(2 * Past.size(), NumPast + N + 256));
  PastEnd = Past.data() + NumPast;
  RoomLeft = Past.size() - NumPast;
}

void BlockMemory::applyTo(const DecodedMem &M) {
  forEachPiece(M.Addr, M.Shape->Size, [&](Piece What) {
    auto It = Granules.find(What.Granule);
    if (It != Granules.end())
      It->second.apply(What.Granule, M);
    return true;
  });
}
