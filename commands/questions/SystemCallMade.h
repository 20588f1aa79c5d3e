//===- SystemCallMade.h - A system call and its answer ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_QUESTIONS_SYSTEMCALLMADE_H
#define REWIND_COMMANDS_QUESTIONS_SYSTEMCALLMADE_H

#include "commands/support/Access.h"
#include "core/arch/SystemCalls.h"

namespace rw {

class SystemCallReader;

/// An execution of an instruction that may be a system call, decoded by its
/// number and its registers.
class SystemCallMade {
  friend class SystemCallReader;

public:
  SystemCallKind kind() const { return Kind; }
  bool isCall() const {
    return Kind != SystemCallKind::None && (Insn.Flags & InsnItem::Executed);
  }
  std::optional<uint64_t> number() const { return Number; }
  const std::optional<SystemCallInfo> &info() const { return Info; }

private:
  Moment When = 0;
  ThreadIndex Thread = 0;
  Position Pos = 0;
  InsnItem Insn = {};
  SystemCallKind Kind = SystemCallKind::None;
  SystemCallRegisters Registers;
  std::optional<uint64_t> Number;
  std::optional<SystemCallInfo> Info;
};

/// Tells of one after the other at the cost of the instructions between them;
/// to go back costs a block. \p S must outlive it.
class SystemCallReader {
public:
  explicit SystemCallReader(Session &S);
  llvm::Expected<SystemCallMade> at(Moment M);
  /// Whether the program goes on behind it at once: so what it seems to write
  /// is the answer. Else the trace has the system's own code.
  llvm::Expected<bool> answeredAtOnce(const SystemCallMade &C);
  /// "write(1, "hello", 5) = 5", as far as it is known. \p Json, which may be
  /// null, gets "call", "number", "arguments" and "result".
  llvm::Expected<std::string> describe(const SystemCallMade &C,
                                       llvm::json::Object *Json);

private:
  llvm::Expected<std::optional<uint64_t>>
  value(const SystemCallMade &C, Moment When, llvm::StringRef Register);
  /// The text at an address, in quotes, as far as it is known.
  llvm::Expected<std::string> text(const SystemCallMade &C, uint64_t Addr);
  llvm::Expected<std::optional<Moment>> goesOn(const SystemCallMade &C);
  llvm::Expected<std::optional<uint64_t>> result(const SystemCallMade &C);

  Session &S;
  const std::unique_ptr<StateCursor> Places; ///< which instructions there are
  const std::unique_ptr<StateCursor> Near;   ///< what was before them
};

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_SYSTEMCALLMADE_H
