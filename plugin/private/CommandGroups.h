//===- CommandGroups.h - Groups of commands that know more ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_COMMANDGROUPS_H
#define REWIND_PLUGIN_PRIVATE_COMMANDGROUPS_H

#include "lldb/API/SBCommandInterpreter.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>

namespace rw {

/// What a group of commands does that LLDB's do not. What is left empty is
/// LLDB's.
struct GroupManners {
  /// What `help` prints of the group.
  std::function<std::string()> Help;
  /// The command of the group that the group's name alone, or with nothing but
  /// options, runs: where LLDB lists the commands. Empty and with a Help: that
  /// is printed.
  std::string Alone;
  /// The command that a short word stands for, although others begin with it,
  /// too; empty: none.
  std::function<llvm::StringRef(llvm::StringRef Word)> ShortFor;
  /// What to say of a word that is no command of the group.
  std::function<std::string(llvm::StringRef Word)> Unknown;
};

/// Abbreviations, completion and lists of what is ambiguous stay LLDB's. Uses
/// private headers of LLDB: another one goes on with its own manners.
void setManners(lldb::SBCommand Group, GroupManners Manners);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_COMMANDGROUPS_H
