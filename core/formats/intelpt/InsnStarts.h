//===- InsnStarts.h - Where the instructions of functions begin -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packets that lead into the middle of an instruction are wrong. To say so, one
// has to know where instructions begin. A function that symbols or unwind
// tables tell is decoded from its first byte to its last, and is understood if
//  1. all of it is code that ends where the function does;
//  2. each direct branch within it goes to an instruction, or just beyond the
//     prefixes of one: "je .+3; lock cmpxchg" skips the prefix on purpose.
// So there is no claim about functions with data in them, or with code that is
// meant to be read in two ways.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_INSNSTARTS_H
#define REWIND_FORMATS_INTELPT_INSNSTARTS_H

#include "core/arch/X86Decoder.h"
#include "core/formats/intelpt/Image.h"
#include "core/support/NumberMap.h"
#include "llvm/ADT/BitVector.h"

namespace rw::intelpt {

/// Not thread-safe.
class InsnStarts {
public:
  explicit InsnStarts(const Image &Code) : Code(Code) {}

  /// The instruction that \p IP lies inside of. Empty: it is the first byte of
  /// one, or nobody knows. Decodes a function when it is asked for first, which
  /// takes a microsecond for each of its instructions.
  std::optional<uint64_t> around(uint64_t IP, X86Decoder &Decoder);

private:
  /// Tells of each byte whether an instruction begins there; empty if it is not
  /// understood.
  llvm::BitVector understand(const FunctionRange &F, X86Decoder &Decoder) const;
  bool isPrefixes(uint64_t Begin, uint64_t End) const;

  const Image &Code;
  NumberMap<llvm::BitVector> Known; ///< by a function's address
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_INSNSTARTS_H
