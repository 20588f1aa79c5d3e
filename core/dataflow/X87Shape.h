//===- X87Shape.h - What x87 instructions do to the stack -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to dataflow/. From the Intel SDM, volume 2, appendix B.17.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_X87SHAPE_H
#define REWIND_DATAFLOW_X87SHAPE_H

#include <cstdint>

namespace rw::dataflow {

struct X87Shape {
  static constexpr uint8_t None = 0xff;
  uint8_t Reads = 0;   ///< mask of st0..st7, as they are named before
  uint8_t Into = None; ///< gets the result, as it is named before; of Push: st0
                       ///< as it is named afterwards
  uint8_t Second = None; ///< fxch: the other one; fptan, fsincos, fxtract: st0
                         ///< as named before, which becomes st1
  bool Push = false;
  uint8_t Pops = 0;
  bool Load = false, Store = false;
  bool Status = false; ///< writes what fnstsw shows: compares
  bool Flags = false;  ///< writes ZF, PF and CF
  bool All = false;    ///< saves or restores everything
};

/// \p Escape is the opcode byte, 0xd8..0xdf.
X87Shape x87Shape(uint8_t Escape, uint8_t ModRM);

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_X87SHAPE_H
