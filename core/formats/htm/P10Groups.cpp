//===- P10Groups.cpp - What POWER10 sends ---------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/FastGroups.h"

using namespace llvm;

namespace rw::htm {

void HtmDecoder::resolveAmbiguous(uint64_t Next, bool Known) {
  Ambiguous = false;
  Instruction &I = Insns[Count - 1];
  // The word as it came is still there: it was taken for an isel.
  std::optional<AmbiguousBranch> A = ambiguousP10(I.Opcode, I.EA);
  if (A && Known && Next == A->Target)
    I.Opcode = A->Opcode;
}

/// Stamps between the words of the record, addresses that look like records,
/// words missing or too many, the end of the dump.
Error HtmDecoder::p10InfoSlow(uint64_t W) {
  uint64_t Offset = Window.offset();
  Slots S = announcedBy(W);
  size_t Got;
  if (Error E = gather(1 + S.Size, S, Got))
    return E;
  if (Error E = Window.need(Margin))
    return E;
  Reading R = recover(W, S, Offset);
  bool Intact = R.Intact;
  uint64_t Word[6];
  bool Have[6];
  for (unsigned N = 0; N < S.Size; ++N) {
    Have[N] = R.Index[N] >= 0;
    Word[N] = Have[N] ? AheadWords[R.Index[N]] : 0;
    if (!Have[N] || S.At[N] != Slot::Msr || fits(Slot::Msr, Word[N]))
      continue;
    report(Damage::ReservedBits, Offset,
           "reserved bits set in the MSR word " + hex(Word[N]));
    Have[N] = Intact = false;
  }
  consume(R);
  uint32_t Opcode = uint32_t(W >> 32);
  if (Opcode == 0 && !bit(W, 33)) {
    report(Damage::InvalidOpcode, Offset, "opcode 0");
    Started = true;
    GroupEvents = 0;
    if (std::exchange(GapAfterRecord, false))
      startGap();
    lose();
    return Error::success();
  }
  // Nothing vouches for a word that nothing fits behind: it may be put together
  // of two.
  if (R.Index[0] < 0 && !R.Bounded)
    lose();
  if (LineKnown && !comesFromBefore(Line | (W & 0x7c), NewLine)) {
    report(Damage::LostWords, Offset,
           formatv("control cannot come to {0:x-16} from what is before: "
                   "records are missing",
                   Line | (W & 0x7c)));
    lose();
  }

  Instruction &I = begin(W, Offset);
  I.EA = Line | (W & 0x7c);
  if (Ambiguous)
    resolveAmbiguous(I.EA, LineKnown);
  I.Flags |= Instruction::P10 | (LineKnown ? Instruction::AddressKnown : 0) |
             (NewLine ? Instruction::FromIEARA : 0) |
             (R.Lost ? Instruction::Damaged : 0);
  NewLine = false;
  I.RA =
      LineRA == NoAddress || !LineKnown ? NoAddress : LineRA | (I.EA & 0xfff);
  I.Msr = 0;
  I.Opcode = Opcode;
  if (bit(W, 33))
    I.Flags |= Instruction::Prefixed;
  else
    setP10Opcode(I, Opcode, bit(W, 32));
  for (unsigned N = 0; N < S.Size; ++N) {
    switch (S.At[N]) {
    case Slot::Msr:
      if (Have[N]) {
        I.Msr = uint16_t(Word[N] >> 48);
        I.Flags |= Instruction::MsrKnown;
      }
      break;
    case Slot::Prefix:
      // 0 if it was lost
      I.Prefix =
          Have[N] && fits(Slot::Prefix, Word[N]) ? uint32_t(Word[N] >> 32) : 0;
      if (Have[N] && !I.Prefix) {
        report(Damage::SurplusWords, Offset,
               "not the prefix of an instruction: " + hex(Word[N]));
        Intact = false;
      }
      break;
    case Slot::Dea:
      if (!Have[N])
        break;
      I.Data[I.NumData] = Word[N];
      I.DataRA[I.NumData] =
          Have[N + 1] ? p10DataRA(Word[N + 1], Word[N]) : NoAddress;
      ++I.NumData;
      break;
    case Slot::Esid:
      if (Have[N] && Have[N + 1]) {
        I.Flags |= Instruction::Slb;
        I.Data[0] = Word[N];
        I.DataRA[0] = Word[N + 1];
      }
      break;
    default:
      break;
    }
  }
  if (Options.Translate)
    Options.Translate->instruction(I);
  Follow = I.next();
  finish(I);
  if (!Intact)
    lose();
  if (Count == BatchSize)
    return flush(false);
  return Error::success();
}

Error HtmDecoder::ieara() {
  uint64_t Offset = Window.offset();
  size_t Got = 3;
  if (Window.available() < 3 || hasStampTag(Window[1]) ||
      hasStampTag(Window[2]))
    if (Error E = gather(3, Slots(), Got))
      return E;
  uint64_t EA = Got > 1 ? Window[1] : 0, RA = Got > 2 ? Window[2] : 0;
  // An address may look like a record, and a record like an address.
  bool Tagged = tagOf(EA) == P10Tag || tagOf(EA) == P8Tag;
  if (Error E = Window.need(Margin))
    return E;
  Started = true;
  if (LLVM_UNLIKELY(Got < 3 || (EA & 0x7f) || !isLinePage(RA) ||
                    (Tagged && recordAt(lookAhead(1), 0)))) {
    // Nobody can tell which of the words is the one that is left.
    report(Got < 3 ? Damage::Truncated : Damage::LostWords, Offset,
           "IEARA without its addresses");
    Window.advance(1);
    if (std::exchange(GapAfterRecord, false))
      startGap();
    lose();
    return Error::success();
  }
  Window.advance(3);
  LineKnown = NewLine = true;
  Line = EA;
  LineRA = RA >> 24 << 12;
  if (GapAfterRecord) {
    // The IEARA itself came after the gap, or around it: it stands.
    GapAfterRecord = false;
    bool Known = LineKnown;
    uint64_t Real = LineRA;
    startGap();
    LineKnown = Known;
    LineRA = Real;
  }
  if (Options.Translate)
    Options.Translate->line(LineRA);
  return Error::success();
}

Error HtmDecoder::xlate(uint64_t Header) {
  uint64_t Offset = Window.offset();
  Window.advance(1);
  Started = true;
  Walk W;
  W.Header = Header;
  Context = W.context();
  ContextKnown = true;
  ++Sum.Walks;
  bool Ended = false, TooLong = false;
  for (;;) {
    if (Window.available() < Margin)
      if (Error E = Window.need(Margin))
        return E;
    if (Window.available() == 0) {
      report(Damage::Truncated, Offset, "radix walk without end");
      break;
    }
    uint64_t Word = Window[0];
    if (hasStampTag(Word)) {
      stamp(Word, Window.offset(), false);
      Window.advance(1);
      if (Events.size() >= MaxEvents)
        if (Error E = flush(false))
          return E;
      continue;
    }
    uint32_t Tag = tagOf(Word);
    if ((Tag == P10Tag || Tag == P8Tag) && recordAt(lookAhead(0), 0)) {
      report(Damage::LostWords, Offset, "radix walk without its last word");
      lose();
      break;
    }
    if (!walk::isTerminator(Word) && !isWalkEntry(Word)) {
      report(Damage::LostWords, Offset,
             "radix walk with a word that is no entry: " + hex(Word));
      lose();
      return Error::success();
    }
    Window.advance(1);
    ++Sum.WalkWords;
    if (walk::isTerminator(Word)) {
      Ended = true;
      break;
    }
    if (W.Size == walk::MaxEntries) {
      if (!TooLong)
        report(
            Damage::LongWalk, Offset,
            formatv("radix walk of more than {0} entries", walk::MaxEntries));
      if (!TooLong)
        lose();
      TooLong = true;
      continue;
    }
    W.Entry[W.Size++] = Word;
  }
  if (Options.Translate && Ended && !TooLong && W.Size)
    Options.Translate->walk(W);
  return Error::success();
}

} // namespace rw::htm
