//===- X87Effects.cpp - What x87 instructions write -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/X87Effects.h"

namespace rw {
namespace {

constexpr uint8_t All = 0xff;

/// Pushes and pops rename every register of the stack.
X87Effects rotate() { return {.Stack = All, .Status = true, .Tag = true}; }
X87Effects into(unsigned N) {
  return {.Stack = uint8_t(1u << N), .Status = true, .Tag = false};
}
X87Effects statusOnly() { return {.Status = true}; }

/// fadd fmul fcom fcomp fsub fsubr fdiv fdivr into \p Destination.
X87Effects arithmetic(unsigned Operation, unsigned Destination) {
  if (Operation == 2)
    return statusOnly();
  return Operation == 3 ? rotate() : into(Destination);
}

X87Effects memory(uint8_t Escape, unsigned Operation) {
  switch (Escape) {
  case 0xd9:
    switch (Operation) {
    case 4: // fldenv
      return {.Status = true, .Control = true, .Tag = true};
    case 5: // fldcw
      return {.Control = true};
    case 6: // fnstenv masks the exceptions
      return {.Control = true};
    case 7: // fnstcw
      return {};
    case 2: // fst
      return statusOnly();
    default:
      return rotate();
    }
  case 0xdd:
    switch (Operation) {
    case 2: // fst
      return statusOnly();
    case 4: // frstor
    case 6: // fnsave initialises
      return {.Stack = All, .Status = true, .Control = true, .Tag = true};
    case 7: // fnstsw
      return {};
    default:
      return rotate();
    }
  case 0xdb:
  case 0xdf:
    // fild fisttp fist fistp, fld fstp, fbld fbstp
    return Operation == 2 ? statusOnly() : rotate();
  default:
    return arithmetic(Operation, 0);
  }
}

X87Effects registers(uint8_t Escape, uint8_t ModRM) {
  const unsigned Operation = ModRM >> 3 & 7, N = ModRM & 7;
  switch (Escape) {
  case 0xd8:
    return arithmetic(Operation, 0);
  case 0xd9:
    switch (ModRM) {
    case 0xd0: // fnop
      return {};
    case 0xe0: // fchs
    case 0xe1: // fabs
    case 0xf0: // f2xm1
    case 0xf5: // fprem1
    case 0xf8: // fprem
    case 0xfa: // fsqrt
    case 0xfc: // frndint
    case 0xfd: // fscale
    case 0xfe: // fsin
    case 0xff: // fcos
      return into(0);
    case 0xe4: // ftst
    case 0xe5: // fxam
      return statusOnly();
    default:
      break;
    }
    if (Operation == 1) // fxch
      return {.Stack = uint8_t(1u | 1u << N), .Status = true};
    return rotate();
  case 0xda:
    return ModRM == 0xe9 ? rotate() : into(0); // fucompp, fcmov
  case 0xdb:
    if (ModRM == 0xe2) // fnclex
      return statusOnly();
    if (ModRM == 0xe3) // fninit
      return {.Stack = All, .Status = true, .Control = true, .Tag = true};
    if (Operation == 5 || Operation == 6) // fucomi, fcomi
      return {.Status = true, .Flags = true};
    return into(0); // fcmov
  case 0xdc:
    return arithmetic(Operation, N);
  case 0xdd:
    if (Operation == 0) // ffree
      return {.Tag = true};
    if (Operation == 2) // fst
      return into(N);
    if (Operation == 4) // fucom
      return statusOnly();
    return rotate();
  case 0xde:
    return rotate();
  default:             // 0xdf
    if (ModRM == 0xe0) // fnstsw ax
      return {.AX = true};
    X87Effects E = rotate();
    E.Flags = Operation == 5 || Operation == 6; // fucomip, fcomip
    return E;
  }
}

} // namespace

X87Effects x87Effects(uint8_t Escape, uint8_t ModRM) {
  return ModRM < 0xc0 ? memory(Escape, ModRM >> 3 & 7)
                      : registers(Escape, ModRM);
}

} // namespace rw
