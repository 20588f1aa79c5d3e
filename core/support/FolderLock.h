//===- FolderLock.h - One change of a folder's files at a time --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_FOLDERLOCK_H
#define REWIND_SUPPORT_FOLDERLOCK_H

#include "core/support/InputFile.h"
#include "core/support/Watch.h"
#include <chrono>

namespace rw {

/// Excludes all others, processes and threads, that take the lock of the same
/// folder: for who reads a file there, changes it and replaces it. The lock is
/// the folder's (flock), since that of a file would go with the file that is
/// replaced. It leaves nothing behind, and ends with its holder, however that
/// ends.
class FolderLock {
public:
  /// Waits while somebody else has it: at most for \p Longest, and until the
  /// watch says to stop. \p Folder may be empty: the working folder.
  static llvm::Expected<FolderLock>
  take(llvm::StringRef Folder, const Watch &W,
       std::chrono::milliseconds Longest = std::chrono::seconds(30));

private:
  explicit FolderLock(FileHandle F) : Handle(std::move(F)) {}
  FileHandle Handle;
};

} // namespace rw

#endif // REWIND_SUPPORT_FOLDERLOCK_H
