//===- BlockDecoder.cpp - Reading the blocks of a segment -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockDecoder.h"
#include "core/store/BlockMemory.h"
#include "core/store/Codec.h"
#include "core/store/FloatOps.h"
#include "core/store/TraceStore.h"

using namespace rw;
using namespace rw::format;

BlockStreams::BlockStreams(const SegmentView &S, unsigned Block) {
  const uint32_t *Offsets = S.array<uint32_t>(S.H->BlockOffsets);
  const uint8_t *End = S.Data + Offsets[Block + 1];
  ByteReader In(S.Data + Offsets[Block], End);
  uint64_t Sizes[NumStreams];
  for (uint64_t &Size : Sizes)
    Size = In.varint();
  const uint8_t *P = In.position();
  for (unsigned K = 0; K < NumStreams; ++K) {
    Begin[K] = P;
    if (In.failed() || Sizes[K] > uint64_t(End - P)) {
      std::fill(std::begin(Begin), std::end(Begin), End);
      return;
    }
    P += Sizes[K];
  }
  Begin[NumStreams] = P;
}

ThreadSpans::ThreadSpans(const SegmentView &S, unsigned Block) {
  unsigned Size = S.blockSize(Block), At = 0;
  if (S.H->NumThreads > 1) {
    BlockStreams B(S, Block);
    ByteReader In(B.begin(B.Threads), B.end(B.Threads));
    while (At < Size && !In.atEnd()) {
      ThreadIndex T = In.byte();
      unsigned N = unsigned(std::min<uint64_t>(In.varint(), Size - At));
      Spans.push_back({At, At + N, T});
      At += N;
    }
  }
  if (At < Size)
    Spans.push_back({At, Size, 0});
}

ThreadIndex ThreadSpans::at(unsigned Insn) const {
  for (const Span &S : Spans)
    if (Insn < S.End)
      return S.Thread;
  return Spans.empty() ? 0 : Spans.back().Thread;
}

unsigned ThreadSpans::count(ThreadIndex T, unsigned Insns) const {
  unsigned N = 0;
  for (const Span &S : Spans)
    if (S.Thread == T && S.Begin < Insns)
      N += std::min(S.End, Insns) - S.Begin;
  return N;
}

unsigned ThreadSpans::nth(ThreadIndex T, unsigned N) const {
  for (const Span &S : Spans) {
    if (S.Thread != T)
      continue;
    if (N < S.End - S.Begin)
      return S.Begin + N;
    N -= S.End - S.Begin;
  }
  return Spans.empty() ? 0 : Spans.back().End;
}

BlockTimes::BlockTimes(const SegmentView &S, unsigned Block)
    : Base(S.array<uint64_t>(S.H->BlockTimes)[Block]) {
  BlockStreams B(S, Block);
  In = ByteReader(B.begin(B.Time), B.end(B.Time));
}

uint64_t BlockTimes::advance() {
  if (!Left) {
    Left = In.varint();
    Delta = In.varint();
    if (!Left)
      return 0;
  }
  --Left;
  return Delta;
}

uint64_t BlockTimes::at(unsigned Insn) const {
  ByteReader R = In;
  uint64_t T = Base;
  while (Insn && !R.atEnd()) {
    uint64_t N = std::min<uint64_t>(R.varint(), Insn);
    T += N * R.varint();
    Insn -= unsigned(N);
  }
  return T;
}

unsigned BlockTimes::firstFrom(uint64_t Time, unsigned Size) const {
  ByteReader R = In;
  uint64_t T = Base;
  unsigned At = 0;
  while (T < Time && !R.atEnd()) {
    uint64_t N = R.varint(), D = R.varint();
    uint64_t Need = D ? (Time - T + D - 1) / D : N + 1;
    if (Need <= N)
      return std::min(At + unsigned(Need), Size);
    At += unsigned(N);
    T += N * D;
  }
  return T < Time ? Size : std::min(At, Size);
}

llvm::SmallVector<RunSpan, 128>
rw::readRuns(const TraceStore::Impl &I, const SegmentView &S, unsigned Block) {
  llvm::SmallVector<RunSpan, 128> Runs;
  BlockStreams B(S, Block);
  RunTokenReader Tokens(B.begin(B.Tokens), B.end(B.Tokens));
  unsigned At = 0, Size = S.blockSize(Block);
  while (At < Size) {
    uint32_t R = Tokens.next();
    if (R >= I.RunLanes.size() || I.RunStarts[R] == I.RunStarts[R + 1]) {
      Runs.clear();
      return Runs;
    }
    Runs.push_back({R, At});
    At += I.RunStarts[R + 1] - I.RunStarts[R];
  }
  if (At != Size)
    Runs.clear();
  return Runs;
}

FlowReader::FlowReader(const TraceStore::Impl &I, const SegmentView &S,
                       unsigned Block)
    : I(I), Tokens(nullptr, nullptr), Left(S.blockSize(Block)) {
  BlockStreams B(S, Block);
  Tokens = RunTokenReader(B.begin(B.Tokens), B.end(B.Tokens));
}

