//===- ImageExpressions.h - Lvalues by debug information --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_IMAGEEXPRESSIONS_H
#define REWIND_COMMANDS_LVALUES_IMAGEEXPRESSIONS_H

#include "commands/lvalues/DwarfTypes.h"
#include "commands/lvalues/VariableIndex.h"
#include "commands/support/Session.h"

namespace rw {

/// The shell's ExpressionSource. It understands names of variables (of the
/// innermost frame, inlined ones included, members of *this, of the file and
/// of the whole program), `a.b`, `a->b`, `a[i]`, `*a` and parentheses; the
/// index may be such an lvalue. Nothing is computed: that takes a debugger.
class ImageExpressions final : public ExpressionSource {
public:
  /// \p Images is asked at the first question.
  ImageExpressions(const Session &S,
                   std::function<std::vector<DwarfImage>()> Images);

  llvm::Expected<Location> locate(llvm::StringRef Expression,
                                  Place At) override;
  llvm::Expected<Evaluated> evaluate(llvm::StringRef Expression, Place Where,
                                     ValueStyle Style) override;
  std::optional<Object> objectAt(uint64_t Addr) override;
  std::vector<std::string> variables(Place At) override;

private:
  friend class LvalueParser;
  const VariableIndex &index();
  const std::vector<DwarfImage> &images();

  const Session &S;
  std::function<std::vector<DwarfImage>()> Open;
  std::optional<std::vector<DwarfImage>> Opened;
  DwarfTypes Types;
  std::unique_ptr<VariableIndex> Index; ///< made at first need
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_IMAGEEXPRESSIONS_H
