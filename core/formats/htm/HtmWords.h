//===- HtmWords.h - Bit layouts of a Core HTM dump --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dump is a sequence of 8-byte big-endian words without header, length or
// index. Bits are numbered as IBM does: bit 0 is the most significant one.
//
// POWER8, per instruction:   INFO [IEA] [IRA] [DEA|ESID] [DRA|VSID]
//   INFO   0:31 opcode  32 branch form  33 microcoded  36:55 ABCDE  56 valid
//          57 IEA  58 IRA  59 DEA  60 DRA follow  61 they are ESID and VSID
//   IEA    0:61 address  62 MSR[HV]  63 MSR[IR]
//   IRA    0:37 real page (4K units)  38:39 page size 1=4K 2=64K 3=16M
//   DRA    0:1 page size 0=4K 1=64K 3=16M  2:39 real page (4K units)
//
// POWER10: records that begin with a header (36:55 ABCDF, 34:35 type):
//   XLATE  0 D-side  1:12 LPID  13:32 PID, then walk words up to the one with
//          bit 7 set
//   IEARA  then EA (0:56, 128-byte line) and RA (0:39 real page)
//   INFO   0:31 opcode (suffix)  32 branch form  33 prefixed
//          57:61 word in the line  62:63 data words: none, 1 pair, 2 pairs,
//          ESID+VSID; then MSR [prefix in 0:31] {DEA DRA}
//   DRA    0:40 real page (4K units): one bit more than in IEARA
//   walk   0 final  1 exception  2 guest  3 host  4:6 level or page size
//          7 terminator  8:60 address
//
// Stamps (0:19 ACEFF) may stand between any two words.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_HTMWORDS_H
#define REWIND_FORMATS_HTM_HTMWORDS_H

#include <cstdint>

namespace rw::htm {

constexpr uint64_t NoAddress = ~uint64_t(0);

/// Bits \p First to \p Last of \p W, IBM numbering.
constexpr uint64_t bits(uint64_t W, unsigned First, unsigned Last) {
  return (W << First) >> (First + 63 - Last);
}
constexpr bool bit(uint64_t W, unsigned N) { return (W >> (63 - N)) & 1; }

constexpr uint32_t P8Tag = 0xABCDE;
constexpr uint32_t P10Tag = 0xABCDF;
constexpr uint32_t StampTag = 0xACEFF;

constexpr uint32_t tagOf(uint64_t W) { return uint32_t(W >> 8) & 0xfffff; }
constexpr bool hasStampTag(uint64_t W) { return (W >> 44) == StampTag; }

enum class P10Type : uint8_t { Invalid, Xlate, Info, IEARA };
constexpr P10Type p10Type(uint64_t W) { return P10Type((W >> 28) & 3); }
constexpr bool isP10(uint64_t W, P10Type T) {
  return tagOf(W) == P10Tag && p10Type(W) == T;
}
constexpr bool hasRecordTag(uint64_t W) {
  static_assert(P10Tag == (P8Tag | 1));
  return tagOf(W) >> 1 == P8Tag >> 1;
}

/// Whether a record or a stamp may begin with \p W.
constexpr bool mayFollow(uint64_t W) {
  return hasRecordTag(W) || hasStampTag(W);
}
/// Whether it looks like neither a record nor a stamp. An address may, all the
/// same.
constexpr bool isPlain(uint64_t W) {
  return !hasRecordTag(W) && !hasStampTag(W);
}

constexpr uint64_t p10DataRA(uint64_t Dra, uint64_t Dea) {
  return (Dra >> 23 << 12) | (Dea & 0xfff);
}
constexpr uint8_t P8DataShift[4] = {12, 16, 0, 24};
constexpr uint64_t p8DataRA(uint64_t Dra, uint64_t Dea) {
  return bits(Dra, 2, 39) << 12 |
         (Dea & ((uint64_t(1) << P8DataShift[Dra >> 62]) - 1));
}

enum class StampKind : uint8_t {
  Record,   ///< tracing starts or goes on
  Complete, ///< tracing ended
  Pause,
  Mark,
  Sync,
  Time,
  Undefined,
  Loss ///< no stamp: words were lost or are damaged
};

/// A stamp, taken apart.
struct Stamp {
  StampKind Kind = StampKind::Undefined;
  uint64_t Word = 0;
  /// No bit is set that must not be, and a TIME code is a known one.
  bool WellFormed = false;
  /// Records were lost here, or tracing was off: what follows may be anywhere.
  bool Gap = false;
  /// Cycles since the stamp before (Time), or elapsed (Complete, Pause).
  uint32_t Cycles = 0;
};

constexpr Stamp parseStamp(uint64_t W) {
  Stamp S;
  S.Word = W;
  S.Cycles = uint32_t(W & 0xfffffff);
  unsigned Code = unsigned(bits(W, 20, 23));
  switch (Code) {
  case 0:
    S.Kind = StampKind::Record;
    S.WellFormed = true;
    return S;
  case 1:
  case 2:
    S.Kind = Code == 1 ? StampKind::Complete : StampKind::Pause;
    S.WellFormed = true;
    S.Gap = true;
    return S;
  case 3:
    S.Kind = StampKind::Mark;
    S.WellFormed = bits(W, 53, 62) == 0;
    S.Gap = W & 1;
    return S;
  case 4:
    S.Kind = StampKind::Sync;
    S.WellFormed = true;
    return S;
  case 5:
  case 6:
  case 7:
    return S;
  default:
    break;
  }
  S.Kind = StampKind::Time;
  switch (bits(W, 20, 27)) {
  case 0x80:
    S.WellFormed = bits(W, 28, 35) == 0;
    break;
  case 0x90: // markers dropped
  case 0xA0: // the counter of dropped records overflowed
  case 0x88: // a command response was dropped
  case 0x84: // a trigger was dropped
  case 0x82: // the trace is full
    S.Gap = true;
    S.WellFormed = true;
    break;
  case 0xB0: // the elapsed time overflowed
    S.WellFormed = true;
    break;
  default:
    break;
  }
  return S;
}

/// A word of a radix walk.
namespace walk {
constexpr bool isFinal(uint64_t W) { return bit(W, 0); }
constexpr bool isException(uint64_t W) { return bit(W, 1); }
constexpr bool isGuest(uint64_t W) { return bit(W, 2); }
constexpr bool isHost(uint64_t W) { return bit(W, 3); }
constexpr unsigned level(uint64_t W) { return unsigned(bits(W, 4, 6)); }
constexpr bool isTerminator(uint64_t W) { return bit(W, 7); }
constexpr uint64_t address(uint64_t W) { return W & 0x00fffffffffffff8; }
/// log2 of the page size that a final entry tells; 0 if undefined.
constexpr unsigned pageShift(uint64_t W) {
  constexpr uint8_t Shift[8] = {12, 16, 21, 24, 30, 0, 40, 0};
  return Shift[level(W)];
}
/// Entries in a walk, without the terminator.
constexpr unsigned MaxEntries = 37;
} // namespace walk

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMWORDS_H
