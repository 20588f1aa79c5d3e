//===- Slice.cpp - The instructions that made a value ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Slice.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw::dataflow {

/// The lanes of a register file that hold a cell, and its bytes in each.
static SmallVector<LaneBytes, 4> lanesOf(const CellInfo &C) {
  SmallVector<LaneBytes, 4> Lanes;
  if (C.Slice.Lane == RegisterSlice::NoLane)
    return Lanes;
  unsigned From = C.Slice.Lane * 8u + C.Slice.Offset, To = From + C.Slice.Size;
  for (unsigned Lane = From / 8; Lane * 8 < To; ++Lane) {
    uint8_t Mask = 0;
    for (unsigned B = 0; B < 8; ++B)
      if (Lane * 8 + B >= From && Lane * 8 + B < To)
        Mask |= 1u << B;
    Lanes.push_back({uint16_t(Lane), Mask});
  }
  return Lanes;
}

Error BackwardSlice::add(const DataPlace &Of, Moment Before) {
  if (Of.Memory.Size)
    return wantMemory(Of.Memory, Before, 0, FirstEnds).takeError();
  for (unsigned C = Of.Cells.First; C < Of.Cells.end(); ++C)
    if (auto By = wantCell(Of.Thread, Cell(C), AllBytes, Before, 0, FirstEnds);
        !By)
      return By.takeError();
  return Error::success();
}

void BackwardSlice::add(Moment At) {
  Wanted &W = Pending[At];
  W.All = true;
  W.Depth = 0;
}

Expected<const Instruction *> BackwardSlice::instruction(Moment M) {
  auto It = Decoded.find(M);
  if (It != Decoded.end())
    return &It->second;
  auto I = Store.instruction(M);
  if (!I)
    return I.takeError();
  if (Decoded.size() >= MaxDecoded)
    Decoded.erase(std::prev(Decoded.end()));
  return &Decoded.insert_or_assign(M, std::move(*I)).first->second;
}

/// The slice goes back: to decode an instruction, its block is decoded from the
/// beginning, so those before it, which are often next, are kept.
Error BackwardSlice::decodeUpTo(Moment M) {
  constexpr Moment Ahead = 64;
  if (Decoded.count(M))
    return Error::success();
  Decoded.erase(Decoded.upper_bound(M), Decoded.end());
  if (Decoded.size() + Ahead > MaxDecoded)
    Decoded.clear();
  if (!Near)
    Near = Store.cursor(/*WithEffects=*/true);
  const Moment First = M - std::min(M, Ahead - 1);
  Near->seek(First);
  for (Moment At = First; At <= M; ++At) {
    const Instruction *I = Near->next();
    if (!I)
      return Near->takeError();
    Decoded.insert_or_assign(I->When, *I);
  }
  return Error::success();
}

Expected<const Execution *> BackwardSlice::executionAt(Moment M,
                                                       bool WithPlaces) {
  std::unique_ptr<ExecutionCursor> &C = WithPlaces ? Places : Flow;
  if (!C)
    C = ExecutionCursor::open(Store, WithPlaces ? ExecutionCursor::Places
                                                : ExecutionCursor::Flow);
  C->seek(M);
  const Execution *E = C->next();
  if (Error Bad = C->takeError())
    return Bad;
  if (!E) // behind the end: the store says that its tables lie
    return Store.instruction(M).takeError();
  return E;
}

static bool writes(const StepCode &Code, Cell C) {
  for (const NodeCode &N : Code.Nodes)
    if (is_contained(Code.writes(N), C))
      return true;
  return false;
}

bool BackwardSlice::writesCell(const InsnItem &I, Cell C) {
  return (I.Flags & InsnItem::Executed) &&
         any_of(Codes.effects(I).Writes,
                [&](CellRef R) { return R.contains(C); });
}

