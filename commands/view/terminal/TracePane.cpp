//===- TracePane.cpp ------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/TracePane.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::term {

ArrayRef<Scope> TracePane::scopes() const {
  static constexpr Scope Scopes[] = {Scope::Trace, Scope::Any};
  return Scopes;
}

void TracePane::load(size_t Before, size_t After) {
  std::string Key = std::to_string(Model.here().Thread) + "|" + Model.folds();
  const Position At = Model.here().At;
  if (Key == LoadedFor && !Rows.empty()) {
    bool Inside = At >= Rows.front().At &&
                  (At < Rows.back().Next || (AtEnd && At >= Rows.back().At));
    size_t I = current();
    if (Inside && (AtStart || I >= Before) &&
        (AtEnd || I + After <= Rows.size()))
      return;
  }
  // Some more than are wanted: the next steps find theirs.
  constexpr size_t Most = 400;
  auto O = Model.askHere("rows",
                         {{"before", int64_t(std::min(2 * Before + 8, Most))},
                          {"after", int64_t(std::min(2 * After + 8, Most))}});
  Rows.clear();
  LoadedFor = Key;
  if (!O)
    return;
  if (json::Array *List = O->getArray("rows"))
    for (json::Value &V : *List) {
      json::Object &Told = *V.getAsObject();
      Position P = numberIn(Told, "position").value_or(0);
      Rows.push_back(
          {P, numberIn(Told, "next").value_or(P + 1), std::move(Told)});
    }
  AtStart = O->getBoolean("at_start").value_or(true);
  AtEnd = O->getBoolean("at_end").value_or(true);
}

size_t TracePane::current() const {
  const Position At = Model.here().At;
  auto It =
      std::upper_bound(Rows.begin(), Rows.end(), At,
                       [](Position P, const Loaded &R) { return P < R.Next; });
  return It - Rows.begin();
}

RowStyle TracePane::styleFor(int Width) const {
  RowStyle S;
  S.Width = std::max(Width, 20);
  S.PositionWidth = std::to_string(Model.length()).size() + 1;
  S.HasTime = Model.HasTime && Width >= 100;
  S.HasSymbols = Model.HasSymbols;
  S.Indent = Indent && Model.HasCalls;
  S.Colours = Colours;
  S.Targets = Targets;
  S.Utf8 = Utf8;
  S.PCWidth = 4;
  S.BaseDepth = ~0u;
  size_t Here = current();
  size_t From = Here - std::min(Here, size_t(Height)),
         To = std::min(Rows.size(), Here + Height);
  for (size_t I = From; I < To; ++I) {
    const json::Object &O = Rows[I].Told;
    S.PCWidth = std::max<unsigned>(S.PCWidth, textIn(O, "pc").size());
    S.BaseDepth =
        std::min<uint32_t>(S.BaseDepth, numberIn(O, "depth").value_or(0));
    if (auto Time = numberIn(O, "time"))
      S.TimeWidth =
          std::max<unsigned>(S.TimeWidth, std::to_string(*Time).size());
  }
  return S;
}

std::vector<Line> TracePane::textOf(size_t Row, RowStyle S,
                                    bool IsCurrent) const {
  S.Current = IsCurrent;
  S.Marked = IsCurrent ? marked() : -1;
  return linesOf(Rows[Row].Told, S);
}

void TracePane::draw(Area On, bool) {
  Height = std::max(On.height(), 1);
  Width = On.width();
  Utf8 = On.canvas().utf8();
  load(Height, Height);
  RowStyle S = styleFor(Width);
  const size_t Here = current();
  if (Model.here() != DrawnAt && !Placed) {
    // Nothing jumps that is on the screen already.
    RuleAt = (Height - 1) / 2;
    if (Here < Rows.size() && DrawnAt.Thread == Model.here().Thread)
      for (auto [P, Y] : Drawn)
        if (P == Rows[Here].At && Y < Height - 1)
          RuleAt = Y;
  }
  Placed = false;
  DrawnAt = Model.here();
  RuleAt = std::clamp(RuleAt, 0, Height - 1);

  std::vector<std::pair<Line, size_t>> Above, Below; // Above: the last first
  for (size_t I = Here; I > 0 && int(Above.size()) < Height; --I) {
    std::vector<Line> Text = textOf(I - 1, S, false);
    for (Line &L : reverse(Text))
      Above.push_back({std::move(L), I - 1});
  }
  int OfPosition = 1; // lines; one that tells of the trace's end
  for (size_t I = Here; I < Rows.size() && int(Below.size()) < Height; ++I) {
    for (Line &L : textOf(I, S, I == Here))
      Below.push_back({std::move(L), I});
    if (I == Here)
      OfPosition = Below.size();
  }
  if (AtEnd && int(Below.size()) < Height)
    Below.push_back(
        {{{"  end of the trace, #" + grouped(Model.length()), Style::Dim}},
         Rows.size()});
  // The row of the position is below the rule, all of it if there is room.
  RuleAt = std::min(RuleAt, std::max(0, Height - 1 - OfPosition));
  // No blank lines where there is text.
  RuleAt = std::max(RuleAt, Height - 1 - int(Below.size()));
  RuleAt = std::min<int>(RuleAt, Above.size());

  Drawn.clear();
  auto Draw = [&](int Y, int Content, const std::pair<Line, size_t> &L) {
    if (On.put(0, Y, L.first) > On.width())
      On.put(On.width() - 1, Y, On.canvas().more(), Style::Dim);
    if (L.second < Rows.size() &&
        (Drawn.empty() || Drawn.back().first != Rows[L.second].At))
      Drawn.push_back({Rows[L.second].At, Content});
  };
  for (int Y = 0; Y < RuleAt; ++Y)
    Draw(Y, Y, Above[RuleAt - 1 - Y]);
  On.rule(RuleAt);
  for (int Y = RuleAt + 1; Y < Height && Y - RuleAt - 1 < int(Below.size());
       ++Y)
    Draw(Y, Y - 1, Below[Y - RuleAt - 1]);
}

