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
  std::string Message = printableLines(Line);
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

void Proxy::focusOn(const Object &Arguments) {
  if (auto Frame = Arguments.getInteger("frameId"); Frame && *Frame > 0) {
    FocusFrame = *Frame;
  } else if (auto Thread = Arguments.getInteger("threadId")) {
    FocusThread = *Thread;
    FocusFrame = 0;
  } else {
    return;
  }
  selectFocus();
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
                    Object For) {
  run(
      std::move(Command),
      [Next = std::move(Next)](StringRef Text, bool Failed) {
        if (Failed)
          return Next(nullptr, Text);
        const Said S = readSaid(Text);
        Next(S.Json.size() == 1 ? S.Json[0].getAsObject() : nullptr, Text);
      },
      /*Frame=*/0, std::move(For));
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
  return !Recording || Dead || (State == Standing && !InConsole);
}

void Proxy::hurry() {
  constexpr auto Patience = std::chrono::seconds(2);
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Farewell && std::chrono::steady_clock::now() - FarewellAt > Patience)
    forward(*std::exchange(Farewell, std::nullopt));
}

/// Makes lldb-dap stop, whose stop is told as any other.
void Proxy::pause() {
  toAdapter(Object{{"type", "request"},
                   {"command", "pause"},
                   {"arguments", Object{{"threadId", 1}}}},
            {{}, [](const Object &) {}});
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
  if (!mayMove(Message))
    return false;
  // Until it has started lldb-dap does not tell stops as it does later. What is
  // typed while the process runs may be to stop it.
  if (State == Moving || Loading)
    return !inConsole(Message);
  return !quiet();
}

bool Proxy::mustWait(const Object &Message) const {
  // No stop comes from one that has ended.
  if (!Recording || Dead || isUrgent(commandOf(Message)))
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
    if (Recording && (State != Standing || InConsole) && !Farewell) {
      // LLDB would wait for the stop, and may keep it from being told.
      Farewell = std::move(Message);
      FarewellAt = std::chrono::steady_clock::now();
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
  if (Error E = checkTexts(Message, Escape))
    return refuse(Message, toString(std::move(E)));
  if (Command == "evaluate")
    return evaluate(std::move(Message));
  if (emulate(Message, Command))
    return;
  if (resumes(Command))
    State = Moving;
  // lldb-dap selects it, too.
  if (Command == "scopes")
    if (auto Frame = argumentsOf(Message).getInteger("frameId"))
      FocusFrame = *Frame;
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
