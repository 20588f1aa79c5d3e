//===- BlockDecoder.h - Reading the blocks of a segment ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reader looks only at the streams of a block that it needs: control flow
// alone is some nanoseconds a run, registers and memory some nanoseconds an
// effect. None allocates per instruction.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_BLOCKDECODER_H
#define REWIND_STORE_BLOCKDECODER_H

#include "core/store/Codec.h"
#include "core/store/RunTokens.h"
#include "core/store/StoreImpl.h"

namespace rw {

/// Where the streams of a block are. All empty if the block is damaged.
struct BlockStreams {
  enum Stream {
    Checkpoint,
    Tokens,
    Time,
    Threads,
    RegBits,
    RegNibbles,
    RegPayload,
    MemBits,
    MemNibbles,
    MemPayload,
    NumStreams
  };
  BlockStreams(const SegmentView &S, unsigned Block);
  const uint8_t *begin(Stream S) const { return Begin[S]; }
  const uint8_t *end(Stream S) const { return Begin[S + 1]; }

private:
  const uint8_t *Begin[NumStreams + 1];
};

/// Which instructions of a block belong to which thread.
class ThreadSpans {
public:
  ThreadSpans(const SegmentView &S, unsigned Block);
  ThreadIndex at(unsigned Insn) const;
  /// Instructions of \p T among the first \p Insns of the block.
  unsigned count(ThreadIndex T, unsigned Insns) const;
  /// The \p N-th instruction of \p T; the block's size if there are not so
  /// many.
  unsigned nth(ThreadIndex T, unsigned N) const;

private:
  struct Span {
    unsigned Begin, End;
    ThreadIndex Thread;
  };
  llvm::SmallVector<Span, 8> Spans;
};

/// The times of the instructions of a block.
class BlockTimes {
public:
  BlockTimes(const SegmentView &S, unsigned Block);
  uint64_t at(unsigned Insn) const;
  /// The first instruction whose time is >= \p Time; \p Size if there is none.
  unsigned firstFrom(uint64_t Time, unsigned Size) const;
  /// The time of instruction 0, then of each next one.
  uint64_t first() const { return Base; }
  uint64_t advance(); ///< the difference to the next instruction

private:
  uint64_t Base;
  ByteReader In;
  uint64_t Left = 0, Delta = 0;
};

/// A run in a block.
struct RunSpan {
  uint32_t Run;
  uint32_t Begin; ///< first instruction in the block
};

/// The runs of a block, in order. Empty if the block is damaged.
llvm::SmallVector<RunSpan, 128> readRuns(const TraceStore::Impl &I,
                                         const SegmentView &S, unsigned Block);

/// The control flow of a block, instruction by instruction.
class FlowReader {
public:
  FlowReader(const TraceStore::Impl &I, const SegmentView &S, unsigned Block);
  /// Moves to the next (at first: the first) instruction.
  bool next();
  const format::Template &insn() const { return I.Templates[*At]; }
  uint32_t templateId() const { return *At; }
  bool damaged() const { return Damaged; }
  /// How many instructions of its run follow it in the block, and these, it
  /// included: moves on to the last of them.
  uint64_t following() const {
    return std::min<uint64_t>(uint64_t(End - At) - 1, Left);
  }
  llvm::ArrayRef<uint32_t> take(uint64_t Following) {
    llvm::ArrayRef<uint32_t> Taken(At, Following + 1);
    At += Following;
    Left -= unsigned(Following);
    return Taken;
  }

private:
  const TraceStore::Impl &I;
  RunTokenReader Tokens;
  const uint32_t *At = nullptr, *End = nullptr;
  unsigned Left;
  bool Damaged = false;
};

/// The registers of all threads before a block, each thread's NumLanes lanes
/// one after the other. Lanes that the segment does not have stay as they are.
/// False if the block is damaged.
[[nodiscard]] bool loadState(const TraceStore::Impl &I, const SegmentView &S,
                             const BlockStreams &B,
                             llvm::MutableArrayRef<uint64_t> Values,
                             llvm::MutableArrayRef<uint8_t> Known);

/// A memory access as decoded; shape and values.
struct DecodedMem {
  const format::MemShape *Shape;
  uint64_t Addr, Value, Real;
  bool LacksValue = false; ///< Value is not told at this detail
};

class BlockMemory;

/// Decodes the effects of a block in order, keeping the register state.
class BlockDecoder {
public:
  enum Detail {
    /// Registers without those that are deferred, no accesses.
    Registers,
    /// Also accesses, but not what they read and wrote.
    Addresses,
    /// All values, at the cost of looking up memory for what is deferred.
    Everything
  };
  BlockDecoder(const TraceStore::Impl &I, const SegmentView &S, unsigned Block,
               Detail Wanted);
  ~BlockDecoder();

