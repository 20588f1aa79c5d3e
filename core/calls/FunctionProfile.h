//===- FunctionProfile.h - Costs by function --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_FUNCTIONPROFILE_H
#define REWIND_CALLS_FUNCTIONPROFILE_H

#include "core/calls/CallContexts.h"

namespace rw {

struct FunctionCost {
  FunctionKey Function;
  uint64_t Calls = 0;
  /// With callees; what runs below an activation of the same function counts
  /// once.
  uint64_t Instructions = 0, Time = 0;
  uint64_t Own = 0, OwnTime = 0;
  bool Recursive = false;
};

/// The costs of all functions, all threads together, sorted by address. Memory:
/// functions and depth.
llvm::Expected<std::vector<FunctionCost>>
profileFunctions(const CallQuery &Q, const SweepOptions &Options);

} // namespace rw

#endif // REWIND_CALLS_FUNCTIONPROFILE_H