Expected<std::optional<Moment>>
BackwardSlice::untoldWrite(ThreadIndex T, Cell C, std::optional<Moment> After,
                           Moment Before) {
  if (Untold.empty()) {
    Untold.resize(Codes.cells().size());
    Store.forEachKind([&](const InsnItem &I, ArrayRef<LaneBytes> Told) {
      if (!(I.Flags & InsnItem::Executed))
        return;
      for (CellRef R : Codes.effects(I).Writes)
        for (unsigned W = R.First; W < R.end(); ++W) {
          bool Tells =
              any_of(lanesOf(Codes.cells().info(Cell(W))), [&](LaneBytes L) {
                return any_of(Told, [&](LaneBytes By) {
                  return By.Lane == L.Lane && (By.Mask & L.Mask);
                });
              });
          if (!Tells)
            Untold[W].push_back(I.PC);
        }
    });
    for (auto &List : Untold) {
      llvm::sort(List);
      List.erase(llvm::unique(List), List.end());
    }
  }
  ArrayRef<uint64_t> PCs = Untold[C];
  const Moment First = After ? *After + 1 : O.From;
  if (PCs.empty() || First >= Before)
    return std::nullopt;
  // Mostly it is near: a walk finds it.
  constexpr Moment Window = 256;
  Moment Near = std::max(First, Before - std::min(Before, Window));
  std::optional<Moment> Found;
  auto Cursor = Store.cursor(/*WithEffects=*/false);
  Cursor->seek(Near);
  while (const Instruction *I = Cursor->next()) {
    if (I->When >= Before)
      break;
    if (I->Thread == T && writesCell(I->Insn, C))
      Found = I->When;
  }
  if (Error E = Cursor->takeError())
    return E;
  if (Found || Near == First)
    return Found;
  for (uint64_t PC : PCs)
    for (Moment Until = Near;;) {
      auto M = Store.lastVisit(PC, Until, T);
      if (!M)
        return M.takeError();
      if (!*M || **M < First || (Found && **M <= *Found))
        break;
      auto I = instruction(**M);
      if (!I)
        return I.takeError();
      if (writesCell((*I)->Insn, C)) {
        Found = **M;
        break;
      }
      Until = **M;
    }
  return Found;
}

Expected<std::optional<Moment>> BackwardSlice::lastWrite(ThreadIndex T, Cell C,
                                                         Moment Before) {
  auto It = LastWrites.find({T, C});
  if (It != LastWrites.end() && Before <= It->second.Before &&
      (!It->second.Write || *It->second.Write < Before))
    return It->second.Write;
  const SmallVector<LaneBytes, 4> Lanes = lanesOf(Codes.cells().info(C));
  std::optional<Moment> Found;
  for (Moment Until = Before; !Lanes.empty();) {
    std::optional<Moment> Last;
    for (LaneBytes L : Lanes) {
      auto M = Store.lastRegisterWrite(T, L.Lane, L.Mask, Until);
      if (!M)
        return M.takeError();
      if (*M && **M != BeforeTrace)
        Last = std::max(Last.value_or(0), **M);
    }
    if (!Last || *Last < O.From)
      break;
    // Flags and fields have bytes in common.
    auto By = executionAt(*Last, /*WithPlaces=*/false);
    if (!By)
      return By.takeError();
    if (writes(Codes.of(**By), C)) {
      Found = Last;
      break;
    }
    Until = *Last;
  }
  auto Other = untoldWrite(T, C, Found, Before);
  if (!Other)
    return Other.takeError();
  if (*Other)
    Found = *Other;
  LastWrites[{T, C}] = {Found, Before};
  return Found;
}

ByteMask BackwardSlice::Wanted::bytesOf(ThreadIndex T, Cell C) const {
  for (const WantedCell &W : Cells)
    if (W.Thread == T && W.Of == C)
      return W.Bytes;
  return 0;
}

