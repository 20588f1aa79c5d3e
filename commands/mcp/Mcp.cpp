//===- Mcp.cpp - rewind mcp -----------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Model Context Protocol (modelcontextprotocol.io, revision 2025-06-18) on
// standard input and output: JSON-RPC 2.0, a message a line.
//
//===----------------------------------------------------------------------===//

#include "commands/mcp/JsonPage.h"
#include "commands/mcp/Tools.h"
#include "core/support/ByteChannel.h"
#include "core/support/Guarded.h"
#include "core/support/Json.h"
#include "core/support/Printable.h"
#include "core/support/Shortened.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <deque>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace rw {

/// Those whose messages are the same as far as this server has them, newest
/// first.
static constexpr StringLiteral Versions[] = {"2025-06-18", "2025-03-26",
                                             "2024-11-05"};
static constexpr size_t MaxMessage = 1 << 22;
/// What a model reads at once.
static constexpr size_t PageBytes = 24000;

enum ErrorCode {
  NotJson = -32700,
  NotARequest = -32600,
  NoSuchMethod = -32601,
  WrongParameters = -32602,
  Failed = -32603,
};

static constexpr StringLiteral Instructions =
    R"(Questions about one recorded execution of a program (a processor trace). Nothing is executed, and nothing can be changed; everything that happened can be looked up, forwards and backwards in time.
A position is the index of an instruction, "#1234", counted from 0: the state there is the state before it runs. Where a position is wanted, "start", "end", "50%", "t:2044" (time), "l:4321" (line of the trace) work too. Each call is on its own and says the same whenever it is made: where a question is asked from is its "at" or its position; without one, what looks back looks from the end, all else from the start.
Begin with info, then calls_tree or profile_functions. last-write and history tell where a value comes from, origin and slice follow it back, calls_where is the call stack. A location is a register ("x0"), an address with a size ("0x1000", "size": 8) or a variable's name. Unknown is said to be unknown: no value is ever guessed. Long answers come in pages.)";

namespace {
class Server {
public:
  Server(const Session &S)
      : S(S), Host(S, CommandHost::Answers),
        Channel(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
                fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
                [&S] { return S.cancelled(); }) {
    Host.Interrupted = [this] { return isCancelled(); };
    Host.Alone = true;
  }

  Error run() {
    std::string Line;
    while (next(Line))
      if (!isBlank(Line))
        if (auto Answer = handle(Line))
          if (!send(std::move(*Answer)))
            break;
    return Error::success();
  }

private:
  bool next(std::string &Line) {
    if (Waiting.empty())
      return receive(Line);
    Line = std::move(Waiting.front().Line);
    Waiting.pop_front();
    return true;
  }
  bool receive(std::string &Line);
  static bool isBlank(StringRef Line) { return Line.trim().empty(); }
  bool send(json::Object Message) {
    Message["jsonrpc"] = "2.0";
    return Channel.write(
        formatv("{0}\n", json::Value(std::move(Message))).str());
  }
  static json::Object failure(json::Value Id, ErrorCode Code,
                              const std::string &Text) {
    return json::Object{
        {"id", std::move(Id)},
        {"error", json::Object{{"code", int(Code)},
                               {"message", json::fixUTF8(shortened(Text))}}}};
  }

  std::optional<json::Object> handle(StringRef Line);
  json::Object request(json::Value Id, StringRef Method,
                       const json::Object *Params);
  json::Object initialize(const json::Object *Params) const;
  json::Object call(const Command &C, const ToolCall &Call);
  void tellProgress(json::Value Token);
  bool isCancelled();

  const Session &S;
  CommandHost Host;
  ByteChannel Channel;
  struct Request {
    std::string Line;
    std::optional<json::Value> Id;
  };
  std::deque<Request> Waiting; ///< came while a command ran
  std::optional<json::Value> Running;
  bool Cancelled = false;
};
} // namespace

/// The next line. One that is too long is refused at once, whatever it asks.
bool Server::receive(std::string &Line) {
  while (!Channel.readLine(Line, MaxMessage)) {
    if (Line.size() < MaxMessage)
      return false;
    for (int C; (C = Channel.read()) != '\n';)
      if (C < 0)
        return false;
    if (!send(
            failure(nullptr, NotARequest,
                    "a message has at most " + utostr(MaxMessage) + " bytes")))
      return false;
  }
  return true;
}

