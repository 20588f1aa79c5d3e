//===- EncodingFacts.h - What encodings tell --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_ENCODINGFACTS_H
#define REWIND_ARCH_ENCODINGFACTS_H

#include "core/model/ItemBatch.h"
#include <array>
#include <memory>
#include <optional>

namespace rw {

/// What an instruction may do, whether or not it did.
struct EncodingFacts {
  bool WritesMemory = false;      ///< not what a call leaves for the return
  std::optional<uint64_t> Target; ///< of a direct branch or call
  /// General registers, bit n for number n, and bit 32 for POWER's counter.
  /// Those that all of a function shares (pointers to its stack, frame, table
  /// of contents, thread) are not among them. A call writes what the callee
  /// need not preserve.
  uint64_t Reads = 0, Writes = 0;
};

/// Reads encodings with LLVM's MC layer. Makes what it needs at the first use
/// of an instruction set (some milliseconds); then about a microsecond each.
/// Not thread-safe.
class EncodingReader {
public:
  EncodingReader();
  ~EncodingReader();

  /// None: the encoding is not known, to the trace or to LLVM.
  std::optional<EncodingFacts> read(const InsnItem &I);

private:
  struct Target;
  std::array<std::unique_ptr<Target>, 2 * 8> Targets; ///< by ISA and fallback
};

} // namespace rw

#endif // REWIND_ARCH_ENCODINGFACTS_H
