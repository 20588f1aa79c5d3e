//===- MemoryQueries.cpp - State and accesses of memory -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockFinds.h"
#include "core/store/BlockWalker.h"
#include "core/store/PageIndex.h"
#include "core/store/TraceStore.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

namespace {

bool overlaps(uint64_t A, uint64_t ASize, uint64_t B, uint64_t BSize) {
  return A - B < BSize || B - A < ASize;
}

uint16_t indexKinds(AccessKind K) {
  return (unsigned(K) & unsigned(AccessKind::Read) ? granule::IndexRead : 0) |
         (unsigned(K) & unsigned(AccessKind::Write) ? granule::IndexWrite : 0);
}

uint8_t touched(const granule::Entry &E, AccessKind K) {
  return uint8_t((unsigned(K) & unsigned(AccessKind::Read) ? E.Read : 0) |
                 (unsigned(K) & unsigned(AccessKind::Write) ? E.Written : 0));
}

} // namespace

// --- State -------------------------------------------------------------------

llvm::Error TraceStore::memoryAt(Moment M, uint64_t Addr,
                                 llvm::MutableArrayRef<uint8_t> Bytes,
                                 llvm::MutableArrayRef<uint8_t> Known) const {
  assert(Bytes.size() == Known.size());
  M = std::min(M, numInstructions());
  auto Pages = I->postings(PostingKind::Pages);
  if (!Pages)
    return Pages.takeError();
  auto Back = I->backDates();
  if (!Back)
    return Back.takeError();
  auto P = I->locate(M);
  if (!P)
    return P.takeError();

  // 1. What each granule held before the block at hand, and whether the block
  // touches it.
  struct Slot {
    Piece What;
    GranuleState State;
    bool Replay = false;
  };
  llvm::SmallVector<Slot, 16> Slots;
  llvm::Error Failed = llvm::Error::success();
  bool Replay = false;
  forEachPiece(Addr, Bytes.size(), [&](Piece What) {
    Slot S{What, {}};
    PageIndex Page(*I, *Pages, What.Granule / GranulesPerPage);
    auto H = Page.last(What.Granule, P->S.Index, int(P->Block), 0, anyEntry);
    if (H && *H && (*H)->S.Index == P->S.Index && (*H)->E.Block == P->Block) {
      S.Replay = P->Insn != 0;
      H = Page.last(What.Granule, P->S.Index, int(P->Block) - 1, 0, anyEntry);
    }
    if (!H) {
      Failed = llvm::joinErrors(std::move(Failed), H.takeError());
      return false;
    }
    if (*H)
      S.State = {(*H)->E.Value, (*H)->E.Known};
    Replay |= S.Replay;
    Slots.push_back(S);
    return true;
  });
  if (Failed)
    return Failed;

  // 2. What the block did up to the moment.
  if (Replay) {
    const SegmentView &S = P->S;
    // Values that need more than the block itself are rarely those in question.
    for (auto Wanted : {BlockDecoder::Addresses, BlockDecoder::Everything}) {
      BlockDecoder D(*I, S, P->Block, Wanted);
      llvm::SmallVector<Slot, 16> After = Slots;
      bool Lacks = false;
      const uint64_t First = Slots.front().What.Granule * 8,
                     Size = Slots.size() * 8;
      for (unsigned K = 0; K < P->Insn && !Lacks; K = D.index() + 1) {
        if (!D.advanceToAccess(First, Size, AccessKind::Any, P->Insn))
          return I->damagedBlock(S, P->Block);
        for (const DecodedMem &A : D.mems()) {
          if (!overlaps(A.Addr, A.Shape->Size, First, Size))
            continue;
          Lacks |= A.LacksValue;
          for (Slot &Sl : After)
            if (Sl.Replay)
              Sl.State.apply(Sl.What.Granule, A);
        }
      }
      if (!Lacks) {
        Slots = std::move(After);
        break;
      }
    }
  }

  // 3. What a later read told of bytes that are not known.
  size_t At = 0;
  for (const Slot &Sl : Slots)
    if (!tellPiece(*Back, M, Sl.What, Sl.State, At, Bytes, Known))
      return I->damaged("section 'backdates'");
  return llvm::Error::success();
}

