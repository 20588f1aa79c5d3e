//===- CommandWords.cpp - The words of Rewind's commands in LLDB ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/CommandWords.h"
#include "commands/support/CommandOverview.h"
#include "commands/support/Completion.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "core/support/Printable.h"
#include "lldb/API/LLDB.h"
#include "plugin/DebuggerCommand.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/ReverseVerbs.h"
#include "plugin/TargetExpressions.h"
#include "plugin/TargetSymbols.h"
#include "plugin/TargetTypes.h"
#include "plugin/UnknownVariables.h"
#include "plugin/WhatIsLeftOut.h"
#include "plugin/private/CommandContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace rw;
using namespace lldb;
using llvm::ArrayRef;
using llvm::StringRef;

ArrayRef<const Command *> rw::lldbCommands() {
  static const std::vector<const Command *> All = [] {
    std::vector<const Command *> C;
    for (const DebuggerCommand *Own : debuggerCommands())
      C.push_back(&Own->Words);
    for (const Command *Registered : commands())
      if (!Registered->ShellOnly)
        C.push_back(Registered);
    return C;
  }();
  return All;
}

const Command *rw::commandBelow(const Command &C, ArrayRef<StringRef> Words) {
  if (!Words.empty())
    for (const Command *Other : commands())
      if (Other->Name == (C.Name + " " + Words[0]).str())
        return Other;
  return nullptr;
}

std::string rw::overviewInDebugger() {
  std::string Text = "Commands of Rewind, the debugger of recordings.\n\n"
                     "Usage: rewind <command> [arguments] [options]\n"
                     "       rewind help <command>\n\nCommands:\n" +
                     listCommands(lldbCommands(), /*InShell=*/false) +
                     "\nCommands of LLDB go forwards; these go back:\n";
  for (const ReverseVerbInfo &V : reverseVerbs())
    Text += llvm::formatv("  {0,-17} {1}\n",
                          (StringRef(V.Name) + ", " + V.Alias).str(), V.Summary)
                .str();
  if (!whatIsLeftOut().empty())
    Text += unlessWhole("\nNote: ") + "\n";
  return Text;
}

/// The files and folders whose paths begin as \p Word does.
static void addFiles(StringRef Prefix, StringRef Word,
                     std::vector<CompletedWord> &Words) {
  const size_t Slash = Word.rfind('/');
  const StringRef Typed =
      Slash == StringRef::npos ? "" : Word.take_front(Slash + 1);
  const StringRef Begin = Word.drop_front(Typed.size());
  llvm::SmallString<256> Folder;
  llvm::sys::fs::expand_tilde(Typed.empty() ? "." : Typed, Folder);
  std::error_code Problem;
  std::vector<CompletedWord> Found;
  for (llvm::sys::fs::directory_iterator I(Folder, Problem), End;
       !Problem && I != End; I.increment(Problem)) {
    const StringRef Name = llvm::sys::path::filename(I->path());
    if (!Name.starts_with(Begin) || (Begin.empty() && Name.starts_with(".")))
      continue;
    const bool IsFolder = llvm::sys::fs::is_directory(I->path());
    Found.push_back({(Prefix + Typed + Name + (IsFolder ? "/" : "")).str(),
                     IsFolder ? "folder" : "", IsFolder});
  }
  llvm::sort(Found, [](const CompletedWord &A, const CompletedWord &B) {
    return A.Text < B.Text;
  });
  llvm::append_range(Words, Found);
}

namespace {
/// What variables and their parts are, by the selected frame's debug
/// information alone. While it completes a word LLDB cannot parse expressions:
/// what its status line tells of that interrupts its prompt, which then takes
/// no more keys.
class VariablePaths final : public ExpressionSource {
public:
  VariablePaths(SBTarget Target, LoadedTrace &Trace)
      : Target(Target), Trace(Trace), All(Target, Trace) {}

