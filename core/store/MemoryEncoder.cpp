//===- MemoryEncoder.cpp - The memory index of one segment ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/GranuleList.h"
#include "core/store/SegmentEncoder.h"
#include <algorithm>
#include <array>
#include <type_traits>

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

template <typename Entry>
static void putEntry(uint8_t *&To, const Entry &E, ListState &S, bool First) {
  using namespace granule;
  constexpr bool TellsValues = std::is_same_v<Entry, GranuleEntry>;
  const uint8_t Kind =
      uint8_t((E.Read ? HasRead : 0) | (E.Written ? HasWrite : 0));
  const bool Masks =
      (E.Read && E.Read != S.Read) || (E.Written && E.Written != S.Written);
  bool Known = false, Value = false;
  if constexpr (TellsValues) {
    Known = E.Known != S.Known;
    Value = Known || E.Value != S.Value || E.Contradicted;
  }
  const unsigned Delta = First ? E.Block : E.Block - S.Block;
  const unsigned Short = std::min(Delta, LongDelta);
  const uint8_t Control = uint8_t((Masks ? HasMasks : 0) |
                                  (Value ? HasValue : 0) | Short << DeltaShift);
  if (Known || !Kind) {
    *To++ = Control;
    *To++ = uint8_t(Kind | (Known ? ExtKnown : 0));
  } else {
    *To++ = Control | Kind;
  }
  if (Short == LongDelta)
    putVarintAt(To, Delta - LongDelta);
  if (Masks) {
    if (E.Read)
      *To++ = S.Read = E.Read;
    if (E.Written)
      *To++ = S.Written = E.Written;
  }
  if (E.Written)
    putVarintAt(To, E.LastWrite);
  if constexpr (TellsValues) {
    if (Known)
      *To++ = E.Known;
    if (Value) {
      uint8_t Changed = E.Contradicted;
      for (unsigned B = 0; B < 8; ++B)
        if ((E.Value ^ S.Value) >> (8 * B) & 0xff)
          Changed |= uint8_t(1u << B);
      *To++ = Changed;
      for (unsigned B = 0; B < 8; ++B)
        if (Changed & (1u << B))
          *To++ = uint8_t(E.Value >> (8 * B));
    }
    S.Value = E.Value;
    S.Known = E.Known;
  }
  S.Block = E.Block;
}

/// Lists of a page, one after the other.
class ListBuffer {
public:
  void clear() { Size = 0; }
  size_t size() const { return Size; }
  const uint8_t *data() const { return Room.data(); }
  /// Where to append so many bytes at most.
  uint8_t *begin(size_t Most) {
    if (LLVM_UNLIKELY(Room.size() - Size < Most))
      Room.resize(2 * Room.size() + Most);
    return Room.data() + Size;
  }
  /// What was begun ends here.
  void end(const uint8_t *To) { Size = size_t(To - Room.data()); }

private:
  std::vector<uint8_t> Room;
  size_t Size = 0;
};

template <typename Entry>
static void putList(ListBuffer &Out, llvm::ArrayRef<const Entry *> List) {
  constexpr size_t MaxVarint = 10;
  const size_t NumChunks = (List.size() - 1) / granule::ChunkEntries;
  uint8_t *Chunk = Out.begin(MaxVarint + NumChunks * granule::ChunkBytes +
                             List.size() * MaxEntryBytes);
  putVarintAt(Chunk, List.size());
  uint8_t *const Body = Chunk + NumChunks * granule::ChunkBytes;
  uint8_t *To = Body;
  ListState S;
  for (size_t I = 0; I < List.size(); ++I) {
    if (I && I % granule::ChunkEntries == 0) {
      // Each field is overwritten by the next where it goes beyond its bytes;
      // the last one is as long.
      putBytesAt(Chunk, S.Block, 2);
      putBytesAt(Chunk,
                 uint64_t(To - Body) | uint64_t(S.Written) << 32 |
                     uint64_t(S.Read) << 40 | uint64_t(S.Known) << 48,
                 7);
      putBytesAt(Chunk, S.Value, 8);
    }
    putEntry(To, *List[I], S, I == 0);
  }
  Out.end(To);
}

/// What most lists are.
template <typename Entry>
static void putOnly(ListBuffer &Out, const Entry &Only) {
  uint8_t *To = Out.begin(1 + MaxEntryBytes);
  *To++ = 1;
  ListState S;
  putEntry(To, Only, S, true);
  Out.end(To);
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

/// \p Touched: ascending.
template <typename Entry>
static void putPages(llvm::ArrayRef<Entry> Entries,
                     llvm::ArrayRef<std::pair<uint64_t, uint32_t>> Touched,
                     Bytes &Out, EncodedSegment::Keys &Pages) {
  auto kindsOf = [](const Entry &E) {
    return (E.Written ? granule::IndexWrite : 0) |
           (E.Read ? granule::IndexRead : 0);
  };
  std::vector<const Entry *> List;
  ListBuffer Lists;
  // A page's granules: which they are, and where their entries are.
  std::array<uint16_t, GranulesPerPage> Index, Offsets;
  std::array<uint32_t, GranulesPerPage> WideOffsets;
  for (size_t I = 0; I < Touched.size();) {
    uint64_t Page = Touched[I].first / GranulesPerPage;
    Lists.clear();
    size_t N = 0;
    for (; I < Touched.size() && Touched[I].first / GranulesPerPage == Page;
         ++I) {
      const Entry &Last = Entries[Touched[I].second];
      unsigned Kinds = kindsOf(Last);
      WideOffsets[N] = uint32_t(Lists.size());
      if (Last.Prev == NoEntry) {
        putOnly(Lists, Last);
      } else {
        List.assign(1, &Last);
        for (uint32_t E = Last.Prev; E != NoEntry; E = Entries[E].Prev) {
          List.push_back(&Entries[E]);
          Kinds |= kindsOf(Entries[E]);
        }
        std::reverse(List.begin(), List.end());
        putList<Entry>(Lists, List);
      }
      Index[N++] = uint16_t(Touched[I].first % GranulesPerPage | Kinds);
    }
    Pages.emplace_back(Page, uint32_t(Out.size()));
    bool Wide = Lists.size() > 0xffff;
    putBytes(Out, N | (Wide ? granule::WideOffsets : 0), 2);
    putRaw(Out, Index.data(), N);
    if (Wide) {
      putRaw(Out, WideOffsets.data(), N);
    } else {
      std::copy_n(WideOffsets.begin(), N, Offsets.begin());
      putRaw(Out, Offsets.data(), N);
    }
    putRaw(Out, Lists.data(), Lists.size());
  }
}

void rw::encodeMemory(SegmentMemory &M, Bytes &Out,
                      EncodedSegment::Keys &Pages) {
  if (M.Accesses.empty()) {
    mergeStretches(M.Touched);
    putPages<GranuleEntry>(M.Entries, M.Touched, Out, Pages);
  } else {
    putPages<AccessEntry>(M.Accesses, M.Touched, Out, Pages);
  }
}
