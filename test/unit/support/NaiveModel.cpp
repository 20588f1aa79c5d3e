//===- NaiveModel.cpp - Answers by replay, to check a store with ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NaiveModel.h"
#include <algorithm>
#include <set>

using namespace rw;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Taking the items in
//===----------------------------------------------------------------------===//

Error NaiveModel::consume(ItemBatch &Batch) {
  uint64_t FirstMoment = Insns.size();

  // Invariant 2: what leads a batch belongs to the last instruction before it.
  Regs.insert(Regs.end(), Batch.Regs.begin(), Batch.Regs.end());
  Mems.insert(Mems.end(), Batch.Mems.begin(), Batch.Mems.end());
  uint64_t NextReg = Regs.size() - Batch.Regs.size() + Batch.LeadRegs;
  uint64_t NextMem = Mems.size() - Batch.Mems.size() + Batch.LeadMems;
  uint64_t Line;
  if (Insns.empty()) {
    InitialRegs = NextReg;
    InitialMems = NextMem;
    InitialLines += Batch.LeadLines;
    Line = 1 + InitialLines;
  } else {
    Insn &Last = Insns.back();
    Last.EndReg = NextReg;
    Last.EndMem = NextMem;
    Last.Item.Lines += Batch.LeadLines;
    Line = Last.Line + Last.Item.Lines;
  }

  for (const InsnItem &Item : Batch.Insns) {
    Insn N;
    N.Item = Item;
    N.FirstReg = NextReg;
    N.EndReg = NextReg += Item.NumRegs;
    N.FirstMem = NextMem;
    N.EndMem = NextMem += Item.NumMems;
    N.Line = Line;
    Line += Item.Lines;
    if (!Insns.empty())
      N.Time = Insns.back().Time;
    if (Item.Flags & InsnItem::TimeKnown)
      N.Time = std::max(N.Time.value_or(0), Item.Time);
    Insns.push_back(N);
  }
  if (NextReg != Regs.size() || NextMem != Mems.size())
    return createStringError("a batch whose counts do not match its effects");

  for (const EventItem &E : Batch.Events)
    Events.push_back(
        {FirstMoment + E.Before, E.Thread, E.Kind, E.PC, E.Value, E.Text});
  return Error::success();
}