/// The last thing before a moment that decided a byte: a write, or a read that
/// told or changed its value.
llvm::Expected<ByteOrigin> TraceStore::memoryOrigin(Moment M,
                                                    uint64_t Addr) const {
  M = std::min(M, numInstructions());
  auto Pages = I->postings(PostingKind::Pages);
  if (!Pages)
    return Pages.takeError();
  auto Back = I->backDates();
  if (!Back)
    return Back.takeError();
  auto P = I->locate(M);
  if (!P)
    return P.takeError();
  uint64_t Granule = Addr >> GranuleBits;
  uint8_t Bit = uint8_t(1u << (Addr & 7));
  PageIndex Page(*I, *Pages, Granule / GranulesPerPage);
  auto backdated = [&](auto Match) -> llvm::Expected<std::optional<BackDate>> {
    std::optional<BackDate> Found;
    if (!Back->forEach(Granule, [&](const BackDate &B) {
          if ((B.Mask & Bit) && Match(B))
            Found = B;
          return !Found;
        }))
      return I->damaged("section 'backdates'");
    return Found;
  };

  // Walk the entries back to one that changed the byte, then replay its block.
  int64_t Segment = P->S.Index;
  int Block = int(P->Block);
  bool KnownNow = false, Decided = false;
  ByteOrigin Result;
  while (true) {
    auto H = Page.last(Granule, Segment, Block, 0, anyEntry);
    if (!H)
      return H.takeError();
    if (!*H)
      break;
    const SegmentView &S = (*H)->S;
    const granule::Entry E = (*H)->E;
    int64_t PrevSegment = S.Index;
    int PrevBlock = int(E.Block) - 1;
    auto Prev = Page.last(Granule, PrevSegment, PrevBlock, 0, anyEntry);
    if (!Prev)
      return Prev.takeError();
    GranuleState State;
    if (*Prev)
      State = {(*Prev)->E.Value, (*Prev)->E.Known};
    bool Edge = S.Index == P->S.Index && E.Block == P->Block;
    bool Changed =
        ((E.Written | E.Changed | (S.blockSize(E.Block) ? 0 : E.Read)) & Bit) ||
        ((E.Value ^ State.Value) & expandMask(Bit)) ||
        ((E.Known ^ State.Known) & Bit);
    if (Changed) {
      unsigned Limit = Edge ? P->Insn : S.blockSize(E.Block);
      BlockDecoder D(*I, S, E.Block, BlockDecoder::Everything);
      std::optional<unsigned> At;
      bool ByWrite = false;
      for (unsigned K = 0; K < Limit; ++K) {
        if (!D.next())
          return I->damagedBlock(S, E.Block);
        for (const DecodedMem &A : D.mems())
          if (State.apply(Granule, A) & Bit) {
            At = K;
            ByWrite = A.Shape->Flags & MemItem::Write;
          }
      }
      if (At) {
        Decided = true;
        KnownNow = State.Known & Bit;
        Moment Where = I->momentAt(S, E.Block, *At);
        Result = {ByWrite ? Provenance::Write : Provenance::Read, Where};
        if (ByWrite)
          break;
        auto B = backdated(
            [&](const BackDate &B) { return B.To == Where && B.Semihosting; });
        if (!B)
          return B.takeError();
        if (*B)
          Result = {Provenance::Semihosting, (*B)->From - 1};
        break;
      }
      // What the trace told before its first instruction.
      if (!S.blockSize(E.Block) && (E.Known & Bit)) {
        Decided = KnownNow = true;
        Result = {E.Read & Bit ? Provenance::Read : Provenance::Write,
                  BeforeTrace};
        break;
      }
    }
    Segment = PrevSegment;
    Block = PrevBlock;
    if (!*Prev)
      break;
  }
  if (Decided && KnownNow)
    return Result;
  auto B =
      backdated([&](const BackDate &B) { return B.From <= M && M <= B.To; });
  if (!B)
    return B.takeError();
  if (!*B)
    return ByteOrigin{};
  if ((*B)->Semihosting)
    return ByteOrigin{Provenance::Semihosting, (*B)->From - 1};
  return ByteOrigin{Provenance::LaterRead, (*B)->To};
}

