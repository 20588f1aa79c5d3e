//===- LinuxChanges.cpp - Linux system calls that change files ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include "scripts/recorder/GuestFiles.h"
#include <cerrno>

using namespace llvm;
using namespace rw::record;

int64_t LinuxCalls::changeFile(Call What) {
  constexpr uint64_t OfFolder = 0x200;
  std::string Name;
  int64_t E;
  switch (What) {
  case Call::ChangeOpen: {
    auto F = Files.get(arg(0));
    if (!F)
      return -EBADF;
    return F->Is == OpenFile::Memory ? 0 : -EINVAL;
  }
  case Call::MakeFolder:
    return makeFolder(AtCurrent, arg(0), arg(1));
  case Call::MakeFolderAt:
    return makeFolder(descriptorOf(arg(0)), arg(1), arg(2));
  case Call::Remove:
    return remove(AtCurrent, arg(0), false);
  case Call::RemoveFolder:
    return remove(AtCurrent, arg(0), true);
  case Call::RemoveAt:
    return remove(descriptorOf(arg(0)), arg(1), arg(2) & OfFolder);
  case Call::Rename:
    return rename(AtCurrent, arg(0), AtCurrent, arg(1));
  case Call::RenameAt:
    return rename(descriptorOf(arg(0)), arg(1), descriptorOf(arg(2)), arg(3));
  case Call::TruncateNamed:
    return truncateNamed(arg(0), arg(1));
  case Call::TruncateNamedWide:
    return truncateNamed(arg(0), arg(2) | arg(3) << 32);
  case Call::Attributes:
    return setAttributes(AtCurrent, arg(0));
  case Call::AttributesAt:
    return setAttributes(descriptorOf(arg(0)), arg(1));
  // Links and devices are not made.
  case Call::ChangeAt:
    E = absolute(descriptorOf(arg(0)), arg(1), Name);
    break;
  case Call::MakeLink: // the first argument is what will be in the link
    E = absolute(AtCurrent, arg(1), Name);
    break;
  case Call::MakeLinkAt:
    E = absolute(descriptorOf(arg(1)), arg(2), Name);
    break;
  default:
    E = absolute(AtCurrent, arg(0), Name);
    break;
  }
  return E ? E : refuse("'" + Name + "' to be changed", EROFS);
}

/// Looks for \p Name, which is to be changed. What is there need not exist if
/// its folder does: -ENOENT, with a path in \p At.
int64_t LinuxCalls::writable(const std::string &Name, bool Follow,
                             MadeFiles::Found &At) {
  const int64_t E = W.Made->find(Name, Follow, At);
  const std::string &Path = At.Path.empty() ? Name : At.Path;
  if (!W.Made->mayWrite(Path))
    return refuse("'" + Name + "' to be changed", EROFS);
  return E;
}

int64_t LinuxCalls::makeFolder(int64_t Folder, uint64_t Path, uint64_t Mode) {
  std::string Name;
  if (int64_t E = absolute(Folder, Path, Name))
    return E;
  while (Name.size() > 1 && Name.back() == '/')
    Name.pop_back();
  MadeFiles::Found At;
  const int64_t E = writable(Name, false, At);
  if (E != -ENOENT || At.Path.empty())
    return E ? E : -EEXIST;
  constexpr uint64_t Umask = 022;
  W.Made->makeFolder(At.Path, Mode & ~Umask);
  return 0;
}

int64_t LinuxCalls::remove(int64_t Folder, uint64_t Path, bool IsFolder) {
  std::string Name;
  if (int64_t E = absolute(Folder, Path, Name))
    return E;
  MadeFiles::Found At;
  if (int64_t E = writable(Name, false, At))
    return E;
  return W.Made->remove(At, IsFolder);
}

int64_t LinuxCalls::rename(int64_t FromFolder, uint64_t From, int64_t ToFolder,
                           uint64_t To) {
  std::string Old, New;
  if (int64_t E = absolute(FromFolder, From, Old))
    return E;
  if (int64_t E = absolute(ToFolder, To, New))
    return E;
  MadeFiles::Found Source, Target;
  if (int64_t E = writable(Old, false, Source))
    return E;
  const int64_t E = writable(New, false, Target);
  if (E && (E != -ENOENT || Target.Path.empty()))
    return E;
  return W.Made->rename(Source, Target, /*Replaces=*/!E);
}

int64_t LinuxCalls::truncateNamed(uint64_t Path, uint64_t Size) {
  std::string Name;
  if (int64_t E = absolute(AtCurrent, Path, Name))
    return E;
  MadeFiles::Found At;
  if (int64_t E = writable(Name, true, At))
    return E;
  if (At.isFolder())
    return -EISDIR;
  std::shared_ptr<FileContents> Contents;
  if (At.Made)
    Contents = At.Made->Contents;
  else if (int E = W.Made->copy(At, Contents))
    return E;
  return resize(*Contents, Size);
}

/// Rights, owners and times of what the program has made mean nothing here.
int64_t LinuxCalls::setAttributes(int64_t Folder, uint64_t Path) {
  if (!Path) { // of an open file
    auto F = Files.get(Folder);
    if (!F)
      return -EBADF;
    return F->Is == OpenFile::Memory ? 0 : -EROFS;
  }
  std::string Name;
  if (int64_t E = absolute(Folder, Path, Name))
    return E;
  MadeFiles::Found At;
  return writable(Name, true, At);
}
