//===- ImageSession.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/ImageSession.h"
#include "commands/support/ImageCheck.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

Error ImageSession::add(std::vector<ImageOption> Images, bool Force) {
  auto Warn = [this](const std::string &Text) { S.warn(Text); };
  Symbols.Warn = Warn;
  placeImages(Images, S.Store.header());
  for (const ImageOption &I : Images) {
    if (Error E = checkImage(S.Store, I, Force, Warn))
      return E;
    if (Error E = Symbols.add(I.Path, I.Base))
      return E;
  }
  for (const ModuleInfo &M : S.Store.header().Modules)
    if (Error E = Symbols.addModule(M))
      Warn(toString(std::move(E)));
  S.Images = Symbols.files();
  if (!Symbols.empty()) {
    S.Symbols = &Symbols;
    Expressions.emplace(S, [&] { return Symbols.debugInfo(); });
    S.Expressions = &*Expressions;
  }
  return Error::success();
}

} // namespace rw
