//===- ForwardSlice.cpp - What a value went on into -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/ForwardSlice.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw::dataflow {

/// Calls \p F with the number of each block that \p R has bytes of, and which
/// bytes of the block these are.
template <typename Fn>
static void forEachBlock(Range R, unsigned BlockBits, Fn F) {
  const unsigned Size = 1u << BlockBits;
  uint64_t Addr = R.Addr;
  for (uint32_t Left = R.Size; Left;) {
    const unsigned Offset = Addr % Size;
    const uint32_t Here = std::min<uint32_t>(Left, Size - Offset);
    F(Addr >> BlockBits, maskTrailingOnes<uint64_t>(Here) << Offset);
    Addr += Here;
    Left -= Here;
  }
}

void ByteDepths::insert(Range R, unsigned Depth) {
  forEachBlock(R, BlockBits, [&](uint64_t Number, uint64_t Mask) {
    Block &B = Blocks[Number];
    B.In |= Mask;
    for (uint64_t Bits = Mask; Bits; Bits &= Bits - 1)
      B.Depths[countr_zero(Bits)] = Depth;
  });
}

void ByteDepths::erase(Range R) {
  if (Blocks.empty())
    return;
  forEachBlock(R, BlockBits, [&](uint64_t Number, uint64_t Mask) {
    auto It = Blocks.find(Number);
    if (It != Blocks.end() && !(It->second.In &= ~Mask))
      Blocks.erase(It);
  });
}

void ByteDepths::forEach(Range R, function_ref<void(Range, unsigned)> F) const {
  if (Blocks.empty())
    return;
  Range Part;
  unsigned Depth = 0;
  forEachBlock(R, BlockBits, [&](uint64_t Number, uint64_t Mask) {
    auto It = Blocks.find(Number);
    if (It == Blocks.end())
      return;
    for (uint64_t Bits = It->second.In & Mask; Bits; Bits &= Bits - 1) {
      const unsigned Offset = countr_zero(Bits);
      const uint64_t Addr = (Number << BlockBits) + Offset;
      if (Part.Size && Part.end() == Addr &&
          Depth == It->second.Depths[Offset]) {
        ++Part.Size;
        continue;
      }
      if (Part.Size)
        F(Part, Depth);
      Part = {Addr, 1};
      Depth = It->second.Depths[Offset];
    }
  });
  if (Part.Size)
    F(Part, Depth);
}

CellDepths::CellDepths(const CellMap &Map) : Sizes(Map), In(Map.size()) {
  uint32_t Bytes = 0;
  for (unsigned C = 0; C < Map.size(); ++C) {
    First.push_back(Bytes);
    Bytes += Sizes.size(Cell(C));
  }
  Depths.resize(Bytes);
}

unsigned CellDepths::least(Cell C, ByteMask Of) const {
  unsigned Least = Not;
  for (ByteMask Bits = In[C] & Of; Bits; Bits &= Bits - 1)
    Least = std::min(Least, Depths[First[C] + unsigned(countr_zero(Bits))]);
  return Least;
}

void CellDepths::set(Cell C, unsigned Depth) {
  if (Depth == Not) {
    Marked -= In[C] != 0;
    In[C] = 0;
    return;
  }
  Marked += In[C] == 0;
  In[C] = Sizes.all(C);
  std::fill_n(Depths.begin() + First[C], Sizes.size(C), Depth);
}

void CellDepths::setByte(Cell C, unsigned B, unsigned Depth) {
  const bool Was = In[C] != 0;
  if (Depth == Not) {
    In[C] &= ~(ByteMask(1) << B);
  } else {
    In[C] |= ByteMask(1) << B;
    Depths[First[C] + B] = Depth;
  }
  Marked += size_t(In[C] != 0) - size_t(Was);
}

ForwardSlice::ForwardSlice(const TraceStore &Store, StepCodes &Codes,
                           const Options &Wanted)
    : Store(Store), O(Wanted),
      Reader(Store, O.Control == ControlMode::None ? nullptr : O.Calls, Codes,
             {O.Control == ControlMode::None ? O.From : 0, O.To, std::nullopt}),
      Parents(O.Control, O.Flow, Store.numThreads()),
      Cells(Store.numThreads(), CellDepths(Codes.cells())),
      NotFollowed(Codes.cells().size()), Reached(O.From) {
  if (O.Suppress)
    for (CellRef R : Codes.stackPointers())
      NotFollowed.set(R.First, R.end());
}

void ForwardSlice::add(const DataPlace &Of) {
  if (Of.Memory.Size)
    return Memory.insert(Of.Memory, 0);
  for (unsigned C = Of.Cells.First; C < Of.Cells.end(); ++C)
    if (!NotFollowed.test(C))
      Cells[Of.Thread].set(Cell(C), 0);
}

