//===- FlowQueries.cpp - Visits of a pc; writes of registers --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All searches have one shape: postings tell which block may hold the answer,
// nearest first; the block's control flow tells the instruction.
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockDecoder.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

namespace {

/// A block of the trace, and how far into it a search may look.
struct Candidate {
  SegmentView S;
  int Block = -1;
};

/// Finds blocks that hold any of some keys, nearest first.
class BlockSearch {
public:
  BlockSearch(const TraceStore::Impl &I) : I(I) {}
  void add(llvm::ArrayRef<Posting> P) {
    if (!P.empty())
      Lists.push_back(P);
  }

  /// The last block at or before (Segment, Block), or none.
  llvm::Expected<std::optional<Candidate>> last(int64_t Segment, int Block) {
    while (Segment >= 0) {
      // The last segment that has any of the keys.
      int64_t Found = -1;
      for (llvm::ArrayRef<Posting> L : Lists) {
        auto It = std::upper_bound(
            L.begin(), L.end(), Segment,
            [](int64_t S, const Posting &P) { return S < int64_t(P.Segment); });
        if (It != L.begin())
          Found = std::max<int64_t>(Found, It[-1].Segment);
      }
      if (Found < 0)
        return std::nullopt;
      if (Found < Segment)
        Block = MaxBlocks;
      Segment = Found;
      auto C = in(
          uint32_t(Segment), [&](const BlockList &L) { return L.last(Block); },
          [](int A, int B) { return std::max(A, B); });
      if (!C || C->Block >= 0)
        return C;
      --Segment;
      Block = MaxBlocks;
    }
    return std::nullopt;
  }

  /// The first block at or after (Segment, Block), or none.
  llvm::Expected<std::optional<Candidate>> first(int64_t Segment, int Block) {
    while (true) {
      int64_t Found = INT64_MAX;
      for (llvm::ArrayRef<Posting> L : Lists) {
        auto It = std::lower_bound(
            L.begin(), L.end(), Segment,
            [](const Posting &P, int64_t S) { return int64_t(P.Segment) < S; });
        if (It != L.end())
          Found = std::min<int64_t>(Found, It->Segment);
      }
      if (Found == INT64_MAX)
        return std::nullopt;
      if (Found > Segment)
        Block = 0;
      Segment = Found;
      auto C = in(
          uint32_t(Segment), [&](const BlockList &L) { return L.first(Block); },
          [](int A, int B) { return A < 0   ? B
                                    : B < 0 ? A
                                            : std::min(A, B); });
      if (!C || C->Block >= 0)
        return C;
      ++Segment;
      Block = 0;
    }
  }

private:
  template <typename Find, typename Best>
  llvm::Expected<Candidate> in(uint32_t Segment, Find F, Best B) {
    auto S = I.segment(Segment);
    if (!S)
      return S.takeError();
    Candidate C{*S, -1};
    for (llvm::ArrayRef<Posting> L : Lists) {
      auto It = std::lower_bound(
          L.begin(), L.end(), Segment,
          [](const Posting &P, uint32_t S) { return P.Segment < S; });
      if (It == L.end() || It->Segment != Segment)
        continue;
      if (It->Offset >= S->Info->Bytes)
        return I.damaged("postings of segment " + llvm::Twine(Segment));
      C.Block =
          B(C.Block,
            F(BlockList(S->Data + It->Offset, S->end(), S->H->NumBlocks)));
    }
    return C;
  }

