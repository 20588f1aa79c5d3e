//===- Proxy.cpp - Time travel before lldb-dap ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Proxy.h"
#include "commands/dap/Launch.h"
#include "commands/dap/Messages.h"
#include "commands/dap/Texts.h"
#include "core/support/Json.h"
#include "core/support/Printable.h"
#include "core/support/ReadOnlyMessage.h"
#include "core/support/Shortened.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace rw;
using namespace rw::dap;

using Object = json::Object;

static StringRef commandOf(const Object &Message) {
  return Message.getString("command").value_or("");
}

// Sending --------------------------------------------------------------------

void Proxy::toClient(Object Message) {
  Message["seq"] = ++LastToClient;
  send(Client, std::move(Message));
}

int64_t Proxy::toAdapter(Object Message, Pending P) {
  const int64_t Seq = ++LastToAdapter;
  if (Dead) {
    fail(P);
    return Seq;
  }
  Message["seq"] = Seq;
  InFlight[Seq] = std::move(P);
  send(Adapter, std::move(Message));
  return Seq;
}

void Proxy::forward(Object Message) {
  Object Copy = Message;
  toAdapter(std::move(Message), {std::move(Copy), nullptr});
}

void Proxy::answer(const Object &Request, Object Body) {
  toClient(Object{{"type", "response"},
                  {"request_seq", Request.getInteger("seq").value_or(0)},
                  {"command", commandOf(Request)},
                  {"success", true},
                  {"body", std::move(Body)}});
}

void Proxy::fail(const Pending &P) {
  const std::string Text = "lldb-dap has ended";
  if (P.Next)
    P.Next(Object{{"success", false}, {"message", Text}});
  else if (!P.Request.empty())
    refuse(P.Request, Text);
}

void Proxy::refuse(const Object &Request, const std::string &Text) {
  StringRef Line = StringRef(Text).trim();
  // What LLDB warned of before is not why.
  if (Line.starts_with("warning: "))
    if (const size_t At = Line.find("\nerror: "); At != StringRef::npos)
      Line = Line.drop_front(At + 1);
  Line.consume_front("error: ");
  std::string Message = shortened(printableLines(Line));
  // Who asks with requests of ours tells the user himself; who cancels knows,
  // and of the end of lldb-dap everybody is told once.
  const bool ShowUser = !Dead && Text != "cancelled" &&
                        !commandOf(Request).starts_with("rewind/");
  // In a format, braces are places for variables.
  toClient(Object{
      {"type", "response"},
      {"request_seq", Request.getInteger("seq").value_or(0)},
      {"command", commandOf(Request)},
      {"success", false},
      {"message", Message},
      {"body", Object{{"error", Object{{"id", 1},
                                       {"format", "{text}"},
                                       {"variables", Object{{"text", Message}}},
                                       {"showUser", ShowUser}}}}}});
}

void Proxy::selectThread(int64_t Thread) {
  // Where there is but one it is selected.
  if (Thread && Thread != OnlyThread)
    run("thread select -t " + itostr(Thread), [](StringRef, bool) {});
}

void Proxy::selectFrame(int64_t Frame) {
  run("thread select " + itostr(Frame >> FrameBits), [](StringRef, bool) {});
  run("frame select " + itostr(indexOf(Frame)), [](StringRef, bool) {});
}

void Proxy::selectFocus() {
  if (FocusFrame)
    selectFrame(FocusFrame);
  else
    selectThread(FocusThread);
}

/// The number of a thread or of a frame; what is no number, or cannot be one of
/// those, is 0, and what is not there nothing.
static std::optional<int64_t> focusNumber(const Object &Arguments,
                                          StringRef Key) {
  const json::Value *V = Arguments.get(Key);
  if (!V || V->kind() == json::Value::Null)
    return std::nullopt;
  return std::max<int64_t>(V->getAsInteger().value_or(0), 0);
}

static std::string noSuch(const Object &Arguments, StringRef Key) {
  std::string Told;
  raw_string_ostream(Told) << *Arguments.get(Key);
  return ("there is no " + Key.drop_back(2) + " ").str() +
         printable(StringRef(Told).take_front(50));
}

