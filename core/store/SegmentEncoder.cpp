//===- SegmentEncoder.cpp - One segment to bytes --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/SegmentEncoder.h"
#include "core/store/Codec.h"
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
        RunThread(S.Threads) {}
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
  void effects(uint32_t Id, unsigned Thread, unsigned Block, uint32_t InBlock);
  std::optional<uint64_t> predict(const RegShape &Sh, uint64_t Mask,
                                  const Lanes &Own, size_t FirstMem) const;
  /// One step of a run.
  struct Op {
    enum : uint8_t { Forget, Tell, Access } Kind;
    uint8_t Written, Unknown; ///< bytes of the lane
    bool Frozen;
    /// An instruction's register codes, or those of its accesses, are
    /// complete.
    bool EndsRegs, EndsMems;
    uint16_t Lane;
    uint16_t Source; ///< of the prediction, like Offset
    uint32_t Insn;   ///< of the run
    uint64_t Mask;   ///< Forget: what stays; Tell: what is told
    uint64_t Offset;
    const RegShape *Reg;
    const MemShape *Mem;
  };
  struct LaneUse {
    uint16_t Lane;
    uint8_t Written;
    bool Dirties; ///< even if nothing was known of it
  };
  /// What a run does, looked up once.
  struct RunPlan {
    bool Executed = false; ///< a plan is only worth it the second time
    bool Made = false;
    /// Its registers are its own thread's, its accesses have no values, and no
    /// prediction needs anything but lanes. Else there is nothing below.
    bool Simple = false;
    uint16_t MarkedThread = 0;
    uint32_t MarkedBlock = ~0u; ///< the last in which its lanes were marked
    uint32_t FirstOp = 0, NumOps = 0;
    llvm::SmallVector<LaneUse, 8> Lanes;
  };
  RunPlan &plan(uint32_t Number, llvm::ArrayRef<uint32_t> Ids);
  bool planInsn(uint32_t Id, uint32_t Insn, RunPlan &P);
  void mark(RunPlan &P, unsigned Thread, unsigned Block);
  void execute(const RunPlan &P, unsigned Thread, unsigned Block,
               uint32_t InBlock);
  void forget(const Template &Tm, unsigned Thread, unsigned Block);
  codec::Coded explicitReg(const RegShape &Sh, bool Frozen, uint64_t Value,
                           uint64_t Mask, const Lanes &L) const;
  void place(const MemShape &Sh, const FlowPlace &M, uint64_t Predicted,
             bool Frozen);
  void endRegs();
  void endMems();
  void touch(unsigned Owner, unsigned Lane, unsigned Block);
  bool isToldLane(unsigned Lane) const {
    return Lane < ToldLanes.size() && ToldLanes[Lane];
  }
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
  /// Nothing is known of the others in the whole segment.
  std::vector<bool> ToldLanes;
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
  std::vector<RunPlan> Plans; ///< by number
  std::vector<Op> Ops;        ///< of all plans
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
  Plans.resize(RunBlocks.size());
}

