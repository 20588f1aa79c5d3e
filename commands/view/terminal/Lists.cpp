//===- Lists.cpp - What lists of places are made of -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/ListPane.h"
#include "commands/view/terminal/TraceRowText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::term {

static constexpr const char *Most = "1000";

static std::string positionCell(uint64_t P) {
  return leftPadded("#" + std::to_string(P), 10);
}

/// The items of an answer, a line each; null: there is no answer.
static void addItems(ListContent &C, const std::optional<json::Object> &O,
                     function_ref<ListItem(const json::Object &)> Each) {
  const json::Array *Items = O ? O->getArray("items") : nullptr;
  if (!Items)
    return;
  for (const json::Value &V : *Items)
    if (const json::Object *Item = V.getAsObject())
      C.Items.push_back(Each(*Item));
}

static Spot spotIn(const json::Object &O, StringRef Field = "position") {
  return {unsigned(numberIn(O, "thread").value_or(1)),
          numberIn(O, Field).value_or(0)};
}

static void noteCount(ListContent &C, const std::optional<json::Object> &O,
                      StringRef What) {
  if (!O) {
    C.Note = "no answer";
    return;
  }
  C.Note = grouped(C.Items.size()) + " " + What.str();
  if (!O->getBoolean("complete").value_or(true))
    C.Note += O->getBoolean("cancelled").value_or(false)
                  ? " (interrupted: there may be more)"
                  : " (there are more)";
}

/// The last item at or before the position.
static void findHere(ListContent &C, Spot Here) {
  for (size_t I = 0; I < C.Items.size(); ++I)
    if (const auto &To = C.Items[I].To;
        To && To->Thread == Here.Thread && To->At <= Here.At)
      C.Here = I;
}

ListContent stackList(TraceModel &M) {
  ListContent C;
  auto O = M.askHere("stack");
  const json::Array *Frames = O ? O->getArray("frames") : nullptr;
  if (!Frames)
    return C;
  for (const json::Value &V : *Frames) {
    const json::Object &F = *V.getAsObject();
    ListItem Item;
    Item.To = Spot{M.here().Thread, numberIn(F, "at").value_or(0)};
    std::string Source = sourceName(F), Remarks = textIn(F, "remarks");
    uint64_t Start = numberIn(F, "start").value_or(0),
             End = numberIn(F, "end").value_or(0);
    Item.Text = {{"  " + positionCell(Item.To->At) + "  ", Style::Dim},
                 {padded(textIn(F, "name"), 24), Style::Call},
                 {Source.empty() ? "  " + textIn(F, "pc") : "  " + Source},
                 {"  from #" + std::to_string(Start) + ", " +
                      grouped(End - Start) + " instructions",
                  Style::Dim},
                 {Remarks.empty() ? "" : "  (" + Remarks + ")", Style::Dim}};
    C.Items.push_back(std::move(Item));
  }
  C.Title = "Calls running at #" + grouped(M.here().At);
  C.Note = grouped(C.Items.size()) + " frames";
  if (!O->getBoolean("complete").value_or(true))
    C.Note += M.HasCalls ? " (there are more)" : ": no call was found";
  if (!C.Items.empty())
    C.Here = 0;
  return C;
}

ListContent callsList(TraceModel &M, const std::string &Of) {
  ListContent C;
  auto O = M.ask("calls-info", {{"of", Of}, {"count", Most}});
  addItems(C, O, [](const json::Object &I) {
    ListItem Item;
    Item.To = spotIn(I, "start");
    std::string From = textIn(I, "called_from"), Remarks = textIn(I, "remarks");
    Item.Text = {
        {"  " + positionCell(Item.To->At), Style::Dim},
        {leftPadded(grouped(numberIn(I, "instructions").value_or(0)), 14) +
         " instructions"},
        {From.empty() ? "" : "  from " + From, Style::Call},
        {Remarks.empty() ? "" : "  (" + Remarks + ")", Style::Dim}};
    return Item;
  });
  findHere(C, M.here());
  C.Title = "Calls of " + Of;
  noteCount(C, O, "calls");
  return C;
}

