//===- Bookmarks.h - Named places, kept beside the store --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_MOVE_BOOKMARKS_H
#define REWIND_COMMANDS_MOVE_BOOKMARKS_H

#include "commands/support/Session.h"

namespace rw {

struct Bookmark {
  std::string Name, Note;
  Place Where;
};

/// A letter, then letters, digits, '_', '-' and '.': it must not look like
/// another position.
bool isBookmarkName(llvm::StringRef Name);

/// Where the bookmarks of a trace are kept: "<store>.bookmarks", a JSON file.
/// Empty if there is no store file.
std::string bookmarksPath(llvm::StringRef StorePath);

/// None if the file does not exist. An Error if it is damaged.
llvm::Expected<std::vector<Bookmark>> loadBookmarks(const Session &S);

/// Replaces the file in one step.
llvm::Error saveBookmarks(const Session &S, llvm::ArrayRef<Bookmark> Marks);

} // namespace rw

#endif // REWIND_COMMANDS_MOVE_BOOKMARKS_H
