//===- InputFile.cpp - Files that are read as a whole ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/InputFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace rw {

llvm::StringRef fileKind(mode_t Mode) {
  switch (Mode & S_IFMT) {
  case S_IFREG:
    return "a regular file";
  case S_IFDIR:
    return "a directory";
  case S_IFIFO:
    return "a pipe";
  case S_IFSOCK:
    return "a socket";
  case S_IFCHR:
  case S_IFBLK:
    return "a device";
  }
  return "no file";
}

llvm::StringRef endlessKind(int FD, mode_t Mode) {
  if (!S_ISREG(Mode))
    return fileKind(Mode);
  struct statfs Where;
  if (::fstatfs(FD, &Where) == 0)
    switch (static_cast<uint32_t>(Where.f_type)) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case SECURITYFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
      return "a file that the kernel makes up";
    }
  return "";
}

FileHandle &FileHandle::operator=(FileHandle &&Other) {
  std::swap(FD, Other.FD);
  return *this;
}

FileHandle::~FileHandle() {
  if (FD >= 0)
    ::close(FD);
}

static llvm::Error cannotRead(llvm::StringRef Path, std::error_code EC,
                              const llvm::Twine &Why) {
  return llvm::createStringError(EC, "cannot read '" + Path + "': " + Why);
}

static llvm::Error cannotRead(llvm::StringRef Path) {
  const std::error_code EC = llvm::errnoAsErrorCode();
  return cannotRead(Path, EC, EC.message());
}

llvm::Expected<FileHandle> openRegular(llvm::StringRef Path, uint64_t *Size) {
  // O_NONBLOCK: opening a pipe would wait for its writer.
  FileHandle F(
      ::open(Path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat St;
  // A socket cannot be opened, but its name can be looked up.
  bool Known = F.get() >= 0
                   ? ::fstat(F.get(), &St) == 0
                   : errno == ENXIO && ::stat(Path.str().c_str(), &St) == 0;
  if (!Known)
    return cannotRead(Path);
  if (llvm::StringRef Kind = endlessKind(F.get(), St.st_mode); !Kind.empty())
    return cannotRead(Path, std::make_error_code(std::errc::invalid_argument),
                      "it is " + Kind + ", not a regular file");
  if (Size)
    *Size = uint64_t(St.st_size);
  return F;
}

llvm::Error checkRegular(llvm::StringRef Path) {
  return openRegular(Path).takeError();
}

llvm::Expected<std::unique_ptr<llvm::WritableMemoryBuffer>>
readWritable(llvm::StringRef Path, uint64_t MaxBytes) {
  uint64_t Size = 0;
  auto F = openRegular(Path, &Size);
  if (!F)
    return F.takeError();
  uint64_t Memory = uint64_t(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
                    uint64_t(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  if (Memory)
    MaxBytes = std::min(MaxBytes, Memory);
  auto tooLarge = [&] {
    return cannotRead(Path, std::make_error_code(std::errc::file_too_large),
                      "it has " + llvm::Twine(Size) + " bytes; at most " +
                          llvm::Twine(MaxBytes) + " can be read");
  };
  if (Size > MaxBytes)
    return tooLarge();
  auto Buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(Size, Path);
  if (!Buffer)
    return tooLarge();
  uint64_t Done = 0;
  while (Done < Size) {
    ssize_t N = ::pread(F->get(), Buffer->getBufferStart() + Done,
                        std::min<uint64_t>(Size - Done, 1 << 30), off_t(Done));
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return cannotRead(Path);
    if (N == 0)
      return cannotRead(Path, std::make_error_code(std::errc::io_error),
                        "it shrank while it was read");
    Done += uint64_t(N);
  }
  return Buffer;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readWholeFile(llvm::StringRef Path, uint64_t MaxBytes) {
  return readWritable(Path, MaxBytes);
}

} // namespace rw
