//===- BookmarkCommands.cpp - rewind bookmark -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Bookmarks.h"
#include "commands/support/Listing.h"
#include "commands/support/PositionExpr.h"
#include "core/support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static json::Object toJson(const Bookmark &B, Position P) {
  return json::Object{{"name", B.Name},
                      {"thread", int64_t(B.Where.Thread) + 1},
                      {"position", P},
                      {"note", B.Note}};
}

static Error runBookmarkAdd(Session &S, const ParsedOptions &Options) {
  const std::string &Name = Options.arguments()[0];
  if (!isBookmarkName(Name))
    return usageError("'" + Name +
                      "' cannot be a bookmark's name: a letter, then letters, "
                      "digits, '_', '-' and '.'; not start or end");
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

static Error runBookmarkDelete(Session &S, const ParsedOptions &Options) {
  if (Error E = deleteBookmarks(S, Options.arguments()))
    return E;
  if (Options.has("json"))
    printJson(S.Out,
              json::Object{{"deleted", json::Array(Options.arguments())}});
  return Error::success();
}

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
    if (Json)
      Items.push_back(toJson(B, *P));
    else
      S.Out << formatv("{0,-10} {1,-16} {2}",
                       formatPlace(S.Store, B.Where.Thread, *P),
                       printable(B.Name), printable(B.Note))
                   .str()
            << "\n";
  }
  Ending End;
  End.Searched.To = S.Store.numInstructions();
  if (Json)
    printJson(S.Out, listJson(std::move(Items), End));
  else if (Marks->empty())
    S.Out << "no bookmarks\n";
  return Error::success();
}

static constexpr OptionSpec AddOptions[] = {
    {"note", 'n', "text", "a remark to keep with it"}, opt::Json};
static constexpr OptionSpec JsonOption[] = {opt::Json};

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
    .Options = AddOptions,
    .MinArguments = 1,
    .Run = runBookmarkAdd,
    .Keeps = true,
};

extern const Command BookmarkListCommand = {
    .Name = "bookmark list",
    .Summary = "List the bookmarks of this trace",
    .Help = R"(
  rewind bookmark list
)",
    .Options = JsonOption,
    .MaxArguments = 0,
    .Run = runBookmarkList,
};

extern const Command BookmarkDeleteCommand = {
    .Name = "bookmark delete",
    .Summary = "Delete bookmarks",
    .Arguments = "<name> [<name>...]",
    .Help = R"(
  rewind bookmark delete crash
)",
    .Options = JsonOption,
    .MinArguments = 1,
    .Run = runBookmarkDelete,
    .Keeps = true,
};

} // namespace rw
