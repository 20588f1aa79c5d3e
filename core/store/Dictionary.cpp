//===- Dictionary.cpp - Templates and runs while building -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/Dictionary.h"
#include "core/store/FloatOps.h"
#include "core/support/Coding.h"
#include "core/support/Golden.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

static uint64_t mix(uint64_t X) {
  X = golden(X);
  return X ^ (X >> 29);
}

// --- Learning ----------------------------------------------------------------

// Executions from which a prediction is learned, and how many there must be
// before it is fixed.
static constexpr unsigned MaxObservations = 24, MinObservations = 6;
// Segments after which it is no longer waited for them: what is learned of rare
// instructions must not pile up.
static constexpr unsigned MaxAge = 2;

namespace {

/// Finds the lane and offset that explain most values: a majority vote per
/// lane. Lane PredictorLanes stands for the constant zero.
struct AffineVote {
  int64_t Diff[PredictorLanes + 1];
  int8_t Count[PredictorLanes + 1] = {};

  void vote(unsigned Lane, int64_t D) {
    if (Count[Lane] > 0 && Diff[Lane] == D)
      ++Count[Lane];
    else if (Count[Lane] > 0)
      --Count[Lane];
    else
      Diff[Lane] = D, Count[Lane] = 1;
  }
  void observe(uint64_t Value, uint64_t Mask, const Lanes &State) {
    for (unsigned L = 0; L < PredictorLanes; ++L)
      vote(L, int64_t((Value - (State.Value[L] & Mask)) & Mask));
    vote(PredictorLanes, int64_t(Value & Mask));
  }
  /// The best lane; on a tie the constant, as it needs no register.
  std::pair<uint16_t, int64_t> best() const {
    unsigned Best = PredictorLanes;
    for (unsigned L = 0; L < PredictorLanes; ++L)
      if (Count[L] > Count[Best])
        Best = L;
    return {Best == PredictorLanes ? NoLane : uint16_t(Best),
            Count[Best] > 0 ? Diff[Best] : 0};
  }
};

/// Counts the first few distinct values.
struct FrequentValues {
  static constexpr unsigned Size = 6;
  uint64_t Value[Size];
  uint8_t Count[Size] = {};
  void observe(uint64_t V) {
    for (unsigned I = 0; I < Size; ++I) {
      if (Count[I] && Value[I] != V)
        continue;
      Value[I] = V;
      ++Count[I];
      return;
    }
  }
};

} // namespace

struct TemplateTable::RegLearner {
  AffineVote Vote;
  FrequentValues Values;
  /// For what memory and arithmetic explain: how often each of the first
  /// accesses read the value, and how often there was one to explain.
  uint8_t Reads[4] = {};
  uint8_t Noisy = 0;
  FloatLearner Floats;

  void observe(uint64_t Value, unsigned Dest, const MemItem *Mems,
               unsigned NumMems, const Lanes &State, unsigned &Searches);
  /// Source and Offset of the prediction.
  std::pair<uint16_t, int64_t> best() const;
};
struct TemplateTable::MemLearner {
  AffineVote Addr;
  uint8_t Data[2 * DataLanes] = {};
  unsigned DataObservations = 0;
  int64_t Real = 0;
  int RealCount = 0;
};
struct TemplateTable::Learner {
  unsigned Observations = 0;
  unsigned Age = 0; ///< segments that ended since it began
  std::vector<RegLearner> Regs;
  std::vector<MemLearner> Mems;
};

/// Zeros and round numbers explain too much.
static bool isNoisy(uint64_t Value) {
  return Value >> 32 ? Value << 24 != 0 : (Value & 0xffff) != 0;
}

void TemplateTable::RegLearner::observe(uint64_t Value, unsigned Dest,
                                        const MemItem *Mems, unsigned NumMems,
                                        const Lanes &State,
                                        unsigned &Searches) {
  if (!isNoisy(Value))
    return;
  ++Noisy;
  bool Read = false;
  for (unsigned K = 0; K < std::min(NumMems, 4u); ++K)
    if (!(Mems[K].Flags & MemItem::Write) && Mems[K].Value == Value) {
      ++Reads[K];
      Read = true;
    }
  if (!Read)
    Floats.observe(Value, Dest, State.Value.data(), PredictorLanes, DataLanes,
                   Searches);
}

std::pair<uint16_t, int64_t> TemplateTable::RegLearner::best() const {
  auto [Source, Offset] = Vote.best();
  auto Read = std::max_element(std::begin(Reads), std::end(Reads));
  if (*Read * 2 > Noisy)
    return {FromMemory, Read - std::begin(Reads)};
  // A copy needs no arithmetic, and one execution proves nothing.
  unsigned Plain =
      Source == NoLane ? 0 : unsigned(std::max<int>(Vote.Count[Source], 0));
  if (Floats.hits() >= 3 && Floats.hits() > Plain)
    return {FromFloats, int64_t(Floats.best().pack())};
  return {Source, Offset};
}

