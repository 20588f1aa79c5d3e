//===- DapModel.cpp -------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/commands/DapModel.h"
#include "commands/dap/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>
#include <sys/socket.h>

using namespace llvm;

namespace rw {

DapModel::DapModel(Choose C) : C(std::move(C)) {
  int Front[2], Back[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Front) != 0 ||
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Back) != 0)
    std::abort();
  ToClient = std::make_unique<ByteChannel>(Front[0], Front[0]);
  FromProxy = std::make_unique<ByteChannel>(Front[1], Front[1]);
  ToAdapter = std::make_unique<ByteChannel>(Back[0], Back[0]);
  FromProxyToDap = std::make_unique<ByteChannel>(Back[1], Back[1]);
  P = std::make_unique<dap::Proxy>(*ToClient, *ToAdapter, "/plugin.so");
}

DapModel::~DapModel() = default;

void DapModel::wrong(const std::string &What, const Object &Message) {
  if (Wrong.empty())
    Wrong = formatv("{0}: {1}", What, json::Value(Object(Message))).str();
}

// The client -----------------------------------------------------------------

void DapModel::ask(StringRef Command, Object Arguments) {
  const int64_t Seq = ++LastAsked;
  Open[Seq] = Command.str();
  if (Command == "disconnect" || Command == "terminate")
    Goodbye = true;
  Object Message{{"type", "request"}, {"seq", Seq}, {"command", Command}};
  if (C(20))
    Message["arguments"] = std::move(Arguments);
  else if (C(2))
    Message["arguments"] = json::Array{1, "x"};
  P->fromClient(std::move(Message));
  drain();
}

json::Object DapModel::argumentsFor(StringRef Command) {
  auto maybe = [&](json::Value Right) {
    return C(12)  ? std::move(Right)
           : C(2) ? json::Value(nullptr)
                  : json::Value(0.5);
  };
  Object A;
  if (Command == "launch" || Command == "attach") {
    A["program"] = "/proc/self/exe";
    if (Recording)
      A["trace"] = "/proc/self/exe";
  } else if (Command == "cancel") {
    if (C(3))
      A["requestId"] = int64_t(C(unsigned(LastAsked) + 2));
    else
      A["progressId"] = maybe("load");
  } else if (Command == "evaluate") {
    static constexpr StringLiteral Words[] = {"x",
                                              "rewind where",
                                              "rn",
                                              "reverse-continue",
                                              "`continue",
                                              "fails + 1",
                                              "",
                                              "a\nb",
                                              "$x",
                                              "`rewind goto 5",
                                              "process interrupt"};
    A["expression"] = maybe(Words[C(std::size(Words))]);
    A["context"] = C(2) ? "repl" : "hover";
    A["frameId"] = int64_t(C(3));
  } else if (Command == "stepBack") {
    A["threadId"] = maybe(int64_t(C(2) + 1));
    A["granularity"] = C(2) ? "instruction" : "line";
  } else if (Command == "goto") {
    A["targetId"] = maybe(int64_t(C(4)));
  } else if (Command == "gotoTargets") {
    A["source"] = maybe(Object{{"path", "file:///a%20b.c"}});
    A["line"] = maybe(int64_t(C(100)));
  } else if (Command == "restartFrame") {
    A["frameId"] = maybe(int64_t(C(3)));
  } else if (Command == "variables") {
    A["variablesReference"] =
        C(2) ? maybe(dap::Proxy::RewindReference) : maybe(int64_t(C(9)));
  } else if (Command == "dataBreakpointInfo") {
    A["name"] = maybe(C(2) ? "p->x" : "$x0");
  } else if (Command.starts_with("rewind/")) {
    A["arguments"] = maybe(json::Array{"x"});
    if (C(2))
      A["goto"] = maybe(true);
  }
  return A;
}

