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
    : Base(S.array<uint64_t>(S.H->BlockTimes)[Block]), Time(Base) {
  BlockStreams B(S, Block);
  Ahead = In = ByteReader(B.begin(B.Time), B.end(B.Time));
}

uint64_t BlockTimes::moveOn(unsigned Insn) {
  while (At < Insn) {
    if (!Left) {
      if (Ahead.atEnd())
        break;
      Left = Ahead.varint();
      Delta = Ahead.varint();
    }
    const uint64_t N = std::min<uint64_t>(Left, Insn - At);
    Time += N * Delta;
    Left -= N;
    At += unsigned(N);
  }
  return Time;
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
                       unsigned Block, const BlockStreams &B)
    : I(I), Tokens(B.begin(B.Tokens), B.end(B.Tokens)),
      Size(S.blockSize(Block)), Left(Size) {
  if (S.H->NumThreads > 1) {
    ThreadIn = ByteReader(B.begin(B.Threads), B.end(B.Threads));
    Counts.resize(I.NumThreads);
  } else {
    ThreadLeft = ~uint64_t(0);
  }
}

/// To another run or another thread.
bool FlowReader::goOn() {
  if (At == End) {
    const uint32_t R = Tokens.next();
    if (R >= I.RunLanes.size() || I.RunStarts[R] == I.RunStarts[R + 1]) {
      Damaged = true;
      Left = 0;
      return false;
    }
    At = I.RunTemplates.data() + I.RunStarts[R];
    End = I.RunTemplates.data() + I.RunStarts[R + 1];
  }
  if (!ThreadLeft) {
    const ThreadIndex T = ThreadIn.byte();
    ThreadLeft = ThreadIn.varint();
    if (!ThreadLeft || T >= I.NumThreads) {
      Damaged = true;
      Left = 0;
      return false;
    }
    Thread = T;
    Counts[Thread] += ThreadLeft;
  }
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
    : I(I), Wanted(Wanted), Values(size_t(I.NumThreads) * I.NumLanes),
      Known(Values.size()), RegValues(16) {
  enter(S, Block);
}

BlockDecoder::~BlockDecoder() = default;

/// Goes on to the end of the block at hand, if \p Block of \p S comes then and
/// the memory that was looked at so far is worth it: to look 8 bytes up in the
/// index costs as much as to decode some instructions.
bool BlockDecoder::goesOnTo(const SegmentView &S, unsigned Block) {
  constexpr unsigned Worth = 16;
  if (!Flow || !Memory || damaged() ||
      !(S.Index == Of.Index ? Block == OfBlock + 1
                            : S.Index == Of.Index + 1 && Block == 0 &&
                                  OfBlock + 1 == Of.H->NumBlocks))
    return false;
  const unsigned Size = Of.blockSize(OfBlock);
  return Size - Done <= Worth * Memory->numLooked() && advanceTo(Size) &&
         !damaged();
}

void BlockDecoder::enter(const SegmentView &S, unsigned Block) {
  const bool Follows = goesOnTo(S, Block);
  Of = S;
  OfBlock = Block;
  const BlockStreams B(S, Block);
  if (Flow) {
    std::fill(Values.begin(), Values.end(), 0);
    std::fill(Known.begin(), Known.end(), 0);
    Recent = {};
  }
  Flow.emplace(I, S, Block, B);
  if (Follows)
    Memory->enter(S, Block);
  else if (Memory)
    Memory->restart(S, Block);
  else if (Wanted == Everything)
    Memory = std::make_unique<BlockMemory>(I, S, Block);
  Damaged = !loadState(I, S, B, Values, Known);
  Done = 0;
  Lines = LastAddr = 0;
  Lacks.clear();
  RegBits = BitReader(B.begin(B.RegBits), B.end(B.RegBits));
  RegNibbles = NibbleReader(B.begin(B.RegNibbles), B.end(B.RegNibbles));
  RegPayload = ByteReader(B.begin(B.RegPayload), B.end(B.RegPayload));
  if (Wanted != Registers) {
    MemBits = BitReader(B.begin(B.MemBits), B.end(B.MemBits));
    MemNibbles = NibbleReader(B.begin(B.MemNibbles), B.end(B.MemNibbles));
    MemPayload = ByteReader(B.begin(B.MemPayload), B.end(B.MemPayload));
  }
}

const GranuleState *BlockDecoder::granule(uint64_t Number) {
  return Memory->granule(Number);
}

bool BlockDecoder::advanceTo(unsigned Insn) {
  auto Never = [](llvm::ArrayRef<DecodedMem>) { return false; };
  switch (Wanted) {
  case Registers:
    return decode<Registers>(Insn, Never);
  case Addresses:
    return decode<Addresses>(Insn, Never);
  case Everything:
    return decode<Everything>(Insn, Never);
  }
  llvm_unreachable("all details are covered");
}

/// Whether one of \p Mems is an access of that kind to a byte of [Addr, Addr +
/// Size).
LLVM_ATTRIBUTE_ALWAYS_INLINE static bool
accesses(llvm::ArrayRef<DecodedMem> Mems, uint64_t Addr, uint64_t Size,
         unsigned Kinds) {
  for (const DecodedMem &M : Mems)
    if ((M.Addr - Addr < Size || Addr - M.Addr < M.Shape->Size) &&
        (Kinds & unsigned(M.Shape->Flags & MemItem::Write ? AccessKind::Write
                                                          : AccessKind::Read)))
      return true;
  return false;
}

bool BlockDecoder::accessed(uint64_t Addr, uint64_t Size,
                            AccessKind Kind) const {
  return accesses(mems(), Addr, Size, unsigned(Kind));
}

bool BlockDecoder::advanceToAccess(uint64_t Addr, uint64_t Size,
                                   AccessKind Kind, unsigned Insn,
                                   llvm::function_ref<void()> Before) {
  auto Stops = [&, Kinds = unsigned(Kind)](llvm::ArrayRef<DecodedMem> Now) {
    const bool Is = accesses(Now, Addr, Size, Kinds);
    if (Is && Before)
      Before();
    return Is;
  };
  return Wanted == Everything ? decode<Everything>(Insn, Stops)
                              : decode<Addresses>(Insn, Stops);
}

/// What a reader that does not want everything leaves out is marked.
uint64_t BlockDecoder::predictDeferred(const Template &T, const RegShape &Sh,
                                       uint64_t Mask, size_t Lane) {
  if (Wanted != Everything) {
    Lacks.resize(Values.size());
    Lacks[Lane] = true;
    return 0;
  }
  std::optional<uint64_t> V;
  if (Sh.Source == FromFloats) {
    V = FloatOp::unpack(uint64_t(Sh.Offset)).evaluate(values(Flow->thread()));
  } else if (uint64_t(Sh.Offset) < T.NumMems) {
    const DecodedMem &M = Now[size_t(Sh.Offset)];
    V = Memory->read(M.Addr, M.Shape->Size);
  }
  Damaged |= !V;
  return V.value_or(0) & Mask;
}

/// The mask of all bits, which the compiler knows.
using WholeLane = std::integral_constant<uint64_t, ~uint64_t(0)>;

/// A value for which there is a code; none: it is predicted all the same.
/// \p Before: what the lane holds.
template <typename Mask>
std::optional<uint64_t> BlockDecoder::decodeCoded(const RegShape &Sh, Mask Of,
                                                  uint64_t Before) {
  const uint8_t Code = RegNibbles.get();
  if (Code == RegPredicted)
    return std::nullopt;
  uint64_t V = 0;
  if (Code >= RegDelta1)
    V = codec::decodeReg(Code, Of, Before, RegPayload,
                         Sh.Lane >= PredictorLanes, Recent);
  else if (Code - RegConst0 < Sh.NumConsts)
    V = I.Consts[Sh.FirstConst + (Code - RegConst0)];
  Recent.add(V);
  return V;
}

/// Any register effects. \p Predicted: there are no codes for them.
void BlockDecoder::decodeRegs(const Template &T, bool Predicted) {
  if (T.NumRegs > RegValues.size())
    RegValues.resize(T.NumRegs);
  uint64_t *const Own = values(Flow->thread());
  const RegShape *Sh = I.Regs.data() + T.FirstReg;
  for (unsigned K = 0; K < T.NumRegs; ++K, ++Sh) {
    const ThreadIndex Owner =
        Sh->Thread == SameThread ? Flow->thread() : Sh->Thread;
    uint64_t &Lane = values(Owner)[Sh->Lane];
    const auto LaneIndex = size_t(&Lane - Values.data());
    if (!Lacks.empty() && Sh->Written == 0xff)
      Lacks[LaneIndex] = false;
    const uint64_t Mask = expandMask(Sh->Written & ~Sh->Unknown);
    std::optional<uint64_t> V;
    if (!Mask)
      V = 0;
    else if (!Predicted)
      V = decodeCoded(*Sh, Mask, Lane);
    if (!V && codec::isDeferred(*Sh)) {
      V = predictDeferred(T, *Sh, Mask, LaneIndex);
    } else if (!V) {
      V = codec::predictReg(*Sh, Mask, Own);
      Recent.add(*V);
    }
    Lane = (Lane & ~expandMask(Sh->Written)) | *V;
    uint8_t &Kn = known(Owner)[Sh->Lane];
    Kn = uint8_t((Kn | Sh->Written) & ~Sh->Unknown);
    RegValues[K] = *V;
  }
}

/// Whether it tells all of a lane of the thread that executes it, which is
/// predicted from the lanes if it is predicted.
static bool isWhole(const RegShape &Sh) {
  static_assert(SameThread == 0xff);
  return (Sh.Written & uint8_t(~Sh.Unknown) & Sh.Thread) == 0xff &&
         !codec::isDeferred(Sh);
}

/// What is known of an access before the registers change: where it is, and
/// what is written. \p Predicted: there are no codes for it.
template <BlockDecoder::Detail D>
LLVM_ATTRIBUTE_ALWAYS_INLINE void
BlockDecoder::decodeAccess(const MemShape &Sh, bool Predicted,
                           const uint64_t *Own, DecodedMem &M) {
  uint64_t Addr = codec::predictAddr(Sh, Own), Real = ~uint64_t(0);
  if (!Predicted)
    Addr = codec::decodeAddr(MemNibbles.get(), Addr, LastAddr, MemPayload);
  LastAddr = Addr + Sh.Size;
  if (Sh.HasReal) {
    const uint8_t Code = Predicted ? uint8_t(DataPredicted) : MemNibbles.get();
    Real = Addr + (Code == DataPredicted ? uint64_t(Sh.RealOffset)
                                         : codec::decodeData(Code, MemPayload));
  }
  M = {&Sh, Addr, 0, Real};
  if ((Sh.Flags & MemItem::Write) && Sh.Known)
    decodeData<D>(Predicted, Own, M);
}

template <BlockDecoder::Detail D>
LLVM_ATTRIBUTE_ALWAYS_INLINE void
BlockDecoder::decodeData(bool Predicted, const uint64_t *Own, DecodedMem &M) {
  const uint8_t Code = Predicted ? uint8_t(DataPredicted) : MemNibbles.get();
  if (Code != DataPredicted) {
    M.Value = codec::decodeData(Code, MemPayload);
    return;
  }
  const uint16_t Source = M.Shape->DataSource;
  M.Value = codec::predictData(*M.Shape, Own);
  if (D != Everything && !Lacks.empty() && Source != NoLane)
    M.LacksValue = lacks(Flow->thread(), Source / 2);
}

/// All accesses of an instruction that has several.
template <BlockDecoder::Detail D>
void BlockDecoder::decodeAccesses(const Template &T, bool Predicted,
                                  bool After) {
  const uint64_t *const Own = values(Flow->thread());
  const MemShape *const Shapes = I.Mems.data() + T.FirstMem;
  for (unsigned K = 0; K < T.NumMems; ++K) {
    const MemShape &Sh = Shapes[K];
    if (!After)
      decodeAccess<D>(Sh, Predicted, Own, Now[K]);
    else if (!(Sh.Flags & MemItem::Write) && Sh.Known)
      decodeData<D>(Predicted, Own, Now[K]);
  }
}

/// Most instructions write all of one register and access memory once at most:
/// those are decoded here, the others by the functions above. Bits are read by
/// local variables, since the lanes that are written could be any member for
/// all that a compiler knows.
template <BlockDecoder::Detail D, typename Stop>
bool BlockDecoder::decode(unsigned Until, Stop StopsAt) {
  if (Done >= Until)
    return true;
  BitReader RegBits = this->RegBits, MemBits = this->MemBits;
  const Template *const Templates = I.Templates.data();
  const RegShape *const Regs = I.Regs.data();
  const MemShape *const Shapes = I.Mems.data();
  bool Ok = true, Stopped = false;
  do {
    const llvm::ArrayRef<uint32_t> Ids = Flow->take(Until - Done);
    const uint32_t *Id = Ids.begin(), *const End = Ids.end();
    uint64_t *const Own = values(Flow->thread());
    uint8_t *const OwnKnown = known(Flow->thread());
    uint64_t Lines = 0;
    while (Id != End) {
      const Template &T = Templates[*Id++];
      Lines += T.Lines;
      const bool Accesses = D != Registers && T.NumMems;
      bool MemPredicted = false;
      const MemShape *const Mem = Shapes + T.FirstMem;
      if (Accesses) {
        MemPredicted = !MemBits.get();
        Now = D == Everything ? Memory->make(T.NumMems) : roomFor(T.NumMems);
        if (T.NumMems == 1)
          decodeAccess<D>(*Mem, MemPredicted, Own, *Now);
        else
          decodeAccesses<D>(T, MemPredicted, /*After=*/false);
      }
      if (T.NumRegs) {
        const bool Predicted = T.TellsRegs && !RegBits.get();
        const RegShape &Sh = Regs[T.FirstReg];
        if (T.NumRegs == 1 && isWhole(Sh) &&
            (D == Everything || Lacks.empty())) {
          std::optional<uint64_t> V;
          if (!Predicted)
            V = decodeCoded(Sh, WholeLane(), Own[Sh.Lane]);
          if (!V) {
            V = codec::predictReg(Sh, ~uint64_t(0), Own);
            Recent.add(*V);
          }
          Own[Sh.Lane] = *V;
          OwnKnown[Sh.Lane] = 0xff;
          RegValues.front() = *V;
        } else {
          decodeRegs(T, Predicted);
        }
      }
      if (Accesses) {
        if (T.NumMems != 1)
          decodeAccesses<D>(T, MemPredicted, /*After=*/true);
        else if (!(Mem->Flags & MemItem::Write) && Mem->Known)
          decodeData<D>(MemPredicted, Own, *Now);
        Stopped = StopsAt(llvm::ArrayRef(Now, T.NumMems));
        if constexpr (D == Everything)
          Memory->apply(T.NumMems);
        if (Stopped)
          break;
      }
    }
    this->Lines += Lines;
    Flow->putBack(uint64_t(End - Id));
    Done += unsigned(Id - Ids.begin());
    const bool Failed = RegPayload.failed() || MemPayload.failed();
    Damaged |= Failed;
    Ok = !Failed && !Ids.empty();
  } while (Ok && !Stopped && Done < Until);
  this->RegBits = RegBits;
  this->MemBits = MemBits;
  return Ok;
}
