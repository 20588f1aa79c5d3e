//===- GranuleList.cpp - The accesses to one granule ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/GranuleList.h"

using namespace rw;
using namespace rw::granule;

List::List(const uint8_t *Begin, const uint8_t *E) : End(E) {
  ByteReader In(Begin, End);
  uint64_t N = In.varint();
  // Every entry has at least one byte.
  if (In.failed() || !N || N > uint64_t(End - Begin)) {
    Damaged = true;
    Count = NumChunks = 0;
    return;
  }
  Count = unsigned(N);
  NumChunks = (Count - 1) / ChunkEntries + 1;
  Chunks = In.position();
  In.skip(uint64_t(NumChunks - 1) * ChunkBytes);
  Entries = In.position();
  if (In.failed()) {
    Damaged = true;
    Count = NumChunks = 0;
  }
}

List::State List::chunk(unsigned C) const {
  State S;
  if (!C)
    return S;
  ByteReader In(Chunks + (C - 1) * ChunkBytes, Entries);
  S.E.Block = unsigned(In.bytes(2));
  S.Offset = uint32_t(In.bytes(4));
  S.LastWritten = In.byte();
  S.LastRead = In.byte();
  S.E.Known = In.byte();
  S.E.Value = In.bytes(8);
  return S;
}

unsigned List::chunkBefore(unsigned Block) const {
  // Entries of chunk c have blocks above the base that chunk c tells.
  unsigned Lo = 0, Hi = NumChunks ? NumChunks - 1 : 0;
  while (Lo < Hi) {
    unsigned Mid = (Lo + Hi + 1) / 2;
    uint16_t Base;
    std::memcpy(&Base, Chunks + (Mid - 1) * ChunkBytes, 2);
    if (Base < Block)
      Lo = Mid;
    else
      Hi = Mid - 1;
  }
  return Lo;
}

bool List::read(ByteReader &In, State &S, bool First) const {
  uint8_t Control = In.byte();
  uint8_t Kind = Control & (HasRead | HasWrite);
  bool Known = false;
  if (!Kind) {
    uint8_t Ext = In.byte();
    Kind = Ext & (HasRead | HasWrite);
    Known = Ext & ExtKnown;
  }
  uint64_t Delta = Control >> DeltaShift;
  if (Delta == LongDelta)
    Delta += In.varint();
  S.E.Block = First ? unsigned(Delta) : S.E.Block + unsigned(Delta);
  if (Control & HasMasks) {
    if (Kind & HasRead)
      S.LastRead = In.byte();
    if (Kind & HasWrite)
      S.LastWritten = In.byte();
  }
  S.E.Read = Kind & HasRead ? S.LastRead : 0;
  S.E.Written = Kind & HasWrite ? S.LastWritten : 0;
  S.E.LastWrite = Kind & HasWrite ? unsigned(In.varint()) : 0;
  if (Known)
    S.E.Known = In.byte();
  S.E.Changed = Control & HasValue ? In.byte() : 0;
  if (S.E.Changed) {
    uint64_t Bits = expandMask(S.E.Changed);
    for (unsigned B = 0; Bits; ++B, Bits >>= 8)
      if (Bits & 0xff)
        S.E.Value = (S.E.Value & ~(uint64_t(0xff) << (8 * B))) |
                    uint64_t(In.byte()) << (8 * B);
  }
  return !In.failed();
}
