//===- HotSpots.h - Where instructions are spent ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction of the trace is counted once: in the innermost loop of its
// activation that it belongs to, else in its function, else in its thread.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_HOTSPOTS_H
#define REWIND_HTR_HOTSPOTS_H

#include "core/htr/Outline.h"

namespace rw::htr {

struct HotSpot {
  enum Kind : uint8_t {
    Loop,     ///< by the instruction that its rounds begin with
    Function, ///< code of a function that is in no loop
    Thread,   ///< code that is in no function and in no loop
    Block     ///< a run of code, wherever it is
  } What = Loop;
  BlockId Id = NoBlock; ///< the block that occurs first
  uint64_t Value = 0;   ///< Function: entry pc; Thread: its number, from 0
  Place At = 0;         ///< where it first begins
  uint64_t Times = 0;   ///< stays, activations, executions
  uint64_t Own = 0;     ///< instructions
};

/// All of them but those without instructions, by Own, the largest first; they
/// add up to the trace. With \p Blocks the runs of code that passes made of
/// instructions instead, and single instructions where they made none, which
/// add up to it as well. O(the layer and its dictionary).
std::vector<HotSpot> hotSpots(const HtrFile &File, bool Blocks);

} // namespace rw::htr

#endif // REWIND_HTR_HOTSPOTS_H
