//===- BrowseCommand.cpp --------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Options.h"
#include "core/store/TraceStore.h"
#include "core/support/InputFile.h"
#include "core/support/LineWords.h"
#include "lldb/API/SBStringList.h"
#include "plugin/DebuggerCommand.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/private/CommandContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <csignal>
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;

namespace rw {

/// The program that was installed, or built, together with this plugin; else
/// the one that the shell finds.
static Expected<std::string> shellProgram() {
  Dl_info Plugin;
  if (dladdr(reinterpret_cast<void *>(&shellProgram), &Plugin) &&
      Plugin.dli_fname) {
    SmallString<256> Real;
    if (!sys::fs::real_path(Plugin.dli_fname, Real)) {
      SmallString<256> Path = sys::path::parent_path(Real);
      sys::path::append(Path, "..", "bin", "rewind");
      if (sys::fs::can_execute(Path))
        return Path.str().str();
    }
  }
  auto Found = sys::findProgramByName("rewind");
  if (!Found)
    return userError("there is no program 'rewind' beside the plugin or in "
                     "PATH, which this command runs");
  return *Found;
}

/// What loaded the trace, as words of `rewind browse`.
static Expected<std::vector<std::string>> wordsOf(const LoadedTrace &Trace) {
  auto Words = splitWords(Trace.loadCommand());
  if (!Words)
    return Words.takeError();
  std::vector<std::string> To = {"rewind", "browse", Trace.tracePath()};
  for (size_t I = 3; I < Words->size(); ++I) {
    To.push_back((*Words)[I]);
    // The line is one for the folder of the trace.
    if (To.back() == "--index" && I + 1 < Words->size()) {
      To.push_back(Trace.storePath());
      ++I;
    }
  }
  return To;
}

/// LLDB keeps its status line out of the lines that scroll, and the browser
/// made them all scroll. LLDB does it again, and clears the screen, where the
/// terminal is resized; what is drawn there has come back otherwise. Not by
/// LLDB's functions: a script that calls this command holds locks that drawing
/// waits for.
static void keepStatusLine(lldb::SBDebugger Debugger, winsize Before) {
  winsize Now{};
  if (lldb::SBDebugger::GetInternalVariableValue("show-statusline",
                                                 Debugger.GetInstanceName())
              .GetStringAtIndex(0) != StringRef("true") ||
      ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &Now) || Now.ws_row < 2)
    return;
  if (Now.ws_row != Before.ws_row || Now.ws_col != Before.ws_col) {
    ::kill(::getpid(), SIGWINCH);
    return;
  }
  // The cursor is where it was.
  const std::string Scrolling = formatv("\x1b"
                                        "7\x1b[1;{0}r\x1b"
                                        "8",
                                        Now.ws_row - 1);
  (void)!::write(STDOUT_FILENO, Scrolling.data(), Scrolling.size());
}

/// Where the browser, which begins at \p Here, was left.
static Expected<Place> browseFrom(Place Here, const LoadedTrace &Trace,
                                  const DebuggerRequest &Request) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return userError("LLDB is not on a terminal: rewind list and its kin print "
                     "what rewind browse shows");
  if (Trace.loadCommand().empty())
    return userError("this recording was not loaded from a file by 'rewind "
                     "load'");
  for (StringRef Word : Request.Words)
    if (Word.starts_with("--tell") || Word.starts_with("--keys"))
      return usageError("'" + Word + "' is for the shell");
  auto Program = shellProgram();
  if (!Program)
    return Program.takeError();
  const TraceStore &Store = Trace.store();
  auto At = Store.positionOf(Here.Thread, Here.When);
  if (!At)
    return At.takeError();
  SmallString<128> Left, Said;
  for (SmallString<128> *Path : {&Left, &Said})
    if (std::error_code E =
            sys::fs::createTemporaryFile("rewind-browse", "txt", *Path))
      return createStringError(E, "a temporary file: " + E.message());
  FileRemover RemoveLeft(Left), RemoveSaid(Said);
  auto Line = wordsOf(Trace);
  if (!Line)
    return Line.takeError();
  Line->push_back("--at");
  Line->push_back(std::to_string(Here.Thread + 1) + ":#" + std::to_string(*At));
  Line->push_back("--tell");
  Line->push_back(Left.str().str());
  for (StringRef Word : Request.Words)
    Line->push_back(Word.str());
  std::string Problem;
  winsize Size{};
  ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size);
  int Status = sys::ExecuteAndWait(
      *Program, SmallVector<StringRef>(Line->begin(), Line->end()),
      std::nullopt, {std::nullopt, std::nullopt, Said.str()},
      /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &Problem);
  auto Text = readWholeFile(Left.str().str(), 100);
  if (!Text)
    return Text.takeError();
  const StringRef Told = (*Text)->getBuffer().trim();
  if (!Told.empty() || Status < 0)
    keepStatusLine(Request.Debugger, Size);
  if (Status < 0)
    return userError("cannot run " + *Program + ": " + Problem);
  if (Status) {
    auto Why = readWholeFile(Said.str().str(), 1 << 16);
    if (!Why)
      return Why.takeError();
    StringRef Reason = (*Why)->getBuffer().trim();
    Reason.consume_front("rewind: ");
    return userError(Reason.empty()
                         ? "rewind browse ended with status " + Twine(Status)
                         : Twine(Reason));
  }
  // It was asked for help.
  if (Told.empty())
    return Here;
  auto [T, P] = Told.split(":#");
  unsigned Thread = 0;
  Position To = 0;
  if (T.getAsInteger(10, Thread) || P.getAsInteger(10, To) || !Thread ||
      Thread > Store.numThreads() || To > Store.numInstructions(Thread - 1))
    return userError("rewind browse does not tell where it was left");
  Place There{ThreadIndex(Thread - 1), Store.numInstructions()};
  if (To < Store.numInstructions(There.Thread)) {
    auto M = Store.momentOf(There.Thread, To);
    if (!M)
      return M.takeError();
    There.When = *M;
  }
  return There;
}

static Error browseTrace(const DebuggerRequest &Request) {
  lldb::SBTarget Target = commandTarget(Request.Debugger);
  auto Trace = standingTrace(Request.Debugger, Target);
  if (!Trace)
    return Trace.takeError();
  const Place Here = commandPlace(Target, **Trace);
  auto Left = browseFrom(Here, **Trace, Request);
  if (!Left)
    return Left.takeError();
  if (*Left == Here)
    return Error::success();
  (*Trace)->session().cameFrom(Here);
  return travel(Request.Debugger, Target, **Trace, {Left->When, Left->Thread},
                ReplayStop(ReplayStop::Landing, "left rewind browse"),
                Request.Out);
}

static constexpr OptionSpec BrowseOptions[] = {
    {"ascii", 0, "", "draw with ASCII only, whatever the locale is"},
    {"colour", 0, "", "with colours even if NO_COLOR is set"},
    {"no-colour", 0, "", "without colours"},
};

static std::string browseHelp() {
  return R"(
Takes the terminal until q, and stops where it was left. See docs/browse.md.

  (lldb) rewind browse

Options:
)" + optionHelp(BrowseOptions);
}

const DebuggerCommand LldbBrowse = {
    .Words = {.Name = "browse",
              .Summary = "Show the trace in the terminal",
              .Help = "",
              .MaxArguments = 0},
    .Run = browseTrace,
    .Help = browseHelp,
    .Options = [] { return std::vector{ArrayRef<OptionSpec>(BrowseOptions)}; },
};

} // namespace rw
