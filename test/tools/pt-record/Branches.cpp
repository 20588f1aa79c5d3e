//===- Branches.cpp -------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/tools/pt-record/Branches.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace rw::ptrecord;

/// Bytes of ModRM, SIB and displacement at \p P.
static unsigned modRMSize(const uint8_t *P) {
  unsigned Mod = P[0] >> 6, Rm = P[0] & 7, Size = 1;
  if (Mod == 3)
    return Size;
  if (Rm == 4) {
    ++Size;
    if (Mod == 0 && (P[1] & 7) == 5)
      return Size + 4;
  } else if (Mod == 0 && Rm == 5) {
    return Size + 4; // relative to rip
  }
  return Size + (Mod == 1 ? 1 : Mod == 2 ? 4 : 0);
}

static bool isLegacyPrefix(uint8_t B) {
  switch (B) {
  case 0x26:
  case 0x2e:
  case 0x36:
  case 0x3e:
  case 0x64:
  case 0x65:
  case 0x66: // Intel ignores it on near branches in 64-bit mode
  case 0x67:
  case 0xf0:
  case 0xf2:
  case 0xf3:
    return true;
  default:
    return false;
  }
}

static bool isString(uint8_t Op) {
  return (Op >= 0x6c && Op <= 0x6f) || (Op >= 0xa4 && Op <= 0xa7) ||
         (Op >= 0xaa && Op <= 0xaf);
}

Branch rw::ptrecord::classify(ArrayRef<uint8_t> Code) {
  assert(Code.size() >= 15 && "pad it");
  const uint8_t *P = Code.data();
  unsigned I = 0;
  bool Repeated = false;
  for (; I < 11 && isLegacyPrefix(P[I]); ++I)
    Repeated |= P[I] == 0xf2 || P[I] == 0xf3;
  if ((P[I] & 0xf0) == 0x40) // REX
    ++I;

  auto made = [](BranchKind Kind, unsigned Size, int32_t Displacement = 0) {
    Branch B;
    B.Kind = Kind;
    B.Size = uint8_t(Size);
    B.Displacement = Displacement;
    return B;
  };
  auto far = [&](unsigned Size, bool IsSystemCall = false) {
    Branch B = made(BranchKind::Far, Size);
    B.IsSystemCall = IsSystemCall;
    return B;
  };
  auto disp8 = [&](unsigned At) { return int32_t(int8_t(P[At])); };
  auto disp32 = [&](unsigned At) {
    return int32_t(support::endian::read32le(P + At));
  };

  uint8_t Op = P[I];
  if (Op >= 0x70 && Op <= 0x7f)
    return made(BranchKind::Conditional, I + 2, disp8(I + 1));
  if (isString(Op) && Repeated)
    return made(BranchKind::RepeatedString, 0);
  switch (Op) {
  case 0xe0: // loopne
  case 0xe1: // loope
  case 0xe2: // loop
  case 0xe3: // jrcxz
    return made(BranchKind::Conditional, I + 2, disp8(I + 1));
  case 0xe8:
    return made(BranchKind::DirectCall, I + 5, disp32(I + 1));
  case 0xe9:
    return made(BranchKind::DirectJump, I + 5, disp32(I + 1));
  case 0xeb:
    return made(BranchKind::DirectJump, I + 2, disp8(I + 1));
  case 0xc3:
    return made(BranchKind::Return, I + 1);
  case 0xc2:
    return made(BranchKind::Return, I + 3);
  case 0xcb: // retf
  case 0xcc: // int3
  case 0xcf: // iret
  case 0xf1: // int1
    return far(I + 1);
  case 0xcd: // int n
    return far(I + 2);
  case 0xca: // retf n
    return far(I + 3);
  case 0xff: {
    unsigned Size = I + 1 + modRMSize(P + I + 1);
    switch (P[I + 1] >> 3 & 7) {
    case 2:
      return made(BranchKind::IndirectCall, Size);
    case 4:
      return made(BranchKind::IndirectJump, Size);
    case 3:
    case 5:
      return far(Size);
    default:
      return Branch();
    }
  }
  case 0x0f:
    if (P[I + 1] >= 0x80 && P[I + 1] <= 0x8f)
      return made(BranchKind::Conditional, I + 6, disp32(I + 2));
    if (P[I + 1] == 0x05 || P[I + 1] == 0x34) // syscall, sysenter
      return far(I + 2, true);
    if (P[I + 1] == 0x07 || P[I + 1] == 0x35) // sysret, sysexit
      return far(I + 2);
    if (P[I + 1] == 0xa2) {
      Branch B = made(BranchKind::None, I + 2);
      B.IsCpuid = true;
      return B;
    }
    return Branch();
  default:
    return Branch();
  }
}