  /// Decodes the next instruction and applies it to the state.
  bool next();
  /// Decodes until \p Insn instructions of the block have been applied.
  bool advanceTo(unsigned Insn) {
    while (Done < Insn)
      if (!next())
        return false;
    return true;
  }

  const format::Template &insn() const { return Flow.insn(); }
  ThreadIndex thread() const { return Thread; }
  unsigned index() const { return Done - 1; }
  /// Values of the register effects of the instruction, in template order.
  llvm::ArrayRef<uint64_t> regValues() const { return RegValues; }
  llvm::ArrayRef<DecodedMem> mems() const { return Mems; }
  const format::RegShape *regShapes() const {
    return I.Regs.data() + insn().FirstReg;
  }

  uint64_t *values(ThreadIndex T) {
    return Values.data() + size_t(T) * I.NumLanes;
  }
  const uint64_t *values(ThreadIndex T) const {
    return Values.data() + size_t(T) * I.NumLanes;
  }
  uint8_t *known(ThreadIndex T) {
    return Known.data() + size_t(T) * I.NumLanes;
  }
  /// What a granule of memory holds after the instruction, as BlockMemory says;
  /// only with Everything.
  const struct GranuleState *granule(uint64_t Number);
  /// Whether a register of \p T is not told at this detail.
  bool lacksRegisters(ThreadIndex T) const {
    for (unsigned L = 0; L < I.NumLanes; ++L)
      if (lacks(T, L))
        return true;
    return false;
  }
  /// Makes what is not told unknown in the lanes' \p Known masks.
  void hideLacking(ThreadIndex T, llvm::MutableArrayRef<uint8_t> Known) const {
    for (unsigned L = 0; L < I.NumLanes; ++L)
      if (lacks(T, L))
        Known[L] = 0;
  }
  bool damaged() const { return Damaged || Flow.damaged(); }

private:
  bool lacks(ThreadIndex T, unsigned Lane) const {
    return !Lacks.empty() && Lacks[size_t(T) * I.NumLanes + Lane];
  }
  uint64_t predictData(const format::MemShape &Sh, bool &LacksValue) const;
  void decodeMemsBefore(const format::Template &T, bool Predicted);
  void decodeRegs(const format::Template &T, bool Predicted);
  uint64_t predict(const format::Template &T, const format::RegShape &Sh,
                   uint64_t Mask, size_t Lane);
  void decodeMemsAfter(bool Predicted);

  const TraceStore::Impl &I;
  const SegmentView S;
  FlowReader Flow;
  const Detail Wanted;
  std::unique_ptr<BlockMemory> Memory; ///< if everything is wanted
  bool Damaged = false;
  unsigned Done = 0;
  ThreadIndex Thread = 0;
  ByteReader ThreadIn;
  uint64_t ThreadLeft = 0;
  uint64_t LastAddr = 0;
  codec::RecentValues Recent;
  std::vector<uint64_t> Values; ///< [thread][lane]
  std::vector<uint8_t> Known;
  std::vector<bool> Lacks; ///< which are not told; empty: none
  BitReader RegBits, MemBits;
  NibbleReader RegNibbles, MemNibbles;
  ByteReader RegPayload, MemPayload;
  llvm::SmallVector<uint64_t, 16> RegValues;
  llvm::SmallVector<DecodedMem, 8> Mems;
};

} // namespace rw

#endif // REWIND_STORE_BLOCKDECODER_H
