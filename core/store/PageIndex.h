//===- PageIndex.h - What blocks did to a page of memory --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_PAGEINDEX_H
#define REWIND_STORE_PAGEINDEX_H

#include "core/store/BlockDecoder.h"
#include "core/store/GranuleList.h"
#include <algorithm>

namespace rw {

/// The part of a granule that a range of memory covers.
struct Piece {
  uint64_t Granule;
  uint8_t Mask;
};

/// Calls \p F with each piece of [Addr, Addr + Size), wrapping at the end of
/// the address space, until it returns false.
template <typename F> void forEachPiece(uint64_t Addr, uint64_t Size, F Visit) {
  while (Size) {
    unsigned Shift = Addr & 7;
    unsigned N = unsigned(std::min<uint64_t>(Size, 8 - Shift));
    if (!Visit(Piece{Addr >> format::GranuleBits,
                     uint8_t(((1u << N) - 1) << Shift)}))
      return;
    Addr += N;
    Size -= N;
  }
}

/// An entry of a granule's list, with its place.
struct Hit {
  SegmentView S;
  granule::Entry E;
};

/// A page's records in the segments.
class PageIndex {
public:
  PageIndex(const TraceStore::Impl &I, const PostingIndex &P, uint64_t Page)
      : I(I), Items(P.find(Page)) {}

  /// The last entry of \p Granule at or before (Segment, Block) that satisfies
  /// \p Accept. \p Kinds: index flags of which one must be there, or 0.
  template <typename F>
  llvm::Expected<std::optional<Hit>> last(uint64_t Granule, int64_t Segment,
                                          int Block, uint16_t Kinds,
                                          F Accept) const {
    auto It = std::upper_bound(Items.begin(), Items.end(), Segment,
                               [](int64_t S, const format::Posting &P) {
                                 return S < int64_t(P.Segment);
                               });
    while (It != Items.begin()) {
      --It;
      if (It->Segment < Segment)
        Block = format::MaxBlocks;
      auto H = find(
          *It, Granule, Kinds,
          [&](const granule::List &L) {
            return L.last(unsigned(Block), Accept);
          },
          Block < 0);
      if (!H || *H)
        return H;
    }
    return std::nullopt;
  }

  /// The first entry at or after (Segment, Block).
  template <typename F>
  llvm::Expected<std::optional<Hit>> first(uint64_t Granule, int64_t Segment,
                                           unsigned Block, uint16_t Kinds,
                                           F Accept) const {
    auto It = std::lower_bound(Items.begin(), Items.end(), Segment,
                               [](const format::Posting &P, int64_t S) {
                                 return int64_t(P.Segment) < S;
                               });
    for (; It != Items.end(); ++It) {
      if (It->Segment > Segment)
        Block = 0;
      auto H = find(
          *It, Granule, Kinds,
          [&](const granule::List &L) { return L.first(Block, Accept); },
          false);
      if (!H || *H)
        return H;
    }
    return std::nullopt;
  }

  /// Calls \p F(segment, granule, index flags, list) for every granule of the
  /// page in segments [From, To].
  template <typename F>
  llvm::Error forEach(uint32_t From, uint32_t To, F Visit) const {
    for (const format::Posting &P : Items) {
      if (P.Segment < From || P.Segment > To)
        continue;
      auto S = I.segment(P.Segment);
      if (!S)
        return S.takeError();
      Record R;
      if (!R.read(*S, P.Offset))
        return damaged(P);
      for (unsigned K = 0; K < R.Count; ++K)
        Visit(*S, R.index(K), R.list(*S, K));
    }
    return llvm::Error::success();
  }

private:
  struct Record {
    unsigned Count = 0;
    bool Wide = false;
    const uint8_t *Index = nullptr, *Offsets = nullptr, *Lists = nullptr;

    bool read(const SegmentView &S, uint32_t Offset) {
      if (Offset > S.Info->Bytes)
        return false;
      ByteReader In(S.Data + Offset, S.end());
      unsigned N = unsigned(In.bytes(2));
      Wide = N & granule::WideOffsets;
      Count = N & ~unsigned(granule::WideOffsets);
      Index = In.position();
      In.skip(uint64_t(Count) * 2);
      Offsets = In.position();
      In.skip(uint64_t(Count) * (Wide ? 4 : 2));
      Lists = In.position();
      return !In.failed();
    }
    uint16_t index(unsigned K) const {
      uint16_t V;
      std::memcpy(&V, Index + 2 * K, 2);
      return V;
    }
    granule::List list(const SegmentView &S, unsigned K) const {
      uint32_t O = 0;
      std::memcpy(&O, Offsets + (Wide ? 4 : 2) * K, Wide ? 4 : 2);
      const uint8_t *At = O < uint64_t(S.end() - Lists) ? Lists + O : S.end();
      return granule::List(At, S.end());
    }
  };

  llvm::Error damaged(const format::Posting &P) const {
    return I.damaged("memory index of segment " + llvm::Twine(P.Segment));
  }

