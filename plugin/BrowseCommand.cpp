//===- BrowseCommand.cpp --------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/BrowseCommand.h"
#include "commands/support/Options.h"
#include "core/support/InputFile.h"
#include "plugin/LoadedTrace.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include <dlfcn.h>
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
static std::vector<std::string> wordsOf(const LoadedTrace &Trace) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Words;
  cl::TokenizeGNUCommandLine(Trace.loadCommand(), Saver, Words);
  std::vector<std::string> To = {"rewind", "browse", Trace.tracePath()};
  for (size_t I = 3; I < Words.size(); ++I) {
    To.push_back(Words[I]);
    // The line is one for the folder of the trace.
    if (To.back() == "--index" && I + 1 < Words.size()) {
      To.push_back(Trace.storePath());
      ++I;
    }
  }
  return To;
}

Expected<Place> browseTrace(const LoadedTrace &Trace, Place Here,
                            ArrayRef<StringRef> Words) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return userError("LLDB is not on a terminal: rewind list and its kin print "
                     "what rewind browse shows");
  if (Trace.loadCommand().empty())
    return userError("this recording was not loaded from a file by 'rewind "
                     "load'");
  auto Program = shellProgram();
  if (!Program)
    return Program.takeError();
  const TraceStore &Store = Trace.store();
  auto At = Store.positionOf(Here.Thread, Here.When);
  if (!At)
    return At.takeError();
  SmallString<128> Left;
  if (std::error_code E =
          sys::fs::createTemporaryFile("rewind-browse", "txt", Left))
    return createStringError(E, "a temporary file: " + E.message());
  FileRemover Remove(Left);
  std::vector<std::string> Line = wordsOf(Trace);
  Line.push_back("--at");
  Line.push_back(std::to_string(Here.Thread + 1) + ":#" + std::to_string(*At));
  Line.push_back("--tell");
  Line.push_back(Left.str().str());
  for (StringRef Word : Words)
    Line.push_back(Word.str());
  std::string Problem;
  int Status = sys::ExecuteAndWait(
      *Program, SmallVector<StringRef>(Line.begin(), Line.end()), std::nullopt,
      {}, /*SecondsToWait=*/0, /*MemoryLimit=*/0, &Problem);
  if (Status < 0)
    return userError("cannot run " + *Program + ": " + Problem);
  if (Status)
    return userError("rewind browse ended with status " + Twine(Status));
  auto Text = readWholeFile(Left.str().str(), 100);
  if (!Text)
    return Text.takeError();
  auto [T, P] = (*Text)->getBuffer().trim().split(":#");
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

} // namespace rw