  const TraceStore::Impl &I;
  llvm::SmallVector<llvm::ArrayRef<Posting>, 8> Lists;
};

/// The search for the last instruction before a moment that \p Find finds in a
/// block among its first N instructions (-1: none).
template <typename F>
llvm::Expected<std::optional<Moment>> searchBack(const TraceStore::Impl &I,
                                                 BlockSearch &Search,
                                                 Moment Before, F Find) {
  if (Before == BeforeTrace)
    return std::nullopt;
  auto P = I.locate(Before);
  if (!P)
    return P.takeError();
  int64_t Segment = P->Segment;
  int Block = int(P->Block);
  unsigned Limit = P->Insn;
  if (!Limit)
    --Block;
  while (true) {
    auto C = Search.last(Segment, Block);
    if (!C)
      return C.takeError();
    if (!*C)
      return std::nullopt;
    const SegmentView &S = (*C)->S;
    unsigned B = unsigned((*C)->Block);
    bool Edge = S.Index == P->Segment && B == P->Block;
    int At = Find(S, B, Edge ? Limit : S.blockSize(B));
    if (At >= 0)
      return I.momentAt(S, B, unsigned(At));
    Segment = S.Index;
    Block = int(B) - 1;
  }
}

/// The same, forward, from a moment on.
template <typename F>
llvm::Expected<std::optional<Moment>> searchForward(const TraceStore::Impl &I,
                                                    BlockSearch &Search,
                                                    Moment From, F Find) {
  if (From >= I.M.NumInstructions)
    return std::nullopt;
  auto P = I.locate(From);
  if (!P)
    return P.takeError();
  int64_t Segment = P->Segment;
  int Block = int(P->Block);
  while (true) {
    auto C = Search.first(Segment, Block);
    if (!C)
      return C.takeError();
    if (!*C)
      return std::nullopt;
    const SegmentView &S = (*C)->S;
    unsigned B = unsigned((*C)->Block);
    bool Edge = S.Index == P->Segment && B == P->Block;
    int At = Find(S, B, Edge ? P->Insn : 0);
    if (At >= 0)
      return I.momentAt(S, B, unsigned(At));
    Segment = S.Index;
    Block = int(B) + 1;
  }
}

/// Tells, run by run, which instructions of a block satisfy \p Match, whose
/// arguments are the template and the thread.
template <typename RunFilter, typename Match>
int lastInBlock(const TraceStore::Impl &I, const SegmentView &S, unsigned Block,
                unsigned Limit, RunFilter Filter, Match M) {
  auto Runs = readRuns(I, S, Block);
  ThreadSpans Spans(S, Block);
  for (size_t K = Runs.size(); K-- > 0;) {
    if (Runs[K].Begin >= Limit || !Filter(Runs[K].Run))
      continue;
    llvm::ArrayRef<uint32_t> T = I.run(Runs[K].Run);
    ThreadIndex Th = Spans.at(Runs[K].Begin);
    for (size_t N = std::min<size_t>(T.size(), Limit - Runs[K].Begin); N-- > 0;)
      if (M(I.Templates[T[N]], Th))
        return int(Runs[K].Begin + N);
  }
  return -1;
}

template <typename RunFilter, typename Match>
int firstInBlock(const TraceStore::Impl &I, const SegmentView &S,
                 unsigned Block, unsigned From, RunFilter Filter, Match M) {
  auto Runs = readRuns(I, S, Block);
  ThreadSpans Spans(S, Block);
  for (const RunSpan &R : Runs) {
    llvm::ArrayRef<uint32_t> T = I.run(R.Run);
    if (R.Begin + T.size() <= From || !Filter(R.Run))
      continue;
    ThreadIndex Th = Spans.at(R.Begin);
    for (size_t N = From > R.Begin ? From - R.Begin : 0; N < T.size(); ++N)
      if (M(I.Templates[T[N]], Th))
        return int(R.Begin + N);
  }
  return -1;
}

} // namespace

// --- Registers ---------------------------------------------------------------

static bool writes(const TraceStore::Impl &I, const Template &T,
                   ThreadIndex Own, ThreadIndex Wanted, unsigned Lane,
                   uint8_t Mask) {
  for (const RegShape &S : I.Regs.slice(T.FirstReg, T.NumRegs))
    if (S.Lane == Lane && (S.Written & Mask) &&
        (S.Thread == SameThread ? Own : S.Thread) == Wanted)
      return true;
  return false;
}

llvm::Expected<std::optional<Moment>>
TraceStore::lastRegisterWrite(ThreadIndex T, unsigned Lane, uint8_t Mask,
                              Moment Before) const {
  auto P = I->postings("lanes");
  if (!P)
    return P.takeError();
  BlockSearch Search(*I);
  Search.add(P->find(uint64_t(T) << 16 | Lane));
  auto M = searchBack(
      *I, Search, Before,
      [&](const SegmentView &S, unsigned B, unsigned Limit) {
        return lastInBlock(
            *I, S, B, Limit,
            [&](uint32_t R) { return I->RunLanes[R] >> (Lane % 64) & 1; },
            [&](const Template &Tm, ThreadIndex Own) {
              return writes(*I, Tm, Own, T, Lane, Mask);
            });
      });
  if (!M || *M || Before == BeforeTrace)
    return M;
  for (uint64_t E : I->Initial)
    if (E >> 24 == T && (E >> 8 & 0xffff) == Lane && (E & Mask))
      return BeforeTrace;
  return std::nullopt;
}

llvm::Expected<std::optional<Moment>>
TraceStore::nextRegisterWrite(ThreadIndex T, unsigned Lane, uint8_t Mask,
                              Moment After) const {
  auto P = I->postings("lanes");
  if (!P)
    return P.takeError();
  BlockSearch Search(*I);
  Search.add(P->find(uint64_t(T) << 16 | Lane));
  return searchForward(
      *I, Search, After + 1,
      [&](const SegmentView &S, unsigned B, unsigned From) {
        return firstInBlock(
            *I, S, B, From,
            [&](uint32_t R) { return I->RunLanes[R] >> (Lane % 64) & 1; },
            [&](const Template &Tm, ThreadIndex Own) {
              return writes(*I, Tm, Own, T, Lane, Mask);
            });
      });
}

