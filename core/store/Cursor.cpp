//===- Cursor.cpp - Walking the instructions of a store -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockDecoder.h"

using namespace rw;
using namespace rw::format;

namespace {

class StoreCursor final : public InstructionCursor {
public:
  StoreCursor(const TraceStore::Impl &I, bool WithEffects)
      : I(I), WithEffects(WithEffects) {}

  void seek(Moment M) override {
    Next = M;
    Left = 0;
  }
  const Instruction *next() override;
  llvm::Error takeError() override { return std::move(Failed); }
  ~StoreCursor() override { llvm::consumeError(std::move(Failed)); }

private:
  bool enterBlock();
  bool fail(llvm::Error E) {
    Failed = llvm::joinErrors(std::move(Failed), std::move(E));
    Next = I.M.NumInstructions;
    return false;
  }
  bool step();
  void fillEffects();

  const TraceStore::Impl &I;
  bool WithEffects;
  llvm::Error Failed = llvm::Error::success();
  Moment Next = 0;
  unsigned Left = 0; ///< instructions left in the block
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
  for (unsigned K = 0; K < P->Insn; ++K)
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
    for (unsigned K = 0; K < M.Shape->Size; ++K) {
      bool Known = M.Shape->Known >> K & 1;
      A.Bytes.push_back(Known ? uint8_t(M.Value >> (8 * K)) : 0);
      A.Known.push_back(Known);
    }
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

llvm::Expected<Instruction> TraceStore::instruction(Moment M) const {
  StoreCursor C(*I, /*WithEffects=*/true);
  C.seek(M);
  const Instruction *In = C.next();
  if (llvm::Error E = C.takeError())
    return E;
  // Moments come from tables of the store, which may lie.
  if (!In)
    return I->damaged("it tells of an instruction that it does not have");
  return *In;
}
