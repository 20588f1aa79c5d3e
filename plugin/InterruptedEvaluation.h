//===- InterruptedEvaluation.h - Evaluations that were ended ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_INTERRUPTEDEVALUATION_H
#define REWIND_PLUGIN_INTERRUPTEDEVALUATION_H

#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/StringRef.h"

namespace rw {

/// Whether an evaluation that ended with \p Problem has no value because the
/// user, or a front end, does not want to wait for one, or has made the process
/// go on: no fault of the expression's. The request may be withdrawn by now.
inline bool wasInterrupted(lldb::SBDebugger Debugger, llvm::StringRef Problem) {
  return Problem.contains("Interrupted while interpreting expression") ||
         Problem.contains("when the process is running") ||
         Debugger.InterruptRequested();
}

/// Knows whether any evaluation of this thread's was interrupted since it was
/// made: of many that one expression takes, the last error may be another's.
class InterruptedEvaluation {
public:
  bool any() const { return Count != Before; }
  static void note() { ++Count; }

private:
  static inline thread_local unsigned Count = 0;
  const unsigned Before = Count;
};

} // namespace rw

#endif // REWIND_PLUGIN_INTERRUPTEDEVALUATION_H
