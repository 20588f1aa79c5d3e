//===- main.cpp - The recorder's command line -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/KnownFile.h"
#include "core/support/OutputFile.h"
#include "core/support/Printable.h"
#include "scripts/recorder/Recorder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <getopt.h>
#include <unistd.h>

using namespace llvm;
using namespace rw;
using namespace rw::record;

static const char Usage[] =
    R"(usage: rewind-record [options] <program> [arguments]

Runs a statically linked little-endian Arm program (AArch64, A32, Thumb) in an
emulator and writes a Tarmac trace of it.

  -o, --trace FILE    the trace; "-" for standard output
                      (default: the program's name with .tarmac added)
  -n, --limit N       stop after N instructions
      --style STYLE   fm: Fast Models (default); es: Cycle Models
      --stdin FILE    the program's input; "-" for ours (default: none)
      --output FILE   the program's output (default: standard output)
      --calls FILE    also write each call and return
      --root FOLDER   the program's files: it sees this folder as "/", and can
                      read it, but not write (default: it has no files but its
                      own in /tmp, which are gone afterwards)
      --write-dir FOLDER
                      the program may write wherever it likes; nothing of
                      --root changes, and what it has written is in this
                      folder afterwards, under the same names
      --from FUNCTION begin where this function is first called (or an address)
      --to FUNCTION   end when this function, called after that, has returned
      --turn N        instructions until another thread's turn (10000)
      --linux, --bare what the program runs on (default: Linux if it has an
                      ELF note or thread-local data, else nothing)
      --verify        compare what the trace says with the CPU and its memory
                      after each instruction (slow)
  -q, --quiet         say nothing if all went well
  -h, --help          this text

Exit status: 0 if the program ended or reached the limit, 2 if it had to be
stopped (the trace shows what it did until then), 130 if you interrupted it (the
same), 1 for any other error.
)";

static std::atomic<bool> Interrupted{false};

extern "C" void onSignal(int Signal) {
  if (Interrupted.exchange(true))
    endBySignal(Signal);
}

namespace {
struct Options {
  std::string Program, Trace, Stdin, Output, Calls, Root, WriteDir, From, To;
  std::vector<std::string> Arguments;
  uint64_t Limit = ~0ull, Turn = 10000;
  Style Dialect = Style::FastModel;
  std::optional<bool> Bare;
  bool Quiet = false, Verify = false;
};

/// A file, or standard output.
class Destination {
public:
  Error open(StringRef Path, std::vector<ReservedFile> Reserved) {
    if (Path == "-") {
      Standard.emplace(STDOUT_FILENO, &Interrupted);
      if (sys::Process::StandardOutIsDisplayed())
        Standard->SetUnbuffered();
      return Error::success();
    }
    OutputFile::Options O;
    O.Reserved = std::move(Reserved);
    O.Known = [](StringRef Path) { return knownFileBut("tarmac", Path); };
    O.Cancel = &Interrupted;
    auto Made = OutputFile::create(Path, O);
    if (!Made)
      return Made.takeError();
    File = std::move(*Made);
    return Error::success();
  }
  FileStream &os() { return File ? File->os() : *Standard; }
  Error close() {
    if (File)
      return File->commit();
    if (!Standard)
      return Error::success();
    Standard->flush();
    if (std::error_code EC = Standard->error())
      return createStringError(EC,
                               "cannot write standard output: " + EC.message());
    return Error::success();
  }

private:
  std::unique_ptr<OutputFile> File;
  std::optional<FileStream> Standard;
};
} // namespace

template <class... Ts> static Error usageError(const char *Format, Ts... Args) {
  return createStringError(std::errc::invalid_argument, Format, Args...);
}

