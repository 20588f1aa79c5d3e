//===- ProxyMoves.cpp - What lldb-dap has no idea of ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Launch.h"
#include "commands/dap/Messages.h"
#include "commands/dap/Proxy.h"
#include "commands/dap/Texts.h"
#include "commands/mcp/Tools.h"
#include "core/support/Json.h"
#include "core/support/LineWords.h"
#include "core/support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace rw;
using namespace rw::dap;

using Object = json::Object;

/// "2:#5", as commands take it.
static std::string rowPlace(const Object &Row) {
  std::string Place =
      "#" + utostr(uint64_t(Row.getInteger("position").value_or(0)));
  if (auto Thread = Row.getInteger("thread"))
    Place = itostr(*Thread) + ":" + Place;
  return Place;
}

void Proxy::load(Object Message) {
  // lldb-dap ends at a second one.
  if (Begun)
    return refuse(Message, Recording
                               ? "a recording is already loaded in this session"
                               : "this session debugs a program already");
  Object *Arguments = Message.getObject("arguments");
  Recording = Arguments && loadsTrace(*Arguments);
  if (!Recording) {
    // It was promised before anybody knew what is debugged.
    toClient(Object{
        {"type", "event"},
        {"event", "capabilities"},
        {"body",
         Object{{"capabilities", Object{{"supportsStepBack", false},
                                        {"supportsGotoTargetsRequest", false},
                                        {"supportsRestartFrame", false},
                                        {"supportsRestartRequest", false}}}}}});
    Begun = true;
    State = Standing;
    forward(std::move(Message));
    return drain();
  }
  if (auto Prefix = Arguments->getString("commandEscapePrefix"))
    Escape = Prefix->str();
  SourceMap = sourceMap(*Arguments);
  Object Original = Message;
  if (Arguments->get("trace")) {
    if (Error E = takeTrace(*Arguments, Plugin)) {
      Recording = false;
      return refuse(Original, toString(std::move(E)));
    }
    // Both do the same with commands, but not equally well.
    Message["command"] = "attach";
  }
  LoadError.clear();
  LoadCancelled = false;
  Begun = Loading = true;
  toAdapter(std::move(Message), {std::move(Original), nullptr});
}

/// Cancels a request, by its number, or loading the trace.
void Proxy::cancel(Object Message) {
  const Object &A = argumentsOf(Message);
  const bool Load =
      A.getString("progressId") && *A.getString("progressId") == LoadProgress;
  const auto Wanted = A.getInteger("requestId");
  for (auto It = Held.begin(); It != Held.end(); ++It)
    if (Wanted && It->getInteger("seq") == Wanted) {
      refuse(*It, "cancelled");
      Held.erase(It);
      return answer(Message, {});
    }
  for (const auto &[Seq, P] : InFlight) {
    StringRef Command = P.Request.getString("command").value_or("");
    const bool Loading = Command == "launch" || Command == "attach";
    if (Load ? !Loading : !Wanted || P.Request.getInteger("seq") != Wanted)
      continue;
    LoadCancelled |= Loading;
    Object Translated = Message;
    Translated["arguments"] = Object{{"requestId", Seq}};
    toAdapter(std::move(Translated), {Message, nullptr});
    return;
  }
  if (Load || Wanted)
    return answer(Message, {}); // it is over
  forward(std::move(Message));
}

void Proxy::evaluate(Object Message) {
  Object *A = Message.getObject("arguments");
  auto Text = A ? A->getString("expression") : std::nullopt;
  const bool Typed = Text && inConsole(Message);
  // lldb-dap repeats the last command, which need not be the user's.
  if (Typed && Text->trim().empty()) {
    if (LastTyped.empty())
      return answer(Message, Object{{"result", ""}, {"variablesReference", 0}});
    (*A)["expression"] = LastTyped;
    Text = A->getString("expression");
  } else if (Typed) {
    LastTyped = Text->str();
  }
  if (Typed && (isOurCommand(*Text) || Text->starts_with(Escape))) {
    // The frame that an IDE looks at may have gone with what was typed before.
    focusOn(*A, [](const std::string &) {});
    if (isOurCommand(*Text)) {
      std::string Command = Escape + Text->ltrim().str();
      (*A)["expression"] = std::move(Command);
    }
  }
  if (Typed && !Loading) {
    if (!isBusy())
      begin();
    InConsole = true;
  }
  forward(std::move(Message));
}