static uint64_t sizeMask(unsigned Size) {
  return Size >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * Size)) - 1;
}

/// Too many lanes are zero to learn from a zero: those do not count, so that an
/// array of zeros at the beginning does not spoil it.
void TemplateTable::learnData(MemLearner &L, const MemItem &M,
                              const Lanes &State) {
  if (!M.Value || !M.Known || L.DataObservations >= MaxObservations)
    return;
  ++L.DataObservations;
  uint64_t Mask = sizeMask(M.Size);
  for (unsigned Lane = 0; Lane < DataLanes; ++Lane) {
    L.Data[2 * Lane] += (State.Value[Lane] & Mask) == M.Value;
    L.Data[2 * Lane + 1] += ((State.Value[Lane] >> 32) & Mask) == M.Value;
  }
}

void TemplateTable::learnBefore(uint32_t Id, const MemItem *Items,
                                const Lanes &State) {
  Learner &L = *Learners[Id];
  for (size_t I = 0; I < L.Mems.size(); ++I)
    if (Items[I].Flags & MemItem::Write)
      learnData(L.Mems[I], Items[I], State);
  if (L.Observations >= MaxObservations)
    return;
  for (size_t I = 0; I < L.Mems.size(); ++I) {
    MemLearner &ML = L.Mems[I];
    const MemItem &M = Items[I];
    ML.Addr.observe(M.Addr, ~uint64_t(0), State);
    if (M.Real != ~uint64_t(0)) {
      int64_t D = int64_t(M.Real - M.Addr);
      if (ML.RealCount > 0 && ML.Real == D)
        ++ML.RealCount;
      else if (ML.RealCount > 0)
        --ML.RealCount;
      else
        ML.Real = D, ML.RealCount = 1;
    }
  }
}

void TemplateTable::learnReg(uint32_t Id, unsigned Effect, uint64_t Value,
                             const MemItem *Items, const Lanes &State) {
  Learner &L = *Learners[Id];
  if (L.Observations >= MaxObservations)
    return;
  const RegShape &S = Regs[Templates[Id].FirstReg + Effect];
  L.Regs[Effect].Vote.observe(Value, expandMask(S.Written & ~S.Unknown), State);
  L.Regs[Effect].Values.observe(Value);
  // A part of a lane that keeps the rest is rare enough.
  if (S.Lane >= PredictorLanes && S.Lane < DataLanes && S.Written == 0xff &&
      !S.Unknown && S.Thread == SameThread)
    L.Regs[Effect].observe(Value, S.Lane, Items, Templates[Id].NumMems, State,
                           FloatSearches);
}

void TemplateTable::learnAfter(uint32_t Id, const MemItem *Items,
                               const Lanes &State) {
  Learner &L = *Learners[Id];
  for (size_t I = 0; I < L.Mems.size(); ++I)
    if (!(Items[I].Flags & MemItem::Write))
      learnData(L.Mems[I], Items[I], State);
  if (L.Observations < MaxObservations)
    ++L.Observations;
}

bool TemplateTable::stillLearns(uint32_t Id) const {
  const Learner *L = Learners[Id].get();
  if (!L || L->Observations < MaxObservations)
    return L;
  const Template &T = Templates[Id];
  for (unsigned M = 0; M < T.NumMems; ++M)
    if (Mems[T.FirstMem + M].Known)
      return true; // data count apart
  return false;
}

void TemplateTable::freeze(uint32_t Segment) {
  FloatSearches = std::max(FloatSearches, SearchesPerSegment);
  auto Keep = Active.begin();
  for (uint32_t Id : Active) {
    Learner &L = *Learners[Id];
    if (L.Observations < MinObservations) {
      if (++L.Age < MaxAge) {
        *Keep++ = Id;
        continue;
      }
      // It is rare: what little was seen must do, or there is no prediction.
      if (L.Observations < 2) {
        Learners[Id].reset();
        continue;
      }
    }
    Template &T = Templates[Id];
    for (size_t I = 0; I < L.Regs.size(); ++I) {
      RegShape &S = Regs[T.FirstReg + I];
      std::tie(S.Source, S.Offset) = L.Regs[I].best();
      // Constants must pay for their place in the dictionary.
      FrequentValues &V = L.Regs[I].Values;
      S.FirstConst = uint32_t(Consts.size());
      for (unsigned K = 0; K < FrequentValues::Size && S.NumConsts < 3; ++K)
        if (V.Count[K] >= 3 && significantBytes(V.Value[K]) > 1 &&
            !(S.Source == NoLane && uint64_t(S.Offset) == V.Value[K])) {
          size_t At = Consts.push(V.Value[K]);
          if (!S.NumConsts++)
            S.FirstConst = uint32_t(At);
        }
    }
    for (size_t I = 0; I < L.Mems.size(); ++I) {
      MemShape &S = Mems[T.FirstMem + I];
      MemLearner &ML = L.Mems[I];
      std::tie(S.AddrSource, S.AddrOffset) = ML.Addr.best();
      S.RealOffset = ML.Real;
      auto Best = std::max_element(std::begin(ML.Data), std::end(ML.Data));
      if (*Best)
        S.DataSource = uint16_t(Best - std::begin(ML.Data));
    }
    Learners[Id].reset();
    std::atomic_ref<uint32_t>(T.FrozenFrom)
        .store(Segment, std::memory_order_release);
  }
  Active.erase(Keep, Active.end());
}

