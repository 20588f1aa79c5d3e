//===- StackLanes.h - Where sp and lr are -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_STACKLANES_H
#define REWIND_CALLS_STACKLANES_H

#include "core/arch/RegisterFile.h"
#include "core/model/Types.h"

namespace rw {

/// A stack pointer that is not known.
inline constexpr uint64_t NoSP = ~uint64_t(0);

/// Which lanes hold sp and lr in an instruction set, and how much of them
/// counts. Size 0: there is none, or its value decides nothing.
struct StackLanes {
  uint16_t SP = 0, LR = 0;
  uint8_t SPKnown = 0, LRKnown = 0; ///< mask of bytes that must be known
  uint64_t Mask = ~uint64_t(0);
};

inline const StackLanes &lanesOf(ISA Isa) {
  static constexpr StackLanes None{};
  static constexpr StackLanes A64{arm::SP, arm::X30, 0xff, 0xff, ~uint64_t(0)};
  static constexpr StackLanes A32{arm::R13, arm::R14, 0x0f, 0x0f, 0xffffffff};
  static constexpr StackLanes PPC{ppc::R0 + 1, ppc::LR, 0xff, 0, ~uint64_t(0)};
  switch (Isa) {
  case ISA::A64:
    return A64;
  case ISA::A32:
  case ISA::T32:
    return A32;
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

} // namespace rw

#endif // REWIND_CALLS_STACKLANES_H
