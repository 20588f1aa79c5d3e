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

static bool showsProgress(const CommandLine &Line) {
  return (sys::Process::StandardErrIsDisplayed() ||
          Line.Options.has("show-progress-meter")) &&
         !Line.Options.has("quiet");
}

static Expected<std::unique_ptr<TraceStore>> openStore(const CommandLine &Line,
                                                       IndexReport &Report) {
  auto Index = indexOptions(Line.Options);
  if (!Index)
    return Index.takeError();
  CallRecogniser Calls;
  Index->Observers = {&Calls};
  Index->Sections = {"calls"};
  ProgressBar Bar(showsProgress(Line));
  Index->Reader.Cancel = &Cancel;
  Index->Reader.Progress = [&](uint64_t Done, uint64_t Total) {
    Bar.updateBytes("indexing", Done, Total);
  };
  auto Store = openOrBuildStore(Line.Trace, *Index, &Report);
  Bar.clear();
  if (Store && Line.Options.has("verbose"))
    errs() << "rewind: store " << Report.Path
           << (Report.Built ? " built: " + Report.Why : " used as it is")
           << "\n";
  return Store;
}

namespace {
/// What a command shares with the user while it runs: the answer on stdout, a
/// bar and remarks on stderr, Ctrl-C.
class Terminal {
public:
  explicit Terminal(const CommandLine &Line)
      : Quiet(Line.Options.has("quiet")), Bar(showsProgress(Line)),
        Answer(Bar) {}

  Watch watch() {
    return {&Cancel, nullptr,
            [this](StringRef What, uint64_t Done, uint64_t Total) {
              Bar.update(What, Done, Total);
            }};
  }
  std::function<void(const std::string &)> warn() {
    return [this](const std::string &Text) {
      Bar.clear();
      if (!Quiet)
        errs() << "rewind: " << Text << "\n";
    };
  }
  int finish(Error E) {
    Bar.stop();
    Answer.flush();
    outs().flush();
    if (E)
      return complain(std::move(E));
    return Cancel ? Interrupted : Good;
  }

private:
  bool Quiet;
  ProgressBar Bar;

public:
  AnswerStream Answer;
};
} // namespace

static int runOnFile(const CommandLine &Line) {
  size_t N = Line.Options.arguments().size();
  if (N < Line.What->MinArguments || N > Line.What->MaxArguments)
    return complain(userError("usage: " + usage(*Line.What, true)), Misused);
  Terminal T(Line);
  Error E = Line.What->RunOnFile(
      {Line.Trace, Line.Options, T.Answer, T.watch(), T.warn()});
  return T.finish(std::move(E));
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
  if (!Line.What || Line.Options.has("only-index")) {
    if (!Line.Options.has("quiet"))
      outs() << Report.Path << ": " << (*Store)->numInstructions()
             << " instructions, " << (*Store)->storeBytes() << " bytes, "
             << (Report.Built ? "built" : "up to date") << "\n";
    return Good;
  }

  SessionMemory Memory;
  Terminal T(Line);
  Session S(**Store, T.Answer, Memory);
  for (const ModuleInfo &M : (*Store)->header().Modules)
    if (Error E = Symbols.addModule(M))
      T.warn()(toString(std::move(E)));
  S.TracePath = Line.Trace;
  S.StorePath = Report.Path;
  if (!Symbols.empty())
    S.Symbols = &Symbols;
  S.Watch = T.watch();
  S.Warn = T.warn();
  return T.finish(runCommand(*Line.What, S, Line.Options));
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
