//===- VirtualTable.h - Other virtual functions for an object ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLDB makes the objects of commands itself, of classes of which liblldb
// exports nothing, so that none of ours can be derived from them. Such an
// object stays the one that LLDB made, and gets a copy of its table of virtual
// functions with some of them replaced. Where one lies in the table, pointers
// to members tell (Itanium C++ ABI).
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_VIRTUALTABLE_H
#define REWIND_PLUGIN_PRIVATE_VIRTUALTABLE_H

#include "plugin/private/PrivateCommands.h"
#include <algorithm>
#include <cstring>
#include <iterator>

namespace rw {

/// The object behind SB.
lldb_private::CommandObject *objectOf(lldb::SBCommand Command);

/// The table for commands of one class. Objects outlive what is destroyed at
/// exit: a table is static, and nothing destroys it.
class CommandTable {
public:
  /// Made from that of \p Object, whose class has \p Own virtual functions
  /// more than CommandObject.
  CommandTable(const lldb_private::CommandObject *Object, size_t Own);

  /// Has \p Function called, with the object before the other arguments, where
  /// \p Member was. Returns what was called before; null if there is no such
  /// place in the table.
  template <typename Result, typename Class, typename... Arguments>
  auto replace(Result (Class::*Member)(Arguments...),
               Result (*Function)(lldb_private::CommandObject *, Arguments...))
      -> decltype(Function) {
    const size_t Slot = slotOf(Member);
    if (Slot >= Size)
      return nullptr;
    auto Before = reinterpret_cast<decltype(Function)>(Copy[Type + Slot]);
    Copy[Type + Slot] = reinterpret_cast<void *>(Function);
    return Before;
  }

  /// Makes it that of \p Object.
  void giveTo(lldb_private::CommandObject *Object) const;

private:
  template <typename Member> static size_t slotOf(Member M) {
    static_assert(sizeof(M) == 2 * sizeof(uintptr_t));
    uintptr_t Offset;
    std::memcpy(&Offset, &M, sizeof(Offset));
    return Offset / sizeof(void *); // some mark virtual ones in the lowest bit
  }

  static constexpr size_t Type = 2; ///< words about the type come first
  static constexpr size_t Most = 64;
  void *Copy[Type + Most];
  size_t Size = 0;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_VIRTUALTABLE_H
