//===- ListPane.cpp -------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/ListPane.h"

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
  const ListContent &C = Content.get(Key, [&] { return Fill(Model); });
  std::string For = Key + "|" + C.Title;
  if (For != ChosenFor) {
    if (C.Here || Chosen >= C.Items.size())
      Chosen = C.Here.value_or(0);
    ChosenFor = For;
  }
  return C;
}

int ListPane::wantedHeight(int) {
  return std::clamp<int>(content().Items.size(), 1, 12);
}

std::string ListPane::status() {
  const ListContent &C = content();
  std::string Text = C.Title;
  if (!C.Note.empty())
    Text += (Text.empty() ? "" : ", ") + C.Note;
  return Text;
}

void ListPane::draw(Area On, bool Focused) {
  const ListContent &C = content();
  Height = std::max(On.height(), 1);
  const int Size = C.Items.size();
  Top = std::clamp(Top, int(Chosen) - Height + 1, int(Chosen));
  Top = std::clamp(Top, 0, std::max(0, Size - Height));
  for (int Y = 0; Y < Height && Top + Y < Size; ++Y) {
    Line Text = C.Items[Top + Y].Text;
    const bool Here = size_t(Top + Y) == Chosen;
    if (Here && Focused)
      for (Span &S : Text)
        S.Reverse = true;
    On.put(-Left, Y, Text);
    if (C.Here && *C.Here == size_t(Top + Y) && !(Here && Focused) && !Left)
      On.put(0, Y, ">", Style::Current);
    if (Here && Focused)
      On.cursor(0, Y);
  }
  if (!Size)
    On.put(0, 0, "(nothing)", Style::Dim);
}

bool ListPane::act(Action A) {
  const size_t Size = content().Items.size();
  auto Choose = [&](int64_t To) {
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
    Choose(0);
    return true;
  case Action::End:
    Choose(int64_t(Size) - 1);
    return true;
  case Action::Left:
    Left = std::max(0, Left - 8);
    return true;
  case Action::Right:
    Left = std::min(Left + 8, 400);
    return true;
  case Action::Enter:
    if (Chosen < Size) {
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
