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

/// Instructions and events as `rewind list --json` has them, as objects (see
/// InstructionRows for text, quickly). Make one per listing.
class InstructionJson {
public:
  static llvm::Expected<InstructionJson> open(Session &S);

  /// Fills in what follows from the code; then the object.
  llvm::Expected<llvm::json::Object> tell(const Instruction &Told);
  static llvm::json::Object tell(const StoredEvent &E);

  /// What of the object follows from the program's instruction alone.
  llvm::json::Object ofCode(const InsnItem &I);
  /// The name of a register that \p I wrote or showed: "x0", of another thread
  /// "2:x0".
  template <typename T>
  static std::string nameIn(const Instruction &I, const T &Change) {
    return Change.Thread == I.Thread
               ? Change.Name
               : std::to_string(Change.Thread + 1) + ":" + Change.Name;
  }

  /// Told, with what follows from the code; valid until the next call.
  llvm::Expected<const Instruction *> infer(const Instruction &Told);
  const RegisterNamer &names() const { return Namer; }
  const CodePages &pages() const { return Pages; }

private:
  InstructionJson(Session &S, CodePages Pages);
  Session *S;
  RegisterNamer Namer;
  StoredValues Stored;
  Instruction Full; ///< the last one inferred
  CodePages Pages;
};

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_INSTRUCTIONJSON_H
