//===- PPCInference.h - Register values that code implies -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_PPCINFERENCE_H
#define REWIND_ARCH_PPCINFERENCE_H

#include "core/arch/InstructionClass.h"
#include "core/arch/PPCInsn.h"
#include "core/arch/PPCOperands.h"
#include "core/model/ItemBatch.h"
#include <optional>

namespace rw {

/// What an opcode alone tells of an instruction, worked out once.
struct PPCFacts {
  /// What an instruction implies for the value of register Target. A and B are
  /// lanes.
  enum class Implies : uint8_t {
    Nothing,
    Constant,   ///< Number
    PCRelative, ///< its address + Number
    AddNumber,  ///< A + Number
    OrNumber,   ///< A | Number
    Rotated,    ///< A rotated left by B, & Number
    Sum,        ///< A + B
    Union,      ///< A | B
    Copy,       ///< A
    Link,       ///< (LR) the address after it
    Count,      ///< (CTR) one less
    LinkCount,  ///< both
  };
  static constexpr uint8_t None = 0xff;
  static constexpr unsigned MaxWrites = 7;

  uint64_t Opcode = 0; ///< with the prefix in the upper half
  int64_t Number = 0;
  LaneBytes Writes[MaxWrites] = {};
  int16_t Displacement = 0; ///< data address minus Base
  uint8_t NumWrites = 0;    ///< None: more than MaxWrites
  Implies Kind = Implies::Nothing;
  uint8_t Target = None, A = None, B = None;
  /// General register to which the data address minus Displacement is written
  /// (load or store with update), or which already is that.
  uint8_t Update = None, Base = None;
  /// LR or CTR if it goes where that points to, and leaves it as it is.
  uint8_t JumpsTo = None;
  InsnClass Class = InsnClass::Unknown;
  ppc::MemoryKind Memory;
  bool Valid = false;
};

/// Follows what POWER code does to registers where a trace has opcodes and data
/// addresses but no register values. Which registers are written is always
/// known; a value only where it follows with certainty: the link register after
/// a call, constants and what is computed from them, moves between them, the
/// base register of a load or store, the register through which was jumped.
/// All values are marked as inferred. Some nanoseconds an instruction.
class PPCInference {
public:
  PPCInference() : Cache(new PPCFacts[NumEntries]) {}

  /// Valid until the next call.
  const PPCFacts &facts(uint64_t Opcode) {
    PPCFacts &F = Cache[Opcode * 0x9e3779b97f4a7c15 >> 52];
    if (F.Opcode != Opcode || !F.Valid)
      learn(F, Opcode);
    return F;
  }
  /// Appends what the instruction writes, and follows it. \p DataEA: the
  /// address it accessed, null if the trace does not have it.
  void instruction(const PPCFacts &F, uint64_t PC, unsigned Size,
                   const uint64_t *DataEA, std::vector<RegItem> &Out) {
    if (F.Base != PPCFacts::None && DataEA)
      reveal(F.Base, *DataEA - uint64_t(int64_t(F.Displacement)), Out);
    // Most write one register, and nothing tells what.
    if (F.NumWrites == 1 && F.Kind == PPCFacts::Implies::Nothing &&
        F.Update == PPCFacts::None) {
      LaneBytes W = F.Writes[0];
      if (W.Lane < NumLanes)
        Known &= ~(uint64_t(1) << W.Lane);
      RegItem &R = Out.emplace_back();
      R.Lane = W.Lane;
      R.Written = R.Unknown = W.Mask;
    } else if (F.NumWrites) {
      writes(F, PC, Size, DataEA, Out);
    }
  }
  /// The instruction before jumped through \p Lane (PPCFacts::JumpsTo) and
  /// arrived at \p PC: appends what this tells of it, if that was not known.
  void arrived(unsigned Lane, uint64_t PC, std::vector<RegItem> &Out) {
    if (!known(Lane))
      reveal(Lane, PC, Out);
  }
  /// Appends that no register is known any more: after a gap nothing is
  /// certain.
  void forget(std::vector<RegItem> &Out);

private:
  static constexpr unsigned NumEntries = 4096;
  static constexpr unsigned NumLanes = 34; ///< r0..r31, LR, CTR

  bool known(unsigned Lane) const { return Known >> Lane & 1; }
  void learn(PPCFacts &F, uint64_t Opcode);
  void writes(const PPCFacts &F, uint64_t PC, unsigned Size,
              const uint64_t *DataEA, std::vector<RegItem> &Out);
  /// \p Lane holds \p V, though nothing was written.
  void reveal(unsigned Lane, uint64_t V, std::vector<RegItem> &Out) {
    if (known(Lane) && Value[Lane] == V)
      return;
    Known |= uint64_t(1) << Lane;
    Value[Lane] = V;
    RegItem &R = Out.emplace_back();
    R.Value = V;
    R.Lane = uint16_t(Lane);
    R.Written = 0xff;
    R.Flags = RegItem::Inferred | RegItem::NotWritten;
  }
  std::optional<uint64_t> implied(const PPCFacts &F, uint64_t PC) const;

  PPCOperands Operands;
  std::unique_ptr<PPCFacts[]> Cache;
  uint64_t Value[NumLanes] = {};
  uint64_t Known = 0; ///< bit per lane
};

} // namespace rw

#endif // REWIND_ARCH_PPCINFERENCE_H
