//===- CodeSequence.h - Code that a trace only refers to --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace of control flow (Intel PT) tells which code ran, not what it did:
// each execution of a block is like the one before, or differs only in where it
// accessed memory and in a few values (Core HTM). Such a reader defines a block
// once, as a *sequence*, and then hands over a FlowItem for each execution, so
// that nothing is done for each instruction.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_CODESEQUENCE_H
#define REWIND_MODEL_CODESEQUENCE_H

#include "core/model/ItemBatch.h"
#include "core/model/NonlocalTargets.h"
#include "core/model/StableVector.h"
#include "llvm/ADT/ArrayRef.h"

namespace rw {

/// The sequences of a trace, by number. One thread at a time adds; others may
/// meanwhile read sequences whose number was handed to them.
class CodeTable {
public:
  /// Adds a sequence of at most 65,535 instructions, which need not lie side by
  /// side. Flags, NumRegs and so on are as in a batch; Time and Thread are
  /// those of each execution, and so are the values of registers and the places
  /// of accesses (ItemBatch::FlowValues, FlowPlaces). Real is 0 if each
  /// execution tells the real address of the access, and ~0 if none does. What
  /// is read or written in memory is not known (NoValue), and Lines is 0.
  uint32_t add(llvm::ArrayRef<InsnItem> I, llvm::ArrayRef<RegItem> R,
               llvm::ArrayRef<MemItem> M = {}) {
    Sequence S;
    S.FirstInsn = Insns.grow(I.size());
    S.NumInsns = uint32_t(I.size());
    S.FirstReg = Regs.grow(R.size());
    S.NumRegs = uint32_t(R.size());
    S.FirstMem = Mems.grow(M.size());
    S.NumMems = uint32_t(M.size());
    S.NumValues = 0;
    for (size_t K = 0; K < I.size(); ++K)
      Insns[S.FirstInsn + K] = I[K];
    for (size_t K = 0; K < R.size(); ++K) {
      Regs[S.FirstReg + K] = R[K];
      S.NumValues += tellsValue(R[K]);
    }
    for (size_t K = 0; K < M.size(); ++K) {
      assert(M[K].Flags & MemItem::NoValue);
      assert(M[K].Real == 0 || M[K].Real == ~uint64_t(0));
      Mems[S.FirstMem + K] = M[K];
    }
    return uint32_t(Sequences.push(S));
  }
  /// What the program's files tell besides the code; before the first batch.
  NonlocalTargets Nonlocal;

  size_t size() const { return Sequences.size(); }
  static bool tellsValue(const RegItem &R) {
    return (R.Written & ~R.Unknown) != 0;
  }

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
  /// Its accesses, in order; Addr means nothing.
  llvm::ArrayRef<MemItem> mems(uint32_t Id) const {
    const Sequence &S = Sequences[Id];
    return S.NumMems ? llvm::ArrayRef(&Mems[S.FirstMem], S.NumMems)
                     : llvm::ArrayRef<MemItem>();
  }
  /// How many of its register effects tell a value.
  uint32_t numValues(uint32_t Id) const { return Sequences[Id].NumValues; }

private:
  struct Sequence {
    size_t FirstInsn, FirstReg, FirstMem;
    uint32_t NumInsns, NumRegs, NumMems, NumValues;
  };
  StableVector<Sequence> Sequences;
  StableVector<InsnItem> Insns;
  StableVector<RegItem> Regs;
  StableVector<MemItem> Mems;
};

/// What an execution of a sequence did besides what the CodeTable tells.
struct FlowEffects {
  llvm::ArrayRef<uint64_t> Values;
  llvm::ArrayRef<FlowPlace> Places;
};

/// Hands out the effects of the executions of a batch, in order.
class FlowCursor {
public:
  explicit FlowCursor(const ItemBatch &Batch)
      : Values(Batch.FlowValues), Places(Batch.FlowPlaces) {}
  FlowEffects next(const CodeTable &Code, uint32_t Sequence) {
    return next(Code.numValues(Sequence), Code.mems(Sequence).size());
  }
  FlowEffects next(size_t NumValues, size_t NumPlaces) {
    FlowEffects E = {Values.take_front(NumValues),
                     Places.take_front(NumPlaces)};
    Values = Values.drop_front(NumValues);
    Places = Places.drop_front(NumPlaces);
    return E;
  }

private:
  llvm::ArrayRef<uint64_t> Values;
  llvm::ArrayRef<FlowPlace> Places;
};

/// Appends an execution to \p Out as instructions.
inline void expandSequence(const CodeTable &Code, const FlowItem &F,
                           const FlowEffects &Effects, ItemBatch &Out) {
  for (InsnItem I : Code.insns(F.Sequence)) {
    I.Thread = F.Thread;
    I.Time = F.Time;
    Out.Insns.push_back(I);
  }
  const uint64_t *Value = Effects.Values.data();
  for (RegItem R : Code.regs(F.Sequence)) {
    R.Thread = F.Thread;
    R.Value = CodeTable::tellsValue(R) ? *Value++ : 0;
    Out.Regs.push_back(R);
  }
  const FlowPlace *Place = Effects.Places.data();
  for (MemItem M : Code.mems(F.Sequence)) {
    M.Addr = Place->Addr;
    M.Real = Place++->Real;
    Out.Mems.push_back(M);
  }
}

/// Turns the flow of a batch into instructions, for sinks that do not take it
/// (TraceSink::takesFlow). Costs as much as there are instructions.
inline void expandFlow(ItemBatch &Batch) {
  std::vector<uint32_t> At; // instructions before each flow item
  At.reserve(Batch.Flow.size() + 1);
  FlowCursor Effects(Batch);
  for (const FlowItem &F : Batch.Flow) {
    At.push_back(uint32_t(Batch.Insns.size()));
    expandSequence(*Batch.Code, F, Effects.next(*Batch.Code, F.Sequence),
                   Batch);
  }
  At.push_back(uint32_t(Batch.Insns.size()));
  for (EventItem &E : Batch.Events)
    E.Before = At[E.Before];
  Batch.Flow.clear();
  Batch.FlowValues.clear();
  Batch.FlowPlaces.clear();
}

} // namespace rw

#endif // REWIND_MODEL_CODESEQUENCE_H
