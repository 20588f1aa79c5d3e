//===- HtmToQtrace.cpp - From dumps to Qtrace files -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmToQtrace.h"
#include "core/arch/InstructionClass.h"
#include "core/arch/PPCInsn.h"

using namespace llvm;

namespace rw::htm {

inline void QtraceSink::place(qtrace::RealAddress &Out, uint64_t RA,
                              uint8_t PageShift, uint32_t Walk) const {
  Out.RA = RA;
  Out.PageShift = PageShift;
  Out.Walk = Translation && Walk ? Translation->find(Walk) : nullptr;
}

/// Only what can end the line of control is a branch: not isel, mtmsr or stop,
/// though the dump calls them so.
static bool isBranch(uint32_t Opcode) {
  // All others have another primary opcode than 16 to 19.
  if (Opcode >> 28 != 4)
    return false;
  switch (classify(ISA::PPC64, Opcode)) {
  case InsnClass::None:
  case InsnClass::Unknown:
    return false;
  default:
    return true;
  }
}

Error QtraceSink::batch(const Batch &B) {
  qtrace::Insn Q;
  for (const Instruction &I : B.Instructions) {
    if (LLVM_UNLIKELY(!fits(I)))
      continue;
    ++Written;
    Q.EA = I.EA;
    Q.Opcode = I.Opcode;
    Q.Prefix = I.Prefix;
    Q.Prefixed = I.has(Instruction::Prefixed);
    Q.Branch = !Q.Prefixed && isBranch(I.Opcode);
    Q.Conditional = Q.Branch && ppc::isConditional(I.Opcode);
    Q.HasData = I.NumData != 0;
    place(Q.Real, I.RA, I.PageShift, I.Walk);
    if (Q.HasData) {
      Q.DataEA = I.Data[0];
      place(Q.DataReal, I.DataRA[0], I.DataPageShift[0], I.DataWalk[0]);
    }
    Writer.add(Q);
  }
  return Error::success();
}

} // namespace rw::htm