BackwardSlice::Source BackwardSlice::wantCell(ThreadIndex T, Cell C,
                                              ByteMask Bytes, Moment Before,
                                              unsigned Depth, Ends &To) {
  DataPlace Of{T, {C, 1}, {}};
  if (O.Suppress)
    for (CellRef R : Codes.stackPointers())
      if (R.contains(C)) {
        To.push_back({SliceEnd::Structure, Of});
        return std::nullopt;
      }
  auto M = lastWrite(T, C, Before);
  if (!M)
    return M.takeError();
  if (!*M) {
    bool NoPlace = Codes.cells().info(C).Slice.Lane == RegisterSlice::NoLane;
    To.push_back({NoPlace  ? SliceEnd::Unknown
                  : O.From ? SliceEnd::NotSearched
                           : SliceEnd::BeforeTrace,
                  Of});
    return std::nullopt;
  }
  Wanted &W = Pending[**M];
  W.Depth = std::min(W.Depth, Depth);
  for (WantedCell &Known : W.Cells)
    if (Known.Thread == T && Known.Of == C) {
      Known.Bytes |= Bytes;
      return **M;
    }
  W.Cells.push_back({T, C, Bytes});
  return **M;
}

BackwardSlice::Source BackwardSlice::wantMemory(Range R, Moment Before,
                                                unsigned Depth, Ends &To) {
  auto M = Store.lastAccess(R.Addr, R.Size, AccessKind::Write, Before);
  if (!M)
    return M.takeError();
  if (!*M || **M < O.From) {
    To.push_back({*M ? SliceEnd::NotSearched : SliceEnd::Input, {0, {}, R}});
    return std::nullopt;
  }
  Wanted &W = Pending[**M];
  W.Depth = std::min(W.Depth, Depth);
  if (!is_contained(W.Memory, R))
    W.Memory.push_back(R);
  return **M;
}

/// If \p N restores registers: when they were saved. The place must be as it
/// was, and the registers at the save what they were at the call: not written
/// between, or restored, too. That is so in a function that went on as another,
/// which saves them anew.
Expected<std::optional<Moment>> BackwardSlice::savedAt(const Instruction &I,
                                                       const NodeCode &N,
                                                       unsigned Restores) {
  if (!O.Suppress || !Calls || !(N.Flags & NodeCode::Restore))
    return std::nullopt;
  const std::pair Key(I.When, N.Moved.First);
  if (auto It = Saves.find(Key); It != Saves.end())
    return It->second;
  auto Saved = findSave(I, N, Restores);
  if (!Saved)
    return Saved;
  // A slice goes back: old ones are not asked for again.
  constexpr size_t Most = 1 << 16;
  if (Saves.size() == Most)
    Saves.clear();
  Saves[Key] = *Saved;
  return Saved;
}

/// Whether \p N saves the link register in the frame, or loads it from there.
bool BackwardSlice::movesLink(const StepCode &Code, const NodeCode &N) {
  const CellRef Link = Codes.convention(Code.Isa).Link;
  return Link.Count && N.Moved == Link && (N.Flags & NodeCode::MovesMemory) &&
         (N.BaseSP || N.BaseFP);
}

Expected<std::optional<Moment>> BackwardSlice::savedBefore(const Instruction &I,
                                                           const NodeCode &N) {
  if (Calls && N.Load && movesLink(Codes.of(I), N))
    return findSave(I, N, 0);
  return savedAt(I, N);
}

