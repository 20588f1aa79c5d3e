//===- LoopPaths.h - The ways through a loop's body -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two rounds of a loop take the same path if they execute the same steps in the
// same order: instructions of the loop's own, loops inside of it (by where
// these begin, however often they go round), and calls (by what is called,
// whatever it does). Gaps and pauses are no steps.
//
// A choice is a step after which not all rounds go on to the same one. Where it
// is an instruction, that is the branch that chose.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_LOOPPATHS_H
#define REWIND_HTR_LOOPPATHS_H

#include "core/htr/HtrFile.h"
#include "core/support/Watch.h"

namespace rw::htr {

/// Executions of one block: how many, and where the first one begins.
struct BlockTimes {
  BlockId Id = NoBlock;
  uint64_t Times = 0;
  Place At = 0;
};

struct PathStep {
  enum Kind : uint8_t {
    Instruction, ///< At is it
    Loop,        ///< At is its header
    Call,        ///< At is the instruction that the function begins with
    Begin,       ///< of the round; At: none
    End,         ///< of the round; At: none
  } What = End;
  BlockId At = NoBlock;
  auto operator<=>(const PathStep &) const = default;
};

/// A choice, and how it was made by some rounds.
struct PathChoice {
  PathStep After, To;
};

struct LoopPath {
  uint64_t Rounds = 0;
  /// The rounds that a stay in the loop ended with.
  uint64_t Last = 0;
  Place First = 0;           ///< where the first one begins
  uint64_t Own = 0;          ///< instructions of the loop's, a round
  uint64_t Instructions = 0; ///< of all of them, calls included
  uint64_t Least = ~uint64_t(0), Most = 0; ///< instructions of a round
  std::vector<PathChoice> Choices;         ///< in order
};

struct LoopChoice {
  PathStep After;
  /// Where rounds went on, the most of them first. A round that comes there
  /// several times, as in irreducible loops, may have gone several ways.
  std::vector<std::pair<PathStep, uint64_t>> Ways;
};

struct LoopPaths {
  /// The choice that parts most rounds from those that go the most frequent
  /// way; null if all take one path.
  const LoopChoice *main() const;

  /// The one that most rounds took first. They are about all rounds but last
  /// ones that are only a test.
  std::vector<LoopPath> Paths;
  std::vector<LoopChoice> Choices; ///< by where they come first
  uint64_t Rounds = 0;
  /// Last passes that are only a test: how many, where the first one begins,
  /// and the instructions of all of them, calls included.
  uint64_t Tests = 0, TestInstructions = 0;
  Place FirstTest = ~uint64_t(0);
  // All instructions of the loop: those of last tests included. They are as
  // many as all paths and last tests have together.
  uint64_t Own = 0, InLoops = 0, InCalls = 0;
};

/// The executions of the loop that \p Loop is a stay in: all stays in the
/// trace, in order of their blocks. O(blocks).
std::vector<BlockTimes> staysOf(const HtrFile &File, BlockId Loop);

/// \p Stays are those in one loop. Cost: the own steps of its distinct rounds.
llvm::Expected<LoopPaths> loopPaths(const HtrFile &File,
                                    llvm::ArrayRef<BlockTimes> Stays,
                                    const Watch &Watch = {});

} // namespace rw::htr

#endif // REWIND_HTR_LOOPPATHS_H
