//===- MadeFiles.cpp - What a program writes, in memory -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/MadeFiles.h"
#include "core/support/OutputFile.h"
#include "core/support/Printable.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <unistd.h>

using namespace llvm;
using namespace rw;
using namespace rw::record;

struct stat FileContents::status() const {
  struct stat S = {};
  S.st_ino = Number;
  S.st_mode = Mode;
  S.st_nlink = 1;
  S.st_size = off_t(Bytes.size());
  return S;
}

static std::string below(StringRef Folder, StringRef Name) {
  return (Folder == "/" ? "" : Folder).str() + "/" + Name.str();
}

static StringRef folderOf(StringRef Path) {
  const size_t Slash = Path.rfind('/');
  return Slash ? Path.take_front(Slash) : "/";
}

MadeFiles::MadeFiles(const HostFolder *Root, bool Everywhere)
    : Root(Root), Everywhere(Everywhere) {
  constexpr mode_t ForAll = 0777;
  if (!Root)
    makeFolder("/", ForAll);
  Found F;
  if (find("/tmp", true, F) == -ENOENT)
    makeFolder("/tmp", ForAll);
}

/// What is at \p Path, whose folder is canonical.
int MadeFiles::step(const std::string &Path, bool Follow, Found &Out) const {
  Out.Path = Path;
  Out.Made = nullptr;
  auto Known = [&] {
    auto It = Nodes.find(Out.Path);
    if (It == Nodes.end())
      return false;
    Out.Made = &It->second;
    return true;
  };
  auto There = [&] { return Out.Made->Is == Node::Gone ? -ENOENT : 0; };
  if (Known())
    return There();
  if (!Root)
    return -ENOENT;
  if (int E = Root->find(Path, Follow, Out.Host))
    return E;
  // A link may lead to what has been written since.
  Out.Path = Out.Host.Path;
  return Known() ? There() : 0;
}

int MadeFiles::find(StringRef Path, bool Follow, Found &Out) const {
  constexpr size_t MaxPath = 4096, MaxName = 255;
  if (Path.size() >= MaxPath)
    return -ENAMETOOLONG;
  SmallVector<StringRef> Names;
  Path.split(Names, '/', -1, /*KeepEmpty=*/false);
  // "folder/" is a folder or nothing.
  const bool WantsFolder = Path.ends_with("/");
  std::string Here = "/";
  if (int E = step(Here, true, Out))
    return E;
  for (size_t I = 0; I < Names.size(); ++I) {
    const StringRef Name = Names[I];
    if (!Out.isFolder()) {
      Out.Path.clear();
      return -ENOTDIR;
    }
    if (Name == ".")
      continue;
    const bool Last = I + 1 == Names.size();
    Here = Name == ".." ? folderOf(Out.Path).str() : below(Out.Path, Name);
    if (Name.size() > MaxName)
      return -ENAMETOOLONG;
    if (int E = step(Here, Follow || !Last || WantsFolder, Out)) {
      if (!Last || E != -ENOENT)
        Out.Path.clear();
      return E;
    }
  }
  return WantsFolder && !Out.isFolder() ? -ENOTDIR : 0;
}

bool MadeFiles::mayWrite(StringRef Canonical) const {
  return Everywhere || Canonical.starts_with("/tmp/");
}

std::shared_ptr<FileContents> MadeFiles::newContents(mode_t Mode) {
  auto C = std::make_shared<FileContents>();
  C->Number = ++LastNumber;
  C->Mode = Mode;
  return C;
}

std::shared_ptr<FileContents> MadeFiles::makeFile(const std::string &Path,
                                                  mode_t Mode) {
  auto C = newContents(S_IFREG | (Mode & 0777));
  Nodes[Path] = {Node::File, C};
  return C;
}

void MadeFiles::makeFolder(const std::string &Path, mode_t Mode) {
  Nodes[Path] = {Node::Folder, newContents(S_IFDIR | (Mode & 0777))};
}

int MadeFiles::copy(const Found &Of, std::shared_ptr<FileContents> &Out) {
  HostFd Fd;
  if (int E = HostFolder::openFile(Of.Host, Fd))
    return E;
  if (uint64_t(Of.Host.Status.st_size) > FileContents::Most)
    return -EFBIG;
  std::string Bytes;
  char Part[1 << 16];
  for (ssize_t N; (N = ::read(Fd.get(), Part, sizeof Part)) != 0;) {
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return -errno;
    if (Bytes.size() + size_t(N) > FileContents::Most)
      return -EFBIG;
    Bytes.append(Part, size_t(N));
  }
  Out = makeFile(Of.Path, Of.Host.Status.st_mode);
  Out->Bytes = std::move(Bytes);
  return 0;
}

