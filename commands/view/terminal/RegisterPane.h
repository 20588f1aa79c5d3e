//===- RegisterPane.h - Registers of a kind ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_REGISTERPANE_H
#define REWIND_COMMANDS_VIEW_TERMINAL_REGISTERPANE_H

#include "commands/view/terminal/Pane.h"

namespace rw::term {

enum class RegisterKind : uint8_t { Core, Single, Double, Vector, Mve, System };
llvm::StringRef kindName(RegisterKind K);

/// A register as a pane of a kind shows it.
struct ShownRegister {
  std::string Name;
  std::string Location; ///< what commands call it: "d0" is a part of "v0"
  std::string Value;    ///< hexadecimal digits, "??" where it is not known
  std::string Meaning;  ///< of a floating-point number: decimal
  std::string Symbol;
  bool Changed = false;
  bool anyKnown() const;
};
/// Those of a kind, of the answer "registers". Vectors are cut into the
/// numbers that the architecture has names for: s0 and d0 are parts of v0, s4
/// is one of q1.
std::vector<ShownRegister> registersOf(const llvm::json::Object &Answer,
                                       RegisterKind K);

class RegisterPane final : public StatePane {
public:
  RegisterPane(TraceModel &Model, PaneHost &Host, RegisterKind Kind)
      : StatePane(Model, Host), Kind(Kind) {}
  llvm::ArrayRef<Scope> scopes() const override;
  std::string name() const override;
  std::string status() override;
  void draw(Area On, bool Focused) override;
  bool act(Action A) override;
  int wantedHeight(int Width) override;
  std::string subject() override;
  RegisterKind kind() const { return Kind; }
  const std::vector<ShownRegister> &registers();

private:
  struct Grid {
    unsigned NameWidth, CellWidth, Columns;
  };
  Grid gridFor(int Width);

  RegisterKind Kind;
  Kept<std::vector<ShownRegister>> Values;
  size_t Chosen = 0;
  int Top = 0, Width = 80, Height = 1;
  bool Symbols = true;
};

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_REGISTERPANE_H
