//===- AdoptCommand.cpp - rewind adopt ------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/OpenTrace.h"
#include "core/store/TraceStore.h"
#include "lldb/API/LLDB.h"
#include "plugin/CursorReader.h"
#include "plugin/DebuggerCommand.h"
#include "plugin/DebuggerWatch.h"
#include "plugin/ReplayTarget.h"
#include "plugin/private/CommandContext.h"
#include "llvm/TargetParser/Triple.h"

using namespace rw;
using namespace lldb;
using llvm::StringRef;

static llvm::Expected<std::unique_ptr<TraceStore>>
readStore(SBDebugger Debugger, SBTarget Target) {
  DebuggerWatch Shown(Debugger, "rewind adopt");
  CursorReader Reader(Target, Shown.watch());
  return makeTraceStore(Reader, Reader.nonlocalTargets());
}

static llvm::Error adoptTrace(const DebuggerRequest &Request) {
  SBDebugger Debugger = Request.Debugger;
  llvm::raw_ostream &Out = Request.Out;
  if (!Request.Words.empty())
    return llvm::createStringError("rewind adopt takes no arguments");
  SBTarget Target = commandTarget(Debugger);
  if (traceOf(Target))
    return llvm::createStringError(
        "the selected target is a recording of Rewind's already");
  if (!Target.GetTrace().IsValid())
    return llvm::createStringError(
        "the selected target has no trace: load one with 'trace load', or with "
        "'rewind load', which needs no 'trace load' first");
  llvm::Triple Triple(Target.GetTriple());
  if (Triple.getArch() != llvm::Triple::x86_64)
    return llvm::createStringError("only traces of x86_64 can be adopted, not "
                                   "of " +
                                   Triple.getArchName());
  auto Store = readStore(Debugger, Target);
  if (!Store)
    return Store.takeError();
  auto Trace = std::make_shared<LoadedTrace>(std::move(*Store), "", "");
  const TraceStore &S = Trace->store();
  if (S.numInstructions() == 0)
    return llvm::createStringError("the trace has no instructions");
  std::vector<std::string> Missing;
  auto Images = recordedImages(S.header(), Missing);
  if (llvm::Error E = startReplay(Debugger, Trace, Images, Missing, Out))
    return E;
  Out << S.numInstructions() << " instructions";
  if (S.numThreads() > 1)
    Out << " in " << S.numThreads() << " threads";
  Out << " adopted; the target that they come from is still there\n";
  return llvm::Error::success();
}

static std::string adoptHelp() {
  return R"(
Reads the trace that LLDB's own 'trace load' has put into the selected target,
and makes a recording of it that goes backwards, as 'rewind load' does. What
LLDB has lost or doubled while decoding stays so, there is no time, and of
several threads nobody knows who was first: 'rewind load' on the bundle knows
better.

  trace load /tmp/bundle/trace.json
  rewind adopt
)";
}

const DebuggerCommand rw::LldbAdopt = {
    .Words = {.Name = "adopt",
              .Summary = "Make a recording of a trace that LLDB has loaded "
                         "itself",
              .Help = "",
              .MaxArguments = 0},
    .Run = adoptTrace,
    .Help = adoptHelp,
};
