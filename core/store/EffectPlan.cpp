//===- EffectPlan.cpp - What instructions do, looked up once --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/EffectPlan.h"
#include "core/store/Codec.h"
#include "llvm/ADT/STLExtras.h"

using namespace rw;
using namespace rw::format;

void EffectPlans::make(uint32_t Id) {
  const Template &Tm = T[Id];
  const bool Frozen = T.frozen(Id, Segment);
  const bool Effective = Tm.TellsRegs || Tm.NumMems;
  InsnPlan P;
  P.FirstOp = uint32_t(Ops.size());
  auto add = [&](auto Kind) -> EffectOp & {
    EffectOp &O = Ops.emplace_back();
    O.Kind = Kind;
    O.Frozen = Frozen;
    return O;
  };
  auto data = [&](unsigned Mem, bool Writes) {
    const MemShape &Sh = T.mem(Tm.FirstMem + Mem);
    if (!Sh.Known || bool(Sh.Flags & MemItem::Write) != Writes)
      return;
    P.Simple = false;
    EffectOp &O = add(EffectOp::Data);
    O.Offset = Mem;
    O.Mem = &Sh;
  };
  for (unsigned I = 0; I < Tm.NumMems; ++I) {
    const MemShape &Sh = T.mem(Tm.FirstMem + I);
    EffectOp &O = add(EffectOp::Access);
    O.Source = Frozen ? Sh.AddrSource : NoLane;
    O.Offset = Frozen ? uint64_t(Sh.AddrOffset) : 0;
    O.Mem = &Sh;
    data(I, /*Writes=*/true);
  }
  for (unsigned I = 0; I < Tm.NumRegs; ++I) {
    const RegShape &Sh = T.reg(Tm.FirstReg + I);
    P.Simple &= Sh.Thread == SameThread && !(Frozen && codec::isDeferred(Sh));
    const uint8_t Tells = Sh.Written & ~Sh.Unknown;
    EffectOp &O = add(Tells ? EffectOp::Tell : EffectOp::Forget);
    O.Written = Sh.Written;
    O.Unknown = Sh.Unknown;
    O.Thread = Sh.Thread;
    O.Dirties = Effective;
    O.Lane = Sh.Lane;
    O.Source = Frozen && Tells ? Sh.Source : NoLane;
    O.Offset = Frozen ? uint64_t(Sh.Offset) : 0;
    O.Mask = Tells ? expandMask(Tells) : ~expandMask(Sh.Written);
    O.Reg = &Sh;
  }
  for (unsigned I = 0; I < Tm.NumMems; ++I)
    data(I, /*Writes=*/false);
  if (Effective) {
    Ops.back().EndsRegs = Tm.TellsRegs;
    Ops.back().EndsMems = Tm.NumMems != 0;
  }
  P.NumOps = uint32_t(Ops.size()) - P.FirstOp;
  Insns.push_back(P);
  PlanOf[Id] = uint32_t(Insns.size());
}

/// Adds a simple instruction to a run.
void EffectPlans::append(uint32_t Id, uint32_t Insn, RunPlan &P) {
  for (const EffectOp &O : insn(Id)) {
    if (O.Kind != EffectOp::Access) {
      auto Use = llvm::find_if(
          P.Lanes, [&](const RunPlan::LaneUse &U) { return U.Lane == O.Lane; });
      if (Use == P.Lanes.end()) {
        P.Lanes.push_back({O.Lane, O.Written, O.Dirties});
      } else {
        Use->Written |= O.Written;
        Use->Dirties |= O.Dirties;
      }
      // What is never told need not be forgotten.
      if (!isTold(O.Lane)) {
        if (O.EndsRegs || O.EndsMems) {
          RunOps.back().EndsRegs = O.EndsRegs;
          RunOps.back().EndsMems = O.EndsMems;
        }
        continue;
      }
    }
    RunOps.push_back(O);
    RunOps.back().Insn = Insn;
  }
}

void EffectPlans::make(RunPlan &P, llvm::ArrayRef<uint32_t> Ids) {
  P.Made = true;
  P.Simple = llvm::all_of(Ids, [&](uint32_t Id) { return plan(Id).Simple; });
  P.FirstOp = uint32_t(RunOps.size());
  for (uint32_t I = 0; P.Simple && I < Ids.size(); ++I)
    append(Ids[I], I, P);
  P.NumOps = uint32_t(RunOps.size()) - P.FirstOp;
}
