//===- LinuxStatus.cpp - System calls that ask about files
//-----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include "scripts/recorder/GuestFiles.h"
#include <algorithm>
#include <cerrno>

using namespace llvm;
using namespace rw::record;

int64_t LinuxCalls::putStatus(const struct stat &S, uint64_t To) {
  // struct stat of arm64, struct stat64 of arm: they share how they begin.
  std::string Bytes(G.is64() ? 128 : 104, '\0');
  putField<uint64_t>(Bytes, 0, S.st_dev);
  putField<uint32_t>(Bytes, 16, S.st_mode);
  putField<uint32_t>(Bytes, 20, S.st_nlink);
  putField<uint32_t>(Bytes, 24, S.st_uid);
  putField<uint32_t>(Bytes, 28, S.st_gid);
  putField<uint64_t>(Bytes, 48, S.st_size);
  putField<uint32_t>(Bytes, 56, S.st_blksize);
  putField<uint64_t>(Bytes, 64, S.st_blocks);
  const timespec Times[] = {S.st_atim, S.st_mtim, S.st_ctim};
  for (unsigned K = 0; K < 3; ++K)
    if (G.is64()) {
      putField<uint64_t>(Bytes, 72 + 16 * K, Times[K].tv_sec);
      putField<uint64_t>(Bytes, 80 + 16 * K, Times[K].tv_nsec);
    } else {
      putField<uint32_t>(Bytes, 72 + 8 * K, Times[K].tv_sec);
      putField<uint32_t>(Bytes, 76 + 8 * K, Times[K].tv_nsec);
    }
  if (G.is64()) {
    putField<uint64_t>(Bytes, 8, S.st_ino);
  } else {
    putField<uint32_t>(Bytes, 12, S.st_ino);
    putField<uint64_t>(Bytes, 96, S.st_ino);
  }
  return store(To, Bytes);
}

int64_t LinuxCalls::statusOfOpen(uint64_t Fd, uint64_t To) {
  auto F = Files.get(Fd);
  return F ? putStatus(F->status(), To) : -EBADF;
}

int64_t LinuxCalls::status(int64_t Folder, uint64_t Path, uint64_t To,
                           uint64_t Flags) {
  HostFolder::Place P;
  std::shared_ptr<OpenFile> F;
  if (int64_t E = findPlace(Folder, Path, !(Flags & NoFollowAt),
                            Flags & EmptyPath, P, F))
    return E;
  return putStatus(F ? F->status() : steadyStatus(P.Status), To);
}

int64_t LinuxCalls::statusExtended() {
  HostFolder::Place P;
  std::shared_ptr<OpenFile> F;
  uint64_t Flags = arg(2);
  if (int64_t E = findPlace(descriptorOf(arg(0)), arg(1), !(Flags & NoFollowAt),
                            Flags & EmptyPath, P, F))
    return E;
  const struct stat S = F ? F->status() : steadyStatus(P.Status);
  std::string Bytes(256, '\0');
  putField<uint32_t>(Bytes, 0, 0x7ff); // STATX_BASIC_STATS
  putField<uint32_t>(Bytes, 4, S.st_blksize);
  putField<uint32_t>(Bytes, 16, S.st_nlink);
  putField<uint32_t>(Bytes, 20, S.st_uid);
  putField<uint32_t>(Bytes, 24, S.st_gid);
  putField<uint16_t>(Bytes, 28, S.st_mode);
  putField<uint64_t>(Bytes, 32, S.st_ino);
  putField<uint64_t>(Bytes, 40, S.st_size);
  putField<uint64_t>(Bytes, 48, S.st_blocks);
  for (auto [At, T] : std::initializer_list<std::pair<size_t, timespec>>{
           {64, S.st_atim}, {96, S.st_ctim}, {112, S.st_mtim}}) {
    putField<uint64_t>(Bytes, At, T.tv_sec);
    putField<uint32_t>(Bytes, At + 8, T.tv_nsec);
  }
  putField<uint32_t>(Bytes, 140, S.st_dev);
  return store(arg(4), Bytes);
}

int64_t LinuxCalls::access(int64_t Folder, uint64_t Path, uint64_t Mode) {
  constexpr uint64_t Writable = 2, Executable = 1;
  HostFolder::Place P;
  std::shared_ptr<OpenFile> F;
  if (int64_t E = findPlace(Folder, Path, true, false, P, F))
    return E;
  if (F)
    return Mode & Executable ? -EACCES : 0;
  if (Mode & Writable)
    return -EROFS;
  return (Mode & Executable) && !(P.Status.st_mode & 0111) ? -EACCES : 0;
}

int64_t LinuxCalls::readLink(int64_t Folder, uint64_t Path, uint64_t To,
                             uint64_t Size) {
  std::string Name, Target;
  if (int64_t E = absolute(Folder, Path, Name))
    return E;
  if (Name == "/proc/self/exe") {
    // Every static program asks for it, and does without.
    if (ProgramPath.empty())
      return -ENOENT;
    Target = ProgramPath;
  } else {
    HostFolder::Place P;
    std::shared_ptr<OpenFile> F;
    if (int64_t E = findPlace(Folder, Path, false, false, P, F))
      return E;
    if (F)
      return -EINVAL;
    if (int E = HostFolder::readLink(P, Target))
      return E;
  }
  Target.resize(std::min<uint64_t>(Target.size(), Size));
  int64_t E = store(To, Target);
  return E ? E : int64_t(Target.size());
}