llvm::Expected<RegisterState> TraceStore::registersAt(ThreadIndex T,
                                                      Moment M) const {
  RegisterState R;
  if (T >= I->NumThreads) {
    R.Value.resize(I->NumLanes);
    R.Known.resize(I->NumLanes);
    return R;
  }
  auto P = I->locate(M);
  if (!P)
    return P.takeError();
  auto S = I->segment(P->Segment);
  if (!S)
    return S.takeError();
  BlockDecoder D(*I, *S, P->Block, /*WithMemory=*/false);
  if (!D.advanceTo(P->Insn) || D.damaged())
    return I->damaged("block " + llvm::Twine(P->Block) + " of segment " +
                      llvm::Twine(P->Segment));
  R.Value.assign(D.values(T), D.values(T) + I->NumLanes);
  R.Known.assign(D.known(T), D.known(T) + I->NumLanes);
  return R;
}

bool RegisterState::read(RegisterSlice S, uint8_t *Out,
                         uint8_t *KnownOut) const {
  bool All = true;
  for (unsigned K = 0; K < S.Size; ++K) {
    unsigned At = S.Offset + K, Lane = S.Lane + At / 8;
    bool Is = Lane < Known.size() && (Known[Lane] >> (At % 8) & 1);
    if (Is)
      Out[K] = uint8_t(Value[Lane] >> (8 * (At % 8)));
    if (KnownOut)
      KnownOut[K] = Is;
    All &= Is;
  }
  return All;
}

std::optional<uint64_t> RegisterState::get(RegisterSlice S) const {
  uint8_t B[8] = {};
  if (S.Size > 8 || !read(S, B))
    return std::nullopt;
  uint64_t V;
  std::memcpy(&V, B, 8);
  return V;
}

// --- Visits ------------------------------------------------------------------

llvm::Expected<std::optional<Moment>>
TraceStore::lastVisit(uint64_t PC, Moment Before,
                      std::optional<ThreadIndex> T) const {
  llvm::ArrayRef<uint32_t> Runs = I->runsOf(PC);
  if (Runs.empty())
    return std::nullopt;
  auto P = I->postings("runposts");
  if (!P)
    return P.takeError();
  BlockSearch Search(*I);
  for (uint32_t R : Runs)
    Search.add(P->find(R));
  return searchBack(*I, Search, Before,
                    [&](const SegmentView &S, unsigned B, unsigned Limit) {
                      return lastInBlock(
                          *I, S, B, Limit,
                          [&](uint32_t R) {
                            return std::binary_search(Runs.begin(), Runs.end(),
                                                      R);
                          },
                          [&](const Template &Tm, ThreadIndex Own) {
                            return Tm.PC == PC && (!T || *T == Own);
                          });
                    });
}

llvm::Expected<std::optional<Moment>>
TraceStore::visitAtOrAfter(uint64_t PC, Moment From,
                           std::optional<ThreadIndex> T) const {
  llvm::ArrayRef<uint32_t> Runs = I->runsOf(PC);
  if (Runs.empty())
    return std::nullopt;
  auto P = I->postings("runposts");
  if (!P)
    return P.takeError();
  BlockSearch Search(*I);
  for (uint32_t R : Runs)
    Search.add(P->find(R));
  return searchForward(*I, Search, From == BeforeTrace ? 0 : From,
                       [&](const SegmentView &S, unsigned B, unsigned Start) {
                         return firstInBlock(
                             *I, S, B, Start,
                             [&](uint32_t R) {
                               return std::binary_search(Runs.begin(),
                                                         Runs.end(), R);
                             },
                             [&](const Template &Tm, ThreadIndex Own) {
                               return Tm.PC == PC && (!T || *T == Own);
                             });
                       });
}

llvm::Expected<std::optional<Moment>>
TraceStore::nextVisit(uint64_t PC, Moment After,
                      std::optional<ThreadIndex> T) const {
  return visitAtOrAfter(PC, After + 1, T);
}

std::vector<uint64_t> TraceStore::distinctPCs() const {
  return {I->PCs.begin(), I->PCs.end()};
}

std::optional<TraceStore::Code> TraceStore::codeAt(uint64_t PC) const {
  for (uint32_t R : I->runsOf(PC))
    for (uint32_t Id : I->run(R)) {
      const Template &T = I->Templates[Id];
      if (T.PC == PC && (T.Flags & InsnItem::OpcodeKnown))
        return Code{T.Opcode, T.Size, ISA(T.Isa)};
    }
  return std::nullopt;
}
