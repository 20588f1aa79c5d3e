//===- FastLines.cpp - Lines of the usual form ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fast function returns the beginning of the next line, or null to leave the
// line to the slow path. Before it returns null it must not have added an item.
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "core/formats/tarmac/LineParser.h"
#include <cstring>

namespace rw::tarmac {

static constexpr uint32_t chars4(const char (&S)[5]) {
  return uint32_t(uint8_t(S[0])) | uint32_t(uint8_t(S[1])) << 8 |
         uint32_t(uint8_t(S[2])) << 16 | uint32_t(uint8_t(S[3])) << 24;
}
static constexpr uint16_t chars2(const char (&S)[3]) {
  return uint16_t(uint8_t(S[0]) | uint8_t(S[1]) << 8);
}
/// Behind the line end at \p P, or null if there is none.
static const char *afterEol(const char *P) {
  if (*P == '\n')
    return P + 1;
  if (*P == '\r' && P[1] == '\n')
    return P + 2;
  return nullptr;
}
/// \p End is where the padding begins, with a newline.
static const char *skipLine(const char *P, const char *End) {
  return static_cast<const char *>(std::memchr(P, '\n', End - P + 1)) + 1;
}

const char *LineParser::fastPrefix(const char *P) {
  Timed = false;
  const char *Q = P;
  if (*Q == ' ') {
    constexpr uint64_t Blanks = Ones * ' ';
    while (load8(Q) == Blanks)
      Q += 8;
    while (*Q == ' ')
      ++Q;
    if (ContinuesAt == LineNo && size_t(Q - P) == ContinuesColumn)
      return nullptr;
  }
  if (!isDigit(*Q)) {
    if (Cur == InheritedCpu)
      return nullptr;
    if (NamedCpus)
      matchCpu(Q);
    return Q;
  }
  if (PrefixLength && ((load8(P) ^ Prefix0) & PrefixMask0) == 0 &&
      ((load8(P + 8) ^ Prefix1) & PrefixMask1) == 0) {
    Timed = true;
    if (Cur != PrefixCpu)
      setCpu(PrefixCpu);
    return P + PrefixLength;
  }
  uint64_t T;
  unsigned N = scanDecimal(Q, T);
  Q += N;
  if (N > 19 || *Q != ' ' || !UnitLength)
    return nullptr;
  ++Q;
  if ((load4(Q) & UnitMask) != UnitRaw)
    return nullptr;
  Q += UnitLength;
  while (*Q == ' ')
    ++Q;
  if (NamedCpus) {
    if (!matchCpu(Q))
      return nullptr;
  } else if (Cur == InheritedCpu)
    return nullptr;
  Timed = true;
  setTime(T);
  unsigned Length = unsigned(Q - P);
  PrefixLength = 0;
  if (Length <= 16) {
    PrefixLength = Length;
    PrefixCpu = Cur;
    PrefixMask0 = firstBytes(Length);
    PrefixMask1 = Length > 8 ? firstBytes(Length - 8) : 0;
    Prefix0 = load8(P);
    Prefix1 = load8(P + 8);
  }
  return Q;
}

const char *LineParser::fastLine(const char *P) {
  const char *Q = fastPrefix(P);
  if (!Q)
    return nullptr;
  switch (*Q) {
  case 'I':
    return fastInsn(Q);
  case 'R':
    if (Q[1] == ' ')
      return fastRegister(Q + 2);
    if (Q[1] == '0' && Q[3] == ' ')
      return fastMemory(Q, false, unsigned(Q[2] - '0'), Q + 4);
    return nullptr;
  case 'W':
    if (Q[1] == '0' && Q[3] == ' ')
      return fastMemory(Q, true, unsigned(Q[2] - '0'), Q + 4);
    return nullptr;
  case 'M':
    if ((Q[1] == 'R' || Q[1] == 'W') && Q[3] == ' ')
      return fastMemory(Q, Q[1] == 'W', unsigned(Q[2] - '0'), Q + 4);
    return nullptr;
  case 'E':
    return fastES(Q);
  case 'L':
    return load2(Q + 1) == chars2("D ") ? fastDiagram(P, Q + 3, false)
                                        : nullptr;
  case 'S':
    return load2(Q + 1) == chars2("T ") ? fastDiagram(P, Q + 3, true) : nullptr;
  case 'B':
    if (load2(Q + 1) != chars2("R "))
      return nullptr;
    ++Out->NumBranchLines;
    return skipLine(Q, End);
  default:
    return nullptr;
  }
}

static ISA fastState(char C) {
  return C == 'O'   ? ISA::A64
         : C == 'A' ? ISA::A32
         : C == 'T' ? ISA::T32
                    : ISA::Unknown;
}

// IT (<index>) <pc>[:<physical>] <opcode> <state> <mode> : <disassembly>
const char *LineParser::fastInsn(const char *Q) {
  if ((Q[1] != 'T' && Q[1] != 'S') || load2(Q + 2) != chars2(" ("))
    return nullptr;
  bool Executed = Q[1] == 'T';
  Q += 4;
  unsigned Counter = leadingDecimal(load8(Q));
  Q += Counter;
  if (Counter == 8)
    while (isDigit(*Q))
      ++Q;
  if (load2(Q) != chars2(") "))
    return nullptr;
  Q += 2;
  uint64_t PC;
  unsigned N = scanHex(Q, PC);
  if (N == 0 || N > 16)
    return nullptr;
  Q += N;
  if (*Q == ':')
    do
      ++Q;
    while (uint8_t(*Q) > ' ' && *Q != ',');
  if (*Q != ' ')
    return nullptr;
  ++Q;
  uint64_t Word = load8(Q);
  unsigned Digits = leadingHex(Word);
  Q += Digits;
  ISA Isa = fastState(Q[1]);
  if ((Digits != 8 && (Digits != 4 || Isa != ISA::T32)) || *Q != ' ' ||
      Isa == ISA::Unknown || Q[2] != ' ')
    return nullptr;
  Q += 3;
  const ModeText &M = Modes[Cur];
  if (M.Colon < 0 || load8(Q) != M.Raw || load8(Q + M.Colon - 7) != M.RawTail)
    return nullptr;
  InsnItem &I = beginInsn(PC, Timed);
  if (!Executed)
    I.Flags &= uint8_t(~InsnItem::Executed);
  finishInsn(I, hexValue(Word, Digits), Digits, Isa);
  return skipLine(Q, End);
}

// ES  (<pc>:<opcode>) <state> <mode>: [CCFAIL] <disassembly>
const char *LineParser::fastES(const char *Q) {
  if (load2(Q + 1) != chars2("S "))
    return nullptr;
  Q += 3;
  while (*Q == ' ')
    ++Q;
  if (*Q != '(')
    return nullptr;
  ++Q;
  uint64_t PC;
  unsigned N = scanHex(Q, PC);
  if (N == 0 || N > 16 || Q[N] != ':')
    return nullptr;
  Q += N + 1;
  uint64_t Word = load8(Q);
  unsigned Digits = leadingHex(Word);
  Q += Digits;
  if (*Q != ')')
    return nullptr;
  ++Q;
  while (*Q == ' ')
    ++Q;
  ISA Isa = fastState(*Q);
  if ((Digits != 8 && (Digits != 4 || Isa != ISA::T32)) ||
      Isa == ISA::Unknown || Q[1] != ' ')
    return nullptr;
  Q += 2;
  const ModeText &M = Modes[Cur];
  if (M.Colon < 0 || load8(Q) != M.Raw || load8(Q + M.Colon - 7) != M.RawTail)
    return nullptr;
  Q += M.Colon + 1;
  while (*Q == ' ')
    ++Q;
  InsnItem &I = beginInsn(PC, Timed);
  if (load4(Q) == chars4("CCFA") && load2(Q + 4) == chars2("IL") &&
      (isBlank(Q[6]) || isEol(Q[6])))
    I.Flags &= uint8_t(~InsnItem::Executed);
  Out->SawES = true;
  finishInsn(I, hexValue(Word, Digits), Digits, Isa);
  return skipLine(Q, End);
}

const char *LineParser::fastRegister(const char *Q) {
  // x0..x30 and r0..r7 without a look into any table.
  char C = char(*Q | 0x20);
  unsigned Number = uint8_t(Q[1] - '0');
  uint64_t Value;
  if ((C == 'x' || C == 'r') && Number < 10) {
    const char *V = Q + 2;
    if (unsigned Second = uint8_t(*V - '0'); Second < 10) {
      Number = Number * 10 + Second;
      ++V;
    }
    if (*V == ' ') {
      unsigned N = scanHex(V + 1, Value);
      const char *Next = N <= 16 ? afterEol(V + 1 + N) : nullptr;
      if (!Next)
        return nullptr;
      if (C == 'x' && N == 16 && Number <= 30) {
        addReg(uint16_t(arm::X0 + Number), Value, 0xff);
        return Next;
      }
      if (C == 'r' && N == 8 && Number <= 7) {
        addReg(uint16_t(arm::X0 + Number), Value, 0x0f);
        return Next;
      }
    }
  }

  unsigned Length = 0;
  while (uint8_t(Q[Length]) > ' ' && Length <= 16)
    ++Length;
  if (Length > 16 || Q[Length] != ' ')
    return nullptr;
  const KnownName *K = fastLookUp(Q, Length);
  if (!K)
    return nullptr;
  const RegDesc &D = K->Desc;
  Q += Length + 1;
  unsigned N = scanHex(Q, Value);
  if (N == 0)
    return nullptr;

  if (D.Kind == RegKind::V) {
    // 32 digits, perhaps with a separator in the middle.
    uint64_t High = Value, Low;
    if (N == 17)
      High = uint64_t(hexValue(load8(Q), 8)) << 32 | hexValue(load8(Q + 8), 8);
    else if (N != 16 || Q[16] != '_')
      return nullptr;
    Q += N == 17 ? 16 : 17;
    if (scanHex(Q, Low) != 16)
      return nullptr;
    const char *Next = afterEol(Q + 16);
    if (!Next)
      return nullptr;
    addReg(arm::v(D.Num), Low, 0xff);
    addReg(arm::v(D.Num, 1), High, 0xff);
    return Next;
  }
  if (N > 16)
    return nullptr;
  const char *Next = afterEol(Q + N);
  if (!Next) {
    // Only the flags of a status register are spelled out again as text.
    if (D.Kind != RegKind::Cpsr || Q[N] != ' ')
      return nullptr;
    Next = skipLine(Q + N, End);
  }
  switch (D.Kind) {
  case RegKind::X:
    if (N != 16 || D.Num == arm::SP)
      return nullptr;
    addReg(D.Num, Value, 0xff);
    return Next;
  case RegKind::W:
    if (N != 8 || D.Num == arm::SP)
      return nullptr;
    addReg(D.Num, Value, 0xff);
    return Next;
  case RegKind::R:
    if (N != 8 || needsContext())
      return nullptr;
    write32(D.Num, uint32_t(Value), 0, 0x0f);
    return Next;
  case RegKind::S:
  case RegKind::D:
    if (N != D.Digits || needsContext())
      return nullptr;
    writeFloat(D, Value, N == 8 ? 0x0f : 0xff, 0);
    return Next;
  case RegKind::Banked:
    if (N != D.Digits || needsContext())
      return nullptr;
    writeBanked(D.Num, Value, uint8_t((1u << (N / 2)) - 1), 0);
    return Next;
  case RegKind::Cpsr:
  case RegKind::Status:
    if (N != 8)
      return nullptr;
    Out->SpecialLanes |= uint64_t(1) << D.Num;
    addReg(D.Num, Value, 0x0f);
    return Next;
  case RegKind::Named:
    if (N != 8 && N != 16)
      return nullptr;
    if (uint16_t Lane = laneOf(K->Local, N / 2))
      addReg(Lane, Value, uint8_t((1u << (N / 2)) - 1));
    return Next;
  default:
    return nullptr;
  }
}

// [M]R<size> <address>[:<physical>] <data>
const char *LineParser::fastMemory(const char *, bool Write, unsigned Size,
                                   const char *Q) {
  if (Size > 8 || (Size & (Size - 1)) != 0 || Size == 0)
    return nullptr;
  uint64_t Addr, Real = ~uint64_t(0), Value;
  unsigned N = scanHex(Q, Addr);
  if (N == 0 || N > 16)
    return nullptr;
  Q += N;
  if (*Q == ':') {
    ++Q;
    N = scanHex(Q, Real);
    if (N == 0 || N > 16)
      return nullptr;
    Q += N;
    if (*Q == '_') {
      ++Q;
      if (*Q == 'N')
        ++Q;
      if (*Q++ != 'S')
        return nullptr;
    }
  }
  if (*Q != ' ')
    return nullptr;
  ++Q;
  N = scanHex(Q, Value);
  Q += N;
  if (N == 8 && Size == 8 && *Q == '_') {
    uint64_t Low;
    if (scanHex(Q + 1, Low) != 8)
      return nullptr;
    Value = Value << 32 | Low;
    N = 16;
    Q += 9;
  }
  const char *Next = afterEol(Q);
  if (N != 2 * Size || !Next || Addr + Size - 1 < Addr)
    return nullptr;
  if (Options.BigEndian)
    Value = llvm::byteswap(Value) >> (64 - 8 * Size);
  Out->MemValues = true;
  Out->RealAddresses |= Real != ~uint64_t(0);
  addMem(Addr, Value, Real, uint8_t(Size), Write ? MemItem::Write : 0,
         uint8_t((1u << Size) - 1));
  return Next;
}

// LD|ST <address> <16 bytes, highest address first> <physical> <attributes>
const char *LineParser::fastDiagram(const char *Line, const char *Q,
                                    bool Write) {
  while (*Q == ' ')
    ++Q;
  uint32_t Column = uint32_t(Q - Line);
  uint64_t Base;
  unsigned N = scanHex(Q, Base);
  if (N < 4 || N > 16 || Q[N] != ' ' || Base > ~uint64_t(15))
    return nullptr;
  Q += N;
  while (*Q == ' ')
    ++Q;
  uint32_t Words[4];
  unsigned Accessed = 0, Known = 0;
  for (int W = 3; W >= 0; --W) {
    uint64_t X = load8(Q);
    Words[W] = 0;
    if (X == Ones * '.')
      ;
    else if (leadingHex(X) == 8) {
      Words[W] = hexValue(X, 8);
      Accessed |= 0xfu << (4 * W);
      Known |= 0xfu << (4 * W);
    } else
      for (int B = 3; B >= 0; --B) {
        const char *C = Q + 2 * (3 - B);
        if (C[0] == '.' && C[1] == '.')
          continue;
        int High = hexDigit(C[0]), Low = hexDigit(C[1]);
        if (High >= 0 && Low >= 0) {
          Words[W] |= uint32_t(High << 4 | Low) << (8 * B);
          Known |= 1u << (4 * W + B);
        } else if (C[0] != '#' || C[1] != '#')
          return nullptr;
        Accessed |= 1u << (4 * W + B);
      }
    Q += 8;
    if (W ? *Q != ' ' : (*Q != ' ' && !isEol(*Q)))
      return nullptr;
    Q += W != 0;
  }
  while (*Q == ' ')
    ++Q;
  uint64_t Real = ~uint64_t(0);
  const char *R = Q;
  if (*R == 'N')
    ++R;
  if (load2(R) == chars2("S:"))
    R += 2;
  else
    R = Q;
  N = scanHex(R, Real);
  if (N < 8 || N > 16 || (R[N] != ' ' && !isEol(R[N])))
    Real = ~uint64_t(0);
  else
    Out->RealAddresses = true;
  Out->MemValues |= Known != 0;

  uint64_t Low = uint64_t(Words[1]) << 32 | Words[0];
  uint64_t High = uint64_t(Words[3]) << 32 | Words[2];
  for (unsigned Left = Accessed; Left;) {
    unsigned Start = unsigned(llvm::countr_zero(Left));
    unsigned Run = unsigned(llvm::countr_one(Left >> Start));
    Left &= ~(((1u << Run) - 1) << Start);
    for (unsigned Done = 0; Done < Run; Done += 8) {
      unsigned At = Start + Done, Size = std::min(Run - Done, 8u);
      uint64_t Value = At >= 8   ? High >> (8 * (At - 8))
                       : At == 0 ? Low
                                 : Low >> (8 * At) | High << (64 - 8 * At);
      uint8_t Mask = uint8_t(Known >> At & ((1u << Size) - 1));
      uint8_t Flags =
          uint8_t((Write ? MemItem::Write : 0) | (Done ? MemItem::Joined : 0) |
                  (Mask ? 0 : MemItem::NoValue));
      addMem(Base + At, Value & firstBytes(Size),
             Real == ~uint64_t(0) ? Real : Real + At, uint8_t(Size), Flags,
             Mask);
    }
  }
  ContinuesAt = LineNo + 1;
  ContinuesColumn = Column;
  ContinuesWrite = Write;
  return skipLine(Q, End);
}

} // namespace rw::tarmac
