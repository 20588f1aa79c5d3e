//===- HtrCompletion.cpp - Layers and passes, completed -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Completion.h"
#include "core/htr/HtrRun.h"

using namespace llvm;

namespace rw {

void Completion::layers() {
  add("top");
  std::string Why;
  auto File = htr::openLayers(S->Store, S->StorePath, Why);
  if (!File)
    return consumeError(File.takeError());
  for (unsigned L = 0; *File && L < (*File)->numLayers(); ++L)
    add((*File)->layer(L).Pass, ("layer " + Twine(L)).str());
}

void Completion::passes() {
  const StringRef W = Word;
  if (const size_t Comma = W.rfind(','); Comma != StringRef::npos)
    Prefix = W.take_front(Comma + 1).str();
  for (const htr::Pass &P : htr::passes())
    add(P.Name, P.Description);
}

} // namespace rw
