//===- FolderLock.cpp - One change of a folder's files at a time ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/FolderLock.h"
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

namespace rw {

llvm::Expected<FolderLock> FolderLock::take(llvm::StringRef Folder,
                                            const Watch &W,
                                            std::chrono::milliseconds Longest) {
  const std::string Path = Folder.empty() ? "." : Folder.str();
  auto Fail = [&](std::error_code EC, const llvm::Twine &Why) {
    return llvm::createStringError(EC, "cannot lock the folder '" + Path +
                                           "': " + Why);
  };
  FileHandle F(::open(Path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (F.get() < 0) {
    std::error_code EC = llvm::errnoAsErrorCode();
    return Fail(EC, EC.message());
  }
  const auto Start = std::chrono::steady_clock::now();
  while (::flock(F.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR)
      continue;
    if (errno != EWOULDBLOCK) {
      std::error_code EC = llvm::errnoAsErrorCode();
      return Fail(EC, EC.message());
    }
    if (llvm::Error E = W.check())
      return E;
    if (std::chrono::steady_clock::now() - Start >= Longest)
      return Fail(std::make_error_code(std::errc::timed_out),
                  "somebody else has held its lock for " +
                      llvm::Twine(Longest.count()) + " ms; try again");
    ::poll(nullptr, 0, 5);
  }
  return FolderLock(std::move(F));
}

} // namespace rw
