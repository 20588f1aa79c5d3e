//===- Pane.h - A part of the screen that takes keys ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_PANE_H
#define REWIND_COMMANDS_VIEW_TERMINAL_PANE_H

#include "commands/view/terminal/Canvas.h"
#include "commands/view/terminal/Keys.h"
#include "commands/view/terminal/TraceModel.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace rw::term {

/// What a pane wants of whoever shows it.
class PaneHost {
public:
  virtual ~PaneHost() = default;
  /// Asks for a line; \p Done gets it, if it is not given up.
  virtual void prompt(llvm::StringRef Label, llvm::StringRef Text,
                      std::function<void(const std::string &)> Done) = 0;
  virtual void openMemory(const std::string &Expression) = 0;
};

class Pane {
public:
  Pane(TraceModel &Model, PaneHost &Host) : Model(Model), Host(Host) {}
  virtual ~Pane() = default;
  Pane(const Pane &) = delete;
  Pane &operator=(const Pane &) = delete;

  /// Scopes of the keys that it takes, the most special first, Any last.
  virtual llvm::ArrayRef<Scope> scopes() const = 0;
  /// What it is; for help and tests.
  virtual std::string name() const = 0;
  /// The line under it, without its name.
  virtual std::string status() = 0;
  /// Draws all but the line under it.
  virtual void draw(Area On, bool Focused) = 0;
  /// False: it does nothing with it.
  virtual bool act(Action A) = 0;
  /// Lines that it would like to have.
  virtual int wantedHeight(int Width) = 0;
  /// The location that is meant in it, for prompts; may be empty.
  virtual std::string subject() { return ""; }

  int Taller = 0; ///< by so much the user wants it higher
  bool Closed = false;

protected:
  /// Close, Taller, Shorter; false for all else.
  bool actOnFrame(Action A);

  TraceModel &Model;
  PaneHost &Host;
};

/// Keeps what was asked for a moment that has not changed.
template <typename T> class Kept {
public:
  /// What \p Make answers; asked again when \p Key is another one.
  const T &get(const std::string &Key, llvm::function_ref<T()> Make) {
    if (!Value || Key != Of) {
      Value = Make();
      Of = Key;
    }
    return *Value;
  }
  void forget() { Value.reset(); }
  /// What is kept, to be added to; null if there is nothing.
  T *kept() { return Value ? &*Value : nullptr; }

private:
  std::optional<T> Value;
  std::string Of;
};

/// A pane of values as they are somewhere: at the position, or where it was
/// told to stay.
class StatePane : public Pane {
public:
  using Pane::Pane;

protected:
  /// Where it stands: locked, or at the position.
  Spot standing() const { return Locked.value_or(Model.here()); }
  std::string lockText() const;
  /// Lock, LockLine, LockTime, and what is for the frame.
  bool actOnState(Action A);
  std::optional<Spot> Locked;
};

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_PANE_H
