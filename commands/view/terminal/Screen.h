//===- Screen.h - A terminal: keys from it, a canvas to it ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_SCREEN_H
#define REWIND_COMMANDS_VIEW_TERMINAL_SCREEN_H

#include "commands/view/terminal/Canvas.h"
#include "commands/view/terminal/Keys.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace rw::term {

/// ncurses on the standard descriptors. One at a time. However the process
/// ends, but for SIGKILL, the terminal is as it was before.
class Screen {
public:
  struct Options {
    bool Utf8 = true;
    bool Colour = true;
  };
  /// An Error says why this is no terminal that can be drawn on.
  static llvm::Expected<std::unique_ptr<Screen>> open(Options O);
  ~Screen();

  int width() const;
  int height() const;
  /// The next key; key::None if none comes in that time. Keys that come while
  /// something long is done are not lost.
  Key read(int Milliseconds);
  /// Whether somebody pressed Ctrl-C or Escape, or wants the process to end,
  /// since the last read(). Cheap enough to be asked often.
  bool interrupted();
  /// SIGTERM, SIGHUP or SIGINT, if it came; else 0.
  int ended() const;
  /// Draws what has changed; all of it after forget().
  void show(const Canvas &C);
  void forget();
  /// One line at the bottom, until the next show().
  void showBottom(llvm::StringRef Text);

  /// Whether the locale's characters are those of UTF-8.
  static bool localeIsUtf8();

private:
  Screen();
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_SCREEN_H
