//===- CopyChain.h - A value followed back through copies -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is followed from where it is back to where it was made, through
// moves, loads and stores. What an instruction copies is read from its text,
// and believed only if the values that the trace tells agree. What it computes
// from is told by its encoding (core/dataflow), as `rewind deps` has it. Copies
// of x86-64, whose traces tell no values, are not followed.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_QUESTIONS_COPYCHAIN_H
#define REWIND_COMMANDS_QUESTIONS_COPYCHAIN_H

#include "commands/support/Access.h"

namespace rw {

enum class OriginKind : uint8_t {
  Computed,    ///< by the last link's instruction
  Constant,    ///< in the last link's instruction
  Call,        ///< the return address of a call
  Outside,     ///< first seen by a read: written before the trace or outside it
  Initial,     ///< told by the trace before its first instruction
  Image,       ///< in a read-only section
  Semihosting, ///< the answer of a semihosting call
  System,      ///< the system's answer to a call
  Pieces,      ///< written by several instructions
  Unknown,     ///< nothing tells
  Limit,       ///< the chain was cut: --count, or interrupted
};

struct ChainLink {
  Location Where; ///< what the instruction wrote (or, of a read, what it saw)
  Instruction By;
  std::string How; ///< "loaded from [0x1000, 8 bytes]"
  Value What;      ///< the value there after the instruction
};

struct CopyChain {
  Location Start;
  Value What;
  std::vector<ChainLink> Links; ///< newest first
  OriginKind End = OriginKind::Unknown;
  std::string Reason; ///< what a person should read about the end
};

llvm::StringRef originName(OriginKind K);

/// Follows the value that \p L has before \p When, over at most \p Limit links.
llvm::Expected<CopyChain> followBack(Session &S, const Location &L, Moment When,
                                     uint64_t Limit);

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_COPYCHAIN_H