ListContent historyList(TraceModel &M, const std::string &Of) {
  ListContent C;
  const std::string Here = positionText(M.here());
  auto O = M.ask("history", {{"of", Of}, {"at", Here}, {"count", Most}});
  C.Title = "History of " + Of;
  if (O && !O->getBoolean("complete").value_or(true) &&
      !O->getBoolean("cancelled").value_or(false)) {
    // The first ones are not those that are asked for.
    auto Later = M.ask(
        "history", {{"of", Of}, {"at", Here}, {"from", Here}, {"count", Most}});
    if (Later) {
      O = std::move(Later);
      C.Title += " from #" + grouped(M.here().At) + " on";
    }
  }
  addItems(C, O, [](const json::Object &I) {
    ListItem Item;
    Item.To = spotIn(I);
    const bool IsRead = textIn(I, "access") == "read";
    auto Value = [&](StringRef Text, StringRef Plain) {
      std::string Shown = textIn(I, Text);
      if (Shown.empty())
        Shown = brief(textIn(I, Plain));
      return Shown.empty() ? std::string("?") : Shown;
    };
    std::string Place = codeName(I);
    Item.Text = {
        {"  " + positionCell(Item.To->At) + "  ", Style::Dim},
        {padded(Place.empty() ? textIn(I, "pc") : Place, 24), Style::Call},
        {IsRead ? "  read " + Value("value_text", "value")
                : "  " + Value("old_text", "old") + " -> " +
                      Value("new_text", "new"),
         IsRead ? Style::Read : Style::Write},
        {"  " + textIn(I, "instruction")}};
    return Item;
  });
  findHere(C, M.here());
  noteCount(C, O, "writes");
  return C;
}

ListContent visitsList(TraceModel &M, const std::string &Of) {
  ListContent C;
  C.Title = "Visits of " + Of;
  auto O = M.ask("find", {{"of", Of}, {"count", Most}});
  if (O && !O->getBoolean("complete").value_or(true) &&
      !O->getBoolean("cancelled").value_or(false)) {
    auto Later =
        M.ask("find",
              {{"of", Of}, {"from", positionText(M.here())}, {"count", Most}});
    if (Later) {
      O = std::move(Later);
      C.Title += " from #" + grouped(M.here().At) + " on";
    }
  }
  addItems(C, O, [](const json::Object &I) {
    ListItem Item;
    Item.To = spotIn(I);
    auto Time = numberIn(I, "time"), Text = numberIn(I, "line");
    std::string Place = codeName(I), Source = sourceName(I);
    Item.Text = {{"  " + positionCell(Item.To->At) + "  ", Style::Dim},
                 {Time ? "t:" + padded(std::to_string(*Time), 10) : ""},
                 {Text ? "l:" + padded(std::to_string(*Text), 10) : ""},
                 {textIn(I, "pc") + "  "},
                 {Place + "  ", Style::Call},
                 {Source}};
    return Item;
  });
  findHere(C, M.here());
  noteCount(C, O, "visits");
  return C;
}

ListContent bookmarksList(TraceModel &M) {
  ListContent C;
  auto O = M.ask("bookmarks");
  addItems(C, O, [](const json::Object &I) {
    ListItem Item;
    Item.To = spotIn(I);
    Item.Text = {{"  " + positionCell(Item.To->At) + "  ", Style::Dim},
                 {padded(textIn(I, "name"), 20), Style::Call},
                 {"  " + textIn(I, "note")}};
    return Item;
  });
  findHere(C, M.here());
  C.Title = "Bookmarks";
  noteCount(C, O, "of them");
  return C;
}

