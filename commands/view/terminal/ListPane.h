//===- ListPane.h - Lines that are places -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_LISTPANE_H
#define REWIND_COMMANDS_VIEW_TERMINAL_LISTPANE_H

#include "commands/view/terminal/Pane.h"

namespace rw::term {

struct ListItem {
  Line Text;
  std::optional<Spot> To; ///< where it leads
  std::string Visit;      ///< else: a place of the code
  std::string Bookmark;   ///< which one it is
};

/// A part of a long list.
struct ListPart {
  std::vector<ListItem> Items;
  bool Answered = false; ///< else the status tells why not
  bool Complete = true;  ///< nothing is before it, or behind it
};

/// Where a list that is too long to be asked for at once goes on. Both answer
/// in order.
struct ListWindow {
  using Ask = std::function<ListPart(TraceModel &, std::optional<Spot>)>;
  Ask Before; ///< the last items before a spot, or of all
  Ask Behind; ///< the first items behind it, or of all
};

struct ListContent {
  std::string Title;
  /// What there is besides: how many, and whether that is all.
  std::string Note;
  std::vector<ListItem> Items;
  /// The line that belongs to the position.
  std::optional<size_t> Here;
  /// What the columns are; above the lines.
  std::string Head;
  /// So many spans of each line stay where they are when it is scrolled.
  size_t Pinned = 0;

  /// What a long list is part of, and whether its ends are those of all.
  std::optional<ListWindow> Window;
  bool AtStart = true, AtEnd = true;
  std::string What;            ///< "writes"
  std::optional<uint64_t> All; ///< how many there are, if that is known
};

/// Here: the last line at or before the position.
void findHere(ListContent &C, Spot Position);

/// A list of places. It is made anew when what it depends on has changed.
class ListPane : public Pane {
public:
  using Make = std::function<ListContent(TraceModel &)>;
  /// \p Kind: a new list of the same kind takes its place. With \p Follows it
  /// is made anew for every position, else it stays as it is.
  ListPane(TraceModel &Model, PaneHost &Host, std::string Kind, Make Fill,
           bool Follows)
      : Pane(Model, Host), Kind(std::move(Kind)), Fill(std::move(Fill)),
        Follows(Follows) {}
  llvm::ArrayRef<Scope> scopes() const override;
  std::string name() const override { return Kind; }
  std::string status() override;
  void draw(Area All, bool Focused) override;
  bool act(Action A) override;
  int wantedHeight(int Width) override;
  void forget() { Content.forget(); }
  /// Asks what there is to list now; what is wrong is told in the status.
  void refill() { content(); }

protected:
  const ListContent &content();

private:
  /// Has more lines of a long list, before the first or behind the last one.
  void load(bool Ahead);
  void drawLine(Area On, int Y, const ListContent &C, Line Text);
  /// Shows the beginning or the end of a long list.
  void goToEnd(bool Ahead);
  std::string Kind;
  Make Fill;
  bool Follows;
  Kept<ListContent> Content;
  std::string ScrolledFor; ///< the title that Left is for
  bool Centre = false;     ///< the chosen line is to be drawn in the middle
  Spot Standing;           ///< where one stood when it was made
  size_t Chosen = 0;
  int Top = 0, Left = 0, Height = 1;
  std::string ChosenFor; ///< of what content the line of the position was taken
};

/// The blocks of the layers that the position is in: the parts of one of them,
/// from which one can zoom out to the one around it.
class LayersPane final : public ListPane {
public:
  LayersPane(TraceModel &Model, PaneHost &Host);
  llvm::ArrayRef<Scope> scopes() const override;
  bool act(Action A) override;

private:
  ListContent fill();
  /// How many blocks further out than the innermost one.
  unsigned Out = 0;
  unsigned Deepest = 0;
  bool Failed = false; ///< the last question; z asks it again
};

// Lists.cpp: what lists are made of.
ListContent stackList(TraceModel &M);
ListContent callsList(TraceModel &M, const std::string &Of);
ListContent historyList(TraceModel &M, const std::string &Of);
ListContent visitsList(TraceModel &M, const std::string &Of);
ListContent bookmarksList(TraceModel &M);
ListContent profileList(TraceModel &M);
ListContent sliceList(TraceModel &M, const std::string &Of);
ListContent sourceList(TraceModel &M);

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_LISTPANE_H
