//===- BookmarkAdd.cpp - rewind bookmark add ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Bookmarks.h"
#include "commands/support/Format.h"
#include "commands/support/PositionExpr.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

static Error runBookmarkAdd(Session &S, const ParsedOptions &Options) {
  const std::string &Name = Options.arguments()[0];
  if (!isBookmarkName(Name))
    return usageError("'" + Name +
                      "' cannot be a bookmark's name: a letter, then letters, "
                      "digits, '_', '-' and '.'; not " +
                      join(positionWords(), ", ") +
                      ", nor one of these and a distance");
  const auto [Base, Distance] = StringRef(Name).rsplit('-');
  if (!Distance.empty() && isDigit(Distance[0]) && parseNumber(Distance))
    return usageError("'" + Name + "' cannot be a bookmark's name: it means " +
                      Distance + " before '" + Base + "'; a name may end in '" +
                      Base + "_" + Distance + "', say");
  const StringRef Note = Options.value("note").value_or("");
  if (!json::isUTF8(Note))
    return usageError("the note '" + Note + "' is not UTF-8");
  Place Where = S.Here;
  if (Options.arguments().size() > 1) {
    auto P = parsePosition(S, Options.text(1));
    if (!P)
      return P.takeError();
    Where = *P;
  }
  const Bookmark Mark = {Name, Note.str(), Where};
  if (Error E = addBookmark(S, Mark))
    return E;
  auto P = S.Store.positionOf(Where.Thread, Where.When);
  if (!P)
    return P.takeError();
  if (Options.has("json"))
    printJson(S.Out, toJson(Mark, *P));
  else
    S.Out << "bookmark " << Name << " at "
          << formatPlace(S.Store, Where.Thread, *P) << "\n";
  return Error::success();
}

static constexpr OptionSpec BookmarkAddOptions[] = {
    {"note", 'n', "text", "a remark to keep with it"}, opt::Json};

extern const Command BookmarkAddCommand = {
    .Name = "bookmark add",
    .Summary = "Give a position a name",
    .Arguments = "<name> [<position>]",
    .Help = R"(
The name may then be used wherever a position is wanted. Bookmarks are kept in
a file beside the store; adding one that exists replaces it.

  rewind bookmark add crash
  rewind bookmark add first-call 104 --note "before the list is sorted"
)",
    .Options = BookmarkAddOptions,
    .MinArguments = 1,
    .Run = runBookmarkAdd,
};

} // namespace rw
