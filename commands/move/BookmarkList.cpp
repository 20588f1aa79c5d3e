//===- BookmarkList.cpp - rewind bookmark list ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Bookmarks.h"
#include "commands/support/Listing.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static Error runBookmarkList(Session &S, const ParsedOptions &Options) {
  auto Marks = loadBookmarks(S);
  if (!Marks)
    return Marks.takeError();
  llvm::sort(*Marks, [](const Bookmark &A, const Bookmark &B) {
    return A.Where.When < B.Where.When;
  });
  bool Json = Options.has("json");
  json::Array Items;
  for (const Bookmark &B : *Marks) {
    auto P = S.Store.positionOf(B.Where.Thread, B.Where.When);
    if (!P)
      return P.takeError();
    if (Json) {
      json::Object Item = toJson(B, *P);
      Item["old"] = B.Old;
      Items.push_back(std::move(Item));
      continue;
    }
    S.Out << formatv("{0,-10} {1,-16} {2}",
                     formatPlace(S.Store, B.Where.Thread, *P),
                     printable(B.Name), printable(B.Note))
                 .str()
          << "\n";
    if (B.Old)
      S.warn(oldRemark(B));
  }
  Ending End;
  End.Searched.To = S.Store.numInstructions();
  if (Json)
    printJson(S.Out, listJson(std::move(Items), End));
  else if (Marks->empty())
    S.Out << "no bookmarks\n";
  return Error::success();
}

static constexpr OptionSpec BookmarkListOptions[] = {opt::Json};

extern const Command BookmarkListCommand = {
    .Name = "bookmark list",
    .Summary = "List the bookmarks of this trace",
    .Help = R"(
  rewind bookmark list
)",
    .Options = BookmarkListOptions,
    .MaxArguments = 0,
    .Run = runBookmarkList,
    .OnlyAsks = true,
};

} // namespace rw
