//===- LoopTests.h - Where loops are tested ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trip is an entry to a loop's body, so a last round that was but the test
// that fails is none. Which one was cannot be seen in general: "while (1) { a;
// if (c) break; b; }" and "while (a, !c) b;" are the same code.
//
// Code that is not optimised has no value in a register when a round begins.
// What GCC and Clang make of loops there is known:
//
//  1. Where code of the loop is above its header, the test is all from there to
//     the branch that goes up: GCC's "while" and "for".
//  2. Where a branch that may leave goes back to the header, at once or by a
//     jump, no round is but a test: "do", and "if (c) goto again".
//  3. Else it is what comes before the first way out, if that leads to below
//     the loop: Clang's "while". There it jumps to the next instruction, or
//     there is no jump. Before a nop it is a break from GCC's endless loop.
//
// Elsewhere:
//
//  1. Where a branch that may leave goes back to the header, or to what writes
//     nothing and leads there, no round is but a test, if not by rule 4.
//  2. Where the loop has code above its header, and a branch below either
//     leaves or goes to the top of it, compilers put the test below the body:
//     it is what lies between the header and there.
//  3. Where the first way out goes on, in the loop, with a jump to the next
//     instruction, it is what comes before: Clang's "while", not optimised.
//  4. Where all full rounds write memory (the function itself, not what it
//     calls), it is what comes before the first write.
//  5. Else it is the header and what follows without a choice, if a way out
//     ends that, and it is at most half of the loop's code.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_PASSES_LOOPTESTS_H
#define REWIND_HTR_PASSES_LOOPTESTS_H

#include "core/htr/Hierarchy.h"
#include "core/htr/passes/LoopForest.h"

namespace rw::htr {

/// What blocks execute themselves, without calls; by id.
struct OwnCode {
  std::vector<uint64_t> Count;      ///< instructions
  std::vector<BlockId> First, Last; ///< of them; NoBlock if there are none
  std::vector<uint64_t> Low, High;  ///< addresses of them
  std::vector<Writes> Memory;
  /// Reads: before they are written there.
  std::vector<std::optional<InsnFacts::RegisterUse>> Registers;
};

/// By loop: the nodes from which it is left when its test fails, ascending.
/// \p UnitOf are the nodes' units. O(depth * edges).
std::vector<std::vector<uint32_t>> findLoopTests(const Hierarchy &H,
                                                 const FlowGraph &Graph,
                                                 const LoopForest &Forest,
                                                 llvm::ArrayRef<BlockId> UnitOf,
                                                 const OwnCode &Own);

} // namespace rw::htr

#endif // REWIND_HTR_PASSES_LOOPTESTS_H
