//===- Tools.cpp - Commands as tools of an agent --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/mcp/Tools.h"
#include "commands/support/AnswerFile.h"
#include "commands/support/Completion.h"
#include "commands/support/NearNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace rw {

MoveKind moving(const Command &C) {
  return StringSwitch<MoveKind>(C.Name)
      .Cases({"goto", "back", "forward", "slice next", "slice prev"},
             MoveKind::OnlyMoves)
      .Cases({"calls enter", "calls leave", "calls parent", "htr goto"},
             MoveKind::Moves)
      .Default(MoveKind::Stays);
}

static bool answers(const Command &C, ToolUser For) {
  return !C.ShellOnly && C.OnlyAsks &&
         (For == ToolUser::Debugger || moving(C) != MoveKind::OnlyMoves);
}

/// Not what names a file, nor what is of use with one only. An agent stands
/// nowhere: asked once more, because no answer came in time, say, a question
/// has the same answer.
static bool offered(const OptionSpec &O, ToolUser For) {
  return !Completion::isFile(O.Value) && O.Help != opt::Replace.Help &&
         O.Help != opt::JsonOfFile.Help &&
         (For == ToolUser::Debugger || O.Long != "goto");
}

static std::string underscored(StringRef Name) {
  std::string Text = Name.str();
  for (char &C : Text)
    if (C == ' ' || C == '-' || C == '/')
      C = '_';
  return Text;
}

std::string toolName(const Command &C) {
  std::string Name = C.Name.str();
  llvm::replace(Name, ' ', '_');
  return Name;
}

const Command *findTool(StringRef Name, ToolUser For) {
  for (const Command *C : commands())
    if (answers(*C, For) && underscored(C->Name) == underscored(Name))
      return C;
  return nullptr;
}

std::string nearTools(StringRef Name, ToolUser For) {
  NearNames Near(Name);
  for (const Command *C : commands())
    if (answers(*C, For))
      Near.add(toolName(*C));
  return Near.question();
}

static json::Object schema(const Command &C) {
  json::Object Properties;
  for (const OptionSpec &O : C.Options) {
    if (!offered(O, ToolUser::Agent))
      continue;
    json::Object P{{"description", json::fixUTF8(O.Help)}};
    if (O.Value.empty())
      P["type"] = "boolean";
    else
      P["type"] = json::Array{"string", "integer"};
    if (O.Value.contains('|'))
      P["description"] = (O.Help + ": " + O.Value).str();
    Properties[O.Long] = std::move(P);
  }
  json::Array Required;
  if (C.MaxArguments) {
    json::Object P{
        {"type", "array"},
        {"items", json::Object{{"type", json::Array{"string", "integer"}}}},
        {"description",
         (C.Arguments.empty() ? "" : "in order: " + C.Arguments).str()}};
    if (C.MinArguments) {
      P["minItems"] = int64_t(C.MinArguments);
      Required.push_back("arguments");
    }
    if (C.MaxArguments != ~0u)
      P["maxItems"] = int64_t(C.MaxArguments);
    Properties["arguments"] = std::move(P);
  }
  Properties["page"] = json::Object{
      {"type", "integer"},
      {"minimum", 1},
      {"description", "which page of a long answer; the first one if absent"}};
  json::Object Schema{{"type", "object"},
                      {"properties", std::move(Properties)},
                      {"additionalProperties", false}};
  if (!Required.empty())
    Schema["required"] = std::move(Required);
  return Schema;
}

json::Array describeTools() {
  json::Array All;
  for (const Command *C : commands()) {
    if (!answers(*C, ToolUser::Agent))
      continue;
    All.push_back(json::Object{
        {"name", toolName(*C)},
        {"title", ("rewind " + C->Name).str()},
        {"description", json::fixUTF8((C->Summary + ".\n" + C->Help).str())},
        {"inputSchema", schema(*C)},
        // What there is only grows by nothing: a recording.
        {"annotations", json::Object{{"readOnlyHint", true},
                                     {"idempotentHint", true},
                                     {"openWorldHint", false}}}});
  }
  return All;
}