Expected<std::optional<Moment>> BackwardSlice::findSave(const Instruction &I,
                                                        const NodeCode &N,
                                                        unsigned Restores) {
  Range Where = onePart(N.Load, Accesses(I).Loads);
  if (!Where.Size)
    return std::nullopt;
  auto Stored =
      Store.lastAccess(Where.Addr, Where.Size, AccessKind::Write, I.When);
  if (!Stored)
    return Stored.takeError();
  if (!*Stored)
    return std::nullopt;
  auto By = executionAt(**Stored);
  if (!By)
    return By.takeError();
  const Execution Save = **By;
  const StepCode &SaveCode = Codes.of(Save);
  const Accesses At(Save);
  bool Same = any_of(SaveCode.Nodes, [&](const NodeCode &M) {
    const bool Saves =
        (M.Flags & NodeCode::Save) || (M.Store && movesLink(SaveCode, M));
    return Saves && M.Moved == N.Moved && onePart(M.Store, At.Stores) == Where;
  });
  if (!Same || Save.Thread != I.Thread)
    return std::nullopt;
  auto Here = Calls->enclosing(I.Thread, I.Pos);
  if (!Here)
    return Here.takeError();
  auto There = Calls->enclosing(I.Thread, Save.Pos);
  if (!There)
    return There.takeError();
  if (!*Here || !*There || (*Here)->Number != (*There)->Number)
    return std::nullopt;
  auto Begin = Store.momentOf(I.Thread, (*Here)->Start);
  if (!Begin)
    return Begin.takeError();
  for (unsigned C = N.Moved.First; C < N.Moved.end(); ++C) {
    auto Written = lastWrite(I.Thread, Cell(C), Save.When);
    if (!Written)
      return Written.takeError();
    if (!*Written || **Written < *Begin)
      continue;
    auto Restored = restores(**Written, Cell(C), Restores);
    if (!Restored)
      return Restored.takeError();
    if (!*Restored)
      return std::nullopt;
  }
  return Save.When;
}

/// Whether what \p At writes to \p C was there when the activation began.
Expected<bool> BackwardSlice::restores(Moment At, Cell C, unsigned Restores) {
  // Functions may go on as others without end; what was restored so often was
  // saved before.
  constexpr unsigned Most = 32;
  auto By = instruction(At);
  if (!By)
    return By.takeError();
  const Instruction I = **By;
  const StepCode &Code = Codes.of(I);
  for (const NodeCode &N : Code.Nodes) {
    if (!is_contained(Code.writes(N), C))
      continue;
    if (!(N.Flags & NodeCode::Restore) || !N.Moved.contains(C))
      return false;
    if (Restores == Most)
      return true;
    auto Saved = savedAt(I, N, Restores + 1);
    if (!Saved)
      return Saved.takeError();
    return Saved->has_value();
  }
  return false;
}

Accesses::Accesses(const Instruction &I) {
  for (const MemAccess &M : I.Mems)
    (M.isWrite() ? Stores : Loads)
        .push_back({M.Addr, uint32_t(M.Bytes.size())});
  order();
}

Accesses::Accesses(const Execution &E) {
  for (const AccessPlace &A : E.Places)
    (A.Write ? Stores : Loads).push_back({A.Addr, A.Size});
  order();
}

/// Some traces tell the upper half of a pair first.
void Accesses::order() {
  sortAndJoin(Loads);
  sortAndJoin(Stores);
}

/// What of \p R is not in \p Covered, ascending.
static SmallVector<Range, 2> without(Range R, ArrayRef<Range> Covered) {
  SmallVector<Range, 2> Left = {R};
  for (Range C : Covered) {
    SmallVector<Range, 2> Next;
    for (Range L : Left) {
      if (!L.overlaps(C)) {
        Next.push_back(L);
        continue;
      }
      auto [Before, Behind] = L.around(L.common(C));
      if (Before.Size)
        Next.push_back(Before);
      if (Behind.Size)
        Next.push_back(Behind);
    }
    Left = std::move(Next);
  }
  return Left;
}

