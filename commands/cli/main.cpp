//===- main.cpp - The rewind command --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/Complete.h"
#include "commands/cli/Progress.h"
#include "commands/cli/ShellOptions.h"
#include "commands/dap/Dap.h"
#include "commands/lvalues/ImageSession.h"
#include "commands/power/HtmDecoderTool.h"
#include "commands/support/AnswerFile.h"
#include "commands/support/CommandOverview.h"
#include "commands/support/Damage.h"
#include "commands/support/Format.h"
#include "core/OpenTrace.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "core/support/Printable.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace rw;

namespace {
enum ExitStatus { Good = 0, Failed = 1, Misused = 2, Interrupted = 130 };
} // namespace

static std::atomic<bool> Cancel{false};

extern "C" void onSignal(int Signal) {
  // Whoever sends it twice means it.
  if (Cancel.exchange(true, std::memory_order_relaxed))
    endBySignal(Signal);
}

/// Signals end what is being done and leave things in order. Without
/// SA_RESTART: a write to a pipe that nobody empties returns.
static void handleSignals() {
  for (int Signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction Action = {};
    if (Signal == SIGHUP && sigaction(Signal, nullptr, &Action) == 0 &&
        Action.sa_handler == SIG_IGN) // nohup
      continue;
    Action = {};
    Action.sa_handler = onSignal;
    sigemptyset(&Action.sa_mask);
    sigaction(Signal, &Action, nullptr);
  }
  // What is told on stderr may go to a file, too: then a limit of file sizes
  // is an error. Not SIG_IGN, which programs that are started would have.
  signal(SIGXFSZ, [](int) {});
}

/// A standard descriptor that is closed would become that of the next file to
/// be opened, and what is printed would go there.
static void holdStandardDescriptors() {
  for (int FD : {0, 1, 2})
    if (fcntl(FD, F_GETFD) < 0)
      (void)!open("/dev/null", FD == 0 ? O_WRONLY : O_RDONLY);
}

/// Standard output. If it cannot be written, there is no use in going on.
static FileStream &out() {
  static FileStream Stream(STDOUT_FILENO, &Cancel);
  Stream.OnError = [] { Cancel.store(true, std::memory_order_relaxed); };
  return Stream;
}

static int complain(Error E, ExitStatus Status = Failed) {
  if (Cancel) {
    consumeError(std::move(E));
    if (!out().error())
      errs() << "rewind: interrupted\n";
    return Interrupted;
  }
  if (E.isA<UsageError>())
    Status = Misused;
  errs() << "rewind: " << printableLines(toString(std::move(E))) << "\n";
  return Status;
}

static int help(const CommandLine &Line) {
  SmallVector<StringRef> Words;
  for (const std::string &Word : Line.Options.arguments())
    Words.push_back(Word);
  const Command *C = Line.What;
  NamedCommand Named;
  if (!C) {
    Named = nameShellCommand(Words);
    C = Named.What;
  }
  if (C)
    out() << helpText(*C, /*InShell=*/true);
  else if (!Named.Family.empty())
    out() << familyHelp(Named.Family, /*InShell=*/true);
  else if (Named.Wrong.empty())
    out() << overview();
  else
    return complain(userError(Named.Wrong), Misused);
  return Good;
}

static bool showsProgress(const CommandLine &Line) {
  return (sys::Process::StandardErrIsDisplayed() ||
          Line.Options.has("show-progress-meter")) &&
         !Line.Options.has("quiet");
}

static Expected<OpenedTrace> openStore(const CommandLine &Line) {
  auto Index = indexOptions(Line.Options, showsValues(*Line.What));
  if (!Index)
    return Index.takeError();
  ProgressBar Bar(showsProgress(Line));
  auto Opened = openTraceStore(
      Line.Trace, *Index,
      {&Cancel, nullptr, [&](StringRef What, uint64_t Done, uint64_t Total) {
         Bar.updateBytes(What, Done, Total);
       }});
  Bar.clear();
  if (Opened && Line.Options.has("verbose"))
    errs() << "rewind: store " << printable(Opened->Report.Path)
           << (Opened->Report.Built ? " built: " + printable(Opened->Report.Why)
                                    : " used as it is")
           << "\n";
  if (Opened && !Opened->Report.Note.empty() && !Line.Options.has("quiet"))
    errs() << "rewind: " << printable(Opened->Report.Note) << "\n";
  // 'info' lists them.
  if (Opened && Opened->Report.Built && !Line.Options.has("quiet") &&
      Line.Name != "info")
    if (std::string Remark = malformedRemark(Opened->Store->header());
        !Remark.empty())
      errs() << "rewind: " << printable(Line.Trace) << ": " << printable(Remark)
             << "\n";
  return Opened;
}

/// Its answer may be a file that goes to standard output.
static bool writesFiles(const Command &C) {
  return any_of(C.Options,
                [](const OptionSpec &O) { return O.Long == "output"; });
}

namespace {
/// What a command shares with the user while it runs: the answer on stdout, a
/// bar and remarks on stderr, Ctrl-C.
class Terminal {
public:
  explicit Terminal(const CommandLine &Line)
      : Quiet(Line.Options.has("quiet")), Bar(showsProgress(Line)),
        Answer(Bar, out(), writesFiles(*Line.What)) {}

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
        errs() << "rewind: " << printableLines(Text) << "\n";
    };
  }
  int finish(Error E, bool FoundNothing = false) {
    Bar.stop();
    Answer.finish();
    if (E)
      return complain(std::move(E));
    return Cancel ? Interrupted : FoundNothing ? Failed : Good;
  }

private:
  bool Quiet;
  ProgressBar Bar;

public:
  AnswerStream Answer;
};
} // namespace

