//===- HtmStatistics.h - Counts over a dump ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_HTMSTATISTICS_H
#define REWIND_FORMATS_HTM_HTMSTATISTICS_H

#include "core/formats/htm/HtmDecoder.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace rw::htm {

/// Who ran, and what was called. Linux's and OPAL's conventions are taken for
/// granted: the kernel lies at 0xc000..., OPAL at 0x30000000, programs below
/// 0x700000000000 and libraries above; a system call's number is the last
/// constant put into r0, a hypercall's into r3.
class Statistics : public BatchSink {
public:
  llvm::Error batch(const Batch &B) override;

  uint64_t Total = 0, System = 0, Opal = 0, Bin = 0, Lib = 0;
  uint64_t user() const { return Bin + Lib; }
  uint64_t Unplaced = 0; ///< in none of the above but Total
  uint64_t Idle = 0;     ///< in the kernel's idle loop
  uint64_t ContextSwitches = 0, Exceptions = 0, OpalCalls = 0;
  uint64_t SystemCalls = 0, HyperCalls = 0;
  /// By number; ~0: not known.
  std::map<uint64_t, uint64_t> SystemCallNumbers, HyperCallNumbers;
  std::map<uint64_t, uint64_t> ExceptionVectors; ///< by offset

private:
  uint64_t Next = 0, R0 = ~uint64_t(0), R3 = ~uint64_t(0);
  uint64_t LastTimeBase = 0; ///< number of the last mftb; 0: none yet
  bool NextKnown = false, WasOpal = false;
};

/// Executions by opcode.
class InstructionMix : public BatchSink {
public:
  llvm::Error batch(const Batch &B) override;
  /// By opcode, the prefix in the upper half.
  const llvm::DenseMap<uint64_t, uint64_t> &counts();
  uint64_t Total = 0;

private:
  static constexpr unsigned NumSlots = 4096;
  struct Slot {
    uint64_t Opcode = 0, Count = 0;
  };
  void spill(Slot &S);
  std::unique_ptr<Slot[]> Slots{new Slot[NumSlots]};
  llvm::DenseMap<uint64_t, uint64_t> Counts;
};

/// Runs of instructions from where control came to where it left.
class BasicBlocks : public BatchSink {
public:
  llvm::Error batch(const Batch &B) override;
  struct Block {
    uint64_t First = 0, Last = 0; ///< addresses of instructions
    uint64_t Instructions = 0, Hits = 0;
  };
  /// Most instructions executed first.
  std::vector<Block> blocks();
  uint64_t Total = 0;

private:
  void end();
  struct Counts {
    uint64_t Instructions = 0, Hits = 0;
  };
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, Counts> Blocks;
  Block Now;
  uint64_t Next = 0;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMSTATISTICS_H
