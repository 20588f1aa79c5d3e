//===- Keys.cpp -----------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Keys.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::term {

// The keys of the Tarmac Trace Utilities' tarmac-browser mean here what they
// mean there; where its manual and its code differ ({ and }), what the code
// does. `?` and docs/browse.md are made of this table.
// clang-format off
static constexpr Binding Table[] = {
    {Scope::Any, "Tab", Action::NextPane, "next pane"},
    {Scope::Any, "Shift-Tab", Action::LastPane, "last pane"},
    {Scope::Any, "F1 F10 ?", Action::Help, "these keys"},
    {Scope::Any, "q", Action::Quit, "quit"},
    {Scope::Any, "Ctrl-R", Action::Redraw, "draw the screen again"},
    {Scope::Any, "g", Action::Goto, "go to a position, a function, a line of the source, an address"},
    {Scope::Any, "/", Action::Search, "search: next visit of a function, a line, an address"},
    {Scope::Any, "\\", Action::AllVisits, "list all visits of a function, a line, an address"},
    {Scope::Any, "Ctrl-O Alt-Left", Action::Back, "back to where the last jump came from"},
    {Scope::Any, "Ctrl-P Alt-Right", Action::Forward, "forward again"},
    {Scope::Any, "b", Action::Bookmark, "bookmark the position"},
    {Scope::Any, "B", Action::Bookmarks, "list the bookmarks"},
    {Scope::Any, "c", Action::Stack, "the calls that are running here"},
    {Scope::Any, "C", Action::Calls, "list the calls of a function"},
    {Scope::Any, "j", Action::LastCall, "beginning of this call, then last call of the same function"},
    {Scope::Any, "k", Action::NextCall, "next call of the same function"},
    {Scope::Any, "h", Action::History, "list the writes of a location"},
    {Scope::Any, "s", Action::Source, "show or close the source"},
    {Scope::Any, "f", Action::Profile, "profile: the functions by their own cost"},
    {Scope::Any, "w", Action::Slice, "why a location has its value: the instructions that made it"},
    {Scope::Any, "z", Action::ZoomOut, "zoom out: the blocks of the layers around the position"},
    {Scope::Any, "T", Action::NextThread, "next thread, at the same moment"},
    {Scope::Any, "F8", Action::Indent, "indent by call depth, or not"},

    {Scope::Trace, "Up", Action::Up, "one visible instruction back"},
    {Scope::Trace, "Down", Action::Down, "one visible instruction on"},
    {Scope::Trace, "PgUp", Action::PageUp, "a screenful back"},
    {Scope::Trace, "PgDn", Action::PageDown, "a screenful on"},
    {Scope::Trace, "Home", Action::Home, "the beginning of the trace"},
    {Scope::Trace, "End", Action::End, "the end of the trace"},
    {Scope::Trace, "Ctrl-L", Action::Recenter, "the position in the middle, at the top, at the bottom"},
    {Scope::Trace, "l", Action::GoLine, "go to a line of the trace"},
    {Scope::Trace, "t", Action::GoTime, "go to a time of the trace"},
    {Scope::Trace, "p", Action::NextVisit, "next visit of a PC"},
    {Scope::Trace, "P", Action::LastVisit, "last visit of a PC"},
    {Scope::Trace, "n", Action::SearchOn, "search on"},
    {Scope::Trace, "N", Action::SearchBack, "search backwards"},
    {Scope::Trace, "e", Action::NextException, "next CPU exception"},
    {Scope::Trace, "E", Action::LastException, "last CPU exception"},
    {Scope::Trace, "- _", Action::FoldCall, "fold the call that the position is in"},
    {Scope::Trace, "+ =", Action::Unfold, "unfold the call at the position, calls in it as they were"},
    {Scope::Trace, "*", Action::UnfoldWhole, "unfold it and all in it"},
    {Scope::Trace, "[", Action::FoldCallees, "fold all that this call calls"},
    {Scope::Trace, "]", Action::UnfoldInside, "unfold all in this call"},
    {Scope::Trace, "{", Action::FoldAll, "fold the whole trace"},
    {Scope::Trace, "}", Action::UnfoldAll, "unfold the whole trace"},
    {Scope::Trace, "a", Action::Mark, "mark what the instruction read and wrote, one after the other"},
    {Scope::Trace, "Return", Action::Enter, "last write of what is marked"},
    {Scope::Trace, "m", Action::ShowMemory, "show memory, in one more pane"},
    {Scope::Trace, "r", Action::ShowCore, "show or close the core registers"},
    {Scope::Trace, "S", Action::ShowSingle, "... the single-precision registers"},
    {Scope::Trace, "D", Action::ShowDouble, "... the double-precision registers"},
    {Scope::Trace, "V", Action::ShowVector, "... the vector registers (Neon, VSX, AVX)"},
    {Scope::Trace, "M", Action::ShowMve, "... the vector registers of MVE"},
    {Scope::Trace, "Y", Action::ShowSystem, "... the system registers that are known"},
    {Scope::Trace, "F6", Action::Colours, "colours in the trace, or none"},
    {Scope::Trace, "F7", Action::Targets, "symbols of branch targets, or none"},

    {Scope::State, "Up", Action::Up, "a line up"},
    {Scope::State, "Down", Action::Down, "a line down"},
    {Scope::State, "Left", Action::Left, "to the left"},
    {Scope::State, "Right", Action::Right, "to the right"},
    {Scope::State, "PgUp", Action::PageUp, "a page up"},
    {Scope::State, "PgDn", Action::PageDown, "a page down"},
    {Scope::State, "Return", Action::Enter, "last write of the register, or of the byte"},
    {Scope::State, "<", Action::Shorter, "make the pane lower"},
    {Scope::State, ">", Action::Taller, "make the pane higher"},
    {Scope::State, "l", Action::LockLine, "stay at a line of the trace"},
    {Scope::State, "t", Action::LockTime, "stay at a time of the trace"},
    {Scope::State, "Ctrl-L", Action::Lock, "stay at this position, or follow again"},
    {Scope::State, "x", Action::Close, "close the pane"},

    {Scope::Registers, "a", Action::Symbol, "the value as a symbol, or not"},
    {Scope::Registers, "m", Action::OpenValue, "show memory at the value"},

    {Scope::Memory, "[", Action::LastChange, "last address that is marked as changed"},
    {Scope::Memory, "]", Action::NextChange, "next address that is marked as changed"},
    {Scope::Memory, "d", Action::Compare, "mark what differs from a line of the trace"},
    {Scope::Memory, "1", Action::Write1, "last write of the byte"},
    {Scope::Memory, "2", Action::Write2, "last write of the 2 aligned bytes"},
    {Scope::Memory, "4", Action::Write4, "last write of the 4 aligned bytes"},
    {Scope::Memory, "8", Action::Write8, "last write of the 8 aligned bytes"},
    {Scope::Memory, "F", Action::Fix, "stop following the expression: stay at the address"},
    {Scope::Memory, "m", Action::Address, "show another address here"},

    {Scope::Layers, "Z", Action::ZoomIn, "zoom in again"},

    {Scope::List, "Up", Action::Up, "a line up"},
    {Scope::List, "Down", Action::Down, "a line down"},
    {Scope::List, "PgUp", Action::PageUp, "a page up"},
    {Scope::List, "PgDn", Action::PageDown, "a page down"},
    {Scope::List, "Home", Action::Home, "the first line"},
    {Scope::List, "End", Action::End, "the last line"},
    {Scope::List, "Left", Action::Left, "scroll to the left"},
    {Scope::List, "Right", Action::Right, "scroll to the right"},
    {Scope::List, "Return", Action::Enter, "go there"},
    {Scope::List, "Delete", Action::DeleteItem, "delete the bookmark"},
    {Scope::List, "<", Action::Shorter, "make the pane lower"},
    {Scope::List, ">", Action::Taller, "make the pane higher"},
    {Scope::List, "x", Action::Close, "close the pane"},
};
// clang-format on

