//===- CommandCompletion.h - Words of commands completed --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_COMMANDCOMPLETION_H
#define REWIND_PLUGIN_PRIVATE_COMMANDCOMPLETION_H

#include "lldb/API/SBCommandInterpreter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>
#include <vector>

namespace rw {

/// What a word may become.
struct CompletedWord {
  std::string Text;  ///< all of it
  std::string Note;  ///< shown beside it
  bool Open = false; ///< more is to follow, as behind a folder's name
};

/// The words before the one that is being typed, without the command's name,
/// and that one. Called on the thread of LLDB's prompt.
using Completer = std::function<std::vector<CompletedWord>(
    llvm::ArrayRef<llvm::StringRef> Before, llvm::StringRef Word)>;

/// LLDB asks \p C where it would complete a word of \p Command, which is one of
/// an SBCommandPluginInterface: those have no say in it. Characters in an
/// expression (c == 'a') reach the command, too, of which LLDB would take the
/// quotes. Uses private headers of LLDB: another one does neither.
void setCompleter(lldb::SBCommand Command, Completer C);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_COMMANDCOMPLETION_H
