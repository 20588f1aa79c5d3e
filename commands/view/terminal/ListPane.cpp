//===- ListPane.cpp -------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/ListPane.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw::term {

ArrayRef<Scope> ListPane::scopes() const {
  static constexpr Scope Scopes[] = {Scope::List, Scope::Any};
  return Scopes;
}

const ListContent &ListPane::content() {
  std::string Key;
  if (Follows)
    Key = std::to_string(Model.revision());
  const ListContent &C = Content.get(Key, [&] {
    Standing = Model.here();
    return Fill(Model);
  });
  std::string For = Key + "|" + C.Title;
  if (For != ChosenFor) {
    if (C.Here || Chosen >= C.Items.size())
      Chosen = C.Here.value_or(0), Centre = !!C.Window;
    ChosenFor = For;
  }
  if (C.Title != ScrolledFor) {
    Left = 0;
    ScrolledFor = C.Title;
  }
  return C;
}

int ListPane::wantedHeight(int) {
  const ListContent &C = content();
  return std::clamp<int>(C.Items.size(), 1, 12) + !C.Head.empty();
}

/// "1,000 of 135,103 writes, more before and behind"
static std::string windowNote(const ListContent &C) {
  size_t Size = count_if(
      C.Items, [](const ListItem &I) { return I.To || !I.Visit.empty(); });
  std::string Text = grouped(Size);
  if (C.All && *C.All != Size)
    Text += " of " + grouped(*C.All);
  Text += " " + StringRef(C.What).drop_back(Size == 1 && !C.All).str();
  if (!C.AtStart || !C.AtEnd)
    Text += std::string(", more ") + (C.AtEnd     ? "before"
                                      : C.AtStart ? "behind"
                                                  : "before and behind");
  return Text;
}

std::string ListPane::status() {
  const ListContent &C = content();
  std::string Text = C.Title;
  for (const std::string &Note : {C.Note, C.Window ? windowNote(C) : ""})
    if (!Note.empty())
      Text += (Text.empty() ? "" : ", ") + Note;
  return Text;
}

static std::optional<Spot> lastSpot(ArrayRef<ListItem> Items) {
  for (const ListItem &I : reverse(Items))
    if (I.To)
      return I.To;
  return std::nullopt;
}

/// More lines than this are not kept: those at the other end go.
static constexpr size_t MostLines = 10000;

void ListPane::load(bool Ahead) {
  content();
  ListContent *C = Content.kept();
  if (!C || !C->Window || (Ahead ? C->AtEnd : C->AtStart))
    return;
  if (Ahead) {
    ListPart P = C->Window->Behind(Model, lastSpot(C->Items));
    if (!P.Answered)
      return;
    C->AtEnd = P.Complete;
    move(P.Items, std::back_inserter(C->Items));
    if (C->Items.size() > MostLines) {
      const size_t Gone = C->Items.size() - MostLines;
      C->Items.erase(C->Items.begin(), C->Items.begin() + Gone);
      C->AtStart = false;
      Chosen -= std::min(Chosen, Gone);
      Top = std::max(0, Top - int(Gone));
    }
  } else {
    auto First = find_if(C->Items, [](const ListItem &I) { return !!I.To; });
    ListPart P = C->Window->Before(Model, First == C->Items.end() ? std::nullopt
                                                                  : First->To);
    if (!P.Answered)
      return;
    C->AtStart = P.Complete;
    Chosen += P.Items.size();
    Top += P.Items.size();
    C->Items.insert(C->Items.begin(), std::make_move_iterator(P.Items.begin()),
                    std::make_move_iterator(P.Items.end()));
    if (C->Items.size() > MostLines) {
      C->Items.resize(MostLines);
      C->AtEnd = false;
    }
  }
  findHere(*C, Standing);
}

void ListPane::goToEnd(bool Ahead) {
  content();
  ListContent *C = Content.kept();
  if (C && C->Window && !(Ahead ? C->AtEnd : C->AtStart)) {
    ListPart P = Ahead ? C->Window->Before(Model, std::nullopt)
                       : C->Window->Behind(Model, std::nullopt);
    if (!P.Answered)
      return;
    C->Items = std::move(P.Items);
    C->AtStart = !Ahead || P.Complete;
    C->AtEnd = Ahead || P.Complete;
    findHere(*C, Standing);
  }
  const size_t Size = content().Items.size();
  Chosen = Ahead && Size ? Size - 1 : 0;
}

