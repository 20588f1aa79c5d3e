//===- HostFolder.cpp - Files of the host, to be read only ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/HostFolder.h"
#include "core/support/Printable.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <cerrno>
#include <deque>
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

using namespace llvm;
using namespace rw;
using namespace rw::record;

HostFd::~HostFd() {
  if (Fd >= 0)
    close(Fd);
}

Expected<HostFolder> HostFolder::open(StringRef Path) {
  HostFolder F;
  SmallString<256> Real;
  std::error_code EC = sys::fs::real_path(Path, Real);
  if (!EC) {
    F.Root = Real.str().str();
    F.Folder = HostFd(::open(F.Root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (F.Folder.get() < 0)
      EC = std::error_code(errno, std::generic_category());
  }
  if (EC)
    return createStringError(EC, "cannot use '" + printable(Path) +
                                     "' as --root: " + EC.message());
  return F;
}

std::string HostFolder::placeOf(StringRef Path) const {
  SmallString<256> Real;
  if (sys::fs::real_path(Path, Real))
    return "";
  StringRef Rest = Real;
  if (Root != "/" && !Rest.consume_front(Root))
    return "";
  if (Rest.empty())
    return "/";
  return Rest.starts_with("/") ? Rest.str() : "";
}

std::string HostFolder::currentFolder() const {
  std::string Here = placeOf(".");
  return Here.empty() ? "/" : Here;
}

/// Splits \p Path and puts its parts in front of \p Parts.
static void prepend(std::deque<std::string> &Parts, StringRef Path) {
  SmallVector<StringRef> Names;
  Path.split(Names, '/', -1, /*KeepEmpty=*/false);
  for (StringRef N : reverse(Names))
    Parts.push_front(N.str());
  // "file/" is a folder or nothing.
  if (Path.ends_with("/") && !Names.empty())
    Parts.insert(Parts.begin() + Names.size(), ".");
}

int HostFolder::find(StringRef Path, bool Follow, Place &Out) const {
  constexpr unsigned MaxLinks = 40, MaxDepth = 200;
  constexpr size_t MaxPath = 4096, MaxName = 255;
  if (Path.size() >= MaxPath)
    return -ENAMETOOLONG;
  std::deque<std::string> Parts;
  prepend(Parts, Path);
  // The open folders from the root down to where we are. The last may be no
  // folder if no part follows.
  std::vector<HostFd> Open;
  std::vector<std::string> Names;
  std::vector<struct stat> Statuses;
  auto Descend = [&](int From, const char *Name) {
    HostFd Fd(openat(From, Name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat S;
    if (Fd.get() < 0 || fstat(Fd.get(), &S) != 0)
      return -errno;
    Open.push_back(std::move(Fd));
    Names.push_back(Name);
    Statuses.push_back(S);
    return 0;
  };
  if (int E = Descend(Folder.get(), "."))
    return E;
  unsigned Links = 0;
  while (!Parts.empty()) {
    std::string Name = std::move(Parts.front());
    Parts.pop_front();
    if (!S_ISDIR(Statuses.back().st_mode))
      return -ENOTDIR;
    if (Name == ".")
      continue;
    if (Name == "..") {
      if (Open.size() > 1) {
        Open.pop_back();
        Names.pop_back();
        Statuses.pop_back();
      }
      continue;
    }
    if (Name.size() > MaxName || Open.size() > MaxDepth)
      return -ENAMETOOLONG;
    if (int E = Descend(Open.back().get(), Name.c_str()))
      return E;
    if (!S_ISLNK(Statuses.back().st_mode) || (Parts.empty() && !Follow))
      continue;
    if (++Links > MaxLinks)
      return -ELOOP;
    char Target[MaxPath];
    ssize_t Length = readlinkat(Open.back().get(), "", Target, sizeof Target);
    if (Length <= 0)
      return Length < 0 ? -errno : -ENOENT;
    StringRef To(Target, Length);
    size_t Keep = To.starts_with("/") ? 1 : Open.size() - 1;
    Open.resize(Keep);
    Names.resize(Keep);
    Statuses.resize(Keep);
    prepend(Parts, To);
  }
  Out.Status = Statuses.back();
  Out.Name = Names.back();
  Out.Path.clear();
  for (size_t K = 1; K < Names.size(); ++K)
    Out.Path += "/" + Names[K];
  if (Out.Path.empty())
    Out.Path = "/";
  Out.Folder = std::move(Open[Open.size() > 1 ? Open.size() - 2 : 0]);
  return 0;
}

static bool isSame(const struct stat &A, const struct stat &B) {
  return A.st_dev == B.st_dev && A.st_ino == B.st_ino;
}

/// What \p P says is there, opened to be read.
static int openPlace(const HostFolder::Place &P, int Flags, HostFd &Out) {
  Out = HostFd(openat(P.Folder.get(), P.Name.c_str(),
                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
                          O_CLOEXEC | Flags));
  struct stat S;
  if (Out.get() < 0 || fstat(Out.get(), &S) != 0)
    return -errno;
  if (!isSame(S, P.Status))
    return -EAGAIN; // somebody has just put another file there
  struct statfs FS;
  if (fstatfs(Out.get(), &FS) == 0 &&
      (FS.f_type == PROC_SUPER_MAGIC || FS.f_type == SYSFS_MAGIC))
    return -EACCES;
  return 0;
}

int HostFolder::openFile(const Place &P, HostFd &Out) {
  if (!S_ISREG(P.Status.st_mode))
    return -EACCES;
  return openPlace(P, 0, Out);
}

int HostFolder::list(const Place &P, std::vector<Entry> &Out) {
  HostFd Fd;
  if (int E = openPlace(P, O_DIRECTORY, Fd))
    return E;
  DIR *Dir = fdopendir(dup(Fd.get()));
  if (!Dir)
    return -errno;
  while (const dirent *D = readdir(Dir))
    Out.push_back({D->d_name, D->d_ino, D->d_type});
  closedir(Dir);
  llvm::sort(Out,
             [](const Entry &A, const Entry &B) { return A.Name < B.Name; });
  return 0;
}

int HostFolder::readLink(const Place &P, std::string &Out) {
  if (!S_ISLNK(P.Status.st_mode))
    return -EINVAL;
  char Target[4096];
  ssize_t Length =
      readlinkat(P.Folder.get(), P.Name.c_str(), Target, sizeof Target);
  if (Length < 0)
    return -errno;
  Out.assign(Target, Length);
  return 0;
}
