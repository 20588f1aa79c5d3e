//===- EffectsCheck.h - Are declared effects all there are? -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes an instruction from random states, then again with other values
// wherever an effect is said not to look. What the effect makes must stay what
// it was; what no effect writes must stay as it is.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_EFFECTSCHECK_H
#define REWIND_TEST_EFFECTSCHECK_H

#include "core/dataflow/Effects.h"
#include "test/effects/probe.h"
#include "llvm/Support/Error.h"
#include <random>
#include <set>
#include <string>
#include <vector>

namespace rw::dataflow {

/// A program that executes instructions (probe.c), in an emulator or not.
class Probe {
public:
  static llvm::Expected<std::unique_ptr<Probe>>
  start(std::vector<std::string> Command);
  ~Probe();
  /// An instruction that ends the probe was not executed in any state.
  llvm::Error run(llvm::ArrayRef<uint8_t> Bytes, bool Thumb,
                  llvm::ArrayRef<ProbeState> States,
                  std::vector<ProbeResult> &Results);

private:
  llvm::Error spawn();
  void end();
  std::vector<std::string> Command;
  bool Answered = false; ///< ever
  int In = -1, Out = -1, Process = -1;
};

/// An instruction to be looked at.
struct Sample {
  ISA Isa = ISA::Unknown;
  uint8_t ItCondition = NoItCondition;
  std::vector<uint8_t> Bytes; ///< in memory order
  auto operator<=>(const Sample &) const = default;
};

/// The opcode as InsnItem has it.
uint64_t logicalOpcode(const Sample &S);

/// The distinct instructions of an ELF file's code; mapping symbols of Arm tell
/// what is data and which instruction set is used.
llvm::Error harvest(llvm::StringRef Path, std::set<Sample> &Out);

/// A line for each effect: "x0 <- x1 load @ x2 copy x0".
std::string effectsText(const CellMap &Map, const TemplateEffects &T);

struct Verdict {
  bool Known = false;    ///< the table knows the instruction
  bool Executed = false; ///< in at least one state
  std::vector<std::string> Undeclared, Surplus;
};

class EffectsCheck {
public:
  EffectsCheck(Probe &P, Arch A, uint32_t Seed)
      : P(P), Table(A), Random(Seed) {}
  /// \p States: from how many. \p WithSurplus: also what is declared and never
  /// showed. \p Declared: the instruction whose declaration counts, if it is
  /// not that of \p S (to see that differences are noticed).
  llvm::Expected<Verdict> check(const Sample &S, unsigned States,
                                bool WithSurplus,
                                std::optional<Sample> Declared = std::nullopt);
  EffectsTable &table() { return Table; }

private:
  struct Style;
  struct Flip;
  uint64_t laneValue(unsigned Lane, const Style &Y);
  ProbeState newState(const Style &Y);
  bool testable(Cell C, ISA Isa) const;
  bool differs(Cell C, const uint64_t *A, const uint64_t *B) const;
  /// \p Bytes: of the cell, but of a flag's.
  void replace(ProbeState &S, Cell C, const ProbeState &By,
               uint8_t Bytes = 0xff) const;
  void satisfy(ProbeState &S, const Sample &From);
  std::string differing(const Effect *E, const ProbeState &S0,
                        const ProbeResult &R0, const ProbeState &S1,
                        const ProbeResult &R1, const Sample &S);
  std::string notMoved(const Effect &E, const ProbeState &S,
                       const ProbeResult &R, ISA Isa) const;
  bool shows(const Effect &E, ISA Isa) const;

  Probe &P;
  EffectsTable Table;
  std::mt19937_64 Random;
};

} // namespace rw::dataflow

#endif // REWIND_TEST_EFFECTSCHECK_H