static Error parseOptions(int Argc, char **Argv, Options &O) {
  enum {
    StyleOption = 256,
    Stdin,
    Output,
    Calls,
    Root,
    WriteDir,
    From,
    To,
    Turn,
    Linux,
    Bare,
    Verify
  };
  static const option Long[] = {
      {"trace", required_argument, nullptr, 'o'},
      {"limit", required_argument, nullptr, 'n'},
      {"style", required_argument, nullptr, StyleOption},
      {"stdin", required_argument, nullptr, Stdin},
      {"output", required_argument, nullptr, Output},
      {"calls", required_argument, nullptr, Calls},
      {"root", required_argument, nullptr, Root},
      {"write-dir", required_argument, nullptr, WriteDir},
      {"from", required_argument, nullptr, From},
      {"to", required_argument, nullptr, To},
      {"turn", required_argument, nullptr, Turn},
      {"linux", no_argument, nullptr, Linux},
      {"bare", no_argument, nullptr, Bare},
      {"verify", no_argument, nullptr, Verify},
      {"quiet", no_argument, nullptr, 'q'},
      {"help", no_argument, nullptr, 'h'},
      {nullptr, 0, nullptr, 0}};
  opterr = 0;
  // "+": what follows the program belongs to the program.
  for (int C; (C = getopt_long(Argc, Argv, "+:o:n:qh", Long, nullptr)) != -1;) {
    StringRef Value = optarg ? optarg : "";
    switch (C) {
    case 'o':
      O.Trace = Value.str();
      break;
    case 'n':
      if (Value.getAsInteger(0, O.Limit) || !O.Limit)
        return usageError("--limit needs a number above 0, not '%s'", optarg);
      break;
    case StyleOption:
      if (Value != "fm" && Value != "es")
        return usageError("--style is fm or es, not '%s'", optarg);
      O.Dialect = Value == "fm" ? Style::FastModel : Style::Cycle;
      break;
    case Stdin:
      O.Stdin = Value.str();
      break;
    case Output:
      O.Output = Value.str();
      break;
    case Calls:
      O.Calls = Value.str();
      break;
    case Root:
      O.Root = Value.str();
      break;
    case WriteDir:
      if (Value.empty())
        return usageError("--write-dir needs a folder");
      O.WriteDir = Value.str();
      break;
    case From:
      O.From = Value.str();
      break;
    case To:
      O.To = Value.str();
      break;
    case Turn:
      if (Value.getAsInteger(0, O.Turn) || !O.Turn)
        return usageError("--turn needs a number from 1, not '%s'", optarg);
      break;
    case Linux:
    case Bare:
      O.Bare = C == Bare;
      break;
    case Verify:
      O.Verify = true;
      break;
    case 'q':
      O.Quiet = true;
      break;
    case 'h':
      fputs(Usage, stdout);
      exit(0);
    case ':':
      return usageError("%s needs a value", Argv[optind - 1]);
    default:
      return usageError("unknown option %s; see --help", Argv[optind - 1]);
    }
  }
  if (optind == Argc)
    return usageError("no program to record; see --help");
  O.Program = Argv[optind];
  O.Arguments.assign(Argv + optind, Argv + Argc);
  if (O.Trace.empty())
    O.Trace = O.Program + ".tarmac";
  return Error::success();
}

static Error readInput(StringRef Path, std::string &Out) {
  if (Path.empty())
    return Error::success();
  if (Path == "-") {
    // A pipe may have no end.
    constexpr size_t Most = 256 << 20;
    std::vector<char> Part(64 << 10);
    for (;;) {
      auto N = sys::fs::readNativeFile(sys::fs::getStdinHandle(), Part);
      if (!N)
        return createStringError("cannot read standard input: " +
                                 toString(N.takeError()));
      if (*N == 0)
        return Error::success();
      Out.append(Part.data(), *N);
      if (Out.size() > Most)
        return createStringError(
            "standard input has more than 256 MiB, which is the most that is "
            "kept for the program: give it a part (head -c)");
    }
  }
  auto Input = readWholeFile(Path);
  if (!Input)
    return Input.takeError();
  Out = (*Input)->getBuffer().str();
  return Error::success();
}

