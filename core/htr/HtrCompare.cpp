//===- HtrCompare.cpp - Where two blocks part -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrCompare.h"

using namespace llvm;

namespace rw::htr {
namespace {

/// Units of a block in order, opened as far as is asked for.
class Cursor {
public:
  Cursor(const HtrFile &File, unsigned Layer, BlockId B)
      : File(File), Layer(Layer), Now(B) {}

  /// A block with instructions; NoBlock at the end.
  BlockId operator*() const { return Now; }
  void next() {
    do {
      while (!Stack.empty() && Stack.back().At == Stack.back().Units.size()) {
        Frame &F = Stack.back();
        F.At = 0;
        if (--F.Units.Times == 0)
          Stack.pop_back();
      }
      if (Stack.empty()) {
        Now = NoBlock;
        return;
      }
      Frame &F = Stack.back();
      Now = File.unit(F.Units, F.At++);
    } while (File.length(Now) == 0);
  }
  void open() {
    Stack.push_back({File.parts(Now, Layer), 0});
    next();
  }

private:
  struct Frame {
    UnitRange Units;
    uint64_t At;
  };
  const HtrFile &File;
  const unsigned Layer;
  BlockId Now;
  std::vector<Frame> Stack;
};

} // namespace

Difference firstDifference(const HtrFile &File, unsigned Layer, BlockId A,
                           BlockId B) {
  Cursor X(File, Layer, A), Y(File, Layer, B);
  Difference D;
  auto opens = [&](const Cursor &C) {
    return *C != NoBlock && File.kind(*C) != BlockKind::Instruction;
  };
  for (;;) {
    if (*X == *Y) {
      if (*X == NoBlock)
        return D;
      D.Common += File.length(*X);
      D.Last = File.block(*X).Exit;
      X.next();
      Y.next();
    } else if (opens(X) && (!opens(Y) || File.length(*X) >= File.length(*Y))) {
      X.open();
    } else if (opens(Y)) {
      Y.open();
    } else {
      D.A = *X;
      D.B = *Y;
      return D;
    }
  }
}

} // namespace rw::htr
