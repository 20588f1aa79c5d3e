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

#include "core/arch/ItBlock.h"
#include "core/store/BlockFinds.h"
#include "core/store/BlockWalker.h"
#include "core/store/TraceStore.h"
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

/// Writes of a lane of a thread: what the searches below look for.
struct RegisterWrites {
  const TraceStore::Impl &I;
  ThreadIndex Thread;
  unsigned Lane;
  uint8_t Mask;
  bool WritesOnly = true; ///< not what only tells of it

  llvm::Error findBlocks(BlockSearch &Search) const {
    auto P = I.postings(PostingKind::Lanes);
    if (!P)
      return P.takeError();
    Search.add(P->find(uint64_t(Thread) << 16 | Lane));
    return llvm::Error::success();
  }
  bool inRun(uint32_t Run) const { return I.RunLanes[Run] >> (Lane % 64) & 1; }
  bool is(const Template &T, ThreadIndex Own) const {
    for (const RegShape &S : I.Regs.slice(T.FirstReg, T.NumRegs))
      if (S.Lane == Lane && (S.Written & Mask) &&
          !(WritesOnly && (S.Flags & RegItem::NotWritten)) &&
          (S.Thread == SameThread ? Own : S.Thread) == Thread)
        return true;
    return false;
  }
};

/// Visits of a pc.
struct Visits {
  const TraceStore::Impl &I;
  uint64_t PC;
  std::optional<ThreadIndex> Thread;
  llvm::ArrayRef<uint32_t> Runs = I.runsOf(PC);

  llvm::Error findBlocks(BlockSearch &Search) const {
    auto P = I.postings(PostingKind::Runs);
    if (!P)
      return P.takeError();
    for (uint32_t R : Runs)
      Search.add(P->find(R));
    return llvm::Error::success();
  }
  bool inRun(uint32_t Run) const {
    return std::binary_search(Runs.begin(), Runs.end(), Run);
  }
  bool is(const Template &T, ThreadIndex Own) const {
    return T.PC == PC && (!Thread || *Thread == Own);
  }
};

/// The last wanted one of the first \p Limit instructions of a block, or -1.
template <typename Wanted>
int lastInBlock(const Wanted &W, llvm::ArrayRef<RunSpan> Runs,
                const ThreadSpans &Spans, unsigned Limit) {
  for (size_t K = Runs.size(); K-- > 0;) {
    if (Runs[K].Begin >= Limit || !W.inRun(Runs[K].Run))
      continue;
    llvm::ArrayRef<uint32_t> T = W.I.run(Runs[K].Run);
    ThreadIndex Own = Spans.at(Runs[K].Begin);
    for (size_t N = std::min<size_t>(T.size(), Limit - Runs[K].Begin); N-- > 0;)
      if (W.is(W.I.Templates[T[N]], Own))
        return int(Runs[K].Begin + N);
  }
  return -1;
}

/// Calls \p F with each wanted instruction of a block from \p From on,
/// ascending, until it returns false.
template <typename Wanted, typename F>
void forEachInBlock(const Wanted &W, llvm::ArrayRef<RunSpan> Runs,
                    const ThreadSpans &Spans, unsigned From, F Visit) {
  for (const RunSpan &R : Runs) {
    llvm::ArrayRef<uint32_t> T = W.I.run(R.Run);
    if (R.Begin + T.size() <= From || !W.inRun(R.Run))
      continue;
    ThreadIndex Own = Spans.at(R.Begin);
    for (size_t N = From > R.Begin ? From - R.Begin : 0; N < T.size(); ++N)
      if (W.is(W.I.Templates[T[N]], Own) && !Visit(unsigned(R.Begin + N)))
        return;
  }
}

/// The last wanted instruction before a moment.
template <typename Wanted>
llvm::Expected<std::optional<Moment>> lastOf(const Wanted &W, Moment Before) {
  const TraceStore::Impl &I = W.I;
  if (Before == BeforeTrace)
    return std::nullopt;
  BlockSearch Search(I);
  if (llvm::Error E = W.findBlocks(Search))
    return E;
  auto P = I.locate(Before);
  if (!P)
    return P.takeError();
  int64_t Segment = P->S.Index;
  int Block = P->Insn ? int(P->Block) : int(P->Block) - 1;
  while (true) {
    auto C = Search.last(Segment, Block);
    if (!C)
      return C.takeError();
    if (!*C)
      return std::nullopt;
    const SegmentView &S = (*C)->S;
    unsigned B = unsigned((*C)->Block);
    auto Runs = readRuns(I, S, B);
    if (Runs.empty())
      return I.damagedBlock(S, B);
    bool Edge = S.Index == P->S.Index && B == P->Block;
    int At = lastInBlock(W, Runs, ThreadSpans(S, B),
                         Edge ? P->Insn : S.blockSize(B));
    if (At >= 0)
      return I.momentAt(S, B, unsigned(At));
    Segment = S.Index;
    Block = int(B) - 1;
  }
}

