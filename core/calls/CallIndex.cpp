//===- CallIndex.cpp - Who called whom, and when --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallIndex.h"
#include "core/calls/CallSection.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace rw {

using namespace callsection;

namespace {

llvm::Error damaged(const llvm::Twine &What) {
  return llvm::createStringError(
      std::make_error_code(std::errc::illegal_byte_sequence),
      "damaged call index: " + What);
}

/// Blocks whose extremes are summed up, so that a search backwards skips what
/// it does not want.
constexpr size_t GroupSize = 64;

/// The last I < Bound for which Block(I) holds, Group(G) telling whether any of
/// group G does; ~0 if none.
template <class BlockPred, class GroupPred>
size_t lastBlockBefore(size_t Bound, BlockPred Block, GroupPred Group) {
  size_t I = Bound;
  while (I > 0) {
    if (I % GroupSize == 0 && !Group(I / GroupSize - 1))
      I -= GroupSize;
    else if (Block(--I))
      return I;
  }
  return ~size_t(0);
}

struct Raw {
  Position Start, End;
  uint32_t Entry, Depth;
};

} // namespace

struct CallIndex::Impl {
  struct Thread {
    llvm::ArrayRef<BlockEntry> Directory;
    uint64_t Count = 0, BlocksEnd = 0, TtuOnly = 0, NumTtuOnly = 0;
    uint32_t MaxDepth = 0;
    std::vector<uint64_t> GroupMaxEnd;
    std::vector<uint32_t> GroupMinDepth;
  };
  /// No other index of this program has it, or had it.
  const uint64_t Id = [] {
    static std::atomic<uint64_t> Last = 0;
    return ++Last;
  }();
  llvm::ArrayRef<uint8_t> Section;
  llvm::ArrayRef<EntryRecord> Entries;
  std::vector<uint64_t> JumpTargets;
  uint64_t TtuOnlyEnd = 0;
  std::vector<Thread> Threads;

  template <class T>
  llvm::Expected<llvm::ArrayRef<T>> array(uint64_t Offset, uint64_t Count,
                                          const char *What) const {
    if (Offset > Section.size() || Offset % 8 ||
        Count > (Section.size() - Offset) / sizeof(T))
      return damaged(llvm::Twine(What) + " lies outside of the section");
    return llvm::ArrayRef<T>(
        reinterpret_cast<const T *>(Section.data() + Offset), Count);
  }

  llvm::Error load();

  /// A block, decoded: one of some that this system thread looked at last. It
  /// stays until the thread looks at another.
  llvm::Expected<llvm::ArrayRef<Raw>> block(const Thread &T,
                                            size_t Block) const {
    struct Kept {
      uint64_t Of = 0; ///< 0: none
      const Thread *Where = nullptr;
      size_t Block = 0;
      unsigned Count = 0;
      Raw Items[BlockSize];
    };
    static constexpr size_t NumKept = 8;
    static thread_local std::unique_ptr<std::array<Kept, NumKept>> All;
    if (!All)
      All = std::make_unique<std::array<Kept, NumKept>>();
    Kept &K = (*All)[Block % NumKept];
    if (K.Of != Id || K.Where != &T || K.Block != Block) {
      K.Of = 0;
      auto N = decode(T, Block, K.Items);
      if (!N)
        return N.takeError();
      K.Of = Id;
      K.Where = &T;
      K.Block = Block;
      K.Count = *N;
    }
    return llvm::ArrayRef<Raw>(K.Items, K.Count);
  }

  /// Decodes a block into \p Out (BlockSize elements): how many there are.
  llvm::Expected<unsigned> decode(const Thread &T, size_t Block,
                                  Raw *Out) const {
    const BlockEntry &B = T.Directory[Block];
    uint64_t EndOffset = Block + 1 < T.Directory.size()
                             ? uint64_t(T.Directory[Block + 1].Offset)
                             : T.BlocksEnd;
    const uint8_t *P = Section.data() + B.Offset;
    const uint8_t *End = Section.data() + EndOffset;
    unsigned N = unsigned(
        std::min<uint64_t>(BlockSize, T.Count - uint64_t(Block) * BlockSize));
    Position Start = B.FirstStart;
    uint32_t Depth = B.FirstDepth;
    for (unsigned I = 0; I < N; ++I) {
      uint64_t Delta, Length, Entry, Up;
      if (!(P = getVarint(P, End, Delta)) || !(P = getVarint(P, End, Length)) ||
          !(P = getVarint(P, End, Entry)) || !(P = getVarint(P, End, Up)) ||
          Entry >= Entries.size() || (I && Up > Depth + 1))
        return damaged("block " + llvm::Twine(Block));
      Start += Delta;
      if (I)
        Depth = Depth + 1 - uint32_t(Up);
      Out[I] = {Start, Start + Length, uint32_t(Entry), Depth};
    }
    return N;
  }

