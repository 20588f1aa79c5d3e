//===- CommandBridge.cpp - Rewind's commands in LLDB ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/CommandBridge.h"
#include "commands/support/CommandNames.h"
#include "commands/support/CommandOverview.h"
#include "core/support/ColouredText.h"
#include "core/support/Guarded.h"
#include "core/support/Printable.h"
#include "lldb/API/LLDB.h"
#include "plugin/CommandWords.h"
#include "plugin/DebuggerCommand.h"
#include "plugin/DebuggerWatch.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/ReverseVerbs.h"
#include "plugin/SourceMap.h"
#include "plugin/TargetExpressions.h"
#include "plugin/TargetSymbols.h"
#include "plugin/WhatIsLeftOut.h"
#include "plugin/private/CommandContext.h"
#include "plugin/private/CommandGroups.h"
#include "plugin/private/ExpressionErrors.h"
#include "plugin/private/LLDBCommands.h"
#include "llvm/ADT/StringExtras.h"
#include <utility>

using namespace rw;
using namespace lldb;

namespace {

/// What a command says becomes the result's as it is said: whatever is kept
/// besides costs a long listing more than to make it. Ends with one end of
/// line.
class ResultStream final : public llvm::raw_ostream {
public:
  /// \p InColour: what LLDB says may be.
  ResultStream(SBCommandReturnObject &Result, bool InColour)
      : Result(Result), InColour(InColour) {
    SetBufferSize(1 << 16);
  }
  ~ResultStream() override { flush(); }
  /// Whether there was anything.
  bool finish() {
    flush();
    Pending = readable(Pending);
    if (!llvm::StringRef(Pending).trim().empty() || (Written && !Told))
      Result.AppendMessage(Pending.c_str());
    Pending.clear();
    return Written;
  }

private:
  void write_impl(const char *Text, size_t Size) override {
    Written += Size;
    // A little at a time, in memory that is used again.
    constexpr size_t Most = 1 << 16;
    for (llvm::StringRef Rest(Text, Size); !Rest.empty();
         Rest = Rest.drop_front(std::min(Most, Rest.size())))
      take(Rest.take_front(Most));
  }
  void take(llvm::StringRef New) {
    Pending += New;
    if (!New.contains('\n'))
      return;
    // LLDB ends with a line what it is told, and takes blanks from its end.
    size_t End = Pending.size();
    do {
      End = llvm::StringRef(Pending).rfind('\n', End);
      if (End == llvm::StringRef::npos || !End)
        return;
    } while (llvm::isSpace(Pending[End - 1]));
    // Names in it may come from anybody's file.
    Result.AppendMessage(
        readable(llvm::StringRef(Pending).take_front(End)).c_str());
    Pending.erase(0, End + 1);
    Told = true;
  }
  std::string readable(llvm::StringRef Text) const {
    // A long listing has none, and is gone through once.
    return InColour && Text.contains('\x1b') ? printableInColour(Text)
                                             : printableLines(Text);
  }
  uint64_t current_pos() const override { return Written; }

  SBCommandReturnObject &Result;
  const bool InColour;
  std::string Pending; ///< was not told yet
  bool Told = false;
  uint64_t Written = 0;
};

/// Runs \p Body, which writes to a stream and may fail, as an LLDB command.
class Bridged : public SBCommandPluginInterface {
public:
  bool DoExecute(SBDebugger Debugger, char **Words,
                 SBCommandReturnObject &Result) override {
    std::vector<llvm::StringRef> Args;
    for (; Words && *Words; ++Words)
      Args.push_back(*Words);
    ResultStream Out(Result, Debugger.GetUseColor());
    llvm::Error E = guarded([&] { return run(Debugger, Args, Out); });
    const bool Any = Out.finish();
    // The command lives as long as LLDB, and keeps nothing.
    for (const std::string &W : std::exchange(Warnings, {}))
      Result.AppendWarning(printableLines(W).c_str());
    if (E) {
      Result.SetError(printableLines(llvm::toString(std::move(E))).c_str());
      return false;
    }
    Result.SetStatus(Any ? eReturnStatusSuccessFinishResult
                         : eReturnStatusSuccessFinishNoResult);
    return true;
  }

protected:
  virtual llvm::Error run(SBDebugger Debugger,
                          llvm::ArrayRef<llvm::StringRef> Args,
                          llvm::raw_ostream &Out) = 0;

