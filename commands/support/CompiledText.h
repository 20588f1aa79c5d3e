//===- CompiledText.h - An expression at one place after the other *- C++
//-*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_COMPILEDTEXT_H
#define REWIND_COMMANDS_SUPPORT_COMPILEDTEXT_H

#include "commands/support/Format.h"
#include "core/expr/Expression.h"
#include <unordered_map>

namespace rw {

/// An expression of numbers, registers, memory and variables as commands mean
/// it: a register's name means the register, "(x0)" the program's x0. What a
/// name means, and where it is, depends on the place in the code: it is
/// compiled once for each of them, and then costs what it reads.
class CompiledText {
public:
  /// What the name of a register means that has no '$' before it.
  enum class Registers { Mean, AsDebugger };
  /// \p S must stay.
  CompiledText(Session &S, llvm::StringRef Given, Registers Named);

  /// With a '$' before each name of a register, if those mean them.
  const std::string &text() const { return Text; }
  /// As it is meant at \p PC, by the function so many inlined calls deep there;
  /// null where it takes one who knows more of the language. The first place
  /// that has variables called like registers is told.
  const Expression *at(uint64_t PC, std::optional<unsigned> Inlined);

private:
  Session &S;
  std::string Text;
  std::vector<std::string> Marked; ///< registers, until they were looked at
  ProgramNames *const Names;
  std::unordered_map<uint64_t, std::optional<Expression>> ByCode;
};

/// Whether \p Text has an operator whose operands are more than a part of what
/// names a place: "i + 1", "!done", "(char)i", "sizeof i", and not
/// "list[i + 1]->next", "*p".
bool isComputed(llvm::StringRef Text);

/// What \p N is, the value of an expression of that type, to a person. \p
/// Truth: as Expression::isTruth().
Value computedValue(NumberType Type, bool Truth, uint64_t N);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_COMPILEDTEXT_H
