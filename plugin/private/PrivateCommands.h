//===- PrivateCommands.h - Inside of LLDB's commands ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_PRIVATECOMMANDS_H
#define REWIND_PLUGIN_PRIVATE_PRIVATECOMMANDS_H

#include "lldb/API/LLDB.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObject.h"
#include "plugin/private/PrivateLLDB.h"

namespace rw {

struct InterpreterOf {
  typedef lldb_private::CommandInterpreter *lldb::SBCommandInterpreter::*type;
  friend type memberOf(InterpreterOf);
};
template struct Expose<InterpreterOf,
                       &lldb::SBCommandInterpreter::m_opaque_ptr>;

/// What the callback that a command may have is given.
struct OverrideBaton {
  typedef void *lldb_private::CommandObject::*type;
  friend type memberOf(OverrideBaton);
};
template struct Expose<OverrideBaton,
                       &lldb_private::CommandObject::m_command_override_baton>;

/// The result of a command of LLDB that is under way.
struct OpenResult : lldb::SBCommandReturnObject {
  explicit OpenResult(lldb_private::CommandReturnObject &R)
      : lldb::SBCommandReturnObject(R) {}
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_PRIVATECOMMANDS_H