void DapModel::ask() {
  static constexpr StringLiteral Commands[] = {"stepBack",
                                               "stepBack",
                                               "reverseContinue",
                                               "continue",
                                               "next",
                                               "stepIn",
                                               "stepOut",
                                               "goto",
                                               "gotoTargets",
                                               "restart",
                                               "restartFrame",
                                               "pause",
                                               "threads",
                                               "stackTrace",
                                               "scopes",
                                               "variables",
                                               "evaluate",
                                               "evaluate",
                                               "cancel",
                                               "cancel",
                                               "dataBreakpointInfo",
                                               "setBreakpoints",
                                               "initialize",
                                               "configurationDone",
                                               "launch",
                                               "attach",
                                               "nonsense",
                                               "rewind/where",
                                               "rewind/last-write",
                                               "rewind/reverse-step",
                                               "rewind/nonsense"};
  StringRef Command = Commands[C(std::size(Commands))];
  ask(Command, argumentsFor(Command));
}

void DapModel::replyToReverse() {
  if (ReverseAsked.empty())
    return;
  Object Message{{"type", "response"},
                 {"seq", ++LastAsked},
                 {"request_seq", C(5) ? ReverseAsked.front() : 12345},
                 {"command", "runInTerminal"},
                 {"success", true}};
  ReverseAsked.pop_front();
  P->fromClient(std::move(Message));
  drain();
}

/// What comes to the client.
void DapModel::seen(Object Message) {
  if (Message.getInteger("seq") != ++LastSeen)
    wrong("not number " + itostr(LastSeen), Message);
  StringRef Type = Message.getString("type").value_or("");
  if (Type == "request") {
    ReverseAsked.push_back(LastSeen);
    return;
  }
  const Object *Body = Message.getObject("body");
  if (Type == "event") {
    StringRef Name = Message.getString("event").value_or("");
    if (Name == "stopped") {
      ++StopsSeen;
      if (Recording && Body &&
          Body->getString("reason") == StringRef("exception"))
        wrong("a landing is no exception", Message);
    } else if (Name == "terminated") {
      ++Ends;
    } else if (Name == "output" && Body &&
               Body->getString("output").value_or("").contains("has ended")) {
      ++Complaints;
    }
    return;
  }
  if (Type != "response")
    return wrong("neither request, response nor event", Message);
  auto It = Open.find(Message.getInteger("request_seq").value_or(0));
  if (It == Open.end())
    return wrong("an answer to nothing, or a second one", Message);
  if (Message.getString("command") != StringRef(It->second))
    wrong("the answer of another command", Message);
  auto Good = Message.getBoolean("success");
  if (!Good)
    wrong("an answer that is neither good nor bad", Message);
  else if (!*Good && !Message.getString("message"))
    wrong("a refusal without a reason", Message);
  ++Answered;
  Open.erase(It);
}

// lldb-dap -------------------------------------------------------------------

void DapModel::tell(StringRef Event, Object Body) {
  P->fromAdapter(Object{{"type", "event"},
                        {"seq", ++LastOfAdapter},
                        {"event", Event},
                        {"body", std::move(Body)}});
  drain();
}

void DapModel::reply(const Object &Request, bool Success, Object Rest) {
  Object Message{{"type", "response"},
                 {"seq", ++LastOfAdapter},
                 {"request_seq", Request.getInteger("seq").value_or(0)},
                 {"command", Request.getString("command").value_or("")},
                 {"success", Success}};
  for (auto &[Key, V] : Rest)
    Message[Key] = std::move(V);
  P->fromAdapter(std::move(Message));
  drain();
}

void DapModel::stop(bool Again) {
  static constexpr StringLiteral Texts[] = {
      "history boundary", "signal SIGINT", "start of the recording",
      "reverse step",     "goto 5",        "the call was left"};
  static constexpr StringLiteral Reasons[] = {"step", "exception",
                                              "breakpoint"};
  Object Body{{"threadId", int64_t(C(2) + 1)},
              {"threadCausedFocus", !Again},
              {"reason", Reasons[C(std::size(Reasons))]},
              {"description", Texts[C(std::size(Texts))]}};
  if (!Again)
    Running = false;
  // What was told already is not told again in a recording.
  StopsTold += !Again || !Recording;
  tell("stopped", std::move(Body));
}

