//===- ProxyEvents.cpp - What comes from lldb-dap -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Messages.h"
#include "commands/dap/Proxy.h"

using namespace llvm;
using namespace rw;
using namespace rw::dap;

using Object = json::Object;

void Proxy::fromAdapter(Object Message) {
  std::lock_guard<std::mutex> Lock(Mutex);
  StringRef Type = Message.getString("type").value_or("");
  if (Type == "response")
    return response(std::move(Message));
  if (Type == "event")
    return event(std::move(Message));
  const auto Seq = Message.getInteger("seq");
  toClient(std::move(Message));
  if (Seq)
    Reverse[LastToClient] = *Seq;
}

void Proxy::response(Object Message) {
  auto It = InFlight.find(Message.getInteger("request_seq").value_or(0));
  if (It == InFlight.end())
    return; // to nothing that was asked
  Pending P = std::move(It->second);
  InFlight.erase(It);
  if (P.Next)
    return P.Next(Message);
  StringRef Command = P.Request.getString("command").value_or("");
  const bool Good = Message.getBoolean("success").value_or(false);
  if (Command == "launch" || Command == "attach")
    Loading = false;
  // Somebody asked while the process ran, for which clients show an error: the
  // next stop, which is near, has the answer.
  if (!Good && Recording && !Disconnecting &&
      (Command == "threads" || Command == "stackTrace") &&
      P.Request.try_emplace("again", true).second) {
    if (State == Standing)
      return forward(std::move(P.Request));
    Held.push_back(std::move(P.Request));
    return;
  }
  Message["request_seq"] = P.Request.getInteger("seq").value_or(0);
  Message["command"] = Command;
  if (!Good && Recording && !Disconnecting && Command == "evaluate" &&
      State == Standing && Message.getString("message") != "cancelled")
    return printInstead(P.Request, std::move(Message));
  if (!Good && LoadCancelled && (Command == "launch" || Command == "attach"))
    return refuse(P.Request, "cancelled");
  if (!Good && !LoadError.empty()) {
    // lldb-dap only tells that a command has failed, and that twice.
    if (Command == "launch" || Command == "attach")
      return refuse(P.Request, std::exchange(LoadError, ""));
    if (Command == "configurationDone")
      return answer(P.Request, {});
  }
  if (Good)
    improve(Command, Message);
  if (Command == "threads" && Good)
    if (const Object *Body = Message.getObject("body"))
      if (const json::Array *List = Body->getArray("threads"))
        for (const json::Value &V : *List)
          if (const Object *T = V.getAsObject())
            Threads.insert(T->getInteger("id").value_or(0));
  toClient(std::move(Message));
  if (!Good && State == Moving &&
      (Command == "continue" || Command == "next" || Command == "stepIn" ||
       Command == "stepOut"))
    moveEnded();
}

/// Adds to a response what we have.
void Proxy::improve(StringRef Command, Object &Response) const {
  Object *Body = Response.getObject("body");
  if (!Body)
    return;
  if (Command == "initialize") {
    for (StringRef Can : {"supportsStepBack", "supportsGotoTargetsRequest",
                          "supportsRestartFrame", "supportsRestartRequest",
                          "supportsSteppingGranularity"})
      (*Body)[Can] = true;
  } else if (Command == "scopes" && Recording) {
    if (json::Array *Scopes = Body->getArray("scopes"))
      Scopes->push_back(Object{{"name", "Rewind"},
                               {"variablesReference", RewindReference},
                               {"expensive", false}});
  } else if (Command == "dataBreakpointInfo" && Recording) {
    // Clang explains at length.
    if (auto Why = Body->getString("description"))
      if (size_t End = Why->find('\n'); End != StringRef::npos)
        (*Body)["description"] = Why->take_front(End).str();
  }
}

void Proxy::event(Object Message) {
  const std::string Name = Message.getString("event").value_or("").str();
  Object *Body = Message.getObject("body");
  if (!Recording)
    return toClient(std::move(Message));
  if (Name == "capabilities" && Body)
    // lldb-dap knows of no restart but its own, which crashes.
    if (Object *C = Body->getObject("capabilities"))
      C->erase("supportsRestartRequest");
  if (Name == "progressStart" && Body && LoadProgress.empty()) {
    LoadProgress = Body->getString("progressId").value_or("").str();
    (*Body)["cancellable"] = true;
  }
  if (Name == "progressEnd" && Body &&
      Body->getString("progressId") == StringRef(LoadProgress))
    LoadProgress.clear();
  if (Name == "output" && Body && Loading && LoadError.empty())
    if (StringRef Text = Body->getString("output").value_or("");
        Text.starts_with("error:"))
      LoadError = Text.str();
  if (Name == "continued" && State == Standing)
    State = Moving; // from the console, say
  const bool Stop = Name == "stopped";
  // Threads that stood still while another one stepped keep the reason that
  // they had, and lldb-dap tells that again. Nobody moved them.
  if (Stop && Body && !Body->getBoolean("threadCausedFocus").value_or(false))
    return;
  if (Stop && Body)
    stopped(*Body);
  toClient(std::move(Message));
  if (Stop)
    tellPosition();
  if (Stop || Name == "terminated" || Name == "exited")
    moveEnded();
}

/// Says truthfully why it has stopped: to LLDB every landing is an exception,
/// and clients open a box for those.
void Proxy::stopped(Object &Body) {
  StringRef Told = Body.getString("reason").value_or("");
  if (auto Thread = Body.getInteger("threadId"))
    Threads.insert(*Thread);
  if (Told != "exception")
    return;
  StringRef Text = Body.getString("description").value_or("");
  std::string Why;
  if (Text.starts_with("history boundary"))
    Why = "history boundary";
  else if (Text.starts_with("signal"))
    Why = "pause"; // the only signal of a recording
  else if (Text == "start of the recording")
    Why = "entry";
  else
    Why = State == MovedByUs ? Reason
          : Text.starts_with("reverse") || Text.starts_with("the call was left")
              ? "step"
              : "goto";
  Body["reason"] = Why;
}

void Proxy::moveEnded() {
  State = Standing;
  drain();
}

void Proxy::tellPosition() {
  runJson("rewind where --json", [this](const Object *Json, StringRef) {
    if (Json)
      toClient(Object{{"type", "event"},
                      {"event", "rewind/position"},
                      {"body", Object(*Json)}});
  });
}

void Proxy::adapterEnded(const std::string &How) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Dead = true;
  const bool Expected = Disconnecting;
  const std::string Text =
      "lldb-dap has ended (" + How + "): the session is over";
  // What waits for a stop waits in vain.
  for (Object &H : std::exchange(Held, {}))
    fail({std::move(H), nullptr});
  for (auto &[Seq, P] : std::exchange(InFlight, {})) {
    StringRef Command = P.Request.getString("command").value_or("");
    // It left before it could answer the goodbye.
    if (Expected && (Command == "disconnect" || Command == "terminate"))
      answer(P.Request, {});
    else
      fail(P);
  }
  if (Expected)
    return;
  toClient(Object{
      {"type", "event"},
      {"event", "output"},
      {"body", Object{{"category", "important"}, {"output", Text + "\n"}}}});
  toClient(Object{{"type", "event"}, {"event", "terminated"}});
}
