//===- BookmarkDelete.cpp - rewind bookmark delete ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Bookmarks.h"
#include "commands/support/Format.h"

using namespace llvm;

namespace rw {

static Error runBookmarkDelete(Session &S, const ParsedOptions &Options) {
  if (Error E = deleteBookmarks(S, Options.arguments()))
    return E;
  if (Options.has("json"))
    printJson(S.Out,
              json::Object{{"deleted", json::Array(Options.arguments())}});
  return Error::success();
}

static constexpr OptionSpec BookmarkDeleteOptions[] = {opt::Json};

extern const Command BookmarkDeleteCommand = {
    .Name = "bookmark delete",
    .Summary = "Delete bookmarks",
    .Arguments = "<bookmark> [<bookmark>...]",
    .Help = R"(
  rewind bookmark delete crash
)",
    .Options = BookmarkDeleteOptions,
    .MinArguments = 1,
    .Run = runBookmarkDelete,
};

} // namespace rw