// --- Accesses ----------------------------------------------------------------

llvm::Expected<std::optional<Moment>>
TraceStore::lastAccess(uint64_t Addr, uint64_t Size, AccessKind Kind,
                       Moment Before) const {
  if (Before == BeforeTrace)
    return std::nullopt;
  auto Pages = I->postings(PostingKind::Pages);
  if (!Pages)
    return Pages.takeError();
  auto P = I->locate(Before);
  if (!P)
    return P.takeError();
  int64_t Segment = P->S.Index;
  int Block = P->Insn ? int(P->Block) : int(P->Block) - 1;
  while (true) {
    std::optional<Hit> Best;
    bool Exact = Kind == AccessKind::Write;
    unsigned Latest = 0; ///< last write in that block, if Exact
    llvm::Error Failed = llvm::Error::success();
    forEachPiece(Addr, Size, [&](Piece What) {
      PageIndex Page(*I, *Pages, What.Granule / GranulesPerPage);
      auto H = Page.last(What.Granule, Segment, Block, indexKinds(Kind),
                         [&](const granule::Entry &E) {
                           return touched(E, Kind) & What.Mask;
                         });
      if (!H) {
        Failed = llvm::joinErrors(std::move(Failed), H.takeError());
        return false;
      }
      if (!*H)
        return true;
      std::pair<uint32_t, unsigned> Here((*H)->S.Index, (*H)->E.Block), There;
      if (Best)
        There = {Best->S.Index, Best->E.Block};
      if (Best && Here < There)
        return true;
      bool Covered = !((*H)->E.Written & ~What.Mask);
      if (!Best || Here > There) {
        Best = **H;
        Exact = Kind == AccessKind::Write && Covered;
        Latest = (*H)->E.LastWrite;
      } else {
        Exact &= Covered;
        Latest = std::max(Latest, (*H)->E.LastWrite);
      }
      return true;
    });
    if (Failed)
      return Failed;
    if (!Best)
      return std::nullopt;
    unsigned B = Best->E.Block;
    bool Edge = Best->S.Index == P->S.Index && B == P->Block;
    unsigned Limit = Edge ? P->Insn : Best->S.blockSize(B);
    // The index tells the last write of each granule; often that is the answer.
    if (Exact && Latest < Limit)
      return I->momentAt(Best->S, B, Latest);
    BlockDecoder D(*I, Best->S, B, BlockDecoder::Addresses);
    std::optional<unsigned> At;
    for (unsigned K = 0; K < Limit; K = D.index() + 1) {
      if (!D.advanceToAccess(Addr, Size, Kind, Limit))
        return I->damagedBlock(Best->S, B);
      if (D.accessed(Addr, Size, Kind))
        At = D.index();
    }
    if (At)
      return I->momentAt(Best->S, B, *At);
    Segment = Best->S.Index;
    Block = int(B) - 1;
  }
}

