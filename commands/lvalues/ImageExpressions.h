//===- ImageExpressions.h - Lvalues by debug information --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_IMAGEEXPRESSIONS_H
#define REWIND_COMMANDS_LVALUES_IMAGEEXPRESSIONS_H

#include "commands/lvalues/DwarfTypes.h"
#include "commands/lvalues/TypeIndex.h"
#include "commands/lvalues/VariableIndex.h"
#include "commands/support/ProgramVariables.h"
#include "commands/support/Session.h"

namespace rw {

/// The shell's ExpressionSource. It understands names of variables (of the
/// innermost frame, inlined ones included, members of *this, then as NameScope
/// finds them, then any that is the only one of that name), `a.b`, `a->b`,
/// `a->Base::b`, `a[i]`, `*a`, `a.*b`, also where the C++ library has operators
/// that only lead somewhere, and parentheses. An
/// index and a condition are expressions of C (core/expr), whose operands are
/// such lvalues, `&a`, enumerators, functions and registers; anything else is
/// not computed: that takes a debugger.
class ImageExpressions final : public ExpressionSource {
public:
  /// \p Images is asked at the first question.
  ImageExpressions(const Session &S,
                   std::function<std::vector<DwarfImage>()> Images);

  llvm::Expected<Location> locate(llvm::StringRef Expression,
                                  Place At) override;
  std::unique_ptr<LvalueAlong> along(llvm::StringRef Expression,
                                     StateCursor &Near) override;
  llvm::Expected<Evaluated> evaluate(llvm::StringRef Expression, Place Where,
                                     ValueStyle Style) override;
  llvm::Expected<std::optional<bool>> test(llvm::StringRef Condition,
                                           Place Where) override;
  /// test() for who asks again and again and tells nobody of an Error.
  llvm::Expected<std::optional<bool>> tryTest(llvm::StringRef Condition,
                                              Place Where);
  TypeRef lvalueType(llvm::StringRef Expression, Place At) override;
  bool isLocal(llvm::StringRef Name, Place At) override;
  llvm::Expected<std::optional<int64_t>> enumerator(llvm::StringRef Name,
                                                    Place At) override;
  std::optional<Object> objectAt(uint64_t Addr) override;
  std::vector<std::string> variables(Place At) override;
  ProgramNames *names() override;
  /// The address of the variable that \p Name, of C or C++, means in the frame
  /// that is \p Inlined calls deep in the function at \p PC, if that variable
  /// has the same one everywhere; nothing for what a frame or an object has,
  /// and for a name that is not known. An Error: it means none, or several.
  llvm::Expected<std::optional<uint64_t>>
  fixedVariable(llvm::StringRef Name, uint64_t PC, unsigned Inlined);

private:
  friend class LvalueParser;
  const VariableIndex &index();
  const TypeIndex &types();
  /// An expression of C. \p Truth: as Expression::isTruth().
  llvm::Expected<OperandSource::Operand>
  compute(llvm::StringRef Text, Place Where, bool *Truth = nullptr);
  bool Suggests = true; ///< see LvalueParser
  const std::vector<DwarfImage> &images();

  const Session &S;
  std::function<std::vector<DwarfImage>()> Open;
  std::optional<std::vector<DwarfImage>> Opened;
  ProgramVariables Program; ///< of Opened, once they are asked for
  DwarfTypes Types;
  std::unique_ptr<VariableIndex> Index; ///< made at first need
  std::unique_ptr<TypeIndex> NamedTypes;
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_IMAGEEXPRESSIONS_H
