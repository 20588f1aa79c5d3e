//===- main.cpp - The rewind command --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/ElfSymbols.h"
#include "commands/HtmDecoderTool.h"
#include "commands/cli/Progress.h"
#include "commands/cli/ShellOptions.h"
#include "core/calls/CallRecogniser.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace llvm;
using namespace rw;

namespace {
enum ExitStatus { Good = 0, Failed = 1, Misused = 2, Interrupted = 130 };
} // namespace

static std::atomic<bool> Cancel{false};

extern "C" void onInterrupt(int) {
  Cancel.store(true, std::memory_order_relaxed);
  // Whoever presses it twice means it.
  signal(SIGINT, SIG_DFL);
}

static int complain(Error E, ExitStatus Status = Failed) {
  if (Cancel) {
    consumeError(std::move(E));
    errs() << "rewind: interrupted\n";
    return Interrupted;
  }
  logAllUnhandledErrors(std::move(E), errs(), "rewind: ");
  return Status;
}

static int help(const CommandLine &Line) {
  SmallVector<StringRef> Words;
  for (const std::string &Word : Line.Options.arguments())
    Words.push_back(Word);
  const Command *C = Line.What;
  unsigned Used = 0;
  if (!C && !Words.empty())
    C = findCommand(Words, Used);
  if (C)
    outs() << helpText(*C, /*InShell=*/true);
  else if (Words.empty())
    outs() << overview();
  else
    return complain(
        userError("no command '" + Words[0] + "'" + suggestion(Words[0])),
        Misused);
  return Good;
}

static Expected<std::unique_ptr<TraceStore>> openStore(const CommandLine &Line,
                                                       IndexReport &Report) {
  auto Index = indexOptions(Line.Options);
  if (!Index)
    return Index.takeError();
  CallRecogniser Calls;
  Index->Observers = {&Calls};
  Index->Sections = {"calls"};
  bool Quiet = Line.Options.has("quiet");
  bool Terminal = sys::Process::StandardErrIsDisplayed() ||
                  Line.Options.has("show-progress-meter");
  ProgressBar Bar("indexing", Terminal && !Quiet);
  Index->Reader.Cancel = &Cancel;
  Index->Reader.Progress = [&](uint64_t Done, uint64_t Total) {
    Bar.update(Done, Total);
  };
  auto Store = openOrBuildStore(Line.Trace, *Index, &Report);
  Bar.clear();
  if (Store && Line.Options.has("verbose"))
    errs() << "rewind: store " << Report.Path
           << (Report.Built ? " built: " + Report.Why : " used as it is")
           << "\n";
  return Store;
}

static int runOnFile(const CommandLine &Line) {
  size_t N = Line.Options.arguments().size();
  if (N < Line.What->MinArguments || N > Line.What->MaxArguments)
    return complain(userError("usage: " + usage(*Line.What, true)), Misused);
  bool Quiet = Line.Options.has("quiet");
  if (Error E = Line.What->RunOnFile({Line.Trace, Line.Options, outs(), &Cancel,
                                      [Quiet](const std::string &Text) {
                                        if (!Quiet)
                                          errs() << "rewind: " << Text << "\n";
                                      }})) {
    outs().flush();
    return complain(std::move(E));
  }
  return Cancel ? Interrupted : Good;
}

static int run(const CommandLine &Line) {
  if (Line.What && Line.What->RunOnFile && !Line.Options.has("only-index"))
    return runOnFile(Line);
  ElfSymbols Symbols;
  for (StringRef Image : Line.Options.values("image"))
    if (Error E = Symbols.addFromOption(Image))
      return complain(std::move(E));
  IndexReport Report;
  auto Store = openStore(Line, Report);
  if (!Store)
    return complain(Store.takeError());
  bool Quiet = Line.Options.has("quiet");
  if (!Line.What || Line.Options.has("only-index")) {
    if (!Quiet)
      outs() << Report.Path << ": " << (*Store)->numInstructions()
             << " instructions, " << (*Store)->storeBytes() << " bytes, "
             << (Report.Built ? "built" : "up to date") << "\n";
    return Good;
  }

  SessionMemory Memory;
  Session S(**Store, outs(), Memory);
  S.TracePath = Line.Trace;
  S.StorePath = Report.Path;
  if (Line.Options.has("image"))
    S.Symbols = &Symbols;
  S.Cancel = &Cancel;
  S.Warn = [Quiet](const std::string &Text) {
    if (!Quiet)
      errs() << "rewind: " << Text << "\n";
  };
  if (Error E = runCommand(*Line.What, S, Line.Options)) {
    outs().flush();
    return complain(std::move(E));
  }
  return Cancel ? Interrupted : Good;
}

int main(int argc, char **argv) {
  signal(SIGINT, onInterrupt);
  signal(SIGTERM, onInterrupt);
  SmallVector<StringRef> Words(argv + 1, argv + argc);
  if (Words.size() == 1 && Words[0] == "--version") {
    outs() << "rewind " REWIND_VERSION "\n";
    return Good;
  }
  if (!Words.empty() && Words[0] == "htmdecoder") {
    int Status =
        runHtmDecoder(ArrayRef(Words).drop_front(), outs(), errs(), &Cancel);
    outs().flush();
    return Status;
  }
  auto Line = parseCommandLine(Words);
  if (!Line)
    return complain(Line.takeError(), Misused);
  int Status = Line->Name == "help" || Line->Options.has("help") ? help(*Line)
                                                                 : run(*Line);
  outs().flush();
  if (outs().has_error()) {
    std::error_code Problem = outs().error();
    outs().clear_error();
    if (Problem != errc::broken_pipe)
      errs() << "rewind: cannot write the answer: " << Problem.message()
             << "\n";
    return Failed;
  }
  return Status;
}
