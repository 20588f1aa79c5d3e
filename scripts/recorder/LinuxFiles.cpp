//===- LinuxFiles.cpp - Linux system calls that read files ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include "scripts/recorder/GuestFiles.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace rw::record;

int64_t LinuxCalls::performFile(Call What) {
  // Calls with "at" in their name have a folder first.
  switch (What) {
  case Call::Read:
    return readFile(arg(0), arg(1), arg(2), std::nullopt);
  case Call::ReadAt:
    // On AArch32 the offset is in an even pair of registers.
    return readFile(arg(0), arg(1), arg(2),
                    G.is64() ? arg(3) : arg(4) | arg(5) << 32);
  case Call::Write:
    return writeFile(arg(0), arg(1), arg(2));
  case Call::WriteAt:
    return writeFile(arg(0), arg(1), arg(2),
                     G.is64() ? arg(3) : arg(4) | arg(5) << 32);
  case Call::Truncate:
    return truncate(arg(0), arg(1));
  case Call::TruncateWide:
    return truncate(arg(0), arg(2) | arg(3) << 32);
  case Call::MemoryFile: {
    constexpr uint64_t ClosesOnExec = 1;
    std::string Name;
    int64_t E = 0;
    return text(arg(0), Name, E)
               ? addMemoryFile("/memfd:" + Name,
                               O_RDWR | (arg(1) & ClosesOnExec ? O_CLOEXEC : 0))
               : E;
  }
  case Call::ReadV:
    return readVector(arg(0), arg(1), arg(2));
  case Call::WriteV: {
    std::string Bytes;
    int64_t E = gather(arg(1), arg(2), Bytes);
    return E ? E : writeBytes(arg(0), Bytes);
  }
  case Call::Open:
    return openFile(AtCurrent, arg(0), arg(1), arg(2));
  case Call::OpenAt:
    return openFile(descriptorOf(arg(0)), arg(1), arg(2), arg(3));
  case Call::Create:
    return openFile(AtCurrent, arg(0), O_WRONLY | CreateFile | TruncateFile,
                    arg(1));
  case Call::Close:
    return Files.close(arg(0)) ? 0 : -EBADF;
  case Call::Seek:
    return seek(arg(0), G.is64() ? arg(1) : int32_t(arg(1)), arg(2));
  case Call::SeekWide:
    return seekWide();
  case Call::Access:
    return access(AtCurrent, arg(0), arg(1));
  case Call::AccessAt:
    return access(descriptorOf(arg(0)), arg(1), arg(2));
  case Call::ReadLink:
    return readLink(AtCurrent, arg(0), arg(1), arg(2));
  case Call::ReadLinkAt:
    return readLink(descriptorOf(arg(0)), arg(1), arg(2), arg(3));
  case Call::StatOpen:
    return statusOfOpen(arg(0), arg(1));
  case Call::Stat:
    return status(AtCurrent, arg(0), arg(1), 0);
  case Call::StatLink:
    return status(AtCurrent, arg(0), arg(1), NoFollowAt);
  case Call::StatAt:
    return status(descriptorOf(arg(0)), arg(1), arg(2), arg(3));
  case Call::StatX:
    return statusExtended();
  case Call::ListFolder:
    return listFolder(arg(0), arg(1), arg(2));
  case Call::CurrentFolder:
    return currentFolder(arg(0), arg(1));
  case Call::ChangeFolder:
    return changeFolder(AtCurrent, arg(0));
  case Call::ChangeFolderOpen:
    return changeFolder(descriptorOf(arg(0)), 0);
  case Call::Duplicate:
  case Call::DuplicateTo: {
    auto F = Files.get(arg(0));
    if (!F)
      return -EBADF;
    if (What == Call::Duplicate)
      return Files.add(F);
    if (arg(1) >= uint64_t(OpenFiles::Max))
      return -EBADF;
    if (arg(0) == arg(1))
      return arg(1);
    Files.put(int(arg(1)), F);
    return arg(1);
  }
  case Call::FileControl:
    return fileControl(arg(0), arg(1), arg(2));
  case Call::Ioctl:
    return ioctl(arg(0), arg(1), arg(2));
  case Call::Sync:
    return Files.get(arg(0)) ? 0 : -EBADF;
  default:
    return changeFile(What);
  }
}

