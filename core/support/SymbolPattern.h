//===- SymbolPattern.h - A symbol as a person names it ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_SYMBOLPATTERN_H
#define REWIND_SUPPORT_SYMBOLPATTERN_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace rw {

/// The name of a symbol, demangled. LLVM's demangler takes some frames of the
/// stack for each character of a name that is made for it: a name that is
/// longer than compilers make them stays as it is.
std::string readableName(llvm::StringRef Mangled);

/// A demangled name without parameters, and without the type that a function
/// returns: "Ring<int>::push".
std::string nameWithoutParameters(llvm::StringRef Demangled);

/// What a user typed for a symbol: mangled or not, with or without namespaces,
/// parameters, template arguments ("total", "Counter<int>::total",
/// "next(int)::count"). Blanks do not matter.
class SymbolPattern {
public:
  explicit SymbolPattern(llvm::StringRef Typed);
  /// How well a symbol named \p Mangled in the file, or with its scopes in
  /// debug information ("ns::f"), answers to it: the lower, the better; nothing
  /// if not at all. Unnamed namespaces may be left out.
  std::optional<unsigned> rank(llvm::StringRef Mangled) const;

private:
  std::optional<unsigned> rankOfReadable(llvm::StringRef Nice) const;

  const std::string Typed;
  const std::string Wanted; ///< Typed without blanks that do not matter
  std::string Identifier;   ///< the last one: the symbol must have it
};

/// The glob \p Text with what is no class of characters escaped: a '[' that no
/// ']' closes ("operator[]"), or every one where \p All are themselves.
std::string withPlainBrackets(llvm::StringRef Text, bool All = false);

} // namespace rw

#endif // REWIND_SUPPORT_SYMBOLPATTERN_H
