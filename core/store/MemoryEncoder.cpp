//===- MemoryEncoder.cpp - The memory index of one segment ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/GranuleList.h"
#include "core/store/SegmentEncoder.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

namespace {

/// What an entry is coded against.
struct ListState {
  uint64_t Value = 0;
  uint16_t Block = 0;
  uint8_t Known = 0, Written = 0xff, Read = 0xff;
};

} // namespace

/// The longest entry: two control bytes, three for the delta, masks, three for
/// the last write, known bytes, and the value with its mask.
static constexpr size_t MaxEntryBytes = 2 + 3 + 2 + 3 + 1 + 9;

static void putEntry(uint8_t *&To, const GranuleEntry &E, ListState &S,
                     bool First) {
  using namespace granule;
  uint8_t Kind = uint8_t((E.Read ? HasRead : 0) | (E.Written ? HasWrite : 0));
  uint8_t Control = Kind;
  bool Masks =
      (E.Read && E.Read != S.Read) || (E.Written && E.Written != S.Written);
  bool Known = E.Known != S.Known;
  bool Value = Known || E.Value != S.Value || E.Contradicted;
  if (Masks)
    Control |= HasMasks;
  if (Value)
    Control |= HasValue;
  unsigned Delta = First ? E.Block : E.Block - S.Block;
  uint8_t Short = uint8_t(std::min(Delta, LongDelta));
  bool Extended = Known || !Kind;
  if (Extended) {
    putByteAt(To, uint8_t((Control & ~(HasRead | HasWrite)) |
                          Short << DeltaShift));
    putByteAt(To, uint8_t(Kind | (Known ? ExtKnown : 0)));
  } else {
    putByteAt(To, uint8_t(Control | Short << DeltaShift));
  }
  if (Short == LongDelta)
    putVarintAt(To, Delta - LongDelta);
  if (Masks) {
    if (E.Read)
      putByteAt(To, S.Read = E.Read);
    if (E.Written)
      putByteAt(To, S.Written = E.Written);
  }
  if (E.Written)
    putVarintAt(To, E.LastWrite);
  if (Known)
    putByteAt(To, E.Known);
  if (Value) {
    uint8_t Changed = E.Contradicted;
    for (unsigned B = 0; B < 8; ++B)
      if ((E.Value ^ S.Value) >> (8 * B) & 0xff)
        Changed |= uint8_t(1u << B);
    putByteAt(To, Changed);
    for (unsigned B = 0; B < 8; ++B)
      if (Changed & (1u << B))
        putByteAt(To, uint8_t(E.Value >> (8 * B)));
  }
  S.Value = E.Value;
  S.Known = E.Known;
  S.Block = E.Block;
}

template <typename Entry>
static void putList(llvm::SmallVectorImpl<uint8_t> &Out,
                    llvm::ArrayRef<const Entry *> List) {
  constexpr size_t MaxVarint = 10;
  const size_t Start = Out.size();
  const size_t NumChunks = (List.size() - 1) / granule::ChunkEntries;
  Out.resize_for_overwrite(Start + MaxVarint + NumChunks * granule::ChunkBytes +
                           List.size() * MaxEntryBytes);
  uint8_t *Chunk = Out.data() + Start;
  putVarintAt(Chunk, List.size());
  uint8_t *const Body = Chunk + NumChunks * granule::ChunkBytes;
  uint8_t *To = Body;
  ListState S;
  for (size_t I = 0; I < List.size(); ++I) {
    if (I && I % granule::ChunkEntries == 0) {
      // Each field is overwritten by the next where it goes beyond its bytes;
      // the last one is as long.
      putBytesAt(Chunk, S.Block, 2);
      putBytesAt(Chunk, uint64_t(To - Body) | uint64_t(S.Written) << 32 |
                            uint64_t(S.Read) << 40 | uint64_t(S.Known) << 48,
                 7);
      putBytesAt(Chunk, S.Value, 8);
    }
    putEntry(To, *List[I], S, I == 0);
  }
  Out.truncate(size_t(To - Out.data()));
}

/// Sorts what consists of a number of ascending stretches: a program goes
/// through several pieces of memory in turn. Introsort is at its worst there.
template <typename T> static void mergeStretches(std::vector<T> &List) {
  std::vector<size_t> Ends;
  for (size_t I = 1; I < List.size(); ++I)
    if (List[I] < List[I - 1])
      Ends.push_back(I);
  if (Ends.empty())
    return;
  if (Ends.size() > List.size() / 8) {
    std::sort(List.begin(), List.end());
    return;
  }
  Ends.push_back(List.size());
  std::vector<T> Out(List.size());
  while (Ends.size() > 1) {
    std::vector<size_t> NewEnds;
    size_t Begin = 0;
    for (size_t K = 0; K < Ends.size(); K += 2) {
      size_t Middle = Ends[K], End = K + 1 < Ends.size() ? Ends[K + 1] : Middle;
      std::merge(List.begin() + Begin, List.begin() + Middle,
                 List.begin() + Middle, List.begin() + End,
                 Out.begin() + Begin);
      NewEnds.push_back(Begin = End);
    }
    List.swap(Out);
    Ends.swap(NewEnds);
  }
}

template <typename Entry>
static void putPages(llvm::ArrayRef<Entry> Entries,
                     std::vector<std::pair<uint64_t, uint32_t>> Touched,
                     Bytes &Out, EncodedSegment::Keys &Pages) {
  mergeStretches(Touched);
  std::vector<const Entry *> List;
  llvm::SmallVector<uint8_t, 0> Lists;
  std::vector<uint16_t> Index;
  std::vector<uint32_t> Offsets;
  for (size_t I = 0; I < Touched.size();) {
    uint64_t Page = Touched[I].first / GranulesPerPage;
    Lists.clear();
    Index.clear();
    Offsets.clear();
    for (; I < Touched.size() && Touched[I].first / GranulesPerPage == Page;
         ++I) {
      List.clear();
      uint16_t Kinds = 0;
      for (uint32_t E = Touched[I].second; E != NoEntry; E = Entries[E].Prev) {
        List.push_back(&Entries[E]);
        Kinds |= (List.back()->Written ? granule::IndexWrite : 0) |
                 (List.back()->Read ? granule::IndexRead : 0);
      }
      std::reverse(List.begin(), List.end());
      Index.push_back(uint16_t(Touched[I].first % GranulesPerPage | Kinds));
      Offsets.push_back(uint32_t(Lists.size()));
      putList<Entry>(Lists, List);
    }
    Pages.emplace_back(Page, uint32_t(Out.size()));
    bool Wide = Lists.size() > 0xffff;
    putBytes(Out, Index.size() | (Wide ? granule::WideOffsets : 0), 2);
    putRaw(Out, Index.data(), Index.size());
    for (uint32_t O : Offsets)
      putBytes(Out, O, Wide ? 4 : 2);
    putRaw(Out, Lists.data(), Lists.size());
  }
}

void rw::encodeMemory(const SegmentMemory &M, Bytes &Out,
                      EncodedSegment::Keys &Pages) {
  if (M.Accesses.empty())
    putPages<GranuleEntry>(M.Entries, M.Touched, Out, Pages);
  else
    putPages<AccessEntry>(M.Accesses, M.Touched, Out, Pages);
}
