//===- LoopForest.h - The loops of a flow graph -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is a set of nodes each of which is reached from each other. Where it
// has one entry, that node is its header, dominates it, and the loop is the
// natural loop of the header (all back edges to it taken together). Where it
// has several, it is irreducible; its header is then the entry that came first.
// Inner loops are those that are left when the edges to the header are taken
// away; of an irreducible loop, the edges to any entry that does not dominate
// where they come from. So all natural loops are found, whatever is around
// them.
//
// The nested strongly connected components are those of Steensgaard
// ("Sequential- izing program dependence graphs for irreducible programs",
// 1993), but for the natural back edges, which he takes away with the rest.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_PASSES_LOOPFOREST_H
#define REWIND_HTR_PASSES_LOOPFOREST_H

#include "core/support/Watch.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace rw::htr {

/// Nodes are numbered in the order in which they came first.
struct FlowGraph {
  std::vector<std::pair<uint32_t, uint32_t>> Edges; ///< each once, any order
  std::vector<uint8_t> Root; ///< by node: it is entered from outside
  std::vector<uint8_t> End;  ///< by node: an activation returned from there
};

struct FlowLoop {
  static constexpr uint32_t None = ~0u;
  uint32_t Header = 0;
  uint32_t Parent = None; ///< the loop around it; comes before it
  uint32_t Depth = 0;     ///< 0: outermost
  bool Irreducible = false;
};

struct LoopForest {
  std::vector<FlowLoop> Loops;
  std::vector<uint32_t> Innermost; ///< by node; FlowLoop::None: in no loop
  bool contains(uint32_t Outer, uint32_t Inner) const {
    while (Inner != FlowLoop::None && Loops[Inner].Depth > Loops[Outer].Depth)
      Inner = Loops[Inner].Parent;
    return Inner == Outer;
  }
};

/// Loops that are nested deeper than this are not looked for.
inline constexpr uint32_t MaxLoopDepth = 256;

/// O(depth * edges), and for an irreducible loop O(entries * edges).
llvm::Expected<LoopForest> findLoops(const FlowGraph &G, const Watch &Watch);

} // namespace rw::htr

#endif // REWIND_HTR_PASSES_LOOPFOREST_H
