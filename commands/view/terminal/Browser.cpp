//===- Browser.cpp --------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Browser.h"
#include "commands/view/terminal/Layout.h"
#include "commands/view/terminal/MemoryPane.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::term {

static constexpr size_t MostPanes = 12;

Browser::Browser(TraceModel &Model) : Model(Model) {
  auto T = std::make_unique<TracePane>(Model, *this);
  TheTrace = T.get();
  Trace = std::move(T);
  if (Model.HasRegisters)
    Others.push_back(
        std::make_unique<RegisterPane>(Model, *this, RegisterKind::Core));
  Model.tell("? shows the keys, q quits");
}

void Browser::prompt(StringRef Label, StringRef Text,
                     std::function<void(const std::string &)> Done) {
  Asking = std::make_unique<Prompt>(
      Label.str(), Text.str(), Typed,
      [this](const std::string &Word) { return complete(Word); },
      std::move(Done));
}

Prompt::Names Browser::complete(const std::string &Word) {
  Prompt::Names N;
  auto O = Model.askHere("complete", {{"word", Word}});
  if (!O)
    return N;
  if (const json::Array *List = O->getArray("names"))
    for (const json::Value &V : *List)
      N.List.push_back(V.getAsString().value_or("").str());
  N.Complete = O->getBoolean("complete").value_or(true);
  return N;
}

void Browser::open(std::unique_ptr<Pane> New) {
  if (Others.size() >= MostPanes)
    return Model.complain("too many panes are open: x closes one");
  Others.push_back(std::move(New));
  Focus = Others.size() - 1;
}

bool Browser::closeList(StringRef Kind) {
  for (auto &P : Others)
    if (P->name() == Kind) {
      P->Closed = true;
      removeClosed();
      return true;
    }
  return false;
}

void Browser::openList(StringRef Kind, ListPane::Make Fill, bool Follows) {
  auto New = std::make_unique<ListPane>(Model, *this, Kind.str(),
                                        std::move(Fill), Follows);
  // What there is no answer to neither adds a pane nor takes another's place.
  New->refill();
  if (Model.Status.IsError)
    return;
  closeList(Kind);
  open(std::move(New));
}

void Browser::openMemory(const std::string &Expression) {
  // What is no address opens no pane. The keys stay where they are.
  auto Focused = Focus;
  if (Model.askHere("memory", {{"address", Expression}, {"size", 16}}))
    open(std::make_unique<MemoryPane>(Model, *this, Expression));
  Focus = Focused;
}

void Browser::toggleRegisters(RegisterKind Kind) {
  if (!Model.HasRegisters)
    return Model.complain("this trace tells no values of registers");
  if (closeList(kindName(Kind)))
    return;
  auto New = std::make_unique<RegisterPane>(Model, *this, Kind);
  if (New->registers().empty())
    return Model.complain(Kind == RegisterKind::System
                              ? "no system register is known here"
                              : "this processor has no such registers");
  Others.push_back(std::move(New)); // the trace keeps the keys, as in TTU
}

void Browser::removeClosed() {
  for (size_t I = Others.size(); I-- > 0;) {
    if (!Others[I]->Closed)
      continue;
    Others.erase(Others.begin() + I);
    if (Focus == I)
      Focus.reset();
    else if (Focus && *Focus > I)
      --*Focus;
  }
}

void Browser::focus(int By) {
  // The trace, then the others.
  int Count = Others.size() + 1, Now = Focus ? int(*Focus) + 1 : 0;
  Now = (Now + By + Count) % Count;
  Focus = Now ? std::optional<size_t>(Now - 1) : std::nullopt;
}

void Browser::askLocation(StringRef Label,
                          std::function<void(const std::string &)> Done) {
  prompt(Label, focused().subject(), [Done](const std::string &Text) {
    if (!Text.empty())
      Done(Text);
  });
}

