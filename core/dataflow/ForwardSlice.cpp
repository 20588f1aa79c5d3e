//===- ForwardSlice.cpp - What a value went on into -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/ForwardSlice.h"
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

ForwardSlice::ForwardSlice(const TraceStore &Store, StepCodes &Codes,
                           const Options &Wanted)
    : Store(Store), O(Wanted),
      Reader(Store, O.Control == ControlMode::None ? nullptr : O.Calls, Codes,
             {O.Control == ControlMode::None ? O.From : 0, O.To, std::nullopt}),
      Parents(O.Control, O.Flow, Store.numThreads()),
      Cells(Store.numThreads(),
            std::vector<uint32_t>(Codes.cells().size(), Not)),
      NotFollowed(Codes.cells().size()), Reached(O.From) {
  if (O.Suppress)
    for (CellRef R : Codes.stackPointers())
      NotFollowed.set(R.First, R.end());
}

void ForwardSlice::mark(ThreadIndex T, Cell C, unsigned Depth) {
  uint32_t &Of = Cells[T][C];
  NumCells += (Depth != Not) - (Of != Not);
  Of = Depth;
}

void ForwardSlice::add(const DataPlace &Of) {
  if (Of.Memory.Size)
    return Memory.insert(Of.Memory, 0);
  for (unsigned C = Of.Cells.First; C < Of.Cells.end(); ++C)
    if (!NotFollowed.test(C))
      mark(Of.Thread, Cell(C), 0);
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
  auto Read = [&](Cell C, unsigned &Depth) {
    const unsigned Of = Cells[S.Thread][C];
    if (Of == Not || NotFollowed.test(C))
      return;
    Depth = std::min(Depth, Of);
    Out.Needs.push_back({{S.Thread, {C, 1}, {}}, std::nullopt});
  };
  // All of an instruction reads before any of it writes.
  SmallVector<unsigned, 4> In;
  unsigned Least = Not, Flow = Led;
  if (S.Executed)
    for (const NodeCode &N : Code.Nodes) {
      unsigned Depth = Led;
      for (Cell C : Code.reads(N))
        Read(C, Depth);
      forEachPart(N.Load, S.Loads, [&](Range R) {
        Memory.forEach(R, [&](Range Common, unsigned Of) {
          Depth = std::min(Depth, Of);
          Out.Needs.push_back({{S.Thread, {}, Common}, std::nullopt});
        });
      });
      In.push_back(Depth);
      Least = std::min(Least, Depth);
      if (N.Flags & NodeCode::Flow)
        Flow = std::min(Flow, Depth);
    }
  else
    for (Cell C : Code.Predicate)
      Read(C, Flow);
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
    const unsigned Made = Keeps(N) ? In[K] : Next(In[K]);
    for (Cell C : Code.writes(N)) {
      mark(S.Thread, C, NotFollowed.test(C) ? Not : Made);
      if (In[K] != Not)
        Out.Made.push_back({S.Thread, {C, 1}, {}});
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
