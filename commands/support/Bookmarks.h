//===- Bookmarks.h - Named places, kept beside the store --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_BOOKMARKS_H
#define REWIND_COMMANDS_SUPPORT_BOOKMARKS_H

#include "commands/support/Session.h"
#include "llvm/Support/JSON.h"

namespace rw {

struct Bookmark {
  std::string Name, Note;
  Place Where;
  /// It was made on another recording: the trace has been replaced since. False
  /// as well of one that does not tell.
  bool Old = false;
};

/// What is said of an old one.
std::string oldRemark(const Bookmark &B);

/// A letter, then letters, digits, '_', '-' and '.': it must not look like
/// another position.
bool isBookmarkName(llvm::StringRef Name);

/// Where the bookmarks of a trace are kept: "<store>.bookmarks", a JSON file.
/// Empty if there is no store file.
std::string bookmarksPath(llvm::StringRef StorePath);

/// None if the file does not exist. An Error if it is damaged. Those that are
/// out of the trace's range (it may have been replaced by a shorter one) are
/// left out, with a warning.
llvm::Expected<std::vector<Bookmark>> loadBookmarks(const Session &S);

/// Adds \p Mark, in the place of one with its name. All else in the file stays,
/// out of range or not, and what others write at the same time is not lost:
/// the file is read, changed and replaced under a lock.
llvm::Error addBookmark(const Session &S, const Bookmark &Mark);

/// Deletes these, in the same way; none of them if one does not exist. Those
/// that are out of range can be deleted, too.
llvm::Error deleteBookmarks(const Session &S,
                            llvm::ArrayRef<std::string> Names);

/// {"name":, "thread":, "position":, "note":}. \p P is that of its place.
llvm::json::Object toJson(const Bookmark &B, Position P);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_BOOKMARKS_H
