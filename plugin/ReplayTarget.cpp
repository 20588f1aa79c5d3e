//===- ReplayTarget.cpp - The target of a replay --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ReplayTarget.h"
#include "core/replay/TargetDescription.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"
#include "lldb/API/LLDB.h"
#include "plugin/InterruptSignal.h"
#include "plugin/Navigation.h"
#include "plugin/ReplayServer.h"
#include "plugin/private/CallUnwind.h"
#include "plugin/private/ContainerParts.h"
#include "plugin/private/DebuggerState.h"
#include "plugin/private/InterpretedExpressions.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/PrivateThread.h"
#include "plugin/private/RunState.h"
#include "plugin/private/StopWatcher.h"
#include "plugin/private/StringSummaries.h"
#include "plugin/private/TraceAdapter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"
#include <sys/socket.h>

using namespace rw;
using namespace lldb;
using llvm::StringRef;

/// A program rather than a library, by its name: traces do not tell.
static bool isProgram(const ModuleInfo &M) {
  StringRef Name = llvm::sys::path::filename(M.Recorded);
  return !Name.contains(".so") && !Name.starts_with("[");
}

std::vector<ReplayImage> rw::recordedImages(const TraceHeader &Header,
                                            std::vector<std::string> &Missing) {
  std::vector<ReplayImage> Images;
  for (const ModuleInfo &M : Header.Modules) {
    if (llvm::sys::fs::is_regular_file(M.Path))
      Images.push_back({M.Path, M.LoadAddress, M.BuildId});
    else
      Missing.push_back(M.Recorded.empty() ? M.Path : M.Recorded);
  }
  for (const ModuleInfo &M : Header.Modules)
    if (isProgram(M)) {
      std::stable_partition(
          Images.begin(), Images.end(),
          [&](const ReplayImage &I) { return I.Path == M.Path; });
      break;
    }
  return Images;
}

/// Hexadecimal digits only, in capitals.
static std::string digits(StringRef Id) {
  std::string Text;
  for (char C : Id)
    if (llvm::isHexDigit(C))
      Text += llvm::toUpper(C);
  return Text;
}