  llvm::Expected<Location> locate(StringRef Path, Place) override {
    const bool Pointee = Path.consume_front("*");
    SBFrame Frame = commandFrame(Target);
    SBValue V = variableAt(Frame, Path);
    SBType Type = V.GetType().GetCanonicalType();
    if (Type.IsReferenceType())
      Type = Type.GetDereferencedType().GetCanonicalType();
    if (Pointee)
      Type = Type.GetPointeeType();
    if (!V.IsValid() || !Type.IsValid())
      return llvm::createStringError("no variable");
    Location L;
    L.Type = describeType(Type, Trace.store().header().Architecture);
    return L;
  }
  TypeRef lvalueType(StringRef Path, Place At) override {
    // The images know the innermost frame. LLDB may parse an expression for
    // the elements of a container.
    const bool Inner = commandFrame(Target).GetFrameID() == 0;
    TypeRef Its = Inner ? All.lvalueType(Path, At) : nullptr;
    if (!Its)
      Its = ExpressionSource::lvalueType(Path, At);
    return Its || Inner ? Its : All.lvalueType(Path, At);
  }
  llvm::Expected<Evaluated> evaluate(StringRef, Place, ValueStyle) override {
    return llvm::createStringError("a word is being completed");
  }
  std::optional<Object> objectAt(uint64_t) override { return std::nullopt; }
  std::vector<std::string> variables(Place At) override {
    return All.variables(At);
  }

private:
  SBTarget Target;
  LoadedTrace &Trace;
  TargetExpressions All;
};
} // namespace

/// Calls \p F with a session that stands where the debugger does; null if it
/// does not stand in a recording. Waits for nothing.
static void withSession(SBDebugger Debugger,
                        llvm::function_ref<void(Session *)> F) {
  SBTarget Target = commandTarget(Debugger);
  auto Trace = traceOf(Target);
  SBProcess Process = Target.GetProcess();
  if (!Trace || !stands(Process, *Trace))
    return F(nullptr);
  TargetSymbols Symbols(Target, Trace->symbols());
  VariablePaths Expressions(Target, *Trace);
  Session S(Trace->store(), llvm::nulls(), Trace->session());
  S.TracePath = Trace->tracePath();
  S.StorePath = Trace->storePath();
  if (Target.GetNumModules())
    S.Symbols = &Symbols;
  S.Expressions = &Expressions;
  S.Here = commandPlace(Target, *Trace);
  F(&S);
}

std::vector<CompletedWord> rw::completeWord(SBDebugger Debugger,
                                            const Command &C,
                                            ArrayRef<StringRef> Before,
                                            StringRef Word) {
  const Command *Below = commandBelow(C, Before);
  if (Below)
    Before = Before.drop_front();
  const Command &Meant = Below ? *Below : C;
  std::vector<ArrayRef<OptionSpec>> Tables = {Meant.Options};
  for (const DebuggerCommand *Own : debuggerCommands())
    if (&C == &Own->Words && Own->Options)
      Tables = Own->Options();
  std::vector<CompletedWord> Words;
  // A symbol's name can be of any make.
  llvm::consumeError(guarded([&] {
    withSession(Debugger, [&](Session *S) {
      Completion Of(S, Word);
      if (&C == &LldbHelp.Words) {
        Of.commandNames(lldbCommands(), Before);
      } else {
        if (!Below && Before.empty())
          for (const Command *Other : commands())
            if (StringRef(Other->Name).starts_with((C.Name + " ").str()))
              Of.add(Other->Name.split(' ').second, Other->Summary);
        Of.line(Meant, Tables, Before);
      }
      for (const Completion::Candidate &Found : Of.found())
        Words.push_back({Found.Text, printable(Found.Note)});
      if (Of.Files)
        addFiles(Word.drop_back(Of.rest().size()), Of.rest(), Words);
    });
    return llvm::Error::success();
  }));
  return Words;
}
