//===- CommandGroups.cpp - Groups of commands that know more --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/CommandGroups.h"
#include "lldb/Utility/Stream.h"
#include "plugin/private/VirtualTable.h"
#include <map>
#include <mutex>

using lldb_private::CommandObject;
using lldb_private::CommandReturnObject;
using lldb_private::Stream;
using lldb_private::StringList;
using llvm::StringRef;

using namespace rw;

static std::mutex MannersMutex;

/// Groups are there until LLDB ends. One of another debugger may be at the same
/// address later: it has manners of its own then.
static std::map<const CommandObject *, GroupManners> &allManners() {
  static auto &All = *new std::map<const CommandObject *, GroupManners>;
  return All;
}

static GroupManners mannersOf(const CommandObject *Group) {
  std::lock_guard<std::mutex> Lock(MannersMutex);
  return allManners()[Group];
}

/// What the functions were that are replaced.
static void (*LldbExecute)(CommandObject *, const char *,
                           CommandReturnObject &);
static void (*LldbHelp)(CommandObject *, Stream &);
static lldb::CommandObjectSP (*LldbSubcommand)(CommandObject *, StringRef,
                                               StringList *);

static lldb::CommandObjectSP subcommand(CommandObject *Group, StringRef Word,
                                        StringList *Matches) {
  const GroupManners M = mannersOf(Group);
  const StringRef Meant = M.ShortFor ? M.ShortFor(Word) : "";
  return LldbSubcommand(Group, Meant.empty() ? Word : Meant, Matches);
}

static void help(CommandObject *Group, Stream &Out) {
  const GroupManners M = mannersOf(Group);
  if (!M.Help)
    return LldbHelp(Group, Out);
  Out.AsRawOstream() << M.Help();
}

static void execute(CommandObject *Group, const char *Words,
                    CommandReturnObject &Result) {
  const GroupManners M = mannersOf(Group);
  const StringRef Line = StringRef(Words).ltrim();
  if (!M.Alone.empty() && (Line.empty() || Line.starts_with("-")))
    if (CommandObject *Command = Group->GetSubcommandObject(M.Alone))
      return Command->Execute(Words, Result);
  if (Line.empty() && M.Help) {
    OpenResult R(Result);
    R.PutCString(M.Help().c_str());
    R.SetStatus(lldb::eReturnStatusSuccessFinishResult);
    return;
  }
  // What is ambiguous has no object, either, and LLDB says so.
  const StringRef Word =
      Line.take_until([](char C) { return C == ' ' || C == '\t'; });
  if (M.Unknown && !Word.empty() && Word != "help" &&
      !Group->GetSubcommandObject(Word))
    if (std::string Text = M.Unknown(Word); !Text.empty()) {
      OpenResult(Result).SetError(Text.c_str());
      return;
    }
  LldbExecute(Group, Words, Result);
}

void rw::setManners(lldb::SBCommand Group, GroupManners Manners) {
  CommandObject *Object = objectOf(Group);
  if (!Object || !privateLLDB())
    return;
  static const CommandTable *const Table = [&] {
    auto *T = new CommandTable(Object, /*Own=*/0);
    LldbExecute = T->replace(&CommandObject::Execute, execute);
    LldbHelp = T->replace(static_cast<void (CommandObject::*)(Stream &)>(
                              &CommandObject::GenerateHelpText),
                          help);
    LldbSubcommand = T->replace(&CommandObject::GetSubcommandSP, subcommand);
    return LldbExecute && LldbHelp && LldbSubcommand ? T : nullptr;
  }();
  if (!Table)
    return;
  {
    std::lock_guard<std::mutex> Lock(MannersMutex);
    allManners()[Object] = std::move(Manners);
  }
  Table->giveTo(Object);
}