/// Notes what node \p N of \p I makes of what is wanted. Of a move, the bytes;
/// of what goes lane by lane, the lanes; otherwise all or nothing.
ByteMask BackwardSlice::wanted(const Wanted &W, const Instruction &I,
                               const Accesses &At, const StepCode &Code,
                               const NodeCode &N, const Move &Moved) {
  ByteMask Bytes =
      W.All || (W.LedTo && (N.Flags & NodeCode::Flow)) ? AllBytes : 0;
  for (Cell C : Code.writes(N)) {
    const ByteMask Of = W.All ? AllBytes : W.bytesOf(I.Thread, C);
    if (!Of)
      continue;
    Out.Made.push_back({I.Thread, {C, 1}, {}});
    if (hasLanes(N) && !W.All)
      Bytes |= ByteMask(1) << laneOf(N, C);
    else if (!Moved.is())
      Bytes = AllBytes;
    else if (Moved.To.contains(C))
      Bytes |= Sizes.inRun(Moved.To, C, Of);
  }
  forEachPart(N.Store, At.Stores, [&](Range S) {
    if (W.All)
      Out.Made.push_back({I.Thread, {}, S});
    for (Range R : W.Memory) {
      const Range Common = R.common(S);
      if (!Common.Size)
        continue;
      Out.Made.push_back({I.Thread, {}, Common});
      Bytes |=
          Moved.is() ? byteMask(Common.Addr - S.Addr, Common.Size) : AllBytes;
    }
  });
  return Bytes;
}

/// Wants what \p N reads for \p Bytes (or lanes).
Error BackwardSlice::followNode(const Instruction &I, const Accesses &At,
                                const StepCode &Code, const NodeCode &N,
                                const Move &Moved, ByteMask Bytes,
                                unsigned Depth) {
  for (Cell C : Code.reads(N)) {
    ByteMask Of = AllBytes;
    if (Moved.From.contains(C))
      Of = Sizes.ofCell(Moved.From, C, Bytes);
    else if (hasLanes(N) && !(Bytes >> laneOf(N, C) & 1))
      Of = 0;
    Of &= Code.bytesRead(N, C);
    if (!Of)
      continue;
    auto By = wantCell(I.Thread, C, Of, I.When, Depth, Out.Ends);
    if (!By)
      return By.takeError();
    Out.Needs.push_back({{I.Thread, {C, 1}, {}}, *By});
  }
  Error Failed = Error::success();
  auto Read = [&](Range R) {
    if (Failed)
      return;
    auto By = wantMemory(R, I.When, Depth, Out.Ends);
    if (By)
      Out.Needs.push_back({{I.Thread, {}, R}, *By});
    else
      Failed = By.takeError();
  };
  if (N.Load && Moved.is())
    forEachRun(Bytes & Moved.moved(), [&](unsigned Offset, unsigned Size) {
      Read({Moved.Memory.Addr + Offset, Size});
    });
  else
    forEachPart(N.Load, At.Loads, Read);
  return Failed;
}

Error BackwardSlice::follow(const Instruction &I, const Wanted &W) {
  const StepCode &Code = Codes.of(I);
  const Accesses At(I);
  const Capabilities &Can = Store.header().Can;
  bool Executed = I.Insn.Flags & InsnItem::Executed;
  // What it wrote answers only a part; the rest is older.
  for (Range R : W.Memory)
    for (Range Rest : without(R, At.Stores))
      if (auto By = wantMemory(Rest, I.When, W.Depth, Out.Ends); !By)
        return By.takeError();
  bool TooDeep = W.Depth >= O.MaxDepth || (O.Stop && O.Stop(I.Insn.PC));
  bool Any = W.LedTo.has_value();
  if (Any && TooDeep)
    Out.Ends.push_back({SliceEnd::Stopped, {}});
  Any |= W.All && !Executed;
  if (Any && !Executed && !TooDeep)
    for (Cell C : Code.Predicate) {
      auto By = wantCell(I.Thread, C, Code.bytesOfPredicate(C), I.When,
                         W.Depth + 1, Out.Ends);
      if (!By)
        return By.takeError();
      Out.Needs.push_back({{I.Thread, {C, 1}, {}}, *By});
    }
  for (const NodeCode &N : Code.Nodes) {
    if (!Executed)
      break;
    const Move Moved = moveOf(N, At.Loads, At.Stores);
    const size_t MadeBefore = Out.Made.size();
    const ByteMask Bytes = wanted(W, I, At, Code, N, Moved);
    if (!Bytes && Out.Made.size() == MadeBefore)
      continue;
    Any = true;
    if (TooDeep) {
      Out.Ends.push_back({SliceEnd::Stopped, {}});
      continue;
    }
    const size_t NeedsBefore = Out.Needs.size();
    if (Error E = followNode(I, At, Code, N, Moved, Bytes, W.Depth + 1))
      return E;
    if (N.Load && !Can.MemAddresses)
      Out.Ends.push_back({SliceEnd::Unknown, {}});
    else if ((N.Flags & NodeCode::System) ||
             (N.Store && !N.NumReads &&
              any_of(Code.Nodes, [](const NodeCode &Of) {
                return Of.Flags & NodeCode::System;
              }))) // also what it answers in memory
      Out.Ends.push_back({SliceEnd::System, {}});
    else if (!Codes.effects(I.Insn).Known)
      Out.Ends.push_back({SliceEnd::Unknown, {}});
    else if (Moved.is() || hasLanes(N)
                 ? Out.Needs.size() == NeedsBefore
                 : !N.NumReads && !N.Load && (N.NumWrites || N.Store))
      Out.Ends.push_back({SliceEnd::Constant, {}});
  }
  if (Any && !TooDeep && O.Control)
    return wantParent(I.When, W.Depth + 1);
  return Error::success();
}