/// Looks at what comes in while a command runs: its cancellation ends it, and
/// so does the client that hears no answer any more; all else waits. Who closes
/// his end only may still want what he asked.
bool Server::isCancelled() {
  char C;
  while (!Cancelled) {
    const ByteChannel::Next Coming = Channel.peek(C);
    if (Coming == ByteChannel::Next::Nothing)
      break;
    std::string Line;
    if (Coming == ByteChannel::Next::Ended || !receive(Line)) {
      Cancelled = Channel.isUnheard();
      break;
    }
    auto Message = parseJson(Line);
    if (!Message) {
      consumeError(Message.takeError());
      Waiting.push_back({std::move(Line), std::nullopt});
      continue;
    }
    const json::Object *O = Message->getAsObject();
    const json::Value *Id = O ? O->get("id") : nullptr;
    if (!O || O->getString("method") != StringRef("notifications/cancelled")) {
      Waiting.push_back(
          {std::move(Line), Id ? std::optional(*Id) : std::nullopt});
      continue;
    }
    const json::Object *Params = O->getObject("params");
    const json::Value *Wanted = Params ? Params->get("requestId") : nullptr;
    if (!Wanted)
      continue;
    if (Running && *Wanted == *Running)
      Cancelled = true;
    // It has no answer, as the protocol wants it.
    erase_if(Waiting, [&](const Request &R) { return R.Id == *Wanted; });
  }
  return Cancelled;
}

/// What is answered to a line; nothing to a notification.
std::optional<json::Object> Server::handle(StringRef Line) {
  auto Message = parseJson(Line);
  if (!Message)
    return failure(nullptr, NotJson, toString(Message.takeError()));
  const json::Object *O = Message->getAsObject();
  if (!O)
    return failure(nullptr, NotARequest, "a message is an object");
  const json::Value *Id = O->get("id");
  auto Method = O->getString("method");
  if (!Method) {
    if (Id && (O->get("result") || O->get("error")))
      return std::nullopt; // an answer: nothing was asked
    return failure(Id ? *Id : json::Value(nullptr), NotARequest,
                   "a request has a \"method\"");
  }
  if (!Id)
    return std::nullopt;
  if (Id->kind() != json::Value::String && Id->kind() != json::Value::Number)
    return failure(nullptr, NotARequest, "an \"id\" is a string or a number");
  json::Object Answer =
      failure(*Id, Failed, "there is not enough memory for the answer");
  Cancelled = false;
  if (Error E = guarded([&] {
        Answer = request(*Id, *Method, O->getObject("params"));
        return Error::success();
      }))
    return failure(*Id, Failed, toString(std::move(E)));
  if (Cancelled)
    return std::nullopt; // nobody waits for it
  return Answer;
}

json::Object Server::request(json::Value Id, StringRef Method,
                             const json::Object *Params) {
  auto Result = [&](json::Object R) {
    return json::Object{{"id", Id}, {"result", std::move(R)}};
  };
  if (Method == "initialize")
    return Result(initialize(Params));
  if (Method == "ping")
    return Result({});
  if (Method == "tools/list")
    return Result(json::Object{{"tools", describeTools()}});
  if (Method != "tools/call")
    return failure(Id, NoSuchMethod, ("no method \"" + Method + "\"").str());
  auto Name = Params ? Params->getString("name") : std::nullopt;
  const Command *C = Name ? findTool(*Name, ToolUser::Agent) : nullptr;
  if (!C)
    return failure(Id, WrongParameters,
                   Name ? "no tool \"" + Name->str() + "\"" +
                              nearTools(*Name, ToolUser::Agent)
                        : "the \"name\" of the tool is missing");
  const json::Value *Arguments = Params->get("arguments");
  if (Arguments && !Arguments->getAsNull() && !Arguments->getAsObject())
    return failure(Id, WrongParameters,
                   "the \"arguments\" of a call are an object; what a tool "
                   "takes in order is an array in that, \"arguments\", too");
  auto Call = toolCall(*C, Params->getObject("arguments"), ToolUser::Agent);
  if (!Call)
    return failure(Id, WrongParameters, toString(Call.takeError()));
  Running = Id;
  const json::Object *Meta = Params->getObject("_meta");
  if (const json::Value *Token = Meta ? Meta->get("progressToken") : nullptr)
    tellProgress(*Token);
  json::Object Answer = call(*C, *Call);
  Running.reset();
  Host.Progress = nullptr;
  return Result(std::move(Answer));
}