  template <typename F>
  llvm::Expected<std::optional<Hit>> find(const format::Posting &P,
                                          uint64_t Granule, uint16_t Kinds,
                                          F Search, bool Skip) const {
    if (Skip)
      return std::nullopt;
    auto S = I.segment(P.Segment);
    if (!S)
      return S.takeError();
    Record R;
    if (!R.read(*S, P.Offset))
      return damaged(P);
    unsigned Want = Granule % format::GranulesPerPage;
    unsigned Lo = 0, Hi = R.Count;
    while (Lo < Hi) {
      unsigned Mid = (Lo + Hi) / 2;
      if ((R.index(Mid) & granule::IndexMask) < Want)
        Lo = Mid + 1;
      else
        Hi = Mid;
    }
    if (Lo == R.Count || (R.index(Lo) & granule::IndexMask) != Want ||
        (Kinds && !(R.index(Lo) & Kinds)))
      return std::nullopt;
    granule::List L = R.list(*S, Lo);
    if (L.damaged())
      return damaged(P);
    std::optional<granule::Entry> E = Search(L);
    if (!E)
      return std::nullopt;
    if (E->Block >= S->H->NumBlocks)
      return damaged(P);
    return Hit{*S, *E};
  }

  const TraceStore::Impl &I;
  llvm::ArrayRef<format::Posting> Items;
};

/// The bytes of a granule, as replayed.
struct GranuleState {
  uint64_t Value = 0;
  uint8_t Known = 0;

  /// Applies the part of an access that lies in the granule. Returns the mask
  /// of bytes that it wrote, or whose value it changed or told first.
  uint8_t apply(uint64_t Granule, const DecodedMem &M) {
    const auto At = int64_t(M.Addr - (Granule << format::GranuleBits));
    if (At >= 8 || At <= -8)
      return 0;
    auto Here = [&](unsigned Bits) {
      return uint8_t(At >= 0 ? Bits << At : Bits >> -At);
    };
    const bool Write = M.Shape->Flags & MemItem::Write;
    const unsigned All = (1u << M.Shape->Size) - 1;
    const uint8_t Is = Here(M.Shape->Known & All),
                  Bytes = Write ? Here(All) : Is;
    const uint64_t New =
        (At >= 0 ? M.Value << 8 * At : M.Value >> 8 * -At) & expandMask(Is);
    uint8_t Result = Bytes;
    if (!Write) {
      Result &= uint8_t(~Known);
      for (uint64_t Other = (Value ^ New) & expandMask(Bytes); Other;) {
        const unsigned Byte = unsigned(std::countr_zero(Other)) / 8;
        Result |= uint8_t(1u << Byte);
        Other &= ~(uint64_t(0xff) << 8 * Byte);
      }
    }
    Value = (Value & ~expandMask(Bytes)) | New;
    Known = uint8_t((Known & ~Bytes) | Is);
    return Result;
  }
};

/// The bytes of a piece at \p M, of a granule that held \p State, with what a
/// later read told of it: filled in from \p At on, as TraceStore::memoryAt
/// does. False if the table is damaged.
[[nodiscard]] inline bool tellPiece(const BackDateTable &Back, Moment M,
                                    Piece What, GranuleState State, size_t &At,
                                    llvm::MutableArrayRef<uint8_t> Bytes,
                                    llvm::MutableArrayRef<uint8_t> Known) {
  if (uint8_t Missing = What.Mask & ~State.Known)
    if (!Back.forEach(What.Granule, [&](const BackDate &B) {
          if (uint8_t Now = B.From <= M && M <= B.To ? B.Mask & Missing : 0) {
            State.Known |= Now;
            State.Value =
                (State.Value & ~expandMask(Now)) | (B.Value & expandMask(Now));
          }
          return true;
        }))
      return false;
  if (!(What.Mask & ~State.Known)) {
    // Most often. The mask has no gaps.
    const uint64_t Value =
        State.Value >> 8 * unsigned(std::countr_zero(What.Mask));
    const auto N = size_t(std::popcount(What.Mask));
    std::memcpy(&Bytes[At], &Value, N);
    std::memset(&Known[At], 1, N);
    At += N;
    return true;
  }
  for (unsigned K = 0; K < 8; ++K)
    if (What.Mask >> K & 1) {
      Known[At] = State.Known >> K & 1;
      if (Known[At])
        Bytes[At] = uint8_t(State.Value >> (8 * K));
      ++At;
    }
  return true;
}

inline bool anyEntry(const granule::Entry &) { return true; }

/// The first block at or after (\p Segment, \p Block) that may have an access
/// to a byte of [Addr, Addr + Size).
llvm::Expected<std::optional<Hit>>
nextAccessBlock(const TraceStore::Impl &I, uint64_t Addr, uint64_t Size,
                AccessKind Kind, uint32_t Segment, unsigned Block);

} // namespace rw

#endif // REWIND_STORE_PAGEINDEX_H
