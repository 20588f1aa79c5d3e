//===- GroupAction.cpp - A group of commands that does something ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLDB asks no callback before it lists a group's commands, and a class of ours
// could not be derived from its class of groups, of which liblldb exports
// nothing. So the group stays the object that LLDB made, and gets a copy of its
// table of virtual functions with one of them replaced. Where that lies in the
// table, pointers to members tell (Itanium C++ ABI).
//
//===----------------------------------------------------------------------===//

#include "plugin/private/GroupAction.h"
#include "plugin/private/PrivateCommands.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstring>
#include <iterator>

using lldb_private::CommandObject;
using lldb_private::CommandReturnObject;

namespace rw {
struct ObjectOfCommand {
  typedef lldb::CommandObjectSP lldb::SBCommand::*type;
  friend type memberOf(ObjectOfCommand);
};
template struct Expose<ObjectOfCommand, &lldb::SBCommand::m_opaque_sp>;

/// The last virtual function of CommandObject; CommandObjectMultiword has no
/// new ones.
struct LastVirtual {
  typedef const char *(CommandObject::*type)();
  friend type memberOf(LastVirtual);
};
template struct Expose<LastVirtual,
                       &CommandObject::GetInvalidRegContextDescription>;
} // namespace rw

using namespace rw;

/// Where a virtual function lies in the table.
template <typename Member> static size_t slotOf(Member M) {
  static_assert(sizeof(M) == 2 * sizeof(uintptr_t));
  uintptr_t Offset;
  std::memcpy(&Offset, &M, sizeof(Offset));
  return Offset / sizeof(void *); // some mark virtual ones in the lowest bit
}

typedef void ExecuteFunction(CommandObject *, const char *,
                             CommandReturnObject &);
static ExecuteFunction *ListCommands;

static void execute(CommandObject *Group, const char *Words,
                    CommandReturnObject &Result) {
  const llvm::StringRef Line = llvm::StringRef(Words).ltrim();
  // No group has a callback, so what is for one is free: the command's name.
  if (Line.empty() || Line.starts_with("-"))
    if (CommandObject *Command = Group->GetSubcommandObject(
            static_cast<const char *>(Group->*memberOf(OverrideBaton()))))
      return Command->Execute(Words, Result);
  ListCommands(Group, Words, Result);
}

/// The table for all groups with an action, made from the \p Functions of one
/// without; null if they are more than expected. Before the functions there are
/// two words about the type. Groups may outlive what is destroyed at exit.
static void **ownTable(void **Functions) {
  static void *Copy[2 + 64];
  static const bool Made = [&] {
    const size_t Size = slotOf(memberOf(LastVirtual())) + 1,
                 Execute = slotOf(&CommandObject::Execute);
    if (2 + Size > std::size(Copy) || Execute >= Size)
      return false;
    std::copy(Functions - 2, Functions + Size, Copy);
    ListCommands = reinterpret_cast<ExecuteFunction *>(Functions[Execute]);
    Copy[2 + Execute] = reinterpret_cast<void *>(execute);
    return true;
  }();
  return Made ? Copy + 2 : nullptr;
}

void rw::setGroupAction(lldb::SBCommand Group, const char *Command) {
  CommandObject *Object = (Group.*memberOf(ObjectOfCommand())).get();
  if (!Object || !privateLLDB())
    return;
  void **Table;
  std::memcpy(&Table, static_cast<void *>(Object), sizeof(Table));
  Table = ownTable(Table);
  if (!Table)
    return;
  Object->SetOverrideCallback(lldb_private::CommandOverrideCallbackWithResult(),
                              const_cast<char *>(Command));
  std::memcpy(static_cast<void *>(Object), &Table, sizeof(Table));
}
