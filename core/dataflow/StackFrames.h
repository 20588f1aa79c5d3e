//===- StackFrames.h - Where the frames of calls are ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames of calls that are over only happen to be at the same place as those of
// later ones: that both wrote there makes neither wait for the other (the false
// dependences of Embla). A frame is what the stack pointer was moved over in
// the call, below where it was at the call and where it is after the return.
// Other changes of it (longjmp, another stack) are no moves.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_STACKFRAMES_H
#define REWIND_DATAFLOW_STACKFRAMES_H

#include "core/dataflow/Step.h"

namespace rw::dataflow {

/// The frame of a call that is over, and those of what it called. Empty: not
/// known, or there was none.
struct StackExtent {
  uint64_t Low = 0, Top = 0;
  bool empty() const { return Low >= Top; }
  bool holds(Range R) const {
    return R.Addr >= Low && R.Addr < Top && R.Size <= Top - R.Addr;
  }
  bool overlaps(Range R) const {
    return !empty() && (R.Addr - Low < Top - Low || Low - R.Addr < R.Size);
  }
};

/// The frames of a thread's open activations. Steps must tell the stack
/// pointer (StepReader::Options); O(1) for each.
class StackFrames {
public:
  /// Before the activations that end or begin after it.
  void step(const Step &S) {
    if (S.SP == SP)
      return;
    Frame &F = Open.back();
    if (SP && S.SP && S.Code->MovesSP && F.borders(*SP))
      F.Low = std::min(F.Low, *S.SP);
    SP = S.SP;
  }
  void enter() { Open.push_back({SP, SP.value_or(0)}); }
  /// The innermost one ends.
  StackExtent leave() {
    const Frame F = Open.back();
    Open.pop_back();
    if (!F.Top)
      return {};
    if (!Open.empty() && Open.back().borders(*F.Top))
      Open.back().Low = std::min(Open.back().Low, F.Low);
    return {F.Low, SP ? std::min(*F.Top, *SP) : F.Low};
  }

private:
  struct Frame {
    /// Where it begins and how far it went so far; none: not known.
    std::optional<uint64_t> Top;
    uint64_t Low = 0;
    bool borders(uint64_t SP) const { return Top && Low <= SP && SP <= *Top; }
  };
  std::vector<Frame> Open = std::vector<Frame>(1);
  std::optional<uint64_t> SP; ///< after the latest step
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_STACKFRAMES_H