/// What the host has there is not seen any more.
void MadeFiles::takeAway(const std::string &Path) {
  HostFolder::Place P;
  if (Root && Root->find(Path, false, P) == 0)
    Nodes[Path] = Node();
  else
    Nodes.erase(Path);
}

bool MadeFiles::isEmpty(const Found &Folder) const {
  std::vector<HostFolder::Entry> Entries;
  constexpr size_t Dots = 2;
  return list(Folder.Path, Folder.Made ? nullptr : &Folder.Host, Entries) ==
             0 &&
         Entries.size() == Dots;
}

int MadeFiles::remove(const Found &What, bool IsFolder) {
  if (What.isFolder() != IsFolder)
    return IsFolder ? -ENOTDIR : -EISDIR;
  if (What.Path == "/" || What.Path == "/tmp")
    return -EBUSY;
  if (IsFolder && !isEmpty(What))
    return -ENOTEMPTY;
  takeAway(What.Path);
  return 0;
}

int MadeFiles::rename(Found &From, const Found &To, bool Replaces) {
  if (From.Path == To.Path)
    return 0;
  if (From.isFolder()) {
    // All that is in it would have to be moved.
    if (!isEmpty(From))
      return -EXDEV;
    if (Replaces && (!To.isFolder() || !isEmpty(To)))
      return To.isFolder() ? -ENOTEMPTY : -ENOTDIR;
  } else if (Replaces && To.isFolder()) {
    return -EISDIR;
  }
  Node Moved;
  if (From.Made) {
    Moved = *From.Made;
  } else if (From.isFolder()) {
    Moved = {Node::Folder, newContents(From.Host.Status.st_mode)};
  } else {
    if (int E = copy(From, Moved.Contents))
      return E;
    Moved.Is = Node::File;
  }
  takeAway(From.Path);
  Nodes[To.Path] = std::move(Moved);
  return 0;
}

int MadeFiles::list(const std::string &Path, const HostFolder::Place *Host,
                    std::vector<HostFolder::Entry> &Out) const {
  if (Host) {
    if (int E = HostFolder::list(*Host, Out))
      return E;
  } else {
    Out = {{".", 1, DT_DIR}, {"..", 1, DT_DIR}};
  }
  const std::string Prefix = Path == "/" ? "/" : Path + "/";
  for (auto It = Nodes.lower_bound(Prefix);
       It != Nodes.end() && StringRef(It->first).starts_with(Prefix); ++It) {
    const StringRef Name = StringRef(It->first).drop_front(Prefix.size());
    if (Name.empty() || Name.contains('/'))
      continue;
    llvm::erase_if(Out,
                   [&](const HostFolder::Entry &E) { return E.Name == Name; });
    const Node &N = It->second;
    if (N.Is != Node::Gone)
      Out.push_back({Name.str(), N.Contents->Number,
                     uint8_t(N.Is == Node::Folder ? DT_DIR : DT_REG)});
  }
  llvm::sort(Out, [](const HostFolder::Entry &A, const HostFolder::Entry &B) {
    return A.Name < B.Name;
  });
  return 0;
}

std::vector<std::pair<std::string, const FileContents *>>
MadeFiles::files() const {
  std::vector<std::pair<std::string, const FileContents *>> All;
  for (const auto &[Path, N] : Nodes)
    if (N.Is == Node::File)
      All.push_back({Path, N.Contents.get()});
  return All;
}

Error MadeFiles::save(StringRef Into) const {
  for (const auto &[Path, Contents] : files()) {
    const std::string To = Into.str() + Path;
    const StringRef Folder = sys::path::parent_path(To);
    if (std::error_code EC = sys::fs::create_directories(Folder))
      return createStringError(EC, "cannot make '" + printable(Folder) +
                                       "': " + EC.message());
    auto File = OutputFile::create(To, {});
    if (!File)
      return File.takeError();
    (*File)->os() << Contents->Bytes;
    if (Error E = (*File)->commit())
      return E;
  }
  return Error::success();
}
