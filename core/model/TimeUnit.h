//===- TimeUnit.h - What traces count time in -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_TIMEUNIT_H
#define REWIND_MODEL_TIMEUNIT_H

#include "llvm/ADT/StringRef.h"

namespace rw {

/// A unit of time as traces spell it (TraceHeader::TimeUnit).
struct TimeUnit {
  llvm::StringLiteral Name;
  llvm::StringLiteral Long; ///< "nanoseconds"; empty for what is no time
  double Nanoseconds;       ///< 0: of a clock whose frequency nobody tells
  bool Tarmac;              ///< stands in Tarmac text
};

inline constexpr TimeUnit TimeUnits[] = {
    {"clk", "", 0, true},
    {"cs", "", 0, true},
    {"cyc", "", 0, true},
    {"tic", "", 0, true},
    {"ps", "picoseconds", 1e-3, true},
    {"ns", "nanoseconds", 1, true},
    {"us", "microseconds", 1e3, true},
    {"ms", "milliseconds", 1e6, false},
    {"s", "seconds", 1e9, false},
};

/// Null if nobody calls a unit so.
inline const TimeUnit *findTimeUnit(llvm::StringRef Name) {
  for (const TimeUnit &U : TimeUnits)
    if (U.Name == Name)
      return &U;
  return nullptr;
}

inline bool isTarmacUnit(llvm::StringRef Word) {
  const TimeUnit *U = findTimeUnit(Word);
  return U && U->Tarmac;
}

} // namespace rw

#endif // REWIND_MODEL_TIMEUNIT_H
