//===- ToldRefusals.h - Who tells that nothing can be changed ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_TOLDREFUSALS_H
#define REWIND_PLUGIN_TOLDREFUSALS_H

#include <atomic>

namespace rw {

/// While there is one, a write that is refused needs no note: its maker tells
/// the user that the expression failed, and why. Any thread may ask.
class ToldRefusals {
public:
  ToldRefusals() { ++Count; }
  ~ToldRefusals() { --Count; }
  ToldRefusals(const ToldRefusals &) = delete;
  ToldRefusals &operator=(const ToldRefusals &) = delete;
  static bool any() { return Count != 0; }

private:
  static inline std::atomic<unsigned> Count = 0;
};

} // namespace rw

#endif // REWIND_PLUGIN_TOLDREFUSALS_H
