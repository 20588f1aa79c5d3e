//===- Codec.h - Values that were not predicted -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How one value is coded against its prediction: the encoder and the decoder of
// a block share these functions, so that they cannot disagree.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_CODEC_H
#define REWIND_STORE_CODEC_H

#include "core/store/Format.h"
#include "core/support/Coding.h"
#include "core/support/Golden.h"
#include "llvm/Support/Compiler.h"

namespace rw::codec {

/// A code and the bytes that go with it.
struct Coded {
  uint8_t Code = 0;
  uint8_t NumBytes = 0;
  uint64_t Payload = 0;
};

/// Whether a prediction needs what not every reader has.
inline bool isDeferred(const format::RegShape &S) {
  return S.Source == format::FromMemory || S.Source == format::FromFloats;
}

inline uint64_t predictReg(const format::RegShape &S, uint64_t Mask,
                           const uint64_t *Lanes) {
  uint64_t Base = S.Source == format::NoLane ? 0 : Lanes[S.Source] & Mask;
  return (Base + uint64_t(S.Offset)) & Mask;
}

/// The place of the known bytes of a lane as a number: Shift bits up, Width
/// bytes wide.
struct Field {
  explicit Field(uint64_t Mask)
      : Shift(Mask ? unsigned(std::countr_zero(Mask)) : 0),
        Width(significantBytes(Mask >> Shift)) {}
  unsigned Shift, Width;
};

/// The values that were written last in a block, so that one that comes again
/// (a variable that is spilled and loaded) costs a byte.
class RecentValues {
public:
  /// Small values are not worth a place.
  void add(uint64_t V) {
    if (V >= 1 << 16)
      Values[Next++] = V;
  }
  uint64_t operator[](uint8_t I) const { return Values[I]; }

protected:
  uint64_t Values[256] = {};
  uint8_t Next = 0;
};

/// The encoder's, which also finds them.
class RecentValueFinder : public RecentValues {
public:
  void add(uint64_t V) {
    if (V >= 1 << 16)
      Where[slot(V)] = Next;
    RecentValues::add(V);
  }
  /// The index of a value, or -1. May miss one that is there.
  int find(uint64_t V) const {
    uint8_t I = Where[slot(V)];
    return V >= 1 << 16 && Values[I] == V ? I : -1;
  }

private:
  static unsigned slot(uint64_t V) { return unsigned(golden(V) >> 54); }
  uint8_t Where[1024] = {};
};

inline Coded encodeFloat(uint64_t Value, const RecentValueFinder &Recent) {
  using namespace format;
  unsigned High = 8 - unsigned(std::countr_zero(Value)) / 8;
  if (High == 1)
    return {FloatHigh1, 1, Value >> 56};
  if (int I = Recent.find(Value); I >= 0)
    return {FloatRecent, 1, uint64_t(I)};
  unsigned Low = significantBytes(Value);
  if (Low <= 4 && !(Value & 0xffff))
    return {FloatLow2, 2, Value >> 16};
  if (Low <= 4 && High > 4)
    return {FloatLow4, 4, Value};
  return {uint8_t(FloatHigh1 + High - 1), uint8_t(High),
          Value >> (64 - 8 * High)};
}

inline uint64_t decodeFloat(uint8_t Code, ByteReader &In,
                            const RecentValues &Recent) {
  using namespace format;
  if (Code == FloatRecent)
    return Recent[uint8_t(In.bytes(1))];
  if (Code == FloatLow2)
    return In.bytes(2) << 16;
  if (Code == FloatLow4)
    return In.bytes(4);
  if (Code >= FloatRecent)
    return 0;
  unsigned High = Code - FloatHigh1 + 1;
  return In.bytes(High) << (64 - 8 * High);
}

/// Codes \p Value (within \p Mask) of a register whose lane holds \p Prev.
/// \p Consts are the shape's constants.
inline Coded encodeReg(uint64_t Value, uint64_t Mask, uint64_t Prev,
                       const uint64_t *Consts, unsigned NumConsts, bool Float,
                       const RecentValueFinder &Recent) {
  using namespace format;
  if (!Value)
    return {RegZero, 0, 0};
  for (unsigned I = 0; I < NumConsts; ++I)
    if (Consts[I] == Value)
      return {uint8_t(RegConst0 + I), 0, 0};
  if (Float)
    return encodeFloat(Value, Recent);
  Field F(Mask);
  uint64_t V = Value >> F.Shift, P = (Prev & Mask) >> F.Shift;
  int64_t D = signExtend(V - P, F.Width);
  unsigned Raw = significantBytes(V);
  if (fitsSigned(D, 1))
    return {RegDelta1, 1, uint64_t(D)};
  if (Raw <= 1)
    return {RegRaw1, 1, V};
  if (((V ^ P) & ~uint64_t(0xff000000)) == 0)
    return {RegTop, 1, V >> 24 & 0xff};
  if (int I = Recent.find(Value); I >= 0)
    return {RegRecent, 1, uint64_t(I)};
  if (fitsSigned(D, 2))
    return {RegDelta2, 2, uint64_t(D)};
  if (Raw <= 2)
    return {RegRaw2, 2, V};
  if (fitsSigned(D, 3))
    return {RegDelta3, 3, uint64_t(D)};
  if (Raw <= 4)
    return {RegRaw4, 4, V};
  if (fitsSigned(D, 4))
    return {RegDelta4, 4, uint64_t(D)};
  if (Raw <= 6)
    return {RegRaw6, 6, V};
  return {RegRaw8, 8, V};
}

/// The inverse, but for RegPredicted and the constants.
LLVM_ATTRIBUTE_ALWAYS_INLINE uint64_t decodeReg(uint8_t Code, uint64_t Mask,
                                                uint64_t Prev, ByteReader &In,
                                                bool Float,
                                                const RecentValues &Recent) {
  using namespace format;
  // By code. One read for all of them keeps this small enough to be inlined.
  static constexpr uint8_t NumBytes[16] = {0, 0, 0, 0, 1, 2, 3, 4,
                                           1, 2, 4, 1, 6, 8, 1, 0};
  if (Float && Code != RegZero)
    return decodeFloat(Code, In, Recent) & Mask;
  const unsigned N = NumBytes[Code & 15];
  uint64_t V = In.bytes(N);
  if (Code == RegRecent)
    return Recent[uint8_t(V)] & Mask;
  const unsigned Shift = Mask ? unsigned(std::countr_zero(Mask)) : 0;
  if (Code <= RegDelta4)
    V = uint64_t(signExtend(V, N)) + ((Prev & Mask) >> Shift);
  else if (Code == RegTop)
    V = ((Prev & Mask) >> Shift & ~uint64_t(0xff000000)) | V << 24;
  return (V << Shift) & Mask;
}

inline uint64_t predictAddr(const format::MemShape &S, const uint64_t *Lanes) {
  uint64_t Base = S.AddrSource == format::NoLane ? 0 : Lanes[S.AddrSource];
  return Base + uint64_t(S.AddrOffset);
}

/// \p Last is the end of the access before in the block (0 at its start).
inline Coded encodeAddr(uint64_t Addr, uint64_t Predicted, bool Usable,
                        uint64_t Last) {
  using namespace format;
  int64_t Near = int64_t(Addr - Predicted), Far = int64_t(Addr - Last);
  if (Usable && Near == 0)
    return {AddrPredicted, 0, 0};
  for (unsigned N = 1; N <= 4; ++N) {
    if (Usable && fitsSigned(Near, N))
      return {uint8_t(AddrNear1 + N - 1), uint8_t(N), uint64_t(Near)};
    if (fitsSigned(Far, N))
      return {uint8_t(AddrLast1 + N - 1), uint8_t(N), uint64_t(Far)};
  }
  if (significantBytes(Addr) <= 4)
    return {AddrRaw4, 4, Addr};
  if (significantBytes(Addr) <= 6)
    return {AddrRaw6, 6, Addr};
  return {AddrRaw8, 8, Addr};
}

inline uint64_t decodeAddr(uint8_t Code, uint64_t Predicted, uint64_t Last,
                           ByteReader &In) {
  using namespace format;
  if (Code == AddrPredicted)
    return Predicted;
  if (Code <= AddrNear4) {
    unsigned N = Code - AddrNear1 + 1;
    return Predicted + uint64_t(signExtend(In.bytes(N), N));
  }
  if (Code <= AddrLast4) {
    unsigned N = Code - AddrLast1 + 1;
    return Last + uint64_t(signExtend(In.bytes(N), N));
  }
  return In.bytes(Code == AddrRaw4 ? 4 : Code == AddrRaw6 ? 6 : 8);
}

inline uint64_t predictData(const format::MemShape &S, const uint64_t *Lanes) {
  if (S.DataSource == format::NoLane)
    return 0;
  uint64_t V = Lanes[S.DataSource / 2];
  return (S.DataSource & 1 ? V >> 32 : V) & expandMask(S.Known);
}

inline constexpr uint8_t DataBytes[] = {0, 0, 1, 2, 3, 4, 5, 6, 8};

inline Coded encodeData(uint64_t Value) {
  using namespace format;
  unsigned N = significantBytes(Value);
  switch (N) {
  case 0:
    return {DataZero, 0, 0};
  case 7:
  case 8:
    return {DataRaw8, 8, Value};
  default:
    return {uint8_t(DataRaw1 + N - 1), uint8_t(N), Value};
  }
}

/// For every code but DataPredicted.
inline uint64_t decodeData(uint8_t Code, ByteReader &In) {
  return Code <= format::DataRaw8 ? In.bytes(DataBytes[Code]) : 0;
}

} // namespace rw::codec

#endif // REWIND_STORE_CODEC_H
