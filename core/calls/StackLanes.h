//===- StackLanes.h - Where sp, lr and fp are -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_STACKLANES_H
#define REWIND_CALLS_STACKLANES_H

#include "core/arch/RegisterFile.h"
#include "core/model/Types.h"
#include "core/support/Golden.h"

namespace rw {

/// A stack or frame pointer that is not known.
inline constexpr uint64_t NoSP = ~uint64_t(0);

/// Which lanes hold sp, lr and the frame pointer in an instruction set, and how
/// much of them counts. Size 0: there is none, or its value decides nothing.
/// Code without frame pointers has something else in that register, but it is
/// one of those that calls preserve all the same.
struct StackLanes {
  uint16_t SP = 0, LR = 0, FP = 0;
  uint16_t FirstPreserved = 0, LastPreserved = 0;
  uint8_t SPKnown = 0, LRKnown = 0; ///< mask of bytes that must be known
  uint64_t Mask = ~uint64_t(0);
};

inline const StackLanes &lanesOf(ISA Isa) {
  static constexpr StackLanes None{};
  static constexpr StackLanes A64{arm::SP,  arm::X30, arm::X29, arm::X0 + 19,
                                  arm::X29, 0xff,     0xff,     ~uint64_t(0)};
  static constexpr StackLanes A32{arm::R13,    arm::R14,     arm::X0 + 11,
                                  arm::X0 + 4, arm::X0 + 11, 0x0f,
                                  0x0f,        0xffffffff};
  static constexpr StackLanes T32{arm::R13,    arm::R14,     arm::X0 + 7,
                                  arm::X0 + 4, arm::X0 + 11, 0x0f,
                                  0x0f,        0xffffffff};
  static constexpr StackLanes PPC{ppc::R0 + 1, ppc::LR, 0, 0,
                                  0,           0xff,    0, ~uint64_t(0)};
  switch (Isa) {
  case ISA::A64:
    return A64;
  case ISA::A32:
    return A32;
  case ISA::T32:
    return T32;
  case ISA::PPC64:
    return PPC;
  // A call on x86 pushes: sp differs between call and return; the return
  // address decides.
  case ISA::X86_64:
  case ISA::Unknown:
    return None;
  }
  return None;
}

/// sp from its lane, NoSP if not known.
inline uint64_t spOf(const StackLanes &Lanes, uint64_t Value, uint8_t Known) {
  return (Known & Lanes.SPKnown) == Lanes.SPKnown ? Value & Lanes.Mask : NoSP;
}

/// What calls preserve. It tells activations apart where sp is not known.
struct Preserved {
  uint64_t FP = NoSP; ///< the frame pointer, if it is known
  uint64_t Hash = 0;  ///< of all of it that is known
  bool operator==(const Preserved &) const = default;
  bool knowsFP() const { return FP != NoSP; }
  bool contradicts(const Preserved &O) const {
    return knowsFP() && O.knowsFP() && FP != O.FP;
  }
};

/// \p Value, \p Known: all lanes; not used where there is no lr.
inline Preserved preservedOf(const StackLanes &Lanes, const uint64_t *Value,
                             const uint8_t *Known) {
  Preserved P;
  if (!Lanes.LRKnown)
    return P;
  auto isKnown = [&](unsigned Lane) {
    return (Known[Lane] & Lanes.LRKnown) == Lanes.LRKnown;
  };
  if (isKnown(Lanes.FP))
    P.FP = Value[Lanes.FP] & Lanes.Mask;
  for (unsigned L = Lanes.FirstPreserved; L <= Lanes.LastPreserved; ++L) {
    P.Hash = golden(P.Hash ^ (P.Hash >> 29));
    if (isKnown(L))
      P.Hash += (Value[L] & Lanes.Mask) + 1;
  }
  return P;
}

} // namespace rw

#endif // REWIND_CALLS_STACKLANES_H
