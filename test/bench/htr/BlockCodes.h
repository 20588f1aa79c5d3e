//===- BlockCodes.h - A trace of blocks, written in few bytes ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ways that Embla's notes (section 3.1) consider to write down which blocks
// a program executed. Each is a pair of functions, so that what one of them
// reaches is known to be of a code that can be read again.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_BENCH_HTR_BLOCKCODES_H
#define REWIND_TEST_BENCH_HTR_BLOCKCODES_H

#include "core/support/Coding.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace rw::codes {

/// An executed instruction, as far as it matters here.
struct Insn {
  uint64_t PC = 0;
  uint8_t Size = 0; ///< bytes
  bool operator==(const Insn &) const = default;
};

/// A trace as blocks. A block is straight code: control came to its first
/// instruction or left behind its last one somewhere in the trace by anything
/// but going straight on, and never in between.
struct BlockTrace {
  /// By number; they are in the order of their addresses.
  std::vector<std::vector<Insn>> Blocks;
  std::vector<uint32_t> Sequence; ///< numbers of blocks, as executed
};
BlockTrace findBlocks(llvm::ArrayRef<Insn> Trace);
std::vector<Insn> expand(const BlockTrace &Trace);

/// Block descriptors: where each begins, and the sizes of its instructions.
Bytes encodeDescriptors(llvm::ArrayRef<std::vector<Insn>> Blocks);
std::vector<std::vector<Insn>> decodeDescriptors(const Bytes &In);

/// A way to write a sequence of numbers below NumBlocks. All of them write
/// varints: 7 bits to a byte.
struct Idea {
  llvm::StringLiteral Name;
  Bytes (*Encode)(llvm::ArrayRef<uint32_t> Sequence, uint32_t NumBlocks);
  std::vector<uint32_t> (*Decode)(const Bytes &In, uint32_t NumBlocks);
};
llvm::ArrayRef<Idea> ideas();

/// Bits that an arithmetic coder needs for these bytes, each by how often it
/// came before (and a half): an adaptive count of order 0.
double orderZeroBits(const Bytes &In);
/// What `zstd -19` makes of them; none if that cannot be read again.
std::optional<Bytes> zstd(const Bytes &In);

} // namespace rw::codes

#endif // REWIND_TEST_BENCH_HTR_BLOCKCODES_H