  Activation make(ThreadIndex T, uint64_t Number, const Raw &R) const {
    const EntryRecord &E = Entries[R.Entry];
    Activation A;
    A.Thread = T;
    A.Number = Number;
    A.Start = R.Start;
    A.End = R.End;
    A.EntryPC = E.PC;
    A.Depth = R.Depth;
    A.Kind = ActivationKind(E.KindFlags & 0xff);
    A.Flags = uint8_t(E.KindFlags >> 8);
    return A;
  }

  /// Block of the last activation with Start < P (or <= with \p OrAt), or ~0.
  size_t blockBefore(const Thread &T, Position P, bool OrAt) const {
    auto It = std::partition_point(
        T.Directory.begin(), T.Directory.end(), [&](const BlockEntry &B) {
          return OrAt ? B.FirstStart <= P : B.FirstStart < P;
        });
    return size_t(It - T.Directory.begin()) - 1;
  }

  /// The last activation with Number < Bound that satisfies \p Holds, which
  /// \p InBlock tells not to be in whole blocks.
  template <class Pred, class Finder>
  llvm::Expected<std::optional<Activation>>
  lastWhere(ThreadIndex TI, uint64_t Bound, Pred Holds,
            Finder PrevBlock) const {
    const Thread &T = Threads[TI];
    size_t B = size_t(Bound / BlockSize);
    unsigned Limit = unsigned(Bound % BlockSize);
    if (Limit == 0) {
      if (B == 0)
        return std::nullopt;
      B = PrevBlock(B);
      Limit = BlockSize;
    }
    while (B != ~size_t(0)) {
      auto Items = block(T, B);
      if (!Items)
        return Items.takeError();
      for (unsigned I = std::min(unsigned(Items->size()), Limit); I-- > 0;)
        if (Holds((*Items)[I]))
          return make(TI, uint64_t(B) * BlockSize + I, (*Items)[I]);
      Limit = BlockSize;
      B = PrevBlock(B);
    }
    return std::nullopt;
  }

  /// The last activation with Number < Bound and End > P.
  llvm::Expected<std::optional<Activation>>
  lastOpen(ThreadIndex TI, uint64_t Bound, Position P) const {
    const Thread &T = Threads[TI];
    return lastWhere(
        TI, Bound, [&](const Raw &R) { return R.End > P; },
        [&](size_t B) {
          return lastBlockBefore(
              B, [&](size_t I) { return T.Directory[I].MaxEnd > P; },
              [&](size_t G) { return T.GroupMaxEnd[G] > P; });
        });
  }

  /// The last activation with Number < Bound and at most this depth.
  llvm::Expected<std::optional<Activation>>
  lastAtDepth(ThreadIndex TI, uint64_t Bound, uint32_t Depth) const {
    const Thread &T = Threads[TI];
    return lastWhere(
        TI, Bound, [&](const Raw &R) { return R.Depth <= Depth; },
        [&](size_t B) {
          return lastBlockBefore(
              B, [&](size_t I) { return T.Directory[I].MinDepth <= Depth; },
              [&](size_t G) { return T.GroupMinDepth[G] <= Depth; });
        });
  }
};

