//===- StatePane.cpp - What panes have in common --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Pane.h"

using namespace llvm;

namespace rw::term {

bool Pane::actOnFrame(Action A) {
  switch (A) {
  case Action::Close:
    Closed = true;
    return true;
  case Action::Taller:
    ++Taller;
    return true;
  case Action::Shorter:
    --Taller;
    return true;
  default:
    return false;
  }
}

std::string StatePane::lockText() const { return Locked ? " (locked)" : ""; }

bool StatePane::actOnState(Action A) {
  auto LockAt = [&](StringRef Kind, StringRef Label) {
    Host.prompt(Label, "", [this, Kind](const std::string &Text) {
      if (auto To = Model.place(Kind, Text))
        Locked = *To;
    });
  };
  switch (A) {
  case Action::LockLine:
    if (Model.HasLines)
      LockAt("l", "Stay at line: ");
    else
      Model.complain("this trace has no text lines");
    return true;
  case Action::LockTime:
    if (Model.HasTime)
      LockAt("t", "Stay at time: ");
    else
      Model.complain("this trace tells no time");
    return true;
  case Action::Lock:
    if (Locked)
      Locked.reset();
    else
      Locked = Model.here();
    Model.tell(Locked ? "stays here" : "follows the position");
    return true;
  default:
    return actOnFrame(A);
  }
}

} // namespace rw::term
