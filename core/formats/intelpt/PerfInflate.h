//===- PerfInflate.h - Records that perf record -z has packed ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PERFINFLATE_H
#define REWIND_FORMATS_INTELPT_PERFINFLATE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace rw::intelpt::perf {

/// All compressed records of a file are one zstd stream. What it holds are
/// records again, which need not end where a compressed one does.
class Inflater {
public:
  /// \p MaxBytes: no compressed record holds more (HEADER_COMPRESSED tells how
  /// long a buffer of perf was).
  explicit Inflater(uint64_t MaxBytes);
  ~Inflater();

  /// Unpacks one compressed record, and calls \p Found with each record that is
  /// complete now. Errors do not say where.
  llvm::Error
  add(llvm::ArrayRef<uint8_t> Packed,
      llvm::function_ref<llvm::Error(llvm::ArrayRef<uint8_t>)> Found);
  /// How much of a record waits for its end.
  size_t rest() const { return Waiting.size(); }

private:
  struct Stream;
  const uint64_t MaxBytes;
  std::unique_ptr<Stream> In;
  std::vector<uint8_t> Waiting;
};

} // namespace rw::intelpt::perf

#endif // REWIND_FORMATS_INTELPT_PERFINFLATE_H
