//===- CommandBridge.cpp - Rewind's commands in LLDB
//------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/CommandBridge.h"
#include "commands/Command.h"
#include "lldb/API/LLDB.h"
#include "plugin/AdoptCommand.h"
#include "plugin/DebuggerWatch.h"
#include "plugin/LoadCommand.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/ReverseVerbs.h"
#include "plugin/TargetExpressions.h"
#include "plugin/TargetSymbols.h"

using namespace rw;
using namespace lldb;

namespace {

/// Runs \p Body, which writes to a stream and may fail, as an LLDB command.
class Bridged : public SBCommandPluginInterface {
public:
  bool DoExecute(SBDebugger Debugger, char **Words,
                 SBCommandReturnObject &Result) override {
    std::vector<llvm::StringRef> Args;
    for (; Words && *Words; ++Words)
      Args.push_back(*Words);
    std::string Text;
    llvm::raw_string_ostream Out(Text);
    llvm::Error E = run(Debugger, Args, Out);
    Result.PutCString(Text.c_str(), int(Text.size()));
    if (E) {
      Result.SetError(llvm::toString(std::move(E)).c_str());
      return false;
    }
    Result.SetStatus(Text.empty() ? eReturnStatusSuccessFinishNoResult
                                  : eReturnStatusSuccessFinishResult);
    return true;
  }

protected:
  virtual llvm::Error run(SBDebugger Debugger,
                          llvm::ArrayRef<llvm::StringRef> Args,
                          llvm::raw_ostream &Out) = 0;
};

llvm::Expected<std::shared_ptr<LoadedTrace>> selectedTrace(SBTarget Target) {
  if (auto Trace = traceOf(Target))
    return Trace;
  return llvm::createStringError(
      "the selected target is not a recording: load one with "
      "'rewind load <trace>'");
}

/// A command of commands/.
class CoreCommand final : public Bridged {
public:
  explicit CoreCommand(const Command &C) : C(C) {}

protected:
  llvm::Error run(SBDebugger Debugger, llvm::ArrayRef<llvm::StringRef> Args,
                  llvm::raw_ostream &Out) override {
    SBTarget Target = Debugger.GetSelectedTarget();
    auto Trace = selectedTrace(Target);
    if (!Trace)
      return Trace.takeError();
    TargetSymbols Symbols(Target);
    TargetExpressions Expressions(Debugger, Target, **Trace);
    Session S((*Trace)->store(), Out, (*Trace)->session());
    S.TracePath = (*Trace)->tracePath();
    S.StorePath = (*Trace)->storePath();
    if (Target.GetNumModules())
      S.Symbols = &Symbols;
    S.Expressions = &Expressions;
    S.Here = selectedPlace(Target, **Trace);
    S.Width = Debugger.GetTerminalWidth();
    DebuggerWatch Shown(Debugger, ("rewind " + C.Name).str());
    S.Watch = Shown.watch();
    S.Move = [&](Place To, const std::string &Why) {
      return travel(Debugger, Target, **Trace, {To.When, To.Thread},
                    ReplayStop(ReplayStop::Landing, Why), Out);
    };
    S.Warn = [&](const std::string &Text) {
      Out << "warning: " << Text << '\n';
    };
    return runCommand(C, S, Args);
  }

private:
  const Command &C;
};

class LoadBridge final : public Bridged {
  llvm::Error run(SBDebugger Debugger, llvm::ArrayRef<llvm::StringRef> Args,
                  llvm::raw_ostream &Out) override {
    return loadTrace(Debugger, Args, Out);
  }
};

class AdoptBridge final : public Bridged {
  llvm::Error run(SBDebugger Debugger, llvm::ArrayRef<llvm::StringRef> Args,
                  llvm::raw_ostream &Out) override {
    return adoptTrace(Debugger, Args, Out);
  }
};

/// What the stop hook prints: where in time we are.
class AtStop final : public Bridged {
  llvm::Error run(SBDebugger Debugger, llvm::ArrayRef<llvm::StringRef>,
                  llvm::raw_ostream &Out) override {
    SBTarget Target = Debugger.GetSelectedTarget();
    auto Trace = traceOf(Target);
    if (!Trace || Trace->quiet())
      return llvm::Error::success();
    // A stop that the user sees: a step that was under way has ended.
    Trace->engine().cancelLanding();
    // LLDB selects the thread that stopped only after the hooks have run.
    Instant Here = Trace->engine().here();
    return printPosition(Trace->store(), {Here.Thread, Here.When}, Out);
  }
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
    SBTarget Target = Debugger.GetSelectedTarget();
    auto Trace = selectedTrace(Target);
    if (!Trace)
      return Trace.takeError();
    return runReverse(Verb, Count, Debugger, Target, **Trace, Out);
  }

private:
  const ReverseVerb Verb;
};

} // namespace

void rw::registerCommands(SBDebugger Debugger) {
  SBCommandInterpreter Interpreter = Debugger.GetCommandInterpreter();
  if (Interpreter.UserCommandExists("rewind"))
    return; // loaded twice
  SBCommand Rewind = Interpreter.AddMultiwordCommand(
      "rewind", "Commands of Rewind, the debugger of recordings.");
  Rewind
      .AddCommand("load", new LoadBridge, "Load a trace as a process.",
                  "rewind load <trace> [options]", "")
      .SetHelpLong(loadHelp().c_str());
  Rewind
      .AddCommand("adopt", new AdoptBridge,
                  "Make a recording of a trace that LLDB has loaded itself.",
                  "rewind adopt", "")
      .SetHelpLong(adoptHelp().c_str());
  Rewind.AddCommand("at-stop", new AtStop,
                    "Print the position in time (used as a stop hook).");
  std::map<std::string, SBCommand> Groups;
  for (const Command *C : commands()) {
    auto [First, Second] = C->Name.split(' ');
    SBCommand Parent = Rewind;
    if (!Second.empty()) {
      SBCommand &Group = Groups[First.str()];
      if (!Group.IsValid())
        Group = Rewind.AddMultiwordCommand(First.str().c_str(),
                                           (First + " commands").str().c_str());
      Parent = Group;
    }
    // No command to repeat means that Enter repeats the same one: asked again,
    // last-write walks further back.
    SBCommand Added = Parent.AddCommand(
        (Second.empty() ? First : Second).str().c_str(), new CoreCommand(*C),
        C->Summary.str().c_str(),
        ("rewind " + C->Name + " " + C->Arguments).str().c_str(), nullptr);
    Added.SetHelpLong(helpText(*C, /*InShell=*/false).c_str());
  }
  for (const ReverseVerbInfo &V : reverseVerbs())
    for (const char *Name : {V.Name, V.Alias}) {
      SBCommand Added = Interpreter.AddCommand(
          Name, new VerbBridge(V.Verb), V.Summary,
          (llvm::StringRef(Name) + " [<count>]").str().c_str(), nullptr);
      Added.SetHelpLong(V.Help);
    }
}
