//===- CodeCache.h - What follows from the code, worked out once *- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_CODECACHE_H
#define REWIND_COMMANDS_SUPPORT_CODECACHE_H

#include "core/model/ItemBatch.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <tuple>

namespace rw {

/// Keeps a \p T for each instruction of the program: whatever follows from its
/// address, its opcode, whether it was executed, and by which thread. For as
/// long as a command runs: names may change later.
template <typename T> class CodeCache {
public:
  /// Valid until the next call. \p Make makes it from \p I if it is new.
  template <typename F> T &of(const InsnItem &I, F Make) {
    const Key K(I.PC, I.Opcode,
                uint32_t(I.Thread) << 24 | uint32_t(I.Isa) << 16 |
                    uint32_t(I.Size) << 8 | I.Flags);
    if (Last && K == LastKey)
      return *Last;
    // Memory is bounded, however large the program is.
    if (Made.size() == Most)
      Made.clear();
    auto &It = Made[K];
    if (!It)
      It = std::make_unique<T>(Make(I));
    LastKey = K;
    Last = It.get();
    return *Last;
  }

private:
  using Key = std::tuple<uint64_t, uint64_t, uint32_t>;
  static constexpr size_t Most = 1 << 15;
  llvm::DenseMap<Key, std::unique_ptr<T>> Made;
  Key LastKey;
  T *Last = nullptr;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_CODECACHE_H
