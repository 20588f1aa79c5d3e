//===- Vcd.h - Value change dumps -------------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_VCD_H
#define REWIND_EXPORT_VCD_H

#include "core/calls/CallSweep.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

struct VcdOptions {
  /// Byte for byte what tarmac-vcd of TTU writes: its functions and its name.
  bool TtuStyle = false;
  bool Date = true;             ///< write when it was made
  bool TraceTimestamps = false; ///< the trace's times, not one tick a moment
  /// The text shown for an instruction; called only where the opcode changes.
  std::function<std::string(const Instruction &)> Disassemble;
};

/// Writes a trace as IEEE 1364 value change dump, as tarmac-vcd does:
/// registers, pc, function, opcode and disassembly, and a simple memory bus; a
/// scope per thread. One tick is 1000 units, which the accesses of an
/// instruction share. What is not known is x. Memory: little, in TTU's
/// style its call tree.
llvm::Error exportVcd(const CallQuery &Q, const VcdOptions &Options,
                      llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_EXPORT_VCD_H
