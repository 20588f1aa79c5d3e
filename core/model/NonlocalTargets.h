//===- NonlocalTargets.h - Where control comes back without return -*- C++ -*-//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_NONLOCALTARGETS_H
#define REWIND_MODEL_NONLOCALTARGETS_H

#include <cstdint>
#include <tuple>
#include <vector>

namespace rw {

/// An exception of the language that leaves a call in [CallBegin, CallEnd) goes
/// on at PC, in the activation that made the call.
struct LandingPad {
  uint64_t PC = 0;
  uint64_t CallBegin = 0, CallEnd = 0;
  bool operator<(const LandingPad &O) const {
    return std::tie(PC, CallBegin, CallEnd) <
           std::tie(O.PC, O.CallBegin, O.CallEnd);
  }
  bool operator==(const LandingPad &) const = default;
};

/// What files tell of it, at the addresses of the trace.
struct NonlocalTargets {
  std::vector<LandingPad> Pads;
  /// First instructions of setjmp and its like, which return more than once.
  std::vector<uint64_t> Setjmps;
};

} // namespace rw

#endif // REWIND_MODEL_NONLOCALTARGETS_H
