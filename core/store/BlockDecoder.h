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
  /// The time of an instruction that is not before the last one asked for.
  uint64_t moveTo(unsigned Insn) {
    const uint64_t N = Insn - At;
    if (N > Left)
      return moveOn(Insn);
    Time += N * Delta;
    Left -= N;
    At = Insn;
    return Time;
  }

private:
  uint64_t moveOn(unsigned Insn);

  uint64_t Base;
  ByteReader In;
  // These are for moveTo().
  ByteReader Ahead;
  uint64_t Time, Left = 0, Delta = 0;
  unsigned At = 0;
};

/// A run in a block.
struct RunSpan {
  uint32_t Run;
  uint32_t Begin; ///< first instruction in the block
};

/// The runs of a block, in order. Empty if the block is damaged.
llvm::SmallVector<RunSpan, 128> readRuns(const TraceStore::Impl &I,
                                         const SegmentView &S, unsigned Block);

/// The control flow of a block.
class FlowReader {
public:
  FlowReader(const TraceStore::Impl &I, const SegmentView &S, unsigned Block)
      : FlowReader(I, S, Block, BlockStreams(S, Block)) {}
  FlowReader(const TraceStore::Impl &I, const SegmentView &S, unsigned Block,
             const BlockStreams &B);

  /// Moves on over the next instructions, of one run and one thread: over some,
  /// \p Most at most. Their templates; empty at the end or on damage.
  llvm::ArrayRef<uint32_t> take(uint64_t Most) {
    if (!Left || !Most || ((At == End || !ThreadLeft) && !goOn()))
      return {};
    const uint64_t N = std::min({Most, uint64_t(End - At), ThreadLeft, Left});
    At += N;
    ThreadLeft -= N;
    Left -= N;
    return {At - N, N};
  }
  /// Takes the last \p N of what was taken last back.
  void putBack(uint64_t N) {
    At -= N;
    ThreadLeft += N;
    Left += N;
  }
  /// Moves to the next (at first: the first) instruction.
  bool next() {
    if (!Left || ((At == End || !ThreadLeft) && !goOn()))
      return false;
    ++At;
    --ThreadLeft;
    --Left;
    return true;
  }

  // The last instruction that was taken.
  const format::Template &insn() const { return I.Templates[At[-1]]; }
  ThreadIndex thread() const { return Thread; }
  /// How many its thread has taken in the block.
  uint64_t ofThread() const {
    return Counts.empty() ? Size - Left : Counts[Thread] - ThreadLeft;
  }
  bool damaged() const { return Damaged; }

private:
  bool goOn();

  const TraceStore::Impl &I;
  RunTokenReader Tokens;
  ByteReader ThreadIn;
  const uint32_t *At = nullptr, *End = nullptr; ///< in the run at hand
  const uint64_t Size;
  uint64_t Left;           ///< in the block
  uint64_t ThreadLeft = 0; ///< before another thread may go on
  ThreadIndex Thread = 0;
  bool Damaged = false;
  /// By thread, of the parts of the block that were begun; empty: there is one
  /// thread.
  llvm::SmallVector<uint64_t, 8> Counts;
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
  /// Begins another block. One that follows costs less.
  void enter(const SegmentView &S, unsigned Block);

  /// Decodes the next instruction and applies it to the state.
  bool next() { return advanceTo(Done + 1); }
  /// Decodes until \p Insn instructions of the block have been applied. Several
  /// at once cost much less than one after the other.
  bool advanceTo(unsigned Insn);
  /// Decodes until an instruction has accessed a byte of [Addr, Addr + Size),
  /// or \p Insn instructions have been applied: accessed() tells. Not with
  /// Registers. \p Before, if given, is called when granule() tells what was
  /// there before that.
  bool advanceToAccess(uint64_t Addr, uint64_t Size, AccessKind Kind,
                       unsigned Insn,
                       llvm::function_ref<void()> Before = nullptr);
  /// Whether an access of the last instruction is one of those.
  bool accessed(uint64_t Addr, uint64_t Size, AccessKind Kind) const;

  // The last instruction.
  const format::Template &insn() const { return Flow->insn(); }
  ThreadIndex thread() const { return Flow->thread(); }
  unsigned index() const { return Done - 1; }
  /// Values of the register effects of the instruction, in template order.
  llvm::ArrayRef<uint64_t> regValues() const {
    return llvm::ArrayRef(RegValues).take_front(Done ? insn().NumRegs : 0);
  }
  llvm::ArrayRef<DecodedMem> mems() const {
    return {Now, Done && Wanted != Registers ? insn().NumMems : size_t(0)};
  }
  const format::RegShape *regShapes() const {
    return I.Regs.data() + insn().FirstReg;
  }

  const FlowReader &flow() const { return *Flow; }
  /// Lines of all instructions that have been applied.
  uint64_t lines() const { return Lines; }
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
  /// Whether the register is not told at this detail.
  bool lacks(ThreadIndex T, unsigned Lane) const {
    return !Lacks.empty() && Lacks[size_t(T) * I.NumLanes + Lane];
  }
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
  bool damaged() const { return Damaged || Flow->damaged(); }

private:
  bool goesOnTo(const SegmentView &S, unsigned Block);
  template <Detail D, typename Stop> bool decode(unsigned Until, Stop StopsAt);
  template <Detail D>
  void decodeAccess(const format::MemShape &Sh, bool Predicted,
                    const uint64_t *Own, DecodedMem &M);
  template <Detail D>
  void decodeData(bool Predicted, const uint64_t *Own, DecodedMem &M);
  template <Detail D>
  void decodeAccesses(const format::Template &T, bool Predicted, bool After);
  template <typename Mask>
  std::optional<uint64_t> decodeCoded(const format::RegShape &Sh, Mask Of,
                                      uint64_t Before);
  void decodeRegs(const format::Template &T, bool Predicted);
  uint64_t predictDeferred(const format::Template &T,
                           const format::RegShape &Sh, uint64_t Mask,
                           size_t Lane);
  /// Where the accesses of an instruction are without Memory.
  DecodedMem *roomFor(size_t N) {
    if (Accesses.size() < N)
      Accesses.resize(N);
    return Accesses.data();
  }

  const TraceStore::Impl &I;
  const Detail Wanted;
  SegmentView Of; ///< the block is the OfBlock-th of this
  unsigned OfBlock = 0;
  std::optional<FlowReader> Flow;
  std::unique_ptr<BlockMemory> Memory; ///< if everything is wanted
  bool Damaged = false;
  unsigned Done = 0;
  uint64_t Lines = 0;
  uint64_t LastAddr = 0;
  codec::RecentValues Recent;
  std::vector<uint64_t> Values; ///< [thread][lane]
  std::vector<uint8_t> Known;
  std::vector<bool> Lacks; ///< which are not told; empty: none
  BitReader RegBits, MemBits;
  NibbleReader RegNibbles, MemNibbles;
  ByteReader RegPayload, MemPayload;
  std::vector<uint64_t> RegValues; ///< may be longer than what they are of
  DecodedMem *Now = nullptr; ///< the accesses of the last one that has any
  std::vector<DecodedMem> Accesses; ///< of roomFor()
};

} // namespace rw

#endif // REWIND_STORE_BLOCKDECODER_H