// --- Lookup ------------------------------------------------------------------

TemplateTable::TemplateTable() : Table(1u << 12, {0, ~0u}) {}
TemplateTable::~TemplateTable() = default;

/// All that the shape of an effect depends on.
static uint64_t keyOf(const RegItem &R, uint8_t InsnThread) {
  uint8_t Thread = R.Thread == InsnThread ? SameThread : R.Thread;
  return R.Lane | uint64_t(R.Written) << 16 | uint64_t(R.Unknown) << 24 |
         uint64_t(Thread) << 32 | uint64_t(R.Flags) << 40;
}
static uint64_t keyOf(const MemItem &M) {
  return M.Size | uint64_t(M.Flags) << 8 | uint64_t(M.Known) << 16 |
         uint64_t(M.Real != ~uint64_t(0)) << 24;
}

static uint64_t countsOf(const InsnItem &I) {
  return I.Lines | uint64_t(I.NumRegs) << 32 | uint64_t(I.NumMems) << 48;
}
static uint32_t kindOf(const InsnItem &I) {
  return I.Size | uint32_t(I.Isa) << 8 | uint32_t(I.Flags) << 16;
}

inline bool TemplateTable::matches(const Probe &P, const InsnItem &Insn,
                                   const RegItem *R, const MemItem *M) const {
  if (P.PC != Insn.PC || P.Opcode != Insn.Opcode ||
      P.Counts != countsOf(Insn) || P.Kind != kindOf(Insn))
    return false;
  const uint64_t *Key = Keys.data() + P.FirstKey;
  for (unsigned I = 0; I < Insn.NumRegs; ++I)
    if (*Key++ != keyOf(R[I], Insn.Thread))
      return false;
  for (unsigned I = 0; I < Insn.NumMems; ++I)
    if (*Key++ != keyOf(M[I]))
      return false;
  return true;
}

/// The hash of all that matches() compares: neither code that is patched nor an
/// instruction with many shapes makes one long chain.
static uint64_t hashOf(const InsnItem &Insn, const RegItem *R,
                       const MemItem *M) {
  uint64_t Hash = mix(Insn.PC) ^ Insn.Opcode;
  Hash = mix(Hash) ^ countsOf(Insn);
  Hash = mix(Hash) ^ kindOf(Insn);
  for (unsigned I = 0; I < Insn.NumRegs; ++I)
    Hash = mix(Hash) ^ keyOf(R[I], Insn.Thread);
  for (unsigned I = 0; I < Insn.NumMems; ++I)
    Hash = mix(Hash) ^ keyOf(M[I]);
  return Hash;
}

uint32_t TemplateTable::lookup(const InsnItem &Insn, const RegItem *R,
                               const MemItem *M, uint32_t Hint) {
  if (Hint != ~0u) {
    uint32_t Guess = Probes[Hint].Succ;
    if (Guess != ~0u && matches(Probes[Guess], Insn, R, M))
      return Guess;
  }
  const uint64_t Hash = hashOf(Insn, R, M);
  size_t Slot = mix(Hash) & (Table.size() - 1);
  uint32_t Id;
  while ((Id = Table[Slot].second) != ~0u &&
         !(Table[Slot].first == Hash && matches(Probes[Id], Insn, R, M)))
    Slot = (Slot + 1) & (Table.size() - 1);
  if (Id == ~0u) {
    Id = add(Insn, R, M);
    Table[Slot] = {Hash, Id};
    if (Templates.size() * 2 > Table.size())
      growTable();
  }
  if (Hint != ~0u)
    Probes[Hint].Succ = Id;
  return Id;
}

