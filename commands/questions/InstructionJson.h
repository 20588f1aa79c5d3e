//===- InstructionJson.h - An instruction as `list` tells it ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_QUESTIONS_INSTRUCTIONJSON_H
#define REWIND_COMMANDS_QUESTIONS_INSTRUCTIONJSON_H

#include "commands/support/Format.h"
#include "core/store/CodePages.h"
#include "core/store/StoredValues.h"

namespace rw {

/// Instructions and events as `rewind list --json` has them. Make one per
/// listing: it is cheap for one instruction after the other.
class InstructionJson {
public:
  static llvm::Expected<InstructionJson> open(Session &S);

  /// Fills in what follows from the code; then the object.
  llvm::Expected<llvm::json::Object> tell(const Instruction &Told);
  /// \p I is \p Told with what follows from the code.
  llvm::json::Object tell(const Instruction &I, const Instruction &Told);
  static llvm::json::Object tell(const StoredEvent &E);

  /// Told, with what follows from the code.
  llvm::Expected<Instruction> infer(const Instruction &Told);
  const RegisterNamer &names() const { return Namer; }
  const CodePages &pages() const { return Pages; }

private:
  InstructionJson(Session &S, CodePages Pages)
      : S(&S), Namer(S.Store.registerFile()), Stored(S.Store), Pages(Pages) {}
  Session *S;
  RegisterNamer Namer;
  StoredValues Stored;
  CodePages Pages;
};

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_INSTRUCTIONJSON_H
