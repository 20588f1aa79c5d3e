//===- FastGroups.h - Groups that are as they should be ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_FASTGROUPS_H
#define REWIND_FORMATS_HTM_FASTGROUPS_H

#include "core/formats/htm/HtmDecoder.h"
#include "core/formats/htm/Predecode.h"
#include "core/formats/htm/Translation.h"
#include "llvm/Support/FormatVariadic.h"

// The hot path of HtmDecoder, for the files that it is made of.

namespace rw::htm {

/// No record but a radix walk is longer, and walks are taken word by word.
inline constexpr size_t Margin = 64;
inline constexpr uint8_t NumDataWords[4] = {0, 2, 4, 2};

inline std::string hex(uint64_t W) {
  return llvm::formatv("{0:x-16}", W).str();
}

inline Instruction &HtmDecoder::begin(uint64_t W, uint64_t Offset) {
  Instruction &I = Insns[Count];
  I.Offset = Offset;
  I.Time = Time;
  I.Context = Context;
  I.Prefix = 0;
  I.Walk = 0;
  I.DataWalk[0] = I.DataWalk[1] = 0;
  I.PageShift = 0;
  I.DataPageShift[0] = I.DataPageShift[1] = 0;
  I.NumData = 0;
  I.Flags = ContextKnown ? Instruction::ContextKnown : 0;
  if (bit(W, 32))
    I.Flags |= Instruction::BranchForm;
  return I;
}

/// Its address is known by now, so what the one before was is known, too.
inline void HtmDecoder::finish(Instruction &I) {
  Started = true;
  if (LLVM_UNLIKELY(UnknownRun | ZeroRun | uint64_t(LossPending)))
    afterLoss();
  ++Sum.Instructions;
  Before = &I;
  if (LLVM_UNLIKELY(!I.has(Instruction::AddressKnown))) {
    ++Sum.Unplaced;
    if (!Unplaced++)
      UnplacedOffset = I.Offset;
  } else if (LLVM_UNLIKELY(Unplaced)) {
    reportUnplaced();
  }
  ++Count;
  if (LLVM_UNLIKELY(GapAfterRecord)) {
    GapAfterRecord = false;
    startGap();
  }
  GroupEvents = 0;
}

inline void HtmDecoder::setP10Opcode(Instruction &I, uint32_t Word,
                                     bool Branch) {
  I.Opcode = Word;
  if (!Branch)
    return;
  I.Opcode = demungeP10(Word, I.EA);
  if (LLVM_UNLIKELY(isIsel(Word)) && I.has(Instruction::AddressKnown) &&
      ambiguousP10(Word, I.EA))
    Ambiguous = true;
}

/// Decodes a P10 INFO record that is as it should be, at \p Data; the number of
/// its words, or 0 if it is not, or not whole. This is the hot path: everything
/// is loaded before anything is stored, so that no store can alias.
LLVM_ATTRIBUTE_ALWAYS_INLINE unsigned HtmDecoder::p10Fast(uint64_t W,
                                                          const uint64_t *Data,
                                                          size_t Available,
                                                          uint64_t Offset) {
  const unsigned NumWords = NumDataWords[W & 3];
  const unsigned Prefixed = unsigned(bit(W, 33));
  const unsigned At = 2 + Prefixed, Total = At + NumWords;
  const uint32_t Word = uint32_t(W >> 32);
  if (LLVM_UNLIKELY(Available <= Total || (Word == 0 && !Prefixed)))
    return 0;
  auto word = [Data](size_t I) { return WordWindow::word(Data, I); };
  const uint64_t Msr = word(1);
  if (LLVM_UNLIKELY(!fits(Slot::Msr, Msr) || !mayFollow(word(Total))))
    return 0;
  Instruction &I = begin(W, Offset);
  const bool Known = LineKnown;
  const uint64_t EA = Line | (W & 0x7c);
  if (LLVM_UNLIKELY(Known && EA != Follow) && !comesFromBefore(EA, NewLine))
    return 0;
  uint16_t Flags = I.Flags | Instruction::P10 | Instruction::MsrKnown;
  if (Known)
    Flags |= Instruction::AddressKnown;
  if (NewLine)
    Flags |= Instruction::FromIEARA;
  if (NumWords) {
    const uint64_t Dea = word(At), Dra = word(At + 1);
    if (LLVM_UNLIKELY(!isPlain(Dea) || hasStampTag(Dra)))
      return 0;
    I.Data[0] = Dea;
    if (LLVM_LIKELY((W & 3) != 3)) {
      if (LLVM_UNLIKELY(!fits(Slot::Dra, Dra)))
        return 0;
      I.NumData = 1;
      I.DataRA[0] = p10DataRA(Dra, Dea);
      if (NumWords == 4) {
        const uint64_t Dea2 = word(At + 2), Dra2 = word(At + 3);
        if (!isPlain(Dea2) || !fits(Slot::Dra, Dra2) || hasStampTag(Dra2))
          return 0;
        I.NumData = 2;
        I.Data[1] = Dea2;
        I.DataRA[1] = p10DataRA(Dra2, Dea2);
      }
    } else {
      if (!fits(Slot::Esid, Dea) || !isPlain(Dra))
        return 0;
      Flags |= Instruction::Slb;
      I.DataRA[0] = Dra;
    }
  }
  if (Prefixed) {
    const uint64_t Prefix = word(2);
    if (!fits(Slot::Prefix, Prefix))
      return 0;
    Flags |= Instruction::Prefixed;
    I.Prefix = uint32_t(Prefix >> 32);
  }
  if (LLVM_UNLIKELY(Ambiguous))
    resolveAmbiguous(EA, Known);
  NewLine = false;
  Follow = EA + 4 + 4 * Prefixed;
  I.EA = EA;
  I.RA = LineRA == NoAddress ? NoAddress : LineRA | (EA & 0xfff);
  I.Msr = uint16_t(Msr >> 48);
  I.Flags = Flags;
  if (Prefixed)
    I.Opcode = Word;
  else
    setP10Opcode(I, Word, bit(W, 32));
  return Total;
}

/// POWER8: the real address of the next instruction in memory, as long as the
/// page is the same.
inline void HtmDecoder::p8Sequential() {
  if (LastRA == NoAddress)
    return;
  LastRA += 4;
  unsigned Shift = LastPageShift ? LastPageShift : 12;
  if ((NextEA & ((uint64_t(1) << Shift) - 1)) == 0)
    LastRA = NoAddress;
}

/// POWER8: what an IEA tells.
inline void HtmDecoder::p8Jump(uint64_t Iea) {
  NextKnown = P8MsrKnown = true;
  NextEA = Iea & ~uint64_t(3);
  LastRA = NoAddress;
  LastPageShift = 0;
  P8Msr = uint16_t((Iea & 2 ? MsrHV : 0) | (Iea & 1 ? MsrIR : 0));
}

/// A P8 record that is as it should be, without a real address of its own; the
/// number of its words, or 0.
LLVM_ATTRIBUTE_ALWAYS_INLINE unsigned
HtmDecoder::p8Fast(uint64_t W, const uint64_t *Data, uint64_t Offset) {
  // Valid, without IRA and SLB words; of the data words both or none.
  constexpr uint64_t Tested = 0x80 | 0x40 | 0x20 | 0x10 | 0x08 | 0x04;
  const bool Jump = W & 0x40;
  const uint64_t Has = W & Tested & ~uint64_t(0x40);
  uint32_t Word = uint32_t(W >> 32);
  if ((Has != 0x80 && Has != 0x98) || !Word ||
      !((NextKnown && !MustJump) || Jump) || Ambiguous)
    return 0;
  const bool HasData = Has == 0x98;
  const unsigned At = 1 + Jump, Total = At + 2 * HasData;
  if (LLVM_UNLIKELY(!mayFollow(WordWindow::word(Data, Total))))
    return 0;
  uint64_t Iea = 0, Dea = 0, Dra = 0;
  if (Jump) {
    Iea = WordWindow::word(Data, 1);
    if (LLVM_UNLIKELY(!isPlain(Iea) || !fits(Slot::Iea, Iea)))
      return 0;
  }
  if (HasData) {
    Dea = WordWindow::word(Data, At);
    Dra = WordWindow::word(Data, At + 1);
    if (LLVM_UNLIKELY(!isPlain(Dea) || hasStampTag(Dra) ||
                      !fits(Slot::P8Dra, Dra)))
      return 0;
  }
  Instruction &I = begin(W, Offset);
  if (Jump) {
    p8Jump(Iea);
    I.Flags |= Instruction::FromIEARA;
    if (Options.Translate)
      Options.Translate->p8Address(NextEA, P8Msr, LastRA, LastPageShift);
  } else {
    p8Sequential();
  }
  I.EA = NextEA;
  I.RA = LastRA;
  I.PageShift = LastRA == NoAddress ? 0 : LastPageShift;
  I.Msr = P8Msr;
  I.Flags |= Instruction::AddressKnown |
             (P8MsrKnown ? Instruction::MsrKnown : 0) |
             (bit(W, 33) ? Instruction::Microcoded : 0);
  if (HasData) {
    I.NumData = 1;
    I.Data[0] = Dea;
    I.DataPageShift[0] = P8DataShift[Dra >> 62];
    I.DataRA[0] = p8DataRA(Dra, Dea);
  }
  I.Opcode = bit(W, 32) ? demungeP8(Word, I.EA) : Word;
  MustJump = bit(W, 32) && endsFlow(I);
  NextEA += 4;
  ++Sum.P8Instructions;
  return Total;
}

inline llvm::Error HtmDecoder::p10Info(uint64_t W) {
  unsigned Used =
      p10Fast(W, Window.data(), Window.available(), Window.offset());
  if (LLVM_UNLIKELY(!Used))
    return p10InfoSlow(W);
  Window.advance(Used);
  if (Options.Translate)
    Options.Translate->instruction(Insns[Count]);
  finish(Insns[Count]);
  if (LLVM_UNLIKELY(Count == BatchSize))
    return flush(false);
  return llvm::Error::success();
}

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_FASTGROUPS_H
