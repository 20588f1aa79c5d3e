//===- EffectsDraft.h - Effects while they are put together -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to dataflow/. Each instruction set has a class of its own that turns
// an opcode into a draft; EffectsTable keeps it in its final form.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_EFFECTSDRAFT_H
#define REWIND_DATAFLOW_EFFECTSDRAFT_H

#include "core/arch/McTarget.h"
#include "core/dataflow/Effects.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrDesc.h"
#include <optional>

namespace rw::dataflow {

using CellList = llvm::SmallVector<CellRef, 4>;

struct EffectDraft {
  uint16_t Flags = 0;
  CellList Writes, Values, Addresses;
  /// Cells that are read in part; those that are not read do not matter.
  llvm::SmallVector<CellPart, 2> Parts;
  MemoryPart Load, Store;
  CellRef Moved;
  int64_t Addend = 0;
};

struct EffectsDraft {
  bool Varies = false;
  bool Barrier = false;
  CellList Predicate;
  llvm::SmallVector<EffectDraft, 4> Effects;

  EffectDraft &add(CellList Writes = {}, CellList Values = {},
                   uint16_t Flags = 0) {
    EffectDraft &E = Effects.emplace_back();
    E.Writes = std::move(Writes);
    E.Values = std::move(Values);
    E.Flags = Flags;
    return E;
  }
};

/// One opcode of one instruction set.
struct OpcodeQuery {
  ISA Isa = ISA::Unknown;
  uint64_t Opcode = 0;
  uint8_t ItCondition = NoItCondition;
  InsnClass Class = InsnClass::Unknown;
  llvm::ArrayRef<uint8_t> Bytes; ///< in memory order
};

class EffectsDecoder {
public:
  virtual ~EffectsDecoder() = default;
  /// False: not an instruction that it knows.
  virtual bool decode(const OpcodeQuery &Q, EffectsDraft &Out) = 0;
};

std::unique_ptr<EffectsDecoder> makeA64Effects();
std::unique_ptr<EffectsDecoder> makeArm32Effects();
std::unique_ptr<EffectsDecoder> makePPCEffects();
std::unique_ptr<EffectsDecoder> makeX86Effects();

/// Ascending, without overlaps.
void normalise(llvm::SmallVectorImpl<CellRef> &List);
/// \p List without the cells of \p Minus; both normalised.
void subtract(llvm::SmallVectorImpl<CellRef> &List,
              llvm::ArrayRef<CellRef> Minus);
inline void append(CellList &To, llvm::ArrayRef<CellRef> From) {
  To.append(From.begin(), From.end());
}

/// The registers among the operands of an instruction, as LLVM has them.
struct McOperands {
  const llvm::MCInst &Inst;
  const llvm::MCInstrDesc &Desc;

  unsigned numDefs() const {
    return std::min(Desc.getNumDefs(), Inst.getNumOperands());
  }
  bool isReg(unsigned I) const {
    return I < Inst.getNumOperands() && Inst.getOperand(I).isReg();
  }
  unsigned reg(unsigned I) const { return Inst.getOperand(I).getReg().id(); }
  bool isImm(unsigned I) const {
    return I < Inst.getNumOperands() && Inst.getOperand(I).isImm();
  }
  int64_t imm(unsigned I) const { return Inst.getOperand(I).getImm(); }
  /// The def that this use is tied to; -1 if none.
  int tiedTo(unsigned I) const {
    return I < Desc.getNumOperands()
               ? Desc.getOperandConstraint(I, llvm::MCOI::TIED_TO)
               : -1;
  }
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_EFFECTSDRAFT_H
