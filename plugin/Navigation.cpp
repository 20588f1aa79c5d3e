//===- Navigation.cpp - Moving in time
//--------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/Navigation.h"
#include "commands/Format.h"
#include "lldb/API/LLDB.h"
#include "plugin/LoadedTrace.h"

using namespace rw;
using namespace lldb;

static llvm::Error stopped(SBTarget Target) {
  SBProcess Process = Target.GetProcess();
  if (Process.GetState() == eStateStopped)
    return llvm::Error::success();
  return llvm::createStringError("the process is not stopped");
}

llvm::Error rw::resume(SBDebugger Debugger, SBTarget Target,
                       llvm::raw_ostream &Out) {
  if (llvm::Error E = stopped(Target))
    return E;
  SBCommandReturnObject Run;
  SBExecutionContext Context(Target.GetProcess().GetSelectedThread());
  Debugger.GetCommandInterpreter().HandleCommand("process continue -F", Context,
                                                 Run);
  if (!Run.Succeeded()) {
    llvm::StringRef Text = Run.GetError() ? Run.GetError() : "";
    return llvm::createStringError(Text.trim().str());
  }
  llvm::StringRef Text = Run.GetOutput() ? Run.GetOutput() : "";
  // "Process 1 resuming" says nothing: no one was kept waiting.
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (!Line.ends_with(" resuming"))
      Out << Line << '\n';
    Text = Rest;
  }
  return llvm::Error::success();
}

llvm::Error rw::travel(SBDebugger Debugger, SBTarget Target, LoadedTrace &Trace,
                       Instant To, ReplayStop Why, llvm::raw_ostream &Out) {
  Trace.engine().land(To, std::move(Why));
  llvm::Error E = resume(Debugger, Target, Out);
  if (E)
    Trace.engine().cancelLanding();
  return E;
}

Place rw::selectedPlace(SBTarget Target, LoadedTrace &Trace) {
  Instant Here = Trace.engine().here();
  uint64_t Id = Target.GetProcess().GetSelectedThread().GetThreadID();
  const auto &Threads = Trace.store().header().Threads;
  for (ThreadIndex T = 0; T < Threads.size(); ++T)
    if (Threads[T].Id == Id)
      Here.Thread = T;
  return {Here.Thread, Here.When};
}

llvm::Error rw::printPosition(const TraceStore &Store, Place Where,
                              llvm::raw_ostream &Out) {
  auto P = Store.positionOf(Where.Thread, Where.When);
  if (!P)
    return P.takeError();
  uint64_t Count = Store.numInstructions(Where.Thread);
  Out << formatPlace(Store, Where.Thread, *P) << " of " << Count;
  if (*P >= Count) {
    Out << ", the end\n";
    return llvm::Error::success();
  }
  auto M = Store.momentOf(Where.Thread, *P);
  if (!M)
    return M.takeError();
  auto Time = Store.timeAt(*M);
  if (!Time)
    return Time.takeError();
  if (*Time)
    Out << ", " << formatTime(Store, **Time);
  auto Line = Store.lineAt(*M);
  if (!Line)
    return Line.takeError();
  if (*Line)
    Out << ", line " << *Line << " of the trace";
  Out << '\n';
  return llvm::Error::success();
}

llvm::Error rw::visitQuietly(SBDebugger Debugger, SBTarget Target,
                             LoadedTrace &Trace, Place To) {
  if (llvm::Error E = stopped(Target))
    return E;
  bool Async = Debugger.GetAsync();
  Debugger.SetAsync(false);
  Trace.setQuiet(true);
  Trace.engine().land({To.When, To.Thread}, ReplayStop::Landing);
  SBError Error = Target.GetProcess().ContinueInDirection(eRunForward);
  Trace.engine().cancelLanding();
  Trace.setQuiet(false);
  Debugger.SetAsync(Async);
  if (Error.Fail())
    return llvm::createStringError(Error.GetCString());
  return llvm::Error::success();
}
