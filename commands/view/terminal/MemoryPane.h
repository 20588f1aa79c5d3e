//===- MemoryPane.h - Bytes of memory ---------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_MEMORYPANE_H
#define REWIND_COMMANDS_VIEW_TERMINAL_MEMORYPANE_H

#include "commands/view/terminal/Pane.h"

namespace rw::term {

/// Memory around what an expression comes to, at the position or where it is
/// locked. Scrolling keeps its distance to the expression.
class MemoryPane final : public StatePane {
public:
  MemoryPane(TraceModel &Model, PaneHost &Host, std::string Expression)
      : StatePane(Model, Host), Expression(std::move(Expression)) {}
  llvm::ArrayRef<Scope> scopes() const override;
  std::string name() const override { return "Memory " + Expression; }
  std::string status() override;
  void draw(Area On, bool Focused) override;
  bool act(Action A) override;
  int wantedHeight(int) override { return 8; }
  std::string subject() override;

private:
  struct Dump {
    uint64_t Base = 0;  ///< what the expression comes to
    uint64_t First = 0; ///< the address of the first byte
    std::string Bytes;  ///< two digits each
    std::string Changed;
    std::string Problem; ///< why there is none
  };
  const Dump &dump();
  uint64_t cursorAddress();
  std::string symbolAt(uint64_t Address);
  void move(int64_t By);
  void goTo(uint64_t Address);
  void lastWrite(unsigned Size);
  void findChange(bool Next);

  std::string Expression;
  int64_t Scrolled = 0; ///< the first byte's distance from the row of Base
  int64_t Cursor = 0;   ///< its distance from Base
  int Height = 8, PerRow = 16;
  std::optional<Position> Since; ///< Compare
  Kept<Dump> Shown;
  Kept<std::string> Symbol;
};

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_MEMORYPANE_H