/// Wants what decided that \p M was reached.
Error BackwardSlice::wantParent(Moment M, unsigned Depth) {
  auto By = O.Control->parent(M);
  if (!By)
    return By.takeError();
  if (!*By)
    return Error::success();
  if (**By < O.From) {
    // Once is enough: it is told behind the list.
    if (!std::exchange(ControlCut, true))
      FirstEnds.push_back({SliceEnd::NotSearched, {}});
    return Error::success();
  }
  Wanted &W = Pending[**By];
  W.Depth = std::min(W.Depth, Depth);
  if (!W.LedTo)
    W.LedTo = M;
  return Error::success();
}

Expected<const SliceStep *> BackwardSlice::next(const Watch &Watch) {
  while (!Pending.empty()) {
    if (Error E = Watch.check())
      return E;
    auto First = Pending.begin();
    Moment At = First->first;
    Wanted W = std::move(First->second);
    Pending.erase(First);
    if (Error E = decodeUpTo(At))
      return E;
    auto I = instruction(At);
    if (!I)
      return I.takeError();
    const Instruction Insn = **I;
    const StepCode &Code = Codes.of(Insn);
    // Registers that it restores were made before they were saved.
    if (!W.All)
      for (const NodeCode &N : Code.Nodes) {
        auto Restored = [&](const WantedCell &C) {
          return C.Thread == Insn.Thread && N.Moved.contains(C.Of);
        };
        bool Any = any_of(W.Cells, [&](const WantedCell &C) {
          return Restored(C) && is_contained(Code.writes(N), C.Of);
        });
        if (!Any)
          continue;
        auto Saved = savedAt(Insn, N);
        if (!Saved)
          return Saved.takeError();
        if (!*Saved)
          continue;
        ++Bypassed;
        Ends Here;
        for (const WantedCell &C : W.Cells)
          if (Restored(C))
            if (auto By =
                    wantCell(C.Thread, C.Of, C.Bytes, **Saved, W.Depth, Here);
                !By)
              return By.takeError();
        erase_if(W.Cells, Restored);
        FirstEnds.insert(FirstEnds.end(), Here.begin(), Here.end());
      }
    if (!W.All && !W.LedTo && W.Cells.empty() && W.Memory.empty())
      continue;
    Out = SliceStep();
    Out.LedTo = W.LedTo;
    Out.Insn = Insn;
    Out.Depth = W.Depth;
    if (Error E = follow(Insn, W))
      return E;
    return &Out;
  }
  return nullptr;
}

} // namespace rw::dataflow
