//===- VirtualTable.cpp - Other virtual functions for an object -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/VirtualTable.h"

using lldb_private::CommandObject;

namespace rw {
struct ObjectOfCommand {
  typedef lldb::CommandObjectSP lldb::SBCommand::*type;
  friend type memberOf(ObjectOfCommand);
};
template struct Expose<ObjectOfCommand, &lldb::SBCommand::m_opaque_sp>;

/// The last virtual function of CommandObject.
struct LastVirtual {
  typedef const char *(CommandObject::*type)();
  friend type memberOf(LastVirtual);
};
template struct Expose<LastVirtual,
                       &CommandObject::GetInvalidRegContextDescription>;
} // namespace rw

using namespace rw;

CommandObject *rw::objectOf(lldb::SBCommand Command) {
  return (Command.*memberOf(ObjectOfCommand())).get();
}

static void **tableOf(const CommandObject *Object) {
  void **Table;
  std::memcpy(&Table, static_cast<const void *>(Object), sizeof(Table));
  return Table;
}

CommandTable::CommandTable(const CommandObject *Object, size_t Own) {
  const size_t Last = slotOf(memberOf(LastVirtual())) + Own;
  if (Last >= Most)
    return;
  Size = Last + 1;
  std::copy_n(tableOf(Object) - Type, Type + Size, Copy);
}

void CommandTable::giveTo(CommandObject *Object) const {
  if (!Size)
    return;
  const void *const *Table = Copy + Type;
  std::memcpy(static_cast<void *>(Object), &Table, sizeof(Table));
}
