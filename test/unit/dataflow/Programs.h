//===- Programs.h - Hand-made and random executions -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_DATAFLOW_PROGRAMS_H
#define REWIND_TEST_UNIT_DATAFLOW_PROGRAMS_H

#include "core/dataflow/Step.h"
#include <deque>
#include <random>

namespace rw::dataflow {

/// x0.. of AArch64, whose cells all programs here use.
inline CellRef x(unsigned N) { return {Cell(armcell::X0 + N), 1}; }
inline const CellRef SP = {armcell::SP, 1}, FP = x(29), LR = x(30);
inline const CellRef Flags = {armcell::N, 4};

/// An effect that owns its lists.
struct Makes {
  std::vector<CellRef> Writes, Values, Addresses;
  MemoryPart Load, Store;
  uint16_t Flags = 0;
  CellRef Moved;
};

/// An execution as a test writes it down.
class Program {
public:
  Program();

  /// An instruction; the number in Codes.
  unsigned code(std::vector<Makes> Effects, InsnClass Class = InsnClass::None,
                std::vector<CellRef> Predicate = {});
  /// The instructions that the examples use.
  unsigned mov(CellRef To);                           ///< a constant
  unsigned op(CellRef To, std::vector<CellRef> From); ///< computes
  unsigned move(CellRef To, CellRef From);            ///< a copy
  unsigned addConstant(CellRef To, CellRef From);
  unsigned load(CellRef To, CellRef Base, unsigned Size = 8);
  unsigned store(CellRef From, CellRef Base, unsigned Size = 8);
  unsigned cmp(CellRef A);
  unsigned branch(); ///< conditional, on the flags
  unsigned call();   ///< leaves LR
  unsigned ret();    ///< to LR

  struct Flow {
    bool Returns = false;
    unsigned Leaves = 0, Enters = 0;
    bool Executed = true;
    unsigned Thread = 0;
  };
  /// Executes instruction \p Code.
  void run(unsigned Code, std::vector<Range> Loads = {},
           std::vector<Range> Stores = {}) {
    run(Code, std::move(Loads), std::move(Stores), Flow());
  }
  void run(unsigned Code, std::vector<Range> Loads, std::vector<Range> Stores,
           Flow How);
  void enter(unsigned Code) { run(Code, {}, {}, {false, 0, 1}); }
  void leave(unsigned Code) { run(Code, {}, {}, {true, 1, 0}); }

  CellMap Map;
  CallConvention Convention;
  std::deque<StepCode> Codes;
  std::vector<Step> Steps;
  bool PlacesKnown = true; ///< false: Loads and Stores tell nothing

private:
  std::deque<std::pair<std::vector<Range>, std::vector<Range>>> Places;
};

/// Anything that could happen, and much that should not: calls without returns,
/// returns of several, interrupts, overlapping accesses of all sizes, saves and
/// what only looks like them.
std::unique_ptr<Program> randomProgram(std::mt19937_64 &Random,
                                       unsigned MaxSteps, unsigned Threads);

} // namespace rw::dataflow

#endif // REWIND_TEST_UNIT_DATAFLOW_PROGRAMS_H