/// Words behind `rewind` are a command's in the console, as they are when that
/// is run.
void Proxy::complete(Object Message) {
  Object *A = Message.getObject("arguments");
  auto Text = A ? A->getString("text") : std::nullopt;
  auto Column = A ? A->getInteger("column") : std::nullopt;
  if (Text && Column && A->getInteger("line").value_or(1) == 1 &&
      isOurCommand(*Text)) {
    std::string Command = Escape + Text->str();
    (*A)["text"] = std::move(Command);
    (*A)["column"] = *Column + int64_t(Escape.size());
  }
  forward(std::move(Message));
}

void Proxy::settle(unsigned Tries) {
  // LLDB has no frames from when it resumes until lldb-dap takes its stop, and
  // before it takes that it says that the process runs.
  Object Arguments{{"threadId", FocusThread}, {"startFrame", 0}, {"levels", 1}};
  toAdapter(Object{{"type", "request"},
                   {"command", "stackTrace"},
                   {"arguments", std::move(Arguments)}},
            {{}, [this, Tries](const Object &Response) {
               const Object *Body = Response.getObject("body");
               const json::Array *Frames =
                   Body ? Body->getArray("stackFrames") : nullptr;
               const bool Runs = !Frames || Frames->empty();
               if (Runs && State == Standing && Tries && !Dead)
                 return settle(Tries - 1);
               InConsole = false;
               if (State == Standing && Farewell && !Dead)
                 forward(*std::exchange(Farewell, std::nullopt));
               else if (State == Standing && !Dead)
                 tellMovedSources();
             }});
}

/// "(item) {\n  a = 1\n  b = 2\n}" as a type and "{a = 1, b = 2}".
static std::pair<std::string, std::string> typeAndValue(StringRef Said) {
  std::string Flat;
  for (StringRef Rest = Said; !Rest.empty();) {
    StringRef Line;
    std::tie(Line, Rest) = Rest.split('\n');
    Line = Line.trim();
    if (Line.empty() || (Flat.empty() && Line.starts_with("note: ")))
      continue;
    const bool Within =
        !Flat.empty() && Flat.back() != '{' && !Line.starts_with("}");
    Flat += (Within ? ", " : "") + Line.str();
  }
  size_t End = 0;
  int Depth = 0;
  if (StringRef(Flat).starts_with("("))
    do
      Depth += Flat[End] == '(' ? 1 : Flat[End] == ')' ? -1 : 0;
    while (++End < Flat.size() && Depth);
  if (!End || Depth || End == Flat.size())
    return {"", Flat};
  return {Flat.substr(1, End - 2), StringRef(Flat).substr(End).ltrim().str()};
}

/// lldb-dap makes what it evaluates for the console a variable of LLDB's, and
/// LLDB copies the wrong bytes for that where it is a bit-field or a conversion
/// to another size.
static bool isWronglyKept(const Object &Request, const Object &Response) {
  const Object *Body = Response.getObject("body");
  StringRef Told = Body ? Body->getString("result").value_or("") : "";
  if (!inConsole(Request))
    return false;
  // "(type) $3 = value", and "$3 = value" of a register; a command says what it
  // likes.
  const bool Typed = Told.starts_with("(");
  StringRef Rest = Typed ? Told.split(") ").second : Told;
  if (!Rest.consume_front("$"))
    return false;
  auto [Number, Value] = Rest.split(" =");
  if (Number.empty() || !all_of(Number, isDigit))
    return false;
  // A structure is copied well, and can be looked into later.
  if (Body->getInteger("variablesReference").value_or(0) &&
      !Value.ltrim().starts_with("0x"))
    return false;
  // What changes LLDB's own variables is not done twice.
  StringRef Text = argumentsOf(Request).getString("expression").value_or("");
  for (size_t At = 0; (At = Text.find('=', At)) != StringRef::npos; ++At) {
    if (Text.substr(At + 1).starts_with("="))
      ++At;
    else if (!At || !StringRef("<>!").contains(Text[At - 1]))
      return false;
  }
  return !Text.contains("++") && !Text.contains("--");
}

bool Proxy::watchInstead(const Object &Request, const Object &First) {
  if (!isWronglyKept(Request, First))
    return false;
  Object Again = Request;
  (*Again.getObject("arguments"))["context"] = "watch";
  toAdapter(std::move(Again),
            {Request, [=, this](const Object &Response) {
               const Object *Body = Response.getObject("body");
               if (!Response.getBoolean("success").value_or(false) || !Body)
                 return printInstead(Request, Response);
               Object Told = *Body;
               if (auto Type = Told.getString("type"))
                 Told["result"] = ("(" + *Type + ") " +
                                   Told.getString("result").value_or(""))
                                      .str();
               answer(Request, std::move(Told));
             }});
  return true;
}

