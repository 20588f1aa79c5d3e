//===- RecordWords.cpp - The words of a record, damaged or not ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/FastGroups.h"
#include "core/formats/htm/HtmDecoder.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::htm {

/// Where a part of a word is lost, all that follows is shifted. Looks for a
/// record that begins inside the word at the cursor, and goes there.
bool HtmDecoder::realigned() {
  const size_t Whole = Window.available();
  if (Whole < 2)
    return false;
  for (unsigned Bytes = 1; Bytes < sizeof(uint64_t); ++Bytes) {
    if (!hasRecordTag(Window.wordAtByte(Bytes)))
      continue;
    size_t N = std::min(AheadWords.size(), Whole - 1);
    for (size_t I = 0; I < N; ++I)
      AheadWords[I] = Window.wordAtByte(Bytes + 8 * I);
    if (!recordAt({ArrayRef(AheadWords.data(), N), false}, 0))
      continue;
    report(Damage::LostWords, Window.offset(),
           formatv("{0} bytes before a record belong to no word", Bytes));
    Window.dropBytes(Bytes);
    // The beginning of its header may be another one's. Of an IEARA, all are
    // the same.
    if (!isP10(Window[0], P10Type::IEARA)) {
      if (!UnknownRun++)
        UnknownOffset = Window.offset();
      Window.advance(1);
    }
    return true;
  }
  return false;
}

/// \p Keep: so many words are taken as they are, stamps or not.
Lookahead HtmDecoder::lookAhead(size_t From, size_t Keep) {
  size_t N = 0, I = From;
  // Stamps are skipped; of a long run of them, some.
  size_t Limit = From + 4 * LookaheadWords;
  for (; N < AheadWords.size() && I < Window.available() && I < Limit; ++I)
    if (I < From + Keep || !hasStampTag(Window[I]))
      AheadWords[N++] = Window[I];
  return {ArrayRef(AheadWords.data(), N),
          I == Window.available() && Window.atEnd()};
}

/// A data address may look like a stamp. If it is one, taking it out leaves the
/// record a word short.
bool HtmDecoder::stampIsData(size_t I, const Slots &S, size_t Slot) const {
  if (Slot >= S.Size || (S.At[Slot] != Slot::Dea && S.At[Slot] != Slot::Iea &&
                         S.At[Slot] != Slot::Vsid))
    return false;
  size_t J = I + 1;
  for (size_t K = Slot + 1; K < S.Size; ++K, ++J) {
    if (J >= Window.available())
      return false;
    uint64_t W = Window[J];
    if (!fits(S.At[K], W) || (hasStampTag(W) && S.At[K] != Slot::Dea))
      return false;
  }
  if (J >= Window.available())
    return Window.atEnd();
  return mayFollow(Window[J]);
}

/// Takes stamps out of the \p N words from the cursor on, the first of which is
/// the header of a record with slots \p S. \p Got: words that there are.
Error HtmDecoder::gather(size_t N, const Slots &S, size_t &Got) {
  uint64_t Offset = Window.offset();
  for (size_t I = 1; I < N;) {
    if (Window.available() < I + Margin)
      if (Error E = Window.need(I + Margin))
        return E;
    if (I >= Window.available()) {
      Got = I;
      return Error::success();
    }
    uint64_t W = Window[I];
    if (hasStampTag(W)) {
      bool Record = (tagOf(W) == P10Tag || tagOf(W) == P8Tag) &&
                    recordAt(lookAhead(I), 0);
      if (!Record && !stampIsData(I, S, I - 1)) {
        stamp(W, Offset + 8 * I, true);
        Window.remove(I);
        Offset += 8;
        continue;
      }
    }
    ++I;
  }
  Got = N;
  return Error::success();
}

Reading HtmDecoder::recover(uint64_t W, const Slots &S, uint64_t Offset) {
  Lookahead A = lookAhead(1, S.Size);
  Reading R = bestReading(S, A);
  bool AtEnd = A.ToEnd && R.Used == A.Words.size();
  auto lose = [&](unsigned N) {
    R.Index[N] = -1;
    ++R.Lost;
  };
  // Nothing vouches for what could be any word if no record follows, nor for
  // zeros in front of zeros.
  const bool Zero = R.Used < A.Words.size() && A.Words[R.Used] == 0;
  for (unsigned N = S.Size; N-- > 0;) {
    if (R.Index[N] < 0)
      continue;
    const uint64_t Word = A.Words[R.Index[N]];
    if (Zero ? Word != 0
             : R.Bounded || (!isFree(S.At[N]) && fits(S.At[N], Word)))
      break;
    lose(N);
  }
  R.Intact = !R.Lost && !R.Surplus && R.Bounded;
  R.Intact |= AtEnd;
  if (R.Lost)
    report(
        AtEnd ? Damage::Truncated : Damage::LostWords, Offset,
        formatv("{0} of {1} words missing after {2}", R.Lost, S.Size, hex(W)));
  if (R.Surplus)
    report(Damage::SurplusWords, Offset,
           formatv("{0} words too many after {1}", R.Surplus, hex(W)));
  return R;
}

/// Passes over a record's header and its words. The lookahead skipped stamps
/// beyond the words that gather() cleaned; they are handled on the way.
void HtmDecoder::consume(const Reading &R) {
  Window.advance(1);
  for (unsigned Used = 0; Used < R.Used; Window.advance(1)) {
    if (Window[0] == AheadWords[Used])
      ++Used;
    else
      stamp(Window[0], Window.offset(), true);
  }
}

} // namespace rw::htm
