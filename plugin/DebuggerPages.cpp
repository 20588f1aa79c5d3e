//===- DebuggerPages.cpp --------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/DebuggerPages.h"
#include "core/store/TraceStore.h"
#include "core/support/Backoff.h"
#include "core/support/Guarded.h"
#include "core/support/LineWords.h"
#include "lldb/API/LLDB.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/SourceMap.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/RunState.h"
#include <csignal>

using namespace rw;
using namespace lldb;
using Clock = std::chrono::steady_clock;

DebuggerPages::DebuggerPages(SBDebugger D, SBTarget Target,
                             std::shared_ptr<LoadedTrace> T)
    : TracePath(T->tracePath()), Debugger(D.GetID()),
      Process(Target.GetProcess().GetUniqueID()), Told(privateLLDB()),
      Trace(std::move(T)),
      Session(std::make_unique<ImageSession>(Trace->store(), Nowhere)) {
  const Place At = commandPlace(Target, *Trace);
  Here = {At.When, At.Thread};
}

/// The images that `rewind load` was told.
static llvm::Expected<std::vector<ImageOption>>
imagesOf(const LoadedTrace &Trace) {
  auto Split = splitWords(Trace.loadCommand());
  if (!Split)
    return Split.takeError();
  llvm::SmallVector<llvm::StringRef> Words(Split->begin(), Split->end());
  // Nothing was typed for a recording that was adopted.
  if (Words.size() < 2)
    return std::vector<ImageOption>();
  auto Options =
      parseOptions({loadOptions()}, llvm::ArrayRef(Words).drop_front(2));
  if (!Options)
    return Options.takeError();
  return imageOptions(*Options);
}

llvm::Expected<std::shared_ptr<DebuggerPages>>
DebuggerPages::open(SBDebugger Debugger, SBTarget Target,
                    std::shared_ptr<LoadedTrace> Trace, uint16_t Port,
                    const Watch &Shown,
                    const std::function<void(const std::string &)> &Warn) {
  std::shared_ptr<DebuggerPages> P(
      new DebuggerPages(Debugger, Target, std::move(Trace)));
  auto Images = imagesOf(*P->Trace);
  if (!Images)
    return Images.takeError();
  rw::Session &S = P->Session->session();
  S.TracePath = P->Trace->tracePath();
  S.StorePath = P->Trace->storePath();
  S.MovedSource = movedSources(Debugger);
  S.Warn = Warn;
  S.Watch = Shown;
  // They were good enough to load the trace with.
  if (llvm::Error E = P->Session->add(std::move(*Images), /*Force=*/true))
    return E;
  if (llvm::Error E = Shown.check())
    return E;
  S.Warn = nullptr;
  S.Watch = {};
  S.Watch.Cancel = &P->Ending;
  auto Answers = ViewAnswers::open(S);
  if (!Answers)
    return Answers.takeError();
  P->Answers = std::move(*Answers);
  ViewServer::Options Options;
  Options.Port = Port;
  Options.Answer = [To = P->Answers.get()](llvm::StringRef Message) {
    return To->answer(Message);
  };
  auto Server = ViewServer::open(std::move(Options));
  if (!Server)
    return Server.takeError();
  P->Server = std::move(*Server);
  P->Url = P->Server->url();
  P->start();
  return P;
}

void DebuggerPages::start() {
  if (Told) {
    ViewDebugger D;
    D.State = [this] {
      std::lock_guard<std::mutex> Lock(Mutex);
      return state();
    };
    D.Go = [this](Place To, uint64_t Revision, uint64_t By) {
      return want({To, Revision, By});
    };
    Answers->setDebugger(std::move(D));
  }
  Trace->watch([Weak = weak_from_this()](bool Gone) {
    if (auto Me = Weak.lock())
      Me->stopped(Gone);
  });
  // Signals are for the threads that had them.
  sigset_t All, Old;
  sigfillset(&All);
  ::pthread_sigmask(SIG_BLOCK, &All, &Old);
  // One that does not end in time keeps what it uses.
  Moving = std::thread([Me = shared_from_this()] {
    Me->guard([&] {
      Me->moveAsWanted();
      return llvm::Error::success();
    });
  });
  Serving = std::thread([Me = shared_from_this()] { Me->serve(); });
  ::pthread_sigmask(SIG_SETMASK, &Old, nullptr);
}

void DebuggerPages::guard(llvm::function_ref<llvm::Error()> Body) {
  if (llvm::Error E = guarded(Body))
    Trace->notice("rewind view: " + llvm::toString(std::move(E)));
}

void DebuggerPages::serve() {
  guard([&] { return Server->run([&] { return Ending || isLeft(); }); });
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Ending = true;
    Changed.notify_all();
  }
  Moving.join();
  freeAll();
  std::lock_guard<std::mutex> Lock(Mutex);
  Ended = true;
  Changed.notify_all();
}

void DebuggerPages::freeAll() {
  std::unique_lock<std::mutex> Lock(Mutex);
  auto OldTrace = std::move(Trace);
  auto OldSession = std::move(Session);
  auto OldAnswers = std::move(Answers);
  auto OldServer = std::move(Server);
  // What goes with the trace may wait for LLDB, which may wait for the mutex.
  Lock.unlock();
}

bool DebuggerPages::isLeft() {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (!Gone || Server->pages())
    LeftSince.reset();
  else if (!LeftSince)
    LeftSince = Clock::now();
  return LeftSince &&
         Clock::now() - *LeftSince >= std::chrono::seconds(LonelySeconds);
}