llvm::Expected<std::optional<Hit>>
rw::nextAccessBlock(const TraceStore::Impl &I, uint64_t Addr, uint64_t Size,
                    AccessKind Kind, uint32_t Segment, unsigned Block) {
  auto Pages = I.postings(PostingKind::Pages);
  if (!Pages)
    return Pages.takeError();
  std::optional<Hit> Best;
  llvm::Error Failed = llvm::Error::success();
  forEachPiece(Addr, Size, [&](Piece What) {
    PageIndex Page(I, *Pages, What.Granule / GranulesPerPage);
    auto H = Page.first(
        What.Granule, Segment, Block, indexKinds(Kind),
        [&](const granule::Entry &E) { return touched(E, Kind) & What.Mask; });
    if (!H) {
      Failed = llvm::joinErrors(std::move(Failed), H.takeError());
      return false;
    }
    if (*H && (!Best || std::pair((*H)->S.Index, (*H)->E.Block) <
                            std::pair(Best->S.Index, Best->E.Block)))
      Best = **H;
    return true;
  });
  if (Failed)
    return Failed;
  return Best;
}

namespace {

/// What a search for accesses looks for.
struct Accesses {
  const TraceStore::Impl &I;
  uint64_t Addr, Size;
  AccessKind Kind;

  /// Calls \p F with each instruction of the block that is one, ascending,
  /// until it returns false. False if the block is damaged before that.
  template <typename F>
  bool forEach(const SegmentView &S, unsigned Block, F Visit) const {
    BlockDecoder D(I, S, Block, BlockDecoder::Addresses);
    for (unsigned K = 0, N = S.blockSize(Block); K < N; K = D.index() + 1) {
      if (!D.advanceToAccess(Addr, Size, Kind, N))
        return false;
      if (D.accessed(Addr, Size, Kind) && !Visit(D.index()))
        return true;
    }
    return true;
  }
};

class AccessFinds final : public BlockFinds {
public:
  explicit AccessFinds(const Accesses &What) : BlockFinds(What.I), What(What) {}

private:
  llvm::Expected<std::optional<Place>> nextBlock(uint32_t Segment,
                                                 unsigned Block) override {
    auto H = nextAccessBlock(What.I, What.Addr, What.Size, What.Kind, Segment,
                             Block);
    if (!H)
      return H.takeError();
    if (!*H)
      return std::nullopt;
    return Place{(*H)->S, (*H)->E.Block};
  }
  bool collect(const SegmentView &S, unsigned Block,
               llvm::function_ref<void(unsigned)> Found) override {
    return What.forEach(S, Block, [&](unsigned Insn) {
      Found(Insn);
      return true;
    });
  }

  const Accesses What;
};

} // namespace

std::unique_ptr<SearchCursor> SearchCursor::accesses(const TraceStore &Store,
                                                     uint64_t Addr,
                                                     uint64_t Size,
                                                     AccessKind Kind) {
  return std::make_unique<AccessFinds>(
      Accesses{BlockWalker::implOf(Store), Addr, Size, Kind});
}

llvm::Expected<std::optional<Moment>>
TraceStore::nextAccess(uint64_t Addr, uint64_t Size, AccessKind Kind,
                       Moment After) const {
  Moment From = After + 1;
  if (From >= numInstructions())
    return std::nullopt;
  auto P = I->locate(From);
  if (!P)
    return P.takeError();
  const Accesses What{*I, Addr, Size, Kind};
  uint32_t Segment = P->S.Index;
  unsigned Block = P->Block;
  while (true) {
    auto H = nextAccessBlock(*I, Addr, Size, Kind, Segment, Block);
    if (!H)
      return H.takeError();
    if (!*H)
      return std::nullopt;
    const SegmentView &S = (*H)->S;
    const unsigned B = (*H)->E.Block;
    const unsigned Start = S.Index == P->S.Index && B == P->Block ? P->Insn : 0;
    std::optional<unsigned> At;
    if (!What.forEach(S, B, [&](unsigned Insn) {
          if (Insn >= Start)
            At = Insn;
          return !At;
        }))
      return I->damagedBlock(S, B);
    if (At)
      return I->momentAt(S, B, *At);
    Segment = S.Index;
    Block = B + 1;
  }
}

// --- Ranges ------------------------------------------------------------------

