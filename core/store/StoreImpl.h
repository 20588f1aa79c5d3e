//===- StoreImpl.h - A mapped store -----------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing in the file is trusted: sections and segments are checked (checksum,
// bounds, order) once, when they are first used; what they refer to is checked
// against the tables, which are checked when the store is opened.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_STOREIMPL_H
#define REWIND_STORE_STOREIMPL_H

#include "core/store/BackDates.h"
#include "core/store/Format.h"
#include "core/store/MappedSections.h"
#include "core/store/Meta.h"
#include "core/store/TraceStore.h"
#include "core/support/Coding.h"
#include <atomic>

namespace rw {

/// What the postings are of.
enum class PostingKind { Pages, Runs, Lanes };

/// Keys of one kind, and the segments where each occurs.
struct PostingIndex {
  llvm::ArrayRef<uint64_t> Keys;
  llvm::ArrayRef<uint32_t> Starts;
  llvm::ArrayRef<format::Posting> Items;

  /// The postings of a key, segments ascending.
  llvm::ArrayRef<format::Posting> find(uint64_t Key) const;
};

/// The blocks of a segment in which a key occurs.
class BlockList {
public:
  BlockList(const uint8_t *Begin, const uint8_t *End, unsigned NumBlocks);
  /// The last such block <= \p Block, or -1.
  int last(int Block) const;
  /// The first such block >= \p Block, or -1.
  int first(int Block) const;

private:
  ByteReader In;
  uint64_t Count = 0;
  const uint8_t *Bitmap = nullptr;
  unsigned NumBlocks;
};

/// A segment that has been checked.
struct SegmentView {
  uint32_t Index = 0;
  const uint8_t *Data = nullptr;
  const format::SegmentHeader *H = nullptr;
  const format::Segment *Info = nullptr;

  template <typename T> const T *array(uint32_t Offset) const {
    return reinterpret_cast<const T *>(Data + Offset);
  }
  const uint8_t *end() const { return Data + Info->Bytes; }
  const uint32_t *blockStarts() const {
    return array<uint32_t>(H->BlockStarts);
  }
  unsigned numInsns() const { return blockStarts()[H->NumBlocks]; }
  unsigned blockSize(unsigned B) const {
    return blockStarts()[B + 1] - blockStarts()[B];
  }
};

/// Where a moment is among segments and blocks.
struct BlockPlace {
  SegmentView S;
  uint32_t Block = 0; ///< of S
  uint32_t Insn = 0;  ///< of the block
};

struct TraceStore::Impl {
  std::unique_ptr<MappedSections> File;
  Meta M;
  RegisterFile Registers;
  unsigned NumLanes = 0; ///< per thread, in a decoder's state
  unsigned NumThreads = 0;

  llvm::ArrayRef<format::Segment> Segments;
  llvm::ArrayRef<uint64_t> Positions; ///< [segment][thread]
  llvm::ArrayRef<format::Template> Templates;
  llvm::ArrayRef<format::RegShape> Regs;
  llvm::ArrayRef<format::MemShape> Mems;
  llvm::ArrayRef<uint64_t> Consts;
  llvm::ArrayRef<uint32_t> RunStarts, RunTemplates;
  llvm::ArrayRef<uint64_t> RunLanes;
  llvm::ArrayRef<uint64_t> PCs;
  llvm::ArrayRef<uint32_t> PCStarts, PCRuns;
  llvm::ArrayRef<uint64_t> Initial;
  llvm::ArrayRef<format::RealPage> RealPages; ///< ascending
  llvm::ArrayRef<format::Event> Events;
  llvm::ArrayRef<char> Text;
  llvm::ArrayRef<format::CodePlace> CodePlaces; ///< ascending
  llvm::ArrayRef<uint8_t> Code;
  std::unique_ptr<std::atomic<bool>[]> SegmentChecked;
  /// Where the keys, starts and items of each kind are: every query asks.
  unsigned PostingSections[3][3] = {};
  unsigned BackDateSections[2] = {};

  llvm::Error load();
  llvm::Error checkTables() const;
  llvm::Error damaged(const llvm::Twine &What) const;
  llvm::Error damagedBlock(const SegmentView &S, unsigned Block) const;

  llvm::Expected<SegmentView> segment(uint32_t Index) const;
  llvm::Expected<PostingIndex> postings(PostingKind Kind) const;
  llvm::Expected<BackDateTable> backDates() const;

  /// The place of \p M; M == number of instructions: the end of the last block.
  llvm::Expected<BlockPlace> locate(Moment M) const;
  Moment momentAt(const SegmentView &S, unsigned Block, unsigned Insn) const {
    return S.Info->FirstMoment + S.blockStarts()[Block] + Insn;
  }

  llvm::ArrayRef<uint32_t> run(uint32_t Id) const {
    return RunTemplates.slice(RunStarts[Id], RunStarts[Id + 1] - RunStarts[Id]);
  }
  llvm::ArrayRef<uint32_t> runsOf(uint64_t PC) const;
};

} // namespace rw

#endif // REWIND_STORE_STOREIMPL_H
