//===- NearNames.h - What a misspelled name may have meant ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_NEARNAMES_H
#define REWIND_COMMANDS_SUPPORT_NEARNAMES_H

#include "core/arch/RegisterFile.h"
#include <set>
#include <string>

namespace rw {

class SymbolSource;

/// Collects the names that differ little from one that nothing has. A name of
/// C++ may leave out the scopes that it is in. For messages only: all symbols
/// of the images are looked at, and demangled.
class NearNames {
public:
  explicit NearNames(llvm::StringRef Wanted);
  void add(llvm::StringRef Name) { add(Name, Name); }
  /// One that is told as \p Shown.
  void add(llvm::StringRef Name, llvm::StringRef Shown);
  void addSymbols(SymbolSource &Symbols);
  void addRegisters(const RegisterFile &Registers);
  /// "; did you mean 'a' or 'b'?"; empty if nothing is near, or that no image
  /// has a name of anything.
  std::string question() const;

private:
  const std::string Wanted;
  std::set<std::pair<unsigned, std::string>> Found; ///< the nearest first
  bool Stripped = false; ///< the images have no symbols at all
};

/// question() for the name of a function of the images.
std::string nearFunctions(SymbolSource *Symbols, llvm::StringRef Wanted);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_NEARNAMES_H