static void report(const Outcome &Out, const Options &O) {
  for (const std::string &U : Out.Unsupported)
    fprintf(stderr, "rewind-record: not supported: %s\n", U.c_str());
  if (!O.Quiet)
    for (const std::string &R : Out.Refused)
      fprintf(stderr, "rewind-record: %s\n", R.c_str());
  if (!Out.Began) {
    fprintf(stderr,
            "rewind-record: '%s' was never called: the trace is empty, and not "
            "written\n",
            printable(O.From).c_str());
    return;
  }
  if (!O.To.empty() && Out.Kind == Outcome::Exited)
    fprintf(stderr,
            "rewind-record: '%s' did not return before the program ended: the "
            "trace goes on to there\n",
            printable(O.To).c_str());
  if (O.Quiet && Out.Kind != Outcome::Failed)
    return;
  fprintf(stderr, "rewind-record: %llu instructions in %s; ",
          (unsigned long long)Out.Instructions, printable(O.Trace).c_str());
  if (Out.Kind == Outcome::Stopped)
    fprintf(stderr, "interrupted\n");
  else if (Out.Kind == Outcome::Reached)
    fprintf(stderr, "'%s' has returned\n", printable(O.To).c_str());
  else if (Out.Kind == Outcome::Limit)
    fprintf(stderr, "stopped at the limit\n");
  else if (Out.Kind == Outcome::Failed)
    fprintf(stderr, "stopped: %s\n", Out.Failure.c_str());
  else if (Out.End.Signal)
    fprintf(stderr, "the program ended by signal %d\n", Out.End.Signal);
  else
    fprintf(stderr, "the program exited with status %d\n", Out.End.Status);
}

/// What became of the files that the program has written.
static void reportFiles(const MadeFiles &Made, const Options &O) {
  const auto Files = Made.files();
  if (Files.empty())
    return;
  constexpr size_t Most = 3;
  std::string Names;
  for (size_t I = 0; I < Files.size() && I < Most; ++I)
    Names += (I ? ", " : "") + printable(Files[I].first);
  if (Files.size() > Most)
    Names += ", ...";
  if (O.WriteDir.empty())
    fprintf(stderr,
            "rewind-record: the program left %zu file%s that %s gone now (%s); "
            "--write-dir keeps such files\n",
            Files.size(), Files.size() == 1 ? "" : "s",
            Files.size() == 1 ? "is" : "are", Names.c_str());
  else
    fprintf(stderr,
            "rewind-record: the program wrote %zu file%s into %s (%s)\n",
            Files.size(), Files.size() == 1 ? "" : "s",
            printable(O.WriteDir).c_str(), Names.c_str());
}

/// What is to be written changes nothing that the program reads.
static Error checkWriteDir(const Options &O) {
  namespace fs = std::filesystem;
  if (O.Root.empty() || O.WriteDir.empty())
    return Error::success();
  std::error_code EC;
  auto Real = [&](const std::string &Path) {
    // "root/" is "root".
    const fs::path P = fs::weakly_canonical(fs::absolute(Path, EC), EC);
    return P.has_filename() ? P : P.parent_path();
  };
  const fs::path Root = Real(O.Root), Into = Real(O.WriteDir);
  auto In = [](const fs::path &Inner, const fs::path &Outer) {
    return std::mismatch(Outer.begin(), Outer.end(), Inner.begin(), Inner.end())
               .first == Outer.end();
  };
  // Everything is in "/".
  const bool Inside = Root.has_relative_path() && In(Into, Root);
  if (EC || (!Inside && !In(Root, Into)))
    return Error::success(); // whoever opens them says what is wrong
  return usageError(
      "--write-dir '%s' is %s--root '%s', which would change: give "
      "another folder",
      printable(O.WriteDir).c_str(),
      Root == Into ? ""
      : Inside     ? "in "
                   : "above ",
      printable(O.Root).c_str());
}

