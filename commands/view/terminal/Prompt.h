//===- Prompt.h - A line that is typed --------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_PROMPT_H
#define REWIND_COMMANDS_VIEW_TERMINAL_PROMPT_H

#include "commands/view/terminal/Canvas.h"
#include "commands/view/terminal/Keys.h"
#include <functional>

namespace rw::term {

/// The bottom line while something is asked: label, text, and after Tab what
/// the word could become.
class Prompt {
public:
  /// The names that begin with a word, and whether these are all.
  struct Names {
    std::vector<std::string> List;
    bool Complete = true;
  };
  using Completer = std::function<Names(const std::string &Word)>;
  using Taker = std::function<void(const std::string &)>;
  Prompt(std::string Label, std::string Text, std::vector<std::string> &Typed,
         Completer Complete, Taker Done)
      : Label(std::move(Label)), Text(std::move(Text)), Typed(Typed),
        Complete(std::move(Complete)), Done(std::move(Done)),
        Cursor(this->Text.size()), Older(Typed.size()),
        Proposed(!this->Text.empty()) {}

  enum class State { Open, Entered, GivenUp };
  State key(Key K);
  void draw(Area On) const;
  const std::string &text() const { return Text; }
  const Taker &done() const { return Done; }

private:
  std::string Label, Text;         ///< UTF-8
  std::vector<std::string> &Typed; ///< earlier ones, the last one last
  Completer Complete;
  Taker Done;
  size_t Cursor;
  size_t Older; ///< which of the earlier ones is shown
  /// The text is not the user's: what is typed first takes its place.
  bool Proposed;
  std::string Candidates;

  size_t before(size_t At) const; ///< where the character before it begins
  size_t behind(size_t At) const;
  void complete();
  void recall(size_t Which);
};

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_PROMPT_H
