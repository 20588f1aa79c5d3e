//===- X87Shape.cpp - What x87 instructions do to the stack ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/X87Shape.h"

namespace rw::dataflow {
namespace {

X87Shape push() {
  X87Shape S;
  S.Push = true;
  return S;
}
X87Shape load() {
  X87Shape S = push();
  S.Load = true;
  return S;
}
X87Shape store(unsigned Pops) {
  X87Shape S;
  S.Reads = 1;
  S.Store = true;
  S.Pops = uint8_t(Pops);
  return S;
}
/// st(\p Into) from the registers of a mask.
X87Shape into(unsigned Into, uint8_t Reads, unsigned Pops = 0) {
  X87Shape S;
  S.Into = uint8_t(Into);
  S.Reads = Reads;
  S.Pops = uint8_t(Pops);
  return S;
}
X87Shape compare(uint8_t Reads, unsigned Pops) {
  X87Shape S;
  S.Reads = Reads;
  S.Status = true;
  S.Pops = uint8_t(Pops);
  return S;
}
X87Shape everything(bool Load, bool Store) {
  X87Shape S;
  S.All = true;
  S.Load = Load;
  S.Store = Store;
  return S;
}

X87Shape memory(uint8_t Escape, unsigned Operation) {
  if (!(Escape & 1)) { // d8 da dc de: arithmetic with memory
    X87Shape S = Operation == 2 || Operation == 3 ? compare(1, Operation - 2)
                                                  : into(0, 1);
    S.Load = true;
    return S;
  }
  switch (Operation) {
  case 0:
    return load();
  case 1:
    return store(1); // fisttp
  case 2:
    return store(0);
  case 3:
    return store(1);
  default:
    break;
  }
  switch (Escape) {
  case 0xdb:
    return Operation == 5 ? load() : store(1);
  case 0xdf:
    return Operation == 4 || Operation == 5 ? load() : store(1);
  default: // d9, dd: environment, control word, state
    return everything(Operation < 6, Operation >= 6);
  }
}

/// d9 c0..ff.
X87Shape unary(uint8_t ModRM) {
  const uint8_t N = ModRM & 7;
  if (ModRM < 0xc8) { // fld st(n)
    X87Shape S = push();
    S.Reads = uint8_t(1u << N);
    return S;
  }
  if (ModRM < 0xd0) { // fxch
    X87Shape S = into(0, uint8_t(1u | 1u << N));
    S.Second = N;
    return S;
  }
  switch (ModRM) {
  case 0xe4: // ftst, fxam
  case 0xe5:
    return compare(1, 0);
  case 0xe8: // constants
  case 0xe9:
  case 0xea:
  case 0xeb:
  case 0xec:
  case 0xed:
  case 0xee:
    return push();
  case 0xf1: // fyl2x, fpatan, fyl2xp1
  case 0xf3:
  case 0xf9:
    return into(1, 3, 1);
  case 0xf2: // fptan, fxtract, fsincos
  case 0xf4:
  case 0xfb: {
    X87Shape S = push();
    S.Reads = 1;
    S.Second = 0;
    return S;
  }
  case 0xf5: // fprem1, fprem, fscale
  case 0xf8:
  case 0xfd: {
    X87Shape S = into(0, 3);
    S.Status = true;
    return S;
  }
  case 0xf6: // fdecstp, fincstp
  case 0xf7:
    return everything(false, false);
  case 0xd0: // fnop
    return {};
  default: { // fchs fabs f2xm1 fsqrt frndint fsin fcos
    X87Shape S = into(0, 1);
    S.Status = ModRM >= 0xfe;
    return S;
  }
  }
}

/// Encodings that only repeat another instruction, and ffreep.
bool repeats(uint8_t Escape, unsigned Operation, unsigned N, X87Shape &S) {
  if (Operation == 1 && (Escape == 0xdd || Escape == 0xdf)) { // fxch
    S = into(0, uint8_t(1u | 1u << N));
    S.Second = uint8_t(N);
    return true;
  }
  if ((Escape == 0xd9 && Operation == 3) ||
      (Escape == 0xdf && (Operation == 2 || Operation == 3))) { // fstp
    S = into(N, 1, 1);
    return true;
  }
  if (Escape == 0xdf && Operation == 0) { // ffreep
    S.Pops = 1;
    return true;
  }
  return false;
}

X87Shape registers(uint8_t Escape, uint8_t ModRM) {
  const unsigned Operation = ModRM >> 3 & 7, N = ModRM & 7;
  const uint8_t Both = uint8_t(1u | 1u << N);
  if (X87Shape S; repeats(Escape, Operation, N, S))
    return S;
  switch (Escape) {
  case 0xd8:
    return Operation == 2 || Operation == 3 ? compare(Both, Operation - 2)
                                            : into(0, Both);
  case 0xd9:
    return unary(ModRM);
  case 0xda:
    return ModRM == 0xe9 ? compare(3, 2) : into(0, Both); // fcmov
  case 0xdb:
    if (Operation == 5 || Operation == 6) {
      X87Shape S = compare(Both, 0);
      S.Status = false;
      S.Flags = true;
      return S;
    }
    if (Operation == 4)
      return everything(false, false); // fnclex, fninit
    return into(0, Both);
  case 0xdc:
    return Operation == 2 || Operation == 3 ? compare(Both, Operation - 2)
                                            : into(N, Both);
  case 0xdd:
    switch (Operation) {
    case 2: // fst, fstp
    case 3:
      return into(N, 1, Operation - 2);
    case 4: // fucom, fucomp
    case 5:
      return compare(Both, Operation - 4);
    default:
      return {}; // ffree
    }
  case 0xde:
    if (Operation == 3)
      return compare(3, 2); // fcompp
    return Operation == 2 ? compare(Both, 1) : into(N, Both, 1);
  default: {
    if (Operation != 5 && Operation != 6)
      return {}; // fnstsw ax: it is an operand
    X87Shape S = compare(Both, 1);
    S.Status = false;
    S.Flags = true;
    return S;
  }
  }
}

} // namespace

X87Shape x87Shape(uint8_t Escape, uint8_t ModRM) {
  return ModRM < 0xc0 ? memory(Escape, ModRM >> 3 & 7)
                      : registers(Escape, ModRM);
}

} // namespace rw::dataflow
