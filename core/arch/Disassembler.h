//===- Disassembler.h - Instructions as text --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_DISASSEMBLER_H
#define REWIND_ARCH_DISASSEMBLER_H

#include "core/arch/ItBlock.h"
#include "core/model/ItemBatch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>
#include <vector>

namespace rw {

/// The bytes in memory of an instruction's logical opcode (see
/// InsnItem::Opcode). Instructions of A64, A32, T32 and x86-64 are taken to be
/// little-endian, of PPC64 big-endian. Not for x86-64 beyond 8 bytes.
llvm::SmallVector<uint8_t, 16> opcodeBytes(ISA Isa, uint64_t Opcode,
                                           unsigned Size);

/// Prints instructions with LLVM's MC layer, branch targets as addresses. Makes
/// what it needs at the first use of an instruction set (some milliseconds);
/// then about a microsecond each. One per user: not thread-safe.
class Disassembler {
public:
  Disassembler();
  ~Disassembler();
  Disassembler(Disassembler &&) noexcept;
  Disassembler &operator=(Disassembler &&) noexcept;

  /// "ldr x1, [sp, #8]"; empty if the bytes are no instruction. \p It: for T32,
  /// the condition of the IT block that it is in.
  std::string text(ISA Isa, llvm::ArrayRef<uint8_t> Bytes, uint64_t PC,
                   uint8_t It = NoItCondition);
  /// The text of an instruction of a trace; empty if its opcode is not known.
  std::string text(const InsnItem &Insn);

private:
  std::string powerText(llvm::ArrayRef<uint8_t> Bytes, uint64_t PC);
  struct Target;
  Target *target(ISA Isa, bool Fallback);
  std::vector<std::unique_ptr<Target>> Targets; ///< by ISA
};

} // namespace rw

#endif // REWIND_ARCH_DISASSEMBLER_H