/// Something that nobody has asked for.
void DapModel::happen() {
  switch (C(8)) {
  case 0:
    return tell("output",
                Object{{"output", C(2) ? "words\n" : "error: why\n"}});
  case 1:
    return tell("progressStart",
                Object{{"progressId", "load"}, {"title", "indexing"}});
  case 2:
    return tell("progressEnd", Object{{"progressId", "load"}});
  case 3:
    return stop(/*Again=*/true);
  case 4:
    return tell("module", Object{{"reason", "new"}});
  case 5:
    ReverseOpen.insert(++LastOfAdapter);
    P->fromAdapter(Object{{"type", "request"},
                          {"seq", LastOfAdapter},
                          {"command", "runInTerminal"}});
    return drain();
  case 6:
    // A command of the console makes it run.
    if (Running)
      return;
    Running = true;
    return tell("continued", Object{{"threadId", 1}});
  default:
    if (Running)
      stop();
  }
}

/// Whether a condition is being tested, for some attempts to stop.
bool DapModel::tested() {
  Tested = Running && Tested < 4 && C(3) ? Tested + 1 : 0;
  return Tested != 0;
}

void DapModel::evaluate(const Object &Request) {
  const Object &A = dap::argumentsOf(Request);
  StringRef Text = A.getString("expression").value_or("");
  auto says = [&](const std::string &Said) {
    reply(Request, true, Object{{"body", Object{{"result", Said}}}});
  };
  if (Text == "process interrupt") {
    if (tested())
      return says("error: Failed to halt process: Process is not running.");
    says("");
    return Running ? stop() : void();
  }
  if (!Text.consume_front("`")) {
    if (C(2))
      return says("5");
    return reply(Request, false, Object{{"message", "no such thing"}});
  }
  const bool Moves = Text.starts_with("reverse-") || Text == "rn" ||
                     Text == "continue" || Text.starts_with("rewind goto") ||
                     Text.starts_with("rewind calls enter") ||
                     Text.contains("--goto");
  if (Running)
    return says("error: the process is not stopped");
  if (C(8) == 0)
    return says(Moves || C(2) ? "error: there is no such place" : "");
  if (Moves) {
    if (C(6) == 0 && Text.contains("--goto"))
      return says("{\"items\": [], \"note\": \"nothing wrote it\"}");
    Running = true;
    // Its stop may be told first.
    if (C(4) == 0) {
      stop();
      return says("");
    }
    return says("");
  }
  if (Text == "rewind where --json")
    return says("{\"position\": 5, \"of\": 9}");
  if (Text.starts_with("thread backtrace"))
    return says("  frame #0: f\n  frame #1: g\n  frame #2: h\n");
  if (Text.contains("--json"))
    return says(
        "{\"items\": [{\"id\": \"@5\", \"position\": 5, \"thread\": 1}]}");
  says("words");
}

/// Does the next thing that it was asked; now and then another one.
void DapModel::work() {
  if (Work.empty())
    return;
  auto It = Work.begin() + (C(6) ? 0 : C(unsigned(Work.size())));
  Object Request = std::move(*It);
  Work.erase(It);
  StringRef Command = Request.getString("command").value_or("");
  if (Command == "evaluate")
    return evaluate(Request);
  const bool Resumes =
      is_contained({"continue", "next", "stepIn", "stepOut"}, Command);
  if ((Resumes || Command == "threads" || Command == "stackTrace") && Running)
    return reply(Request, false, Object{{"message", "the process is running"}});
  const bool Launches = Command == "launch" || Command == "attach";
  if (Command != "pause" && C(15) == 0) {
    if (Launches)
      Launched = false;
    return reply(Request, false,
                 Object{{"message", C(2) ? "no" : "cancelled"}});
  }
  if (Resumes) {
    Running = true;
    reply(Request, true, Object{{"body", Object{}}});
    if (C(2))
      tell("continued", Object{{"threadId", 1}});
    return;
  }
  if (Command == "pause") {
    if (tested())
      return reply(Request, false,
                   Object{{"message", "Process is not running."}});
    reply(Request, true, Object{});
    if (Running)
      stop();
    return;
  }
  if (Command == "threads")
    return reply(
        Request, true,
        Object{{"body", Object{{"threads", json::Array{Object{{"id", 1}}}}}}});
  if (Command == "scopes")
    return reply(Request, true,
                 Object{{"body", Object{{"scopes", json::Array{}}}}});
  reply(Request, true, C(2) ? Object{} : Object{{"body", Object{}}});
}

