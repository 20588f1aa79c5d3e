//===- Activations.cpp - Where a stamp of long ago counts -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Activations.h"
#include <algorithm>

namespace rw::dataflow {

uint32_t Renumbering::now(uint32_t Old) const {
  auto It = std::lower_bound(List.begin(), List.end(),
                             std::make_pair(Old, uint32_t(0)));
  assert(It != List.end() && It->first == Old && "a closed activation");
  return It->second;
}

Renumbering Activations::compact() {
  Renumbering R;
  uint32_t Kept = 0;
  for (uint32_t A = 0; A < Nodes.size(); ++A) {
    if (Nodes[A].Number != Open)
      continue;
    // Parents of open ones are open, and come first.
    R.List.push_back({A, Kept});
    Nodes[Kept++] = {R.now(Nodes[A].Parent), Open};
  }
  Nodes.resize(Kept);
  Nodes.shrink_to_fit();
  return R;
}

} // namespace rw::dataflow
