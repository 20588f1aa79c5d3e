//===- OtherTrace.cpp - A second trace beside the session -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/OtherTrace.h"
#include "commands/support/LoadOptions.h"
#include "core/OpenTrace.h"

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
  auto Opened = openTraceStore(Path, *Index, S.Watch);
  if (!Opened)
    return Opened.takeError();
  T->Store = std::move(Opened->Store);
  auto Images = imageOptions(O, "other-image");
  if (!Images)
    return Images.takeError();
  if (Images->empty())
    for (const std::string &Image : S.Images)
      Images->push_back({Image, std::nullopt});
  T->Other.emplace(*T->Store, S.Out);
  Session &Other = T->Other->session();
  Other.TracePath = Path.str();
  Other.StorePath = Opened->Report.Path;
  Other.Watch = S.Watch;
  Other.Warn = S.Warn;
  if (Error E = T->Other->add(std::move(*Images), O.has("force")))
    return joinErrors(userError("of " + Path + ":"), std::move(E));
  return T;
}

} // namespace rw
