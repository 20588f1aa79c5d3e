//===- BlockCache.h - Code that was decoded before --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program executes the same code again and again, and a dump then has the
// same words again and again, but for the data addresses. What was decoded once
// is kept as a *code block*: a stretch of instructions up to a branch, with its
// words. Where the words come again, in the same state, the instructions are
// the same, and all there is to do is to compare and to take the addresses out.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_BLOCKCACHE_H
#define REWIND_FORMATS_HTM_BLOCKCACHE_H

#include "core/formats/htm/Instruction.h"
#include "core/support/Golden.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include <utility>
#include <vector>

namespace rw::htm {

/// Instructions that follow each other in memory, all of one processor and with
/// the same MSR, of which the last may be a branch. Lives as long as its cache.
struct alignas(64) CodeBlock {
  // For the cache only. What a match looks at is in two lines of the host's
  // cache, and Words and Steps are behind them.
  uint64_t EA = 0; ///< of the first instruction
  /// The words as they lie in the dump, those of data addresses 0, and how many
  /// others are before each pair of those and at the end.
  const uint64_t *Words = nullptr;
  const uint8_t *Steps = nullptr;
  uint32_t NumWords = 0;
  uint32_t NumData = 0;    ///< data addresses of all instructions
  bool OwnAddress = false; ///< the words tell where it is
  bool EndsFlow = false;   ///< control does not go on with what is behind it
  bool IsP10 = false;
  enum : uint8_t {
    Whole,
    Cut,      ///< something ended it before its branch
    Beginning ///< of one that was learned since, or should have been
  } Extent = Whole;
  uint32_t NumInsns = 0;
  CodeBlock *Other = nullptr;      ///< with the same key, not longer
  const CodeBlock *Longest = this; ///< the longest one that begins like this
  /// What came after it the last times, and where that begins: most branches
  /// go two ways.
  struct {
    uint64_t EA = 0;
    CodeBlock *Block = nullptr;
  } Nexts[2];
  /// Control can go there, as the dump has it.
  const CodeBlock *Successors[2] = {};

  uint32_t Id = 0; ///< from 0 on, in the order of first use
  /// Offset is from the block's first word on; Time, Context, Data and DataRA
  /// mean nothing, and ContextKnown is clear: each execution has its own.
  const Instruction *Insns = nullptr;
  const uint8_t *DataInsns = nullptr; ///< whose each data address is
  const uint8_t *Lines = nullptr;
  uint8_t NumLines = 0;
  uint64_t EntryEA = 0, EntryRA = 0; ///< if not OwnAddress
  uint64_t EndLine = 0, EndRA = 0;   ///< POWER8: the next address
  uint16_t EndMsr = 0;               ///< POWER8

  bool leadsTo(const CodeBlock *B) const {
    return Successors[0] == B || Successors[1] == B;
  }
  void addSuccessor(const CodeBlock *B) {
    Successors[1] = std::exchange(Successors[0], B);
  }
  void addNext(CodeBlock *B) {
    if (Nexts[0].Block && Nexts[0].EA != B->EA)
      Nexts[1] = Nexts[0];
    Nexts[0] = {B->EA, B};
  }
  llvm::ArrayRef<Instruction> insns() const { return {Insns, NumInsns}; }
  /// The instructions that each line of the code begins with. POWER8 has one.
  llvm::ArrayRef<uint8_t> lines() const { return {Lines, NumLines}; }
};

/// Where a data word pair of a block pointed.
struct DataPlace {
  uint64_t EA, RA;
  uint8_t PageShift; ///< as Instruction::DataPageShift
  uint32_t Walk = 0; ///< as Instruction::DataWalk
};

class BlockCache {
public:
  /// What the decoder knows when a block begins.
  struct State {
    bool P8Known = false;   ///< NextEA and Msr hold: POWER8 can go on
    bool LineKnown = false; ///< Line and LineRA hold: POWER10 can go on
    uint64_t Line = 0, LineRA = 0;
    uint64_t NextEA = 0;
    uint16_t Msr = 0;
    /// POWER8: each execution tells its real address, no block does.
    bool RealApart = false;
  };

  /// Instructions of a block, data addresses of one, and words of one at most.
  static constexpr unsigned MaxInsns = 48, MaxData = 2 * MaxInsns,
                            MaxWords = 8 * MaxInsns;

  /// The longest known block that the words at \p At, which go on to \p End,
  /// are an execution of; appends its data addresses at \p Data. Null if there
  /// is none, or if a longer one should be learned. \p Before: the block
  /// before, if nothing was between.
  CodeBlock *match(const uint64_t *At, const uint64_t *End, const State &S,
                   CodeBlock *Before, DataPlace *Data);

  /// Learns what was decoded from the words at \p At in state \p S: \p Insns,
  /// each of which ended at its \p Ends. What is beyond a jump in it is left
  /// out, and nothing is learned if there are too many blocks already.
  void learn(const uint64_t *At, const State &S,
             llvm::ArrayRef<Instruction> Insns,
             llvm::ArrayRef<const uint64_t *> Ends);

private:
  /// Bounds the memory; more code than in any dump that was seen.
  static constexpr size_t MaxLearned = size_t(1) << 18;
  /// Blocks with the same beginning that are tried.
  static constexpr unsigned MaxOthers = 16;

  /// \p W: the header of the first instruction. Code that changes is told by
  /// it.
  CodeBlock *&slot(uint64_t EA, uint64_t W) {
    return Table[golden(EA ^ W >> 24) >> 48];
  }
  static bool goesOn(CodeBlock &B, const uint64_t *At);
  /// \p Reach: if not, so many words are as they should be.
  static bool matches(const CodeBlock &B, const uint64_t *At,
                      const uint64_t *End, const State &S, DataPlace *Data,
                      uint32_t &Reach);

  llvm::BumpPtrAllocator Memory; ///< blocks, words and steps
  llvm::BumpPtrAllocator Rest;
  /// By address and header of the first instruction; chains through Other.
  std::vector<CodeBlock *> Table = std::vector<CodeBlock *>(size_t(1) << 16);
  uint32_t NumBlocks = 0;
  size_t Learned = 0; ///< instructions
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_BLOCKCACHE_H