/// The first wanted instruction at or after a moment.
template <typename Wanted>
llvm::Expected<std::optional<Moment>> firstOf(const Wanted &W, Moment From) {
  const TraceStore::Impl &I = W.I;
  if (From >= I.M.NumInstructions)
    return std::nullopt;
  BlockSearch Search(I);
  if (llvm::Error E = W.findBlocks(Search))
    return E;
  auto P = I.locate(From);
  if (!P)
    return P.takeError();
  int64_t Segment = P->S.Index;
  int Block = int(P->Block);
  while (true) {
    auto C = Search.first(Segment, Block);
    if (!C)
      return C.takeError();
    if (!*C)
      return std::nullopt;
    const SegmentView &S = (*C)->S;
    unsigned B = unsigned((*C)->Block);
    auto Runs = readRuns(I, S, B);
    if (Runs.empty())
      return I.damagedBlock(S, B);
    bool Edge = S.Index == P->S.Index && B == P->Block;
    std::optional<unsigned> At;
    forEachInBlock(W, Runs, ThreadSpans(S, B), Edge ? P->Insn : 0,
                   [&](unsigned Insn) {
                     At = Insn;
                     return false;
                   });
    if (At)
      return I.momentAt(S, B, *At);
    Segment = S.Index;
    Block = int(B) + 1;
  }
}

/// firstOf() for one moment after the other.
template <typename Wanted> class FlowFinds final : public BlockFinds {
public:
  explicit FlowFinds(const Wanted &W) : BlockFinds(W.I), W(W) {}

private:
  llvm::Expected<std::optional<Place>> nextBlock(uint32_t Segment,
                                                 unsigned Block) override {
    if (!Search) {
      BlockSearch New(I);
      if (llvm::Error E = W.findBlocks(New))
        return E;
      Search.emplace(std::move(New));
    }
    auto C = Search->first(Segment, int(Block));
    if (!C)
      return C.takeError();
    if (!*C)
      return std::nullopt;
    return Place{(*C)->S, unsigned((*C)->Block)};
  }
  bool collect(const SegmentView &S, unsigned Block,
               llvm::function_ref<void(unsigned)> Found) override {
    auto Runs = readRuns(I, S, Block);
    forEachInBlock(W, Runs, ThreadSpans(S, Block), 0, [&](unsigned Insn) {
      Found(Insn);
      return true;
    });
    return !Runs.empty();
  }

  const Wanted W;
  std::optional<BlockSearch> Search;
};

} // namespace

// --- Registers ---------------------------------------------------------------

llvm::Expected<std::optional<Moment>>
TraceStore::lastRegisterWrite(ThreadIndex T, unsigned Lane, uint8_t Mask,
                              Moment Before, bool OrTold) const {
  auto M = lastOf(RegisterWrites{*I, T, Lane, Mask, !OrTold}, Before);
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
  return firstOf(RegisterWrites{*I, T, Lane, Mask}, After + 1);
}

std::unique_ptr<SearchCursor>
SearchCursor::registerWrites(const TraceStore &Store, ThreadIndex T,
                             unsigned Lane, uint8_t Mask) {
  return std::make_unique<FlowFinds<RegisterWrites>>(
      RegisterWrites{BlockWalker::implOf(Store), T, Lane, Mask});
}

llvm::Expected<RegisterState> TraceStore::registersAt(ThreadIndex T, Moment M,
                                                      RegisterSet Set) const {
  RegisterState R;
  if (T >= I->NumThreads) {
    R.Value.resize(I->NumLanes);
    R.Known.resize(I->NumLanes);
    return R;
  }
  auto P = I->locate(M);
  if (!P)
    return P.takeError();
  const SegmentView &S = P->S;
  // Most often no value needs more than the block itself.
  for (auto Wanted : {BlockDecoder::Registers, BlockDecoder::Everything}) {
    BlockDecoder D(*I, S, P->Block, Wanted);
    if (!D.advanceTo(P->Insn) || D.damaged())
      return I->damagedBlock(S, P->Block);
    R.Value.assign(D.values(T), D.values(T) + I->NumLanes);
    R.Known.assign(D.known(T), D.known(T) + I->NumLanes);
    if (!D.lacksRegisters(T))
      break;
    if (Set == RegisterSet::General) {
      D.hideLacking(T, R.Known);
      break;
    }
  }
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
  return lastOf(Visits{*I, PC, T}, Before);
}

