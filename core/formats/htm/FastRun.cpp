//===- FastRun.cpp - Groups and blocks in a row ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/FastGroups.h"

using namespace llvm;

namespace rw::htm {

BlockCache::State HtmDecoder::blockState() const {
  BlockCache::State S;
  S.LineKnown = LineKnown && !NewLine;
  S.Line = Line;
  S.LineRA = LineRA;
  S.RealApart = Options.Translate;
  S.P8Known = NextKnown && P8MsrKnown && !MustJump &&
              (S.RealApart || LastRA == NoAddress);
  S.NextEA = NextEA;
  S.Msr = P8Msr;
  return S;
}

/// Executions of blocks that are known, as many as there are in a row. They are
/// handed on unless what comes next is certainly no instruction.
Error HtmDecoder::knownBlocks() {
  // What comes next is not like what came before: it goes another way.
  if (Ambiguous || UnknownRun || ZeroRun || LossPending || GapAfterRecord)
    return Executions.empty() ? Error::success() : flush(false);
  const uint64_t *const Begin = Window.data();
  const uint64_t *const End = Begin + Window.available();
  const uint64_t *At = Begin;
  const uint64_t Offset = Window.offset();
  BlockCache::State S = blockState();
  const CodeBlock *Latest = nullptr; ///< executed here
  while (CodeBlock *B = Blocks->match(At, End, S, LastBlock, &Data[NumData])) {
    if (B->IsP10 && !(LastBlock && LastBlock->leadsTo(B))) {
      if (Latest)
        Before = &Latest->insns().back();
      if (!comesFromBefore(B->Insns->EA, B->OwnAddress))
        break;
      if (LastBlock)
        LastBlock->addSuccessor(B);
    }
    if (Count || Executions.size() == MaxExecutions ||
        NumData > MaxData - BlockCache::MaxData) {
      // The places just found are after those of the batch.
      std::array<DataPlace, BlockCache::MaxData> Places;
      std::copy_n(&Data[NumData], B->NumData, Places.begin());
      if (Error E = flush(false))
        return E;
      std::copy_n(Places.begin(), B->NumData, Data.get());
    }
    Executions.push_back({B, Offset + 8 * uint64_t(At - Begin), Time, NumData,
                          uint32_t(Lines.size()), Context, ContextKnown});
    if (Options.Translate)
      translate(*B);
    else if (!B->IsP10)
      LastRA = NoAddress;
    NumData += B->NumData;
    At += B->NumWords;
    Sum.Instructions += B->NumInsns;
    if (B->IsP10) {
      Line = S.Line = B->EndLine;
      LineRA = S.LineRA = B->EndRA;
      LineKnown = S.LineKnown = true;
      NewLine = false;
    } else {
      NextEA = S.NextEA = B->EndLine;
      P8Msr = S.Msr = B->EndMsr;
      NextKnown = P8MsrKnown = true;
      MustJump = B->EndsFlow;
      S.P8Known = !MustJump;
      Sum.P8Instructions += B->NumInsns;
    }
    LastBlock = B;
    Latest = B;
  }
  if (Latest) {
    Before = &Latest->insns().back();
    Follow = Before->next();
  }
  if (Executions.empty())
    return Error::success();
  Started = true;
  GroupEvents = 0;
  if (LLVM_UNLIKELY(Unplaced))
    reportUnplaced();
  Window.advance(size_t(At - Begin));
  if (Window.available()) {
    const uint64_t W = Window[0];
    if (hasStampTag(W) ? !hasRecordTag(W) : isP10(W, P10Type::Xlate))
      return Error::success();
  }
  return flush(false);
}

/// The execution that was just found: its data addresses are at the end.
inline void HtmDecoder::translate(const CodeBlock &B) {
  if (B.IsP10) {
    Options.Translate->execution(B, {&Data[NumData], B.NumData}, Lines);
    return;
  }
  if (B.OwnAddress) {
    LastRA = NoAddress;
    LastPageShift = 0;
    Options.Translate->p8Address(B.Insns->EA, B.Insns->Msr, LastRA,
                                 LastPageShift);
  } else {
    p8Sequential();
  }
  Lines.push_back(
      {LastRA, 0, LastRA == NoAddress ? uint8_t(0) : LastPageShift});
  if (LastRA != NoAddress)
    LastRA += 4 * (B.NumInsns - 1);
}

/// As many instructions as there are in a row without anything unusual, at most
/// a batch. Without blocks, this is what nearly all of a dump goes through;
/// with them, a block is learned, which ends with a branch.
void HtmDecoder::fastRun() {
  if (Window.available() < Margin)
    return;
  const BlockCache::State Before = blockState();
  const bool Learn = Blocks && !Ambiguous;
  const unsigned First = Count;
  const uint64_t *Ends[BatchSize];
  bool AtBranch = false;
  LastBlock = nullptr;
  const uint64_t *const Begin = Window.data();
  const uint64_t *const Limit = Begin + (Window.available() - Margin);
  const uint64_t *At = Begin;
  const uint64_t Offset = Window.offset();
  Translator *const Translate = Options.Translate;
  while (At < Limit && Count < BatchSize && !AtBranch) {
    const uint64_t W = WordWindow::word(At, 0);
    if (LLVM_UNLIKELY(hasStampTag(W)))
      break;
    if (tagOf(W) == P8Tag) {
      unsigned Used = p8Fast(W, At, Offset + 8 * uint64_t(At - Begin));
      if (!Used)
        break;
      At += Used;
      Ends[Count] = At;
      AtBranch = Learn && bit(W, 32);
      finish(Insns[Count]);
      continue;
    }
    if (LLVM_UNLIKELY(tagOf(W) != P10Tag))
      break;
    if (p10Type(W) == P10Type::Info) {
      unsigned Used = p10Fast(W, At, Margin, Offset + 8 * uint64_t(At - Begin));
      if (LLVM_UNLIKELY(!Used))
        break;
      At += Used;
      if (Translate)
        Translate->instruction(Insns[Count]);
      Ends[Count] = At;
      // What is an isel, or no branch either, does not end a block.
      AtBranch = Learn && bit(W, 32) && Insns[Count].Opcode >> 28 == 4;
      finish(Insns[Count]);
      continue;
    }
    if (p10Type(W) != P10Type::IEARA)
      break;
    const uint64_t EA = WordWindow::word(At, 1), RA = WordWindow::word(At, 2);
    if (LLVM_UNLIKELY((EA & 0x7f) | (RA & 0xffffff)) || !isPlain(EA) ||
        !isLinePage(RA) || hasStampTag(RA) || GapAfterRecord)
      break;
    At += 3;
    Line = EA;
    LineRA = RA >> 24 << 12;
    LineKnown = NewLine = true;
    if (Translate)
      Translate->line(LineRA);
  }
  if (Learn) {
    // What the last one is may depend on the next.
    const unsigned N = Count - First - (Ambiguous && Count > First);
    Blocks->learn(Begin, Before, ArrayRef(&Insns[First], N),
                  ArrayRef(&Ends[First], N));
  }
  Window.advance(size_t(At - Begin));
}

} // namespace rw::htm