llvm::Error CallIndex::Impl::load() {
  if (Section.size() < sizeof(Footer))
    return damaged("it is too short");
  Footer F;
  std::memcpy(&F, Section.data() + Section.size() - sizeof(F), sizeof(F));
  if (std::memcmp(F.Magic, Magic, sizeof(Magic)) != 0)
    return damaged("it does not end with its mark");
  if (auto A = array<EntryRecord>(F.Entries, F.NumEntries, "entry table"))
    Entries = *A;
  else
    return A.takeError();
  if (auto A = array<ulittle64_t>(F.JumpTargets, F.NumJumpTargets,
                                  "table of jump targets"))
    JumpTargets.assign(A->begin(), A->end());
  else
    return A.takeError();
  TtuOnlyEnd = F.TtuOnlyEnd;
  if (TtuOnlyEnd > Section.size())
    return damaged("list of peer's calls lies outside of the section");
  auto Table = array<ThreadEntry>(F.Threads, F.NumThreads, "thread table");
  if (!Table)
    return Table.takeError();
  for (const ThreadEntry &E : *Table) {
    Thread T;
    T.Count = E.NumActivations;
    T.BlocksEnd = E.BlocksEnd;
    T.TtuOnly = E.TtuOnly;
    T.NumTtuOnly = E.NumTtuOnly;
    T.MaxDepth = E.MaxDepth;
    if (T.BlocksEnd > Section.size() || T.TtuOnly > TtuOnlyEnd ||
        T.Count > Section.size())
      return damaged("a thread's data lies outside of the section");
    auto D = array<BlockEntry>(
        E.Directory, (T.Count + BlockSize - 1) / BlockSize, "directory");
    if (!D)
      return D.takeError();
    T.Directory = *D;
    uint64_t Last = 0;
    for (size_t B = 0; B < T.Directory.size(); ++B) {
      const BlockEntry &Block = T.Directory[B];
      if (Block.Offset < Last || Block.Offset > T.BlocksEnd)
        return damaged("blocks are out of order");
      Last = Block.Offset;
      if (B % GroupSize == 0) {
        T.GroupMaxEnd.push_back(0);
        T.GroupMinDepth.push_back(~uint32_t(0));
      }
      T.GroupMaxEnd.back() =
          std::max<uint64_t>(T.GroupMaxEnd.back(), Block.MaxEnd);
      T.GroupMinDepth.back() =
          std::min<uint32_t>(T.GroupMinDepth.back(), Block.MinDepth);
    }
    Threads.push_back(std::move(T));
  }
  return llvm::Error::success();
}

CallIndex::CallIndex() : I(std::make_unique<Impl>()) {}
CallIndex::~CallIndex() = default;

llvm::Expected<std::unique_ptr<CallIndex>>
CallIndex::open(llvm::ArrayRef<uint8_t> Section) {
  std::unique_ptr<CallIndex> Index(new CallIndex());
  Index->I->Section = Section;
  if (Section.empty())
    return Index;
  if (llvm::Error E = Index->I->load())
    return E;
  return Index;
}

unsigned CallIndex::numThreads() const { return unsigned(I->Threads.size()); }

uint64_t CallIndex::size(ThreadIndex T) const {
  return T < I->Threads.size() ? I->Threads[T].Count : 0;
}

uint64_t CallIndex::size() const {
  uint64_t N = 0;
  for (const Impl::Thread &T : I->Threads)
    N += T.Count;
  return N;
}

uint32_t CallIndex::maxDepth(ThreadIndex T) const {
  return T < I->Threads.size() ? I->Threads[T].MaxDepth : 0;
}

llvm::ArrayRef<uint64_t> CallIndex::jumpTargets() const {
  return I->JumpTargets;
}

llvm::Expected<Activation> CallIndex::activation(ThreadIndex T,
                                                 uint64_t Number) const {
  if (Number >= size(T))
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "there is no activation " + llvm::Twine(Number) + " in thread " +
            llvm::Twine(T) + ", which has " + llvm::Twine(size(T)));
  auto Items = I->block(I->Threads[T], size_t(Number / BlockSize));
  if (!Items)
    return Items.takeError();
  return I->make(T, Number, (*Items)[Number % BlockSize]);
}

llvm::Expected<uint64_t> CallIndex::firstFrom(ThreadIndex T, Position P) const {
  if (size(T) == 0)
    return 0;
  const Impl::Thread &Thread = I->Threads[T];
  size_t B = I->blockBefore(Thread, P, /*OrAt=*/false);
  if (B == ~size_t(0))
    return 0;
  auto Items = I->block(Thread, B);
  if (!Items)
    return Items.takeError();
  const Raw *It = std::partition_point(
      Items->begin(), Items->end(), [&](const Raw &R) { return R.Start < P; });
  return uint64_t(B) * BlockSize + uint64_t(It - Items->begin());
}

