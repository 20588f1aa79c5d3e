//===- LoadCommand.cpp - rewind load
//---------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/LoadCommand.h"
#include "commands/Options.h"
#include "core/calls/CallRecogniser.h"
#include "core/store/Indexer.h"
#include "lldb/API/LLDB.h"
#include "plugin/DebuggerWatch.h"
#include "plugin/LoadedTrace.h"
#include "plugin/ReplayServer.h"
#include "plugin/TargetDescription.h"
#include "plugin/TraceAdapter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"
#include <sys/socket.h>

using namespace rw;
using namespace lldb;
using llvm::StringRef;

static constexpr OptionSpec Options[] = {
    {"image", 'i', "elf[@addr]",
     "program or library, at that address if it was moved; several times, the "
     "program first"},
    {"format", 'f', "name", "the trace's format, if the guess is wrong"},
    {"index", 0, "path", "where the index is, or is to be"},
    {"force-index", 0, "", "build the index anew"},
    {"no-index", 0, "", "fail rather than build an index"},
    {"only-index", 0, "", "build the index and stop"},
    {"big-endian", 0, "", "the traced CPU's data was big-endian"},
    {"missing-modules", 0, "",
     "Intel PT: go on without modules that are missing or of another build"},
};

namespace {
struct Image {
  std::string Path;
  std::optional<uint64_t> Base;
};

/// Deletes a target that did not become a replay, and selects the one that was
/// selected before.
class TargetGuard {
public:
  TargetGuard(SBDebugger Debugger)
      : Debugger(Debugger), Before(Debugger.GetSelectedTarget()) {}
  ~TargetGuard() {
    if (!New.IsValid())
      return;
    Debugger.DeleteTarget(New);
    if (Before.IsValid())
      Debugger.SetSelectedTarget(Before);
  }
  SBTarget New;
  void keep() { New = SBTarget(); }

private:
  SBDebugger Debugger;
  SBTarget Before;
};
} // namespace

static std::string absolute(StringRef Path) {
  llvm::SmallString<256> Full;
  llvm::sys::fs::expand_tilde(Path, Full);
  llvm::sys::fs::make_absolute(Full);
  return Full.str().str();
}

static llvm::Expected<Image> parseImage(StringRef Text) {
  Image Result;
  auto [Path, Base] = Text.rsplit('@');
  // A file whose name has an '@' is still a file.
  if (Base.empty() || llvm::sys::fs::exists(absolute(Text))) {
    Result.Path = absolute(Text);
  } else {
    auto Addr = parseNumber(Base);
    if (!Addr)
      return llvm::createStringError("'" + Base + "' in --image " + Text +
                                     " is not an address");
    Result.Path = absolute(Path);
    Result.Base = *Addr;
  }
  if (!llvm::sys::fs::exists(Result.Path))
    return llvm::createStringError("no such image: " + Result.Path);
  return Result;
}

/// Whether code of \p Image can be that of a trace of \p A.
static bool fits(const llvm::Triple &Image, Arch A) {
  switch (A) {
  case Arch::AArch64:
    // Part of the program may have run in AArch32 state.
    return Image.isAArch64() || Image.isARM() || Image.isThumb();
  case Arch::Arm:
    return Image.isARM() || Image.isThumb();
  case Arch::PPC64:
  case Arch::PPC64LE:
    return Image.isPPC64();
  case Arch::X86_64:
    return Image.getArch() == llvm::Triple::x86_64;
  case Arch::Unknown:
    break;
  }
  return true;
}

static llvm::Error slide(SBTarget Target, SBModule Module,
                         std::optional<uint64_t> Base) {
  int64_t Slide = 0;
  if (Base) {
    uint64_t Lowest = Module.GetObjectFileHeaderAddress().GetFileAddress();
    if (Lowest == LLDB_INVALID_ADDRESS)
      return llvm::createStringError("the image has no address to move");
    Slide = int64_t(*Base - Lowest);
  }
  SBError Error = Target.SetModuleLoadAddress(Module, Slide);
  if (Error.Fail())
    return llvm::createStringError(Error.GetCString());
  return llvm::Error::success();
}

static void addReadOnly(SBTarget Target, SBSection Section, MemoryView &Out) {
  if (size_t N = Section.GetNumSubSections()) {
    for (size_t I = 0; I < N; ++I)
      addReadOnly(Target, Section.GetSubSectionAtIndex(I), Out);
    return;
  }
  uint64_t Addr = Section.GetLoadAddress(Target);
  if (Addr == LLDB_INVALID_ADDRESS || Section.GetFileByteSize() == 0 ||
      !(Section.GetPermissions() & ePermissionsReadable) ||
      (Section.GetPermissions() & ePermissionsWritable))
    return;
  SBData Data = Section.GetSectionData();
  std::vector<uint8_t> Bytes(Data.GetByteSize());
  SBError Error;
  Bytes.resize(Data.ReadRawData(Error, 0, Bytes.data(), Bytes.size()));
  if (Error.Success())
    Out.addReadOnly(Addr, std::move(Bytes));
}

