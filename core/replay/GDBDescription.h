//===- GDBDescription.h - Registers as GDB wants them -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_GDBDESCRIPTION_H
#define REWIND_REPLAY_GDBDESCRIPTION_H

#include "core/store/StoreAnswers.h"
#include <string>

namespace rw {

/// A register of GDB's target description; its number is its index.
struct GDBRegister {
  std::string Name;
  unsigned Bytes = 0;
  /// Index in RegisterFile::registers(), those of TracePartNames behind them;
  /// empty for one that GDB demands and no trace has.
  std::optional<unsigned> Source;
};

struct GDBDescription {
  std::string XML; ///< target.xml
  std::vector<GDBRegister> Registers;
};

/// The registers in GDB's standard features (GDB manual, "Standard Target
/// Features"), without which it refuses a description; those that it has no
/// name for, and the position in the trace, follow in features of our own.
/// \p MProfile: an Arm of the M profile, whose status register is xpsr.
GDBDescription describeForGDB(const TraceStore &Store, bool MProfile);

} // namespace rw

#endif // REWIND_REPLAY_GDBDESCRIPTION_H