ListContent profileList(TraceModel &M) {
  ListContent C;
  auto O = M.ask("profile-self", {{"thread", std::to_string(M.here().Thread)},
                                  {"count", Most}});
  const json::Object *Total = O ? O->getObject("total") : nullptr;
  const double All =
      Total ? double(numberIn(*Total, "instructions").value_or(0)) : 0;
  addItems(C, O, [&](const json::Object &I) {
    ListItem Item;
    if (const json::Object *Longest = I.getObject("longest"))
      Item.To = spotIn(*Longest);
    const json::Object *Self = I.getObject("self");
    uint64_t Own = Self ? numberIn(*Self, "instructions").value_or(0) : 0;
    std::string Share;
    raw_string_ostream(Share) << format("%5.1f%%", All ? 100 * Own / All : 0);
    Item.Text = {
        {"  " + Share},
        {leftPadded(grouped(Own), 15) + " own instructions"},
        {leftPadded(grouped(numberIn(I, "activations").value_or(0)), 10) +
             " calls  ",
         Style::Dim},
        {textIn(I, "block"), Style::Call},
        {"  " + sourceName(I), Style::Dim}};
    return Item;
  });
  C.Title = "Profile; Return goes to the longest call";
  noteCount(C, O, "functions");
  return C;
}

ListContent sliceList(TraceModel &M, const std::string &Of) {
  ListContent C;
  auto O = M.ask("slice",
                 {{"of", Of}, {"at", positionText(M.here())}, {"count", Most}});
  addItems(C, O, [](const json::Object &I) {
    ListItem Item;
    Item.To = spotIn(I);
    std::string Ends;
    if (const json::Array *List = I.getArray("ends"))
      for (const json::Value &V : *List)
        if (const json::Object *E = V.getAsObject())
          Ends +=
              "  [" + textIn(*E, "kind") + " " + textIn(*E, "location") + "]";
    Item.Text = {{"  " + positionCell(Item.To->At) + "  ", Style::Dim},
                 {padded(textIn(I, "instruction"), 30)},
                 {"  " + textIn(I, "made"), Style::Write},
                 {" of " + textIn(I, "needed"), Style::Read},
                 {"  " + codeName(I), Style::Call},
                 {Ends, Style::Dim}};
    return Item;
  });
  C.Title = "Why " + Of + " at #" + grouped(M.here().At);
  noteCount(C, O, "instructions");
  if (const json::Array *Limits = O ? O->getArray("limits") : nullptr)
    for (const json::Value &V : *Limits)
      if (auto Text = V.getAsString())
        C.Items.push_back({{{("  " + *Text).str(), Style::Dim}}, {}, ""});
  return C;
}

ListContent sourceList(TraceModel &M) {
  ListContent C;
  C.Title = "Source";
  auto Where = M.askHere("where");
  auto Number = Where ? numberIn(*Where, "file_number") : std::nullopt;
  auto At = Where ? numberIn(*Where, "source_line") : std::nullopt;
  if (!Number || !At) {
    C.Note = "no line of the source is known here";
    return C;
  }
  C.Title = sourceName(*Where);
  constexpr uint64_t Before = 1000;
  uint64_t From = *At > Before ? *At - Before : 1;
  auto O =
      M.ask("source", {{"file", *Number}, {"from", From}, {"count", 2000}});
  const json::Array *Lines = O ? O->getArray("lines") : nullptr;
  if (!Lines) {
    C.Note = M.Status.Text;
    return C;
  }
  std::string Path = textIn(*O, "file");
  for (const json::Value &V : *Lines) {
    std::string Text = V.getAsString().value_or("").str(), Flat;
    for (char Ch : Text)
      if (Ch == '\t')
        Flat.append(8 - columns(Flat) % 8, ' ');
      else
        Flat += Ch;
    uint64_t L = From + C.Items.size();
    ListItem Item;
    Item.Visit = Path + ":" + std::to_string(L);
    Item.Text = {{"  " + leftPadded(std::to_string(L), 5) + "  ", Style::Dim},
                 {Flat, L == *At ? Style::Current : Style::Text}};
    if (L == *At)
      C.Here = C.Items.size();
    C.Items.push_back(std::move(Item));
  }
  C.Note = "Return: next visit of the line";
  return C;
}

} // namespace rw::term
