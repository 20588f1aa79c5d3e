//===- BlockCache.cpp - Code that was decoded before ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/BlockCache.h"
#include "core/formats/htm/Resync.h"
#include "core/formats/htm/WordWindow.h"
#include <algorithm>

using namespace llvm;

namespace rw::htm {

namespace {
constexpr unsigned IearaWords = 3;

uint64_t word(const uint64_t *At, size_t I) { return WordWindow::word(At, I); }

bool isInfo(uint64_t W) { return isP10(W, P10Type::Info); }
bool isIeara(uint64_t W) { return isP10(W, P10Type::IEARA); }

/// Words of the record with header \p W before its data addresses, and how many
/// pairs of those there are.
struct Layout {
  unsigned Static, Pairs;
};
Layout layoutOf(uint64_t W) {
  if (tagOf(W) == P10Tag)
    return {2u + bit(W, 33), unsigned(W & 3)};
  return {1u + bit(W, 57), unsigned(bit(W, 59))};
}
} // namespace

inline bool BlockCache::matches(const CodeBlock &B, const uint64_t *At,
                                const uint64_t *End, const State &S,
                                DataPlace *Data, uint32_t &Reach) {
  Reach = 0;
  // The word after it is looked at, too.
  if (End - At <= ptrdiff_t(B.NumWords))
    return false;
  if (!B.OwnAddress) {
    if (B.IsP10 ? !S.LineKnown || B.EntryEA != S.Line || B.EntryRA != S.LineRA
                : !S.P8Known || B.EntryEA != S.NextEA || B.Insns->Msr != S.Msr)
      return false;
  }
  const uint64_t *Expected = B.Words;
  const uint8_t *Step = B.Steps;
  auto same = [&] {
    uint64_t Difference = 0;
    const unsigned N = *Step++;
    for (unsigned K = 0; K < N; ++K)
      Difference |= At[K] ^ Expected[K];
    if (Difference) {
      Reach = uint32_t(std::mismatch(At, At + N, Expected).second - B.Words);
      return false;
    }
    At += N;
    Expected += N;
    return true;
  };
  for (unsigned N = B.NumData; N; --N) {
    if (!same())
      return false;
    const uint64_t Dea = word(At, 0), Dra = word(At, 1);
    At += 2;
    Expected += 2;
    if (LLVM_UNLIKELY(!isPlain(Dea) || hasStampTag(Dra)))
      return false;
    if (B.IsP10) {
      if (LLVM_UNLIKELY(!fits(Slot::Dra, Dra)))
        return false;
      *Data++ = {Dea, p10DataRA(Dra, Dea), 0};
    } else {
      if (LLVM_UNLIKELY(!fits(Slot::P8Dra, Dra)))
        return false;
      const uint8_t Shift = P8DataShift[Dra >> 62];
      *Data++ = {Dea, p8DataRA(Dra, Dea), Shift};
    }
  }
  return same() && mayFollow(word(At, 0));
}

/// Whether \p B, which was found at \p At, goes on there: what cut it when it
/// was learned is gone. That is told once, for it to be learned anew.
inline bool BlockCache::goesOn(CodeBlock &B, const uint64_t *At) {
  if (LLVM_LIKELY(B.Extent != CodeBlock::Cut))
    return false;
  const uint64_t W = word(At, B.NumWords);
  if (B.IsP10 ? !isInfo(W) && !isIeara(W) : tagOf(W) != P8Tag)
    return false;
  B.Extent = CodeBlock::Beginning;
  return true;
}

CodeBlock *BlockCache::match(const uint64_t *At, const uint64_t *End,
                             const State &S, CodeBlock *Before,
                             DataPlace *Data) {
  if (End - At <= ptrdiff_t(IearaWords))
    return nullptr;
  uint64_t W = word(At, 0), EA;
  if (isIeara(W)) {
    W = word(At, IearaWords);
    EA = word(At, 1) | (W & 0x7c);
  } else if (isInfo(W))
    EA = S.Line | (W & 0x7c);
  else if (tagOf(W) == P8Tag)
    EA = bit(W, 57) ? word(At, 1) & ~uint64_t(3) : S.NextEA;
  else
    return nullptr;
  // One that begins like this is no longer than Reach.
  const CodeBlock *Failed = nullptr;
  uint32_t Reach = 0;
  if (Before)
    for (auto &Next : Before->Nexts) {
      if (Next.EA != EA || !Next.Block ||
          Next.Block->Extent == CodeBlock::Beginning)
        continue;
      if (matches(*Next.Block, At, End, S, Data, Reach))
        return goesOn(*Next.Block, At) ? nullptr : Next.Block;
      if (Reach)
        Failed = Next.Block->Longest;
      break;
    }
  for (CodeBlock *B = slot(EA, W); B; B = B->Other) {
    if (B->EA != EA || (B->Longest == Failed && B->NumWords > Reach))
      continue;
    uint32_t Same;
    if (matches(*B, At, End, S, Data, Same)) {
      if (goesOn(*B, At))
        return nullptr;
      // What was cut this time will mostly be whole.
      if (Before && B->Longest != Failed)
        Before->addNext(B);
      return B;
    }
    if (Same) {
      Failed = B->Longest;
      Reach = Same;
    }
  }
  return nullptr;
}

void BlockCache::learn(const uint64_t *At, const State &S,
                       ArrayRef<Instruction> Insns,
                       ArrayRef<const uint64_t *> Ends) {
  if (Insns.empty() || Learned > MaxLearned)
    return;
  const Instruction &First = Insns[0];
  const uint64_t FirstWord = word(At, 0);
  const bool IsP10 = First.has(Instruction::P10);
  const bool Own = IsP10 ? isIeara(FirstWord) : bit(FirstWord, 57);
  if (!Own && !(IsP10 ? S.LineKnown : S.P8Known))
    return;

  uint64_t Words[MaxWords];
  SmallVector<uint8_t, MaxData + 1> Steps;
  SmallVector<uint8_t, MaxData> DataInsns;
  SmallVector<uint8_t, MaxInsns> Lines;
  unsigned N = 0, NumWords = 0, Static = 0;
  for (; N < std::min<size_t>(Insns.size(), MaxInsns); ++N) {
    const Instruction &I = Insns[N];
    if (!I.has(Instruction::AddressKnown) || !I.has(Instruction::MsrKnown) ||
        I.has(Instruction::Slb) || I.has(Instruction::Damaged) ||
        I.has(Instruction::P10) != IsP10 || (N && I.EA != Insns[N - 1].next()))
      break;
    // The real address of the first one must tell those of all others.
    if (!IsP10 && (S.RealApart ? N && (I.EA & 0xfff) == 0 : I.RA != NoAddress))
      break;
    const uint64_t *Word = N ? Ends[N - 1] : At;
    if (isIeara(word(Word, 0))) {
      // The instruction at the first address did not complete. That is rare.
      if (isIeara(word(Word, IearaWords)))
        break;
      std::copy_n(Word, IearaWords, Words + NumWords);
      NumWords += IearaWords;
      Static += IearaWords;
      Word += IearaWords;
    }
    if (!N || (IsP10 && I.has(Instruction::FromIEARA)))
      Lines.push_back(uint8_t(N));
    Layout L = layoutOf(word(Word, 0));
    assert(Word + L.Static + 2 * L.Pairs == Ends[N]);
    std::copy_n(Word, L.Static, Words + NumWords);
    NumWords += L.Static;
    Static += L.Static;
    for (unsigned P = 0; P < L.Pairs; ++P) {
      Words[NumWords++] = 0;
      Words[NumWords++] = 0;
      DataInsns.push_back(uint8_t(N));
      Steps.push_back(uint8_t(std::exchange(Static, 0)));
    }
  }
  if (!N)
    return;
  const unsigned NumData = unsigned(Steps.size());
  Steps.push_back(uint8_t(Static));

  // Longer ones come first: a shorter one is the beginning of one that a stamp
  // or an interrupt cut.
  auto isLike = [&](const CodeBlock &O, unsigned Size) {
    return O.NumWords >= Size && O.Insns->EA == First.EA && O.IsP10 == IsP10 &&
           O.OwnAddress == Own && O.Insns->Msr == First.Msr &&
           (Own || O.EntryRA == S.LineRA) &&
           std::equal(Words, Words + Size, O.Words);
  };
  const CodeBlock *Longest = nullptr;
  CodeBlock **Link =
      &slot(First.EA, Own && IsP10 ? word(At, IearaWords) : FirstWord);
  unsigned Same = 0;
  for (; *Link && (*Link)->NumInsns >= N; Link = &(*Link)->Other) {
    const CodeBlock &O = **Link;
    if (++Same > MaxOthers)
      return;
    if (!isLike(O, NumWords))
      continue;
    // A data address that looks like a record, or the end of the window, kept
    // it from being found.
    if (O.NumWords == NumWords)
      return;
    if (!Longest)
      Longest = O.Longest;
  }

  auto *Copy = Rest.Allocate<Instruction>(N);
  for (unsigned I = 0; I < N; ++I) {
    Copy[I] = Insns[I];
    Copy[I].Flags &= uint16_t(~Instruction::ContextKnown);
    Copy[I].Offset -= First.Offset;
    Copy[I].Walk = 0;
    Copy[I].PageShift = 0;
    if (!IsP10)
      Copy[I].RA = NoAddress;
    if (Own && IsP10)
      Copy[I].Offset += IearaWords * sizeof(uint64_t);
  }
  auto copied = [](BumpPtrAllocator &To, ArrayRef<uint8_t> Bytes) {
    auto *C = To.Allocate<uint8_t>(Bytes.size());
    std::copy(Bytes.begin(), Bytes.end(), C);
    return C;
  };

  auto *B = new (Memory.Allocate<CodeBlock>()) CodeBlock;
  auto *CopiedWords = Memory.Allocate<uint64_t>(NumWords);
  std::copy_n(Words, NumWords, CopiedWords);
  B->EA = First.EA;
  B->Id = NumBlocks++;
  B->NumInsns = N;
  B->NumData = NumData;
  B->Insns = Copy;
  B->Words = CopiedWords;
  B->Steps = copied(Memory, Steps);
  B->DataInsns = copied(Rest, DataInsns);
  B->Lines = copied(Rest, Lines);
  B->NumLines = uint8_t(Lines.size());
  B->NumWords = NumWords;
  B->OwnAddress = Own;
  B->IsP10 = IsP10;
  B->EntryEA = IsP10 ? S.Line : S.NextEA;
  B->EntryRA = S.LineRA;
  const Instruction &Last = Copy[N - 1];
  if (N < MaxInsns && !(Last.has(Instruction::BranchForm) &&
                        (!IsP10 || Last.Opcode >> 28 == 4)))
    B->Extent = CodeBlock::Cut;
  B->EndLine = IsP10 ? Last.EA & ~uint64_t(0x7f) : Last.next();
  B->EndRA = Last.RA == NoAddress ? NoAddress : Last.RA & ~uint64_t(0xfff);
  B->EndMsr = Last.Msr;
  B->EndsFlow = endsFlow(Last);
  if (Longest)
    B->Longest = Longest;
  for (CodeBlock *O = *Link; O; O = O->Other)
    if (O->NumWords < NumWords && isLike(*O, O->NumWords))
      O->Longest = B->Longest;
  B->Other = *Link;
  *Link = B;
  Learned += N;
}

} // namespace rw::htm
