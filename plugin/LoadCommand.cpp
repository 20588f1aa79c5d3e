//===- LoadCommand.cpp - rewind load --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Damage.h"
#include "commands/support/ImageCheck.h"
#include "commands/support/PlaceReport.h"
#include "core/OpenTrace.h"
#include "core/store/TraceStore.h"
#include "core/support/LineWords.h"
#include "core/support/Printable.h"
#include "lldb/API/LLDB.h"
#include "plugin/DebuggerCommand.h"
#include "plugin/DebuggerWatch.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/ReplayTarget.h"
#include "plugin/TargetSymbols.h"
#include "plugin/WhatIsLeftOut.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace rw;
using namespace lldb;
using llvm::StringRef;

static std::string absolute(StringRef Path) {
  llvm::SmallString<256> Full;
  llvm::sys::fs::expand_tilde(Path, Full);
  llvm::sys::fs::make_absolute(Full);
  return Full.str().str();
}

/// Opens the trace's index, building it with progress shown and under the
/// user's Ctrl-C if need be.
static llvm::Expected<OpenedTrace> openIndexed(SBDebugger Debugger,
                                               const std::string &Path,
                                               const ParsedOptions &Given) {
  auto Options = indexOptions(Given);
  if (!Options)
    return Options.takeError();
  if (!Options->IndexPath.empty())
    Options->IndexPath = absolute(Options->IndexPath);
  DebuggerWatch Shown(Debugger, "rewind load");
  Watch Watch = Shown.watch();
  Watch.Progress = [&Path, Tell = Watch.Progress](StringRef What, uint64_t Done,
                                                  uint64_t Total) {
    Tell((What + " " + Path).str(), Done, Total);
  };
  return openTraceStore(Path, *Options, Watch);
}

/// What loads the same trace and its index from the folder that they lie in.
static std::string loadLine(const LoadedTrace &Trace,
                            llvm::ArrayRef<ImageOption> Images,
                            const ParsedOptions &Given) {
  std::string Text =
      "rewind load " + quoteWord(llvm::sys::path::filename(Trace.tracePath())) +
      " --index " + quoteWord(llvm::sys::path::filename(Trace.storePath()));
  for (const ImageOption &I : Images)
    Text += " --image " +
            quoteWord(I.Base ? llvm::formatv("{0}@{1:x}", I.Path, *I.Base).str()
                             : I.Path);
  return Text + repeatedOptions(Given);
}

static llvm::Error loadTrace(const DebuggerRequest &Request) {
  SBDebugger Debugger = Request.Debugger;
  llvm::raw_ostream &Out = Request.Out;
  awaitAllStops(Debugger);
  auto Parsed = parseOptions({loadOptions()}, Request.Words);
  if (!Parsed)
    return Parsed.takeError();
  if (Parsed->arguments().size() != 1)
    return llvm::createStringError("rewind load takes one trace file");
  std::string Path = absolute(Parsed->arguments()[0]);
  auto Given = imageOptions(*Parsed);
  if (!Given)
    return Given.takeError();
  for (ImageOption &I : *Given)
    I.Path = absolute(I.Path);

  auto Opened = openIndexed(Debugger, Path, *Parsed);
  if (!Opened) {
    if (whatIsLeftOut().empty())
      return Opened.takeError();
    return llvm::createStringError(llvm::toString(Opened.takeError()) +
                                   unlessWhole("; note that "));
  }
  const IndexReport &Report = Opened->Report;
  if (!Report.Note.empty())
    Out << "note: " << printable(Report.Note) << '\n';
  auto Trace = std::make_shared<LoadedTrace>(std::move(Opened->Store), Path,
                                             Report.Path);
  const TraceStore &Store = Trace->store();
  if (Parsed->has("only-index")) {
    Out << "index: " << Trace->storePath() << '\n';
    return llvm::Error::success();
  }
  if (Store.numInstructions() == 0)
    return llvm::createStringError("the trace " + Path +
                                   " has no instructions");

  placeImages(*Given, Store.header());
  std::vector<ReplayImage> Images;
  for (const ImageOption &I : *Given) {
    if (llvm::Error E = checkImage(Store, I, Parsed->has("force"),
                                   [&](const std::string &Text) {
                                     Out << "warning: " << Text << '\n';
                                   }))
      return E;
    Images.push_back({I.Path, I.Base, ""});
  }
  Trace->setLoadCommand(loadLine(*Trace, *Given, *Parsed));
  std::vector<std::string> Missing;
  // What the user names comes first: a module of the same file is that.
  for (ReplayImage &I : recordedImages(Store.header(), Missing))
    if (llvm::none_of(Images, [&](const ReplayImage &Given) {
          return Given.Path == I.Path;
        }))
      Images.push_back(std::move(I));
  if (llvm::Error E = startReplay(Debugger, Trace, Images, Missing, Out))
    return E;
  Out << Store.header().Format << " trace of " << Store.numInstructions()
      << " instructions";
  if (Store.numThreads() > 1)
    Out << " in " << Store.numThreads() << " threads";
  Out << (Report.Built ? ", indexed in " : ", index ") << Report.Path << '\n';
  if (std::string Remark = malformedRemark(Store.header()); !Remark.empty())
    Out << "warning: " << printable(Remark) << '\n';
  // Where one stands: LLDB does not show the stop that it attached to.
  SBTarget Target = Debugger.GetSelectedTarget();
  TargetSymbols Symbols(Target, Trace->symbols());
  Session S(Store, Out, Trace->session());
  if (Target.GetNumModules())
    S.Symbols = &Symbols;
  const Instant Here = Trace->engine().here();
  return printPlace(S, {Here.Thread, Here.When}, Out);
}

static std::string loadHelp() {
  std::string Text = R"(
Makes a process of a recorded trace: a target, a thread for each CPU (or thread)
of the trace, and time in both directions. The first time it builds an index,
<trace>.rewind, from which everything is answered.

  rewind load boot.tarmac --image boot.elf
  rewind load boot.tarmac --image boot.elf --image app.elf@0x400000 --force

Options:
)";
  return Text + optionHelp(loadOptions()) + "\nFormats:\n" + formatHelp();
}

const DebuggerCommand rw::LldbLoad = {
    .Words = {.Name = "load",
              .Summary = "Load a trace as a process",
              .Arguments = "<trace>",
              .Help = "  rewind load boot.tarmac --image boot.elf",
              .MaxArguments = 1},
    .Run = loadTrace,
    .Help = loadHelp,
    .Options = [] { return std::vector{loadOptions()}; },
};
