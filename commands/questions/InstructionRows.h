//===- InstructionRows.h - Instructions as `list` prints them ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_QUESTIONS_INSTRUCTIONROWS_H
#define REWIND_COMMANDS_QUESTIONS_INSTRUCTIONROWS_H

#include "commands/questions/InstructionJson.h"
#include "commands/support/CodeCache.h"
#include "commands/support/JsonRows.h"
#include "commands/support/SourceLines.h"
#include "core/support/NumberMap.h"

namespace rw {

/// One instruction after the other, as text or as JSON, in less than a
/// microsecond each: what follows from the code alone is worked out once for
/// each instruction of the program. The JSON is InstructionJson's.
class InstructionRows {
public:
  static llvm::Expected<InstructionRows> open(Session &S);

  /// Appends a line of JSON, in which \p Events happened before it.
  llvm::Error json(std::string &Out, const Instruction &Told,
                   llvm::json::Array Events);
  /// Appends the lines of text, marked if the debugger stands there and if it
  /// is in the session's slice, under the source line if that is another one.
  llvm::Error text(std::string &Out, const Instruction &Told);
  /// Only the lines of the instruction.
  llvm::Error row(std::string &Out, const Instruction &Told);
  /// "push inlined grow at stack.c:12", what the source line is headed with;
  /// empty if no name is known. Valid until the next call.
  llvm::StringRef source(const Instruction &I) { return textOf(I).Source; }

private:
  /// An instruction of the program.
  struct Code {
    // Each is made when it is first wanted.
    std::string What; ///< "0x8000  nop   (not executed)"
    std::string Source, SourceText;
    JsonFields Fields; ///< of JSON
    /// How the registers that it wrote last are put together.
    llvm::SmallVector<RegItem, 4> Shape;
    RegisterLayout Layout;
    /// What changes of Layout: those of "registers" and of "shown", by name,
    /// and the text of "inferred".
    llvm::SmallVector<std::pair<std::string, uint16_t>, 4> Written, Shown;
    std::string Inferred;
  };

  InstructionRows(Session &S, InstructionJson Teller)
      : S(&S), Teller(std::move(Teller)) {}
  Code &codeOf(const Instruction &I) {
    return Codes.of(I.Insn, [](const InsnItem &) { return Code(); });
  }
  const Code &textOf(const Instruction &I);
  Code &jsonOf(const Instruction &I);
  void layOut(Code &C, const Instruction &I) const;
  void appendRow(std::string &Out, const Instruction &I,
                 const Instruction &Told);
  void registersJson(std::string &Out, const Instruction &I,
                     llvm::ArrayRef<std::pair<std::string, uint16_t>> Names,
                     const RegisterLayout &Layout) const;
  void memoryJson(std::string &Out, const Instruction &I,
                  const Instruction &Told) const;
  const std::string &dataName(uint64_t Addr);
  bool isHere(const Instruction &I) const;

  Session *S;
  InstructionJson Teller;
  JsonRows Rows{JsonRows::OneLine};
  CodeCache<Code> Codes;
  SourceLines Sources;
  std::string LastSource;
  NumberMap<std::string> DataNames;
};

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_INSTRUCTIONROWS_H
