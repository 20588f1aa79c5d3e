//===- LoadedTrace.cpp - A trace that a debugger has loaded ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/LoadedTrace.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBFile.h"
#include "lldb/API/SBProcess.h"
#include "plugin/ScopedNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace rw;

static std::atomic<uint64_t> NextPid = 1;

LoadedTrace::LoadedTrace(std::shared_ptr<const TraceStore> S,
                         std::string TracePath, std::string StorePath)
    : Store(S), TracePath(std::move(TracePath)),
      StorePath(std::move(StorePath)), Pid(NextPid++), Engine(S), Memory(S),
      Names(std::make_unique<ScopedNames>(*this)) {}

LoadedTrace::~LoadedTrace() = default;

void LoadedTrace::notice(llvm::StringRef Line) const {
  print(("note: " + Line).str());
}

void LoadedTrace::print(llvm::StringRef Line) const {
  lldb::SBDebugger D = lldb::SBDebugger::FindDebuggerWithID(int(Debugger));
  if (!D.IsValid())
    return;
  std::string Text = (Line + "\n").str();
  lldb::SBFile File = D.GetErrorFile();
  size_t Written = 0;
  File.Write(reinterpret_cast<const uint8_t *>(Text.data()), Text.size(),
             &Written);
  File.Flush();
}

llvm::Expected<const CallIndex *> LoadedTrace::calls() {
  std::lock_guard<std::mutex> Lock(CallsMutex);
  if (!Calls) {
    auto Opened = CallIndex::open(*Store);
    if (!Opened)
      return Opened.takeError();
    if (!*Opened)
      return llvm::createStringError(
          "the trace's index has no calls: load it with --force-index");
    Calls = std::move(*Opened);
  }
  return Calls.get();
}

SessionMemory &LoadedTrace::session() {
  std::lock_guard<std::mutex> Lock(JumpsMutex);
  for (Place From : std::exchange(Jumps, {}))
    Session.cameFrom(From);
  return Session;
}

void LoadedTrace::jumpedFrom(Place Where) {
  std::lock_guard<std::mutex> Lock(JumpsMutex);
  Jumps.push_back(Where);
}

void LoadedTrace::cameTo(Place Where, bool Stepped,
                         std::optional<ThreadIndex> Selected) {
  std::lock_guard<std::mutex> Lock(JumpsMutex);
  if (auto From = Moved.cameTo(Where, Stepped, Selected))
    Jumps.push_back(*From);
}

namespace {
/// Process (LLDB's number for it, unique in this program) -> trace.
struct LoadedTraces {
  std::mutex Mutex;
  std::map<uint32_t, std::shared_ptr<LoadedTrace>> Traces;
};
} // namespace

/// Never destroyed: server threads may end after static destructors began.
static LoadedTraces &loadedTraces() {
  static LoadedTraces *R = new LoadedTraces;
  return *R;
}

void rw::rememberTrace(lldb::SBTarget Target,
                       std::shared_ptr<LoadedTrace> Trace) {
  std::lock_guard<std::mutex> Lock(loadedTraces().Mutex);
  loadedTraces().Traces[Target.GetProcess().GetUniqueID()] = std::move(Trace);
}

std::shared_ptr<LoadedTrace> rw::traceOf(lldb::SBTarget Target) {
  lldb::SBProcess Process = Target.GetProcess();
  // The server's thread, which forgets the trace, may not have noticed yet that
  // the process is gone.
  if (!Process.IsValid() || Process.GetState() == lldb::eStateExited ||
      Process.GetState() == lldb::eStateDetached)
    return nullptr;
  std::lock_guard<std::mutex> Lock(loadedTraces().Mutex);
  auto It = loadedTraces().Traces.find(Process.GetUniqueID());
  return It == loadedTraces().Traces.end() ? nullptr : It->second;
}

void rw::forgetTrace(const LoadedTrace &Trace) {
  std::lock_guard<std::mutex> Lock(loadedTraces().Mutex);
  std::erase_if(loadedTraces().Traces,
                [&](const auto &E) { return E.second.get() == &Trace; });
  Trace.tellWatcher(/*Gone=*/true);
}
