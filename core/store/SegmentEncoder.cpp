//===- SegmentEncoder.cpp - One segment to bytes --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/SegmentEncoder.h"
#include "core/store/Codec.h"
#include "core/store/EffectPlan.h"
#include "core/store/FloatOps.h"
#include "core/store/RunTokens.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <array>
#include <utility>

using namespace rw;
using namespace rw::format;

void rw::putBlockList(Bytes &Out, llvm::ArrayRef<uint16_t> Blocks,
                      unsigned NumBlocks) {
  unsigned BitmapBytes = (NumBlocks + 7) / 8;
  bool Bitmap = Blocks.size() > BitmapBytes;
  putVarint(Out, Blocks.size() << 1 | Bitmap);
  if (!Bitmap) {
    unsigned Last = 0;
    for (uint16_t B : Blocks) {
      putVarint(Out, B - Last);
      Last = B;
    }
    return;
  }
  size_t At = Out.size();
  Out.resize(At + BitmapBytes);
  for (uint16_t B : Blocks)
    Out[At + B / 8] |= uint8_t(1u << (B % 8));
}

namespace {

/// Lanes that change in a segment, and what is needed of each.
struct ChangedLane {
  uint32_t Key;             ///< thread * 65536 + lane
  bool Dirty = false;       ///< changed in this segment up to now
  uint32_t LastBlock = ~0u; ///< the last of Blocks
  std::vector<uint16_t> Blocks;
};

/// The codes of an instruction's values. Mostly all are as predicted: then
/// there is nothing in it.
class CodeList {
public:
  void clear() {
    if (!Codes.empty())
      Codes.clear();
    Count = 0;
  }
  void hit() { ++Count; }
  void miss(const codec::Coded &C) {
    Codes.resize(Count++);
    Codes.push_back(C);
  }
  bool allPredicted() const { return Codes.empty(); }
  /// Only if not all are predicted.
  llvm::ArrayRef<codec::Coded> all() {
    Codes.resize(Count);
    return Codes;
  }

private:
  llvm::SmallVector<codec::Coded, 16> Codes; ///< up to the last miss
  unsigned Count = 0;
};

class Encoder {
public:
  Encoder(RawSegment &S, const TemplateTable &T, const RunTable &Runs)
      : S(S), T(T), Runs(Runs), TimeOf(S.Times), ThreadOf(S.Threads),
        RunThread(S.Threads), Plans(T, S.Index, S.NumTemplates) {}
  EncodedSegment run();

private:
  void numberRuns();
  size_t runBegin(size_t Run) const { return Run ? S.RunEnds[Run - 1] : 0; }
  void findChangedLanes();
  void putSnapshot(SegmentHeader &H);
  void encodeBlock(unsigned B);
  void checkpoint();
  void times(unsigned First, unsigned Last);
  void threads(unsigned First, unsigned Last);
  std::optional<uint64_t> predictDeferred(const EffectOp &O, const Lanes &Own,
                                          size_t FirstMem) const;
  void mark(RunPlan &P, unsigned Thread, unsigned Block);
  void mark(const EffectOp &O, unsigned Owner, unsigned Block);
  template <bool Simple>
  void execute(llvm::ArrayRef<EffectOp> Ops, unsigned Thread, unsigned Block,
               uint32_t InBlock);
  codec::Coded explicitReg(const RegShape &Sh, bool Frozen, uint64_t Value,
                           uint64_t Mask, const Lanes &L) const;
  void place(const MemShape &Sh, const FlowPlace &M, uint64_t Predicted,
             bool Frozen);
  void endRegs();
  void endMems();
  void touch(unsigned Owner, unsigned Lane, unsigned Block);
  void putRunLists();

  template <typename V> uint32_t putArray(const std::vector<V> &A) {
    alignTo8(Out.Data);
    uint32_t At = uint32_t(Out.Data.size());
    putRaw(Out.Data, A.data(), A.size());
    return At;
  }

  RawSegment &S;
  const TemplateTable &T;
  const RunTable &Runs;
  /// Where the blocks are that are written.
  ChangesReader<uint64_t> TimeOf;
  ChangesReader<uint8_t> ThreadOf, RunThread;
  EncodedSegment Out;
  std::vector<Lanes> State;
  std::vector<ChangedLane> Changed;
  std::vector<std::vector<uint32_t>> ChangedIndex; ///< [thread][lane]
  size_t NextReg = 0, NextMem = 0;
  uint64_t LastAddr = 0;
  codec::RecentValueFinder Recent;