llvm::Expected<std::optional<Activation>>
CallIndex::enclosing(ThreadIndex T, Position P) const {
  if (size(T) == 0)
    return std::nullopt;
  llvm::Expected<uint64_t> Bound = P == ~Position(0)
                                       ? llvm::Expected<uint64_t>(size(T))
                                       : firstFrom(T, P + 1);
  if (!Bound)
    return Bound.takeError();
  return I->lastOpen(T, *Bound, P);
}

llvm::Expected<std::optional<Activation>>
CallIndex::parent(const Activation &A) const {
  if (A.Number == 0 || A.Number >= size(A.Thread))
    return std::nullopt;
  return I->lastAtDepth(A.Thread, A.Number, A.Depth - 1);
}

llvm::Expected<std::vector<Activation>> CallIndex::stack(ThreadIndex T,
                                                         Position P) const {
  std::vector<Activation> Stack;
  auto A = enclosing(T, P);
  while (A && *A) {
    Stack.push_back(**A);
    A = parent(Stack.back());
  }
  if (!A)
    return A.takeError();
  return Stack;
}

llvm::Expected<std::optional<Activation>>
CallIndex::calledAt(const Activation &A, Position P) const {
  std::optional<Activation> Called;
  for (auto Runs = enclosing(A.Thread, P);; Runs = parent(*Called)) {
    if (!Runs)
      return Runs.takeError();
    if (!*Runs || (*Runs)->Number == A.Number)
      return Called;
    Called = **Runs;
  }
}

llvm::Expected<std::optional<Activation>>
CallIndex::firstChild(const Activation &A) const {
  if (A.Number + 1 >= size(A.Thread))
    return std::nullopt;
  auto Next = activation(A.Thread, A.Number + 1);
  if (!Next)
    return Next.takeError();
  if (Next->Depth != A.Depth + 1)
    return std::nullopt;
  return *Next;
}

llvm::Expected<std::optional<Activation>>
CallIndex::nextSibling(const Activation &A) const {
  auto Number = firstFrom(A.Thread, A.End);
  if (!Number)
    return Number.takeError();
  if (*Number >= size(A.Thread))
    return std::nullopt;
  auto Next = activation(A.Thread, *Number);
  if (!Next)
    return Next.takeError();
  if (Next->Depth != A.Depth)
    return std::nullopt;
  return *Next;
}

llvm::Expected<std::optional<Activation>>
CallIndex::lastChildBefore(const Activation &A, Position P) const {
  auto Bound = firstFrom(A.Thread, std::min(P, A.End));
  if (!Bound)
    return Bound.takeError();
  if (*Bound <= A.Number + 1)
    return std::nullopt;
  auto Child = I->lastAtDepth(A.Thread, *Bound, A.Depth + 1);
  if (Child && *Child && (*Child)->Number <= A.Number)
    return std::nullopt;
  return Child;
}

llvm::Error
CallIndex::forEach(ThreadIndex T, uint64_t From, uint64_t To,
                   llvm::function_ref<bool(const Activation &)> F) const {
  To = std::min(To, size(T));
  Raw Block[BlockSize];
  while (From < To) {
    size_t B = size_t(From / BlockSize);
    auto N = I->decode(I->Threads[T], B, Block);
    if (!N)
      return N.takeError();
    for (unsigned J = unsigned(From % BlockSize); J < *N && From < To;
         ++J, ++From)
      if (!F(I->make(T, From, Block[J])))
        return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<Activation>>
CallIndex::nextTtuOnly(ThreadIndex T, TtuOnlyPlace &Place) const {
  if (T >= I->Threads.size() || Place.Count == I->Threads[T].NumTtuOnly)
    return std::nullopt;
  const uint8_t *Begin = I->Section.data() + I->Threads[T].TtuOnly;
  const uint8_t *End = I->Section.data() + I->TtuOnlyEnd;
  const uint8_t *P = Begin + Place.Offset;
  uint64_t Delta, Length, Entry;
  if (!(P = getVarint(P, End, Delta)) || !(P = getVarint(P, End, Length)) ||
      !(P = getVarint(P, End, Entry)) || Entry >= I->Entries.size())
    return damaged("list of the peer's calls");
  Place.Start += Delta;
  Place.Offset = uint64_t(P - Begin);
  ++Place.Count;
  Activation A =
      I->make(T, 0, {Place.Start, Place.Start + Length, uint32_t(Entry), 0});
  A.Flags = Activation::Returned | Activation::TtuCall;
  return A;
}

} // namespace rw
