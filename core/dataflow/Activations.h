//===- Activations.h - Where a stamp of long ago counts ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where calls are atomic, a dependence is one between activations: its source
// is the return of the call that held it, as the nearest common ancestor of
// both sees it. So a stamp is an activation and a number that means something
// in it (a time, an instruction); when an activation ends it gets one number
// for all of them in its parent. Finding the open activation that a stamp
// counts in is Tarjan's search for common ancestors, with a forest of closed
// ones.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_ACTIVATIONS_H
#define REWIND_DATAFLOW_ACTIVATIONS_H

#include "llvm/ADT/DenseMap.h"
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rw::dataflow {

/// An activation and a number in it. 0: before everything.
using LocalStamp = uint64_t;
constexpr LocalStamp localStamp(uint32_t Activation, uint32_t Number) {
  return uint64_t(Activation) << 32 | Number;
}
constexpr uint32_t activationOf(LocalStamp S) { return uint32_t(S >> 32); }
constexpr uint32_t numberOf(LocalStamp S) { return uint32_t(S); }

/// Old numbers of open activations and their new ones.
class Renumbering {
public:
  uint32_t now(uint32_t Old) const;

private:
  friend class Activations;
  std::vector<std::pair<uint32_t, uint32_t>> List; ///< ascending
};

/// The entries of a list that are still asked for, under new numbers.
template <typename T> class KeptEntries {
public:
  explicit KeptEntries(const std::vector<T> &All) : All(All) {}
  uint32_t keep(uint32_t Old) {
    auto [It, New] = Now.try_emplace(Old, uint32_t(Kept.size()));
    if (New)
      Kept.push_back(All[Old]);
    return It->second;
  }
  std::vector<T> take() { return std::move(Kept); }

private:
  const std::vector<T> &All;
  std::vector<T> Kept;
  llvm::DenseMap<uint32_t, uint32_t> Now;
};

class Activations {
  static constexpr uint32_t Open = ~uint32_t(0);
  struct Node {
    uint32_t Parent = 0, Number = Open;
  };

public:
  /// Numbers from 1 on; a parent's is lower than those of its children.
  uint32_t open(uint32_t Parent) {
    Nodes.push_back({Parent, Open});
    return uint32_t(Nodes.size() - 1);
  }
  /// All its stamps are \p Number in its parent from now on.
  void close(uint32_t A, uint32_t Number) {
    assert(Number != Open && Nodes[A].Number == Open);
    Nodes[A].Number = Number;
  }

  /// The stamp of the innermost open activation that \p S is in. Amortised
  /// O(log) of the depth.
  LocalStamp resolve(LocalStamp S) {
    uint32_t A = activationOf(S);
    if (Nodes[A].Number == Open)
      return S;
    uint32_t Top = A;
    while (Nodes[Nodes[Top].Parent].Number != Open)
      Top = Nodes[Top].Parent;
    // Whatever is below Top now counts as Top does.
    while (A != Top) {
      uint32_t Next = Nodes[A].Parent;
      Nodes[A].Parent = Top;
      A = Next;
    }
    return localStamp(Nodes[Top].Parent, Nodes[Top].Number);
  }

  /// Whether it is time to forget the closed ones: they take 32 MiB.
  bool isLarge() const { return Nodes.size() >= Limit; }
  /// For tests.
  void setLimit(size_t N) { Limit = N; }

  /// Forgets all that are closed and numbers the others anew. Every stamp in
  /// use must have been resolved before, and be renumbered afterwards.
  Renumbering compact();

private:
  size_t Limit = size_t(1) << 22;
  std::vector<Node> Nodes = {Node()}; ///< number 0: open for ever
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_ACTIVATIONS_H
