//===- UnitList.h - Long sequences of units in few bytes --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What followed a unit when it first came is its follower, for good. Only where
// another unit comes next is a token written: the unit, and for how many units
// followers lead on from there. Code runs straight on most of the time: half a
// byte or so for an instruction.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_UNITLIST_H
#define REWIND_HTR_UNITLIST_H

#include "core/model/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include <iterator>
#include <vector>

namespace rw::htr {

using BlockId = uint32_t;
constexpr BlockId NoBlock = ~BlockId(0);

/// Bytes that are appended in pieces, each in one place. Never moved: growing
/// needs no second copy.
class ByteChunks {
public:
  static constexpr size_t ChunkSize = 1 << 16;

  /// Where to write \p Size more bytes, all zero.
  uint8_t *grow(size_t Size) {
    if (Chunks.empty() || Used + Size > ChunkSize) {
      Chunks.emplace_back(ChunkSize);
      Used = 0;
    }
    Used += Size;
    return &Chunks.back()[Used - Size];
  }
  /// The last piece was \p Size too long.
  void shrink(size_t Size) { Used -= Size; }
  /// Offset of the next piece if it is at most \p Size long.
  uint64_t next(size_t Size) const {
    if (Chunks.empty() || Used + Size > ChunkSize)
      return Chunks.size() * ChunkSize;
    return (Chunks.size() - 1) * ChunkSize + Used;
  }
  const uint8_t *at(uint64_t Offset) const {
    return &Chunks[Offset / ChunkSize][Offset % ChunkSize];
  }
  uint64_t bytes() const { return Chunks.size() * ChunkSize; }

private:
  std::vector<std::vector<uint8_t>> Chunks;
  size_t Used = 0; ///< of the last one
};

/// Followers of units.
using Followers = std::vector<BlockId>;

/// Units in order, read from front to back: of a UnitList, or of an array.
/// Whatever it views must stay and not change. 2 ns a unit.
class UnitSeq {
public:
  UnitSeq(llvm::ArrayRef<BlockId> Array)
      : Array(Array.begin()), Count(Array.size()) {}
  UnitSeq(const ByteChunks &Bytes, const Followers &Follower, uint64_t Offset,
          uint64_t Count)
      : Bytes(&Bytes), Follower(Follower.data()), Offset(Offset), Count(Count) {
  }

  uint64_t size() const { return Count; }
  bool empty() const { return Count == 0; }

  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = BlockId;
    using difference_type = ptrdiff_t;
    using pointer = const BlockId *;
    using reference = BlockId;

    iterator() = default;
    explicit iterator(const UnitSeq &S)
        : Array(S.Array), Bytes(S.Bytes), Next(S.Follower), Offset(S.Offset),
          Left(S.Count) {
      if (Left)
        fetch();
    }
    BlockId operator*() const { return Current; }
    iterator &operator++() {
      if (--Left)
        fetch();
      return *this;
    }
    /// Units that are left, this one included.
    uint64_t left() const { return Left; }
    bool operator==(const iterator &O) const { return Left == O.Left; }

  private:
    void fetch() {
      if (LLVM_LIKELY(Run)) {
        --Run;
        Current = Next[Current];
      } else if (Array) {
        Current = *Array++;
      } else {
        token();
      }
    }
    void token();

    const BlockId *Array = nullptr;
    const ByteChunks *Bytes = nullptr;
    const BlockId *Next = nullptr;
    uint64_t Offset = 0, Left = 0, Run = 0;
    BlockId Current = NoBlock;
  };
  iterator begin() const { return iterator(*this); }
  iterator end() const { return iterator(); }

  std::vector<BlockId> vec() const { return {begin(), end()}; }
  bool operator==(const UnitSeq &O) const {
    return Count == O.Count && std::equal(begin(), end(), O.begin());
  }

private:
  const BlockId *Array = nullptr;
  const ByteChunks *Bytes = nullptr;
  const BlockId *Follower = nullptr;
  uint64_t Offset = 0, Count = 0;
};

/// Appends units, and ends sequences of them.
class UnitList {
public:
  void push_back(BlockId B) {
    ++Size;
    if (Run) {
      BlockId &F = Follower[Last];
      if (LLVM_LIKELY(F == B)) {
        ++Run;
        Last = B;
        return;
      }
      if (F == NoBlock && B < Follower.size()) {
        F = B;
        ++Run;
        Last = B;
        return;
      }
    }
    begin(B);
  }
  template <typename Range> void append(const Range &Units) {
    for (BlockId B : Units)
      push_back(B);
  }
  /// Units before this do not belong with those that come.
  void endSequence();

  /// Number of units.
  uint64_t size() const { return Size; }
  size_t numSequences() const { return Begin.size() - 1; }
  /// Units before sequence \p I, for all of them the number of sequences.
  uint64_t before(size_t I) const { return Begin[I]; }
  UnitSeq sequence(size_t I) const {
    return {Bytes, Follower, Offset[I], Begin[I + 1] - Begin[I]};
  }
  /// Sequence \p Order[i] becomes sequence i.
  void reorder(llvm::ArrayRef<uint64_t> Order);
  /// Forgets the units, but not how many there were.
  void drop();

private:
  void begin(BlockId B);
  void flush();

  ByteChunks Bytes;
  Followers Follower;
  uint64_t Size = 0;
  std::vector<uint64_t> Begin{0};
  std::vector<uint64_t> Offset;
  // The token that is not yet written.
  BlockId First = NoBlock, Last = NoBlock;
  uint64_t Run = 0;
  bool Started = false; ///< the sequence has an offset
};

} // namespace rw::htr

#endif // REWIND_HTR_UNITLIST_H