void DebuggerPages::stop() {
  if (!Serving.joinable())
    return;
  {
    std::unique_lock<std::mutex> Lock(Mutex);
    Ending = true;
    Changed.notify_all();
    Changed.wait_for(Lock, std::chrono::seconds(5), [&] { return Ended; });
    if (!Ended) {
      Serving.detach();
      return;
    }
  }
  Serving.join();
}

bool DebuggerPages::isOf(const LoadedTrace &T) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return !Ending && Trace.get() == &T;
}

std::optional<DebuggerPages::Status> DebuggerPages::status() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Ending)
    return std::nullopt;
  return Status{Gone, Server->pages()};
}

llvm::json::Object DebuggerPages::state() const {
  llvm::json::Object O{{"name", "LLDB"},
                       {"revision", Revision},
                       {"state", Gone ? "gone" : "stopped"},
                       {"thread", int64_t(Here.Thread) + 1}};
  auto At = Trace->store().positionOf(Here.Thread, Here.When);
  if (At)
    O["at"] = *At;
  else
    O["error"] = llvm::json::fixUTF8(llvm::toString(At.takeError()));
  return O;
}

void DebuggerPages::tell(llvm::json::Object O) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS << llvm::json::Value(llvm::json::Object{{"debugger", std::move(O)}});
  Server->tell(std::move(Text));
}

void DebuggerPages::stopped(bool HasGone) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Ending)
    return;
  Gone = HasGone;
  if (!Told)
    return;
  if (!Gone)
    Here = Trace->engine().here();
  ++Revision;
  llvm::json::Object O = state();
  if (uint64_t By = std::exchange(MovedBy, 0))
    O["by"] = By;
  tell(std::move(O));
}

llvm::Error DebuggerPages::want(Wish W) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Gone)
    return llvm::createStringError("the process has ended");
  if (W.Revision != Revision)
    return llvm::createStringError("LLDB has stopped meanwhile");
  Next = W;
  Changed.notify_all();
  return llvm::Error::success();
}

void DebuggerPages::moveAsWanted() {
  while (true) {
    Wish W;
    {
      std::unique_lock<std::mutex> Lock(Mutex);
      Changed.wait(Lock, [&] { return Ending || Next; });
      if (Ending)
        return;
      W = *Next;
      Next.reset();
    }
    llvm::Error E = move(W);
    if (!E)
      continue;
    std::lock_guard<std::mutex> Lock(Mutex);
    MovedBy = 0;
    if (Ending)
      return;
    llvm::json::Object O = state();
    O["by"] = W.By;
    O["refused"] = llvm::json::fixUTF8(llvm::toString(std::move(E)));
    tell(std::move(O));
  }
}

SBTarget DebuggerPages::target(SBDebugger D) const {
  for (uint32_t I = 0; I < D.GetNumTargets(); ++I) {
    SBTarget T = D.GetTargetAtIndex(I);
    if (T.GetProcess().GetUniqueID() == Process)
      return T;
  }
  return SBTarget();
}

/// As an IDE's thread would: under the target's lock, and not while somebody
/// else's command runs.
llvm::Error DebuggerPages::move(const Wish &W) {
  SBDebugger D = SBDebugger::FindDebuggerWithID(int(Debugger));
  SBTarget Target = target(D);
  if (!Target.IsValid())
    return llvm::createStringError("the process has ended");
  const auto Latest = Clock::now() + std::chrono::seconds(2);
  auto GiveUp = [&] { return Ending || Clock::now() > Latest; };
  auto TooLate = [&] {
    return llvm::createStringError(
        Ending ? "LLDB ends"
               : "LLDB is busy with a command, or the process runs");
  };
  SBMutex API = Target.GetAPIMutex();
  std::unique_lock<SBMutex> Locked(API, std::defer_lock);
  auto lockWhen = [&](llvm::function_ref<bool()> Ready) {
    for (Backoff Look; !GiveUp(); Look.pause())
      if (Locked.try_lock()) {
        if (!commandRuns(D) && Ready())
          return true;
        Locked.unlock();
      }
    return false;
  };
  // LLDB's own thread prints stops. Others may not even take events.
  const bool Awaits = eventTaker(D) == EventTaker::LLDB;
  auto stopId = [&] { return Target.GetProcess().GetStopID(); };
  uint32_t AllTold = 0; // that stop, and those before
  do {
    if (Locked)
      Locked.unlock();
    // A command may hold the lock until the process stops.
    if (Awaits && !lockWhen([] { return true; }))
      return TooLate();
    if (Awaits) {
      AllTold = stopId();
      Locked.unlock();
      if (llvm::Error E = awaitStop(D, Target, *Trace, GiveUp)) {
        if (!GiveUp())
          return E;
        llvm::consumeError(std::move(E));
        return TooLate();
      }
    }
    if (!lockWhen([&] {
          return stands(Target.GetProcess(), *Trace) &&
                 (Awaits || Trace->lastStopIsTold() ||
                  Trace->engine().idle() > std::chrono::milliseconds(200));
        }))
      return TooLate();
    // A command has moved meanwhile, and that is told first.
  } while (Awaits && !Trace->lastStopIsTold() && stopId() != AllTold);
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Gone)
      return llvm::createStringError("the process has ended");
    if (W.Revision != Revision)
      return llvm::createStringError("LLDB has stopped meanwhile");
    MovedBy = W.By;
  }
  const Place From =
      placeOfThread(Target.GetProcess().GetSelectedThread(), *Trace);
  llvm::raw_null_ostream Unread;
  if (llvm::Error E = travel(
          D, Target, *Trace, {W.To.When, W.To.Thread},
          ReplayStop(ReplayStop::Landing, "page of rewind view"), Unread))
    return E;
  Trace->endTelling(); // it was this one, in synchronous mode
  Trace->jumpedFrom(From);
  return llvm::Error::success();
}
