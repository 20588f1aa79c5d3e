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
#include "core/support/Golden.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include <cassert>
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
  bool WritesMore = false; ///< nobody knows what (PPCOperands::mayWriteMore)
  bool Valid = false;
};

/// What a stretch of code does to the registers that PPCInference follows, if
/// those of Consulted that are in Known are known before it and the others of
/// them are not.
struct PPCPlan {
  enum class Kind : uint8_t {
    Constant, ///< Number
    Address,  ///< data address A + Number
    Check,    ///< that Target is data address A + Number
    Correct,  ///< as Address, if Target is something else
    Add,      ///< A + Number; A and B are lanes from here on
    Or,       ///< A | Number
    Rotate,   ///< A rotated left by B, & Number
    Sum,      ///< A + B
    Union,    ///< A | B
  };
  /// A value becomes known (but for Check). In the order in which the register
  /// effects tell values.
  struct Step {
    Kind What;
    uint8_t Target, A, B;
    uint64_t Number;
  };
  uint64_t Consulted = 0, Known = 0;
  uint64_t Determined = 0, KnownAfter = 0; ///< KnownAfter is of Determined
  llvm::SmallVector<Step, 4> Steps;
  bool Valid = true; ///< clear: it is too long
};

/// Follows what POWER code does to registers where a trace has opcodes and data
/// addresses but no register values. Which registers are written is always
/// known; a value only where it follows with certainty: the link register after
/// a call, constants and what is computed from them, moves between them, the
/// base register of a load or store, the register through which was jumped.
/// After an instruction that may write what nobody knows, nothing is. All
/// values are marked as inferred. Some nanoseconds an instruction.
class PPCInference {
public:
  /// "tbegin": where it goes on if the transaction is given up, registers are
  /// what they were then.
  static bool beginsTransaction(uint64_t Opcode) {
    return (Opcode & 0xfffffffffc0007fe) == 0x7c00051c;
  }

  static bool isVectoredCall(uint64_t Opcode) {
    return Opcode >> 26 == 17 && (Opcode & 3) == 1; // scv
  }

  PPCInference() : Cache(new PPCFacts[NumEntries]) {}