/// Goes to a row; the rule goes along by as many lines, but stays in sight of
/// some of what is ahead.
void TracePane::follow(Position To, size_t Lines, bool Down) {
  const int Margin = std::min(3, (Height - 1) / 4);
  RuleAt += Down ? int(Lines) : -int(Lines);
  RuleAt = std::clamp(RuleAt, Margin, std::max(Height - 1 - Margin, Margin));
  Placed = true;
  Model.step(To);
}

void TracePane::move(int64_t Count) {
  load(Height, Height);
  size_t Here = current();
  if (Count > 0 && Here < Rows.size()) {
    size_t Lines = textOf(Here, styleFor(Width), true).size();
    follow(Rows[Here].Next, Lines, true);
  } else if (Count < 0) {
    const bool InFold = Here < Rows.size() && Model.here().At != Rows[Here].At;
    if (InFold)
      follow(Rows[Here].At, 0, false);
    else if (Here > 0)
      follow(Rows[Here - 1].At, textOf(Here - 1, styleFor(Width), false).size(),
             false);
  }
}

void TracePane::page(bool Down) {
  load(2 * Height, 2 * Height);
  const int Where = RuleAt;
  size_t I = current();
  RowStyle S = styleFor(Width);
  int Lines = 0;
  while (Down ? I < Rows.size() : I > 0) {
    Lines += textOf(Down ? I : I - 1, S, false).size();
    if (Lines > std::max(Height - 2, 1) && Lines > 1)
      break;
    I += Down ? 1 : -1;
  }
  if (I == current() && (Down ? I < Rows.size() : I > 0))
    I += Down ? 1 : -1;
  Model.step(I < Rows.size() ? Rows[I].At : Model.length());
  RuleAt = Where;
  Placed = true;
}

std::string TracePane::status() {
  auto O = Model.askHere("where");
  // Long names leave room for the rest.
  const StringRef More = Utf8 ? "…" : "~";
  std::string Text =
      "#" + grouped(Model.here().At) + " of " + grouped(Model.length());
  std::string Thread;
  if (Model.numThreads() > 1)
    Thread = "thread " + std::to_string(Model.here().Thread) + "  ";
  std::string Hidden;
  size_t Here = current();
  if (Here < Rows.size() && Rows[Here].At != Model.here().At)
    Hidden = "[HIDDEN]  ";
  std::string File = fitted(Model.Trace, std::max(12, Width / 5), More) + "  ";
  if (!O)
    return Hidden + Thread + File + Text;
  std::string Unit;
  size_t UnitAt = 0;
  if (auto Time = numberIn(*O, "time")) {
    Text += "  t:" + std::to_string(*Time);
    UnitAt = Text.size();
    if (!Model.TimeUnit.empty())
      Unit = " " + Model.TimeUnit;
  }
  if (auto L = numberIn(*O, "line"))
    Text += "  l:" + std::to_string(*L);
  std::string Code = codeName(*O), Source = sourceName(*O);
  std::string Function = textIn(*O, "function");
  std::string Offset = Code.substr(Function.size());
  Code = fitted(Function, std::max(20, Width / 4), More) + Offset;
  Text += "  " + (Code.empty() ? textIn(*O, "pc") : Code);
  if (!Source.empty())
    Source = " at " + Source;
  // Where one is matters more than what is the same everywhere: the file's name
  // gives way to it, then the unit of time. The pane's name stands before it.
  const unsigned Room = std::max(Width - int(name().size()) - 4, 0);
  const unsigned Needed = columns(Hidden + Thread + Text + Unit + Source);
  constexpr unsigned LeastFile = 8;
  if (Needed + columns(File) > Room) {
    const unsigned Left = Room > Needed + 2 ? Room - Needed - 2 : 0;
    if (Left >= LeastFile || Needed + columns(File) - columns(Unit) > Room)
      File = fitted(Model.Trace, std::max(Left, LeastFile), More) + "  ";
    if (Needed + columns(File) > Room)
      Unit.clear();
  }
  Text.insert(UnitAt, Unit);
  return Hidden + Thread + File + Text + Source;
}

