//===- HtmStatistics.h - Counts over a dump ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_HTMSTATISTICS_H
#define REWIND_FORMATS_HTM_HTMSTATISTICS_H

#include "core/formats/htm/HtmDecoder.h"
#include "core/support/NumberMap.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace rw::htm {

/// Who ran, and what was called. Linux's and OPAL's conventions are taken for
/// granted: the kernel lies at 0xc000..., OPAL at 0x30000000, programs below
/// 0x700000000000 and libraries above; a system call's number is the last
/// constant put into r0, a hypercall's into r3.
class Statistics : public BatchSink {
public:
  bool takesBlocks() const override { return true; }
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
  enum class Space : uint8_t { System, Opal, Bin, Lib };
  static Space spaceOf(uint64_t EA);
  /// What matters of a code block.
  struct Profile {
    bool Known = false, SameSpace = true;
    Space In = Space::Bin;
    uint32_t NumInsns = 0;
    uint64_t First = 0, Next = 0;
    llvm::SmallVector<uint32_t, 2> Special; ///< instructions
    void learn(const CodeBlock &B);
  };
  void count(Space S, uint64_t Instructions);
  void arrive(uint64_t EA, Space S);
  void special(const Instruction &I, uint64_t Number);
  void instruction(const Instruction &I);
  void execution(const CodeBlock &B);

  std::vector<Profile> Profiles; ///< by number of the block
  uint64_t Next = 0, R0 = ~uint64_t(0), R3 = ~uint64_t(0);
  uint64_t LastTimeBase = 0; ///< number of the last mftb; 0: none yet
  bool NextKnown = false, WasOpal = false;
};

/// How often blocks were executed.
class BlockCounts {
public:
  void add(const CodeBlock &B) {
    if (B.Id >= Counts.size())
      Counts.resize(std::max<size_t>(B.Id + 1, 2 * Counts.size()));
    Counts[B.Id].first = &B;
    ++Counts[B.Id].second;
  }
  /// Calls \p F for each block, and forgets them.
  void take(llvm::function_ref<void(const CodeBlock &, uint64_t)> F) {
    for (auto [B, Count] : Counts)
      if (Count)
        F(*B, Count);
    Counts.clear();
  }

private:
  std::vector<std::pair<const CodeBlock *, uint64_t>> Counts;
};

/// Executions by opcode.
class InstructionMix : public BatchSink {
public:
  bool takesBlocks() const override { return true; }
  llvm::Error batch(const Batch &B) override;
  void finish() override;
  /// By opcode, the prefix in the upper half; after the dump's end.
  const NumberMap<uint64_t> &counts() const { return Counts; }
  uint64_t Total = 0;

private:
  static constexpr unsigned NumSlots = 4096;
  struct Slot {
    uint64_t Opcode = 0, Count = 0;
  };
  void spill(Slot &S);
  void add(const Instruction &I, uint64_t Count);
  BlockCounts Blocks;
  std::unique_ptr<Slot[]> Slots{new Slot[NumSlots]};
  NumberMap<uint64_t> Counts;
};

/// Runs of instructions from where control came to where it left.
class BasicBlocks : public BatchSink {
public:
  bool takesBlocks() const override { return true; }
  llvm::Error batch(const Batch &B) override;
  void finish() override;
  struct Block {
    uint64_t First = 0, Last = 0; ///< addresses of instructions
    uint64_t Instructions = 0, Hits = 0;
  };
  /// Most instructions executed first; after the dump's end.
  std::vector<Block> blocks();
  uint64_t Total = 0;

private:
  enum : uint8_t { Unknown, No, Yes };
  void end();
  void instruction(const Instruction &I);
  void execution(const CodeBlock &B);
  std::vector<uint8_t> IsWhole; ///< by code block: it is a block by itself
  BlockCounts Whole;
  struct Counts {
    uint64_t Instructions = 0, Hits = 0;
  };
  llvm::DenseMap<std::pair<NumberKey, NumberKey>, Counts> Blocks;
  Block Now;
  uint64_t Next = 0;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMSTATISTICS_H
