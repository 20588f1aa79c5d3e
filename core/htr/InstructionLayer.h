//===- InstructionLayer.h - Layer 0 of a trace ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_INSTRUCTIONLAYER_H
#define REWIND_HTR_INSTRUCTIONLAYER_H

#include "core/htr/Statistics.h"
#include "llvm/ADT/DenseMap.h"
#include <unordered_map>

namespace rw {
class TraceStore;
}

namespace rw::htr {

/// Collects the threads' instructions, in whatever order threads take turns.
/// About 3 ns per instruction.
class InstructionLayerBuilder {
public:
  InstructionLayerBuilder(unsigned NumThreads, bool HasTime);

  /// True if it is the first one at that pc.
  bool instruction(ThreadIndex T, uint64_t PC, uint64_t Time) {
    bool New = false;
    Thread &Th = Threads[T];
    BlockId B = Th.Last == NoBlock ? NoBlock : Next[Th.Last];
    if (LLVM_UNLIKELY(B == NoBlock || H.Dict.Value[B] != PC ||
                      H.Dict.Kind[B] != BlockKind::Instruction)) {
      const BlockId Known = H.Dict.size();
      B = lookUp(PC);
      New = B == Known;
      if (Th.Last != NoBlock)
        Next[Th.Last] = B;
    }
    Th.Last = B;
    Th.Units.push_back(B);
    ++Th.Instructions;
    if (HasTime)
      Th.Times.push(Time);
    return New;
  }
  /// Describes the instruction that was added last.
  void describe(InsnFacts F) {
    H.Facts.resize(H.Dict.size());
    H.Facts.back() = F;
  }
  /// Instructions of the thread are missing before its next one.
  void missing(ThreadIndex T, EventKind Why);

  /// The hierarchy with its layer 0, and the times of its places.
  std::pair<Hierarchy, TimeTable> finish();

private:
  struct Thread {
    UnitList Units;
    TimeTable Times;
    BlockId Last = NoBlock;
    uint64_t Instructions = 0;
  };
  bool HasTime;
  Hierarchy H;
  std::vector<Thread> Threads;
  std::unordered_map<uint64_t, BlockId> IdOf;
  llvm::DenseMap<unsigned, BlockId> BreakOf;
  std::vector<BlockId> Next; ///< what came after the instruction last time

  BlockId lookUp(uint64_t PC);
};

/// Reads a store's instructions front to back.
llvm::Expected<std::pair<Hierarchy, TimeTable>>
readInstructionLayer(const TraceStore &Store, const Watch &Watch = {});

} // namespace rw::htr

#endif // REWIND_HTR_INSTRUCTIONLAYER_H
