//===- EventMarker.cpp - Where a debugger is with its events --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/EventMarker.h"
#include "core/support/Backoff.h"
#include <mutex>
#include <vector>

using namespace rw;

namespace {
/// Whoever takes an event asks its sender what it is: senders live for ever,
/// and are used again.
struct IdleSenders {
  std::mutex Mutex;
  std::vector<lldb::SBBroadcaster> List;
};
} // namespace

static IdleSenders &idleSenders() {
  static IdleSenders *Those = new IdleSenders;
  return *Those;
}

static lldb::SBBroadcaster takeSender() {
  IdleSenders &Idle = idleSenders();
  std::lock_guard<std::mutex> Lock(Idle.Mutex);
  if (Idle.List.empty())
    return lldb::SBBroadcaster("rewind");
  lldb::SBBroadcaster Sender = Idle.List.back();
  Idle.List.pop_back();
  return Sender;
}

EventMarker::EventMarker(lldb::SBDebugger Debugger)
    : Listener(Debugger.GetListener()), Sender(takeSender()) {
  if (Listener.IsValid() && Sender.AddListener(Listener, 1))
    Sender.BroadcastEvent(Event);
}

EventMarker::~EventMarker() {
  if (Listener.IsValid()) {
    lldb::SBEvent Untaken;
    Listener.GetNextEventForBroadcaster(Sender, Untaken);
    Sender.RemoveListener(Listener);
  }
  IdleSenders &Idle = idleSenders();
  std::lock_guard<std::mutex> Lock(Idle.Mutex);
  Idle.List.push_back(Sender);
}

bool EventMarker::isUnderWay(EventTaker Taker) {
  lldb::SBEvent Next;
  if (Listener.IsValid() &&
      Listener.PeekAtNextEventForBroadcaster(Sender, Next))
    return true;
  // Others keep an event until they take the next.
  return Taker == EventTaker::LLDB && isInUse(Event);
}

bool EventMarker::await(EventTaker Taker, std::chrono::milliseconds Patience,
                        llvm::function_ref<bool()> GiveUp) {
  const auto End = std::chrono::steady_clock::now() + Patience;
  for (Backoff Look; isUnderWay(Taker) && !(GiveUp && GiveUp()); Look.pause())
    if (std::chrono::steady_clock::now() >= End)
      return false;
  return true;
}

void StatusLineDrawn::await(lldb::SBDebugger Debugger) {
  if (Last && Last->isUnderWay(EventTaker::LLDB))
    return;
  Last.reset();
  if (!hasStatusLine(Debugger) || eventTaker(Debugger) != EventTaker::LLDB)
    return;
  Last.emplace(Debugger);
  if (Last->await(EventTaker::LLDB, std::chrono::milliseconds(50)))
    Last.reset();
}
