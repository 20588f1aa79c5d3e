//===- ProxyEvents.cpp - What comes from lldb-dap -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Elements.h"
#include "commands/dap/Messages.h"
#include "commands/dap/Proxy.h"
#include "commands/dap/Watched.h"
#include "core/support/LineWords.h"
#include "core/support/Printable.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"

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

static std::optional<int64_t> onlyThread(const Object &Response) {
  const Object *Body = Response.getObject("body");
  const json::Array *List = Body ? Body->getArray("threads") : nullptr;
  const Object *First =
      List && List->size() == 1 ? List->front().getAsObject() : nullptr;
  return First ? First->getInteger("id") : std::nullopt;
}

void Proxy::response(Object Message) {
  auto It = InFlight.find(Message.getInteger("request_seq").value_or(0));
  if (It == InFlight.end())
    return; // to nothing that was asked
  Pending P = std::move(It->second);
  InFlight.erase(It);
  scope_exit Resume([&] { drain(); });
  if (P.Next)
    return P.Next(Message);
  StringRef Command = P.Request.getString("command").value_or("");
  const bool Good = Message.getBoolean("success").value_or(false);
  const bool Launch = Command == "launch" || Command == "attach";
  if (Launch) {
    Loading = false;
    Begun = Good;
  }
  // Only one is there at a time.
  if (InConsole && inConsole(P.Request))
    settle(/*Tries=*/FocusThread ? 200 : 0);
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
  if (Good && Recording && State == Standing &&
      watchInstead(P.Request, Message))
    return;
  if (!Good && LoadCancelled && Launch)
    return refuse(P.Request, "cancelled");
  if (!Good && !LoadError.empty()) {
    // lldb-dap only tells that a command has failed, and that twice.
    if (Launch)
      return refuse(P.Request, std::exchange(LoadError, ""));
    if (Command == "configurationDone")
      return answer(P.Request, {});
  }
  if (Good)
    improve(Command, Message);
  if (Good && Command == "initialize")
    noteExceptions(Message);
  if (Good && Command == "variables" && Recording)
    notePaths(P.Request, Message);
  if (Good && Recording && Command == "stackTrace")
    tellFrameCount(P.Request, Message);
  if (Command == "threads" && Good)
    OnlyThread = onlyThread(Message);
  toClient(std::move(Message));
  // Before the program is loaded nobody knows.
  if (Command == "setBreakpoints" && Recording && !Loading && !isBusy())
    tellMovedSources();
  if (!Good && State == Moving &&
      (Command == "continue" || Command == "next" || Command == "stepIn" ||
       Command == "stepOut"))
    moveEnded();
}

void Proxy::notePaths(const Object &Request, const Object &Response) {
  const Object *Body = Response.getObject("body");
  const json::Array *Variables = Body ? Body->getArray("variables") : nullptr;
  auto Container = argumentsOf(Request).getInteger("variablesReference");
  if (!Variables || !Container)
    return;
  for (const json::Value &Each : *Variables)
    if (const Object *V = Each.getAsObject())
      if (auto Path = V->getString("evaluateName"); Path && !Path->empty())
        Paths[{*Container, V->getString("name").value_or("").str()}] = *Path;
}

void Proxy::noteExceptions(const Object &Response) {
  const Object *Body = Response.getObject("body");
  const json::Array *Filters =
      Body ? Body->getArray("exceptionBreakpointFilters") : nullptr;
  for (const json::Value &Each : Filters ? *Filters : json::Array())
    if (const Object *Filter = Each.getAsObject())
      if (auto Label = Filter->getString("label"))
        Exceptions.insert(Label->str());
}

/// Until a request reaches the last frame lldb-dap tells more than there are,
/// at each request anew: a client that asks for the first one again would offer
/// more.
void Proxy::tellFrameCount(const Object &Request, Object &Response) {
  const Object *Arguments = Request.getObject("arguments");
  Object *Body = Response.getObject("body");
  const auto Thread =
      Arguments ? Arguments->getInteger("threadId") : std::optional<int64_t>();
  const auto Total =
      Body ? Body->getInteger("totalFrames") : std::optional<int64_t>();
  const json::Array *Frames = Body ? Body->getArray("stackFrames") : nullptr;
  if (!Thread || !Total || !Frames)
    return;
  const int64_t Told =
      Arguments->getInteger("startFrame").value_or(0) + int64_t(Frames->size());
  if (*Total <= Told)
    FrameCounts[*Thread] = *Total;
  else if (auto It = FrameCounts.find(*Thread); It != FrameCounts.end())
    (*Body)["totalFrames"] = It->second;
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
    describeWatched(*Body);
  } else if (Command == "variables" && Recording) {
    nameElements(*Body);
  }
}

/// What lldb-dap says while it loads: it repeats commands, in which the names
/// of files may hold anything. It ends lines as terminals do, too.
static std::string toldOfLoading(StringRef Text) {
  std::string Lines;
  for (size_t I = 0; I < Text.size(); ++I)
    if (!Text.substr(I).starts_with("\r\n"))
      Lines += Text[I];
  return printableLines(Lines);
}