void Proxy::focusOn(const Object &Arguments,
                    std::function<void(const std::string &)> Then) {
  const auto Frame = focusNumber(Arguments, "frameId"),
             Thread = focusNumber(Arguments, "threadId");
  if (Thread == 0)
    return Then(noSuch(Arguments, "threadId"));
  if (Frame && *Frame >> FrameBits == 0)
    return Then(noSuch(Arguments, "frameId"));
  if (!Frame && !Thread)
    return Then("");
  // It stopped, or was selected before: nobody has to wait for LLDB's word.
  if (!Frame && Thread == FocusThread) {
    FocusFrame = 0;
    selectThread(*Thread);
    return Then("");
  }
  const int64_t FrameBefore = FocusFrame, ThreadBefore = FocusThread;
  FocusFrame = Frame.value_or(0);
  if (!Frame)
    FocusThread = *Thread;
  if (!Frame && Thread == OnlyThread)
    return Then("");
  const std::string Why = noSuch(Arguments, Frame ? "frameId" : "threadId");
  auto Selected = std::make_shared<bool>(true);
  auto Check = [=](StringRef, bool Failed) { *Selected &= !Failed; };
  auto Last = [=, this](StringRef, bool Failed) {
    if (!Failed && *Selected)
      return Then("");
    if (FocusFrame == Frame.value_or(0) && (Frame || FocusThread == Thread)) {
      FocusFrame = FrameBefore;
      FocusThread = ThreadBefore;
      selectFocus();
    }
    Then(Why);
  };
  if (!Frame)
    return run("thread select -t " + itostr(*Thread), Last);
  run("thread select " + itostr(*Frame >> FrameBits), Check);
  run("frame select " + itostr(indexOf(*Frame)), Last);
}

void Proxy::run(std::string Command, std::function<void(StringRef, bool)> Next,
                int64_t Frame, Object For) {
  if (Frame)
    selectFrame(Frame);
  scope_exit ComeBack([&] {
    if (Frame && Frame != FocusFrame)
      selectFocus();
  });
  Object Arguments{{"expression", json::fixUTF8(Escape + Command)},
                   {"context", "repl"}};
  toAdapter(Object{{"type", "request"},
                   {"command", "evaluate"},
                   {"arguments", std::move(Arguments)}},
            {std::move(For), [Next = std::move(Next)](const Object &Response) {
               const Object *Body = Response.getObject("body");
               StringRef Text =
                   Body ? Body->getString("result").value_or("") : "";
               const bool Good = Response.getBoolean("success").value_or(false);
               if (!Good)
                 Text = Response.getString("message").value_or("");
               // lldb-dap takes a command that failed for a success.
               Next(Text, !Good || Text.starts_with("error:") ||
                              Text.contains("\nerror:"));
             }});
}

void Proxy::runJson(std::string Command,
                    std::function<void(const Object *, StringRef)> Next,
                    Object For, int64_t Frame) {
  run(
      std::move(Command),
      [Next = std::move(Next)](StringRef Text, bool Failed) {
        if (Failed)
          return Next(nullptr, Text);
        const Said S = readSaid(Text);
        Next(S.Json.size() == 1 ? S.Json[0].getAsObject() : nullptr, Text);
      },
      Frame, std::move(For));
}

// Requests of the client -----------------------------------------------------

void Proxy::fromClient(Object Message) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Message.getString("type") == StringRef("response")) {
    // To a request of lldb-dap's.
    auto It = Reverse.find(Message.getInteger("request_seq").value_or(0));
    if (It == Reverse.end() || Dead)
      return;
    Message["request_seq"] = It->second;
    Message["seq"] = ++LastToAdapter;
    Reverse.erase(It);
    send(Adapter, std::move(Message));
    return;
  }
  request(std::move(Message));
}

/// Requests that make a stop.
static bool resumes(StringRef Command) {
  return StringSwitch<bool>(Command)
      .Cases({"continue", "next", "stepIn", "stepOut"}, true)
      .Cases({"stepBack", "reverseContinue", "goto", "restart", "restartFrame"},
             true)
      .Default(false);
}

static bool mayMove(const Object &Message) {
  StringRef Command = commandOf(Message);
  return resumes(Command) || Command.starts_with("rewind/") ||
         inConsole(Message);
}

/// Requests that make sense, and must be heard, while the process runs.
static bool isUrgent(StringRef Command) {
  return StringSwitch<bool>(Command)
      .Cases({"pause", "cancel", "disconnect", "terminate"}, true)
      .Cases({"threads", "initialize", "configurationDone"}, true)
      .Default(false);
}

/// Requests that lldb-dap answers while the process runs as it does otherwise.
static bool needsNoStop(StringRef Command) {
  return StringSwitch<bool>(Command)
      .Cases({"setBreakpoints", "setFunctionBreakpoints"}, true)
      .Cases({"setExceptionBreakpoints", "setInstructionBreakpoints"}, true)
      .Cases({"setDataBreakpoints", "breakpointLocations"}, true)
      .Cases({"launch", "attach", "modules"}, true)
      .Default(false);
}

bool Proxy::quiet() const {
  return none_of(InFlight, [](const auto &Entry) {
    const Pending &P = Entry.second;
    return P.Next || commandOf(P.Request) == "evaluate";
  });
}

