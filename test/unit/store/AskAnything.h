//===- AskAnything.h - Asks a store that may hold anything ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_ASKANYTHING_H
#define REWIND_TEST_ASKANYTHING_H

#include "core/store/TraceStore.h"
#include "test/unit/support/RandomTrace.h"

namespace rw {

/// Asks \p Rounds questions of every kind. The answers do not matter; that
/// there are some does.
void askAnything(const TraceStore &Store, uint64_t Seed, unsigned Rounds);

} // namespace rw

#endif // REWIND_TEST_ASKANYTHING_H
