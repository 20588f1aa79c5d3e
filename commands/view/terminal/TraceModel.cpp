//===- TraceModel.cpp -----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/TraceModel.h"
#include "commands/support/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw::term {

std::string positionText(Spot S) {
  return std::to_string(S.Thread) + ":#" + std::to_string(S.At);
}

std::optional<uint64_t> numberIn(const json::Object &O, StringRef Name) {
  const json::Value *V = O.get(Name);
  return V ? V->getAsUINT64() : std::nullopt;
}

std::string textIn(const json::Object &O, StringRef Name) {
  return O.getString(Name).value_or("").str();
}

std::string codeName(const json::Object &O) {
  std::string Name = textIn(O, "function");
  if (uint64_t Offset = numberIn(O, "function_offset").value_or(0);
      Offset && !Name.empty())
    Name += "+0x" + utohexstr(Offset, /*LowerCase=*/true);
  return Name;
}

std::string sourceName(const json::Object &O) {
  auto File = O.getString("file");
  auto L = numberIn(O, "source_line");
  if (!File || !L)
    return "";
  return (sys::path::filename(*File) + ":" + Twine(*L)).str();
}

Expected<TraceModel> TraceModel::open(Asker Ask) {
  TraceModel M;
  M.Ask = std::move(Ask);
  json::Object O = M.Ask("hello", {});
  if (auto Problem = O.getString("error"))
    return userError(*Problem);
  M.Trace = textIn(O, "trace");
  M.TimeUnit = textIn(O, "time_unit");
  M.StackPointer = textIn(O, "sp");
  if (const json::Array *Threads = O.getArray("threads"))
    for (const json::Value &T : *Threads)
      M.Lengths.push_back(
          numberIn(*T.getAsObject(), "instructions").value_or(0));
  if (M.Lengths.empty())
    return userError("the trace has no thread");
  const json::Object *Can = O.getObject("can");
  auto Is = [&](StringRef Name) {
    return Can && Can->getBoolean(Name).value_or(false);
  };
  M.HasRegisters = Is("registers");
  M.HasMemoryValues = Is("memory_values");
  M.HasMemoryAddresses = Is("memory_addresses");
  M.HasTime = Is("time");
  M.HasLines = Is("lines");
  M.HasCalls = Is("calls");
  M.HasSymbols = Is("symbols");
  M.HasBookmarks = Is("bookmarks");
  return M;
}

void TraceModel::tell(const Twine &Text) { Status = {Text.str(), false}; }
void TraceModel::complain(const Twine &Text) { Status = {Text.str(), true}; }

std::optional<json::Object> TraceModel::ask(StringRef What,
                                            json::Object Fields) {
  json::Object O = Ask(What, std::move(Fields));
  if (auto Problem = O.getString("error")) {
    complain(*Problem);
    return std::nullopt;
  }
  return O;
}

std::optional<json::Object> TraceModel::askHere(StringRef What,
                                                json::Object Fields) {
  Fields.try_emplace("thread", int64_t(Here.Thread));
  Fields.try_emplace("at", Here.At);
  Fields.try_emplace("folds", Folds);
  return ask(What, std::move(Fields));
}

void TraceModel::stand(Spot To) {
  if (To.Thread != Here.Thread)
    Folds.clear();
  Here.Thread = std::clamp<unsigned>(To.Thread, 1, Lengths.size());
  Here.At = std::min(To.At, length());
  changed();
}

void TraceModel::step(Position To) { stand({Here.Thread, To}); }

void TraceModel::jump(Spot To) {
  if (To == Here)
    return;
  Before.push_back(Here);
  After.clear();
  stand(To);
}

void TraceModel::back() {
  if (Before.empty())
    return complain("no jump to go back from");
  After.push_back(Here);
  stand(Before.back());
  Before.pop_back();
}

void TraceModel::forward() {
  if (After.empty())
    return complain("no jump to go forward to");
  Before.push_back(Here);
  stand(After.back());
  After.pop_back();
}

void TraceModel::nextThread() {
  if (Lengths.size() == 1)
    return complain("the trace has one thread");
  unsigned Next = Here.Thread % Lengths.size() + 1;
  auto O = askHere("moment", {{"of", int64_t(Next)}});
  if (O)
    jump({Next, numberIn(*O, "at").value_or(0)});
}

