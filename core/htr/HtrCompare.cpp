//===- HtrCompare.cpp - Where two blocks part -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrCompare.h"
#include "llvm/ADT/STLExtras.h"

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

std::vector<CodeCounts> differentCode(const HtrFile &File, BlockId A,
                                      BlockId B) {
  std::vector<uint64_t> InA = File.timesIn(A), InB = File.timesIn(B);
  InA.resize(std::max(InA.size(), InB.size()));
  InB.resize(InA.size());
  std::vector<std::pair<uint64_t, BlockId>> Code;
  for (BlockId I = 0; I < InA.size(); ++I)
    if ((InA[I] || InB[I]) && File.kind(I) == BlockKind::Instruction)
      Code.push_back({File.block(I).Value, I});
  llvm::sort(Code);
  // No instruction is longer.
  constexpr uint64_t MaxSize = 16;
  std::vector<CodeCounts> All;
  for (size_t K = 0; K < Code.size(); ++K) {
    auto [PC, I] = Code[K];
    if (All.empty() || All.back().A != InA[I] || All.back().B != InB[I] ||
        PC - Code[K - 1].first > MaxSize)
      All.push_back({I, I, 0, InA[I], InB[I]});
    All.back().Last = I;
    ++All.back().Instructions;
  }
  llvm::erase_if(All, [](const CodeCounts &C) { return C.A == C.B; });
  auto weight = [](const CodeCounts &C) {
    return (C.A > C.B ? C.A - C.B : C.B - C.A) * C.Instructions;
  };
  stable_sort(All, [&](const CodeCounts &X, const CodeCounts &Y) {
    return weight(X) > weight(Y);
  });
  return All;
}

} // namespace rw::htr
