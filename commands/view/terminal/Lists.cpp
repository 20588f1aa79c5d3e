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
/// Lines of a long list that are asked for at once.
static constexpr uint64_t Window = 500;

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
  C.Note =
      grouped(C.Items.size()) + " " + What.drop_back(C.Items.size() == 1).str();
  if (!O->getBoolean("complete").value_or(true))
    C.Note += O->getBoolean("cancelled").value_or(false)
                  ? " (interrupted: there may be more)"
                  : " (there are more)";
}

void findHere(ListContent &C, Spot Position) {
  C.Here.reset();
  for (size_t I = 0; I < C.Items.size(); ++I)
    if (const auto &To = C.Items[I].To;
        To && To->Thread == Position.Thread && To->At <= Position.At)
      C.Here = I;
}

/// What is on both sides of the position.
static void fillAround(ListContent &C, TraceModel &M) {
  const Spot Here = M.here();
  std::optional<Spot> Next;
  if (Here.At < M.length())
    Next = Spot{Here.Thread, Here.At + 1};
  ListPart Before = C.Window->Before(M, Next);
  if (!Before.Answered)
    return;
  std::optional<Spot> Last;
  for (const ListItem &I : Before.Items)
    if (I.To)
      Last = I.To;
  C.Items = std::move(Before.Items);
  C.AtStart = Before.Complete;
  if (!Last)
    C.Items.clear(); // the other part tells how it begins, too
  ListPart Behind = C.Window->Behind(M, Last);
  C.AtEnd = Behind.Answered && Behind.Complete;
  move(Behind.Items, std::back_inserter(C.Items));
  findHere(C, Here);
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

static ListItem callItem(const json::Object &I) {
  ListItem Item;
  Item.To = spotIn(I, "start");
  std::string From = textIn(I, "called_from"), Remarks = textIn(I, "remarks");
  Item.Text = {
      {"  " + positionCell(Item.To->At), Style::Dim},
      {leftPadded(grouped(numberIn(I, "instructions").value_or(0)), 14)},
      {From.empty() ? "" : "  " + From, Style::Call},
      {Remarks.empty() ? "" : "  (" + Remarks + ")", Style::Dim}};
  return Item;
}

static ListPart partOf(const std::optional<json::Object> &O,
                       function_ref<ListItem(const json::Object &)> Each) {
  ListPart P;
  P.Answered = O.has_value();
  if (!O)
    return P;
  P.Complete = O->getBoolean("complete").value_or(true);
  ListContent C;
  addItems(C, O, Each);
  P.Items = std::move(C.Items);
  return P;
}

/// What begins with the item at a spot is wanted from the one behind it on.
static void dropFirst(ListPart &P) {
  auto First = find_if(P.Items, [](const ListItem &I) { return !!I.To; });
  if (First != P.Items.end())
    P.Items.erase(P.Items.begin(), First + 1);
}

ListContent callsList(TraceModel &M, const std::string &Of) {
  ListContent C;
  C.Title = Of;
  if (M.numThreads() > 1)
    C.Title += " in thread " + std::to_string(M.here().Thread);
  C.What = "calls";
  C.Head = "      begins  instructions  called from";
  const unsigned Thread = M.here().Thread;
  auto Ask = [=](TraceModel &M, std::optional<Position> From, uint64_t Count) {
    json::Object Fields{{"of", Of},
                        {"thread", std::to_string(Thread)},
                        {"count", std::to_string(Count)}};
    if (From)
      Fields["from"] = positionText({Thread, *From});
    return partOf(M.ask("calls-info", std::move(Fields)), callItem);
  };
  auto Earlier = [=](TraceModel &M, Position Before) {
    return M.ask("calls-before", {{"thread", int64_t(Thread)},
                                  {"of", Of},
                                  {"at", Before},
                                  {"count", int64_t(Window)}});
  };
  C.Window = ListWindow{
      [=](TraceModel &M, std::optional<Spot> Before) {
        ListPart P;
        auto O = Earlier(M, Before ? Before->At : M.lengthOf(Thread));
        if (!O)
          return P;
        const uint64_t Count = numberIn(*O, "count").value_or(0);
        if (Count) {
          P = Ask(M, numberIn(*O, "from"), Count);
          if (!P.Answered)
            return P;
        }
        P.Answered = true;
        P.Complete = numberIn(*O, "earlier").value_or(0) == Count;
        return P;
      },
      [=](TraceModel &M, std::optional<Spot> Behind) {
        return Ask(M, Behind ? std::optional(Behind->At + 1) : std::nullopt,
                   Window);
      }};
  auto O = Earlier(M, 0);
  if (!O)
    return C;
  C.All = numberIn(*O, "of");
  fillAround(C, M);
  return C;
}

/// "+192: 00 -> 01" of what is big and was written in part: the bytes of one
/// run that the write made.
static std::string writtenPart(const json::Object &I) {
  const json::Array *Bytes = I.getArray("bytes");
  if (!Bytes || Bytes->empty())
    return "";
  const uint64_t First = Bytes->front().getAsUINT64().value_or(0);
  uint64_t End = First;
  for (const json::Value &V : *Bytes)
    if (V.getAsUINT64() == std::optional<uint64_t>(End))
      ++End;
    else
      break;
  auto Part = [&](StringRef Field) -> std::string {
    StringRef Text = I.getString(Field).value_or("");
    // In the order of memory: "01 00 ff".
    if (Text.starts_with("0x") || Text.size() < 3 * End - 1)
      return "";
    return Text.substr(3 * First, 3 * (End - First) - 1).str();
  };
  std::string Old = Part("old"), New = Part("new");
  if (New.empty())
    return "";
  return "+" + std::to_string(First) + ": " + Old + " -> " + New + "  ";
}

static ListItem writeItem(const json::Object &I) {
  ListItem Item;
  Item.To = spotIn(I);
  const bool IsRead = textIn(I, "access") == "read";
  auto Value = [&](StringRef Text, StringRef Plain) {
    std::string Shown = textIn(I, Text);
    if (Shown.empty())
      Shown = brief(textIn(I, Plain));
    return Shown.empty() ? std::string("?") : Shown;
  };
  std::string Place = codeName(I), Part = IsRead ? "" : writtenPart(I);
  Item.Text = {
      {"  " + positionCell(Item.To->At) + "  ", Style::Dim},
      {padded(Place.empty() ? textIn(I, "pc") : Place, 24), Style::Call},
      {IsRead ? "  read " + Value("value_text", "value")
       : Part.empty()
           ? "  " + Value("old_text", "old") + " -> " + Value("new_text", "new")
           : "  " + Part + Value("new_text", "new"),
       IsRead ? Style::Read : Style::Write},
      {"  " + textIn(I, "instruction")}};
  return Item;
}

/// What it was before the first write.
static void addInitial(ListPart &P, const std::optional<json::Object> &O) {
  if (!O)
    return;
  std::string Value = textIn(*O, "initial_text");
  if (Value.empty())
    Value = brief(textIn(*O, "initial"));
  const json::Object *Searched = O->getObject("searched");
  const uint64_t From = Searched ? numberIn(*Searched, "from").value_or(0) : 0;
  ListItem Item;
  Item.Text = {{"  " + positionCell(From) + "  ", Style::Dim},
               {padded("(before the first)", 24), Style::Dim},
               {"  " + (Value.empty() ? "?" : Value), Style::Write}};
  P.Items.insert(P.Items.begin(), std::move(Item));
}

ListContent historyList(TraceModel &M, const std::string &Of) {
  ListContent C;
  C.Title = "of " + Of;
  C.What = "writes";
  const Spot At = M.here();
  auto Ask = [=](TraceModel &M, std::optional<Spot> From, uint64_t Count) {
    json::Object Fields{
        {"of", Of}, {"at", positionText(At)}, {"count", std::to_string(Count)}};
    if (From)
      Fields["from"] = positionText(*From);
    auto O = M.ask("history", std::move(Fields));
    ListPart P = partOf(O, writeItem);
    if (!From)
      addInitial(P, O);
    return P;
  };
  auto Earlier = [=](TraceModel &M, std::optional<Spot> Before) {
    json::Object Fields{{"of", Of},
                        {"thread", int64_t(At.Thread)},
                        {"at", At.At},
                        {"count", int64_t(Window)}};
    if (Before) {
      Fields["before_thread"] = int64_t(Before->Thread);
      Fields["before"] = Before->At;
    }
    return M.ask("writes-before", std::move(Fields));
  };
  auto Most = std::make_shared<uint64_t>(Window); // fewer of what is big
  C.Window = ListWindow{
      [=](TraceModel &M, std::optional<Spot> Before) {
        ListPart P;
        auto O = Earlier(M, Before);
        if (!O)
          return P;
        *Most = std::max<uint64_t>(numberIn(*O, "window").value_or(Window), 1);
        const uint64_t Count = numberIn(*O, "count").value_or(0);
        const bool Complete = O->getBoolean("complete").value_or(true);
        if (Count) {
          // What it was before the first one is told with it.
          P = Ask(M,
                  Complete ? std::nullopt : std::optional(spotIn(*O, "from")),
                  Count);
          if (!P.Answered)
            return P;
        }
        P.Answered = true;
        P.Complete = Complete;
        return P;
      },
      [=](TraceModel &M, std::optional<Spot> Behind) {
        ListPart P = Ask(M, Behind, *Most + (Behind ? 1 : 0));
        if (Behind)
          dropFirst(P);
        return P;
      }};
  fillAround(C, M);
  return C;
}

static ListItem visitItem(const json::Object &I) {
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
}

ListContent visitsList(TraceModel &M, const std::string &Of) {
  ListContent C;
  C.Title = "of " + Of;
  C.What = "visits";
  const std::string Count = std::to_string(Window);
  C.Window = ListWindow{
      [=](TraceModel &M, std::optional<Spot> Before) {
        json::Object Fields{
            {"of", Of}, {"count", Count}, {"prev", true}, {"at", "end"}};
        if (Before)
          Fields["at"] = positionText(*Before);
        ListPart P = partOf(M.ask("find", std::move(Fields)), visitItem);
        std::reverse(P.Items.begin(), P.Items.end());
        return P;
      },
      [=](TraceModel &M, std::optional<Spot> Behind) {
        json::Object Fields{{"of", Of}, {"count", Count}};
        if (Behind) {
          Fields["next"] = true;
          Fields["at"] = positionText(*Behind);
        }
        return partOf(M.ask("find", std::move(Fields)), visitItem);
      }};
  fillAround(C, M);
  return C;
}

ListContent bookmarksList(TraceModel &M) {
  ListContent C;
  auto O = M.ask("bookmarks");
  addItems(C, O, [&](const json::Object &I) {
    ListItem Item;
    Item.To = spotIn(I);
    Item.Bookmark = textIn(I, "name");
    Item.Text = {{"  " + positionCell(Item.To->At) + "  ", Style::Dim},
                 {padded(Item.Bookmark, 20), Style::Call}};
    if (auto Where = M.ask("where", {{"thread", int64_t(Item.To->Thread)},
                                     {"at", Item.To->At}})) {
      Item.Text.push_back({"  " + codeName(*Where), Style::Call});
      Item.Text.push_back({"  " + sourceName(*Where)});
    }
    Item.Text.push_back({"  " + textIn(I, "note")});
    return Item;
  });
  findHere(C, M.here());
  C.Title = C.Items.empty() ? "" : "Delete deletes one";
  noteCount(C, O, "bookmarks");
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
    raw_string_ostream(Share)
        << llvm::format("%5.1f%%", All ? 100 * Own / All : 0);
    Item.Text = {
        {"  " + Share},
        {leftPadded(grouped(Own), 18)},
        {leftPadded(grouped(numberIn(I, "activations").value_or(0)), 12) + "  ",
         Style::Dim},
        {textIn(I, "block"), Style::Call},
        {"  " + sourceName(I), Style::Dim}};
    return Item;
  });
  C.Head = "   share  own instructions       calls  function";
  C.Title = "Return goes to the longest call";
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
        C.Items.push_back({{{("  " + *Text).str(), Style::Dim}}, {}, "", ""});
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
  C.Pinned = 1; // the numbers of the lines
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
