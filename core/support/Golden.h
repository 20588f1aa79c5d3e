//===- Golden.h - A hash that is one multiplication -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_GOLDEN_H
#define REWIND_SUPPORT_GOLDEN_H

#include <cstdint>

namespace rw {

/// \p Key times 2^64 divided by the golden ratio (Knuth, The Art of Computer
/// Programming, 6.4): spreads keys that lie close together, addresses and
/// opcodes, over the *upper* bits. For tables that may be found out, not for
/// hostile keys.
constexpr uint64_t golden(uint64_t Key) { return Key * 0x9e3779b97f4a7c15; }

} // namespace rw

#endif // REWIND_SUPPORT_GOLDEN_H
