//===- P8Groups.cpp - What POWER8 sends -----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/FastGroups.h"

using namespace llvm;

namespace rw::htm {

Error HtmDecoder::p8Info(uint64_t W) {
  uint64_t Offset = Window.offset();
  Slots S = announcedBy(W);
  bool Good = Window.available() > S.Size;
  uint64_t Word[6];
  bool Have[6];
  if (Good) {
    for (unsigned N = 0; N < S.Size; ++N) {
      Word[N] = Window[1 + N];
      Have[N] = true;
      Good = Good && fits(S.At[N], Word[N]) && isPlain(Word[N]);
    }
    Good = Good && mayFollow(Window[1 + S.Size]);
  }
  bool Lost = false, Intact = true;
  if (LLVM_LIKELY(Good)) {
    Window.advance(1 + S.Size);
  } else {
    size_t Got;
    if (Error E = gather(1 + S.Size, S, Got))
      return E;
    if (Error E = Window.need(Margin))
      return E;
    Reading R = recover(W, S, Offset);
    Lost = R.Lost;
    Intact = R.Intact;
    for (unsigned N = 0; N < S.Size; ++N) {
      Have[N] = R.Index[N] >= 0;
      Word[N] = Have[N] ? AheadWords[R.Index[N]] : 0;
    }
    consume(R);
  }
  uint32_t Opcode = uint32_t(W >> 32);
  bool Valid = bit(W, 56);
  if (LLVM_UNLIKELY(Opcode == 0 || !Valid)) {
    report(Valid ? Damage::InvalidOpcode : Damage::InvalidRecord, Offset,
           Valid ? "opcode 0" : "record marked invalid");
    Started = true;
    GroupEvents = 0;
    if (std::exchange(GapAfterRecord, false))
      startGap();
    // One that is marked invalid takes no place.
    if (Valid || !Intact)
      lose();
    return Error::success();
  }

  const bool HasIea = bit(W, 57);
  if (!HasIea && NextKnown && MustJump) {
    report(Damage::LostWords, Offset,
           "no address after a branch: records are missing");
    lose();
  }
  Instruction &I = begin(W, Offset);
  uint64_t Iea = 0, Ira = 0;
  bool IeaLost = false, HaveIra = false;
  I.DataRA[0] = NoAddress;
  for (unsigned N = 0; N < S.Size; ++N) {
    switch (S.At[N]) {
    case Slot::Iea:
      Iea = Word[N];
      IeaLost = !Have[N] || !Intact || !fits(Slot::Iea, Iea);
      break;
    case Slot::Ira:
      Ira = Word[N];
      HaveIra = Have[N] && fits(Slot::Ira, Ira);
      if (Have[N] && !HaveIra) {
        report(Damage::BadPageSize, Offset, "not a real address: " + hex(Ira));
        IeaLost |= isOtherWord(Slot::Ira, Ira);
      }
      break;
    case Slot::Dea:
      if (Have[N]) {
        I.Data[0] = Word[N];
        I.NumData = 1;
      }
      break;
    case Slot::P8Dra:
      if (!Have[N] || !I.NumData)
        break;
      if (!fits(Slot::P8Dra, Word[N])) {
        report(Damage::BadPageSize, Offset,
               "not a real address: " + hex(Word[N]));
        Intact &= !isOtherWord(Slot::P8Dra, Word[N]);
        break;
      }
      I.DataPageShift[0] = P8DataShift[Word[N] >> 62];
      I.DataRA[0] = p8DataRA(Word[N], I.Data[0]);
      break;
    case Slot::Esid:
      if (Have[N] && N + 1 < S.Size && Have[N + 1]) {
        I.Flags |= Instruction::Slb;
        I.Data[0] = Word[N];
        I.DataRA[0] = Word[N + 1];
      }
      break;
    default:
      break;
    }
  }

  if (HasIea) {
    p8Jump(Iea);
    NextKnown = P8MsrKnown = !IeaLost;
    if (HaveIra && !IeaLost) {
      constexpr uint8_t Shift[4] = {0, 12, 16, 24};
      LastPageShift = Shift[bits(Ira, 38, 39)];
      uint64_t Low = (uint64_t(1) << LastPageShift) - 1;
      LastRA = bits(Ira, 0, 37) << 12 | (NextEA & Low);
    }
    if (Options.Translate && NextKnown)
      Options.Translate->p8Address(NextEA, P8Msr, LastRA, LastPageShift);
  } else {
    p8Sequential();
  }
  I.EA = NextEA;
  I.RA = NextKnown ? LastRA : NoAddress;
  I.PageShift = I.RA == NoAddress ? 0 : LastPageShift;
  I.Msr = P8Msr;
  I.Flags |= (NextKnown ? Instruction::AddressKnown : 0) |
             (P8MsrKnown ? Instruction::MsrKnown : 0) |
             (HasIea ? Instruction::FromIEARA : 0) |
             (bit(W, 33) ? Instruction::Microcoded : 0) |
             (Lost ? Instruction::Damaged : 0);
  if (LLVM_UNLIKELY(Ambiguous))
    resolveAmbiguous(I.EA, NextKnown);
  I.Opcode = bit(W, 32) ? demungeP8(Opcode, I.EA) : Opcode;
  MustJump = bit(W, 32) && endsFlow(I);
  NextEA += 4;
  ++Sum.P8Instructions;
  finish(I);
  if (!Intact || IeaLost)
    lose();
  if (Count == BatchSize)
    return flush(false);
  return Error::success();
}

} // namespace rw::htm