llvm::Expected<std::optional<Moment>>
TraceStore::visitAtOrAfter(uint64_t PC, Moment From,
                           std::optional<ThreadIndex> T) const {
  return firstOf(Visits{*I, PC, T}, From == BeforeTrace ? 0 : From);
}

std::unique_ptr<SearchCursor>
SearchCursor::visits(const TraceStore &Store, uint64_t PC,
                     std::optional<ThreadIndex> T) {
  return std::make_unique<FlowFinds<Visits>>(
      Visits{BlockWalker::implOf(Store), PC, T});
}

llvm::Expected<std::optional<Moment>>
TraceStore::nextVisit(uint64_t PC, Moment After,
                      std::optional<ThreadIndex> T) const {
  return visitAtOrAfter(PC, After + 1, T);
}

void TraceStore::forEachKind(
    llvm::function_ref<void(const InsnItem &, llvm::ArrayRef<LaneBytes>)> F)
    const {
  llvm::SmallVector<LaneBytes, 8> Told;
  for (const Template &T : I->Templates) {
    InsnItem Insn;
    Insn.PC = T.PC;
    Insn.Opcode = T.Opcode;
    Insn.Size = T.Size;
    Insn.Isa = ISA(T.Isa);
    Insn.Flags = T.Flags;
    Told.clear();
    for (const RegShape &R : I->Regs.slice(T.FirstReg, T.NumRegs))
      if (!(R.Flags & RegItem::NotWritten) && R.Thread == SameThread)
        Told.push_back({R.Lane, R.Written});
    F(Insn, Told);
  }
}

std::vector<uint64_t> TraceStore::distinctPCs() const {
  return {I->PCs.begin(), I->PCs.end()};
}

/// Calls \p F with each opcode known at \p PC until it returns false.
static void forEachCode(const TraceStore::Impl &I, uint64_t PC,
                        llvm::function_ref<bool(TraceStore::Code)> F) {
  for (uint32_t R : I.runsOf(PC))
    for (uint32_t Id : I.run(R)) {
      const Template &T = I.Templates[Id];
      if (T.PC == PC && (T.Flags & InsnItem::OpcodeKnown) &&
          !F({T.Opcode, T.Size, ISA(T.Isa)}))
        return;
    }
}

std::optional<TraceStore::Code> TraceStore::codeAt(uint64_t PC) const {
  std::optional<Code> Found;
  forEachCode(*I, PC, [&](Code C) {
    Found = C;
    return false;
  });
  return Found;
}

llvm::SmallVector<TraceStore::Code, 1> TraceStore::codesAt(uint64_t PC) const {
  llvm::SmallVector<Code, 1> Found;
  forEachCode(*I, PC, [&](Code C) {
    if (!llvm::is_contained(Found, C))
      Found.push_back(C);
    return true;
  });
  return Found;
}

std::vector<uint64_t> TraceStore::somePCs(size_t Most) const {
  // A pc has several templates if its effects differ from time to time.
  constexpr size_t PerPC = 4;
  size_t Step = std::max<size_t>(1, I->Templates.size() / (Most * PerPC));
  std::vector<uint64_t> Found;
  for (size_t T = 0; T < I->Templates.size(); T += Step)
    if (I->Templates[T].Flags & InsnItem::OpcodeKnown)
      Found.push_back(I->Templates[T].PC);
  llvm::sort(Found);
  Found.erase(std::unique(Found.begin(), Found.end()), Found.end());
  if (Found.size() <= Most)
    return Found;
  for (size_t N = 0; N < Most; ++N)
    Found[N] = Found[N * Found.size() / Most];
  Found.resize(Most);
  return Found;
}

uint8_t TraceStore::itCondition(const InsnItem &I) const {
  if (I.Isa != ISA::T32)
    return NoItCondition;
  return rw::itCondition(I.PC, [&](uint64_t PC) {
    auto Before = codeAt(PC);
    return Before ? T32Code{uint32_t(Before->Opcode), Before->Size} : T32Code();
  });
}

llvm::ArrayRef<uint8_t> TraceStore::codeBytes(uint64_t Addr,
                                              uint64_t Size) const {
  auto It = llvm::upper_bound(
      I->CodePlaces, Addr,
      [](uint64_t A, const CodePlace &P) { return A < P.Address; });
  if (It == I->CodePlaces.begin())
    return {};
  const CodePlace &P = It[-1];
  uint64_t Skip = Addr - P.Address;
  if (Skip >= P.Bytes)
    return {};
  return I->Code.slice(P.Offset + Skip, std::min(Size, P.Bytes - Skip));
}