int64_t LinuxCalls::absolute(int64_t Folder, uint64_t Path, std::string &Out) {
  int64_t Error = 0;
  std::string Name;
  if (!text(Path, Name, Error))
    return Error;
  if (Name.empty())
    return -ENOENT;
  if (Name[0] == '/') {
    Out = Name;
    return 0;
  }
  std::string Base = Files.Current;
  if (Folder != AtCurrent) {
    auto F = Files.get(Folder);
    if (!F)
      return -EBADF;
    if (F->Is != OpenFile::Folder)
      return -ENOTDIR;
    Base = F->Path;
  }
  Out = (Base == "/" ? "" : Base) + "/" + Name;
  return 0;
}

/// \p File is set instead of \p Out for an empty path that names \p Folder.
int64_t LinuxCalls::findPlace(int64_t Folder, uint64_t Path, bool Follow,
                              bool MayBeEmpty, HostFolder::Place &Out,
                              std::shared_ptr<OpenFile> &File) {
  std::string Name;
  int64_t Error = 0;
  if (MayBeEmpty && (!Path || (text(Path, Name, Error) && Name.empty()))) {
    File = Files.get(Folder);
    return File ? 0 : -EBADF;
  }
  if (int64_t E = absolute(Folder, Path, Name))
    return E;
  if (auto Device = deviceOf(Name)) {
    File = std::make_shared<OpenFile>();
    File->Is = *Device;
    File->Path = Name;
    return 0;
  }
  MadeFiles::Found At;
  if (int E = W.Made->find(Name, Follow, At))
    return notFound(Name, E);
  if (!At.Made) {
    Out = std::move(At.Host);
    return 0;
  }
  File = std::make_shared<OpenFile>();
  File->Is = At.isFolder() ? OpenFile::Folder : OpenFile::Memory;
  File->Path = At.Path;
  File->Held = At.Made->Contents;
  File->Place.Status = At.Made->Contents->status();
  return 0;
}

/// \p Error: of looking for \p Name, a path that the program gave.
int64_t LinuxCalls::notFound(const std::string &Name, int64_t Error) {
  if (Files.root() || W.Made->mayWrite(Name))
    return Error;
  return refuse("'" + Name + "' (the program has no files without --root)",
                ENOENT);
}

int64_t LinuxCalls::openFile(int64_t Folder, uint64_t Path, uint64_t Flags,
                             uint64_t Mode) {
  std::string Name;
  if (int64_t E = absolute(Folder, Path, Name))
    return E;
  // A file without a name, as tmpfile() wants one.
  if ((Flags & NamelessFile) == NamelessFile)
    return addMemoryFile(Name + "/(deleted)", Flags & ~uint64_t(NamelessFile));
  if (auto Device = deviceOf(Name)) {
    auto F = std::make_shared<OpenFile>();
    F->Is = *Device;
    F->Path = Name;
    F->Flags = Flags;
    return Files.add(std::move(F));
  }
  MadeFiles::Found At;
  const bool Creates = Flags & CreateFile, IsNew = Flags & MustBeNew;
  int64_t E =
      W.Made->find(Name, !(Flags & NoFollow) && !(Creates && IsNew), At);
  if (E == -ENOENT && Creates && !At.Path.empty()) {
    if (!W.Made->mayWrite(At.Path))
      return Files.root() ? refuse("'" + Name + "' to be made", EROFS)
                          : notFound(Name, E);
    if (Name.back() == '/')
      return -EISDIR;
    constexpr uint64_t Umask = 022;
    return addHeld(At.Path, W.Made->makeFile(At.Path, Mode & ~Umask), Flags);
  }
  if (E)
    return notFound(Name, E);
  if (Creates && IsNew)
    return -EEXIST;
  return At.Made ? openMade(At, Flags) : openHost(std::move(At), Name, Flags);
}

int64_t LinuxCalls::addHeld(const std::string &Path,
                            std::shared_ptr<FileContents> Held,
                            uint64_t Flags) {
  auto F = std::make_shared<OpenFile>();
  F->Is = OpenFile::Memory;
  F->Path = Path;
  F->Held = std::move(Held);
  F->Flags = Flags & ~uint64_t(CreateFile | MustBeNew | TruncateFile);
  return Files.add(std::move(F));
}

