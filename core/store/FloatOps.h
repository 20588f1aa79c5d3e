//===- FloatOps.h - Arithmetic that predicts values -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mantissas that floating-point code computes look like noise, but follow
// from its operands. Which operation an instruction does on which lanes is
// learned from its first executions, as other predictions are. IEEE 754 says
// what the result is to the last bit; where it leaves a choice (NaNs), or the
// traced CPU rounded otherwise, nothing is predicted.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_FLOATOPS_H
#define REWIND_STORE_FLOATOPS_H

#include <cstdint>
#include <optional>
#include <vector>

namespace rw {

/// An operation on 8-byte lanes of a register file; as a number in
/// RegShape::Offset.
struct FloatOp {
  enum Kind : uint8_t {
    Add,
    Sub,
    Mul,
    Div,
    MulAdd, ///< C + A * B, rounded once
    MulSub, ///< C - A * B
    SubMul, ///< A * B - C
    Sqrt,   ///< of A, as the following
    FromInt32,
    FromInt64,
    FromUInt32,
    FromUInt64,
    NumKinds
  };
  enum Width : uint8_t {
    Double,
    Floats, ///< two, in the halves of the lane
    Float,  ///< in the low half; the result's high half is 0
    NumWidths
  };
  uint8_t What = Add, Size = Double;
  uint8_t A = 0, B = 0, C = 0; ///< lanes

  uint64_t pack() const {
    return What | uint64_t(Size) << 8 | uint64_t(A) << 16 | uint64_t(B) << 24 |
           uint64_t(C) << 32;
  }
  static FloatOp unpack(uint64_t V) {
    return {uint8_t(V), uint8_t(V >> 8), uint8_t(V >> 16), uint8_t(V >> 24),
            uint8_t(V >> 32)};
  }
  /// Whether it is an operation, all of whose lanes are below \p NumLanes.
  bool valid(unsigned NumLanes) const {
    return What < NumKinds && Size < NumWidths && A < NumLanes &&
           B < NumLanes && C < NumLanes;
  }
  /// The result, if it is certain. A few ns.
  std::optional<uint64_t> evaluate(const uint64_t *Lanes) const;
};

/// Finds the operation that explains the values of one register effect.
class FloatLearner {
public:
  /// The effect gave \p Value to lane \p Dest while the lanes held \p Lanes:
  /// integers below \p FirstFloat, up to \p NumLanes floats. A search for the
  /// operation costs some 50 us and one of \p Searches; with none left there is
  /// no search.
  void observe(uint64_t Value, unsigned Dest, const uint64_t *Lanes,
               unsigned FirstFloat, unsigned NumLanes, unsigned &Searches);
  /// How many of the values it explains, and the operation.
  unsigned hits() const { return Hits; }
  FloatOp best() const { return Candidates.front(); }

private:
  void search(uint64_t Value, unsigned Dest, const uint64_t *Lanes,
              unsigned FirstFloat, unsigned NumLanes);

  std::vector<FloatOp> Candidates;
  unsigned Hits = 0, Searched = 0;
};

} // namespace rw

#endif // REWIND_STORE_FLOATOPS_H
