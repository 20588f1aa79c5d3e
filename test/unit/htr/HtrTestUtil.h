//===- HtrTestUtil.h - Small hierarchies as text ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_HTR_HTRTESTUTIL_H
#define REWIND_TEST_UNIT_HTR_HTRTESTUTIL_H

#include "core/htr/HtrFile.h"
#include "core/htr/Pass.h"
#include "gtest/gtest.h"
#include <random>

namespace rw::htr {

/// A trace of threads, each a text: a letter is the instruction at that
/// address, '!' a gap. Parentheses make activations: "m(fab)" calls, from m, a
/// function that is f a b; its entry pc is 'f'. '<' and '>' do the same for the
/// text "(" and ")" would hide in expectations.
struct TestTrace {
  Hierarchy H;
  std::vector<std::vector<Call>> Calls;

  explicit TestTrace(llvm::ArrayRef<std::string> Threads);
  explicit TestTrace(const std::string &Thread)
      : TestTrace(llvm::ArrayRef<std::string>(Thread)) {}
  explicit TestTrace(llvm::ArrayRef<std::vector<BlockId>> Threads,
                     BlockId Distinct);

  PassContext context() const;
  /// Runs passes; fails the test on an error.
  TestTrace &run(llvm::StringRef Passes, const PassOptions &Options = {});
};

/// A unit, all the way down: "a", "!", "(ab)" for a sequence, "3x(ab)" or "3xa"
/// for a repetition, "{a|(bc)|a}" for passes through a loop, "f[fab]" for an
/// activation.
std::string text(const Hierarchy &H, BlockId B, const Layer &L);
/// A thread's sequence of a layer, its units separated by blanks.
std::string text(const Hierarchy &H, size_t Layer, ThreadIndex T = 0);
/// That of the top layer.
std::string top(const TestTrace &T, ThreadIndex Thread = 0);

/// Expands layer \p L's sequence by the blocks that it introduced.
std::vector<BlockId> expandOne(const Hierarchy &H, size_t L, size_t Sequence);
/// Expands a sequence down to layer 0.
std::vector<BlockId> expandAll(const Hierarchy &H, size_t L, ThreadIndex T);
/// Checks that every layer expands to the layer below it, and to the trace.
void expectLossless(const Hierarchy &H);

/// The definition of basic super blocks, word by word: for every sequence of a
/// layer, the sizes in units of the blocks that the pass must make of it.
std::vector<std::vector<size_t>> naiveBsb(const Hierarchy &H, size_t L);
/// Those of a layer that the pass made.
std::vector<std::vector<size_t>> bsbSizes(const Hierarchy &H, size_t L);

/// The layers as a file; null, and the test fails, if that cannot be.
std::unique_ptr<HtrFile> fileOf(const Hierarchy &H);

/// Runs of a program on one or two threads: loops whose rounds differ,
/// branches, calls, recursion, gaps.
TestTrace randomProgram(std::mt19937 &Random);

} // namespace rw::htr

#endif // REWIND_TEST_UNIT_HTR_HTRTESTUTIL_H
