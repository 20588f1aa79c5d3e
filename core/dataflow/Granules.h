//===- Granules.h - A stamp for each byte of memory -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers exactly as if there were a stamp for each byte, and takes as much
// room as the memory that was touched: a granule is as large as a stamp (4 or 8
// bytes) and either uniform (its bytes have one stamp) or split (a stamp for
// each). This replaces the access units of the Embla notes, of all sizes, which
// split and merge.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_GRANULES_H
#define REWIND_DATAFLOW_GRANULES_H

#include "core/dataflow/Step.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace rw::dataflow {

/// \p Stamp is an unsigned number whose highest bit the caller never uses. A
/// byte that was never written has stamp 0. Addresses wrap around.
template <typename Stamp> class Granules {
  static constexpr unsigned Bytes = sizeof(Stamp);
  static constexpr unsigned PageBits = 12, PerPage = (1u << PageBits) / Bytes;
  static constexpr Stamp Split = Stamp(1) << (8 * Bytes - 1);
  using Page = std::array<Stamp, PerPage>;
  using Parts = std::array<Stamp, Bytes>;

public:
  /// Calls \p F with the stamps of \p R: with each one at least once.
  template <typename Fn> void read(Range R, Fn F) {
    uint64_t Addr = R.Addr;
    for (uint32_t Left = R.Size; Left;) {
      uint32_t Offset = Addr % Bytes, Here = std::min(Left, Bytes - Offset);
      Stamp S = slot(Addr);
      if (!(S & Split)) {
        F(S);
      } else {
        const Parts &P = Pool[S & ~Split];
        Stamp Last = P[Offset];
        F(Last);
        for (uint32_t K = 1; K < Here; ++K)
          if (P[Offset + K] != Last)
            F(Last = P[Offset + K]);
      }
      Addr += Here;
      Left -= Here;
    }
  }

  void write(Range R, Stamp New) {
    uint64_t Addr = R.Addr;
    for (uint32_t Left = R.Size; Left;) {
      uint32_t Offset = Addr % Bytes, Here = std::min(Left, Bytes - Offset);
      Stamp &S = slot(Addr);
      if (Here == Bytes) {
        if (S & Split)
          Free.push_back(uint32_t(S & ~Split));
        S = New;
      } else if (S != New) {
        if (!(S & Split))
          S = Split | split(S);
        Parts &P = Pool[S & ~Split];
        std::fill_n(P.begin() + Offset, Here, New);
      }
      Addr += Here;
      Left -= Here;
    }
  }

  /// Replaces every stamp by what \p F makes of it.
  template <typename Fn> void rewrite(Fn F) {
    for (auto &[Number, P] : Pages)
      for (Stamp &S : *P) {
        if (!(S & Split)) {
          S = F(S);
          continue;
        }
        for (Stamp &Part : Pool[S & ~Split])
          Part = F(Part);
      }
  }

  size_t bytes() const {
    return Pages.size() * sizeof(Page) + Pool.capacity() * sizeof(Parts);
  }

private:
  Stamp &slot(uint64_t Addr) {
    uint64_t Number = Addr >> PageBits;
    Recent &R = Cache[Number % Cache.size()];
    if (R.Number != Number || !R.P) {
      std::unique_ptr<Page> &P = Pages[Number];
      if (!P) {
        P = std::make_unique<Page>();
        P->fill(0);
      }
      R = {Number, P.get()};
    }
    return (*R.P)[(Addr % (1u << PageBits)) / Bytes];
  }

  Stamp split(Stamp S) {
    uint32_t Index;
    if (!Free.empty()) {
      Index = Free.back();
      Free.pop_back();
    } else {
      Index = uint32_t(Pool.size());
      Pool.emplace_back();
    }
    Pool[Index].fill(S);
    return Stamp(Index);
  }

  struct Recent {
    uint64_t Number = 0;
    Page *P = nullptr;
  };
  std::array<Recent, 256> Cache = {};
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> Pages;
  std::vector<Parts> Pool;
  std::vector<uint32_t> Free;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_GRANULES_H
