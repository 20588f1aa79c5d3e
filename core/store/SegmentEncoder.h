//===- SegmentEncoder.h - One segment to bytes ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_SEGMENTENCODER_H
#define REWIND_STORE_SEGMENTENCODER_H

#include "core/store/AccessCollector.h"
#include "core/store/Dictionary.h"
#include "core/store/Shadow.h"
#include "core/support/Coding.h"
#include <algorithm>

namespace rw {

/// What each instruction of a segment has, told only where it changes.
template <typename V> class Changes {
public:
  struct Change {
    uint32_t Insn; ///< the first one that has it, from the segment's
    V Value;
  };
  /// From \p Insn on, which is not before the one of the call before.
  void set(uint32_t Insn, V Value) {
    if (List.empty() || List.back().Value != Value)
      List.push_back({Insn, Value});
  }
  void clear() { List.clear(); }
  llvm::ArrayRef<Change> all() const { return List; }

private:
  std::vector<Change> List;
};

/// Looks up what instructions have that ascend.
template <typename V> class ChangesReader {
public:
  explicit ChangesReader(const Changes<V> &C) : Rest(C.all()) {}
  /// The value at \p Insn, which is not before the first change.
  V at(uint32_t Insn) {
    while (Rest.size() > 1 && Rest[1].Insn <= Insn)
      Rest = Rest.drop_front();
    return Rest.front().Value;
  }
  /// Where what it last told ends: the next change, or \p End.
  uint32_t until(uint32_t End) const {
    return Rest.size() > 1 ? std::min(Rest[1].Insn, End) : End;
  }

private:
  llvm::ArrayRef<typename Changes<V>::Change> Rest;
};

/// A segment as the builder collects it: runs, and only what varies.
struct RawSegment {
  struct Block {
    uint32_t Insn; ///< first instruction, from the segment's
    uint32_t Run;  ///< first element of Runs
    uint64_t Line;
  };

  uint32_t Index = 0;
  Moment FirstMoment = 0;
  unsigned NumThreads = 1;
  size_t NumTemplates = 0;             ///< those of its runs are below
  std::vector<Lanes> Start;            ///< per thread
  std::vector<uint64_t> StartPosition; ///< per thread
  uint32_t NumInsns = 0;
  Changes<uint64_t> Times; ///< never falling
  Changes<uint8_t> Threads;
  std::vector<uint64_t> RegValues; ///< of effects that tell something
  std::vector<FlowPlace> Places;   ///< of accesses
  // Each access, if MemoryTold, has its value here, and whether it read what
  // was known already.
  std::vector<uint64_t> MemValues;
  std::vector<uint8_t> Old;
  std::vector<uint32_t> Runs;
  std::vector<uint32_t> RunEnds; ///< of each of Runs, in instructions
  std::vector<Block> Blocks;
  /// If not MemoryTold, the encoder fills it.
  SegmentMemory Memory;
  bool MemoryTold = true;
  // Room for the encoder.
  AccessCollector Accesses;
  Bytes Data;

  /// Empties it for the next segment; keeps the room, so that a builder's
  /// memory does not depend on how the heap takes to buffers of this size.
  void recycle();
};

/// A segment's bytes, and where in them the keys of the postings are.
struct EncodedSegment {
  using Keys = std::vector<std::pair<uint64_t, uint32_t>>; ///< key, offset
  format::Segment Info = {};
  Bytes Data;
  Keys Pages; ///< page number
  Keys Runs;  ///< run id
  Keys Lanes; ///< thread * 65536 + lane
  std::vector<uint64_t> StartPosition;
  std::vector<format::RealPage> Reals; ///< unless the memory is told
  /// Bytes by what they are for, for reports.
  struct Sizes {
    uint64_t Flow = 0, Time = 0, Registers = 0, Memory = 0, Checkpoints = 0,
             MemoryIndex = 0, FlowIndex = 0, Other = 0;
  } By;
};

/// Encodes \p S; its room for Data goes along. May run on any thread, several
/// at a time.
EncodedSegment encodeSegment(RawSegment &S, const TemplateTable &T,
                             const RunTable &Runs);

/// Appends the postings of one key: in which blocks of the segment it occurs.
void putBlockList(Bytes &Out, llvm::ArrayRef<uint16_t> Blocks,
                  unsigned NumBlocks);

/// Encodes the memory of a segment: a record a page, whose offsets go to Pages.
/// Puts it in order.
void encodeMemory(SegmentMemory &M, Bytes &Out, EncodedSegment::Keys &Pages);

} // namespace rw

#endif // REWIND_STORE_SEGMENTENCODER_H
