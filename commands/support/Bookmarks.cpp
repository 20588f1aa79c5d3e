//===- Bookmarks.cpp - Named places, kept beside the store ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Bookmarks.h"
#include "commands/support/Options.h"
#include "commands/support/PositionExpr.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "core/support/FolderLock.h"
#include "core/support/Json.h"
#include "core/support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

bool isBookmarkName(StringRef Name) {
  return !Name.empty() && isAlpha(Name[0]) && !isPositionWord(Name) &&
         all_of(Name, [](char C) {
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

/// The file as it is: objects with a name, a thread and a position, whatever
/// these are, and whatever else is in them.
static Expected<json::Array> readEntries(const Session &S) {
  constexpr uint64_t MaxBytes = 64 << 20;
  std::string Path = bookmarksPath(S.StorePath);
  if (Path.empty() || !sys::fs::exists(Path))
    return json::Array();
  auto File = readWholeFile(Path, MaxBytes);
  if (!File)
    return damaged(S, toString(File.takeError()));
  auto Root = parseJson((*File)->getBuffer());
  if (!Root)
    return damaged(S, toString(Root.takeError()));
  json::Array *List = Root->getAsArray();
  if (!List)
    return damaged(S, "expected a list");
  for (const json::Value &V : *List) {
    const json::Object *O = V.getAsObject();
    if (!O || !O->getString("name") || !O->getInteger("thread") ||
        !O->getInteger("position"))
      return damaged(S, "expected objects with name, thread and position");
  }
  return std::move(*List);
}

static StringRef nameOf(const json::Value &Entry) {
  return *Entry.getAsObject()->getString("name");
}

/// Where the trace has the bookmark; none, with a warning, if it has no such
/// place.
static Expected<std::optional<Place>> placeOf(const Session &S,
                                              const json::Value &Entry) {
  int64_t Thread = *Entry.getAsObject()->getInteger("thread");
  int64_t P = *Entry.getAsObject()->getInteger("position");
  if (Thread < 1 || uint64_t(Thread) > S.Store.numThreads() || P < 0 ||
      uint64_t(P) > S.Store.numInstructions(ThreadIndex(Thread - 1))) {
    S.warn("bookmark '" + nameOf(Entry).str() +
           "' is out of the trace's range; it is ignored, but stays in the "
           "file");
    return std::nullopt;
  }
  return placeOf(S.Store, ThreadIndex(Thread - 1), uint64_t(P));
}

/// Tells recordings from each other. The file's time does not: copies are the
/// same recording.
static std::string recordingOf(const TraceStore &Store) {
  const SourceStamp &S = Store.source();
  return formatv("{0}-{1:x-}", S.Size, S.Digest).str();
}

std::string oldRemark(const Bookmark &B) {
  return "bookmark '" + B.Name +
         "' is old: it was made on an earlier recording of this trace, and may "
         "have meant another place";
}

Expected<std::vector<Bookmark>> loadBookmarks(const Session &S) {
  auto Entries = readEntries(S);
  if (!Entries)
    return Entries.takeError();
  std::vector<Bookmark> Marks;
  for (const json::Value &V : *Entries) {
    auto Where = placeOf(S, V);
    if (!Where)
      return Where.takeError();
    if (!*Where)
      continue;
    const json::Object &O = *V.getAsObject();
    auto Recording = O.getString("recording");
    Marks.push_back({nameOf(V).str(), O.getString("note").value_or("").str(),
                     **Where, Recording && *Recording != recordingOf(S.Store)});
  }
  return Marks;
}

/// The folder that the file is in, or is to be, with links followed.
static std::string folderOf(StringRef Path) {
  SmallString<256> Real;
  if (sys::fs::real_path(Path, Real))
    return sys::path::parent_path(Path).str();
  return sys::path::parent_path(Real).str();
}

static Error changeEntries(const Session &S,
                           function_ref<Error(json::Array &)> Change) {
  std::string Path = bookmarksPath(S.StorePath);
  if (Path.empty())
    return userError("there is no store file to keep bookmarks beside");
  auto Lock = FolderLock::take(folderOf(Path), S.Watch);
  if (!Lock)
    return Lock.takeError();
  auto Entries = readEntries(S);
  if (!Entries)
    return Entries.takeError();
  if (Error E = Change(*Entries))
    return E;
  for (const json::Value &V : *Entries)
    if (auto Where = placeOf(S, V); !Where)
      return Where.takeError();
  OutputFile::Options O;
  O.Regular = true;
  O.What = "the bookmarks ";
  auto File = OutputFile::create(Path, O);
  if (!File)
    return File.takeError();
  (*File)->os() << formatv("{0:2}\n", json::Value(std::move(*Entries)));
  return (*File)->commit();
}

/// Whether there was one.
static bool eraseEntry(json::Array &Entries, StringRef Name) {
  json::Array Kept;
  for (json::Value &V : Entries)
    if (nameOf(V) != Name)
      Kept.push_back(std::move(V));
  std::swap(Entries, Kept);
  return Entries.size() != Kept.size();
}

Error addBookmark(const Session &S, const Bookmark &Mark) {
  auto P = S.Store.positionOf(Mark.Where.Thread, Mark.Where.When);
  if (!P)
    return P.takeError();
  return changeEntries(S, [&](json::Array &Entries) {
    eraseEntry(Entries, Mark.Name);
    Entries.push_back(json::Object{{"name", Mark.Name},
                                   {"thread", int64_t(Mark.Where.Thread) + 1},
                                   {"position", *P},
                                   {"note", Mark.Note},
                                   {"recording", recordingOf(S.Store)}});
    return Error::success();
  });
}

Error deleteBookmarks(const Session &S, ArrayRef<std::string> Names) {
  return changeEntries(S, [&](json::Array &Entries) -> Error {
    for (const std::string &Name : Names)
      if (!eraseEntry(Entries, Name))
        return userError("there is no bookmark '" + Name + "'");
    return Error::success();
  });
}

json::Object toJson(const Bookmark &B, Position P) {
  return json::Object{{"name", B.Name},
                      {"thread", int64_t(B.Where.Thread) + 1},
                      {"position", P},
                      {"note", B.Note}};
}

} // namespace rw
