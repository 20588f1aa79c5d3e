//===- Targets.h - The machines that LLVM is to know ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_TARGETS_H
#define REWIND_ARCH_TARGETS_H

namespace rw {

/// Registers LLVM's targets of all instruction sets that a trace may have,
/// once.
void initializeTargets();

} // namespace rw

#endif // REWIND_ARCH_TARGETS_H