static Expected<int> recordProgram(int Argc, char **Argv) {
  Options O;
  if (Error E = parseOptions(Argc, Argv, O))
    return E;
  if (Error E = checkWriteDir(O))
    return E;
  Expected<Image> I = Image::load(O.Program);
  if (!I)
    return I.takeError();
  auto G = Guest::create(*I, O.Bare.value_or(!I->IsLinux));
  if (!G)
    return G.takeError();
  World W;
  W.Arguments = O.Arguments;
  W.Turn = O.Turn;
  std::optional<HostFolder> Root;
  if (!O.Root.empty()) {
    Expected<HostFolder> F = HostFolder::open(O.Root);
    if (!F)
      return F.takeError();
    W.Root = &Root.emplace(std::move(*F));
  }
  MadeFiles Made(W.Root, /*Everywhere=*/!O.WriteDir.empty());
  W.Made = &Made;
  if (!O.WriteDir.empty())
    if (std::error_code EC = sys::fs::create_directories(O.WriteDir))
      return createStringError(EC, "cannot use '" + printable(O.WriteDir) +
                                       "' as --write-dir: " + EC.message());
  Plan P;
  P.Limit = O.Limit;
  P.Verify = O.Verify;
  for (auto [Name, Into] : {std::pair(&O.From, &P.From), {&O.To, &P.To}}) {
    if (Name->empty())
      continue;
    auto Found = I->functions(*Name);
    if (!Found)
      return Found.takeError();
    *Into = std::move(*Found);
  }
  W.Stop = &Interrupted;
  if (Error E = readInput(O.Stdin, W.Input))
    return E;
  Destination TraceFile, CallFile, Output;
  // No output is written over what is read, or over another output.
  std::vector<ReservedFile> Reserved{{O.Program, "the program"}};
  if (!O.Stdin.empty() && O.Stdin != "-")
    Reserved.push_back({O.Stdin, "the program's input"});
  auto open = [&](Destination &D, StringRef Path, const char *What) -> Error {
    if (Path.empty())
      return Error::success();
    if (Error E = D.open(Path, Reserved))
      return E;
    if (Path != "-")
      Reserved.push_back({Path.str(), What});
    return Error::success();
  };
  // What the program prints is not mixed with a trace.
  const std::string Printed =
      O.Output.empty() && O.Trace != "-" ? "-" : O.Output;
  if (Error E = open(TraceFile, O.Trace, "the trace"))
    return E;
  if (Error E = open(CallFile, O.Calls, "the list of calls"))
    return E;
  if (Error E = open(Output, Printed, "the program's output"))
    return E;
  if (!Printed.empty())
    W.Output = &Output.os();

  TextFile Trace(TraceFile.os());
  std::unique_ptr<TextFile> CallText;
  std::unique_ptr<CallLog> Calls;
  if (!O.Calls.empty()) {
    CallText = std::make_unique<TextFile>(CallFile.os());
    Calls = std::make_unique<CallLog>(*CallText);
  }
  auto Writer = TarmacWriter::create(O.Dialect, **G, Trace);
  Recorder R(*I, **G, W, *Writer, Calls.get(), std::move(P));
  Expected<Outcome> Out = R.run(*I);
  if (!Out)
    return Out.takeError();
  Trace.flush();
  if (CallText)
    CallText->flush();
  // What holds nothing replaces no earlier recording.
  for (Destination *D : {&Output, &TraceFile, &CallFile})
    if (D == &Output || Out->Began)
      if (Error E = D->close())
        return E;
  if (!O.WriteDir.empty())
    if (Error E = Made.save(O.WriteDir))
      return E;
  report(*Out, O);
  if (!O.Quiet)
    reportFiles(Made, O);
  if (!Out->Began)
    return 1;
  return Out->Kind == Outcome::Failed    ? 2
         : Out->Kind == Outcome::Stopped ? 130
                                         : 0;
}

int main(int Argc, char **Argv) {
  // Else the recording gets the number of a closed standard output, and what
  // the program prints goes there.
  if (sys::Process::FixupStandardFileDescriptors())
    return 1;
  struct sigaction Action = {};
  Action.sa_handler = onSignal;
  for (int Signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction Before = {};
    if (Signal != SIGHUP || sigaction(Signal, nullptr, &Before) != 0 ||
        Before.sa_handler != SIG_IGN) // nohup
      sigaction(Signal, &Action, nullptr);
  }
  Expected<int> Status = recordProgram(Argc, Argv);
  if (Status)
    return *Status;
  fprintf(stderr, "rewind-record: %s\n",
          printableLines(toString(Status.takeError())).c_str());
  return 1;
}