int64_t LinuxCalls::openMade(const MadeFiles::Found &At, uint64_t Flags) {
  const bool Writes = (Flags & AccessMode) || (Flags & TruncateFile);
  if (At.isFolder()) {
    if (Writes)
      return -EISDIR;
    auto F = std::make_shared<OpenFile>();
    F->Is = OpenFile::Folder;
    F->Path = At.Path;
    F->Flags = Flags;
    F->Place.Status = At.Made->Contents->status();
    return Files.add(std::move(F));
  }
  if (Flags & FolderOnly)
    return -ENOTDIR;
  if (Flags & TruncateFile)
    At.Made->Contents->Bytes.clear();
  return addHeld(At.Path, At.Made->Contents, Flags);
}

int64_t LinuxCalls::openHost(MadeFiles::Found At, const std::string &Name,
                             uint64_t Flags) {
  const bool Writes = (Flags & AccessMode) || (Flags & TruncateFile);
  const mode_t Mode = At.Host.Status.st_mode;
  if (S_ISLNK(Mode))
    return -ELOOP;
  if (!S_ISDIR(Mode) && (Flags & FolderOnly))
    return -ENOTDIR;
  if (Writes) {
    if (S_ISDIR(Mode))
      return -EISDIR;
    if (!W.Made->mayWrite(At.Path))
      return refuse("'" + Name + "' to be written", EROFS);
    std::shared_ptr<FileContents> Copy;
    if (int E = W.Made->copy(At, Copy))
      return E;
    if (Flags & TruncateFile)
      Copy->Bytes.clear();
    return addHeld(At.Path, std::move(Copy), Flags);
  }
  auto F = std::make_shared<OpenFile>();
  F->Path = At.Path;
  F->Flags = Flags & ~uint64_t(CreateFile);
  F->Is = S_ISDIR(Mode) ? OpenFile::Folder : OpenFile::File;
  F->Place = std::move(At.Host);
  if (F->Is == OpenFile::File && !(Flags & PathOnly)) {
    int Failed = HostFolder::openFile(F->Place, F->Fd);
    if (Failed == -EACCES)
      return refuse("'" + Name + "', which is no file to be read", EACCES);
    if (Failed)
      return Failed;
  }
  return Files.add(std::move(F));
}

int64_t LinuxCalls::writeFile(uint64_t Fd, uint64_t Addr, uint64_t Size,
                              std::optional<uint64_t> At) {
  std::string Bytes(std::min<uint64_t>(Size, 1 << 28), '\0');
  if (!G.readMemory(Addr, Bytes.data(), Bytes.size()))
    return Files.get(Fd) ? -EFAULT : -EBADF;
  return writeBytes(Fd, Bytes, At);
}

int64_t LinuxCalls::writeBytes(uint64_t Fd, StringRef Bytes,
                               std::optional<uint64_t> At) {
  auto F = Files.get(Fd);
  if (!F || (F->Flags & AccessMode) == O_RDONLY)
    return -EBADF;
  if (F->Is == OpenFile::Memory)
    return writeMemoryFile(*F, Bytes, At);
  if (At && (F->Object || F->Is == OpenFile::Output))
    return -ESPIPE;
  if (F->Object)
    return writeObject(F, Bytes, !(F->Flags & O_NONBLOCK), /*IsQuiet=*/false);
  if (F->Is == OpenFile::Output)
    W.put(Bytes);
  return Bytes.size();
}

int64_t LinuxCalls::addMemoryFile(StringRef Path, uint64_t Flags) {
  auto F = std::make_shared<OpenFile>();
  F->Is = OpenFile::Memory;
  F->Path = Path.str();
  F->Flags = Flags & ~uint64_t(O_CLOEXEC);
  F->Held = std::make_shared<FileContents>();
  F->Held->Mode |= S_IFREG;
  int Fd = Files.add(std::move(F));
  if (Fd >= 0)
    Files.setClosesOnExec(Fd, Flags & O_CLOEXEC);
  return Fd;
}