void Proxy::printInstead(const Object &Request, Object Failed) {
  const Object &A = argumentsOf(Request);
  StringRef Text = A.getString("expression").value_or("").trim();
  if (Text.empty() || Text.starts_with(Escape) || Text.contains('\n') ||
      (A.getString("context") == StringRef("hover") && Text.contains('$')))
    return toClient(std::move(Failed));
  auto Fail = [this, Failed](StringRef Said) {
    Object Message = Failed;
    const size_t At = Said.find("error: ");
    if (At != StringRef::npos) {
      const std::string Why = json::fixUTF8(Said.substr(At + 7).trim());
      Message["message"] = Why;
      Message["body"] =
          Object{{"error", Object{{"id", 1},
                                  {"format", "{text}"},
                                  {"variables", Object{{"text", Why}}}}}};
    }
    toClient(std::move(Message));
  };
  const int64_t Frame = A.getInteger("frameId").value_or(0);
  const std::string Question = "rewind eval --json -- " + quoteWord(Text);
  auto Printed = [=, this](StringRef Said, bool Bad) {
    if (!Bad && !Said.trim().empty()) {
      auto [Type, Value] = typeAndValue(Said);
      return answer(Request, Object{{"result", json::fixUTF8(Value)},
                                    {"type", json::fixUTF8(Type)},
                                    {"variablesReference", 0}});
    }
    // A name that is none of the program's may be a register's.
    if (Said.contains("undeclared identifier"))
      return Fail(Said);
    // The images' debug information and the trace know more than LLDB does.
    auto Told = [=, this, Why = Said.str()](const Object *All, StringRef) {
      const json::Array *Items = All ? All->getArray("items") : nullptr;
      const Object *Item =
          Items && Items->size() == 1 ? Items->front().getAsObject() : nullptr;
      auto Value = Item ? Item->getString("value") : std::nullopt;
      if (!Value)
        return Fail(Why);
      answer(Request, Object{{"result", json::fixUTF8(*Value)},
                             {"variablesReference", 0}});
    };
    runJson(Question, Told, Request, Frame);
  };
  run(("dwim-print -- " + Text).str(), Printed, Frame, Request);
}

/// Whether a move's JSON says that it found no place, so there will
/// be no stop. The rest of what such a search says is the envelope of a list.
static std::optional<Object> foundNothing(StringRef Text) {
  const Said S = readSaid(Text);
  if (S.Json.size() != 1)
    return std::nullopt; // a stop was told in words
  const Object *Answer = S.Json[0].getAsObject();
  const json::Array *Items = Answer ? Answer->getArray("items") : nullptr;
  if (!Items || !Items->empty())
    return std::nullopt;
  return *Answer;
}

static std::string whyNothing(const Object &Said) {
  if (auto Note = Said.getString("note"))
    return Note->str();
  if (Said.getBoolean("before_trace").value_or(false))
    return "nothing in the trace wrote it before: it is from before the trace";
  return "there is none";
}

void Proxy::move(Object Message, std::string Command, std::string Why,
                 bool Retry) {
  State = MovedByUs;
  begin();
  Reason = std::move(Why);
  auto Stay = [=, this](const std::string &Because) {
    State = Standing;
    refuse(Message, Because);
    drain();
  };
  auto Moved = [=, this](StringRef Text, bool Failed) {
    auto Nothing = Failed ? std::nullopt : foundNothing(Text);
    if (!Failed && !Nothing)
      return answer(Message, {});
    // Something else runs, of which nobody told us: its stop comes first.
    if (Retry && Text.contains("process is not stopped")) {
      State = Moving;
      Object Again = Message;
      Held.push_front(std::move(Again));
      return;
    }
    Stay(Nothing ? whyNothing(*Nothing) : Text.str());
  };
  // Only from where it was meant from.
  focusOn(argumentsOf(Message), [=, this](const std::string &NotThere) {
    if (!NotThere.empty())
      return Stay(NotThere);
    run(Command, Moved, /*Frame=*/0, Message);
  });
}

