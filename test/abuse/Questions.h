//===- Questions.h - Everything that can be asked of a trace ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_ABUSE_QUESTIONS_H
#define REWIND_TEST_ABUSE_QUESTIONS_H

#include "commands/support/Session.h"

namespace rw {

/// What is asked, and where it may write.
struct Questioning {
  std::string StorePath; ///< of the store that is asked
  std::string Folder;    ///< for files that commands write
  SymbolSource *Symbols = nullptr;
  ExpressionSource *Expressions = nullptr;
  uint64_t Seed = 1;
  /// Called before each command with its words.
  std::function<void(llvm::StringRef)> Asking;
};

/// Runs every command that needs a store, as LLDB and as the shell does, and
/// the replay process. Answers do not matter; that there are some does.
void askCommands(const TraceStore &Store, const Questioning &Q);
/// Those about layers only.
void askLayers(const TraceStore &Store, const Questioning &Q);

/// What the debug information of a good image calls things, and of two lines
/// of its sources.
struct ImageNames {
  std::vector<std::string> Functions, Variables, Lines;
};
ImageNames namesOf(llvm::StringRef Elf);
/// Those that debug information answers, and the names that conditions in LLDB
/// are about. \p Names are those of the image when it was good.
void askImage(const TraceStore &Store, const Questioning &Q,
              llvm::StringRef Elf, const ImageNames &Names);

/// Names of commands that need a store and that askCommands() does not run.
std::vector<std::string> commandsNotAsked();

} // namespace rw

#endif // REWIND_TEST_ABUSE_QUESTIONS_H
