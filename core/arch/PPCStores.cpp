//===- PPCStores.cpp - Registers that POWER code stores -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCStores.h"
#include "core/arch/RegisterFile.h"

namespace rw::ppc {

std::optional<StoredRegisters> storedRegisters(uint32_t Prefix, uint32_t Op) {
  const unsigned Major = Op >> 26;
  StoredRegisters S;
  S.FirstLane = uint8_t(R0 + (Op >> 21 & 31));
  auto plain = [&](uint8_t Size, bool Reversed = false) {
    S.Size = Size;
    S.Reversed = Reversed;
    return S;
  };
  auto pair = [&]() -> std::optional<StoredRegisters> {
    if (S.FirstLane & 1)
      return std::nullopt; // no such instruction
    S.Count = 2;
    S.IsOneNumber = true;
    return plain(8);
  };
  if (Prefix) {
    const unsigned Type = Prefix >> 24 & 3;
    if (Type == 2 && Major == 36) // pstw
      return plain(4);
    if (Type == 2 && Major == 38)
      return plain(1);
    if (Type == 2 && Major == 44)
      return plain(2);
    if (Type == 0 && Major == 61) // pstd
      return plain(8);
    if (Type == 0 && Major == 60) // pstq
      return pair();
    return std::nullopt;
  }
  switch (Major) {
  case 36: // stw, stwu
  case 37:
    return plain(4);
  case 38: // stb, stbu
  case 39:
    return plain(1);
  case 44: // sth, sthu
  case 45:
    return plain(2);
  case 47: // stmw
    S.Count = uint8_t(32 - (Op >> 21 & 31));
    return plain(4);
  case 62:
    if ((Op & 3) < 2) // std, stdu
      return plain(8);
    if ((Op & 3) == 2) // stq
      return pair();
    return std::nullopt;
  case 31:
    break;
  default:
    return std::nullopt;
  }
  switch (Op >> 1 & 0x3ff) {
  case 149: // stdx, stdux, stdcix
  case 181:
  case 1013:
    return plain(8);
  case 151: // stwx, stwux, stwcix
  case 183:
  case 917:
    return plain(4);
  case 407: // sthx, sthux, sthcix
  case 439:
  case 949:
    return plain(2);
  case 215: // stbx, stbux, stbcix
  case 247:
  case 981:
    return plain(1);
  case 660: // stdbrx, stwbrx, sthbrx
    return plain(8, true);
  case 662:
    return plain(4, true);
  case 918:
    return plain(2, true);
  default:
    return std::nullopt;
  }
}

} // namespace rw::ppc
