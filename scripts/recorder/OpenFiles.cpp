//===- OpenFiles.cpp - What a program has open ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/OpenFiles.h"
#include "llvm/ADT/StringSwitch.h"
#include <cerrno>
#include <fcntl.h>

using namespace llvm;
using namespace rw::record;

static constexpr unsigned UserNumber = 1000;

uint32_t rw::record::steadyNumber(uint64_t Inode) {
  return uint32_t(Inode ^ Inode >> 32);
}

struct stat rw::record::steadyStatus(const struct stat &Host) {
  struct stat S = {};
  S.st_dev = 1;
  S.st_ino = steadyNumber(Host.st_ino);
  S.st_mode = Host.st_mode;
  S.st_nlink = Host.st_nlink;
  S.st_uid = S.st_gid = UserNumber;
  S.st_size = Host.st_size;
  S.st_blksize = 4096;
  S.st_blocks = (Host.st_size + 4095) / 4096 * 8;
  // Reading a file changes when it was read last.
  S.st_atim = S.st_mtim = S.st_ctim = Host.st_mtim;
  return S;
}

struct stat rw::record::deviceStatus(OpenFile::Kind Is) {
  struct stat S = {};
  // Standard input and output are pipes, so that a program buffers its output
  // as under a shell's "|".
  bool IsPipe = Is == OpenFile::Input || Is == OpenFile::Output;
  S.st_mode = IsPipe ? S_IFIFO | 0600 : S_IFCHR | 0666;
  S.st_nlink = 1;
  S.st_uid = S.st_gid = UserNumber;
  S.st_blksize = 4096;
  return S;
}

static struct stat objectStatus(const KernelObject &O) {
  struct stat S = deviceStatus(OpenFile::Special);
  bool IsStream = O.kind() == KernelObject::Kind::Stream;
  S.st_mode = !IsStream                                   ? 0600
              : static_cast<const Stream &>(O).isSocket() ? S_IFSOCK | 0777
                                                          : S_IFIFO | 0600;
  return S;
}

struct stat OpenFile::status() const {
  if (Object)
    return objectStatus(*Object);
  if (Is == Memory)
    return steadyStatus(Held->status());
  return Is == File || Is == Folder ? steadyStatus(Place.Status)
                                    : deviceStatus(Is);
}

uint32_t rw::record::readiness(const OpenFile &F, const Asker &A) {
  if (F.Object)
    return F.Object->ready(A);
  uint64_t Mode = F.Flags & O_ACCMODE;
  return (Mode != O_WRONLY ? CanRead : 0) | (Mode != O_RDONLY ? CanWrite : 0);
}

std::optional<OpenFile::Kind> rw::record::deviceOf(StringRef Path) {
  using Result = std::optional<OpenFile::Kind>;
  return StringSwitch<Result>(Path)
      .Case("/dev/null", OpenFile::Null)
      .Case("/dev/zero", OpenFile::Zero)
      .Cases({"/dev/random", "/dev/urandom"}, OpenFile::Random)
      .Case("/dev/stdin", OpenFile::Input)
      .Cases({"/dev/stdout", "/dev/stderr"}, OpenFile::Output)
      .Default(std::nullopt);
}

OpenFiles::OpenFiles(const HostFolder *Root) : Root(Root) {
  for (int Fd = 0; Fd < 3; ++Fd) {
    auto F = std::make_shared<OpenFile>();
    F->Is = Fd ? OpenFile::Output : OpenFile::Input;
    F->Flags = Fd ? O_WRONLY : O_RDONLY;
    Open[Fd] = std::move(F);
  }
  if (Root)
    Current = Root->currentFolder();
}

int OpenFiles::add(std::shared_ptr<OpenFile> F, int From) {
  int Fd = From;
  while (Open.count(Fd))
    ++Fd;
  if (Fd >= Max)
    return -EMFILE;
  Open[Fd] = std::move(F);
  return Fd;
}

std::shared_ptr<OpenFile> OpenFiles::get(uint64_t Fd) const {
  auto It = Fd < uint64_t(Max) ? Open.find(int(Fd)) : Open.end();
  return It == Open.end() ? nullptr : It->second;
}

bool OpenFiles::close(uint64_t Fd) {
  ClosedOnExec.erase(int(Fd));
  return Open.erase(int(Fd)) != 0;
}

void OpenFiles::put(int Fd, std::shared_ptr<OpenFile> F) {
  ClosedOnExec.erase(Fd);
  Open[Fd] = std::move(F);
}

void OpenFiles::setClosesOnExec(int Fd, bool Closes) {
  if (Closes)
    ClosedOnExec.insert(Fd);
  else
    ClosedOnExec.erase(Fd);
}
