//===- ImageLvalues.cpp - Lvalues that LLDB has no place for --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ImageLvalues.h"
#include "commands/support/ElfSymbols.h"
#include "commands/support/Format.h"
#include "core/types/LibraryValue.h"

using namespace rw;
using namespace lldb;

ImageLvalues::ImageLvalues(SBTarget Target, const TraceStore &Store,
                           ModuleSymbols &Modules, SessionMemory &Memory)
    : Symbols(Target, Modules), S(Store, llvm::nulls(), Memory),
      Expressions(
          S, [Target, &Modules] { return Modules.of(Target).debugInfo(); }) {
  S.Symbols = &Symbols;
}

llvm::Expected<Location> ImageLvalues::locate(llvm::StringRef Expression,
                                              Place At) {
  return Expressions.locate(Expression, At);
}

llvm::Expected<ExpressionSource::Evaluated>
ImageLvalues::evaluate(llvm::StringRef Expression, Place At, ValueStyle Style) {
  auto L = Expressions.locate(Expression, At);
  if (L)
    return ExpressionSource::Evaluated{"", std::move(*L)};
  // What no place keeps may be a constant.
  S.Style = Style;
  auto V = Expressions.evaluate(Expression, At, Style);
  if (!V) {
    llvm::consumeError(V.takeError());
    return L.takeError();
  }
  llvm::consumeError(L.takeError());
  return V;
}

bool ImageLvalues::isLibraryObject(const Location &L, Place At) {
  if (!L.Type || L.Type->Library.empty())
    return false;
  auto V = readLocation(S, L, At.When);
  if (!V) {
    llvm::consumeError(V.takeError());
    return false;
  }
  return libraryValue(*L.Type, {V->Bytes, V->Known}, printerContext(S, At.When),
                      0)
      .has_value();
}