int64_t LinuxCalls::writeMemoryFile(OpenFile &F, StringRef Bytes,
                                    std::optional<uint64_t> At) {
  constexpr uint64_t Most = FileContents::Most;
  std::string &Contents = F.Held->Bytes;
  uint64_t To = At ? *At : (F.Flags & O_APPEND) ? Contents.size() : F.At;
  if (To > Most || Bytes.size() > Most - To)
    return -EFBIG;
  if (Contents.size() < To + Bytes.size())
    Contents.resize(To + Bytes.size());
  memcpy(Contents.data() + To, Bytes.data(), Bytes.size());
  if (!At)
    F.At = To + Bytes.size();
  return Bytes.size();
}

int64_t LinuxCalls::truncate(uint64_t Fd, uint64_t Size) {
  auto F = Files.get(Fd);
  if (!F)
    return -EBADF;
  if (F->Is != OpenFile::Memory || (F->Flags & AccessMode) == O_RDONLY)
    return -EINVAL; // not open to be written
  return resize(*F->Held, Size);
}

int64_t LinuxCalls::resize(FileContents &Of, uint64_t Size) {
  if (Size > FileContents::Most)
    return int64_t(Size) < 0 ? -EINVAL : -EFBIG;
  Of.Bytes.resize(Size);
  return 0;
}

int64_t LinuxCalls::readFile(uint64_t Fd, uint64_t Addr, uint64_t Size,
                             std::optional<uint64_t> At, bool MayWait) {
  auto F = Files.get(Fd);
  if (!F || (F->Flags & AccessMode) == O_WRONLY)
    return -EBADF;
  Size = std::min(Size, MaxTransfer);
  std::string Bytes;
  switch (F->Is) {
  case OpenFile::Input:
    if (At)
      return -ESPIPE;
    Bytes = W.take(Size).str();
    break;
  case OpenFile::Output:
    return -EBADF;
  case OpenFile::Null:
    return 0;
  case OpenFile::Zero:
    Bytes.assign(Size, '\0');
    break;
  case OpenFile::Random:
    return random(Addr, Size);
  case OpenFile::Folder:
    return -EISDIR;
  case OpenFile::Special: {
    if (At)
      return -ESPIPE;
    // Bytes that are taken could not be put back.
    if (Size && !Memory.isWritable(Addr, 1))
      return -EFAULT;
    int64_t Got =
        readObject(F, Bytes, Size, MayWait && !(F->Flags & O_NONBLOCK));
    if (Got < 0)
      return Got;
    break;
  }
  case OpenFile::Memory: {
    const std::string &Contents = F->Held->Bytes;
    uint64_t From = std::min<uint64_t>(At.value_or(F->At), Contents.size());
    Bytes = Contents.substr(From, Size);
    break;
  }
  case OpenFile::File: {
    if (F->Fd.get() < 0)
      return -EBADF; // O_PATH
    if (At.value_or(0) >> 63)
      return -EINVAL;
    Bytes.resize(Size);
    size_t Done = 0;
    while (Done < Size) {
      ssize_t N = pread(F->Fd.get(), Bytes.data() + Done, Size - Done,
                        At.value_or(F->At) + Done);
      if (N < 0 && errno == EINTR)
        continue;
      if (N < 0)
        return -errno;
      if (N == 0)
        break;
      Done += N;
    }
    Bytes.resize(Done);
    break;
  }
  }
  if (Bytes.empty())
    return 0;
  if (int64_t E = store(Addr, Bytes))
    return E;
  if ((F->Is == OpenFile::File || F->Is == OpenFile::Memory) && !At)
    F->At += Bytes.size();
  return Bytes.size();
}

static constexpr uint64_t MostParts = 1024;

/// One of the parts of struct iovec[]. False: it is not in memory.
bool LinuxCalls::partOf(uint64_t Vector, uint64_t K, uint64_t &Base,
                        uint64_t &Length) const {
  unsigned Size = G.is64() ? 8 : 4;
  bool Ok = true;
  Base = word(Vector + 2 * K * Size, Size, Ok);
  Length = word(Vector + (2 * K + 1) * Size, Size, Ok);
  return Ok;
}

