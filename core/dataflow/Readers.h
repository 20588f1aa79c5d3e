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

namespace rw::dataflow {

/// For each byte of memory, the stamps of its readers since the last write, as
/// few as stand for all of them. Needed only where writes wait for readers.
template <typename Stamp> class Readers {
  struct Entry {
    uint8_t Mask; ///< bytes of the granule
    Stamp By;
  };
  using List = llvm::SmallVector<Entry, 1>;

public:
  template <typename Fn> void forEach(Range R, Fn F) const {
    forEachGranule(R, [&](uint64_t Granule, uint8_t Mask) {
      auto It = Granules.find(Granule);
      if (It == Granules.end())
        return;
      for (const Entry &E : It->second)
        if (E.Mask & Mask)
          F(E.By);
    });
  }

  /// \p Latest(Old, New, Both): a stamp that stands for both, or sets Both.
  template <typename Fn> void add(Range R, Stamp By, Fn Latest) {
    forEachGranule(R, [&](uint64_t Granule, uint8_t Mask) {
      List &L = Granules[Granule];
      for (Entry &E : L) {
        if (E.Mask != Mask)
          continue;
        bool Both = false;
        Stamp One = Latest(E.By, By, Both);
        if (Both)
          continue;
        E.By = One;
        return;
      }
      L.push_back({Mask, By});
    });
  }

  void clear(Range R) {
    forEachGranule(R, [&](uint64_t Granule, uint8_t Mask) {
      auto It = Granules.find(Granule);
      if (It == Granules.end())
        return;
      for (Entry &E : It->second)
        E.Mask &= ~Mask;
      llvm::erase_if(It->second, [](const Entry &E) { return !E.Mask; });
      if (It->second.empty())
        Granules.erase(It);
    });
  }

  template <typename Fn> void rewrite(Fn F) {
    for (auto &[Granule, L] : Granules)
      for (Entry &E : L)
        E.By = F(E.By);
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
  llvm::DenseMap<uint64_t, List> Granules;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_READERS_H