/// Those of the source, byte by byte; \p Led and what else the node reads count
/// for all of them.
ForwardSlice::MovedDepths ForwardSlice::readMoved(const Step &S,
                                                  const NodeCode &N,
                                                  const Move &M, unsigned Led) {
  const CellDepths &Of = Cells[S.Thread];
  MovedDepths In;
  auto ReadsByte = [&](Cell C, unsigned B) {
    return S.Code->bytesRead(N, C) >> B & 1;
  };
  if (M.From.Count) {
    for (unsigned C = M.From.First; C < M.From.end(); ++C)
      for (unsigned B = 0; B < Of.sizes().size(Cell(C)); ++B)
        In.Bytes.push_back(NotFollowed.test(C) || !ReadsByte(Cell(C), B)
                               ? Not
                               : Of.at(Cell(C), B));
    if (M.Memory.Size)
      In.Bytes.resize(M.Memory.Size, Not);
  } else {
    In.Bytes.resize(M.Memory.Size, Not);
    Memory.forEach(M.Memory, [&](Range R, unsigned Depth) {
      std::fill_n(In.Bytes.begin() + (R.Addr - M.Memory.Addr), R.Size, Depth);
    });
  }
  In.Rest = Led;
  for (Cell C : S.Code->reads(N))
    if (!M.From.contains(C) && !NotFollowed.test(C))
      In.Rest = std::min(In.Rest, Of.least(C, S.Code->bytesRead(N, C)));
  for (unsigned &Depth : In.Bytes)
    Depth = std::min(Depth, In.Rest);
  return In;
}

/// \p Next: the depth of what is made of something.
template <typename Fn>
void ForwardSlice::writeMoved(const Step &S, const Move &M,
                              const MovedDepths &In, Fn Next) {
  if (!M.To.Count) {
    for (size_t B = 0; B < In.Bytes.size(); ++B) {
      const Range Byte{M.Memory.Addr + B, 1};
      const unsigned Depth = Next(In.Bytes[B]);
      Depth != Not ? Memory.insert(Byte, Depth) : Memory.erase(Byte);
      if (In.Bytes[B] == Not)
        continue;
      if (B && In.Bytes[B - 1] != Not)
        ++Out.Made.back().Memory.Size;
      else
        Out.Made.push_back({S.Thread, {}, Byte});
    }
    return;
  }
  CellDepths &Of = Cells[S.Thread];
  size_t At = 0;
  for (unsigned C = M.To.First; C < M.To.end(); ++C) {
    bool Any = false;
    for (unsigned B = 0; B < Of.sizes().size(Cell(C)); ++B, ++At) {
      const unsigned From = At < In.Bytes.size() ? In.Bytes[At] : In.Rest;
      Of.setByte(Cell(C), B, NotFollowed.test(C) ? Not : Next(From));
      Any |= From != Not;
    }
    if (Any)
      Out.Made.push_back({S.Thread, {Cell(C), 1}, {}});
  }
}

/// The depths of what each lane is made of; \p Led counts for all.
ForwardSlice::LaneDepths
ForwardSlice::readLanes(const Step &S, const NodeCode &N, unsigned Led) {
  LaneDepths In;
  In.fill(Led);
  for (Cell C : S.Code->reads(N)) {
    unsigned &Of = In[laneOf(N, C)];
    Of = std::min(Of, Cells[S.Thread].least(C, S.Code->bytesRead(N, C)));
  }
  return In;
}

template <typename Fn>
void ForwardSlice::writeLanes(const Step &S, const NodeCode &N,
                              const LaneDepths &In, Fn Next) {
  for (Cell C : S.Code->writes(N)) {
    const unsigned From = In[laneOf(N, C)];
    Cells[S.Thread].set(C, Next(From));
    if (From != Not)
      Out.Made.push_back({S.Thread, {C, 1}, {}});
  }
}