int64_t LinuxCalls::readVector(uint64_t Fd, uint64_t Vector, uint64_t Count) {
  int64_t Total = 0;
  if (Count > MostParts)
    return -EINVAL;
  for (uint64_t K = 0; K < Count; ++K) {
    uint64_t Base, Length;
    if (!partOf(Vector, K, Base, Length))
      return Total ? Total : -EFAULT;
    if (!Length)
      continue;
    // A short read says that there is no more for now.
    Length = std::min<uint64_t>(Length, MaxTransfer - Total);
    int64_t Done = readFile(Fd, Base, Length, std::nullopt, /*MayWait=*/!Total);
    if (Done < 0)
      return Total ? Total : Done;
    Total += Done;
    if (How == Served::Waits || uint64_t(Done) < Length ||
        uint64_t(Total) == MaxTransfer)
      break;
  }
  return Total;
}

int64_t LinuxCalls::gather(uint64_t Vector, uint64_t Count,
                           std::string &Out) const {
  constexpr uint64_t Most = 1 << 28;
  if (Count > MostParts)
    return -EINVAL;
  for (uint64_t K = 0; K < Count; ++K) {
    uint64_t Base, Length;
    if (!partOf(Vector, K, Base, Length))
      return -EFAULT;
    size_t Before = Out.size();
    Length = std::min(Length, Most - Before);
    Out.resize(Before + Length);
    if (!G.readMemory(Base, Out.data() + Before, Length)) {
      // What is before is written, as Linux does.
      Out.resize(Before);
      return Before ? 0 : -EFAULT;
    }
  }
  return 0;
}

int64_t LinuxCalls::seek(uint64_t Fd, int64_t Offset, unsigned Whence) {
  auto F = Files.get(Fd);
  if (!F)
    return -EBADF;
  if (F->Is == OpenFile::Input || F->Is == OpenFile::Output || F->Object)
    return -ESPIPE;
  if (F->Is != OpenFile::File && F->Is != OpenFile::Folder &&
      F->Is != OpenFile::Memory)
    return 0;
  if (Whence > SEEK_END)
    return -EINVAL;
  uint64_t Base = Whence == SEEK_SET   ? 0
                  : Whence == SEEK_CUR ? F->At
                                       : F->status().st_size;
  int64_t To = int64_t(Base + uint64_t(Offset));
  if (To < 0)
    return -EINVAL;
  return F->At = To;
}

int64_t LinuxCalls::seekWide() {
  int64_t To = seek(arg(0), int64_t(arg(1) << 32 | arg(2)), arg(4));
  if (To < 0)
    return To;
  std::string Bytes(8, '\0');
  putField<uint64_t>(Bytes, 0, To);
  return store(arg(3), Bytes);
}

int64_t LinuxCalls::listFolder(uint64_t Fd, uint64_t To, uint64_t Size) {
  auto F = Files.get(Fd);
  if (!F)
    return -EBADF;
  if (F->Is != OpenFile::Folder)
    return -ENOTDIR;
  if (!F->Listed || F->At == 0) {
    F->Entries.clear();
    const bool IsHost = F->Place.Folder.get() >= 0;
    if (int E = W.Made->list(F->Path, IsHost ? &F->Place : nullptr, F->Entries))
      return E == -EACCES ? refuse("to list '" + F->Path + "'", EACCES) : E;
    F->Listed = true;
  }
  // struct linux_dirent64.
  constexpr size_t Header = 19;
  std::string Bytes;
  Size = std::min(Size, MaxTransfer);
  for (; F->At < F->Entries.size(); ++F->At) {
    const HostFolder::Entry &E = F->Entries[F->At];
    size_t Length = (Header + E.Name.size() + 8) & ~size_t(7);
    size_t At = Bytes.size();
    if (At + Length > Size) {
      if (Bytes.empty())
        return -EINVAL;
      break;
    }
    Bytes.resize(At + Length);
    putField<uint64_t>(Bytes, At, steadyNumber(E.Number));
    putField<uint64_t>(Bytes, At + 8, F->At + 1);
    putField<uint16_t>(Bytes, At + 16, Length);
    putField<uint8_t>(Bytes, At + 18, E.Type);
    memcpy(Bytes.data() + At + Header, E.Name.data(), E.Name.size());
  }
  int64_t E = Bytes.empty() ? 0 : store(To, Bytes);
  return E ? E : int64_t(Bytes.size());
}

