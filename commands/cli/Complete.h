//===- Complete.h - Completion in the shell ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_CLI_COMPLETE_H
#define REWIND_COMMANDS_CLI_COMPLETE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

/// `rewind __complete`, which the shells' scripts call (scripts/completion):
///
///   words <word>...      the words behind "rewind", the last one unfinished.
///                        Answers lines of a whole word, a tab and a note
///   line <text> <word>   the command line up to the cursor as it was typed,
///                        and what of it the shell takes for the word there.
///                        Answers what that word may be, quoted as it must be
///
/// Before these comes a line which is "files" if paths may stand there, else
/// empty. A trace that is named is looked into if it has a good index: none is
/// built, which may take long. Nothing is an error.
void completeShellLine(llvm::ArrayRef<llvm::StringRef> Request,
                       llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_COMMANDS_CLI_COMPLETE_H
