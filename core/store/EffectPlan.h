//===- EffectPlan.h - What instructions do, looked up once ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_EFFECTPLAN_H
#define REWIND_STORE_EFFECTPLAN_H

#include "core/store/Dictionary.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>

namespace rw {

/// One step of what an instruction does, in a segment where it is known whether
/// its predictions hold.
struct EffectOp {
  enum : uint8_t {
    Forget, ///< a register effect that tells nothing
    Tell,   ///< a register effect that tells a value
    Access, ///< where an access went
    Data    ///< the value of an access
  } Kind;
  uint8_t Written, Unknown; ///< bytes of the lane
  uint8_t Thread;           ///< whose lane it is, or SameThread
  bool Frozen;              ///< predictions hold
  bool Dirties; ///< the lane changes, even if nothing was known of it
  /// An instruction's register codes, or those of its accesses, are complete.
  bool EndsRegs, EndsMems;
  uint16_t Lane;
  /// The lane that the prediction begins with; or NoLane, FromMemory or
  /// FromFloats.
  uint16_t Source;
  uint32_t Insn; ///< of the run
  /// Forget: what stays. Tell: what is told.
  uint64_t Mask;
  /// Added to the source. Data: the number of the access.
  uint64_t Offset;
  union {
    const format::RegShape *Reg;
    const format::MemShape *Mem;
  };
};

/// What a run does.
struct RunPlan {
  struct LaneUse {
    uint16_t Lane;
    uint8_t Written;
    bool Dirties; ///< of some effect
  };
  bool Executed = false; ///< a plan is only worth it the second time
  bool Made = false;
  /// All of its instructions are simple. Else there is nothing below.
  bool Simple = false;
  uint16_t MarkedThread = 0;
  uint32_t MarkedBlock = ~0u; ///< the last in which its lanes were marked
  uint32_t FirstOp = 0, NumOps = 0;
  llvm::SmallVector<LaneUse, 8> Lanes;
};

/// The plans of a segment.
class EffectPlans {
public:
  EffectPlans(const TemplateTable &T, uint32_t Segment, size_t NumTemplates)
      : T(T), Segment(Segment), PlanOf(NumTemplates) {}

  /// Runs are \p NumRuns; nothing is ever told of lanes that are not \p Told.
  void begin(size_t NumRuns, std::vector<bool> Told) {
    Runs.resize(NumRuns);
    ToldLanes = std::move(Told);
  }
  /// What the instruction of a template does, in order: addresses and written
  /// data, from the state before; registers, each of which sees the ones
  /// before; data that is read. Holds until the next plan is made.
  llvm::ArrayRef<EffectOp> insn(uint32_t Id) {
    const InsnPlan &P = plan(Id);
    return llvm::ArrayRef(Ops).slice(P.FirstOp, P.NumOps);
  }
  /// The plan of a run with these templates, from its second execution on.
  /// Else null, and nothing is lost by that: executed one by one, its
  /// instructions do the same.
  RunPlan *simpleRun(uint32_t Number, llvm::ArrayRef<uint32_t> Ids) {
    RunPlan &P = Runs[Number];
    if (!P.Made && std::exchange(P.Executed, true))
      make(P, Ids);
    return P.Simple ? &P : nullptr;
  }
  llvm::ArrayRef<EffectOp> ops(const RunPlan &P) const {
    return llvm::ArrayRef(RunOps).slice(P.FirstOp, P.NumOps);
  }

private:
  struct InsnPlan {
    uint32_t FirstOp = 0, NumOps = 0;
    /// Its registers are its own thread's, its accesses have no values, and no
    /// prediction needs anything but lanes.
    bool Simple = true;
  };
  const InsnPlan &plan(uint32_t Id) {
    if (!PlanOf[Id])
      make(Id);
    return Insns[PlanOf[Id] - 1];
  }
  void make(uint32_t Id);
  void make(RunPlan &P, llvm::ArrayRef<uint32_t> Ids);
  void append(uint32_t Id, uint32_t Insn, RunPlan &P);
  bool isTold(unsigned Lane) const {
    return Lane < ToldLanes.size() && ToldLanes[Lane];
  }

  const TemplateTable &T;
  const uint32_t Segment;
  std::vector<uint32_t> PlanOf; ///< by template: 1 + its index; 0: none yet
  std::vector<InsnPlan> Insns;
  std::vector<EffectOp> Ops; ///< of all templates
  std::vector<RunPlan> Runs; ///< by number
  std::vector<EffectOp> RunOps;
  std::vector<bool> ToldLanes;
};

} // namespace rw

#endif // REWIND_STORE_EFFECTPLAN_H