int64_t LinuxCalls::currentFolder(uint64_t To, uint64_t Size) {
  const std::string &Path = Files.Current;
  if (Size < Path.size() + 1)
    return -ERANGE;
  int64_t E = store(To, StringRef(Path.c_str(), Path.size() + 1));
  return E ? E : int64_t(Path.size() + 1);
}

int64_t LinuxCalls::changeFolder(int64_t Folder, uint64_t Path) {
  HostFolder::Place P;
  std::shared_ptr<OpenFile> F;
  if (int64_t E = findPlace(Folder, Path, true, !Path, P, F))
    return E;
  if (F ? F->Is != OpenFile::Folder : !S_ISDIR(P.Status.st_mode))
    return -ENOTDIR;
  Files.Current = F ? F->Path : P.Path;
  return 0;
}

int64_t LinuxCalls::fileControl(uint64_t Fd, uint64_t Command,
                                uint64_t Argument) {
  auto F = Files.get(Fd);
  if (!F)
    return -EBADF;
  enum { DuplicateCloexec = 1030, SetPipeSize = 1031, GetPipeSize };
  constexpr uint64_t Settable = O_NONBLOCK | O_APPEND;
  auto *Pipe = objectOf<Stream>(Fd, KernelObject::Kind::Stream);
  switch (Command) {
  case F_DUPFD:
  case DuplicateCloexec: {
    if (Argument >= uint64_t(OpenFiles::Max))
      return -EINVAL;
    int New = Files.add(F, int(Argument));
    if (New >= 0)
      Files.setClosesOnExec(New, Command == DuplicateCloexec);
    return New;
  }
  case F_GETFD:
    return Files.closesOnExec(int(Fd));
  case F_SETFD:
    Files.setClosesOnExec(int(Fd), Argument & FD_CLOEXEC);
    return 0;
  case F_GETFL:
    return F->Flags;
  case F_SETFL:
    F->Flags = (F->Flags & ~Settable) | (Argument & Settable);
    return 0;
  case GetPipeSize:
  case SetPipeSize:
    if (!Pipe || Pipe->isSocket())
      return -EBADF;
    if (Command == SetPipeSize) {
      constexpr uint64_t Most = 1 << 20;
      uint64_t Size = PowerOf2Ceil(std::max<uint64_t>(Argument, 4096));
      if (Size > Most)
        return -EPERM;
      if (Size < Pipe->pipe()->size())
        return -EBUSY;
      Pipe->pipe()->Capacity = Size;
    }
    return Pipe->pipe()->Capacity;
  default: // locks mean nothing here
    return 0;
  }
}

int64_t LinuxCalls::ioctl(uint64_t Fd, uint64_t Request, uint64_t To) {
  enum {
    HowMuch = 0x541b,
    NoWaiting = 0x5421,
    Close = 0x5451,
    DoNotClose = 0x5450
  };
  auto F = Files.get(Fd);
  if (!F)
    return -EBADF;
  auto *S = objectOf<Stream>(Fd, KernelObject::Kind::Stream);
  bool Ok = true;
  switch (Request) {
  case HowMuch: {
    std::string Bytes(4, '\0');
    if (F->Is == OpenFile::File)
      putField<int32_t>(Bytes, 0, F->Place.Status.st_size - F->At);
    else if (F->Is == OpenFile::Input)
      putField<int32_t>(Bytes, 0, W.Input.size() - W.InputAt);
    else if (S)
      putField<int32_t>(Bytes, 0, S->available());
    else
      return -ENOTTY;
    return store(To, Bytes);
  }
  case NoWaiting: {
    uint64_t Is = word(To, 4, Ok);
    if (!Ok)
      return -EFAULT;
    F->Flags = Is ? F->Flags | O_NONBLOCK : F->Flags & ~uint64_t(O_NONBLOCK);
    return 0;
  }
  case Close:
  case DoNotClose:
    Files.setClosesOnExec(int(Fd), Request == Close);
    return 0;
  default:
    return -ENOTTY;
  }
}
