//===- Browser.h - The panes of a trace, and their keys --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_BROWSER_H
#define REWIND_COMMANDS_VIEW_TERMINAL_BROWSER_H

#include "commands/view/terminal/ListPane.h"
#include "commands/view/terminal/Prompt.h"
#include "commands/view/terminal/RegisterPane.h"
#include "commands/view/terminal/TracePane.h"
#include <memory>

namespace rw::term {

/// All that is on the screen. Keys come in, a canvas goes out: what is drawn
/// depends on nothing but what the keys have made.
class Browser final : public PaneHost {
public:
  explicit Browser(TraceModel &Model);

  /// False: it is to end.
  bool key(Key K);
  void draw(Canvas &On);
  /// Whether the last key asked for a screen that is drawn from scratch.
  bool takeRedraw() { return std::exchange(Redraw, false); }

  // PaneHost
  void prompt(llvm::StringRef Label, llvm::StringRef Text,
              std::function<void(const std::string &)> Done) override;
  void openMemory(const std::string &Expression) override;

private:
  bool act(Action A);
  /// A location is asked for, the one that is meant in the pane being proposed.
  void askLocation(llvm::StringRef Label,
                   std::function<void(const std::string &)> Done);
  void open(std::unique_ptr<Pane> New);
  void openList(llvm::StringRef Kind, ListPane::Make Fill, bool Follows);
  /// Closes the list of a kind; false if there is none.
  bool closeList(llvm::StringRef Kind);
  void toggleRegisters(RegisterKind Kind);
  void removeClosed();
  void focus(int By);
  Pane &focused() { return *(Focus ? Others[*Focus] : Trace); }
  void drawPane(Canvas &On, Pane &P, Rect Where, bool Focused);
  void drawMessage(Area On);
  void drawHelp(Canvas &On);
  bool keyInHelp(Key K);
  Prompt::Names complete(const std::string &Word);

  TraceModel &Model;
  std::unique_ptr<Pane> Trace;
  TracePane *TheTrace;
  std::vector<std::unique_ptr<Pane>> Others;
  std::optional<size_t> Focus; ///< in Others; none: the trace
  std::unique_ptr<Prompt> Asking;
  std::vector<std::string> Typed;
  bool Helping = false, Redraw = false;
  int HelpTop = 0, HelpLines = 0, HelpHeight = 1;
};

/// The keys of a pane, as `?` shows them.
std::vector<std::string> helpLines(const Pane &P);

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_BROWSER_H
