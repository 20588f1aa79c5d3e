//===- Texts.h - What users write in an IDE ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DAP_TEXTS_H
#define REWIND_COMMANDS_DAP_TEXTS_H

#include "llvm/Support/JSON.h"

namespace rw::dap {

/// Whether \p Text is a command that users type as such, without the prefix
/// that tells LLDB's from expressions of the program.
bool isOurCommand(llvm::StringRef Text);

/// What a text in the console does to a process that runs, which is why it must
/// be heard before that has stopped.
enum class Halting {
  No,
  Interrupts, ///< `process interrupt`
  Ends,       ///< `process kill`, `detach`
};
/// What that is of \p Request, whose words may be cut short as LLDB has it;
/// \p Escape is the prefix of commands.
Halting haltingOf(const llvm::json::Object &Request, llvm::StringRef Escape);

/// What a command of LLDB's said, in which JSON may be among text: what the
/// stop hook says comes before it, warnings behind.
struct Said {
  /// The JSON that begins at the beginning of a line: an object or a list, or
  /// several, a line each.
  std::vector<llvm::json::Value> Json;
  std::string Warnings; ///< whole lines
  bool Broken = false;  ///< some of it looked like JSON and was none
};
Said readSaid(llvm::StringRef Text);

/// An Error if \p Request holds what lldb-dap would work at for minutes, or an
/// expression that would end it. \p Escape is the prefix of commands.
llvm::Error checkTexts(const llvm::json::Object &Request,
                       llvm::StringRef Escape);

/// An Error if a readMemory with \p Arguments wants more than lldb-dap, which
/// makes room for all of it at once, would survive.
llvm::Error checkRead(const llvm::json::Object &Arguments);

} // namespace rw::dap

#endif // REWIND_COMMANDS_DAP_TEXTS_H
