//===- ProxyPause.cpp - Stopping what moves -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Messages.h"
#include "commands/dap/Proxy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace rw;
using namespace rw::dap;

using Object = json::Object;

/// How long lldb-dap is told again to stop: for a client that waits, and for
/// one that leaves.
static constexpr auto PausePatience = std::chrono::seconds(10),
                      FarewellPatience = std::chrono::seconds(2);

bool Proxy::disconnecting() {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Disconnecting;
}

void Proxy::leave() {
  std::lock_guard<std::mutex> Lock(Mutex);
  Disconnecting = true;
  if (Recording && !Dead && State != Standing && !Farewell)
    pause();
}

bool Proxy::standing() {
  std::lock_guard<std::mutex> Lock(Mutex);
  return !Recording || Dead || !isBusy();
}

void Proxy::hurry() {
  std::lock_guard<std::mutex> Lock(Mutex);
  tryToStop();
  if (Farewell && Clock::now() - FarewellAt > FarewellPatience)
    forward(*std::exchange(Farewell, std::nullopt));
}

void Proxy::pause() {
  Stoppers.push_back({Object{{"type", "request"},
                             {"command", "pause"},
                             {"arguments", Object{{"threadId", 1}}}},
                      {},
                      Clock::now() + FarewellPatience,
                      Stops});
  tryToStop();
}

void Proxy::interrupt(Object Request) {
  Object Attempt = Request;
  if (inConsole(Request)) {
    // Only whole words of LLDB's are commands to lldb-dap without the prefix.
    StringRef Text = *argumentsOf(Request).getString("expression");
    Text = Text.ltrim();
    Text.consume_front(Escape);
    std::string Command = Escape + Text.str();
    (*Attempt.getObject("arguments"))["expression"] = std::move(Command);
  }
  Stoppers.push_back({std::move(Attempt), std::move(Request),
                      Clock::now() + PausePatience, Stops});
  tryToStop();
}

void Proxy::tryToStop() {
  // If what moves stops by itself just when LLDB is to stop it, LLDB waits for
  // 20 seconds, and knows of no thread then: a short move is let come to its
  // end.
  constexpr auto Youth = std::chrono::milliseconds(50);
  if (isBusy() && !Dead && Clock::now() - Began < Youth &&
      none_of(Stoppers, [&](const Stopper &S) { return S.Before != Stops; }))
    return;
  for (Stopper &S : std::exchange(Stoppers, {}))
    if (S.Before == Stops)
      interrupt(std::move(S.Attempt), std::move(S.Request), S.Until);
    else
      hasStopped(S.Request);
}

void Proxy::hasStopped(const Object &Request) {
  if (!Request.empty())
    answer(Request, inConsole(Request)
                        ? Object{{"result", ""}, {"variablesReference", 0}}
                        : Object());
}

void Proxy::interrupt(Object Attempt, Object Request, Clock::time_point Until) {
  Interrupted = true;
  Object Copy = Attempt;
  Pending P{Request, nullptr};
  P.Next = [=, this, Before = Stops](const Object &Response) {
    const Object *Body = Response.getObject("body");
    StringRef Said = Body ? Body->getString("result").value_or("") : "";
    if (!Response.getBoolean("success").value_or(false))
      Said = Response.getString("message").value_or("");
    const Object *Why = Body ? Body->getObject("error") : nullptr;
    if (Said.empty() && Why)
      Said = Why->getString("format").value_or("");
    // LLDB stands, so that there is nothing to stop, while it tests the
    // condition of a breakpoint, and then goes on.
    const bool InVain = Said.contains("not running");
    const bool Stopped = Stops != Before || LateStop;
    const bool Waits = InVain && !Stopped && !Dead && isBusy();
    if (Waits && Clock::now() < Until)
      return interrupt(Attempt, Request, Until);
    if (Request.empty())
      return;
    if (Dead)
      return refuse(Request, Said.str());
    if (Waits)
      return refuse(Request, "LLDB tests a breakpoint's condition again and "
                             "again, and could not be stopped in between: try "
                             "again, or take the breakpoint away");
    if (InVain && Stopped)
      return hasStopped(Request);
    Object Answer = Response;
    Answer["request_seq"] = Request.getInteger("seq").value_or(0);
    toClient(std::move(Answer));
  };
  toAdapter(std::move(Copy), std::move(P));
}

/// Who is stopped while LLDB tests a breakpoint's condition seems to have hit
/// that, or to have made the step that leaves it.
bool Proxy::isDoubtful(const Object &Stop) const {
  const Object *Body = Stop.getObject("body");
  return Interrupted && Body &&
         (Body->getString("reason") == StringRef("breakpoint") ||
          Body->getString("description") == StringRef("trace"));
}

void Proxy::clearUp(Object Stop) {
  LateStop = std::move(Stop);
  auto Tell = [this](bool Hit) {
    if (!LateStop)
      return;
    Object Stop = *std::exchange(LateStop, std::nullopt);
    if (!Hit) {
      Object &Body = *Stop.getObject("body");
      Body["reason"] = "pause";
      for (StringRef Key : {"description", "text", "hitBreakpointIds"})
        Body.erase(Key);
    }
    pass(std::move(Stop));
  };
  const Object &Body = *LateStop->getObject("body");
  if (Body.getString("reason") != StringRef("breakpoint"))
    return Tell(false);
  const json::Array *Ids = Body.getArray("hitBreakpointIds");
  isHit(Ids ? *Ids : json::Array(), 0, Tell);
}

/// Whether one of the breakpoints \p Ids, from \p First on, stops here: it has
/// no condition, or one that is true or has no value.
void Proxy::isHit(json::Array Ids, size_t First,
                  std::function<void(bool Hit)> Then) {
  auto Id = First < Ids.size() ? Ids[First].getAsInteger() : std::nullopt;
  if (!Id)
    return Then(First == 0);
  auto Tested = [=, this](StringRef Text, bool Failed) {
    Text = Text.trim();
    if (!Failed && (Text.ends_with(" 0") || Text.ends_with(" false")))
      return isHit(Ids, First + 1, Then);
    Then(true);
  };
  run("breakpoint list " + itostr(*Id), [=, this](StringRef Text, bool Failed) {
    const StringRef Before = "\nCondition: ";
    const size_t At = Text.find(Before);
    if (Failed || At == StringRef::npos)
      return Then(true);
    StringRef Condition = Text.drop_front(At + Before.size()).split('\n').first;
    run(("dwim-print -- !!(" + Condition + ")").str(), Tested);
  });
}