  /// For the error stream: what is no part of the answer. Of one execution.
  std::vector<std::string> Warnings;
};

/// As in the shell: `rewind list --help`.
bool asksForHelp(llvm::ArrayRef<llvm::StringRef> Words) {
  return llvm::is_contained(
      Words.take_until([](llvm::StringRef Word) { return Word == "--"; }),
      "--help");
}

/// What LLDB's `help rewind \p Words` prints.
void printHelp(SBDebugger Debugger, llvm::StringRef Words,
               llvm::raw_ostream &Out) {
  SBCommandReturnObject Help;
  Debugger.GetCommandInterpreter().HandleCommand(
      ("help rewind " + Words).str().c_str(), Help);
  Out << (Help.GetOutput() ? Help.GetOutput() : "");
}

/// Whether LLDB has a command with the first of \p C's two words already
/// ("deps" of "deps lines"): a name is a command or a group there, not both.
bool isBelowCommand(const Command &C) {
  auto [First, Second] = C.Name.split(' ');
  return !Second.empty() && llvm::any_of(commands(), [&](const Command *Other) {
    return Other->Name == First;
  });
}

/// A command of commands/, and those that are below it.
class CoreCommand final : public Bridged {
public:
  explicit CoreCommand(const Command &C) : Registered(C) {}

protected:
  llvm::Error run(SBDebugger Debugger, llvm::ArrayRef<llvm::StringRef> Args,
                  llvm::raw_ostream &Out) override {
    const Command *Below = commandBelow(Registered, Args);
    const Command &C = Below ? *Below : Registered;
    if (Below)
      Args = Args.drop_front();
    SBTarget Target = commandTarget(Debugger);
    if (asksForHelp(Args)) {
      Out << helpText(C, /*InShell=*/false);
      return llvm::Error::success();
    }
    auto Trace = standingTrace(Debugger, Target);
    if (!Trace)
      return Trace.takeError();
    auto Parsed = parseOptions({C.Options}, Args);
    if (!Parsed)
      return Parsed.takeError();
    const bool Json = Parsed->has("json");
    TargetSymbols Symbols(Target, (*Trace)->symbols());
    TargetExpressions Expressions(Target, **Trace, !Parsed->has("at"));
    Session S((*Trace)->store(), Out, (*Trace)->session());
    S.TracePath = (*Trace)->tracePath();
    S.StorePath = (*Trace)->storePath();
    for (uint32_t I = 0; I < Target.GetNumModules(); ++I) {
      char Path[PATH_MAX];
      if (Target.GetModuleAtIndex(I).GetFileSpec().GetPath(Path, sizeof(Path)))
        S.Images.push_back(Path);
    }
    if (Target.GetNumModules())
      S.Symbols = &Symbols;
    S.Expressions = &Expressions;
    S.Here = commandPlace(Target, **Trace);
    S.Width = Debugger.GetTerminalWidth();
    DebuggerWatch Shown(Debugger, ("rewind " + C.Name).str());
    S.Watch = Shown.watch();
    S.MovedSource = movedSources(Debugger);
    S.Move = [&](Place To, const std::string &Why) {
      Expressions.comeBack();
      // JSON is all that comes out: who asks for it has read where it ends.
      const bool Silent = Json && !Debugger.GetAsync();
      llvm::raw_null_ostream Nowhere;
      (*Trace)->setQuiet(Silent);
      (*Trace)->tellPlace(S.TellsPlace && !Silent);
      llvm::Error E = travel(Debugger, Target, **Trace, {To.When, To.Thread},
                             ReplayStop(ReplayStop::Landing, printable(Why)),
                             Json ? Nowhere : Out);
      (*Trace)->setQuiet(false);
      if (E)
        (*Trace)->tellPlace(false);
      return E;
    };
    S.Warn = [&](const std::string &Text) { Warnings.push_back(Text); };
    llvm::Error E = runCommand(C, S, *Parsed);
    llvm::append_range(Warnings, (*Trace)->symbols().takeDamage());
    return E;
  }

private:
  const Command &Registered;
};

/// A command of the debugger alone.
class DebuggerBridge final : public Bridged {
public:
  explicit DebuggerBridge(const DebuggerCommand &C) : Own(C) {}

protected:
  llvm::Error run(SBDebugger Debugger, llvm::ArrayRef<llvm::StringRef> Args,
                  llvm::raw_ostream &Out) override {
    if (asksForHelp(Args)) {
      printHelp(Debugger, Own.Words.Name, Out);
      return llvm::Error::success();
    }
    return Own.Run({Debugger, Args, Out, [&](const std::string &Text) {
                      Warnings.push_back(Text);
                    }});
  }

private:
  const DebuggerCommand &Own;
};

/// A reverse verb.
class VerbBridge final : public Bridged {
public:
  explicit VerbBridge(ReverseVerb V) : Verb(V) {}

protected:
  llvm::Error run(SBDebugger Debugger, llvm::ArrayRef<llvm::StringRef> Args,
                  llvm::raw_ostream &Out) override {
    uint64_t Count = 1;
    if (Args.size() > 1)
      return llvm::createStringError("one argument at most: how many times");
    if (!Args.empty()) {
      auto N = parseNumber(Args[0]);
      if (!N || *N == 0)
        return llvm::createStringError("'" + Args[0] +
                                       "' is not a number of times");
      Count = *N;
    }
    SBTarget Target = commandTarget(Debugger);
    auto Trace = standingTrace(Debugger, Target);
    if (!Trace)
      return Trace.takeError();
    return runReverse(Verb, Count, Debugger, Target, **Trace, Out);
  }

private:
  const ReverseVerb Verb;
};

std::string unknownCommand(const NamedCommand &N) {
  return printable(N.Wrong) + " ('rewind help' lists them)" + unlessWhole("; ");
}

llvm::Error explain(const DebuggerRequest &Request) {
  std::string Words = llvm::join(Request.Words, " ");
  if (Words == "index") {
    Request.Out
        << "The shell's `rewind index` builds a trace's index. Here, 'rewind "
           "load' does so at\nneed; 'rewind load --only-index' does nothing "
           "else. 'help rewind load' tells more.\n";
    return llvm::Error::success();
  }
  // LLDB explains `rewind` where it knows no such command.
  const NamedCommand Named = nameCommand(lldbCommands(), Request.Words);
  if (!Named.Wrong.empty() && Named.Family.empty())
    return llvm::createStringError(unknownCommand(Named));
  if (Named.What)
    Words = Named.What->Name.str();
  for (const Command *C : commands())
    if (C->Name == Words && isBelowCommand(*C)) {
      Request.Out << helpText(*C, /*InShell=*/false);
      return llvm::Error::success();
    }
  printHelp(Request.Debugger, Words, Request.Out);
  return llvm::Error::success();
}

/// What the group of \p Family's commands does; that of `rewind` if it is
/// empty.
GroupManners mannersFor(llvm::StringRef Family) {
  GroupManners M;
  M.Alone = familyAction(Family).str();
  M.Unknown = [Family](llvm::StringRef Word) {
    std::vector<llvm::StringRef> Words = {Family, Word};
    if (Family.empty())
      Words.erase(Words.begin());
    const NamedCommand N = nameCommand(lldbCommands(), Words);
    return N.Wrong.empty() ? "" : unknownCommand(N);
  };
  if (Family.empty()) {
    M.Help = overviewInDebugger;
    M.ShortFor = shortFor;
  } else {
    M.Help = [Family] { return familyHelp(Family, /*InShell=*/false); };
  }
  return M;
}

} // namespace

