//===- Chains.h - Units that always occur in the same order -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With succ(a) and pred(b) the sets of distinct units that follow a and precede
// b anywhere (the beginning and the end of a sequence counting as one of them),
// a boundary lies between consecutive units a, b exactly where |succ(a)| > 1 or
// |pred(b)| > 1, and on both sides of a break. A chain is what lies between
// boundaries; inside, every unit has one successor.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_PASSES_CHAINS_H
#define REWIND_HTR_PASSES_CHAINS_H

#include "core/htr/Pass.h"

namespace rw::htr {

/// For each unit the one that always follows in its chain, or NoBlock. One scan
/// of the top layer, which \p Now counts.
llvm::Expected<std::vector<BlockId>> findChains(const Hierarchy &H, Pace &Now);

} // namespace rw::htr

#endif // REWIND_HTR_PASSES_CHAINS_H
