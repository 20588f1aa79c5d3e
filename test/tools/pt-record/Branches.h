//===- Branches.h - How x86-64 instructions change control ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_TOOLS_PT_RECORD_BRANCHES_H
#define REWIND_TEST_TOOLS_PT_RECORD_BRANCHES_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace rw::ptrecord {

enum class BranchKind : uint8_t {
  None,
  RepeatedString, ///< falls through; a single step is one repetition
  Conditional,
  DirectJump,
  DirectCall,
  IndirectJump,
  IndirectCall,
  Return,
  Far, ///< system calls, interrupts, far jumps: control leaves user mode
};

struct Branch {
  BranchKind Kind = BranchKind::None;
  uint8_t Size = 0; ///< in bytes; 0 if it is neither a branch nor CPUID
  bool IsSystemCall = false;
  bool IsCpuid = false; ///< no branch; a single step may go past the next one
  int32_t Displacement = 0; ///< of direct branches
};

/// Decodes just enough of the instruction at the beginning of \p Code (15
/// bytes, padded with zeros) to tell what Intel PT has to say about it. It
/// shares no code with Rewind's decoders, which are tested against what it
/// leads to. VEX, EVEX and three-byte opcodes never branch.
Branch classify(llvm::ArrayRef<uint8_t> Code);

} // namespace rw::ptrecord

#endif // REWIND_TEST_TOOLS_PT_RECORD_BRANCHES_H
