//===- JoinPolicy.h - When code that follows other code joins it *- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_JOINPOLICY_H
#define REWIND_FORMATS_JOINPOLICY_H

#include <cstddef>
#include <cstdint>

namespace rw {

/// When a reader makes one piece of two that follow each other, so that
/// whoever takes executions has fewer of them. One for each trace: it bounds
/// the memory of all joined pieces together.
class JoinPolicy {
public:
  /// What was executed less often is not even counted with what follows it.
  static constexpr uint8_t Hot = 255;

  /// Counts that a pair was seen; true the one time that it has become worth
  /// joining. A joined piece of \p Insns instructions must fit.
  bool decide(uint32_t &Times, size_t Insns) const {
    return Times < Often && ++Times == Often && Insns <= MaxInsns &&
           Joined <= MaxJoined;
  }
  static bool isDecided(uint32_t Times) { return Times >= Often; }
  /// A piece of \p Insns instructions was made.
  void joined(size_t Insns) { Joined += Insns; }

private:
  static constexpr size_t MaxInsns = 64;
  static constexpr uint32_t Often = 16;
  static constexpr size_t MaxJoined = size_t(1) << 18; ///< instructions

  size_t Joined = 0;
};

} // namespace rw

#endif // REWIND_FORMATS_JOINPOLICY_H
