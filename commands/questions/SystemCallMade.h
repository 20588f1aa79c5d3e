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

/// An execution of an instruction that may be a system call, decoded by its
/// number and its registers. \p S of at() must outlive it.
class SystemCallMade {
public:
  static llvm::Expected<SystemCallMade> at(Session &S, Moment M);

  SystemCallKind kind() const { return Kind; }
  bool isCall() const {
    return Kind != SystemCallKind::None &&
           (Insn.Insn.Flags & InsnItem::Executed);
  }
  std::optional<uint64_t> number() const { return Number; }
  const std::optional<SystemCallInfo> &info() const { return Info; }
  /// Whether the program goes on behind it at once: so what it seems to write
  /// is the answer. Else the trace has the system's own code.
  llvm::Expected<bool> answeredAtOnce() const;
  /// "write(1, "hello", 5) = 5", as far as it is known. \p Json, which may be
  /// null, gets "call", "number", "arguments" and "result".
  llvm::Expected<std::string> describe(llvm::json::Object *Json) const;

private:
  explicit SystemCallMade(Session &S) : S(S) {}
  std::optional<uint64_t> value(const RegisterState &State,
                                llvm::StringRef Name) const;
  /// The text at an address, in quotes, as far as it is known.
  llvm::Expected<std::string> text(uint64_t Addr) const;
  llvm::Expected<std::optional<uint64_t>> result() const;

  Session &S;
  Instruction Insn;
  SystemCallKind Kind = SystemCallKind::None;
  SystemCallRegisters Registers;
  RegisterState State;
  std::optional<uint64_t> Number;
  std::optional<SystemCallInfo> Info;
};

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_SYSTEMCALLMADE_H