const Effect *TracePane::meant() {
  load(1, 1);
  size_t Here = current();
  Effects =
      Here < Rows.size() ? effectsOf(Rows[Here].Told) : std::vector<Effect>();
  if (Effects.empty())
    return nullptr;
  return &Effects[std::min<size_t>(std::max(marked(), 0), Effects.size() - 1)];
}

std::string TracePane::subject() {
  const Effect *E = meant();
  return E ? E->Name : "";
}

void TracePane::mark() {
  if (!meant())
    return Model.tell("this instruction reads and writes nothing that the "
                      "trace tells");
  Marked = marked() + 1 < int(Effects.size()) ? marked() + 1 : -1;
  MarkedAt = Model.here();
}

void TracePane::enter() {
  const Effect *E = meant();
  if (!E)
    return Model.tell("this instruction reads and writes nothing that the "
                      "trace tells");
  Effect Of = *E;
  Position From = Rows[current()].At;
  Model.access("last-write", Of.Name,
               Of.IsMemory ? std::optional(Of.Size) : std::nullopt, From);
}

bool TracePane::act(Action A) {
  if (A != Action::Recenter)
    Cycle = 0;
  auto Fold = [&](StringRef How) {
    // The rule stays where it is on the screen.
    Model.fold(How);
    Placed = true;
  };
  auto GoTo = [&](StringRef Kind, StringRef Label) {
    Host.prompt(Label, "", [this, Kind](const std::string &Text) {
      if (auto To = Model.place(Kind, Text))
        Model.jump(*To);
    });
  };
  auto Visit = [&](bool Back) {
    Host.prompt(
        Back ? "Last visit of PC: " : "Next visit of PC: ", "",
        [this, Back](const std::string &Text) { Model.visit(Text, Back); });
  };
  switch (A) {
  case Action::Up:
    move(-1);
    break;
  case Action::Down:
    move(1);
    break;
  case Action::PageUp:
    page(false);
    break;
  case Action::PageDown:
    page(true);
    break;
  case Action::Home:
    Model.jump(Position(0));
    RuleAt = 0;
    Placed = true;
    break;
  case Action::End:
    Model.jump(Model.length());
    RuleAt = Height - 2; // the end is told below it
    Placed = true;
    break;
  case Action::Recenter: {
    const int Places[] = {(Height - 1) / 2, 0, Height - 1};
    RuleAt = Places[Cycle++ % 3];
    Placed = true;
    break;
  }
  case Action::GoLine:
    if (Model.HasLines)
      GoTo("l", "Line: ");
    else
      Model.complain("this trace has no text lines");
    break;
  case Action::GoTime:
    if (Model.HasTime)
      GoTo("t", "Time: ");
    else
      Model.complain("this trace tells no time");
    break;
  case Action::NextVisit:
    Visit(false);
    break;
  case Action::LastVisit:
    Visit(true);
    break;
  case Action::SearchOn:
    Model.searchOn(false);
    break;
  case Action::SearchBack:
    Model.searchOn(true);
    break;
  case Action::NextException:
    Model.event("exception", false);
    break;
  case Action::LastException:
    Model.event("exception", true);
    break;
  case Action::FoldCall:
    Fold("containing");
    break;
  case Action::Unfold:
    Fold("unfold");
    break;
  case Action::UnfoldWhole:
    Fold("unfold-whole");
    break;
  case Action::FoldCallees:
    Fold("callees");
    break;
  case Action::UnfoldInside:
    Fold("unfold-inside");
    break;
  case Action::FoldAll:
    Fold("all");
    break;
  case Action::UnfoldAll:
    Fold("unfold-all");
    break;
  case Action::Mark:
    mark();
    break;
  case Action::Enter:
    enter();
    break;
  case Action::ShowMemory:
    if (!Model.HasMemoryValues && !Model.HasSymbols)
      Model.complain("this trace tells no values of memory");
    else
      Host.prompt("Memory at: ", "",
                  [this](const std::string &Text) { Host.openMemory(Text); });
    break;
  case Action::Colours:
    Colours = !Colours;
    Model.tell(Colours ? "colours in the trace" : "no colours in the trace");
    break;
  case Action::Targets:
    if (!Model.HasSymbols) {
      Model.complain("no image is there to look symbols up in");
      break;
    }
    Targets = !Targets;
    Model.tell(Targets ? "targets of branches as symbols"
                       : "targets of branches as addresses");
    break;
  default:
    return false;
  }
  return true;
}

} // namespace rw::term
