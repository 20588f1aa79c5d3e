//===- Bookmarks.cpp - Named places, kept beside the store ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/move/Bookmarks.h"
#include "commands/support/Options.h"
#include "core/support/Json.h"
#include "core/support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

bool isBookmarkName(StringRef Name) {
  return !Name.empty() && isAlpha(Name[0]) && Name != "start" &&
         Name != "end" && all_of(Name, [](char C) {
           return isAlnum(C) || C == '_' || C == '-' || C == '.';
         });
}

std::string bookmarksPath(StringRef StorePath) {
  return StorePath.empty() ? "" : (StorePath + ".bookmarks").str();
}

static Error damaged(const Session &S, const Twine &What) {
  return userError("bookmarks file " + bookmarksPath(S.StorePath) + ": " +
                   What);
}

Expected<std::vector<Bookmark>> loadBookmarks(const Session &S) {
  constexpr uint64_t MaxBytes = 64 << 20;
  std::vector<Bookmark> Marks;
  std::string Path = bookmarksPath(S.StorePath);
  if (Path.empty() || !sys::fs::exists(Path))
    return Marks;
  auto File = readWholeFile(Path, MaxBytes);
  if (!File)
    return damaged(S, toString(File.takeError()));
  auto Root = parseJson((*File)->getBuffer());
  if (!Root)
    return damaged(S, toString(Root.takeError()));
  const json::Array *List = Root->getAsArray();
  if (!List)
    return damaged(S, "expected a list");
  for (const json::Value &V : *List) {
    const json::Object *O = V.getAsObject();
    auto Name = O ? O->getString("name") : std::nullopt;
    auto Thread = O ? O->getInteger("thread") : std::nullopt;
    auto P = O ? O->getInteger("position") : std::nullopt;
    if (!Name || !Thread || !P)
      return damaged(S, "expected objects with name, thread and position");
    // The trace may have been replaced by a shorter one.
    if (*Thread < 1 || uint64_t(*Thread) > S.Store.numThreads() || *P < 0 ||
        uint64_t(*P) > S.Store.numInstructions(ThreadIndex(*Thread - 1))) {
      S.warn("bookmark '" + Name->str() +
             "' is out of the trace's range; it is ignored");
      continue;
    }
    ThreadIndex T = ThreadIndex(*Thread - 1);
    Moment When = S.Store.numInstructions();
    if (uint64_t(*P) < S.Store.numInstructions(T)) {
      auto M = S.Store.momentOf(T, uint64_t(*P));
      if (!M)
        return M.takeError();
      When = *M;
    }
    Marks.push_back(
        {Name->str(), O->getString("note").value_or("").str(), {T, When}});
  }
  return Marks;
}

Error saveBookmarks(const Session &S, ArrayRef<Bookmark> Marks) {
  std::string Path = bookmarksPath(S.StorePath);
  if (Path.empty())
    return userError("there is no store file to keep bookmarks beside");
  json::Array List;
  for (const Bookmark &B : Marks) {
    auto P = S.Store.positionOf(B.Where.Thread, B.Where.When);
    if (!P)
      return P.takeError();
    List.push_back(json::Object{{"name", B.Name},
                                {"thread", int64_t(B.Where.Thread) + 1},
                                {"position", *P},
                                {"note", B.Note}});
  }
  OutputFile::Options O;
  O.Regular = true;
  O.What = "the bookmarks ";
  auto File = OutputFile::create(Path, O);
  if (!File)
    return File.takeError();
  (*File)->os() << formatv("{0:2}\n", json::Value(std::move(List)));
  return (*File)->commit();
}

} // namespace rw