static std::vector<std::string> paths(ArrayRef<ImageOption> Images) {
  std::vector<std::string> Paths;
  for (const ImageOption &I : Images)
    Paths.push_back(I.Path);
  return Paths;
}

/// Those of a trace whose index need not be there.
static Expected<std::vector<ReservedFile>>
reservedFiles(const CommandLine &Line, ArrayRef<std::string> Images) {
  auto Index = indexOptions(Line.Options, showsValues(*Line.What));
  if (!Index)
    return Index.takeError();
  return reservedFiles(Line.Trace, indexPath(Line.Trace, *Index), Images,
                       Index->Reader.Settings);
}

/// What -o names is looked at before an index is built, which may take long.
static Error checkOutput(const CommandLine &Line,
                         ArrayRef<std::string> Images) {
  auto Path = Line.Options.value("output");
  auto Reserved = reservedFiles(Line, Images);
  if (!Reserved || !Path || *Path == "-")
    return Reserved.takeError();
  return OutputFile::check(*Path,
                           answerOptions(Line.Options, std::move(*Reserved)));
}

static int runOnFile(const CommandLine &Line) {
  size_t N = Line.Options.arguments().size();
  if (N < Line.What->MinArguments || N > Line.What->MaxArguments)
    return complain(userError("usage: " + usage(*Line.What, true)), Misused);
  std::vector<ReservedFile> Reserved;
  if (!Line.What->WithoutTrace) {
    auto Images = imageOptions(Line.Options);
    if (!Images)
      return complain(Images.takeError());
    auto Files = reservedFiles(Line, paths(*Images));
    if (!Files)
      return complain(Files.takeError(), Misused);
    Reserved = std::move(*Files);
  }
  Terminal T(Line);
  Error E = Line.What->RunOnFile({Line.Trace, Line.Options, T.Answer, T.watch(),
                                  T.warn(), std::move(Reserved)});
  return T.finish(std::move(E));
}

static int run(const CommandLine &Line) {
  if (Line.What->RunOnFile && !Line.Options.has("only-index"))
    return runOnFile(Line);
  auto Images = imageOptions(Line.Options);
  if (!Images)
    return complain(Images.takeError());
  if (Line.What == &IndexCommand && !Line.Options.arguments().empty())
    return complain(userError("usage: " + usage(*Line.What, true)), Misused);
  bool OnlyIndex = Line.What == &IndexCommand || Line.Options.has("only-index");
  if (OnlyIndex && Line.Trace == "-")
    return complain(userError("the index of standard input would be gone at "
                              "once: store the trace in a file"),
                    Misused);
  if (Error E = checkOutput(Line, paths(*Images)))
    return complain(std::move(E));
  std::shared_ptr<void> Meanwhile;
  if (Line.What->WhileOpening && !OnlyIndex)
    Meanwhile = Line.What->WhileOpening(Line.Options);
  auto Opened = openStore(Line);
  if (!Opened)
    return complain(Opened.takeError());
  const TraceStore &Store = *Opened->Store;
  const IndexReport &Report = Opened->Report;
  if (OnlyIndex) {
    if (Line.Options.has("json"))
      printJson(out(), json::Object{{"store", json::fixUTF8(Report.Path)},
                                    {"store_bytes", Store.storeBytes()},
                                    {"instructions", Store.numInstructions()},
                                    {"built", Report.Built}});
    else if (!Line.Options.has("quiet"))
      out() << printable(Report.Path) << ": " << Store.numInstructions()
            << " instructions, " << Store.storeBytes() << " bytes, "
            << (Report.Built ? "built" : "up to date") << "\n";
    return Good;
  }

  Terminal T(Line);
  ImageSession Of(Store, T.Answer);
  Session &S = Of.session();
  S.Warn = T.warn();
  if (Error E = Of.add(std::move(*Images), Line.Options.has("force")))
    return T.finish(std::move(E));
  if (Line.Trace != "-") // it cannot be read again
    S.TracePath = Line.Trace;
  S.StorePath = Report.Path;
  S.Watch = T.watch();
  Meanwhile.reset();
  Error E = runCommand(*Line.What, S, Line.Options);
  return T.finish(std::move(E), S.FoundNothing);
}

static int runWords(ArrayRef<StringRef> Words) {
  if (Words.size() == 1 && Words[0] == "--version") {
    out() << "rewind " REWIND_VERSION "\n";
    return Good;
  }
  if (!Words.empty() && Words[0] == "htmdecoder")
    return runHtmDecoder(Words.drop_front(), out(), errs(), &Cancel);
  if (!Words.empty() && Words[0] == "__complete") {
    completeShellLine(Words.drop_front(), out());
    return Good;
  }
  if (!Words.empty() && Words[0] == DapCommand.Name) {
    auto Status = runDap(Words.drop_front(), Cancel);
    return Status ? *Status : complain(Status.takeError());
  }
  auto Line = parseCommandLine(Words);
  if (!Line)
    return complain(Line.takeError(), Misused);
  return Line->Name == "help" || Line->Options.has("help") ? help(*Line)
                                                           : run(*Line);
}

int main(int argc, char **argv) {
  holdStandardDescriptors();
  handleSignals();
  int Status = Failed;
  if (Error E = guarded([&] {
        Status = runWords(SmallVector<StringRef>(argv + 1, argv + argc));
        return Error::success();
      }))
    Status = complain(std::move(E));
  out().flush();
  if (std::error_code Problem = out().error()) {
    bool Stopped = Problem == std::errc::interrupted;
    if (!Stopped && Problem != std::errc::broken_pipe)
      errs() << "rewind: cannot write the answer: " << Problem.message()
             << "\n";
    Status = Stopped ? Interrupted : Failed;
  }
  errs().clear_error(); // its destructor would end the process by a signal
  return Status;
}