/// The executions of a line before and after here.
void Proxy::gotoTargets(const Object &Message) {
  const Object &A = argumentsOf(Message);
  const Object *Source = A.getObject("source");
  auto Named = Source ? Source->getString("path") : std::nullopt;
  auto Line = A.getInteger("line");
  if (!Named || !Line)
    return refuse(Message, "a source file with a path, and a line, are wanted");
  // The debug info has the names that files had when they were compiled.
  const std::string Path = filePath(*Named);
  std::string File = Path;
  for (const auto &[Compiled, Now] : SourceMap)
    if (StringRef Rest = Path; !Now.empty() && Rest.consume_front(Now) &&
                               (Rest.starts_with("/") || Now.back() == '/')) {
      File = Compiled + Rest.str();
      break;
    }
  const std::string Place = quoteWord(File + ":" + itostr(*Line));
  auto Found = std::make_shared<json::Array>();
  auto Add = [=, this](const Object *Json, StringRef Which) {
    const json::Array *Items = Json ? Json->getArray("items") : nullptr;
    for (const json::Value &Item : Items ? *Items : json::Array()) {
      const Object *Row = Item.getAsObject();
      if (!Row)
        continue;
      const std::string At = rowPlace(*Row);
      Targets[++LastTarget] = At;
      Found->push_back(Object{{"id", LastTarget},
                              {"label", (Which + " execution, " + At).str()},
                              {"line", *Line}});
    }
  };
  runJson(
      "rewind find " + Place + " --prev --json",
      [=, this](const Object *Json, StringRef Text) {
        if (!Json)
          return refuse(Message, Text.str());
        Add(Json, "previous");
        runJson(
            "rewind find " + Place + " --next --json",
            [=, this](const Object *Json, StringRef Text) {
              if (!Json)
                return refuse(Message, Text.str());
              Add(Json, "next");
              // VS Code would say that the line has no code.
              if (Found->empty())
                return refuse(Message,
                              ("line " + Twine(*Line) + " of " +
                               printable(sys::path::filename(Path)) +
                               " is not executed before or after this place")
                                  .str());
              answer(Message, Object{{"targets", std::move(*Found)}});
            },
            Message);
      },
      Message);
}

void Proxy::jump(const Object &Message) {
  auto Id = argumentsOf(Message).getInteger("targetId");
  auto It = Id ? Targets.find(*Id) : Targets.end();
  if (It == Targets.end())
    return refuse(Message, "there is no such target");
  move(Message, "rewind goto " + It->second, "goto");
}

/// To the first instruction of the activation that a frame shows. An inlined
/// call is part of the one that it is in.
void Proxy::restartFrame(const Object &Message) {
  auto Frame = argumentsOf(Message).getInteger("frameId");
  if (!Frame)
    return refuse(Message, "\"frameId\" is missing");
  auto NotThere = std::make_shared<std::string>();
  focusOn(argumentsOf(Message),
          [=](const std::string &Why) { *NotThere = Why; });
  if (!NotThere->empty())
    return refuse(Message, *NotThere);
  const int64_t Index = indexOf(*Frame);
  run(
      "thread backtrace -c " + itostr(Index + 1),
      [=, this](StringRef Text, bool Failed) {
        if (Failed || !NotThere->empty())
          return refuse(Message, NotThere->empty() ? Text.str() : *NotThere);
        size_t Above = 0;
        SmallVector<StringRef> Lines;
        Text.split(Lines, '\n');
        for (StringRef L : Lines)
          if (L.contains("frame #") && !L.contains("[inlined]") &&
              !L.contains("frame #" + utostr(uint64_t(Index)) + ":"))
            ++Above;
        runJson("rewind calls where --json", [=, this](const Object *Json,
                                                       StringRef Text) {
          const json::Array *Calls = Json ? Json->getArray("items") : nullptr;
          if (!Calls)
            return refuse(Message, Text.str());
          const Object *Call =
              Above < Calls->size() ? (*Calls)[Above].getAsObject() : nullptr;
          auto Id = Call ? Call->getString("id") : std::nullopt;
          if (!Id)
            return refuse(Message,
                          "the trace does not show where this frame begins");
          // The call was of another function, which jumped to this one.
          if (auto Entry = Call->getInteger("function_entry"))
            return move(Message,
                        "rewind goto " +
                            itostr(Json->getInteger("thread").value_or(1)) +
                            ":#" + itostr(*Entry),
                        "goto");
          move(Message, ("rewind calls enter " + *Id).str(), "goto");
        });
      },
      /*Frame=*/0, Message);
}

