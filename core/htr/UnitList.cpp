//===- UnitList.cpp - Long sequences of units in few bytes ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/UnitList.h"
#include "llvm/Support/Endian.h"

using namespace llvm::support::endian;

namespace rw::htr {

// A token is a word: the unit in the upper 24 bits, and how many follow it in
// the lower 8. Where that is not enough, three words come after Escape: the
// unit, and how many follow it, lower half first.
static constexpr size_t WordSize = 4, MaxToken = 4 * WordSize;
static constexpr uint32_t Escape = 0xffffff00;

void UnitSeq::iterator::token() {
  // As ByteChunks::next() has it.
  if (LLVM_UNLIKELY(Offset % ByteChunks::ChunkSize + MaxToken >
                    ByteChunks::ChunkSize))
    Offset = (Offset / ByteChunks::ChunkSize + 1) * ByteChunks::ChunkSize;
  const uint8_t *P = Bytes->at(Offset);
  const uint32_t Word = read32le(P);
  if (LLVM_LIKELY(Word < Escape)) {
    Current = Word >> 8;
    Run = Word & 0xff;
    Offset += WordSize;
    return;
  }
  Current = read32le(P + 4);
  Run = read64le(P + 8);
  Offset += MaxToken;
}

void UnitList::flush() {
  if (!Run)
    return;
  const uint64_t Follow = Run - 1;
  Run = 0;
  if (First < Escape >> 8 && Follow <= 0xff) {
    // As long as any, for next().
    uint8_t *P = Bytes.grow(MaxToken);
    write32le(P, First << 8 | uint32_t(Follow));
    Bytes.shrink(MaxToken - WordSize);
    return;
  }
  uint8_t *P = Bytes.grow(MaxToken);
  write32le(P, Escape);
  write32le(P + 4, First);
  write64le(P + 8, Follow);
}

void UnitList::begin(BlockId B) {
  const bool Follows = Run && Follower[Last] == NoBlock;
  if (B >= Follower.size())
    Follower.resize(B + 1 + B / 4, NoBlock);
  if (Follows) {
    Follower[Last] = B;
    ++Run;
    Last = B;
    return;
  }
  flush();
  if (!Started) {
    Offset.push_back(Bytes.next(MaxToken));
    Started = true;
  }
  First = Last = B;
  Run = 1;
}

void UnitList::endSequence() {
  flush();
  if (!Started)
    Offset.push_back(0);
  Started = false;
  Begin.push_back(Size);
}

void UnitList::reorder(llvm::ArrayRef<uint64_t> Order) {
  std::vector<uint64_t> NewBegin{0}, NewOffset;
  NewBegin.reserve(Begin.size());
  NewOffset.reserve(Offset.size());
  for (uint64_t I : Order) {
    NewOffset.push_back(Offset[I]);
    NewBegin.push_back(NewBegin.back() + Begin[I + 1] - Begin[I]);
  }
  Begin = std::move(NewBegin);
  Offset = std::move(NewOffset);
}

void UnitList::drop() {
  Bytes = {};
  Follower = {};
}

} // namespace rw::htr
