//===- X86Decoder.h - What x86-64 code does ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the bytes of an instruction alone tell, for traces that have nothing but
// the flow of control: its length, its class, which registers it reads and
// writes. The values are not known.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_X86DECODER_H
#define REWIND_ARCH_X86DECODER_H

#include "core/arch/InstructionClass.h"
#include "core/arch/RegisterFile.h"
#include "core/model/ItemBatch.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <optional>

namespace rw {

struct X86Insn {
  static constexpr unsigned MaxSize = 15;
  uint8_t Size = 0; ///< 0: no instruction, or not all of it was there
  InsnClass Class = InsnClass::Unknown;
  /// The target of a direct branch or call, relative to the end.
  std::optional<int64_t> Displacement;
  /// Lanes of namespace x86, ascending, every one with Unknown == Written. A
  /// write that depends on a condition (cmov, a masked vector) counts; so does
  /// rax of a system call, which the kernel writes. A write of a part of rflags
  /// counts for its two low bytes. The stack of x87 registers as a whole counts
  /// as written by whatever pushes or pops. Thread is 0.
  llvm::ArrayRef<RegItem> Writes;
  /// Ascending; addresses of memory operands included, rip not.
  llvm::ArrayRef<LaneBytes> Reads;

  /// What goes into InsnItem::Opcode: the first eight bytes of the instruction
  /// (all of it for most), the first one lowest.
  uint64_t Opcode = 0;
};

/// Decodes with LLVM's tables, about a microsecond each: meant to be asked once
/// for each instruction of a program, not of a trace. Not thread-safe.
class X86Decoder {
public:
  X86Decoder();
  ~X86Decoder();
  X86Decoder(X86Decoder &&) noexcept;
  X86Decoder &operator=(X86Decoder &&) noexcept;

  /// \p Bytes begin with the instruction and may go beyond it. The arrays of
  /// the answer are valid until the next call.
  X86Insn decode(llvm::ArrayRef<uint8_t> Bytes);

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_ARCH_X86DECODER_H