bool FlowReader::next() {
  if (!Left)
    return false;
  if (!At || ++At == End) {
    uint32_t R = Tokens.next();
    if (R >= I.RunLanes.size() || I.RunStarts[R] == I.RunStarts[R + 1]) {
      Damaged = true;
      Left = 0;
      return false;
    }
    At = I.RunTemplates.data() + I.RunStarts[R];
    End = I.RunTemplates.data() + I.RunStarts[R + 1];
  }
  --Left;
  return true;
}

bool rw::loadState(const TraceStore::Impl &I, const SegmentView &S,
                   const BlockStreams &B,
                   llvm::MutableArrayRef<uint64_t> Values,
                   llvm::MutableArrayRef<uint8_t> Known) {
  const SegmentHeader &H = *S.H;
  size_t N = std::min<size_t>(H.NumLanes, I.NumLanes);
  const uint64_t *V = S.array<uint64_t>(H.SnapshotValue);
  const uint8_t *K = S.array<uint8_t>(H.SnapshotKnown);
  for (unsigned T = 0; T < H.NumThreads; ++T) {
    std::memcpy(Values.data() + size_t(T) * I.NumLanes,
                V + size_t(T) * H.NumLanes, N * 8);
    std::memcpy(Known.data() + size_t(T) * I.NumLanes,
                K + size_t(T) * H.NumLanes, N);
  }
  // See Encoder::checkpoint for the layout.
  const uint32_t *Changed = S.array<uint32_t>(H.Changed);
  const uint8_t *Bits = B.begin(B.Checkpoint), *End = B.end(B.Checkpoint);
  size_t BitBytes = (H.NumChanged + 7) / 8;
  if (BitBytes > size_t(End - Bits))
    return false;
  unsigned Dirty = 0;
  for (size_t K2 = 0; K2 < BitBytes; ++K2)
    Dirty += unsigned(std::popcount(Bits[K2]));
  size_t NibbleBytes = (Dirty + 1) / 2;
  const uint8_t *NibbleBegin = Bits + BitBytes;
  if (NibbleBytes > size_t(End - NibbleBegin))
    return false;
  NibbleReader Codes(NibbleBegin, NibbleBegin + NibbleBytes);
  ByteReader Payload(NibbleBegin + NibbleBytes, End);
  for (size_t Byte = 0; Byte < BitBytes; ++Byte)
    for (unsigned Left = Bits[Byte]; Left; Left &= Left - 1) {
      size_t C = Byte * 8 + unsigned(std::countr_zero(Left));
      if (C >= H.NumChanged)
        break;
      size_t At = size_t(Changed[C] >> 16) * I.NumLanes + (Changed[C] & 0xffff);
      uint8_t Code = Codes.get();
      if (Code <= 8) {
        Values[At] = Payload.bytes(Code);
        Known[At] = 0xff;
      } else if (Code <= 13) {
        Values[At] = Payload.bytes(Code - 9u);
        Known[At] = 0x0f;
      } else if (Code == 14) {
        Values[At] = Known[At] = 0;
      } else {
        Known[At] = Payload.byte();
        Values[At] = Payload.bytes(8);
      }
    }
  return !Payload.failed();
}

BlockDecoder::BlockDecoder(const TraceStore::Impl &I, const SegmentView &S,
                           unsigned Block, Detail Wanted)
    : I(I), S(S), Flow(I, S, Block), Wanted(Wanted) {
  if (Wanted == Everything)
    Memory = std::make_unique<BlockMemory>(I, S, Block);
  BlockStreams B(S, Block);
  Values.resize(size_t(I.NumThreads) * I.NumLanes);
  Known.resize(Values.size());
  Damaged = !loadState(I, S, B, Values, Known);
  if (S.H->NumThreads > 1)
    ThreadIn = ByteReader(B.begin(B.Threads), B.end(B.Threads));
  else
    ThreadLeft = ~uint64_t(0);
  RegBits = BitReader(B.begin(B.RegBits), B.end(B.RegBits));
  RegNibbles = NibbleReader(B.begin(B.RegNibbles), B.end(B.RegNibbles));
  RegPayload = ByteReader(B.begin(B.RegPayload), B.end(B.RegPayload));
  if (Wanted != Registers) {
    MemBits = BitReader(B.begin(B.MemBits), B.end(B.MemBits));
    MemNibbles = NibbleReader(B.begin(B.MemNibbles), B.end(B.MemNibbles));
    MemPayload = ByteReader(B.begin(B.MemPayload), B.end(B.MemPayload));
  }
}

BlockDecoder::~BlockDecoder() = default;

const GranuleState *BlockDecoder::granule(uint64_t Number) {
  return Memory->granule(Number);
}