void Proxy::event(Object Message) {
  const std::string Name = Message.getString("event").value_or("").str();
  Object *Body = Message.getObject("body");
  if (!Recording)
    return toClient(std::move(Message));
  if (Name == "capabilities" && Body)
    // lldb-dap knows of no restart but its own, which crashes.
    if (Object *C = Body->getObject("capabilities")) {
      C->erase("supportsRestartRequest");
      for (StringRef Cannot : {"supportsSetVariable", "supportsSetExpression",
                               "supportsWriteMemoryRequest"})
        (*C)[Cannot] = false; // in a recording
    }
  if (Name == "progressStart" && Body && LoadProgress.empty()) {
    LoadProgress = Body->getString("progressId").value_or("").str();
    (*Body)["cancellable"] = true;
  }
  if (Name == "progressEnd" && Body &&
      Body->getString("progressId") == StringRef(LoadProgress))
    LoadProgress.clear();
  if (Name == "output" && Body && Loading)
    if (StringRef Text = Body->getString("output").value_or("");
        LoadError.empty() ? Text.starts_with("error:")
                          : Text.starts_with("  ")) // a line of a list
      LoadError += Text;
  if (Name == "output" && Body && Loading)
    (*Body)["output"] = toldOfLoading(Body->getString("output").value_or(""));
  if (Name == "continued") {
    if (State == Standing) {
      State = Moving; // from the console, say
      if (!InConsole)
        begin();
    }
    // It goes on after each place where a condition was tested.
    if (std::exchange(ToldRunning, true))
      return;
  }
  const bool Stop = Name == "stopped";
  if (Stop || Name == "continued") {
    FrameCounts.clear();
    Paths.clear();
  }
  // Threads that stood still while another one stepped keep the reason that
  // they had, and lldb-dap tells that again. Nobody moved them.
  if (Stop && Body && !Body->getBoolean("threadCausedFocus").value_or(false))
    return;
  if (Stop && LateStop)
    pass(*std::exchange(LateStop, std::nullopt));
  if (Stop && isDoubtful(Message))
    return clearUp(std::move(Message));
  pass(std::move(Message));
}

void Proxy::pass(Object Message) {
  const std::string Name = Message.getString("event").value_or("").str();
  const bool Stop = Name == "stopped";
  Object *Body = Message.getObject("body");
  if (Stop && Body)
    stopped(*Body);
  if (Stop) {
    ++Stops;
    Interrupted = false;
  }
  toClient(std::move(Message));
  if (Stop) {
    tellPosition();
    tellMovedSources();
  }
  if (Stop || Name == "terminated" || Name == "exited")
    moveEnded();
}

/// Says truthfully why it has stopped: to LLDB every landing is an exception,
/// and clients open a box for those.
void Proxy::stopped(Object &Body) {
  StringRef Told = Body.getString("reason").value_or("");
  FocusThread = Body.getInteger("threadId").value_or(FocusThread);
  FocusFrame = 0;
  if (Told != "exception")
    return;
  StringRef Text = Body.getString("description").value_or("");
  if (Exceptions.contains(Text))
    return;
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
  tryToStop();
  if (Farewell)
    forward(*std::exchange(Farewell, std::nullopt));
  drain();
}

void Proxy::tellPosition() {
  selectFocus();
  runJson("rewind where --json", [this](const Object *Json, StringRef) {
    if (Json)
      toClient(Object{{"type", "event"},
                      {"event", "rewind/position"},
                      {"body", Object(*Json)}});
  });
}

void Proxy::say(const std::string &Text, StringRef Category) {
  toClient(Object{
      {"type", "event"},
      {"event", "output"},
      {"body", Object{{"category", Category}, {"output", Text + "\n"}}}});
}

void Proxy::tellMovedSources() {
  for (const std::string &File : std::exchange(NewSources, {})) {
    // Whoever gives a map knows.
    if (!SourceMap.empty())
      continue;
    run("source info -c 1 -f " + quoteWord(File), [this, File](StringRef Text,
                                                               bool Failed) {
      if (!Failed || !Text.contains("No source filenames matched"))
        return;
      run("source info -c 1 -f " + quoteWord(sys::path::filename(File)),
          [this, File](StringRef Text, bool Failed) {
            // "[0x4006d4-0x4006e8): /built/bank.c:7:76"
            auto [Before, Row] = Text.rsplit("): ");
            StringRef Built =
                Row.split('\n').first.rsplit(':').first.rsplit(':').first;
            if (Failed || !sys::path::is_absolute(Built) || Built == File)
              return;
            const std::string From = sys::path::parent_path(Built).str(),
                              To = sys::path::parent_path(File).str();
            say(printable("breakpoints in " + File +
                          " are not reached: the program was compiled from " +
                          Built.str() + "; \"sourceMap\": [[\"" + From +
                          "\", \"" + To + "\"]] in the configuration tells " +
                          "that it has moved"),
                "important");
          });
    });
  }
}

bool Proxy::adapterEnded(const std::string &How) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Dead = true;
  const bool Expected = Disconnecting;
  const std::string Text =
      "lldb-dap has ended (" + How + "): the session is over";
  // What waits for a stop waits in vain.
  for (Object &H : std::exchange(Held, {}))
    fail({std::move(H), nullptr});
  for (Stopper &S : std::exchange(Stoppers, {}))
    fail({std::move(S.Request), nullptr});
  if (Farewell)
    answer(*std::exchange(Farewell, std::nullopt), {});
  for (auto &[Seq, P] : std::exchange(InFlight, {})) {
    StringRef Command = P.Request.getString("command").value_or("");
    // It left before it could answer the goodbye.
    if (Expected && (Command == "disconnect" || Command == "terminate"))
      answer(P.Request, {});
    else
      fail(P);
  }
  if (Expected)
    return false;
  say(Text, "important");
  toClient(Object{{"type", "event"}, {"event", "terminated"}});
  return true;
}