/// Names give way, in their middle, for what stands behind them, if that makes
/// room for all of it.
static void fitNames(Line &Text, unsigned Width, StringRef Mark) {
  constexpr unsigned Least = 16;
  auto NameWidth = [](const Span &S) {
    return S.Look == Style::Call ? columns(StringRef(S.Text).rtrim(' ')) : 0;
  };
  const unsigned All = columns(Text);
  unsigned Spare = 0;
  for (const Span &S : Text)
    Spare += std::max(NameWidth(S), Least) - Least;
  if (All <= Width || All - Width > Spare)
    return;
  for (unsigned Over = All - Width; Over;) {
    auto Longest = max_element(Text, [&](const Span &A, const Span &B) {
      return NameWidth(A) < NameWidth(B);
    });
    const unsigned Now = NameWidth(*Longest),
                   To = std::max(Least, Now - std::min(Now, Over));
    StringRef Name = StringRef(Longest->Text).rtrim(' ');
    const size_t Blanks = Longest->Text.size() - Name.size();
    Longest->Text = fittedInside(Name, To, Mark) + std::string(Blanks, ' ');
    Over -= Now - To;
  }
}

void ListPane::drawLine(Area On, int Y, const ListContent &C, Line Text) {
  const StringRef More = On.canvas().more();
  if (!Left)
    fitNames(Text, On.width(), More);
  const size_t Pinned = std::min(C.Pinned, Text.size());
  Line Stays(Text.begin(), Text.begin() + Pinned),
      Moves(Text.begin() + Pinned, Text.end());
  const int From = columns(Stays);
  On.put(From - Left, Y, Moves);
  if (From - Left + int(columns(Moves)) > On.width())
    On.put(On.width() - 1, Y, More, Style::Dim);
  if (From) {
    // Over what was scrolled below it.
    On.part({0, Y, From, 1}).fill(0, 0, ' ', Style::Text);
    On.put(0, Y, Stays);
  }
}

void ListPane::draw(Area All, bool Focused) {
  const ListContent &C = content();
  const bool HasHead = !C.Head.empty() && All.height() > 1;
  if (HasHead)
    drawLine(All, 0, C, {{C.Head, Style::Dim}});
  Area On = All.part({0, HasHead, All.width(), All.height() - HasHead});
  Height = std::max(On.height(), 1);
  const int Size = C.Items.size();
  if (std::exchange(Centre, false))
    Top = int(Chosen) - Height / 2;
  Top = std::clamp(Top, int(Chosen) - Height + 1, int(Chosen));
  Top = std::clamp(Top, 0, std::max(0, Size - Height));
  for (int Y = 0; Y < Height && Top + Y < Size; ++Y) {
    Line Text = C.Items[Top + Y].Text;
    const bool Here = size_t(Top + Y) == Chosen;
    if (Here && Focused)
      for (Span &S : Text)
        S.Reverse = true;
    drawLine(On, Y, C, std::move(Text));
    if (C.Here && *C.Here == size_t(Top + Y) && !(Here && Focused) &&
        (!Left || C.Pinned))
      On.put(0, Y, ">", Style::Current);
    if (Here && Focused)
      On.cursor(0, Y);
  }
  if (!Size)
    On.put(0, 0, "(nothing)", Style::Dim);
}

bool ListPane::act(Action A) {
  auto Choose = [&](int64_t To) {
    // At an end of what is listed it goes on, if there is more.
    if (To < 0 && !content().AtStart) {
      const size_t Before = Chosen;
      load(/*Ahead=*/false);
      To += int64_t(Chosen) - int64_t(Before);
    } else if (To >= int64_t(content().Items.size()) && !content().AtEnd) {
      const size_t Before = Chosen;
      load(/*Ahead=*/true);
      To += int64_t(Chosen) - int64_t(Before);
    }
    const size_t Size = content().Items.size();
    Chosen = std::clamp<int64_t>(To, 0, Size ? int64_t(Size) - 1 : 0);
  };
  switch (A) {
  case Action::Up:
    Choose(int64_t(Chosen) - 1);
    return true;
  case Action::Down:
    Choose(int64_t(Chosen) + 1);
    return true;
  case Action::PageUp:
    Choose(int64_t(Chosen) - Height);
    return true;
  case Action::PageDown:
    Choose(int64_t(Chosen) + Height);
    return true;
  case Action::Home:
    goToEnd(/*Ahead=*/false);
    return true;
  case Action::End:
    goToEnd(/*Ahead=*/true);
    return true;
  case Action::Left:
    Left = std::max(0, Left - 8);
    return true;
  case Action::Right:
    Left = std::min(Left + 8, 400);
    return true;
  case Action::Enter:
    if (Chosen < content().Items.size()) {
      // Going there may make the list anew.
      ListItem Item = content().Items[Chosen];
      if (Item.To)
        Model.jump(*Item.To);
      else if (!Item.Visit.empty())
        Model.visit(Item.Visit, /*Back=*/false);
      else
        Model.tell("this line leads nowhere");
    }
    return true;
  case Action::DeleteItem:
    if (Chosen < content().Items.size()) {
      std::string Name = content().Items[Chosen].Bookmark;
      if (Name.empty())
        Model.tell("only bookmarks can be deleted");
      else if (Model.ask("bookmark-delete", {{"name", Name}}))
        Model.tell("bookmark " + Name + " is deleted");
      Model.changed();
    }
    return true;
  default:
    return actOnFrame(A);
  }
}