/// Where one stands in the trace.
void Proxy::rewindScope(const Object &Message) {
  runJson("rewind where --json", [=, this](const Object *Json, StringRef Text) {
    if (!Json)
      return refuse(Message, Text.str());
    json::Array Variables;
    auto Add = [&](StringRef Name, const json::Value *V) {
      if (!V || V->kind() == json::Value::Null)
        return;
      std::string Shown;
      if (auto S = V->getAsString())
        Shown = S->str();
      else
        raw_string_ostream(Shown) << *V;
      Variables.push_back(Object{{"name", Name},
                                 {"value", json::fixUTF8(Shown)},
                                 {"variablesReference", 0}});
    };
    Add("position", Json->get("position"));
    Add("of", Json->get("of"));
    Add("time", Json->get("time"));
    Add("trace line", Json->get("line"));
    Add("instruction", Json->get("instruction"));
    auto Rows = std::make_shared<json::Array>(std::move(Variables));
    runJson(
        "rewind calls where --json", [=, this](const Object *Json, StringRef) {
          const json::Array *Calls = Json ? Json->getArray("items") : nullptr;
          const Object *Call =
              Calls && !Calls->empty() ? (*Calls)[0].getAsObject() : nullptr;
          // Some traces show no calls.
          if (Call) {
            std::string Text = (Call->getString("id").value_or("") + " " +
                                Call->getString("code").value_or("?"))
                                   .str();
            if (auto Entry = Call->getInteger("entry"))
              Text += ", entered at #" + itostr(*Entry);
            Rows->push_back(Object{{"name", "activation"},
                                   {"value", json::fixUTF8(Text)},
                                   {"variablesReference", 0}});
          }
          answer(Message, Object{{"variables", std::move(*Rows)}});
        });
  });
}

/// The JSON that a command says: an object; a list, or an object a line, are
/// "items".
static Object bodyOf(Said S) {
  if (S.Json.size() == 1) {
    if (const Object *O = S.Json[0].getAsObject())
      return *O;
    if (json::Array *List = S.Json[0].getAsArray())
      return Object{{"items", std::move(*List)}};
  }
  json::Array Items;
  for (json::Value &Row : S.Json)
    Items.push_back(std::move(Row));
  return Object{{"items", std::move(Items)}};
}

/// Any command that answers something: the arguments are those of the same
/// tool for agents, and the frame or the thread that it is asked about; the
/// body is the command's JSON.
void Proxy::ask(const Object &Message, StringRef Name) {
  Object Arguments = argumentsOf(Message);
  Arguments.erase("frameId");
  Arguments.erase("threadId");
  // DAP has no way back into a call, and out of one.
  if (is_contained(
          {"reverse-step", "reverse-finish", "reverse-nexti", "reverse-stepi"},
          Name))
    return move(Message, Name.str(), "step");
  const Command *C = findTool(Name, ToolUser::Debugger);
  if (!C)
    return refuse(Message, "no command '" + Name.str() + "'" +
                               nearTools(Name, ToolUser::Debugger));
  auto Call = toolCall(*C, &Arguments, ToolUser::Debugger);
  if (!Call)
    return refuse(Message, toString(Call.takeError()));
  std::string Line = ("rewind " + C->Name).str();
  const bool Moves =
      moving(*C) != MoveKind::Stays || any_of(Call->Words, [](StringRef Word) {
        return Word == "--goto" || Word.starts_with("--goto=");
      });
  bool Json =
      any_of(C->Options, [](const OptionSpec &O) { return O.Long == "json"; });
  if (Json && !is_contained(Call->Words, "--json"))
    Line += " --json";
  for (const std::string &W : Call->Words)
    if (W != "--" || W != Call->Words.back())
      Line += " " + quoteWord(W);
  if (Moves)
    return move(Message, Line, "goto");
  // Both are sent at once: what lldb-dap selects for others stays out.
  auto NotThere = std::make_shared<std::string>();
  focusOn(argumentsOf(Message),
          [=](const std::string &Why) { *NotThere = Why; });
  if (!NotThere->empty())
    return refuse(Message, *NotThere);
  run(
      Line,
      [=, this](StringRef Text, bool Failed) {
        if (Failed || !NotThere->empty())
          return refuse(Message, NotThere->empty() ? Text.str() : *NotThere);
        if (!Json)
          return answer(Message, Object{{"text", json::fixUTF8(Text)}});
        Said S = readSaid(Text);
        if (S.Broken)
          return refuse(Message,
                        "the answer is no JSON: " + Text.take_front(200).str());
        if (!S.Warnings.empty())
          say(StringRef(S.Warnings).rtrim().str(), "console");
        answer(Message, bodyOf(std::move(S)));
      },
      /*Frame=*/0, Message);
}
