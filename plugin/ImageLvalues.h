//===- ImageLvalues.h - Lvalues that LLDB has no place for ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_IMAGELVALUES_H
#define REWIND_PLUGIN_IMAGELVALUES_H

#include "commands/lvalues/ImageExpressions.h"
#include "commands/support/LocationAlong.h"
#include "lldb/API/SBTarget.h"
#include "plugin/TargetSymbols.h"

namespace rw {

struct Value;

/// Whether \p Frame is that of the innermost function, also an inlined one, at
/// its pc.
bool isInnermost(lldb::SBFrame Frame);
/// Whether \p Expression means in \p Frame what the images make of it, which
/// know the innermost function only.
bool meansAsInnermost(lldb::SBFrame Frame, llvm::StringRef Expression);

/// The shell's expressions, of the target's images. LLDB would have to run code
/// for an element of a std::vector, does not tell where the parts of a struct
/// in registers are, nor what a register was when a function was entered, and
/// fails to parse some types. Debug information is read when it is asked.
class ImageLvalues {
public:
  /// All must outlive this.
  ImageLvalues(lldb::SBTarget Target, const TraceStore &Store,
               ModuleSymbols &Modules, SessionMemory &Memory);
  ImageLvalues(const ImageLvalues &) = delete;

  /// As ExpressionSource says, in the innermost frame.
  llvm::Expected<Location> locate(llvm::StringRef Expression, Place At);
  /// Has \p L, which LLDB found \p Expression to be there, know in which code
  /// it is so, if it is a local variable's.
  void tellLife(Location &L, llvm::StringRef Expression, Place At);
  llvm::Expected<ExpressionSource::Evaluated>
  evaluate(llvm::StringRef Expression, Place At, ValueStyle Style);
  TypeRef lvalueType(llvm::StringRef Expression, Place At) {
    return Expressions.lvalueType(Expression, At);
  }
  bool isLocal(llvm::StringRef Name, Place At) {
    return Expressions.isLocal(Name, At);
  }
  llvm::Expected<std::optional<int64_t>> enumerator(llvm::StringRef Name,
                                                    Place At) {
    return Expressions.enumerator(Name, At);
  }
  std::unique_ptr<LvalueAlong> along(llvm::StringRef Expression,
                                     StateCursor &Near) {
    return Expressions.along(Expression, Near);
  }
  llvm::Expected<std::optional<bool>> tryTest(llvm::StringRef Condition,
                                              Place Where) {
    return Expressions.tryTest(Condition, Where);
  }
  /// What \p Expression is without its names: a number as a constant of C, a
  /// structure as what lies at its address; none if it is neither, or unknown.
  /// A pointer is one to anything.
  std::optional<std::string> constant(llvm::StringRef Expression, Place At);
  /// Why the place or the value of \p Expression, an object or part of one, is
  /// not known; none if it is, or if it is none.
  std::optional<std::string> whyUnknown(llvm::StringRef Expression, Place At);
  /// Whether \p L, which is of a type, is a string, a container or their kin,
  /// and what it holds is known: the printer tells it then.
  bool isLibraryObject(const Location &L, Place At);
  /// See ImageExpressions.
  llvm::Expected<std::optional<uint64_t>>
  fixedVariable(llvm::StringRef Name, uint64_t PC, unsigned Inlined) {
    return Expressions.fixedVariable(Name, PC, Inlined);
  }

private:
  std::optional<std::string> wideConstant(const Type &T, Value V);

  TargetSymbols Symbols;
  Session S;
  ImageExpressions Expressions;
};

} // namespace rw

#endif // REWIND_PLUGIN_IMAGELVALUES_H