/// A string or a whole number, as a word of a command line.
static std::optional<std::string> word(const json::Value &V) {
  if (auto S = V.getAsString())
    return S->str();
  if (auto N = V.getAsInteger())
    return itostr(*N);
  return std::nullopt;
}

/// How many rows an agent is told that does not say how many it wants: the
/// whole trace would be looked at for them.
static constexpr uint64_t AgentRows = 100;

/// Whether the command would list all there is: not if it is asked for one, or
/// for their number.
static bool boundsRows(const Command &C, ArrayRef<std::string> Words) {
  return any_of(C.Options,
                [](const OptionSpec &O) {
                  return O.Long == opt::Count.Long && O.Help == opt::Count.Help;
                }) &&
         none_of(Words, [](StringRef Word) {
           return Word.starts_with("--count=") || Word.starts_with("--nth=") ||
                  is_contained(
                      {"--how-many", "--first", "--last", "--next", "--prev"},
                      Word);
         });
}

Expected<ToolCall> toolCall(const Command &C, const json::Object *Arguments,
                            ToolUser For) {
  ToolCall Call;
  Call.What = &C;
  if (!Arguments)
    return Call;
  std::vector<std::string> Places;
  for (const auto &[Key, V] : *Arguments) {
    StringRef Name = Key;
    if (Name == "page") {
      auto N = V.getAsInteger();
      if (!N || *N < 1)
        return userError("\"page\" is a number from 1 on");
      Call.Page = uint64_t(*N);
      continue;
    }
    const json::Array *List = Name == "arguments" ? V.getAsArray() : nullptr;
    // Agents give an empty one to tools that take none.
    if (Name == "arguments" && (C.MaxArguments || (List && List->empty()))) {
      if (!List)
        return userError("\"arguments\" is an array of strings and "
                         "whole numbers");
      for (const json::Value &Item : *List) {
        auto W = word(Item);
        if (!W)
          return userError("\"arguments\" is an array of strings and "
                           "whole numbers");
        Places.push_back(std::move(*W));
      }
      continue;
    }
    const OptionSpec *O = find_if(C.Options, [&](const OptionSpec &Spec) {
      return Spec.Long == Name && offered(Spec, For);
    });
    if (O == C.Options.end())
      return userError("'" + toolName(C) + "' has no \"" + Name + "\"");
    if (O->Value.empty()) {
      auto On = V.getAsBoolean();
      if (!On)
        return userError("\"" + Name + "\" is true or false");
      if (*On)
        Call.Words.push_back("--" + Name.str());
      continue;
    }
    auto W = word(V);
    if (!W)
      return userError("\"" + Name + "\" is a string or a number");
    Call.Words.push_back("--" + Name.str() + "=" + *W);
  }
  if (For == ToolUser::Agent && boundsRows(C, Call.Words))
    Call.Words.push_back("--count=" + utostr(AgentRows));
  // An argument is one, whatever it begins with.
  Call.Words.push_back("--");
  append_range(Call.Words, Places);
  return Call;
}

void PageStream::endLine() {
  // A page holds at least a line, and no line more than a page.
  if (Filled && Filled + Line.size() > PageBytes) {
    ++Current;
    Filled = 0;
  }
  Filled += Line.size();
  if (Current == Page)
    Text += Line;
  Line.clear();
}

void PageStream::write_impl(const char *Data, size_t Size) {
  Written += Size;
  for (StringRef Rest(Data, Size); !Rest.empty();) {
    const size_t Whole = Rest.find('\n');
    const size_t Room = PageBytes - Line.size();
    const size_t N = std::min(
        {Rest.size(), Room, Whole == StringRef::npos ? Room : Whole + 1});
    Line += Rest.take_front(N);
    Rest = Rest.drop_front(N);
    if (Line.back() == '\n' || Line.size() == PageBytes)
      endLine();
  }
}

} // namespace rw