Error NaiveModel::finish(const TraceHeader &H) {
  Header = H;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Moments, positions, time and lines
//===----------------------------------------------------------------------===//

static bool isBefore(Moment A, Moment B) {
  if (B == BeforeTrace)
    return false;
  return A == BeforeTrace || A < B;
}

uint64_t NaiveModel::numInstructions(ThreadIndex T) const {
  return positionOf(T, Insns.size());
}

Moment NaiveModel::momentOf(ThreadIndex T, Position P) const {
  for (Moment M = 0; M < Insns.size(); ++M)
    if (Insns[M].Item.Thread == T && P-- == 0)
      return M;
  return Insns.size();
}

Position NaiveModel::positionOf(ThreadIndex T, Moment M) const {
  Position P = 0;
  for (Moment I = 0; I < M; ++I)
    P += Insns[I].Item.Thread == T;
  return P;
}

std::optional<uint64_t> NaiveModel::timeAt(Moment M) const {
  return Insns[M].Time;
}

Moment NaiveModel::momentAtTime(uint64_t Time) const {
  for (Moment M = 0; M < Insns.size(); ++M)
    if (Insns[M].Time && *Insns[M].Time >= Time)
      return M;
  return Insns.size();
}

std::optional<Moment> NaiveModel::momentAtLine(uint64_t Line) const {
  for (Moment M = 0; M < Insns.size(); ++M)
    if (Insns[M].Line <= Line && Line < Insns[M].Line + Insns[M].Item.Lines)
      return M;
  return std::nullopt;
}

uint64_t NaiveModel::lineAt(Moment M) const {
  return Header.Can.Lines ? Insns[M].Line : 0;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static void append(MemAccess &A, const MemItem &Piece) {
  for (unsigned K = 0; K < Piece.Size; ++K) {
    bool Known = !(Piece.Flags & MemItem::NoValue) && (Piece.Known >> K & 1);
    A.Known.push_back(Known);
    A.Bytes.push_back(Known ? uint8_t(Piece.Value >> 8 * K) : 0);
  }
}

Instruction NaiveModel::instruction(Moment M) const {
  const Insn &N = Insns[M];
  Instruction R;
  R.When = M;
  R.Thread = N.Item.Thread;
  R.Pos = positionOf(R.Thread, M);
  R.Insn = N.Item;
  R.Insn.Time = N.Time.value_or(0);
  R.Line = lineAt(M);
  R.Regs.append(Regs.begin() + N.FirstReg, Regs.begin() + N.EndReg);
  for (uint64_t I = N.FirstMem; I != N.EndMem; ++I) {
    const MemItem &Piece = Mems[I];
    if (!(Piece.Flags & MemItem::Joined) || R.Mems.empty()) {
      MemAccess A;
      A.Addr = Piece.Addr;
      A.Real = Piece.Real;
      A.Flags = Piece.Flags & ~MemItem::Joined;
      R.Mems.push_back(A);
    }
    append(R.Mems.back(), Piece);
  }
  R.Insn.NumRegs = R.Regs.size();
  R.Insn.NumMems = R.Mems.size();
  return R;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

template <typename Fn>
void NaiveModel::eachMem(Moment From, Moment To, Fn F) const {
  if (From == BeforeTrace) {
    for (uint64_t I = 0; I != InitialMems; ++I)
      F(BeforeTrace, Mems[I]);
    From = 0;
  }
  for (Moment M = From; M < To; ++M)
    for (uint64_t I = Insns[M].FirstMem; I != Insns[M].EndMem; ++I)
      F(M, Mems[I]);
}

RegisterState NaiveModel::registersAt(ThreadIndex T, Moment M,
                                      unsigned NumLanes) const {
  RegisterState S;
  for (const RegItem &R : Regs)
    NumLanes = std::max<unsigned>(NumLanes, R.Lane + 1);
  S.Value.resize(NumLanes);
  S.Known.resize(NumLanes);
  uint64_t End = M == 0 ? InitialRegs : Insns[M - 1].EndReg;
  for (uint64_t I = 0; I != End; ++I) {
    const RegItem &R = Regs[I];
    if (R.Thread != T)
      continue;
    for (unsigned K = 0; K < 8; ++K) {
      if (!(R.Written >> K & 1))
        continue;
      uint8_t Bit = 1 << K;
      uint64_t Byte = uint64_t(0xff) << 8 * K;
      if (R.Unknown & Bit) {
        S.Known[R.Lane] &= ~Bit;
        S.Value[R.Lane] &= ~Byte;
      } else {
        S.Known[R.Lane] |= Bit;
        S.Value[R.Lane] = (S.Value[R.Lane] & ~Byte) | (R.Value & Byte);
      }
    }
  }
  return S;
}

/// What \p Item, done at \p When, makes of the byte \p B. \p Offset is the
/// byte's place in the item.
static void apply(NaiveModel::Byte &B, const MemItem &Item, unsigned Offset,
                  Moment When) {
  bool Told = !(Item.Flags & MemItem::NoValue) && (Item.Known >> Offset & 1);
  uint8_t Value = uint8_t(Item.Value >> 8 * Offset);
  if (Item.Flags & MemItem::Write) {
    B = NaiveModel::Byte();
    if (Told) {
      B.Known = true;
      B.Value = Value;
      B.From = Provenance::Write;
      B.Origin = When;
    } else if (Item.Flags & MemItem::Implied) {
      B.AfterImplied = true;
      B.ImpliedBy = When;
    }
    return;
  }
  if (!Told || (B.Known && B.Value == Value))
    return;
  bool Semihosting = !B.Known && B.AfterImplied;
  B.Known = true;
  B.Value = Value;
  B.From = Semihosting ? Provenance::Semihosting : Provenance::Read;
  B.Origin = Semihosting ? B.ImpliedBy : When;
}

/// Addresses wrap around: a byte is in [Addr, Addr + Size) if its distance from
/// Addr is less than Size.
static bool overlaps(const MemItem &Item, uint64_t Addr, uint64_t Size) {
  if (!Size || !Item.Size)
    return false;
  return Item.Addr - Addr < Size || Addr - Item.Addr < Item.Size;
}

std::vector<NaiveModel::Byte> NaiveModel::memoryAt(Moment M, uint64_t Addr,
                                                   size_t Size) const {
  std::vector<Byte> State(Size);
  eachMem(BeforeTrace, M, [&](Moment When, const MemItem &Item) {
    if (!overlaps(Item, Addr, Size))
      return;
    for (unsigned K = 0; K < Item.Size; ++K)
      if (Item.Addr + K - Addr < Size)
        apply(State[Item.Addr + K - Addr], Item, K, When);
  });

  // What is still unknown is known all the same if the next that happens to it
  // is a read.
  std::vector<bool> Settled(Size);
  size_t Open = 0;
  for (size_t I = 0; I < Size; ++I) {
    Settled[I] = State[I].Known;
    Open += !Settled[I];
  }
  eachMem(M, Open ? Insns.size() : M, [&](Moment When, const MemItem &Item) {
    if (!overlaps(Item, Addr, Size))
      return;
    for (unsigned K = 0; K < Item.Size; ++K) {
      size_t I = Item.Addr + K - Addr;
      if (I >= Size || Settled[I])
        continue;
      if (Item.Flags & MemItem::Write) {
        Settled[I] = true;
        continue;
      }
      apply(State[I], Item, K, When);
      if (State[I].From == Provenance::Read)
        State[I].From = Provenance::LaterRead;
      Settled[I] = State[I].Known;
    }
  });
  return State;
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

std::optional<Moment> NaiveModel::lastRegisterWrite(ThreadIndex T,
                                                    unsigned Lane, uint8_t Mask,
                                                    Moment Before,
                                                    bool OrTold) const {
  auto Hits = [&](uint64_t From, uint64_t To) {
    for (uint64_t I = From; I != To; ++I)
      if (Regs[I].Thread == T && Regs[I].Lane == Lane &&
          (Regs[I].Written & Mask) &&
          (OrTold || !(Regs[I].Flags & RegItem::NotWritten)))
        return true;
    return false;
  };
  if (Before == BeforeTrace)
    return std::nullopt;
  for (Moment M = std::min<Moment>(Before, Insns.size()); M-- > 0;)
    if (Hits(Insns[M].FirstReg, Insns[M].EndReg))
      return M;
  if (Hits(0, InitialRegs))
    return BeforeTrace;
  return std::nullopt;
}

std::optional<Moment> NaiveModel::nextRegisterWrite(ThreadIndex T,
                                                    unsigned Lane, uint8_t Mask,
                                                    Moment After) const {
  for (Moment M = 0; M < Insns.size(); ++M) {
    if (!isBefore(After, M))
      continue;
    for (uint64_t I = Insns[M].FirstReg; I != Insns[M].EndReg; ++I)
      if (Regs[I].Thread == T && Regs[I].Lane == Lane &&
          (Regs[I].Written & Mask) && !(Regs[I].Flags & RegItem::NotWritten))
        return M;
  }
  return std::nullopt;
}

static bool isKind(const MemItem &Item, AccessKind Kind) {
  AccessKind Is =
      Item.Flags & MemItem::Write ? AccessKind::Write : AccessKind::Read;
  return Kind == AccessKind::Any || Kind == Is;
}

static bool overlapsReal(MemItem Item, uint64_t Real, uint64_t Size) {
  if (Item.Real == ~uint64_t(0))
    return false;
  Item.Addr = Item.Real;
  return overlaps(Item, Real, Size);
}

/// The last instruction before \p Before with an access that \p Is wanted.
template <typename F>
std::optional<Moment> NaiveModel::lastWith(Moment Before, F Is) const {
  if (Before == BeforeTrace)
    return std::nullopt;
  for (Moment M = std::min<Moment>(Before, Insns.size()); M-- > 0;)
    for (uint64_t I = Insns[M].FirstMem; I != Insns[M].EndMem; ++I)
      if (Is(Mems[I]))
        return M;
  return std::nullopt;
}

template <typename F>
std::optional<Moment> NaiveModel::nextWith(Moment After, F Is) const {
  for (Moment M = After == BeforeTrace ? 0 : After + 1; M < Insns.size(); ++M)
    for (uint64_t I = Insns[M].FirstMem; I != Insns[M].EndMem; ++I)
      if (Is(Mems[I]))
        return M;
  return std::nullopt;
}

std::optional<Moment> NaiveModel::lastAccess(uint64_t Addr, uint64_t Size,
                                             AccessKind Kind,
                                             Moment Before) const {
  return lastWith(Before, [&](const MemItem &Item) {
    return isKind(Item, Kind) && overlaps(Item, Addr, Size);
  });
}

std::optional<Moment> NaiveModel::nextAccess(uint64_t Addr, uint64_t Size,
                                             AccessKind Kind,
                                             Moment After) const {
  return nextWith(After, [&](const MemItem &Item) {
    return isKind(Item, Kind) && overlaps(Item, Addr, Size);
  });
}

std::optional<Moment> NaiveModel::lastRealAccess(uint64_t Real, uint64_t Size,
                                                 AccessKind Kind,
                                                 Moment Before) const {
  return lastWith(Before, [&](const MemItem &Item) {
    return isKind(Item, Kind) && overlapsReal(Item, Real, Size);
  });
}

std::optional<Moment> NaiveModel::nextRealAccess(uint64_t Real, uint64_t Size,
                                                 AccessKind Kind,
                                                 Moment After) const {
  return nextWith(After, [&](const MemItem &Item) {
    return isKind(Item, Kind) && overlapsReal(Item, Real, Size);
  });
}

std::vector<uint64_t> NaiveModel::knownBytes() const {
  std::set<uint64_t> Bytes;
  for (const MemItem &Item : Mems)
    for (unsigned K = 0; K < Item.Size; ++K)
      if (!(Item.Flags & MemItem::NoValue) && (Item.Known >> K & 1))
        Bytes.insert(Item.Addr + K);
  return {Bytes.begin(), Bytes.end()};
}

static void addGranules(std::set<uint64_t> &Granules, const MemItem &Item) {
  for (unsigned K = 0; K < Item.Size; ++K)
    Granules.insert((Item.Addr + K) & ~uint64_t(7));
}

std::vector<uint64_t> NaiveModel::touchedGranules() const {
  std::set<uint64_t> Granules;
  for (const MemItem &Item : Mems)
    addGranules(Granules, Item);
  return {Granules.begin(), Granules.end()};
}

std::vector<uint64_t> NaiveModel::writtenGranules(Moment From,
                                                  Moment To) const {
  std::set<uint64_t> Granules;
  eachMem(From, To, [&](Moment, const MemItem &Item) {
    if (Item.Flags & MemItem::Write)
      addGranules(Granules, Item);
  });
  return {Granules.begin(), Granules.end()};
}

std::optional<Moment>
NaiveModel::lastVisit(uint64_t PC, Moment Before,
                      std::optional<ThreadIndex> T) const {
  if (Before == BeforeTrace)
    return std::nullopt;
  for (Moment M = std::min<Moment>(Before, Insns.size()); M-- > 0;)
    if (Insns[M].Item.PC == PC && (!T || Insns[M].Item.Thread == *T))
      return M;
  return std::nullopt;
}

std::optional<Moment>
NaiveModel::nextVisit(uint64_t PC, Moment After,
                      std::optional<ThreadIndex> T) const {
  for (Moment M = 0; M < Insns.size(); ++M)
    if (isBefore(After, M) && Insns[M].Item.PC == PC &&
        (!T || Insns[M].Item.Thread == *T))
      return M;
  return std::nullopt;
}

std::optional<Moment>
NaiveModel::visitAtOrAfter(uint64_t PC, Moment From,
                           std::optional<ThreadIndex> T) const {
  for (Moment M = 0; M < Insns.size(); ++M)
    if (!isBefore(M, From) && Insns[M].Item.PC == PC &&
        (!T || Insns[M].Item.Thread == *T))
      return M;
  return std::nullopt;
}

std::vector<uint64_t> NaiveModel::distinctPCs() const {
  std::set<uint64_t> PCs;
  for (const Insn &N : Insns)
    PCs.insert(N.Item.PC);
  return {PCs.begin(), PCs.end()};
}

uint64_t NaiveModel::firstEventFrom(Moment M) const {
  uint64_t I = 0;
  while (I != Events.size() && isBefore(Events[I].Before, M))
    ++I;
  return I;
}
