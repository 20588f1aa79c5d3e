//===- Readers.h - Who has read a byte since it was written -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_READERS_H
#define REWIND_DATAFLOW_READERS_H

#include "core/dataflow/Step.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <tuple>

namespace rw::dataflow {

/// The stamps of the readers of up to eight bytes since the last write, as few
/// as stand for all of them: readers become one when the calls that they were
/// in have ended. Adding one costs O(log n), amortised.
template <typename Stamp> class ReaderList {
  struct Entry {
    uint8_t Mask; ///< bytes of the granule
    Stamp By;
  };
  llvm::SmallVector<Entry, 1> List;

  /// Reads that a stamp stands for are one entry, and so are those of the same
  /// bytes that a domain's latest() stands for.
  template <class Domain> void unite(Domain &D) {
    if (List.size() < 2)
      return;
    for (Entry &E : List)
      E.By = D.canonical(E.By);
    mergeIf([](const Entry &A, const Entry &B) { return A.By < B.By; },
            [](Entry &A, const Entry &B) {
              if (A.By != B.By)
                return false;
              A.Mask |= B.Mask;
              return true;
            });
    mergeIf(
        [](const Entry &A, const Entry &B) {
          return std::tie(A.Mask, A.By) < std::tie(B.Mask, B.By);
        },
        [&](Entry &A, const Entry &B) {
          return A.Mask == B.Mask && join(D, A.By, B.By);
        });
  }
  template <typename Less, typename Merge> void mergeIf(Less L, Merge M) {
    llvm::sort(List, L);
    size_t Last = 0;
    for (size_t I = 1; I < List.size(); ++I)
      if (!M(List[Last], List[I]))
        List[++Last] = List[I];
    List.truncate(Last + 1);
  }
  template <class Domain> static bool join(Domain &D, Stamp &Old, Stamp New) {
    bool Both = false;
    Stamp One = D.latest(Old, New, Both);
    if (!Both)
      Old = One;
    return !Both;
  }

public:
  bool empty() const { return List.empty(); }
  template <class Domain> void add(Domain &D, uint8_t Mask, Stamp By) {
    // Most often it is read where it was read last.
    if (!List.empty() && List.back().Mask == Mask &&
        join(D, List.back().By, By))
      return;
    if (List.size() >= 8 && List.size() == List.capacity()) {
      unite(D);
      if (List.size() > List.capacity() / 2)
        List.reserve(2 * List.capacity());
    }
    List.push_back({Mask, By});
  }
  template <class Domain, typename Fn>
  void forEach(Domain &D, uint8_t Mask, Fn F) {
    unite(D);
    for (const Entry &E : List)
      if (E.Mask & Mask)
        F(E.By);
  }
  void clear(uint8_t Mask) {
    for (Entry &E : List)
      E.Mask &= ~Mask;
    llvm::erase_if(List, [](const Entry &E) { return !E.Mask; });
  }
  template <typename Fn> void rewrite(Fn F) {
    for (Entry &E : List)
      E.By = F(E.By);
  }
};

/// A domain that may tell what stands for the same in this granule alone.
template <class Domain> struct AtGranule {
  Domain &D;
  uint64_t Granule;

  template <typename Stamp> Stamp canonical(Stamp S) {
    if constexpr (requires { D.canonicalAt(S, Range()); })
      return D.canonicalAt(S, {Granule * 8, 8});
    else
      return D.canonical(S);
  }
  template <typename Stamp> Stamp latest(Stamp A, Stamp B, bool &Both) {
    if constexpr (requires { D.canonicalAt(A, Range()); })
      return D.latest(canonical(A), canonical(B), Both);
    else
      return D.latest(A, B, Both);
  }
};

/// For each byte of memory, who has read it since the last write. Needed only
/// where writes wait for readers.
template <typename Stamp> class Readers {
public:
  template <class Domain, typename Fn> void forEach(Domain &D, Range R, Fn F) {
    forEachGranule(R, [&](uint64_t Granule, uint8_t Mask) {
      auto It = Granules.find(Granule);
      if (It == Granules.end())
        return;
      AtGranule<Domain> Here{D, Granule};
      It->second.forEach(Here, Mask, F);
    });
  }

  template <class Domain> void add(Domain &D, Range R, Stamp By) {
    forEachGranule(R, [&](uint64_t Granule, uint8_t Mask) {
      AtGranule<Domain> Here{D, Granule};
      Granules[Granule].add(Here, Mask, By);
    });
  }

  void clear(Range R) {
    forEachGranule(R, [&](uint64_t Granule, uint8_t Mask) {
      auto It = Granules.find(Granule);
      if (It == Granules.end())
        return;
      It->second.clear(Mask);
      if (It->second.empty())
        Granules.erase(It);
    });
  }

  template <typename Fn> void rewrite(Fn F) {
    for (auto &[Granule, L] : Granules)
      L.rewrite(F);
  }

private:
  template <typename Fn> static void forEachGranule(Range R, Fn F) {
    uint64_t Addr = R.Addr;
    for (uint32_t Left = R.Size; Left;) {
      uint32_t Offset = Addr % 8, Here = std::min(Left, 8 - Offset);
      F(Addr / 8, uint8_t(((1u << Here) - 1) << Offset));
      Addr += Here;
      Left -= Here;
    }
  }
  llvm::DenseMap<uint64_t, ReaderList<Stamp>> Granules;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_READERS_H