bool BlockDecoder::next() {
  if (!Flow.next())
    return false;
  ++Done;
  if (!ThreadLeft) {
    Thread = ThreadIn.byte();
    ThreadLeft = ThreadIn.varint();
    if (!ThreadLeft || Thread >= I.NumThreads) {
      Damaged = true;
      return false;
    }
  }
  --ThreadLeft;
  const Template &T = Flow.insn();
  RegValues.clear();
  Mems.clear();
  if (!(T.NumRegs | T.NumMems))
    return true;
  bool Mem = Wanted != Registers && T.NumMems;
  bool MemPredicted = Mem && !MemBits.get();
  if (Mem)
    decodeMemsBefore(T, MemPredicted);
  if (T.NumRegs)
    decodeRegs(T, T.TellsRegs && !RegBits.get());
  if (Mem)
    decodeMemsAfter(MemPredicted);
  if (Memory)
    Memory->apply(Mems);
  if (RegPayload.failed() || MemPayload.failed()) {
    Damaged = true;
    return false;
  }
  return true;
}

uint64_t BlockDecoder::predictData(const MemShape &Sh, bool &LacksValue) const {
  LacksValue = Sh.DataSource != NoLane && lacks(Thread, Sh.DataSource / 2);
  return codec::predictData(Sh, values(Thread));
}

void BlockDecoder::decodeMemsBefore(const Template &T, bool Predicted) {
  const uint64_t *Own = values(Thread);
  for (unsigned K = 0; K < T.NumMems; ++K) {
    const MemShape &Sh = I.Mems[T.FirstMem + K];
    DecodedMem M = {&Sh, codec::predictAddr(Sh, Own), 0, ~uint64_t(0)};
    if (!Predicted)
      M.Addr =
          codec::decodeAddr(MemNibbles.get(), M.Addr, LastAddr, MemPayload);
    LastAddr = M.Addr + Sh.Size;
    if (Sh.HasReal) {
      uint8_t Code = Predicted ? uint8_t(DataPredicted) : MemNibbles.get();
      M.Real = M.Addr + (Code == DataPredicted
                             ? uint64_t(Sh.RealOffset)
                             : codec::decodeData(Code, MemPayload));
    }
    if ((Sh.Flags & MemItem::Write) && Sh.Known) {
      uint8_t Code = Predicted ? uint8_t(DataPredicted) : MemNibbles.get();
      M.Value = Code == DataPredicted ? predictData(Sh, M.LacksValue)
                                      : codec::decodeData(Code, MemPayload);
    }
    Mems.push_back(M);
  }
}

/// What a reader that does not want everything leaves out is marked.
uint64_t BlockDecoder::predict(const Template &T, const RegShape &Sh,
                               uint64_t Mask, size_t Lane) {
  if (!codec::isDeferred(Sh))
    return codec::predictReg(Sh, Mask, values(Thread));
  if (!Memory) {
    Lacks.resize(Values.size());
    Lacks[Lane] = true;
    return 0;
  }
  std::optional<uint64_t> V;
  if (Sh.Source == FromFloats)
    V = FloatOp::unpack(uint64_t(Sh.Offset)).evaluate(values(Thread));
  else if (uint64_t(Sh.Offset) < T.NumMems)
    V = Memory->read(Mems[size_t(Sh.Offset)].Addr,
                     Mems[size_t(Sh.Offset)].Shape->Size);
  Damaged |= !V;
  return V.value_or(0) & Mask;
}

void BlockDecoder::decodeRegs(const Template &T, bool Predicted) {
  const RegShape *Sh = I.Regs.data() + T.FirstReg;
  for (unsigned K = 0; K < T.NumRegs; ++K, ++Sh) {
    ThreadIndex Owner = Sh->Thread == SameThread ? Thread : Sh->Thread;
    uint64_t &Lane = values(Owner)[Sh->Lane];
    size_t LaneIndex = size_t(&Lane - Values.data());
    if (!Lacks.empty() && Sh->Written == 0xff)
      Lacks[LaneIndex] = false;
    uint64_t Mask = expandMask(Sh->Written & ~Sh->Unknown), V = 0;
    if (Mask) {
      uint8_t Code = Predicted ? uint8_t(RegPredicted) : RegNibbles.get();
      if (Code == RegPredicted)
        V = predict(T, *Sh, Mask, LaneIndex);
      else if (Code < RegDelta1)
        V = Code - RegConst0 < Sh->NumConsts
                ? I.Consts[Sh->FirstConst + (Code - RegConst0)]
                : 0;
      else
        V = codec::decodeReg(Code, Mask, Lane, RegPayload,
                             Sh->Lane >= PredictorLanes, Recent);
      if (Code != RegPredicted || !codec::isDeferred(*Sh))
        Recent.add(V);
    }
    Lane = (Lane & ~expandMask(Sh->Written)) | V;
    uint8_t &Kn = known(Owner)[Sh->Lane];
    Kn = uint8_t((Kn | Sh->Written) & ~Sh->Unknown);
    RegValues.push_back(V);
  }
}

void BlockDecoder::decodeMemsAfter(bool Predicted) {
  for (DecodedMem &M : Mems) {
    if ((M.Shape->Flags & MemItem::Write) || !M.Shape->Known)
      continue;
    uint8_t Code = Predicted ? uint8_t(DataPredicted) : MemNibbles.get();
    M.Value = Code == DataPredicted ? predictData(*M.Shape, M.LacksValue)
                                    : codec::decodeData(Code, MemPayload);
  }
}
