//===- RandomTrace.h - Made-up traces for property tests --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams of items as a reader might produce them: a small random program runs
// in a random way on random data. Everything is decided by the seed.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_RANDOMTRACE_H
#define REWIND_TEST_RANDOMTRACE_H

#include "core/model/ItemBatch.h"

namespace rw {

/// A seed makes the same numbers everywhere (splitmix64).
class Rng {
public:
  explicit Rng(uint64_t Seed) : State(Seed) {}
  uint64_t next() {
    uint64_t Z = State += 0x9e3779b97f4a7c15;
    Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
    return Z ^ (Z >> 31);
  }
  /// In [0, N); 0 if N is 0.
  uint64_t below(uint64_t N) { return N ? next() % N : 0; }
  uint64_t between(uint64_t Lo, uint64_t Hi) { return Lo + below(Hi - Lo + 1); }
  bool chance(double P) { return double(next() >> 11) * 0x1p-53 < P; }
  template <typename T> const T &pick(const std::vector<T> &From) {
    return From[below(From.size())];
  }

private:
  uint64_t State;
};

enum class ProgramShape { Loops, Calls, Straight, Chaos };
enum class TimeShape { None, Constant, Irregular, Missing, GoesBack, Huge };

/// What a random trace is like. Chances are per item unless said otherwise.
struct TraceKnobs {
  uint64_t Length = 1000; ///< instructions
  unsigned Threads = 1;
  unsigned ThreadRun = 20; ///< instructions until another thread goes on
  ProgramShape Shape = ProgramShape::Loops;
  unsigned StaticInsns = 200;
  Arch Architecture = Arch::AArch64;

  double SkippedInsns = 0.02;      ///< Executed is clear
  double SelfModifying = 0;        ///< another opcode, size or ISA than usual
  double EffectVariation = 0.1;    ///< an effect more or less than usual
  double EffectsWhenSkipped = 0.1; ///< per skipped instruction

  bool Registers = true;
  unsigned NamedLanes = 0;   ///< up to 400 - FirstNamed
  double PartialLanes = 0.1; ///< per effect of a static instruction
  double UnknownRegBytes = 0;
  double InferredRegs = 0;     ///< RegItem flags
  double OtherThreadsRegs = 0; ///< RegItem::Thread is not the instruction's
  unsigned InitialRegs = 0;

  bool Memory = true;
  bool Values = true;
  uint64_t HeapBytes = 1 << 14; ///< footprint of the random accesses
  double Unaligned = 0.1;
  double PageCrossing = 0.02;
  double WrapAround = 0; ///< accesses around the address 2^64
  double Exclusive = 0.02;
  double UnknownBytes = 0; ///< some bytes of the access
  double NoValue = 0;
  double ImpliedWrites = 0;  ///< per instruction: a semihosting call
  double OutsideChanges = 0; ///< a byte changes before it is read
  unsigned InitialMems = 0;
  bool RealAddresses = false;
  bool Garbage = false; ///< Value is not 0 where it means nothing

  TimeShape Time = TimeShape::Constant;
  bool Lines = true;
  double Events = 0.01; ///< per instruction

  std::string describe() const;
};

/// Knobs for \p Seed: over many seeds all of them take all their values.
TraceKnobs randomKnobs(uint64_t Seed, uint64_t Length);

/// How to cut a trace into batches.
struct BatchCut {
  uint64_t Seed = 1;
  unsigned MaxInsns = 100; ///< a batch has 0..MaxInsns instructions
  bool WithinInsns = true; ///< between the effects of an instruction, too
  bool FileOffsets = true; ///< else all 0
};

/// A whole trace in memory.
struct RandomTrace {
  RandomTrace(const TraceKnobs &Knobs, uint64_t Seed);

  /// Hands the trace over in batches, then finishes, unless \p StopBefore
  /// instructions have been handed over.
  llvm::Error feed(TraceSink &Sink, const BatchCut &Cut,
                   uint64_t StopBefore = ~uint64_t(0)) const;

  /// Where in the made-up file the line of instruction \p M begins.
  uint64_t fileOffset(uint64_t M) const { return Offsets[M]; }
  static constexpr uint64_t BytesPerLine = 16;

  std::vector<InsnItem> Insns;
  std::vector<RegItem> Regs; ///< InitialRegs first
  std::vector<MemItem> Mems; ///< InitialMems first
  struct Event {
    uint64_t Before;
    EventItem Item;
  };
  std::vector<Event> Events;
  uint32_t InitialRegs = 0, InitialMems = 0, InitialLines = 0;
  std::vector<uint64_t> Offsets;
  TraceHeader Header;
};

} // namespace rw

#endif // REWIND_TEST_RANDOMTRACE_H