/// Fills Out with what it has to do with the slice; its depth there.
unsigned ForwardSlice::step(const Step &S) {
  Out.Made.clear();
  Out.Needs.clear();
  Out.Ends.clear();
  const StepCode &Code = *S.Code;
  const bool Control = O.Control != ControlMode::None;
  unsigned Led = Not;
  if (Control)
    Led = Parents.before(S).value_or(Not);
  CellDepths &Registers = Cells[S.Thread];
  auto Read = [&](Cell C, unsigned &Depth, ByteMask Bytes = AllBytes) {
    const unsigned Of = Registers.least(C, Bytes);
    if (Of == Not || NotFollowed.test(C))
      return;
    Depth = std::min(Depth, Of);
    Out.Needs.push_back({{S.Thread, {C, 1}, {}}, std::nullopt});
  };
  // All of an instruction reads before any of it writes.
  SmallVector<unsigned, 4> In;
  SmallVector<MovedDepths, 2> InMoved;
  SmallVector<LaneDepths, 2> InLanes;
  unsigned Least = Not, Flow = Led;
  if (S.Executed)
    for (const NodeCode &N : Code.Nodes) {
      unsigned Depth = Led;
      for (Cell C : Code.reads(N))
        Read(C, Depth, Code.bytesRead(N, C));
      forEachPart(N.Load, S.Loads, [&](Range R) {
        Memory.forEach(R, [&](Range Common, unsigned Of) {
          Depth = std::min(Depth, Of);
          Out.Needs.push_back({{S.Thread, {}, Common}, std::nullopt});
        });
      });
      InMoved.emplace_back();
      InLanes.push_back(hasLanes(N) && Depth != Not ? readLanes(S, N, Led)
                                                    : LaneDepths());
      if (Depth != Not)
        if (const Move M = moveOf(N, S.Loads, S.Stores); M.is()) {
          InMoved.back() = readMoved(S, N, M, Led);
          Depth = std::min(*llvm::min_element(InMoved.back().Bytes),
                           InMoved.back().Rest);
        }
      In.push_back(Depth);
      Least = std::min(Least, Depth);
      if (N.Flags & NodeCode::Flow)
        Flow = std::min(Flow, Depth);
    }
  else
    for (Cell C : Code.Predicate)
      Read(C, Flow, Code.bytesOfPredicate(C));
  Least = std::min(Least, Flow);
  const bool Stop = Least != Not && O.Stop && O.Stop(Code.PC);
  bool Followed = true;
  // What is made of something at \p Depth is one step further.
  auto Next = [&](unsigned Depth) {
    if (Depth == Not)
      return Not;
    if (!Stop && Depth < O.MaxDepth)
      return Depth + 1;
    Followed = false;
    return Not;
  };
  // A function that saves what its caller has in a register, and restores it,
  // makes nothing of it.
  auto Keeps = [&](const NodeCode &N) {
    return O.Suppress && (N.Flags & (NodeCode::Save | NodeCode::Restore));
  };
  for (size_t K = 0; K < In.size(); ++K) {
    const NodeCode &N = Code.Nodes[K];
    if (hasLanes(N) && In[K] != Not) {
      writeLanes(S, N, InLanes[K], Next);
      continue;
    }
    const MovedDepths &Moved = InMoved[K];
    const bool Moves = !Moved.Bytes.empty();
    const Move M = Moves ? moveOf(N, S.Loads, S.Stores) : Move();
    auto NextOf = [&](unsigned Depth) {
      return Keeps(N) ? Depth : Next(Depth);
    };
    const unsigned From = Moves ? Moved.Rest : In[K], Made = NextOf(From);
    for (Cell C : Code.writes(N)) {
      if (M.To.contains(C))
        continue;
      Registers.set(C, NotFollowed.test(C) ? Not : Made);
      if (From != Not)
        Out.Made.push_back({S.Thread, {C, 1}, {}});
    }
    if (Moves) {
      writeMoved(S, M, Moved, NextOf);
      continue;
    }
    forEachPart(N.Store, S.Stores, [&](Range R) {
      Made != Not ? Memory.insert(R, Made) : Memory.erase(R);
      if (In[K] != Not)
        Out.Made.push_back({S.Thread, {}, R});
    });
  }
  if (Control)
    Parents.after(S, Next(Flow));
  if (!Followed) {
    Out.Ends.push_back({SliceEnd::Stopped, {}});
    CutOff = true;
  }
  Out.Depth = Least;
  return Least;
}

Expected<const SliceStep *> ForwardSlice::next(const Watch &W) {
  constexpr uint64_t Often = 1 << 16;
  if (Error E = W.check())
    return E;
  const Moment End = std::min<Moment>(O.To, Store.numInstructions());
  while (!gone()) {
    const Step *S = Reader.next();
    if (!S) {
      if (Error E = Reader.takeError())
        return E;
      Reached = End;
      return nullptr;
    }
    if (++Steps % Often == 0) {
      const Moment Began = O.Control == ControlMode::None ? O.From : 0;
      if (Error E = W.step("slicing", S->When - Began, End - Began))
        return E;
    }
    if (S->When < O.From) {
      (void)Parents.before(*S);
      Parents.after(*S, Not);
      continue;
    }
    Reached = S->When;
    if (step(*S) == Not)
      continue;
    auto I = Store.instruction(Reached);
    if (!I)
      return I.takeError();
    Out.Insn = std::move(*I);
    return &Out;
  }
  return nullptr;
}

} // namespace rw::dataflow