bool Browser::act(Action A) {
  switch (A) {
  case Action::NextPane:
    focus(1);
    break;
  case Action::LastPane:
    focus(-1);
    break;
  case Action::Help:
    Helping = true;
    HelpTop = 0;
    break;
  case Action::Quit:
    return false;
  case Action::Goto:
  case Action::Search: {
    const bool Seeks = A == Action::Search;
    prompt(Seeks ? "Search: " : "Go to: ", "",
           [this, Seeks](const std::string &Text) {
             if (Text.empty())
               return;
             if (Seeks)
               return Model.visit(Text, /*Back=*/false);
             if (auto Memory = Model.resolve(Text))
               openMemory(*Memory);
           });
    break;
  }
  case Action::AllVisits:
    prompt("List visits of: ", "", [this](const std::string &Text) {
      if (!Text.empty())
        openList(
            "Visits", [Text](TraceModel &M) { return visitsList(M, Text); },
            false);
    });
    break;
  case Action::Back:
    Model.back();
    break;
  case Action::Forward:
    Model.forward();
    break;
  case Action::Bookmark:
    if (!Model.HasBookmarks)
      Model.complain("bookmarks are kept beside the index, and this trace has "
                     "none that is a file");
    else
      prompt("Name of the bookmark: ", "", [this](const std::string &Text) {
        if (Text.empty())
          return;
        if (Model.ask("bookmark-add",
                      {{"name", Text}, {"at", positionText(Model.here())}}))
          Model.tell("bookmark " + Text + " at #" + grouped(Model.here().At));
        Model.changed();
      });
    break;
  case Action::Bookmarks:
    if (Model.HasBookmarks)
      openList("Bookmarks", bookmarksList, true);
    else
      Model.complain("this trace has no bookmarks");
    break;
  case Action::Stack:
    if (Model.HasCalls)
      openList("Calls", stackList, true);
    else
      Model.complain("no call was found in this trace");
    break;
  case Action::Calls: {
    if (!Model.HasCalls) {
      Model.complain("no call was found in this trace");
      break;
    }
    auto Where = Model.askHere("where");
    prompt("Calls of: ", Where ? textIn(*Where, "function") : "",
           [this](const std::string &Text) {
             if (!Text.empty())
               openList(
                   "Calls of",
                   [Text](TraceModel &M) { return callsList(M, Text); }, false);
           });
    break;
  }
  case Action::LastCall:
    Model.call(/*Next=*/false);
    break;
  case Action::NextCall:
    Model.call(/*Next=*/true);
    break;
  case Action::History:
    askLocation("History of: ", [this](const std::string &Text) {
      openList(
          "History", [Text](TraceModel &M) { return historyList(M, Text); },
          false);
    });
    break;
  case Action::Slice:
    askLocation("Why: ", [this](const std::string &Text) {
      openList(
          "Slice", [Text](TraceModel &M) { return sliceList(M, Text); }, false);
    });
    break;
  case Action::Source:
    if (closeList("Source"))
      break;
    if (!Model.HasSymbols) {
      Model.complain("no image is there to tell lines of the source (--image)");
      break;
    }
    openList("Source", sourceList, true);
    Focus.reset();
    break;
  case Action::Profile:
    openList("Profile", profileList, false);
    break;
  case Action::ZoomOut:
    closeList("Layers");
    open(std::make_unique<LayersPane>(Model, *this));
    break;
  case Action::ShowCore:
    toggleRegisters(RegisterKind::Core);
    break;
  case Action::ShowSingle:
    toggleRegisters(RegisterKind::Single);
    break;
  case Action::ShowDouble:
    toggleRegisters(RegisterKind::Double);
    break;
  case Action::ShowVector:
    toggleRegisters(RegisterKind::Vector);
    break;
  case Action::ShowMve:
    toggleRegisters(RegisterKind::Mve);
    break;
  case Action::ShowSystem:
    toggleRegisters(RegisterKind::System);
    break;
  case Action::NextThread:
    Model.nextThread();
    break;
  case Action::Indent:
    TheTrace->Indent = !TheTrace->Indent;
    Model.tell(TheTrace->Indent ? "indented by call depth" : "not indented");
    break;
  default:
    break;
  }
  return true;
}

bool Browser::key(Key K) {
  if (K == key::Resize || K == key::None)
    return true;
  // Whatever is being done: nothing but the screen changes.
  if (actionOf(Scope::Any, K) == Action::Redraw) {
    Redraw = true;
    return true;
  }
  if (Helping)
    return keyInHelp(K);
  Model.tell("");
  if (Asking) {
    switch (Asking->key(K)) {
    case Prompt::State::Open:
      break;
    case Prompt::State::GivenUp:
      Asking.reset();
      break;
    case Prompt::State::Entered: {
      // What is done with it may ask again.
      std::unique_ptr<Prompt> Asked = std::move(Asking);
      std::string Text = StringRef(Asked->text()).trim().str();
      if (!Text.empty() && (Typed.empty() || Typed.back() != Text))
        Typed.push_back(Text);
      Asked->done()(Text);
      // What was not understood is there to be mended.
      if (Model.Status.IsError && !Asking)
        Asking = std::move(Asked);
      break;
    }
    }
    return true;
  }
  if (K == key::Escape || K == key::ctrl('C') || K == key::ctrl('G')) {
    Model.tell("q quits");
    return true;
  }
  auto A = actionOf(focused().scopes(), K == '\n' ? key::Return : K);
  if (!A)
    return true;
  bool GoesOn = true;
  if (!focused().act(*A))
    GoesOn = act(*A);
  removeClosed();
  return GoesOn;
}

