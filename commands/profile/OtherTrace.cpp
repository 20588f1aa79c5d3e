//===- OtherTrace.cpp - A second trace beside the session -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/OtherTrace.h"
#include "commands/support/ImageCheck.h"
#include "commands/support/LoadOptions.h"
#include "core/calls/CallRecogniser.h"

using namespace llvm;

namespace rw {

Expected<std::unique_ptr<OtherTrace>>
OtherTrace::open(Session &S, const ParsedOptions &O, StringRef Path) {
  auto T = std::make_unique<OtherTrace>();
  auto Index = indexOptions(O);
  if (!Index)
    return Index.takeError();
  // These are about the session's trace.
  Index->IndexPath.clear();
  Index->Format.clear();
  Index->Force = false;
  CallRecogniser Calls;
  Index->Observers = {&Calls};
  Index->Sections = {"calls"};
  Index->Reader.Cancel = S.Watch.Cancel;
  if (S.Watch.Progress)
    Index->Reader.Progress = [&](uint64_t Done, uint64_t Total) {
      S.Watch.Progress("indexing", Done, Total);
    };
  auto Store = openOrBuildStore(Path, *Index);
  if (!Store)
    return Store.takeError();
  T->Store = std::move(*Store);
  auto Images = imageOptions(O, "other-image");
  if (!Images)
    return Images.takeError();
  if (Images->empty())
    for (const std::string &Image : S.Images)
      Images->push_back({Image, std::nullopt});
  placeImages(*Images, T->Store->header());
  auto Warn = [&S](const std::string &Text) { S.warn(Text); };
  T->Symbols.Warn = S.Warn;
  for (const ImageOption &I : *Images) {
    if (Error E = checkImage(*T->Store, I, O.has("force"), Warn))
      return joinErrors(userError("of " + Path + ":"), std::move(E));
    if (Error E = T->Symbols.add(I.Path, I.Base))
      return E;
  }
  for (const ModuleInfo &M : T->Store->header().Modules)
    if (Error E = T->Symbols.addModule(M))
      S.warn(toString(std::move(E)));
  T->Other.emplace(*T->Store, S.Out, T->Memory);
  T->Other->TracePath = Path.str();
  T->Other->StorePath = indexPath(Path, *Index);
  if (!T->Symbols.empty())
    T->Other->Symbols = &T->Symbols;
  T->Other->Watch = S.Watch;
  T->Other->Warn = S.Warn;
  return T;
}

} // namespace rw