static std::string quoted(SBError Error) {
  StringRef Text = Error.GetCString() ? Error.GetCString() : "unknown error";
  return Text.trim().str();
}

/// Opens the trace's index, building it with progress shown and under the
/// user's Ctrl-C if need be.
static llvm::Expected<std::unique_ptr<TraceStore>>
openIndexed(SBDebugger Debugger, const std::string &Path,
            const ParsedOptions &Given, IndexReport &Report) {
  IndexOptions Options;
  Options.Format = Given.value("format").value_or("").str();
  if (auto Index = Given.value("index"))
    Options.IndexPath = absolute(*Index);
  Options.Force = Given.has("force-index");
  Options.Never = Given.has("no-index");
  Options.Reader.BigEndian = Given.has("big-endian");
  Options.Reader.MissingModules = Given.has("missing-modules");
  CallRecogniser Calls;
  Options.Observers = {&Calls};
  Options.Sections = {"calls"};

  DebuggerWatch Shown(Debugger, "rewind load");
  Watch Watch = Shown.watch();
  Options.Reader.Cancel = Watch.Cancel;
  Options.Reader.Progress = [&](uint64_t Done, uint64_t Total) {
    Watch.Progress("indexing " + Path, Done, Total);
  };
  return openOrBuildStore(Path, Options, &Report);
}

/// Makes the target: from the first image, or bare.
static llvm::Error makeTarget(SBDebugger Debugger, const TraceStore &Store,
                              llvm::ArrayRef<Image> Images,
                              TargetGuard &Guard) {
  SBError Error;
  Arch A = Store.header().Architecture;
  std::string Triple = tripleFor(A).str();
  if (Images.empty()) {
    if (Triple.empty())
      return llvm::createStringError(
          "the trace does not tell its architecture: give an --image");
    Guard.New =
        Debugger.CreateTarget("", Triple.c_str(), nullptr, false, Error);
  } else {
    Guard.New = Debugger.CreateTarget(Images.front().Path.c_str(), nullptr,
                                      nullptr, false, Error);
  }
  if (!Guard.New.IsValid())
    return llvm::createStringError("cannot make a target: " + quoted(Error));
  for (size_t I = 0; I < Images.size(); ++I) {
    SBModule Module =
        I == 0 ? Guard.New.GetModuleAtIndex(0)
               : Guard.New.AddModule(Images[I].Path.c_str(), nullptr, nullptr);
    if (!Module.IsValid())
      return llvm::createStringError(Images[I].Path +
                                     " is not an image that LLDB can read");
    llvm::Triple T(Module.GetTriple() ? Module.GetTriple() : "");
    if (!fits(T, A))
      return llvm::createStringError(
          "the image " + Images[I].Path + " is for " + T.getArchName() +
          ", the trace is of " + llvm::Triple(Triple).getArchName());
    if (llvm::Error E = slide(Guard.New, Module, Images[I].Base))
      return E;
  }
  return llvm::Error::success();
}

static llvm::Error connect(SBDebugger Debugger, SBTarget Target,
                           std::shared_ptr<LoadedTrace> Trace) {
  auto FD = startReplayServer(Trace);
  if (!FD)
    return FD.takeError();
  Debugger.SetSelectedTarget(Target);
  // The stop must have been consumed before the trace can be attached.
  bool Async = Debugger.GetAsync();
  Debugger.SetAsync(false);
  SBCommandReturnObject Result;
  std::string Command =
      llvm::formatv("process connect -p gdb-remote fd://{0}", *FD);
  // Not the context of the command that is running: that may be the target that
  // was selected before.
  SBExecutionContext Context(Target);
  Debugger.GetCommandInterpreter().HandleCommand(Command.c_str(), Context,
                                                 Result);
  Debugger.SetAsync(Async);
  if (!Result.Succeeded()) {
    ::shutdown(*FD, SHUT_RDWR); // ends the server
    StringRef Text = Result.GetError() ? Result.GetError() : "";
    Text.consume_front("error: ");
    return llvm::createStringError("cannot start the replay process: " +
                                   Text.trim());
  }
  return llvm::Error::success();
}