  // The streams of the block at hand.
  Bytes Checkpoint, Tokens, Time, Threads, RegPayload, MemPayload;
  BitWriter RegBits, MemBits;
  NibbleWriter RegNibbles, MemNibbles;
  CodeList RegCodes, MemCodes;

  /// Runs are numbered in order of first use: the number of each of S.Runs.
  std::vector<uint32_t> RunNumbers;
  EffectPlans Plans;
  std::vector<std::pair<uint32_t, std::vector<uint16_t>>> RunBlocks;
};

} // namespace

void Encoder::numberRuns() {
  llvm::DenseMap<uint32_t, uint32_t> Index;
  // A loop uses a few runs again and again.
  std::array<std::pair<uint32_t, uint32_t>, 256> Recent;
  Recent.fill({~0u, 0});
  RunNumbers.reserve(S.Runs.size());
  for (uint32_t R : S.Runs) {
    auto &[Run, Number] = Recent[R % Recent.size()];
    if (Run != R) {
      auto [It, New] = Index.try_emplace(R, uint32_t(RunBlocks.size()));
      if (New)
        RunBlocks.push_back({R, {}});
      Run = R;
      Number = It->second;
    }
    RunNumbers.push_back(Number);
  }
}

void Encoder::findChangedLanes() {
  std::vector<std::vector<bool>> Changes(S.NumThreads); ///< [thread][lane]
  std::vector<bool> ToldLanes;
  auto mark = [](std::vector<bool> &Lanes, unsigned Lane) {
    if (Lane >= Lanes.size())
      Lanes.resize(Lane + 1);
    Lanes[Lane] = true;
  };
  // Per template, the thread for which it was looked at last.
  std::vector<uint32_t> Seen(S.NumTemplates, ~0u);
  auto run = [&](uint32_t Run, uint32_t Th) {
    for (uint32_t Id : Runs.templates(Run)) {
      if (std::exchange(Seen[Id], Th) == Th)
        continue;
      const Template &Tm = T[Id];
      for (unsigned R = 0; R < Tm.NumRegs; ++R) {
        const RegShape &Sh = T.reg(Tm.FirstReg + R);
        mark(Changes[Sh.Thread == SameThread ? Th : Sh.Thread], Sh.Lane);
        if (Sh.Written & ~Sh.Unknown)
          mark(ToldLanes, Sh.Lane);
      }
    }
  };
  if (S.NumThreads == 1) {
    for (const auto &[Run, Blocks] : RunBlocks)
      run(Run, 0);
  } else {
    std::vector<uint32_t> RunSeen(RunBlocks.size(), ~0u);
    ChangesReader<uint8_t> Thread(S.Threads);
    for (size_t Run = 0; Run < S.Runs.size(); ++Run) {
      uint32_t Th = Thread.at(uint32_t(runBegin(Run)));
      if (std::exchange(RunSeen[RunNumbers[Run]], Th) != Th)
        run(S.Runs[Run], Th);
    }
  }
  for (const Lanes &L : State)
    for (unsigned Lane = 0; Lane < L.Known.size(); ++Lane)
      if (L.Known[Lane])
        mark(ToldLanes, Lane);
  Plans.begin(RunBlocks.size(), std::move(ToldLanes));
  ChangedIndex.resize(S.NumThreads);
  for (uint32_t Th = 0; Th < S.NumThreads; ++Th) {
    const std::vector<bool> &Own = Changes[Th];
    ChangedIndex[Th].assign(Own.size(), ~0u);
    State[Th].reserve(unsigned(Own.size()));
    for (uint32_t Lane = 0; Lane < Own.size(); ++Lane) {
      if (!Own[Lane])
        continue;
      ChangedIndex[Th][Lane] = uint32_t(Changed.size());
      Changed.emplace_back();
      Changed.back().Key = Th << 16 | Lane;
    }
  }
}

void Encoder::putSnapshot(SegmentHeader &H) {
  size_t NumLanes = 0;
  for (const Lanes &L : State)
    NumLanes = std::max(NumLanes, L.Value.size());
  std::vector<uint64_t> Values;
  std::vector<uint8_t> Known;
  for (Lanes &L : State) {
    L.reserve(unsigned(NumLanes));
    Values.insert(Values.end(), L.Value.begin(), L.Value.end());
    Known.insert(Known.end(), L.Known.begin(), L.Known.end());
  }
  H.NumLanes = uint32_t(NumLanes);
  H.SnapshotValue = putArray(Values);
  H.SnapshotKnown = putArray(Known);
  std::vector<uint32_t> Keys;
  for (const ChangedLane &C : Changed)
    Keys.push_back(C.Key);
  H.NumChanged = uint32_t(Keys.size());
  H.Changed = putArray(Keys);
}

