//===- Keys.h - What each key does, in one table ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_KEYS_H
#define REWIND_COMMANDS_VIEW_TERMINAL_KEYS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace rw::term {

/// A character, or one of these.
using Key = uint32_t;
namespace key {
enum : Key {
  Special = 0x200000,
  Up,
  Down,
  Left,
  Right,
  PageUp,
  PageDown,
  Home,
  End,
  Backspace,
  Delete,
  BackTab,
  AltLeft,
  AltRight,
  F1,
  F6 = F1 + 5,
  F10 = F1 + 9,
  F12 = F1 + 11,
  Resize, ///< the terminal has another size
  None,   ///< nothing came in time
};
constexpr Key ctrl(char C) { return Key(C) & 0x1f; }
inline constexpr Key Tab = '\t', Return = '\r', Escape = 0x1b;
} // namespace key

/// "Ctrl-L", "PgUp", "q"; nothing if there is no such key.
std::optional<Key> parseKey(llvm::StringRef Name);

/// Which panes a key is for.
enum class Scope : uint8_t {
  Any,
  Trace,
  State, ///< registers and memory
  Registers,
  Memory,
  List,
  Layers,
};
llvm::StringRef scopeName(Scope S);

enum class Action : uint8_t {
  // Any
  NextPane,
  LastPane,
  Help,
  Quit,
  Redraw,
  Goto,
  Search,
  AllVisits,
  Back,
  Forward,
  Bookmark,
  Bookmarks,
  Stack,
  Calls,
  LastCall,
  NextCall,
  History,
  Source,
  Profile,
  Slice,
  ZoomOut,
  NextThread,
  // Moving in any pane
  Up,
  Down,
  Left,
  Right,
  PageUp,
  PageDown,
  Home,
  End,
  Enter,
  Close,
  Taller,
  Shorter,
  // Trace
  Recenter,
  GoLine,
  GoTime,
  NextVisit,
  LastVisit,
  SearchOn,
  SearchBack,
  NextException,
  LastException,
  FoldCall,
  Unfold,
  UnfoldWhole,
  FoldCallees,
  UnfoldInside,
  FoldAll,
  UnfoldAll,
  Mark,
  ShowMemory,
  ShowCore,
  ShowSingle,
  ShowDouble,
  ShowVector,
  ShowMve,
  ShowSystem,
  Colours,
  Targets,
  Indent,
  // Registers and memory
  LockLine,
  LockTime,
  Lock,
  Symbol,
  OpenValue,
  // Memory
  LastChange,
  NextChange,
  Compare,
  Write1,
  Write2,
  Write4,
  Write8,
  Fix,
  Address,
  // Lists
  DeleteItem,
  // Layers
  ZoomIn,
};

struct Binding {
  Scope Where;
  llvm::StringLiteral Keys; ///< names, with blanks between them
  Action Do;
  llvm::StringLiteral Help; ///< what it does: no full stop
};
llvm::ArrayRef<Binding> bindings();

/// What a key means in a pane that looks into these scopes, the first first.
std::optional<Action> actionOf(llvm::ArrayRef<Scope> Scopes, Key K);

/// The table as docs/browse.md has it.
std::string keysAsMarkdown();

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_KEYS_H