/// Some times a second, and only what is more than before: an operation may
/// have several parts.
void Server::tellProgress(json::Value Token) {
  using Clock = std::chrono::steady_clock;
  static constexpr auto Period = std::chrono::milliseconds(200);
  Host.Progress = [this, Token, Next = Clock::now() + Period,
                   Told = uint64_t(0)](StringRef What, uint64_t Done,
                                       uint64_t Total) mutable {
    if (Done <= Told || Clock::now() < Next)
      return;
    Told = Done;
    Next = Clock::now() + Period;
    json::Object Params{{"progressToken", Token},
                        {"progress", Done},
                        {"message", json::fixUTF8(What)}};
    if (Total)
      Params["total"] = Total;
    send(json::Object{{"method", "notifications/progress"},
                      {"params", std::move(Params)}});
  };
}

json::Object Server::initialize(const json::Object *Params) const {
  StringRef Version = Versions[0];
  if (Params)
    if (auto Wanted = Params->getString("protocolVersion");
        Wanted && is_contained(Versions, *Wanted))
      Version = *Wanted;
  return json::Object{
      {"protocolVersion", Version},
      {"capabilities", json::Object{{"tools", json::Object{}}}},
      {"serverInfo", json::Object{{"name", "rewind"},
                                  {"title", "Rewind"},
                                  {"version", REWIND_VERSION}}},
      {"instructions",
       json::fixUTF8(
           ("The trace: " + S.TracePath + "\n" + Instructions).str())}};
}

/// What goes into the result as JSON, too.
static void addStructured(json::Object &Result, StringRef Text) {
  auto Value = parseJson(Text);
  if (Value)
    Result["structuredContent"] = std::move(*Value);
  else
    consumeError(Value.takeError()); // nested too deeply; the text has it
}

/// What a tool says: text, and what that is as JSON if it is that.
json::Object Server::call(const Command &C, const ToolCall &Call) {
  const bool Json = is_contained(Call.Words, "--json");
  PageStream Lines(Call.Page, PageBytes);
  JsonPage Members(Call.Page, 4 * PageBytes);
  raw_ostream &Out = Json ? static_cast<raw_ostream &>(Members) : Lines;
  std::string Remarks;
  SmallVector<StringRef> Words(Call.Words.begin(), Call.Words.end());
  Error E = Host.run(C, Words, Out, [&](const std::string &Text) {
    Remarks += "warning: " + Text + "\n";
  });
  const bool Nothing = Out.tell() == 0;
  std::optional<std::string> Page;
  if (Json) {
    Members.finish();
    Page = Members.text();
  } else {
    Lines.finish();
    if (!Lines.text().empty() || Call.Page == 1)
      Page = Lines.text();
  }
  std::string Text;
  json::Object Result;
  if (E) {
    Result["isError"] = true;
    Text = shortened(toString(std::move(E))) + "\n";
  } else if (!Page) {
    Result["isError"] = true;
    Text = "there is no page " + utostr(Call.Page) + "\n";
  } else if (Nothing) {
    Text = Remarks.empty() ? "(nothing)\n" : "";
  } else {
    Text = printableLines(*Page);
    if (Json)
      addStructured(Result, *Page);
    else if (Lines.more())
      Text += "(page " + utostr(Call.Page) +
              "; \"page\": " + utostr(Call.Page + 1) + " goes on)\n";
  }
  json::Array Content;
  if (!Remarks.empty() && Json && !Result.get("isError")) {
    // The other one is JSON.
    Content.push_back(json::Object{
        {"type", "text"}, {"text", json::fixUTF8(printableLines(Remarks))}});
    Remarks.clear();
  }
  Content.push_back(
      json::Object{{"type", "text"},
                   {"text", json::fixUTF8(printableLines(Remarks) + Text)}});
  Result["content"] = std::move(Content);
  return Result;
}

static Error runMcp(Session &S, const ParsedOptions &) {
  return Server(S).run();
}

extern const Command McpCommand = {
    .Name = "mcp",
    .Summary = "Answer an agent's questions about the trace",
    .Help = R"(
Speaks the Model Context Protocol on standard input and output, so that agents
can debug the recording: the commands that answer something are its tools, with
their names, options and helps. Long answers come in pages. Nothing is written,
no file and no answer to anybody else. docs/mcp.md tells how agents are told of
it.

  rewind mcp
)",
    .MaxArguments = 0,
    .Run = runMcp,
    .ShellOnly = true,
};

} // namespace rw