LayersPane::LayersPane(TraceModel &Model, PaneHost &Host)
    : ListPane(
          Model, Host, "Layers", [this](TraceModel &) { return fill(); },
          /*Follows=*/true) {}

ArrayRef<Scope> LayersPane::scopes() const {
  static constexpr Scope Scopes[] = {Scope::Layers, Scope::List, Scope::Any};
  return Scopes;
}

ListContent LayersPane::fill() {
  ListContent C;
  // What was stopped is not begun again by itself.
  if (Failed) {
    C.Note = "no answer: z asks again";
    return C;
  }
  auto Where = Model.askHere("htr-where", {{"at", positionText(Model.here())}});
  if (!Where) {
    Failed = true;
    C.Note = "no answer: " + Model.Status.Text;
    return C;
  }
  const json::Array *Around = Where->getArray("enclosing");
  if (!Around || Around->empty()) {
    C.Note = "no block is around the position";
    return C;
  }
  // Outermost first.
  Deepest = Around->size() - 1;
  Out = std::min(Out, Deepest);
  const size_t Level = Deepest - Out;
  const json::Object &Block = *(*Around)[Level].getAsObject();
  C.Title = textIn(Block, "name") + " (" + textIn(Block, "pass") + ", B" +
            std::to_string(numberIn(Block, "id").value_or(0)) +
            "), occurrence " +
            grouped(numberIn(Block, "occurrence").value_or(0)) + " of " +
            grouped(numberIn(Block, "occurrences").value_or(0));
  auto O = Model.ask(
      "htr-expand",
      {{"of", "B" + std::to_string(numberIn(Block, "id").value_or(0))},
       {"occurrence",
        std::to_string(numberIn(Block, "occurrence").value_or(1))},
       {"layer", std::to_string(numberIn(Block, "layer").value_or(1))},
       {"count", "1000"}});
  if (!O)
    return C;
  const Position At = Model.here().At;
  if (const json::Array *Items = O->getArray("items"))
    for (const json::Value &V : *Items) {
      const json::Object &I = *V.getAsObject();
      if (auto More = numberIn(I, "more")) {
        C.Note = grouped(*More) + " more are not listed";
        continue;
      }
      ListItem Item;
      Position P = numberIn(I, "position").value_or(0);
      Item.To = Spot{unsigned(numberIn(I, "thread").value_or(1)), P};
      uint64_t Times = numberIn(I, "times").value_or(1),
               Length = numberIn(I, "instructions").value_or(0);
      std::string Count = Times > 1 ? " x" + grouped(Times) : std::string();
      Item.Text = {{"  "},
                   {leftPadded("#" + std::to_string(P), 10), Style::Dim},
                   {leftPadded(grouped(Length), 14) + padded(Count, 8) + "  "},
                   {textIn(I, "name"), Style::Call},
                   {"  " + textIn(I, "source"), Style::Dim}};
      if (P <= At)
        C.Here = C.Items.size();
      C.Items.push_back(std::move(Item));
    }
  return C;
}

bool LayersPane::act(Action A) {
  switch (A) {
  case Action::ZoomOut:
    if (std::exchange(Failed, false))
      ; // asks again
    else if (Out < Deepest)
      ++Out;
    else
      Model.tell("this is the outermost block");
    forget();
    return true;
  case Action::ZoomIn:
    if (Out > 0)
      --Out;
    else
      Model.tell("this is the innermost block");
    forget();
    return true;
  default:
    return ListPane::act(A);
  }
}

} // namespace rw::term