/// What loads the same trace and its index from the folder that they lie in.
static std::string loadLine(const LoadedTrace &Trace,
                            llvm::ArrayRef<Image> Images, bool BigEndian) {
  auto Quoted = [](StringRef Path) { return " \"" + Path.str() + "\""; };
  std::string Text =
      "rewind load" + Quoted(llvm::sys::path::filename(Trace.tracePath())) +
      " --index" + Quoted(llvm::sys::path::filename(Trace.storePath()));
  for (const Image &I : Images) {
    Text += " --image" + Quoted(I.Path);
    if (I.Base) {
      Text.pop_back();
      Text += llvm::formatv("@{0:x}\"", *I.Base);
    }
  }
  if (BigEndian)
    Text += " --big-endian";
  return Text;
}

/// Settings of this target alone. LLDB takes the first bytes of a cache line
/// for all of it, and memory here may be known in part.
static void adjustSettings(SBDebugger Debugger, SBTarget Target) {
  SBExecutionContext Context(Target);
  for (const char *Command :
       {"settings set target.process.disable-memory-cache true",
        "target stop-hook add -o 'rewind at-stop'"}) {
    SBCommandReturnObject Ignored;
    Debugger.GetCommandInterpreter().HandleCommand(Command, Context, Ignored);
  }
}

llvm::Error rw::loadTrace(SBDebugger Debugger, llvm::ArrayRef<StringRef> Words,
                          llvm::raw_ostream &Out) {
  auto Parsed = parseOptions({llvm::ArrayRef(Options)}, Words);
  if (!Parsed)
    return Parsed.takeError();
  if (Parsed->arguments().size() != 1)
    return llvm::createStringError("rewind load takes one trace file");
  std::string Path = absolute(Parsed->arguments()[0]);
  std::vector<Image> Images;
  for (StringRef Text : Parsed->values("image")) {
    auto I = parseImage(Text);
    if (!I)
      return I.takeError();
    Images.push_back(std::move(*I));
  }

  IndexReport Report;
  auto Opened = openIndexed(Debugger, Path, *Parsed, Report);
  if (!Opened)
    return Opened.takeError();
  auto Trace =
      std::make_shared<LoadedTrace>(std::move(*Opened), Path, Report.Path);
  const TraceStore &Store = Trace->store();
  if (Parsed->has("only-index")) {
    Out << "index: " << Trace->storePath() << '\n';
    return llvm::Error::success();
  }
  if (Store.numInstructions() == 0)
    return llvm::createStringError("the trace has no instructions");

  TargetGuard Guard(Debugger);
  if (llvm::Error E = makeTarget(Debugger, Store, Images, Guard))
    return E;
  SBTarget Target = Guard.New;
  Debugger.SetSelectedTarget(Target);
  adjustSettings(Debugger, Target);
  for (uint32_t M = 0; M < Target.GetNumModules(); ++M) {
    SBModule Module = Target.GetModuleAtIndex(M);
    for (size_t I = 0; I < Module.GetNumSections(); ++I)
      addReadOnly(Target, Module.GetSectionAtIndex(I), Trace->memory());
  }
  Trace->setDebugger(Debugger.GetID());
  Trace->setTriple(Target.GetTriple());
  Trace->setLoadCommand(loadLine(*Trace, Images, Parsed->has("big-endian")));
  if (llvm::Error E = connect(Debugger, Target, Trace))
    return E;
  rememberTrace(Target, Trace);
  // A dynamic loader plugin may have thought otherwise about the addresses.
  for (size_t I = 0; I < Images.size(); ++I)
    if (llvm::Error E =
            slide(Target, Target.GetModuleAtIndex(uint32_t(I)), Images[I].Base))
      return E;
  std::string Warning = attachTrace(Target, Trace);
  if (!Warning.empty())
    Out << "warning: " << Warning << '\n';
  Guard.keep();
  Out << Store.header().Format << " trace of " << Store.numInstructions()
      << " instructions";
  if (Store.numThreads() > 1)
    Out << " in " << Store.numThreads() << " threads";
  Out << (Report.Built ? ", indexed in " : ", index ") << Report.Path << '\n';
  return llvm::Error::success();
}

std::string rw::loadHelp() {
  std::string Text = R"(
Makes a process of a recorded trace: a target, a thread for each CPU (or thread)
of the trace, and time in both directions. The first time it builds an index,
<trace>.rewind, from which everything is answered.

  rewind load boot.tarmac --image kernel.elf --image app.elf@0x400000

Options:
)";
  for (const OptionSpec &O : Options) {
    std::string Left = O.Short ? std::string("-") + O.Short + ", " : "    ";
    Left += ("--" + O.Long).str();
    if (!O.Value.empty())
      Left += (" <" + O.Value + ">").str();
    Text += llvm::formatv("  {0,-26} {1}\n", Left, O.Help).str();
  }
  return Text;
}