/// The lanes that changed since the segment's start: a bit each, then a nibble
/// each (known 8 bytes: number of value bytes; known low half: 9 + number of
/// value bytes; 14: nothing known; 15: known mask and value in full).
void Encoder::checkpoint() {
  Checkpoint.resize((Changed.size() + 7) / 8);
  NibbleWriter Nibbles;
  Bytes Payload;
  for (size_t I = 0; I < Changed.size(); ++I) {
    if (!Changed[I].Dirty)
      continue;
    Checkpoint[I / 8] |= uint8_t(1u << (I % 8));
    const Lanes &L = State[Changed[I].Key >> 16];
    uint64_t V = L.Value[Changed[I].Key & 0xffff];
    uint8_t K = L.Known[Changed[I].Key & 0xffff];
    unsigned N = significantBytes(V);
    if (K == 0xff) {
      Nibbles.put(uint8_t(N));
      putBytes(Payload, V, N);
    } else if (K == 0x0f && N <= 4) {
      Nibbles.put(uint8_t(9 + N));
      putBytes(Payload, V, N);
    } else if (!K && !V) {
      Nibbles.put(14);
    } else {
      Nibbles.put(15);
      Payload.push_back(K);
      putBytes(Payload, V, 8);
    }
  }
  putRaw(Checkpoint, Nibbles.Data.data(), Nibbles.Data.size());
  putRaw(Checkpoint, Payload.data(), Payload.size());
}

/// Differences of the times, run-length coded. The first instruction's time is
/// in the segment's directory.
void Encoder::times(unsigned First, unsigned Last) {
  if (First == Last)
    return;
  uint32_t Count = 0;
  uint64_t Step = 0;
  auto put = [&] {
    if (!Count)
      return;
    putVarint(Time, Count);
    putVarint(Time, Step);
    Count = 0;
  };
  auto add = [&](uint32_t N, uint64_t D) {
    if (D != Step)
      put();
    Count += N;
    Step = D;
  };
  uint64_t Now = TimeOf.at(First);
  for (unsigned I = First + 1; I < Last;) {
    if (uint32_t Still = TimeOf.until(Last) - I) {
      add(Still, 0);
      I += Still;
      continue;
    }
    uint64_t Then = TimeOf.at(I++);
    add(1, Then - Now);
    Now = Then;
  }
  put();
}

/// The thread of the first instruction, then after how many instructions which
/// thread goes on.
void Encoder::threads(unsigned First, unsigned Last) {
  for (unsigned I = First; I < Last;) {
    Threads.push_back(ThreadOf.at(I));
    unsigned End = ThreadOf.until(Last);
    putVarint(Threads, End - I);
    I = End;
  }
}

static void put(const codec::Coded &C, NibbleWriter &Nibbles, Bytes &Payload) {
  Nibbles.put(C.Code);
  putBytes(Payload, C.Payload, C.NumBytes);
}

/// What a decoder that has all of the state will be able to tell of an effect.
std::optional<uint64_t> Encoder::predictDeferred(const EffectOp &O,
                                                 const Lanes &Own,
                                                 size_t FirstMem) const {
  if (O.Source == FromFloats)
    return FloatOp::unpack(O.Offset).evaluate(Own.Value.data());
  size_t At = FirstMem + size_t(O.Offset);
  if (!S.MemoryTold || !S.Old[At])
    return std::nullopt;
  return S.MemValues[At] & O.Mask;
}

void Encoder::touch(unsigned Owner, unsigned Lane, unsigned Block) {
  ChangedLane &C = Changed[ChangedIndex[Owner][Lane]];
  if (C.LastBlock == Block)
    return;
  C.LastBlock = Block;
  C.Blocks.push_back(uint16_t(Block));
}

