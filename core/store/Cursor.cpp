//===- Cursor.cpp - Walking the instructions of a store -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockDecoder.h"
#include "core/store/StateCursor.h"

using namespace rw;
using namespace rw::format;

namespace {

class StoreCursor final : public StateCursor {
public:
  StoreCursor(const TraceStore::Impl &I, bool WithEffects)
      : I(I), WithEffects(WithEffects) {}

  void seek(Moment M) override {
    Next = M;
    Left = 0;
    Entered = false;
  }
  const Instruction *next() override;
  llvm::Error takeError() override { return std::move(Failed); }
  llvm::Expected<const Instruction *> at(Moment M) override;
  llvm::Error readRegister(ThreadIndex T, Moment M, RegisterSlice Slice,
                           llvm::MutableArrayRef<uint8_t> Bytes,
                           llvm::MutableArrayRef<uint8_t> Known) override;
  ~StoreCursor() override { llvm::consumeError(std::move(Failed)); }

private:
  bool enterBlock();
  bool fail(llvm::Error E) {
    Failed = llvm::joinErrors(std::move(Failed), std::move(E));
    Next = I.M.NumInstructions;
    Left = 0;
    Entered = false;
    return false;
  }
  bool step();
  bool goTo(Moment M);
  void fillEffects();

  const TraceStore::Impl &I;
  bool WithEffects;
  llvm::Error Failed = llvm::Error::success();
  Moment Next = 0;
  unsigned Left = 0;    ///< instructions left in the block
  bool Entered = false; ///< the decoder stands before Next
  SegmentView S;
  unsigned Block = 0;
  std::optional<FlowReader> Flow;
  std::optional<BlockDecoder> Decoder;
  std::optional<BlockTimes> Times;
  uint64_t Time = 0, Line = 0;
  bool FirstInBlock = false;
  llvm::SmallVector<uint64_t, 4> Positions; ///< per thread: its next position
  ByteReader ThreadIn;
  uint64_t ThreadLeft = 0;
  ThreadIndex Thread = 0;
  Instruction Out;
};

} // namespace

bool StoreCursor::enterBlock() {
  auto P = I.locate(Next);
  if (!P)
    return fail(P.takeError());
  auto Seg = I.segment(P->Segment);
  if (!Seg)
    return fail(Seg.takeError());
  S = *Seg;
  Block = P->Block;
  Left = S.blockSize(Block);
  Next -= P->Insn;
  if (WithEffects)
    Decoder.emplace(I, S, Block, BlockDecoder::Everything);
  else
    Flow.emplace(I, S, Block);
  Times.emplace(S, Block);
  Time = Times->first();
  Line = I.M.Header.Can.Lines
             ? S.Info->FirstLine + S.array<uint32_t>(S.H->BlockLines)[Block]
             : 0;
  FirstInBlock = true;
  Positions.resize(I.NumThreads);
  for (unsigned T = 0; T < I.NumThreads; ++T) {
    Positions[T] = I.Positions[size_t(S.Index) * I.NumThreads + T];
    if (S.H->NumThreads > 1 && T < S.H->NumThreads)
      Positions[T] += S.array<uint32_t>(
          S.H->ThreadStarts)[size_t(Block) * S.H->NumThreads + T];
  }
  if (S.H->NumThreads == 1)
    Positions[0] += S.blockStarts()[Block];
  Thread = 0;
  BlockStreams B(S, Block);
  ThreadIn = ByteReader(B.begin(B.Threads), B.end(B.Threads));
  ThreadLeft = S.H->NumThreads > 1 ? 0 : ~uint64_t(0);
  Entered = true;
  for (unsigned K = 0; K < P->Insn; ++K)
    if (!step())
      return false;
  return true;
}

/// Stands before \p M in its block, or behind the last instruction of the block
/// before, which is the same state.
bool StoreCursor::goTo(Moment M) {
  if (!Entered || M < Next || M - Next > Left) {
    seek(M);
    return enterBlock();
  }
  while (Next < M)
    if (!step())
      return false;
  return true;
}

/// Moves over one instruction, which Out then describes but for its effects.
bool StoreCursor::step() {
  bool Ok = WithEffects ? Decoder->next() : Flow->next();
  if (!ThreadLeft) {
    Thread = ThreadIn.byte();
    ThreadLeft = ThreadIn.varint();
    Ok &= ThreadLeft && Thread < I.NumThreads;
  }
  if (!Ok)
    return fail(I.damagedBlock(S, Block));
  --ThreadLeft;
  const Template &T = WithEffects ? Decoder->insn() : Flow->insn();
  if (!FirstInBlock)
    Time += Times->advance();
  FirstInBlock = false;
  Out.When = Next++;
  Out.Thread = Thread;
  Out.Pos = Positions[Thread]++;
  Out.Insn = {T.PC,      T.Opcode, Time,       T.Lines, T.NumRegs,
              T.NumMems, T.Size,   ISA(T.Isa), T.Flags, uint8_t(Thread)};
  Out.Line = Line;
  if (I.M.Header.Can.Lines)
    Line += T.Lines;
  --Left;
  return true;
}