uint32_t TemplateTable::add(const InsnItem &Insn, const RegItem *R,
                            const MemItem *M) {
  Template T = {};
  T.PC = Insn.PC;
  T.Opcode = Insn.Opcode;
  T.Lines = Insn.Lines;
  T.NumRegs = Insn.NumRegs;
  T.NumMems = Insn.NumMems;
  T.Size = Insn.Size;
  T.Isa = uint8_t(Insn.Isa);
  T.Flags = Insn.Flags;
  T.FrozenFrom = NeverFrozen;
  T.FirstReg = uint32_t(Regs.grow(Insn.NumRegs));
  T.FirstMem = uint32_t(Mems.grow(Insn.NumMems));
  for (unsigned I = 0; I < Insn.NumRegs; ++I) {
    RegShape &S = Regs[T.FirstReg + I];
    S.Lane = R[I].Lane;
    S.Written = R[I].Written;
    S.Unknown = R[I].Unknown;
    S.Flags = R[I].Flags;
    S.Thread = R[I].Thread == Insn.Thread ? SameThread : R[I].Thread;
    S.Source = NoLane;
    T.TellsRegs |= (R[I].Written & ~R[I].Unknown) != 0;
  }
  for (unsigned I = 0; I < Insn.NumMems; ++I) {
    MemShape &S = Mems[T.FirstMem + I];
    S.AddrSource = S.DataSource = NoLane;
    S.Size = M[I].Size;
    S.Flags = M[I].Flags;
    S.Known = M[I].Known;
    S.HasReal = M[I].Real != ~uint64_t(0);
  }
  uint32_t Id = uint32_t(Templates.push(T));
  Probe P = {};
  P.PC = T.PC;
  P.Opcode = T.Opcode;
  P.Counts = countsOf(Insn);
  P.Kind = kindOf(Insn);
  P.FirstKey = uint32_t(Keys.size());
  Probes.push_back(P);
  for (unsigned I = 0; I < Insn.NumRegs; ++I)
    Keys.push_back(keyOf(R[I], Insn.Thread));
  for (unsigned I = 0; I < Insn.NumMems; ++I)
    Keys.push_back(keyOf(M[I]));
  Learners.resize(Id + 1);
  // An instruction with hundreds of effects is a register dump: it happens
  // once.
  if ((T.TellsRegs || T.NumMems) && Insn.NumRegs < 64 && Insn.NumMems < 64) {
    Learners[Id] = std::make_unique<Learner>();
    Learners[Id]->Regs.resize(Insn.NumRegs);
    Learners[Id]->Mems.resize(Insn.NumMems);
    Active.push_back(Id);
  }
  return Id;
}

void TemplateTable::growTable() {
  std::vector<std::pair<uint64_t, uint32_t>> Old(Table.size() * 4, {0, ~0u});
  Old.swap(Table);
  for (auto &[Hash, Id] : Old) {
    if (Id == ~0u)
      continue;
    size_t Slot = mix(Hash) & (Table.size() - 1);
    while (Table[Slot].second != ~0u)
      Slot = (Slot + 1) & (Table.size() - 1);
    Table[Slot] = {Hash, Id};
  }
}

// --- Runs --------------------------------------------------------------------

RunTable::RunTable() : Table(1u << 12, ~0u) {
  Nodes.push_back({~0u, ~0u, ~0u, 0});
}

static size_t edgeHash(uint32_t Parent, uint32_t Template) {
  return mix((uint64_t(Parent) << 32 | Template) + 0x1234567);
}

void RunTable::append(uint32_t Template) {
  uint32_t Guess = Nodes[Node].LastChild;
  if (!Guess || Nodes[Guess].Template != Template) {
    Guess = child(Node, Template);
    Nodes[Node].LastChild = Guess;
  }
  Node = Guess;
  ++Length;
}

uint32_t RunTable::child(uint32_t Parent, uint32_t Template) {
  size_t Mask = Table.size() - 1;
  size_t Slot = edgeHash(Parent, Template) & Mask;
  for (; Table[Slot] != ~0u; Slot = (Slot + 1) & Mask) {
    const TrieNode &N = Nodes[Table[Slot]];
    if (N.Parent == Parent && N.Template == Template)
      return Table[Slot];
  }
  uint32_t Id = uint32_t(Nodes.size());
  Nodes.push_back({Parent, Template, ~0u, 0});
  Table[Slot] = Id;
  if (Nodes.size() * 2 > Table.size()) {
    Table.assign(Table.size() * 4, ~0u);
    Mask = Table.size() - 1;
    for (uint32_t N = 1; N < Nodes.size(); ++N) {
      size_t S = edgeHash(Nodes[N].Parent, Nodes[N].Template) & Mask;
      while (Table[S] != ~0u)
        S = (S + 1) & Mask;
      Table[S] = N;
    }
  }
  return Id;
}

uint32_t RunTable::end() {
  uint32_t &Run = Nodes[Node].Run;
  if (Run == ~0u) {
    size_t First = Templates.grow(Length), At = First + Length;
    for (uint32_t N = Node; N; N = Nodes[N].Parent)
      Templates[--At] = Nodes[N].Template;
    Run = uint32_t(Paths.push({uint32_t(First), Length}));
  }
  uint32_t Id = Run;
  begin();
  return Id;
}