void Encoder::findChangedLanes() {
  std::vector<std::vector<bool>> Changes(S.NumThreads); ///< [thread][lane]
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

/// What the decoder will be able to tell of an effect.
std::optional<uint64_t> Encoder::predict(const RegShape &Sh, uint64_t Mask,
                                         const Lanes &Own,
                                         size_t FirstMem) const {
  if (Sh.Source == FromMemory) {
    size_t At = FirstMem + size_t(Sh.Offset);
    if (!S.MemoryTold || !S.Old[At])
      return std::nullopt;
    return S.MemValues[At] & Mask;
  }
  if (Sh.Source == FromFloats)
    return FloatOp::unpack(uint64_t(Sh.Offset)).evaluate(Own.Value.data());
  return codec::predictReg(Sh, Mask, Own.Value.data());
}

void Encoder::touch(unsigned Owner, unsigned Lane, unsigned Block) {
  ChangedLane &C = Changed[ChangedIndex[Owner][Lane]];
  if (C.LastBlock == Block)
    return;
  C.LastBlock = Block;
  C.Blocks.push_back(uint16_t(Block));
}

/// Appends what an instruction does to Ops. False if that is not simple.
bool Encoder::planInsn(uint32_t Id, uint32_t Insn, RunPlan &P) {
  const Template &Tm = T[Id];
  const bool Frozen = T.frozen(Id, S.Index);
  const bool Effective = Tm.TellsRegs || Tm.NumMems;
  for (unsigned I = 0; I < Tm.NumMems; ++I) {
    const MemShape &Sh = T.mem(Tm.FirstMem + I);
    if (Sh.Known)
      return false;
    Op &O = Ops.emplace_back();
    O.Kind = Op::Access;
    O.EndsRegs = O.EndsMems = false;
    O.Frozen = Frozen;
    O.Insn = Insn;
    O.Source = Frozen ? Sh.AddrSource : NoLane;
    O.Offset = Frozen ? uint64_t(Sh.AddrOffset) : 0;
    O.Mem = &Sh;
  }
  for (unsigned I = 0; I < Tm.NumRegs; ++I) {
    const RegShape &Sh = T.reg(Tm.FirstReg + I);
    if (Sh.Thread != SameThread || (Frozen && codec::isDeferred(Sh)))
      return false;
    const bool Tells = Sh.Written & ~Sh.Unknown;
    auto Use = llvm::find_if(
        P.Lanes, [&](const LaneUse &U) { return U.Lane == Sh.Lane; });
    if (Use == P.Lanes.end()) {
      P.Lanes.push_back({Sh.Lane, Sh.Written, Effective});
    } else {
      Use->Written |= Sh.Written;
      Use->Dirties |= Effective;
    }
    if (!isToldLane(Sh.Lane))
      continue;
    Op &O = Ops.emplace_back();
    O.Kind = Tells ? Op::Tell : Op::Forget;
    O.EndsRegs = O.EndsMems = false;
    O.Written = Sh.Written;
    O.Unknown = Sh.Unknown;
    O.Frozen = Frozen;
    O.Lane = Sh.Lane;
    O.Source = Frozen && Tells ? Sh.Source : NoLane;
    O.Offset = Frozen ? uint64_t(Sh.Offset) : 0;
    O.Mask =
        Tells ? expandMask(Sh.Written & ~Sh.Unknown) : ~expandMask(Sh.Written);
    O.Reg = &Sh;
  }
  if (Effective) {
    Ops.back().EndsRegs = Tm.TellsRegs;
    Ops.back().EndsMems = Tm.NumMems != 0;
  }
  return true;
}

/// The plan of the run with these templates.
Encoder::RunPlan &Encoder::plan(uint32_t Number, llvm::ArrayRef<uint32_t> Ids) {
  RunPlan &P = Plans[Number];
  if (P.Made)
    return P;
  P.Made = P.Simple = true;
  P.FirstOp = uint32_t(Ops.size());
  for (uint32_t I = 0; I < Ids.size() && P.Simple; ++I)
    P.Simple = planInsn(Ids[I], I, P);
  if (!P.Simple)
    Ops.resize(P.FirstOp);
  P.NumOps = uint32_t(Ops.size()) - P.FirstOp;
  return P;
}

/// Notes which lanes a run changes, before it does.
void Encoder::mark(RunPlan &P, unsigned Th, unsigned Block) {
  if (P.MarkedBlock == Block && P.MarkedThread == Th)
    return;
  P.MarkedBlock = Block;
  P.MarkedThread = uint16_t(Th);
  const Lanes &Own = State[Th];
  for (const LaneUse &U : P.Lanes) {
    Changed[ChangedIndex[Th][U.Lane]].Dirty |=
        U.Dirties || (Own.Known[U.Lane] & U.Written) ||
        (Own.Value[U.Lane] & expandMask(U.Written));
    touch(Th, U.Lane, Block);
  }
}

/// Does what effects() does for each instruction. \p InBlock: where in the
/// block the run begins.
void Encoder::execute(const RunPlan &P, unsigned Th, unsigned Block,
                      uint32_t InBlock) {
  Lanes &Own = State[Th];
  uint64_t *const Values = Own.Value.data();
  uint8_t *const Known = Own.Known.data();
  const uint64_t *Told = S.RegValues.data() + NextReg;
  const FlowPlace *Place = S.Places.data() + NextMem;
  MemCodes.clear();
  RegCodes.clear();
  for (const Op &O : llvm::ArrayRef(Ops).slice(P.FirstOp, P.NumOps)) {
    const uint64_t Base = O.Source == NoLane ? 0 : Values[O.Source];
    switch (O.Kind) {
    case Op::Forget:
      Values[O.Lane] &= O.Mask;
      Known[O.Lane] &= uint8_t(~O.Written);
      break;
    case Op::Tell: {
      const uint64_t Value = *Told++;
      if (O.Frozen && (((Base & O.Mask) + O.Offset) & O.Mask) == Value)
        RegCodes.hit();
      else
        RegCodes.miss(explicitReg(*O.Reg, O.Frozen, Value, O.Mask, Own));
      Recent.add(Value);
      if (O.Mask == ~uint64_t(0)) {
        Values[O.Lane] = Value;
        Known[O.Lane] = 0xff;
      } else {
        Own.apply(O.Lane, O.Written, O.Unknown, Value);
      }
      break;
    }
    case Op::Access:
      if (!S.MemoryTold)
        S.Accesses.access(*Place, *O.Mem, Block, InBlock + O.Insn);
      place(*O.Mem, *Place++, Base + O.Offset, O.Frozen);
      break;
    }
    if (O.EndsRegs)
      endRegs();
    if (O.EndsMems)
      endMems();
  }
  NextReg = size_t(Told - S.RegValues.data());
  NextMem = size_t(Place - S.Places.data());
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

/// The effects of an instruction of which only the place is known.
void Encoder::forget(const Template &Tm, unsigned Th, unsigned Block) {
  for (unsigned I = 0; I < Tm.NumRegs; ++I) {
    const RegShape &Sh = T.reg(Tm.FirstReg + I);
    unsigned Owner = Sh.Thread == SameThread ? Th : Sh.Thread;
    Lanes &L = State[Owner];
    if ((L.Known[Sh.Lane] & Sh.Written) ||
        (L.Value[Sh.Lane] & expandMask(Sh.Written))) {
      L.apply(Sh.Lane, Sh.Written, Sh.Written, 0);
      Changed[ChangedIndex[Owner][Sh.Lane]].Dirty = true;
    }
    touch(Owner, Sh.Lane, Block);
  }
}

/// What an instruction does, the \p InBlock-th of its block.
void Encoder::effects(uint32_t Id, unsigned Th, unsigned Block,
                      uint32_t InBlock) {
  const Template &Tm = T[Id];
  if (!Tm.NumMems && !Tm.TellsRegs) {
    forget(Tm, Th, Block);
    return;
  }
  bool Frozen = T.frozen(Id, S.Index);
  Lanes &Own = State[Th];
  const RegShape *Regs = Tm.NumRegs ? &T.reg(Tm.FirstReg) : nullptr;
  const MemShape *Mems = Tm.NumMems ? &T.mem(Tm.FirstMem) : nullptr;

  // 1. Addresses and written data, from the state before.
  size_t FirstMem = NextMem;
  MemCodes.clear();
  auto data = [&](const MemShape &Sh, uint64_t Value) {
    if (Frozen && codec::predictData(Sh, Own.Value.data()) == Value)
      MemCodes.hit();
    else
      MemCodes.miss(codec::encodeData(Value));
  };
  for (unsigned I = 0; I < Tm.NumMems; ++I) {
    const MemShape &Sh = Mems[I];
    const FlowPlace &M = S.Places[NextMem++];
    if (!S.MemoryTold)
      S.Accesses.access(M, Sh, Block, InBlock);
    place(Sh, M, codec::predictAddr(Sh, Own.Value.data()), Frozen);
    if ((Sh.Flags & MemItem::Write) && Sh.Known)
      data(Sh, S.MemValues[FirstMem + I]);
  }

  // 2. Registers, each seeing the ones before.
  RegCodes.clear();
  for (unsigned I = 0; I < Tm.NumRegs; ++I) {
    const RegShape &Sh = Regs[I];
    unsigned Owner = Sh.Thread == SameThread ? Th : Sh.Thread;
    Lanes &L = State[Owner];
    uint64_t Mask = expandMask(Sh.Written & ~Sh.Unknown), Value = 0;
    if (Mask) {
      Value = S.RegValues[NextReg++];
      std::optional<uint64_t> Guess;
      if (Frozen)
        Guess = predict(Sh, Mask, Own, FirstMem);
      const bool Hit = Guess == Value;
      if (Hit) {
        RegCodes.hit();
      } else {
        RegCodes.miss(explicitReg(Sh, Frozen, Value, Mask, L));
      }
      // What a reader may leave out it cannot find again.
      if (!Hit || !codec::isDeferred(Sh))
        Recent.add(Value);
    }
    L.apply(Sh.Lane, Sh.Written, Sh.Unknown, Value);
    Changed[ChangedIndex[Owner][Sh.Lane]].Dirty = true;
    touch(Owner, Sh.Lane, Block);
  }

  // 3. Data read, from the state after.
  for (unsigned I = 0; I < Tm.NumMems; ++I)
    if (!(Mems[I].Flags & MemItem::Write) && Mems[I].Known)
      data(Mems[I], S.MemValues[FirstMem + I]);

  if (Tm.TellsRegs)
    endRegs();
  if (Tm.NumMems)
    endMems();
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
    if (std::exchange(Plans[Number].Executed, true)) {
      RunPlan &P = plan(Number, Ids);
      if (P.Simple) {
        mark(P, Th, B);
        if (P.NumOps)
          execute(P, Th, B, InBlock);
        continue;
      }
    }
    for (uint32_t Id : Ids)
      effects(Id, Th, B, InBlock++);
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