static llvm::Error checkBuild(SBModule Module, const ReplayImage &Image) {
  std::string Wanted = digits(Image.BuildId);
  std::string Found =
      digits(Module.GetUUIDString() ? Module.GetUUIDString() : "");
  if (Wanted.empty() || Found == Wanted)
    return llvm::Error::success();
  return llvm::createStringError(
      Image.Path + " is not the build that was traced: its build id is " +
      (Found.empty() ? "missing" : Found) + ", not " + Wanted);
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

static llvm::Error makeTarget(SBDebugger Debugger, const TraceStore &Store,
                              llvm::ArrayRef<ReplayImage> Images,
                              SBTarget &New) {
  SBError Error;
  Arch A = Store.header().Architecture;
  std::string Triple = tripleFor(A).str();
  if (Images.empty()) {
    if (Triple.empty())
      return llvm::createStringError(
          "the trace does not tell its architecture: give an --image");
    New = Debugger.CreateTarget("", Triple.c_str(), nullptr, false, Error);
  } else {
    New = Debugger.CreateTarget(Images.front().Path.c_str(), nullptr, nullptr,
                                false, Error);
  }
  if (!New.IsValid())
    return llvm::createStringError(
        "cannot make a target: " +
        StringRef(Error.GetCString() ? Error.GetCString() : "unknown error")
            .trim());
  for (size_t I = 0; I < Images.size(); ++I) {
    SBModule Module =
        I == 0 ? New.GetModuleAtIndex(0)
               : New.AddModule(Images[I].Path.c_str(), nullptr, nullptr);
    if (!Module.IsValid())
      return llvm::createStringError(Images[I].Path +
                                     " is not an image that LLDB can read");
    llvm::Triple T(Module.GetTriple() ? Module.GetTriple() : "");
    if (!fits(T, A))
      return llvm::createStringError("the image " + printable(Images[I].Path) +
                                     " is for " + T.getArchName() +
                                     ", the trace is of " +
                                     llvm::Triple(Triple).getArchName());
    if (llvm::Error E = checkBuild(Module, Images[I]))
      return E;
    if (llvm::Error E = slide(New, Module, Images[I].Base))
      return E;
  }
  return llvm::Error::success();
}

/// Sets the load addresses once more: a dynamic loader plugin may have thought
/// otherwise about them.
static llvm::Error loadSections(SBTarget Target,
                                llvm::ArrayRef<ReplayImage> Images) {
  for (size_t I = 0; I < Images.size(); ++I)
    if (llvm::Error E =
            slide(Target, Target.GetModuleAtIndex(uint32_t(I)), Images[I].Base))
      return E;
  return llvm::Error::success();
}

static void collectReadOnly(SBTarget Target, MemoryView &Out) {
  for (uint32_t M = 0; M < Target.GetNumModules(); ++M) {
    SBModule Module = Target.GetModuleAtIndex(M);
    for (size_t I = 0; I < Module.GetNumSections(); ++I)
      addReadOnly(Target, Module.GetSectionAtIndex(I), Out);
  }
}

namespace {
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

/// LLDB shows POWER's registers as bare numbers, "li 3, 8", and has no setting
/// for it. LLVM has an option.
static void nameRegisters(const llvm::Triple &Target) {
  constexpr const char *Name = "ppc-asm-full-reg-names";
  if (!Target.isPPC())
    return;
  auto &Options = llvm::cl::getRegisteredOptions();
  if (auto It = Options.find(Name);
      It != Options.end() && !It->second->getNumOccurrences())
    It->second->addOccurrence(0, Name, "true");
}

static void adjust(SBDebugger Debugger, SBExecutionContext Context,
                   const char *Setting) {
  SBCommandReturnObject Ignored;
  Debugger.GetCommandInterpreter().HandleCommand(
      (llvm::Twine("settings set ") + Setting).str().c_str(), Context, Ignored);
}

/// Before there is a process, which LLDB looks at when it stops first: what it
/// makes of a container's bytes, of which there are none. It crashes on a
/// std::tuple that is not available.
static void adjustTarget(SBDebugger Debugger, SBTarget Target,
                         bool MemoryValues) {
  if (!MemoryValues)
    adjust(Debugger, SBExecutionContext(Target),
           "target.enable-synthetic-value false");
}

/// Settings of a process that there is not yet are everybody's. LLDB takes the
/// first bytes of a cache line for all of it, and memory here may be known in
/// part.
static void adjustProcess(SBDebugger Debugger, SBProcess Process) {
  adjust(Debugger, SBExecutionContext(Process),
         "target.process.disable-memory-cache true");
}

llvm::Error rw::startReplay(SBDebugger Debugger,
                            std::shared_ptr<LoadedTrace> Trace,
                            llvm::ArrayRef<ReplayImage> Images,
                            llvm::ArrayRef<std::string> Missing,
                            llvm::raw_ostream &Out) {
  const TraceStore &Store = Trace->store();
  TargetGuard Guard(Debugger);
  if (llvm::Error E = makeTarget(Debugger, Store, Images, Guard.New))
    return E;
  SBTarget Target = Guard.New;
  Debugger.SetSelectedTarget(Target);
  adjustTarget(Debugger, Target, Store.header().Can.MemValues);
  collectReadOnly(Target, Trace->memory());
  Trace->setDebugger(Debugger.GetID());
  Trace->setTriple(Target.GetTriple());
  nameRegisters(llvm::Triple(Target.GetTriple()));
  Trace->setOnConnected([Target, T = Trace.get()] {
    std::vector<tid_t> Ids;
    for (const auto &Thread : T->store().header().Threads)
      Ids.push_back(Thread.Id);
    numberThreads(Target, Ids);
  });
  if (llvm::Error E = connect(Debugger, Target, Trace))
    return E;
  adjustProcess(Debugger, Target.GetProcess());
  rememberTrace(Target, Trace);
  interpretExpressions(Target);
  showKnownElements(Debugger);
  showUnknownStrings(Debugger); // makes LLDB look anew for what there is
  Trace->setDebuggerState(DebuggerState::of(Target, Trace));
  watchInterruptSignal();
  if (llvm::Error E = loadSections(Target, Images))
    return E;
  std::vector<std::string> Warnings;
  if (!Store.header().Can.MemValues)
    Trace->setHidden(std::make_unique<HiddenData>(Target));
  Warnings.push_back(unwindByCalls(Target, Trace));
  if (!Missing.empty())
    Warnings.push_back("not found, so there are no names for its code: " +
                       llvm::join(Missing, ", "));
  Warnings.push_back(attachTrace(Target, Trace));
  Warnings.push_back(watchStops(Target, Trace));
  for (const std::string &Text : Warnings)
    if (!Text.empty())
      Out << "warning: " << Text << '\n';
  Guard.keep();
  if (showInStatusLine(Debugger, Target.GetProcess().GetSelectedThread()))
    awaitAllStops(Debugger);
  return llvm::Error::success();
}