/// Notes which lanes a run changes, before it does.
void Encoder::mark(RunPlan &P, unsigned Th, unsigned Block) {
  if (P.MarkedBlock == Block && P.MarkedThread == Th)
    return;
  P.MarkedBlock = Block;
  P.MarkedThread = uint16_t(Th);
  const Lanes &Own = State[Th];
  for (const RunPlan::LaneUse &U : P.Lanes) {
    Changed[ChangedIndex[Th][U.Lane]].Dirty |=
        U.Dirties || (Own.Known[U.Lane] & U.Written) ||
        (Own.Value[U.Lane] & expandMask(U.Written));
    touch(Th, U.Lane, Block);
  }
}

/// Notes the lane that an effect changes, outside of a simple run.
void Encoder::mark(const EffectOp &O, unsigned Owner, unsigned Block) {
  const Lanes &L = State[Owner];
  Changed[ChangedIndex[Owner][O.Lane]].Dirty |=
      O.Dirties || (L.Known[O.Lane] & O.Written) ||
      (L.Value[O.Lane] & expandMask(O.Written));
  touch(Owner, O.Lane, Block);
}

/// Does what the instructions do, the first of which is the \p InBlock-th of
/// its block. \p Simple: of a simple run, whose lanes are marked.
template <bool Simple>
void Encoder::execute(llvm::ArrayRef<EffectOp> Ops, unsigned Th, unsigned Block,
                      uint32_t InBlock) {
  Lanes &Own = State[Th];
  uint64_t *const Values = Own.Value.data();
  const uint64_t *Told = S.RegValues.data() + NextReg;
  const FlowPlace *Place = S.Places.data() + NextMem;
  MemCodes.clear();
  RegCodes.clear();
  for (const EffectOp &O : Ops) {
    const bool Deferred =
        !Simple && (O.Source == FromMemory || O.Source == FromFloats);
    const uint64_t Base = O.Source == NoLane || Deferred ? 0 : Values[O.Source];
    const unsigned Owner =
        Simple || O.Thread == SameThread ? Th : unsigned(O.Thread);
    Lanes &L = Simple ? Own : State[Owner];
    switch (O.Kind) {
    case EffectOp::Forget:
      if (!Simple)
        mark(O, Owner, Block);
      L.Value[O.Lane] &= O.Mask;
      L.Known[O.Lane] &= uint8_t(~O.Written);
      break;
    case EffectOp::Tell: {
      const uint64_t Value = *Told++;
      const bool Hit =
          O.Frozen &&
          (Deferred ? predictDeferred(O, Own, NextMem) == Value
                    : (((Base & O.Mask) + O.Offset) & O.Mask) == Value);
      if (Hit)
        RegCodes.hit();
      else
        RegCodes.miss(explicitReg(*O.Reg, O.Frozen, Value, O.Mask, L));
      // What a reader may leave out it cannot find again.
      if (!Hit || !Deferred)
        Recent.add(Value);
      if (O.Mask == ~uint64_t(0)) {
        L.Value[O.Lane] = Value;
        L.Known[O.Lane] = 0xff;
      } else {
        L.apply(O.Lane, O.Written, O.Unknown, Value);
      }
      if (!Simple)
        mark(O, Owner, Block);
      break;
    }
    case EffectOp::Access:
      if (!S.MemoryTold)
        S.Accesses.access(*Place, *O.Mem, Block, InBlock + O.Insn);
      place(*O.Mem, *Place++, Base + O.Offset, O.Frozen);
      break;
    case EffectOp::Data: {
      const uint64_t Value = S.MemValues[NextMem + size_t(O.Offset)];
      if (O.Frozen && codec::predictData(*O.Mem, Values) == Value)
        MemCodes.hit();
      else
        MemCodes.miss(codec::encodeData(Value));
      break;
    }
    }
    if (O.EndsRegs)
      endRegs();
    if (O.EndsMems) {
      endMems();
      NextMem = size_t(Place - S.Places.data());
    }
  }
  NextReg = size_t(Told - S.RegValues.data());
}

/// The code of a value that is not predicted.
codec::Coded Encoder::explicitReg(const RegShape &Sh, bool Frozen,
                                  uint64_t Value, uint64_t Mask,
                                  const Lanes &L) const {
  uint64_t Consts[4];
  unsigned N = Frozen ? Sh.NumConsts : 0;
  for (unsigned K = 0; K < N; ++K)
    Consts[K] = T.constant(Sh.FirstConst + K);
  return codec::encodeReg(Value, Mask, L.Value[Sh.Lane], Consts, N,
                          Sh.Lane >= PredictorLanes, Recent);
}

