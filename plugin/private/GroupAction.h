//===- GroupAction.h - A group of commands that does something --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_GROUPACTION_H
#define REWIND_PLUGIN_PRIVATE_GROUPACTION_H

#include "lldb/API/SBCommandInterpreter.h"

namespace rw {

/// Makes the group's name alone, or with nothing but options, run \p Command of
/// the group (a literal), where LLDB lists the commands. All else stays: help,
/// completion, abbreviations, the list for a word that is no command. Uses
/// private headers of LLDB: another one goes on to list them.
void setGroupAction(lldb::SBCommand Group, const char *Command);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_GROUPACTION_H
