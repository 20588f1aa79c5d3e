//===- TracePane.h - The instructions, calls folded -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_TRACEPANE_H
#define REWIND_COMMANDS_VIEW_TERMINAL_TRACEPANE_H

#include "commands/view/terminal/Pane.h"
#include "commands/view/terminal/TraceRowText.h"

namespace rw::term {

/// Rows of instructions, and a rule above the one that the position is at:
/// the state shown elsewhere is that at the rule. Rows near the position are
/// kept; moving by one asks nothing.
class TracePane final : public Pane {
public:
  using Pane::Pane;
  llvm::ArrayRef<Scope> scopes() const override;
  std::string name() const override { return "Trace"; }
  std::string status() override;
  void draw(Area On, bool Focused) override;
  bool act(Action A) override;
  int wantedHeight(int) override { return 1 << 20; }
  /// The effect that is marked, or the first one.
  std::string subject() override;

  bool Indent = true;

private:
  struct Loaded {
    Position At, Next;
    llvm::json::Object Told;
  };
  /// Has rows on both sides of the position.
  void load(size_t Before, size_t After);
  /// The row of the position; one past the last at the end of the trace.
  size_t current() const;
  RowStyle styleFor(int Width) const;
  std::vector<Line> textOf(size_t Row, RowStyle S, bool IsCurrent) const;
  void move(int64_t Rows);
  void page(bool Down);
  void follow(Position To, size_t Lines, bool Down);
  const Effect *meant();
  void enter();
  void mark();

  std::vector<Loaded> Rows;
  bool AtStart = true, AtEnd = true;
  std::string LoadedFor; ///< thread and folds
  std::vector<Effect> Effects;

  /// Which effect of the row; only where it was marked.
  int Marked = -1;
  Spot MarkedAt;
  int marked() const { return MarkedAt == Model.here() ? Marked : -1; }
  bool Colours = true, Targets = true;
  unsigned Cycle = 0; ///< of Ctrl-L
  // The screen: on which line the rule stands, and what is drawn where.
  int RuleAt = 0, Height = 20, Width = 80;
  bool Utf8 = true;
  bool Placed = true;
  Spot DrawnAt;
  std::vector<std::pair<Position, int>> Drawn; ///< row, line without the rule
};

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_TRACEPANE_H
