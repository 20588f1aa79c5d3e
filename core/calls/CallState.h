//===- CallState.h - What a thread has called -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_CALLSTATE_H
#define REWIND_CALLS_CALLSTATE_H

#include "core/arch/InstructionClass.h"
#include "core/calls/ActivationSorter.h"
#include "core/calls/CallIndex.h"
#include "core/calls/StackLanes.h"
#include "core/calls/TtuRule.h"
#include "core/support/NumberMap.h"

namespace rw {

/// The lr window of the Tarmac Trace Utilities: instructions, bytes.
inline constexpr unsigned LRWindow = 8;
inline constexpr uint64_t LRDistance = 64;

struct Frame {
  Position Start;
  uint64_t Return; ///< without Thumb bit
  uint64_t SP;     ///< in the caller; NoSP if not known
  uint64_t EntryPC;
  ActivationKind Kind;
  bool Certain;             ///< the encoding says call
  bool Setjmp = false;      ///< what is called may return again
  uint32_t ReturnId = ~0u;  ///< of Return, if it has one already
  uint32_t EntrySlot = ~0u; ///< where its entry is remembered
  /// An interrupt came before the first instruction at the target of a transfer
  /// of control: its class, and what is behind it. None: of no transfer.
  InsnClass Interrupted = InsnClass::None;
  uint64_t InterruptedNext = 0;
  Preserved Kept = {}; ///< in the caller, where sp is not known
};

/// An activation was resumed by a return.
struct Resumption {
  size_t Depth = 0;    ///< frames below it and itself
  Position Start = 0;  ///< its own
  uint64_t SP = 0;     ///< then
  Preserved Kept = {}; ///< then, if sp was not known
};

/// An activation was resumed by setjmp where sp is not known.
struct SetjmpReturn {
  uint64_t PC = 0;
  size_t Depth = 0;
  Position Start = 0;
};

struct PendingException {
  uint64_t PC = 0; ///< where it will return to; ~0 if not told
};

/// What is known of a thread at the instruction that comes next. The stack of
/// frames: while stack pointers are known they never rise towards the top of
/// the stack within one domain (the frames above an exception are a domain of
/// their own, since a handler may have another stack), so whatever a transfer
/// of control can match is at its end.
struct CallState {
  explicit CallState(size_t MaxBuffered) : Done(MaxBuffered) {}

  // About the instruction before.
  uint64_t ExpectedPC = 0;
  uint64_t LastOpcode = 0;
  ISA LastIsa = ISA::Unknown;
  bool LastExecuted = false, LastOpcodeKnown = false;
  std::optional<InsnClass> LastClass; ///< if it is known already
  bool HaveLast = false;
  bool CallsNext = false; ///< it calls the very next instruction

  unsigned SinceLR = LRWindow;
  uint64_t LastLR = 0;
  uint64_t SP = NoSP;
  /// All lanes, while an instruction arrives that is not one of a sequence.
  const uint64_t *LaneValue = nullptr;
  const uint8_t *LaneKnown = nullptr;
  uint64_t MaxSP = 0; ///< highest since the last transfer; 0 if not known
  uint64_t HighestSP = 0;
  uint64_t LeavingSP = 0; ///< MaxSP before conditional branches; 0 if not known

  Position Next = 0;
  Position Base = 0; ///< where the trace, or what is after a gap, begins
  uint64_t BasePC = 0;
  uint64_t RootPC = 0;    ///< BasePC of the beginning, once there was a gap
  unsigned Outermost = 0; ///< returns to what was called before Base
  std::vector<Frame> Stack;
  std::vector<unsigned> Returns;     ///< by ReturnId: frames with it
  NumberMap<Resumption> Resumed;     ///< pc: the last one there
  std::vector<SetjmpReturn> Setjmps; ///< by depth
  TtuRule Ttu;
  std::optional<PendingException> Exception;
  std::optional<uint64_t> PausedAt; ///< before the next one; ~0: not told where
  bool GapBefore = false;
  bool Disturbed = true;     ///< more than code decides what comes next
  uint32_t LastReturn = ~0u; ///< id of ExpectedPC after a call

  ActivationSorter Done;

  /// Before an instruction, and after control arrived at it.
  void setSP(uint64_t New) {
    if (New == SP)
      return;
    SP = New;
    if (SP != NoSP && SP > MaxSP)
      MaxSP = SP;
  }
  void enteredSetjmp() {
    if (!Stack.empty())
      Stack.back().Setjmp = true;
  }
  void ranWithSP() {
    if (SP != NoSP && SP > HighestSP)
      HighestSP = SP;
  }
};

} // namespace rw

#endif // REWIND_CALLS_CALLSTATE_H