ArrayRef<Binding> bindings() { return Table; }

std::optional<Key> parseKey(StringRef Name) {
  static constexpr std::pair<StringLiteral, Key> Names[] = {
      {"Up", key::Up},
      {"Down", key::Down},
      {"Left", key::Left},
      {"Right", key::Right},
      {"PgUp", key::PageUp},
      {"PgDn", key::PageDown},
      {"Delete", key::Delete},
      {"Home", key::Home},
      {"End", key::End},
      {"Tab", key::Tab},
      {"Shift-Tab", key::BackTab},
      {"Return", key::Return},
      {"Esc", key::Escape},
      {"Alt-Left", key::AltLeft},
      {"Alt-Right", key::AltRight},
  };
  for (const auto &[Word, K] : Names)
    if (Name == Word)
      return K;
  if (Name.size() == 1)
    return Key(static_cast<unsigned char>(Name[0]));
  if (Name.consume_front("Ctrl-") && Name.size() == 1)
    return key::ctrl(Name[0]);
  unsigned N = 0;
  if (Name.consume_front("F") && !Name.getAsInteger(10, N) && N >= 1 && N <= 12)
    return key::F1 + N - 1;
  return std::nullopt;
}

StringRef scopeName(Scope S) {
  switch (S) {
  case Scope::Any:
    return "Everywhere";
  case Scope::Trace:
    return "Trace";
  case Scope::State:
    return "Registers and memory";
  case Scope::Registers:
    return "Registers";
  case Scope::Memory:
    return "Memory";
  case Scope::List:
    return "Lists";
  case Scope::Layers:
    return "Layers";
  }
  return "";
}

static bool has(const Binding &B, Key K) {
  for (StringRef Name : split(B.Keys, ' '))
    if (parseKey(Name) == K)
      return true;
  return false;
}

std::optional<Action> actionOf(ArrayRef<Scope> Scopes, Key K) {
  for (Scope S : Scopes)
    for (const Binding &B : Table)
      if (B.Where == S && has(B, K))
        return B.Do;
  return std::nullopt;
}

std::string keysAsMarkdown() {
  std::string Text;
  std::optional<Scope> Last;
  for (const Binding &B : Table) {
    if (Last != B.Where)
      Text += (Last ? "\n| " : "| ") + scopeName(B.Where).str() +
              " | |\n|---|---|\n";
    Last = B.Where;
    std::string Names;
    for (StringRef Name : split(B.Keys, ' '))
      Names += (Names.empty() ? "`" : ", `") + Name.str() + "`";
    Text += "| " + Names + " | " + B.Help.str() + " |\n";
  }
  return Text;
}

} // namespace rw::term