/// Where an access went.
LLVM_ATTRIBUTE_ALWAYS_INLINE void Encoder::place(const MemShape &Sh,
                                                 const FlowPlace &M,
                                                 uint64_t Predicted,
                                                 bool Frozen) {
  if (Frozen && M.Addr == Predicted)
    MemCodes.hit();
  else
    MemCodes.miss(codec::encodeAddr(M.Addr, Predicted, Frozen, LastAddr));
  LastAddr = M.Addr + Sh.Size;
  if (!Sh.HasReal)
    return;
  uint64_t D = M.Real - M.Addr;
  if (Frozen && D == uint64_t(Sh.RealOffset))
    MemCodes.hit();
  else
    MemCodes.miss(codec::encodeData(D));
}

LLVM_ATTRIBUTE_NOINLINE static void
putCodes(CodeList &Codes, NibbleWriter &Nibbles, Bytes &Payload) {
  for (const codec::Coded &C : Codes.all())
    put(C, Nibbles, Payload);
}
LLVM_ATTRIBUTE_ALWAYS_INLINE static void endCodes(CodeList &Codes,
                                                  BitWriter &Bits,
                                                  NibbleWriter &Nibbles,
                                                  Bytes &Payload) {
  const bool Any = !Codes.allPredicted();
  Bits.put(Any);
  if (LLVM_UNLIKELY(Any))
    putCodes(Codes, Nibbles, Payload);
  Codes.clear();
}
LLVM_ATTRIBUTE_ALWAYS_INLINE void Encoder::endRegs() {
  endCodes(RegCodes, RegBits, RegNibbles, RegPayload);
}
LLVM_ATTRIBUTE_ALWAYS_INLINE void Encoder::endMems() {
  endCodes(MemCodes, MemBits, MemNibbles, MemPayload);
}

void Encoder::encodeBlock(unsigned B) {
  unsigned First = S.Blocks[B].Insn;
  bool Last = B + 1 == S.Blocks.size();
  unsigned End = Last ? S.NumInsns : S.Blocks[B + 1].Insn;
  unsigned LastRun = Last ? unsigned(S.Runs.size()) : S.Blocks[B + 1].Run;
  for (Bytes *P :
       {&Checkpoint, &Tokens, &Time, &Threads, &RegPayload, &MemPayload})
    P->clear();
  RegBits.clear();
  MemBits.clear();
  RegNibbles.clear();
  MemNibbles.clear();
  LastAddr = 0;
  Recent = {};

  checkpoint();
  putRunTokens(Tokens, llvm::ArrayRef(S.Runs).slice(S.Blocks[B].Run,
                                                    LastRun - S.Blocks[B].Run));
  times(First, End);
  if (S.NumThreads > 1)
    threads(First, End);
  for (uint32_t Run = S.Blocks[B].Run; Run < LastRun; ++Run) {
    uint32_t Number = RunNumbers[Run];
    auto &Blocks = RunBlocks[Number].second;
    if (Blocks.empty() || Blocks.back() != B)
      Blocks.push_back(uint16_t(B));
    uint32_t I = uint32_t(runBegin(Run));
    const unsigned Th = RunThread.at(I);
    llvm::ArrayRef<uint32_t> Ids = Runs.templates(S.Runs[Run]);
    uint32_t InBlock = I - First;
    if (RunPlan *P = Plans.simpleRun(Number, Ids)) {
      mark(*P, Th, B);
      if (P->NumOps)
        execute<true>(Plans.ops(*P), Th, B, InBlock);
      continue;
    }
    for (uint32_t Id : Ids)
      execute<false>(Plans.insn(Id), Th, B, InBlock++);
  }

  RegBits.finish();
  MemBits.finish();
  const Bytes *Streams[] = {&Checkpoint, &Tokens,       &Time,
                            &Threads,    &RegBits.Data, &RegNibbles.Data,
                            &RegPayload, &MemBits.Data, &MemNibbles.Data,
                            &MemPayload};
  size_t Before = Out.Data.size();
  for (const Bytes *P : Streams)
    putVarint(Out.Data, P->size());
  Out.By.Other += Out.Data.size() - Before;
  for (const Bytes *P : Streams)
    putRaw(Out.Data, P->data(), P->size());
  Out.By.Checkpoints += Checkpoint.size();
  Out.By.Flow += Tokens.size() + Threads.size();
  Out.By.Time += Time.size();
  Out.By.Registers +=
      RegBits.Data.size() + RegNibbles.Data.size() + RegPayload.size();
  Out.By.Memory +=
      MemBits.Data.size() + MemNibbles.Data.size() + MemPayload.size();
}