  /// Valid until the next call.
  const PPCFacts &facts(uint64_t Opcode) {
    PPCFacts &F = Cache[golden(Opcode) >> 52];
    if (F.Opcode != Opcode || !F.Valid)
      learn(F, Opcode);
    return F;
  }
  /// Appends what the instruction writes, and follows it. \p DataEA: the
  /// address it accessed, null if the trace does not have it.
  void instruction(const PPCFacts &F, uint64_t PC, unsigned Size,
                   const uint64_t *DataEA, std::vector<RegItem> &Out) {
    if (F.Base != PPCFacts::None && DataEA)
      reveal(F.Base, *DataEA, -int64_t(F.Displacement), Out);
    // Most write one register, and nothing tells what.
    if (F.NumWrites == 1 && F.Kind == PPCFacts::Implies::Nothing &&
        F.Update == PPCFacts::None && !Plan) {
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
    if (consult(Lane))
      return;
    plan(PPCPlan::Kind::Constant, Lane, PC);
    show(Lane, PC, Out);
  }
  /// The system call before (sc, or scv if \p Vectored) came back without a
  /// kernel in the trace: appends what it made of registers. By the ABI of
  /// Linux (Documentation/arch/powerpc/syscall64-abi.rst) and of hypervisors,
  /// r1, r2 and r13 to r31 are kept, and LR by sc; r3 is the result.
  void systemCall(bool Vectored, std::vector<RegItem> &Out);
  static bool isKeptBySystemCall(unsigned Lane, bool Vectored);
  /// From now on until stop(), what instruction() and arrived() do goes to \p P
  /// as well.
  void record(PPCPlan &P) {
    Plan = &P;
    P.Known = Known;
  }
  /// The number of the next data address that instruction() will be given.
  void nextAddress(uint8_t Number) { Address = Number; }
  void stop() {
    Plan->KnownAfter = Known & Plan->Determined;
    Plan->Valid &= Plan->Steps.size() <= MaxSteps;
    Plan = nullptr;
  }
  bool fits(const PPCPlan &P) const {
    return ((Known ^ P.Known) & P.Consulted) == 0;
  }
  /// Does what instruction() would do; \p P must fit. \p DataEA gives the data
  /// addresses by number. Appends the values told. False, and nothing is
  /// changed, if a register is, or is not, what it was when this was recorded.
  template <typename Fn>
  bool run(const PPCPlan &P, Fn DataEA, std::vector<uint64_t> &Out);
  /// Appends that no register is known any more: after a gap nothing is
  /// certain.
  void forget(std::vector<RegItem> &Out);

private:
  static constexpr unsigned NumEntries = 4096;
  static constexpr unsigned MaxSteps = 128; ///< of a plan
  static constexpr unsigned NumLanes = 34;  ///< r0..r31, LR, CTR

  bool known(unsigned Lane) const { return Known >> Lane & 1; }
  /// Like known(), for a caller whose result depends on the answer.
  bool consult(unsigned Lane) {
    if (Plan)
      Plan->Consulted |= uint64_t(1) << Lane & ~Plan->Determined;
    return known(Lane);
  }
  void become(unsigned Lane, uint64_t V);
  void lose(unsigned Lane);
  void plan(PPCPlan::Kind What, unsigned Target, uint64_t Number,
            unsigned A = 0, unsigned B = 0) {
    if (Plan)
      Plan->Steps.push_back(
          {What, uint8_t(Target), uint8_t(A), uint8_t(B), Number});
  }
  void learn(PPCFacts &F, uint64_t Opcode);
  void loseAll(std::vector<RegItem> &Out);
  void writes(const PPCFacts &F, uint64_t PC, unsigned Size,
              const uint64_t *DataEA, std::vector<RegItem> &Out);
  /// \p Lane holds \p Base + \p Offset, though nothing was written.
  void reveal(unsigned Lane, uint64_t Base, int64_t Offset,
              std::vector<RegItem> &Out) {
    const uint64_t V = Base + uint64_t(Offset);
    const bool Was = consult(Lane);
    if (Was && Value[Lane] == V) {
      plan(PPCPlan::Kind::Check, Lane, uint64_t(Offset), Address);
      return;
    }
    plan(Was ? PPCPlan::Kind::Correct : PPCPlan::Kind::Address, Lane,
         uint64_t(Offset), Address);
    show(Lane, V, Out);
  }
  /// \p Lane holds \p V, which was not known.
  void show(unsigned Lane, uint64_t V, std::vector<RegItem> &Out) {
    become(Lane, V);
    RegItem &R = Out.emplace_back();
    R.Value = V;
    R.Lane = uint16_t(Lane);
    R.Written = 0xff;
    R.Flags = RegItem::Inferred | RegItem::NotWritten;
  }
  std::optional<uint64_t> implied(const PPCFacts &F, uint64_t PC);

  PPCOperands Operands;
  std::unique_ptr<PPCFacts[]> Cache;
  uint64_t Value[NumLanes] = {};
  uint64_t Known = 0;      ///< bit per lane
  PPCPlan *Plan = nullptr; ///< is being recorded
  uint8_t Address = 0;     ///< number of the data address at hand
};

inline void PPCInference::become(unsigned Lane, uint64_t V) {
  Known |= uint64_t(1) << Lane;
  Value[Lane] = V;
  if (Plan)
    Plan->Determined |= uint64_t(1) << Lane;
}

inline void PPCInference::lose(unsigned Lane) {
  Known &= ~(uint64_t(1) << Lane);
  if (Plan)
    Plan->Determined |= uint64_t(1) << Lane;
}

template <typename Fn>
bool PPCInference::run(const PPCPlan &P, Fn DataEA,
                       std::vector<uint64_t> &Out) {
  assert(fits(P) && !Plan);
  const size_t First = Out.size();
  uint64_t Before[MaxSteps]; // of what the steps overwrote
  assert(P.Steps.size() <= MaxSteps);
  unsigned Done = 0;
  for (const PPCPlan::Step &S : P.Steps) {
    uint64_t V = S.Number;
    switch (S.What) {
    case PPCPlan::Kind::Constant:
      break;
    case PPCPlan::Kind::Address:
    case PPCPlan::Kind::Check:
    case PPCPlan::Kind::Correct:
      V += DataEA(S.A);
      break;
    case PPCPlan::Kind::Add:
      V += Value[S.A];
      break;
    case PPCPlan::Kind::Or:
      V |= Value[S.A];
      break;
    case PPCPlan::Kind::Rotate:
      V &= llvm::rotl(Value[S.A], int(S.B));
      break;
    case PPCPlan::Kind::Sum:
      V = Value[S.A] + Value[S.B];
      break;
    case PPCPlan::Kind::Union:
      V = Value[S.A] | Value[S.B];
      break;
    }
    const bool Same = Value[S.Target] == V;
    if (S.What == PPCPlan::Kind::Check
            ? !Same
            : S.What == PPCPlan::Kind::Correct && Same) {
      while (Done--)
        Value[P.Steps[Done].Target] = Before[Done];
      Out.resize(First);
      return false;
    }
    Before[Done++] = Value[S.Target];
    Value[S.Target] = V;
    if (S.What != PPCPlan::Kind::Check)
      Out.push_back(V);
  }
  Known = (Known & ~P.Determined) | P.KnownAfter;
  return true;
}

} // namespace rw

#endif // REWIND_ARCH_PPCINFERENCE_H
