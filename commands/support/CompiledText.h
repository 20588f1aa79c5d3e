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
/// it: a name is the program's where that has it, as in LLDB; else it may be a
/// register's. "$x0" is the register. What a name means, and where it is,
/// depends on the place in the code: it is compiled once for each of them, and
/// then costs what it reads.
class CompiledText {
public:
  /// An expression at one place in the code.
  struct There {
    std::string Text; ///< with a '$' before each name that is a register's
    /// Null where it takes one who knows more of the language.
    std::optional<Expression> Compiled;
  };
  /// \p S must stay.
  CompiledText(Session &S, llvm::StringRef Given);

  llvm::StringRef given() const { return Given; }
  /// As it is meant at \p At, where the thread goes on at \p PC. The first
  /// place that has variables called like registers is told.
  const There &at(Place At, uint64_t PC);
  /// As it is meant where the program has no names.
  llvm::Expected<Expression> withoutNames() const;

private:
  std::string marked(llvm::function_ref<bool(llvm::StringRef Name)> Is) const;
  bool isOfProgram(llvm::StringRef Name, Place At) const;

  Session &S;
  const std::string Given;
  /// Where it has words that are registers', and how long they are.
  std::vector<std::pair<size_t, size_t>> Words;
  bool Told = false; ///< that one is the program's
  ProgramNames *const Names;
  std::unordered_map<uint64_t, There> ByCode;
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