void Encoder::putRunLists() {
  size_t Before = Out.Data.size();
  std::sort(RunBlocks.begin(), RunBlocks.end(),
            [](const auto &A, const auto &B) { return A.first < B.first; });
  unsigned NumBlocks = unsigned(S.Blocks.size());
  for (auto &[Run, Blocks] : RunBlocks) {
    Out.Runs.emplace_back(Run, uint32_t(Out.Data.size()));
    putBlockList(Out.Data, Blocks, NumBlocks);
  }
  for (const ChangedLane &C : Changed) {
    Out.Lanes.emplace_back(C.Key, uint32_t(Out.Data.size()));
    putBlockList(Out.Data, C.Blocks, NumBlocks);
  }
  Out.By.FlowIndex += Out.Data.size() - Before;
}

EncodedSegment Encoder::run() {
  State = S.Start;
  State.resize(S.NumThreads);
  if (!S.MemoryTold)
    S.Accesses.begin(&S.Memory);
  Out.Data.swap(S.Data);
  Out.Data.clear();
  Out.Data.resize(sizeof(SegmentHeader));
  SegmentHeader H = {};
  H.NumBlocks = uint32_t(S.Blocks.size());
  H.NumThreads = S.NumThreads;
  numberRuns();
  findChangedLanes();
  putSnapshot(H);

  std::vector<uint32_t> Starts, Lines, Offsets, ThreadStarts;
  std::vector<uint64_t> Times;
  std::vector<uint32_t> Count(S.NumThreads);
  uint32_t Next = 0;
  ChangesReader<uint64_t> Time(S.Times);
  ChangesReader<uint8_t> Thread(S.Threads);
  auto countUpTo = [&](uint32_t Insn) {
    if (S.NumThreads == 1)
      return;
    while (Next < Insn) {
      uint32_t &Own = Count[Thread.at(Next)];
      uint32_t End = Thread.until(Insn);
      Own += End - Next;
      Next = End;
    }
    ThreadStarts.insert(ThreadStarts.end(), Count.begin(), Count.end());
  };
  const uint32_t NumInsns = S.NumInsns;
  const uint64_t FirstTime = NumInsns ? Time.at(0) : 0;
  uint64_t LastTime = FirstTime;
  for (const RawSegment::Block &B : S.Blocks) {
    Starts.push_back(B.Insn);
    Lines.push_back(uint32_t(B.Line - S.Blocks.front().Line));
    if (B.Insn < NumInsns)
      LastTime = Time.at(B.Insn);
    Times.push_back(LastTime);
    countUpTo(B.Insn);
  }
  Starts.push_back(NumInsns);
  countUpTo(NumInsns);
  H.BlockStarts = putArray(Starts);
  H.BlockTimes = putArray(Times);
  H.BlockLines = putArray(Lines);
  H.ThreadStarts = S.NumThreads > 1 ? putArray(ThreadStarts) : 0;

  for (unsigned B = 0; B < S.Blocks.size(); ++B) {
    Offsets.push_back(uint32_t(Out.Data.size()));
    encodeBlock(B);
  }
  Offsets.push_back(uint32_t(Out.Data.size()));
  H.BlockOffsets = putArray(Offsets);
  putRunLists();
  size_t Before = Out.Data.size();
  if (!S.MemoryTold)
    S.Accesses.end();
  encodeMemory(S.Memory, Out.Data, Out.Pages);
  Out.By.MemoryIndex = Out.Data.size() - Before;
  alignTo8(Out.Data);
  std::memcpy(Out.Data.data(), &H, sizeof(H));

  Out.Info.FirstMoment = S.FirstMoment;
  Out.Info.FirstTime = FirstTime;
  Out.Info.FirstLine = S.Blocks.front().Line;
  Out.StartPosition = S.StartPosition;
  Out.Reals.swap(S.Memory.Reals);
  return std::move(Out);
}

void RawSegment::recycle() {
  NumInsns = 0;
  Times.clear();
  Threads.clear();
  RegValues.clear();
  Places.clear();
  MemValues.clear();
  Old.clear();
  Runs.clear();
  RunEnds.clear();
  Blocks.clear();
  Memory.clear();
}

EncodedSegment rw::encodeSegment(RawSegment &S, const TemplateTable &T,
                                 const RunTable &Runs) {
  return Encoder(S, T, Runs).run();
}