/// What comes to lldb-dap.
void DapModel::reached(Object Message) {
  if (Message.getInteger("seq") != ++LastReached)
    wrong("not number " + itostr(LastReached) + " to lldb-dap", Message);
  if (Message.getString("type") == StringRef("response")) {
    if (!ReverseOpen.erase(Message.getInteger("request_seq").value_or(0)))
      wrong("lldb-dap asked nothing of that number", Message);
    return;
  }
  auto Command = Message.getString("command");
  if (Command == StringRef("launch") || Command == StringRef("attach")) {
    // It would end.
    if (Launched)
      wrong("a second launch to lldb-dap", Message);
    Launched = true;
    const Object *A = Message.getObject("arguments");
    Recording = A && A->get("attachCommands");
  }
  Work.push_back(std::move(Message));
}

void DapModel::end() {
  Dead = true;
  Work.clear();
  P->adapterEnded("signal 9");
  drain();
}

// Both -----------------------------------------------------------------------

void DapModel::drain() {
  auto all = [&](ByteChannel &From, auto Take) {
    for (char Byte; From.peek(Byte) == ByteChannel::Next::Byte;) {
      auto Message = dap::receive(From);
      if (!Message)
        return wrong(toString(Message.takeError()), {});
      if (!*Message)
        return;
      Take(std::move(**Message));
    }
  };
  all(*FromProxy, [&](Object O) { seen(std::move(O)); });
  all(*FromProxyToDap, [&](Object O) { reached(std::move(O)); });
}

std::string DapModel::run(unsigned Steps) {
  ask("initialize", {});
  Recording = C(8) != 0;
  Object Launch{{"program", "/proc/self/exe"}};
  if (Recording)
    Launch["trace"] = C(12) ? "/proc/self/exe" : "/none";
  Recording &= Launch.getString("trace") != StringRef("/none");
  ask(C(2) ? "launch" : "attach", std::move(Launch));
  // Without its arguments it is no recording.
  const Object *Told =
      Work.empty() ? nullptr : Work.back().getObject("arguments");
  Recording &= Told && Told->get("attachCommands");
  for (unsigned N = 0; N < Steps && Wrong.empty() && !Dead; ++N)
    switch (C(12)) {
    case 0:
      happen();
      break;
    case 1:
      replyToReverse();
      break;
    case 2:
      if (C(60) == 0)
        end();
      else if (C(60) == 0)
        ask(C(2) ? "disconnect" : "terminate", {});
      break;
    case 3:
    case 4:
    case 5:
      ask();
      break;
    default:
      work();
      break;
    }
  // Who asks an adapter that has ended is answered, too.
  for (unsigned N = 0; Dead && N < 5; ++N)
    ask();
  // All that is under way comes to its end.
  for (unsigned N = 0; N < 20 * Steps + 100 && !Dead && Wrong.empty(); ++N) {
    if (!Work.empty())
      work();
    else if (Running)
      stop();
    else
      break;
  }
  if (!Wrong.empty())
    return Wrong;
  if (!Open.empty())
    return formatv("request {0}, {1}, was never answered", Open.begin()->first,
                   Open.begin()->second)
        .str();
  if (StopsSeen != StopsTold)
    return formatv("{0} stops, of which {1} were told", StopsTold, StopsSeen)
        .str();
  if (const uint64_t Told = Dead && !Goodbye;
      Ends != Told || Complaints != Told)
    return formatv("the end was told {0} times, and {1} times why", Ends,
                   Complaints)
        .str();
  return "";
}

} // namespace rw
