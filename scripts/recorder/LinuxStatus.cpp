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

namespace {
struct Field {
  unsigned At = 0, Size = 0; ///< in bytes; nothing of it if Size is 0
};
/// Where a structure of the kernel has what stat tells.
struct StatusLayout {
  unsigned Size;
  Field Device, Inode, ShortInode, Mode, Links, User, Group, Length, BlockSize,
      Blocks;
  Field Seconds[3], Nanoseconds[3]; ///< of the last read, write and change
};
// struct stat of arm64, struct stat64 of arm, struct statx.
constexpr StatusLayout Stat64 = {
    .Size = 128,
    .Device = {0, 8},
    .Inode = {8, 8},
    .ShortInode = {},
    .Mode = {16, 4},
    .Links = {20, 4},
    .User = {24, 4},
    .Group = {28, 4},
    .Length = {48, 8},
    .BlockSize = {56, 4},
    .Blocks = {64, 8},
    .Seconds = {{72, 8}, {88, 8}, {104, 8}},
    .Nanoseconds = {{80, 8}, {96, 8}, {112, 8}},
};
constexpr StatusLayout Stat32 = {
    .Size = 104,
    .Device = {0, 8},
    .Inode = {96, 8},
    .ShortInode = {12, 4},
    .Mode = {16, 4},
    .Links = {20, 4},
    .User = {24, 4},
    .Group = {28, 4},
    .Length = {48, 8},
    .BlockSize = {56, 4},
    .Blocks = {64, 8},
    .Seconds = {{72, 4}, {80, 4}, {88, 4}},
    .Nanoseconds = {{76, 4}, {84, 4}, {92, 4}},
};
constexpr StatusLayout Extended = {
    .Size = 256,
    .Device = {140, 4},
    .Inode = {32, 8},
    .ShortInode = {},
    .Mode = {28, 2},
    .Links = {16, 4},
    .User = {20, 4},
    .Group = {24, 4},
    .Length = {40, 8},
    .BlockSize = {4, 4},
    .Blocks = {48, 8},
    .Seconds = {{64, 8}, {112, 8}, {96, 8}},
    .Nanoseconds = {{72, 4}, {120, 4}, {104, 4}},
};
} // namespace

static std::string statusBytes(const struct stat &S, const StatusLayout &L) {
  std::string Bytes(L.Size, '\0');
  auto Put = [&](Field F, uint64_t Value) {
    memcpy(Bytes.data() + F.At, &Value, F.Size);
  };
  Put(L.Device, S.st_dev);
  Put(L.Inode, S.st_ino);
  Put(L.ShortInode, S.st_ino);
  Put(L.Mode, S.st_mode);
  Put(L.Links, S.st_nlink);
  Put(L.User, S.st_uid);
  Put(L.Group, S.st_gid);
  Put(L.Length, S.st_size);
  Put(L.BlockSize, S.st_blksize);
  Put(L.Blocks, S.st_blocks);
  const timespec Times[] = {S.st_atim, S.st_mtim, S.st_ctim};
  for (unsigned K = 0; K < 3; ++K) {
    Put(L.Seconds[K], Times[K].tv_sec);
    Put(L.Nanoseconds[K], Times[K].tv_nsec);
  }
  return Bytes;
}

int64_t LinuxCalls::putStatus(const struct stat &S, uint64_t To) {
  return store(To, statusBytes(S, G.is64() ? Stat64 : Stat32));
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
  std::string Bytes = statusBytes(S, Extended);
  putField<uint32_t>(Bytes, 0, 0x7ff); // STATX_BASIC_STATS
  return store(arg(4), Bytes);
}

int64_t LinuxCalls::access(int64_t Folder, uint64_t Path, uint64_t Mode) {
  constexpr uint64_t Writable = 2, Executable = 1;
  HostFolder::Place P;
  std::shared_ptr<OpenFile> F;
  if (int64_t E = findPlace(Folder, Path, true, false, P, F))
    return E;
  if (F)
    return (Mode & Executable) && F->Is != OpenFile::Folder ? -EACCES : 0;
  if ((Mode & Writable) && !W.Made->mayWrite(P.Path))
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
