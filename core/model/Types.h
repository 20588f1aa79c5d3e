//===- Types.h - The words of a trace ---------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_TYPES_H
#define REWIND_MODEL_TYPES_H

#include <cstdint>

namespace rw {

/// Index of an instruction in one thread, from 0. The state *at* a position is
/// the state before that instruction runs. Printed "#123".
using Position = uint64_t;

/// Index of an instruction in the whole trace, all threads together, in the
/// order in which the trace file tells them. With a single thread, moment and
/// position are the same number. A stop in the debugger is a moment: every
/// thread stands at its first instruction that is not before that moment.
using Moment = uint64_t;

/// Index into the trace's table of threads (a CPU, hart or OS thread).
using ThreadIndex = uint32_t;

/// "Before the first instruction": where what a trace tells before any
/// instruction (a register dump after reset) was written.
constexpr Moment BeforeTrace = ~uint64_t(0);

/// The instruction set an instruction was executed in.
enum class ISA : uint8_t { Unknown, A64, A32, T32, PPC64, X86_64 };

/// The byte order of *data*. Instruction opcodes are logical numbers.
enum class ByteOrder : uint8_t { Little, Big };

/// Architecture of a trace as a whole; decides the register file and the
/// debugger's target triple.
enum class Arch : uint8_t { Unknown, AArch64, Arm, PPC64, PPC64LE, X86_64 };

/// Something that happened between two instructions.
enum class EventKind : uint8_t {
  Exception,  ///< entry into an exception or interrupt handler
  Gap,        ///< instructions are missing here: nothing before it is certain
  Pause,      ///< tracing was paused and resumed; Value 1: by an interruption
  Mark,       ///< a marker put there by the program or the user
  CpuChange,  ///< the thread goes on running on another CPU
  ModeChange, ///< privilege, security or instruction set state changed
  Error,      ///< not understood here; Value 1: what follows is in doubt
  ClockTick,  ///< the trace tells the time; Value: the clock as recorded
  SyncPoint,  ///< decoding can begin here; Value: where in the thread's packets
};
constexpr unsigned NumEventKinds = unsigned(EventKind::SyncPoint) + 1;

/// As a person should read it: "exception".
constexpr const char *eventName(EventKind Kind) {
  constexpr const char *Names[NumEventKinds] = {
      "exception",   "gap",   "pause",      "mark",      "cpu change",
      "mode change", "error", "clock tick", "sync point"};
  return Names[unsigned(Kind)];
}

} // namespace rw

#endif // REWIND_MODEL_TYPES_H