void Browser::drawPane(Canvas &On, Pane &P, Rect Where, bool Focused) {
  if (Where.Height <= 0)
    return;
  Area All(On, Where);
  P.draw(All.part({0, 0, Where.Width, Where.Height - 1}), Focused);
  // The status comes after: it tells of what is drawn.
  const Style Look = Focused ? Style::Focus : Style::Status;
  const int Y = Where.Height - 1;
  All.fill(0, Y, ' ', Look);
  std::string Text = (Focused ? "> " : "  ") + P.name() + "  " + P.status();
  All.put(0, Y, fitted(Text, Where.Width, On.more()), Look);
}

void Browser::draw(Canvas &On) {
  const int Width = On.width(), Height = On.height() - 1;
  Area All(On, {0, 0, Width, On.height()});
  if (Width < LeastWidth || On.height() < LeastHeight) {
    All.put(0, 0, "too small");
    return;
  }
  if (Helping) {
    drawHelp(On);
    return;
  }
  std::vector<PaneWish> Wishes;
  for (const auto &P : Others)
    Wishes.push_back({P->wantedHeight(sideWidth(Width)), P->Taller});
  ScreenParts Parts = partScreen(Width, Height, Wishes, Focus);
  if (Parts.Divider)
    for (int Y = 0; Y < Height; ++Y)
      All.part({*Parts.Divider, Y, 1, 1})
          .fill(0, 0, On.vertical(), Style::Rule);
  drawPane(On, *Trace, Parts.Panes[0], !Focus);
  for (size_t I = 0; I < Others.size(); ++I)
    drawPane(On, *Others[I], Parts.Panes[I + 1], Focus == I);
  // What there is to say ends above the prompt, or at the bottom; what does not
  // fit into a line is drawn over the panes until the next key.
  const int Hidden = count_if(Parts.Panes, [](Rect R) { return !R.Height; });
  if (Hidden && !Asking)
    All.put(0, Height,
            fitted(std::to_string(Hidden) +
                       (Hidden == 1 ? " more pane has" : " more panes have") +
                       " no room: Tab goes there, x closes a pane",
                   Width, On.more()),
            Style::Dim);
  drawMessage(All.part({0, 0, Width, Asking ? Height : Height + 1}));
  if (Asking) {
    On.Cursor.reset();
    Asking->draw(All.part({0, Height, Width, 1}));
  }
}

void Browser::drawMessage(Area On) {
  if (Model.Status.Text.empty())
    return;
  constexpr int MostLines = 6;
  std::vector<std::string> Lines =
      wrapped(Model.Status.Text, On.width(),
              std::min(MostLines, On.height() / 2), On.canvas().more());
  const Style Look = Model.Status.IsError ? Style::Error : Style::Text;
  for (size_t I = 0; I < Lines.size(); ++I) {
    const int Y = On.height() - int(Lines.size()) + int(I);
    On.fill(0, Y, ' ', Style::Text);
    On.put(0, Y, Lines[I], Look);
  }
}

std::vector<std::string> helpLines(const Pane &P) {
  std::vector<std::string> Lines;
  for (Scope S : P.scopes()) {
    if (!Lines.empty())
      Lines.push_back("");
    Lines.push_back(scopeName(S).str());
    for (const Binding &B : bindings())
      if (B.Where == S)
        Lines.push_back("  " + padded(B.Keys, 18) + " " + B.Help.str());
  }
  Lines.push_back("");
  Lines.push_back("Where something is asked for");
  for (StringRef Text :
       {"  Return             take it", "  Esc Ctrl-G         give it up",
        "  Tab                complete a name",
        "  Up Down            what was typed before",
        "  Ctrl-W Ctrl-U      delete a word, all of it"})
    Lines.push_back(Text.str());
  return Lines;
}

void Browser::drawHelp(Canvas &On) {
  std::vector<std::string> Lines = helpLines(focused());
  HelpLines = Lines.size();
  HelpHeight = On.height() - 1;
  HelpTop = std::clamp(HelpTop, 0, std::max(0, HelpLines - HelpHeight));
  Area All(On, {0, 0, On.width(), On.height()});
  for (int Y = 0; Y < HelpHeight && HelpTop + Y < HelpLines; ++Y)
    All.put(0, Y, fitted(Lines[HelpTop + Y], On.width(), On.more()),
            StringRef(Lines[HelpTop + Y]).starts_with(" ") ? Style::Text
                                                           : Style::Current);
  All.fill(0, HelpHeight, ' ', Style::Focus);
  All.put(0, HelpHeight,
          fitted("Keys: Up, Down, PgUp, PgDn scroll, any other key goes back",
                 On.width(), On.more()),
          Style::Focus);
}

bool Browser::keyInHelp(Key K) {
  switch (K) {
  case key::Up:
    --HelpTop;
    break;
  case key::Down:
    ++HelpTop;
    break;
  case key::PageUp:
    HelpTop -= HelpHeight;
    break;
  case key::PageDown:
    HelpTop += HelpHeight;
    break;
  default:
    Helping = false;
  }
  HelpTop = std::clamp(HelpTop, 0, std::max(0, HelpLines - HelpHeight));
  return true;
}

} // namespace rw::term