void TraceModel::fold(StringRef Action) {
  if (!HasCalls)
    return complain(
        "no call was found in this trace: there is nothing to fold");
  auto O = askHere("fold", {{"action", Action}});
  if (!O)
    return;
  const bool Unfolds = Action.starts_with("unfold");
  if (textIn(*O, "folds") == Folds &&
      (Action == "unfold" || Action == "unfold-whole")) {
    // The rule is between two rows: what is hidden right above it is meant,
    // too.
    auto Above = askHere("rows", {{"before", 1}, {"after", 0}});
    const json::Array *Rows = Above ? Above->getArray("rows") : nullptr;
    if (Rows && !Rows->empty())
      O = askHere(
          "fold",
          {{"action", Action},
           {"at",
            numberIn(*Rows->front().getAsObject(), "position").value_or(0)}});
    if (!O)
      return;
    (*O)["at"] = Here.At;
  }
  if (textIn(*O, "folds") == Folds) {
    complain(Unfolds ? "there is nothing to unfold here"
                     : "there is nothing to fold here");
    // Who folds all wants to see where he is, even if it is folded already.
    if (Action != "all")
      return;
  }
  Folds = textIn(*O, "folds");
  stand({Here.Thread, numberIn(*O, "at").value_or(Here.At)});
}

std::optional<std::string> TraceModel::resolve(const std::string &Text,
                                               bool Back) {
  auto O = askHere("resolve", {{"text", Text}, {"back", Back}});
  if (!O)
    return std::nullopt;
  if (O->getString("kind") == StringRef("memory"))
    return Text;
  if (O->getString("kind") == StringRef("visit"))
    Searched = Text;
  jump({unsigned(numberIn(*O, "thread").value_or(Here.Thread)),
        numberIn(*O, "at").value_or(Here.At)});
  if (O->getBoolean("wrapped").value_or(false))
    tell(Back ? Text + " is not reached before: this is its last visit"
              : Text + " is not reached again: this is its first visit");
  return std::nullopt;
}

void TraceModel::visit(const std::string &Text, bool Back) {
  auto O = askHere("resolve", {{"text", Text}, {"back", Back}, {"code", true}});
  if (!O)
    return;
  Searched = Text;
  if (O->getBoolean("wrapped").value_or(false))
    return complain(Twine("there is no ") + (Back ? "earlier" : "further") +
                    " visit of " + Text);
  jump(numberIn(*O, "at").value_or(Here.At));
}

void TraceModel::searchOn(bool Back) {
  if (Searched.empty())
    return complain("nothing has been searched for yet: p, P or /");
  visit(Searched, Back);
}

std::optional<Spot> TraceModel::place(StringRef Kind, StringRef Text) {
  std::string Typed = Text.trim().str();
  if (!Kind.empty() && parseNumber(Typed))
    Typed = (Kind + ":" + Typed).str();
  auto O = askHere("resolve", {{"text", Typed}, {"position", true}});
  if (!O)
    return std::nullopt;
  return Spot{unsigned(numberIn(*O, "thread").value_or(Here.Thread)),
              numberIn(*O, "at").value_or(Here.At)};
}

void TraceModel::event(StringRef Kind, bool Back) {
  if (auto O = askHere("event", {{"kind", Kind}, {"back", Back}}))
    jump(numberIn(*O, "at").value_or(Here.At));
}

void TraceModel::access(StringRef What, const std::string &Of,
                        std::optional<uint64_t> Size, Position From) {
  json::Object Fields{{"of", Of}, {"at", positionText({Here.Thread, From})}};
  if (Size)
    Fields["size"] = std::to_string(*Size);
  auto O = ask(What, std::move(Fields));
  if (!O)
    return;
  const json::Array *Items = O->getArray("items");
  if (!Items || Items->empty()) {
    std::string Why = textIn(*O, "note"), Kind = What.str();
    std::replace(Kind.begin(), Kind.end(), '-', ' ');
    return complain("there is no " + Kind + " of " + Of +
                    (Why.empty() ? "" : ": " + Why));
  }
  const json::Object &Item = *Items->front().getAsObject();
  jump({unsigned(numberIn(Item, "thread").value_or(Here.Thread)),
        numberIn(Item, "position").value_or(Here.At)});
}

void TraceModel::call(bool Next) {
  if (!HasCalls)
    return complain("no call was found in this trace");
  auto Where = askHere("where");
  auto Number = Where ? numberIn(*Where, "activation") : std::nullopt;
  if (!Number)
    return;
  auto O = askHere("activation", {{"number", *Number}});
  if (!O)
    return;
  Position Start = numberIn(*O, "start").value_or(0);
  auto To = Next              ? numberIn(*O, "next")
            : Here.At > Start ? std::optional<uint64_t>(Start)
                              : numberIn(*O, "last");
  if (!To)
    return complain(Twine("there is no ") + (Next ? "further" : "earlier") +
                    " call of " + textIn(*O, "name"));
  jump(*To);
}

} // namespace rw::term
