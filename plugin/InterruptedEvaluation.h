//===- InterruptedEvaluation.h - Evaluations that were ended ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_INTERRUPTEDEVALUATION_H
#define REWIND_PLUGIN_INTERRUPTEDEVALUATION_H

namespace rw {

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
