//===- Instruction.cpp - An instruction of a Core HTM dump ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/Instruction.h"
#include "core/arch/InstructionClass.h"
#include "core/arch/PPCInsn.h"

namespace rw::htm {

/// Branches and returns have primary opcodes 16 to 19.
static bool mayBranch(const Instruction &I) {
  return I.Opcode >> 28 == 4 && !I.has(Instruction::Prefixed);
}

bool endsFlow(const Instruction &I) {
  if (!mayBranch(I) || ppc::isConditional(I.Opcode))
    return false;
  switch (classify(ISA::PPC64, I.Opcode)) {
  case InsnClass::None:
  case InsnClass::Unknown:
  case InsnClass::SystemCall:
    return false;
  default:
    return ppc::branchTarget(I.Opcode, I.EA) != I.next();
  }
}

bool canLeadTo(const Instruction &I, uint64_t EA) {
  if (!mayBranch(I))
    return EA == I.next();
  if (std::optional<uint64_t> Target = ppc::branchTarget(I.Opcode, I.EA))
    return EA == *Target || (EA == I.next() && !endsFlow(I));
  switch (classify(ISA::PPC64, I.Opcode)) {
  case InsnClass::None:
  case InsnClass::Unknown:
  case InsnClass::SystemCall:
    return EA == I.next();
  default:
    return true;
  }
}

bool missesInLine(const Instruction &I, uint64_t EA) {
  if (canLeadTo(I, EA))
    return false;
  auto inLine = [EA](uint64_t A) { return A >> 7 == EA >> 7; };
  if (inLine(I.next()) && !endsFlow(I))
    return true;
  if (!mayBranch(I))
    return false;
  std::optional<uint64_t> Target = ppc::branchTarget(I.Opcode, I.EA);
  return Target && inLine(*Target);
}

} // namespace rw::htm
