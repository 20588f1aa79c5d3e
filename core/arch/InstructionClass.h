//===- InstructionClass.h - Calls, returns, branches ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_INSTRUCTIONCLASS_H
#define REWIND_ARCH_INSTRUCTIONCLASS_H

#include "core/model/ItemBatch.h"
#include "llvm/ADT/ArrayRef.h"

namespace rw {

/// What an instruction is meant to do to the flow of control, as far as its
/// encoding tells. Whether a conditional one was taken only the next pc tells.
enum class InsnClass : uint8_t {
  Unknown,         ///< no encoding at hand, or an instruction set unknown here
  None,            ///< goes on to the next instruction
  CondBranch,      ///< direct, conditional
  Branch,          ///< direct, always
  IndirectBranch,  ///< jump through a register or memory: table, tail call, PLT
  Call,            ///< direct, leaves a return address
  IndirectCall,    ///< through a register or memory
  Return,          ///< to the caller, by the architecture's convention
  SystemCall,      ///< traps on purpose: svc, sc, syscall, hvc, smc
  ExceptionReturn, ///< eret, rfid, iret and friends
};

inline bool isCall(InsnClass C) {
  return C == InsnClass::Call || C == InsnClass::IndirectCall;
}

/// \p Opcode as in InsnItem: T32 first halfword and POWER prefix in the upper
/// half, x86-64 its first 8 bytes. Costs a few ns.
InsnClass classify(ISA Isa, uint64_t Opcode);

/// Whether it is an unconditional jump to the very next instruction: a tail
/// call, where that is another function.
bool jumpsToNext(ISA Isa, uint64_t Opcode);

/// Whether it is what compilers write when they want an instruction that does
/// nothing.
bool isNop(ISA Isa, uint64_t Opcode);

/// Whether it was executed and went to the very next instruction in memory.
inline bool isJumpToNext(const InsnItem &I) {
  return (I.Flags & InsnItem::Executed) && (I.Flags & InsnItem::OpcodeKnown) &&
         jumpsToNext(I.Isa, I.Opcode);
}

/// Whether it is a call of the very next instruction ("bl .+4"). Not on other
/// architectures, where it is how code finds out its own address.
bool callsNext(ISA Isa, uint64_t Opcode);

/// Whether \p Byte is a prefix of x86-64 that leaves open which instruction
/// follows: a legacy one (bnd and notrack among them) or REX.
bool isX86Prefix(uint8_t Byte);

/// \p Bytes begin with an x86-64 instruction and may go beyond it.
InsnClass classifyX86(llvm::ArrayRef<uint8_t> Bytes);

} // namespace rw

#endif // REWIND_ARCH_INSTRUCTIONCLASS_H