/// Whether it cannot be done now.
bool Proxy::mustHold(const Object &Message) const {
  if (InConsole || State == MovedByUs)
    return true;
  // LLDB has no frames then, and a command in its console would wait for
  // seconds, and take the stop away from lldb-dap.
  if (State == Moving)
    return !needsNoStop(commandOf(Message));
  if (!mayMove(Message))
    return false;
  // Until it has started lldb-dap does not tell stops as it does later.
  if (Loading)
    return !inConsole(Message);
  return !quiet();
}

bool Proxy::mustWait(const Object &Message) const {
  // No stop comes from one that has ended.
  if (!Recording || Dead || isUrgent(commandOf(Message)) ||
      haltingOf(Message, Escape) != Halting::No)
    return false;
  return !Held.empty() || mustHold(Message);
}

void Proxy::request(Object Message) {
  const std::string Command = commandOf(Message).str();
  if (Command == "disconnect" || Command == "terminate") {
    Disconnecting = true;
    for (Object &H : std::exchange(Held, {}))
      refuse(H, "the session is ending");
    if (Dead)
      return answer(Message, {});
    if (Recording && isBusy() && !Farewell) {
      // LLDB would wait for the stop, and may keep it from being told.
      Farewell = std::move(Message);
      FarewellAt = Clock::now();
      return State == Standing ? void() : pause();
    }
  }
  if (mustWait(Message)) {
    Held.push_back(std::move(Message));
    return;
  }
  perform(std::move(Message));
}

void Proxy::drain() {
  if (!Stoppers.empty())
    tryToStop();
  while (!Held.empty() && State == Standing && !Loading &&
         !mustHold(Held.front())) {
    Object Message = std::move(Held.front());
    Held.pop_front();
    perform(std::move(Message));
  }
}

void Proxy::perform(Object Message) {
  const std::string Command = commandOf(Message).str();
  if (Command == "setBreakpoints")
    noteSource(argumentsOf(Message));
  if (Command == "launch" || Command == "attach")
    return load(std::move(Message));
  if (Command == "cancel")
    return cancel(std::move(Message));
  if (!Recording)
    return forward(std::move(Message));
  // What is not understood is not answered as if it were not there.
  const json::Value *Arguments = Message.get("arguments");
  if (Arguments && !Arguments->getAsNull() && !Arguments->getAsObject())
    return refuse(Message, "the arguments of a request are an object");
  if (Error E = checkTexts(Message, Escape))
    return refuse(Message, toString(std::move(E)));
  if (isBusy() &&
      (Command == "pause" || haltingOf(Message, Escape) == Halting::Interrupts))
    return interrupt(std::move(Message));
  if (Command == "evaluate")
    return evaluate(std::move(Message));
  if (Command == "completions")
    return complete(std::move(Message));
  if (Command == "setVariable" || Command == "setExpression" ||
      Command == "writeMemory")
    return refuse(Message, ReadOnlyMessage.str());
  if (emulate(Message, Command))
    return;
  if (resumes(Command)) {
    State = Moving;
    begin();
  }
  // lldb-dap selects it, too.
  if (Command == "scopes")
    if (auto Frame = argumentsOf(Message).getInteger("frameId"))
      FocusFrame = *Frame;
  if (Command == "readMemory")
    if (Error E = checkRead(argumentsOf(Message)))
      return refuse(Message, toString(std::move(E)));
  if (Command == "dataBreakpointInfo")
    return dataBreakpointInfo(std::move(Message));
  if (Command == "setDataBreakpoints")
    return setDataBreakpoints(std::move(Message));
  forward(std::move(Message));
}

void Proxy::noteSource(const Object &Arguments) {
  const Object *Source = Arguments.getObject("source");
  auto Path = Source ? Source->getString("path") : std::nullopt;
  const json::Array *Breakpoints = Arguments.getArray("breakpoints");
  if (!Path || !Breakpoints || Breakpoints->empty())
    return;
  std::string File = filePath(*Path);
  if (Sources.insert(File).second)
    NewSources.insert(std::move(File));
}

/// Does what lldb-dap has no idea of.
bool Proxy::emulate(const Object &Message, StringRef Command) {
  const Object &A = argumentsOf(Message);
  if (Command == "stepBack") {
    const bool Instruction =
        A.getString("granularity") == StringRef("instruction");
    move(Message, Instruction ? "reverse-stepi" : "reverse-next", "step");
  } else if (Command == "reverseContinue") {
    move(Message, "reverse-continue", "step");
  } else if (Command == "restart") {
    move(Message, "rewind goto start", "entry");
  } else if (Command == "goto") {
    jump(Message);
  } else if (Command == "gotoTargets") {
    gotoTargets(Message);
  } else if (Command == "restartFrame") {
    restartFrame(Message);
  } else if (Command == "variables" &&
             A.getInteger("variablesReference") == RewindReference) {
    rewindScope(Message);
  } else if (Command.consume_front("rewind/")) {
    ask(Message, Command);
  } else {
    return false;
  }
  return true;
}
