//===- SequenceJoiner.h - Sequences that follow each other ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_SEQUENCEJOINER_H
#define REWIND_FORMATS_INTELPT_SEQUENCEJOINER_H

#include "core/formats/JoinPolicy.h"
#include "core/model/CodeSequence.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <mutex>
#include <optional>
#include <vector>

namespace rw {

/// Makes one sequence of two that often follow each other, and of that and the
/// next one: see JoinPolicy. Some nanoseconds a pair; memory is bounded.
class SequenceJoiner {
public:
  /// \p Lock is for those who add to \p Code on other threads.
  explicit SequenceJoiner(CodeTable &Code, std::mutex *Lock = nullptr)
      : Code(Code), Lock(Lock) {}

  /// The sequence of \p First and \p Second, which were executed one after the
  /// other, if there is one.
  std::optional<uint32_t> join(uint32_t First, uint32_t Second) {
    if (First < Last.size())
      for (const Decided &D : Last[First])
        if (D.Second == Second)
          return D.Joined;
    return count(First, Second);
  }

private:
  static constexpr size_t MaxPairs = size_t(1) << 18;

  std::optional<uint32_t> count(uint32_t First, uint32_t Second);
  uint32_t make(uint32_t First, uint32_t Second);

  using Key = std::pair<uint32_t, uint32_t>;
  struct Pair {
    uint32_t Times = 0;
    std::optional<uint32_t> Joined; ///< once the policy has decided
  };
  struct Decided {
    uint32_t Second = ~0u;
    std::optional<uint32_t> Joined;
  };

  CodeTable &Code;
  std::mutex *Lock;
  std::vector<uint8_t> Heat; ///< by sequence: executions, up to Hot
  std::vector<std::array<Decided, 2>> Last; ///< by first; the last ones
  llvm::DenseMap<Key, Pair> Pairs;
  JoinPolicy Policy;
};

} // namespace rw

#endif // REWIND_FORMATS_INTELPT_SEQUENCEJOINER_H
