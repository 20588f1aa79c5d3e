//===- MemoryView.h - Memory as a replay process sees it -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_MEMORYVIEW_H
#define REWIND_REPLAY_MEMORYVIEW_H

#include "core/store/StoreAnswers.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <mutex>

namespace rw {

class StateCursor;

/// What is known of memory at a moment, from three sources, best first: what
/// the trace tells of the bytes themselves, the opcodes that it shows being
/// executed, and the read-only sections of the image. Thread-safe.
class MemoryView {
public:
  explicit MemoryView(std::shared_ptr<const TraceStore> Store)
      : Store(std::move(Store)) {}

  /// A read-only section of the image, loaded at \p Addr.
  void addReadOnly(uint64_t Addr, std::vector<uint8_t> Bytes);

  /// Fills \p Bytes and \p Known (same size, 0 or 1 each) as of before \p M.
  /// Unknown bytes are left alone. \p Near: the cursor of who asks about one
  /// moment after the other; null: the store is asked.
  llvm::Error read(Moment M, uint64_t Addr,
                   llvm::MutableArrayRef<uint8_t> Bytes,
                   llvm::MutableArrayRef<uint8_t> Known,
                   StateCursor *Near = nullptr) const;

  /// What is known of \p Size bytes before the instruction at a moment, and
  /// behind it.
  struct Around {
    llvm::SmallVector<uint8_t, 16> Bytes[2], Known[2];
  };
  llvm::Expected<Around> around(Moment When, uint64_t Addr,
                                uint64_t Size) const;

private:
  const std::shared_ptr<const TraceStore> Store;
  mutable std::mutex Mutex;
  std::map<uint64_t, std::vector<uint8_t>> ReadOnly;
  mutable std::optional<std::vector<uint64_t>> PCs; ///< made at first need
};

} // namespace rw

#endif // REWIND_REPLAY_MEMORYVIEW_H