llvm::Error TraceStore::forEachTouchedRange(
    llvm::function_ref<bool(uint64_t, uint64_t)> F) const {
  auto Pages = I->postings(PostingKind::Pages);
  if (!Pages)
    return Pages.takeError();
  uint64_t Begin = 0, End = 0; // the range at hand, in granules
  for (uint64_t Number : Pages->Keys) {
    bool Seen[GranulesPerPage] = {};
    PageIndex Page(*I, *Pages, Number);
    if (llvm::Error E = Page.forEach(
            0, uint32_t(I->Segments.size()),
            [&](const SegmentView &, uint16_t Index, const granule::List &) {
              Seen[Index & granule::IndexMask] = true;
            }))
      return E;
    for (unsigned G = 0; G < GranulesPerPage; ++G) {
      if (!Seen[G])
        continue;
      uint64_t Granule = Number * GranulesPerPage + G;
      if (Granule != End && End != Begin) {
        if (!F(Begin * 8, (End - Begin) * 8))
          return llvm::Error::success();
        Begin = Granule;
      } else if (End == Begin) {
        Begin = Granule;
      }
      End = Granule + 1;
    }
  }
  if (End != Begin)
    F(Begin * 8, (End - Begin) * 8);
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint64_t>>
TraceStore::writtenGranules(Moment From, Moment To) const {
  std::vector<uint64_t> Out;
  To = std::min(To, numInstructions());
  if (From >= To)
    return Out;
  auto Pages = I->postings(PostingKind::Pages);
  if (!Pages)
    return Pages.takeError();
  auto A = I->locate(From);
  if (!A)
    return A.takeError();
  auto Z = I->locate(To - 1);
  if (!Z)
    return Z.takeError();
  // Blocks that lie wholly inside: their entries. The first and the last one:
  // their instructions.
  auto whole = [&](uint32_t Segment, unsigned Block) {
    return std::pair(Segment, Block) > std::pair(A->S.Index, A->Block) &&
           std::pair(Segment, Block) < std::pair(Z->S.Index, Z->Block);
  };
  for (uint64_t Number : Pages->Keys) {
    PageIndex Page(*I, *Pages, Number);
    if (llvm::Error E = Page.forEach(
            A->S.Index, Z->S.Index,
            [&](const SegmentView &S, uint16_t Index, const granule::List &L) {
              if (!(Index & granule::IndexWrite))
                return;
              unsigned Start = S.Index == A->S.Index ? A->Block + 1 : 0;
              auto En = L.first(Start, [](const granule::Entry &En) {
                return En.Written != 0;
              });
              if (En && whole(S.Index, En->Block))
                Out.push_back(
                    (Number * GranulesPerPage + (Index & granule::IndexMask))
                    << GranuleBits);
            }))
      return E;
  }
  auto edge = [&](const BlockPlace &P, Moment Lo, Moment Hi) -> llvm::Error {
    BlockDecoder D(*I, P.S, P.Block, BlockDecoder::Addresses);
    Moment First = I->momentAt(P.S, P.Block, 0);
    for (unsigned K = 0; K < P.S.blockSize(P.Block) && First + K < Hi; ++K) {
      if (!D.next())
        return I->damagedBlock(P.S, P.Block);
      if (First + K < Lo)
        continue;
      for (const DecodedMem &M : D.mems())
        if (M.Shape->Flags & MemItem::Write)
          forEachPiece(M.Addr, M.Shape->Size, [&](Piece What) {
            Out.push_back(What.Granule << GranuleBits);
            return true;
          });
    }
    return llvm::Error::success();
  };
  if (llvm::Error E = edge(*A, From, To))
    return E;
  if (std::pair(A->S.Index, A->Block) != std::pair(Z->S.Index, Z->Block))
    if (llvm::Error E = edge(*Z, From, To))
      return E;
  std::sort(Out.begin(), Out.end());
  Out.erase(std::unique(Out.begin(), Out.end()), Out.end());
  return Out;
}