const DebuggerCommand rw::LldbHelp = {
    .Words = {.Name = "help",
              .Summary = "Explain a command",
              .Arguments = "[<command>]",
              .Help = ""},
    .Run = explain,
};

void rw::registerCommands(SBDebugger Debugger) {
  SBCommandInterpreter Interpreter = Debugger.GetCommandInterpreter();
  if (Interpreter.UserCommandExists("rewind"))
    return; // loaded twice
  SBCommand Rewind = Interpreter.AddMultiwordCommand(
      "rewind", "Commands of Rewind, the debugger of recordings.");
  setManners(Rewind, mannersFor(""));
  // What outlives a debugger must not keep it.
  const int Id = int(Debugger.GetID());
  for (const DebuggerCommand *C : debuggerCommands()) {
    const std::string Name = C->Words.Name.str();
    SBCommand Added = Rewind.AddCommand(
        Name.c_str(), new DebuggerBridge(*C),
        (C->Words.Summary + ".").str().c_str(),
        ("rewind " + Name + (C->Words.Arguments.empty() ? "" : " ") +
         C->Words.Arguments + (C->Options ? " [options]" : ""))
            .str()
            .c_str(),
        "");
    if (C->Help)
      Added.SetHelpLong(C->Help().c_str());
    setCompleter(Added, [Id, C](auto Before, auto Word) {
      return completeWord(SBDebugger::FindDebuggerWithID(Id), C->Words, Before,
                          Word);
    });
  }
  std::map<std::string, SBCommand> Groups;
  for (const Command *C : commands()) {
    auto [First, Second] = C->Name.split(' ');
    if (C->ShellOnly || isBelowCommand(*C))
      continue; // CoreCommand finds the latter
    SBCommand Parent = Rewind;
    if (!Second.empty()) {
      SBCommand &Group = Groups[First.str()];
      if (!Group.IsValid()) {
        // What `apropos` searches, and the list of all commands shows.
        std::string Help = (First + " commands").str();
        for (const Command *Other : lldbCommands())
          if (Other->Name.starts_with((First + " ").str()))
            Help += (llvm::StringRef(Help).contains(':') ? ", " : ": ") +
                    Other->Name.split(' ').second.str();
        Group = Rewind.AddMultiwordCommand(First.str().c_str(), Help.c_str());
        setManners(Group, mannersFor(First));
      }
      Parent = Group;
    }
    // No command to repeat means that Enter repeats the same one: asked again,
    // last-write walks further back.
    SBCommand Added = Parent.AddCommand(
        (Second.empty() ? First : Second).str().c_str(), new CoreCommand(*C),
        C->Summary.str().c_str(),
        ("rewind " + C->Name + " " + C->Arguments).str().c_str(), nullptr);
    Added.SetHelpLong(helpText(*C, /*InShell=*/false).c_str());
    setCompleter(Added, [Id, C](auto Before, auto Word) {
      return completeWord(SBDebugger::FindDebuggerWithID(Id), *C, Before, Word);
    });
  }
  overrideCommands(Debugger);
  explainExpressionErrors(Debugger);
  for (const ReverseVerbInfo &V : reverseVerbs())
    for (const char *Name : {V.Name, V.Alias}) {
      SBCommand Added = Interpreter.AddCommand(
          Name, new VerbBridge(V.Verb), V.Summary,
          (llvm::StringRef(Name) + " [<count>]").str().c_str(), nullptr);
      Added.SetHelpLong(V.Help);
    }
}