void StoreCursor::fillEffects() {
  Out.Regs.clear();
  Out.Mems.clear();
  const RegShape *Sh = Decoder->regShapes();
  for (uint64_t V : Decoder->regValues()) {
    Out.Regs.push_back({V, Sh->Lane, Sh->Written, Sh->Unknown,
                        uint8_t(Sh->Thread == SameThread ? Thread : Sh->Thread),
                        Sh->Flags});
    ++Sh;
  }
  for (const DecodedMem &M : Decoder->mems()) {
    if (!(M.Shape->Flags & MemItem::Joined) || Out.Mems.empty()) {
      Out.Mems.emplace_back();
      Out.Mems.back().Addr = M.Addr;
      Out.Mems.back().Real = M.Real;
      Out.Mems.back().Flags = M.Shape->Flags & ~MemItem::Joined;
    }
    MemAccess &A = Out.Mems.back();
    const uint64_t Known = expandMask(M.Shape->Known), Value = M.Value & Known,
                   Ones = Known & 0x0101010101010101;
    const size_t Before = A.Bytes.size(), Size = M.Shape->Size;
    A.Bytes.resize_for_overwrite(Before + Size);
    A.Known.resize_for_overwrite(Before + Size);
    std::memcpy(A.Bytes.data() + Before, &Value, Size);
    std::memcpy(A.Known.data() + Before, &Ones, Size);
  }
  Out.Insn.NumRegs = uint16_t(Out.Regs.size());
  Out.Insn.NumMems = uint16_t(Out.Mems.size());
}

const Instruction *StoreCursor::next() {
  if (Next >= I.M.NumInstructions)
    return nullptr;
  if (!Left && !enterBlock())
    return nullptr;
  if (!step())
    return nullptr;
  if (WithEffects)
    fillEffects();
  return &Out;
}

std::unique_ptr<InstructionCursor> TraceStore::cursor(bool WithEffects) const {
  return std::make_unique<StoreCursor>(*I, WithEffects);
}

std::unique_ptr<StateCursor> StateCursor::open(const TraceStore &Store) {
  // All cursors of a store are of this one kind.
  return std::unique_ptr<StateCursor>(
      static_cast<StoreCursor *>(Store.cursor(/*WithEffects=*/true).release()));
}

llvm::Expected<const Instruction *> StoreCursor::at(Moment M) {
  const Instruction *In = M < I.M.NumInstructions && goTo(M) ? next() : nullptr;
  if (llvm::Error E = takeError())
    return E;
  // Moments come from tables of the store, which may lie.
  if (!In)
    return I.damaged("it tells of an instruction that it does not have");
  return In;
}

llvm::Error StoreCursor::readRegister(ThreadIndex T, Moment M,
                                      RegisterSlice Slice,
                                      llvm::MutableArrayRef<uint8_t> Bytes,
                                      llvm::MutableArrayRef<uint8_t> Known) {
  std::fill(Known.begin(), Known.end(), 0);
  if (T >= I.NumThreads)
    return llvm::Error::success();
  if (!goTo(std::min(M, I.M.NumInstructions)))
    return takeError();
  if (Decoder->damaged())
    return I.damagedBlock(S, Block);
  const uint64_t *Value = Decoder->values(T);
  const uint8_t *Mask = Decoder->known(T);
  for (unsigned K = 0; K < Slice.Size; ++K) {
    const unsigned At = Slice.Offset + K, Lane = Slice.Lane + At / 8;
    if (Lane >= I.NumLanes || !(Mask[Lane] >> (At % 8) & 1))
      continue;
    Bytes[K] = uint8_t(Value[Lane] >> (8 * (At % 8)));
    Known[K] = 1;
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<uint64_t>>
StateCursor::getRegister(ThreadIndex T, Moment M, RegisterSlice Slice) {
  uint8_t Bytes[8] = {}, Known[8];
  if (Slice.Size > 8)
    return std::nullopt;
  if (llvm::Error E =
          readRegister(T, M, Slice, {Bytes, Slice.Size}, {Known, Slice.Size}))
    return E;
  for (unsigned K = 0; K < Slice.Size; ++K)
    if (!Known[K])
      return std::nullopt;
  uint64_t V;
  std::memcpy(&V, Bytes, 8);
  return V;
}

llvm::Expected<Instruction> TraceStore::instruction(Moment M) const {
  StoreCursor C(*I, /*WithEffects=*/true);
  auto In = C.at(M);
  if (!In)
    return In.takeError();
  return **In;
}
