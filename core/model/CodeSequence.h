//===- CodeSequence.h - Code that a trace only refers to --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace of nothing but control flow (Intel PT) tells which code ran, not what
// it did: each execution of a block is like the one before. Such a reader
// defines a block once, as a *sequence*, and then hands over a FlowItem for
// each execution, so that nothing is done for each instruction.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_CODESEQUENCE_H
#define REWIND_MODEL_CODESEQUENCE_H

#include "core/model/ItemBatch.h"
#include "core/model/StableVector.h"
#include "llvm/ADT/ArrayRef.h"

namespace rw {

/// The sequences of a trace, by number. One thread at a time adds; others may
/// meanwhile read sequences whose number was handed to them.
class CodeTable {
public:
  /// Adds a sequence of at most 65,535 instructions, which need not lie side by
  /// side. Flags, NumRegs and so on are as in a batch; Time and Thread are
  /// those of each execution; there are no memory accesses and Lines is 0. Of
  /// what the registers become nothing is known (Unknown equals Written).
  uint32_t add(llvm::ArrayRef<InsnItem> I, llvm::ArrayRef<RegItem> R) {
    Sequence S;
    S.FirstInsn = Insns.grow(I.size());
    S.NumInsns = uint32_t(I.size());
    S.FirstReg = Regs.grow(R.size());
    S.NumRegs = uint32_t(R.size());
    for (size_t K = 0; K < I.size(); ++K)
      Insns[S.FirstInsn + K] = I[K];
    for (size_t K = 0; K < R.size(); ++K)
      Regs[S.FirstReg + K] = R[K];
    return uint32_t(Sequences.push(S));
  }
  size_t size() const { return Sequences.size(); }

  llvm::ArrayRef<InsnItem> insns(uint32_t Id) const {
    const Sequence &S = Sequences[Id];
    return S.NumInsns ? llvm::ArrayRef(&Insns[S.FirstInsn], S.NumInsns)
                      : llvm::ArrayRef<InsnItem>();
  }
  /// The register effects of all of its instructions, in order.
  llvm::ArrayRef<RegItem> regs(uint32_t Id) const {
    const Sequence &S = Sequences[Id];
    return S.NumRegs ? llvm::ArrayRef(&Regs[S.FirstReg], S.NumRegs)
                     : llvm::ArrayRef<RegItem>();
  }

private:
  struct Sequence {
    size_t FirstInsn, FirstReg;
    uint32_t NumInsns, NumRegs;
  };
  StableVector<Sequence> Sequences;
  StableVector<InsnItem> Insns;
  StableVector<RegItem> Regs;
};

/// Turns the flow of a batch into instructions, for sinks that do not take it
/// (TraceSink::takesFlow). Costs as much as there are instructions.
inline void expandFlow(ItemBatch &Batch) {
  std::vector<uint32_t> At; // instructions before each flow item
  At.reserve(Batch.Flow.size() + 1);
  for (const FlowItem &F : Batch.Flow) {
    At.push_back(uint32_t(Batch.Insns.size()));
    for (InsnItem I : Batch.Code->insns(F.Sequence)) {
      I.Thread = F.Thread;
      I.Time = F.Time;
      Batch.Insns.push_back(I);
    }
    for (RegItem R : Batch.Code->regs(F.Sequence)) {
      R.Thread = F.Thread;
      Batch.Regs.push_back(R);
    }
  }
  At.push_back(uint32_t(Batch.Insns.size()));
  for (EventItem &E : Batch.Events)
    E.Before = At[E.Before];
  Batch.Flow.clear();
}

} // namespace rw

#endif // REWIND_MODEL_CODESEQUENCE_H
