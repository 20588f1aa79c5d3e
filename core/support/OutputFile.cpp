//===- OutputFile.cpp - Files that are written ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/OutputFile.h"
#include "core/support/WithoutSignals.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace rw {

void FileStream::put(const char *Data, size_t Size,
                     std::optional<uint64_t> At) {
  if (Problem)
    return;
  WithoutSignals Quiet;
  auto Fail = [&](std::error_code EC) {
    Problem = EC;
    if (OnError)
      OnError();
  };
  while (Size) {
    size_t Piece = std::min<size_t>(Size, 1 << 30);
    ssize_t N =
        At ? ::pwrite(FD, Data, Piece, off_t(*At)) : ::write(FD, Data, Piece);
    if (N > 0) {
      Data += N;
      Size -= size_t(N);
      if (At)
        *At += uint64_t(N);
      continue;
    }
    if (N == 0)
      return Fail(std::make_error_code(std::errc::no_space_on_device));
    if (errno != EINTR && errno != EAGAIN)
      return Fail(llvm::errnoAsErrorCode());
    if (Cancel && Cancel->load(std::memory_order_relaxed))
      return Fail(std::make_error_code(std::errc::interrupted));
    if (errno == EAGAIN) { // the reader is slow
      pollfd P = {FD, POLLOUT, 0};
      ::poll(&P, 1, 100);
    }
  }
}

void FileStream::write_impl(const char *Data, size_t Size) {
  put(Data, Size, std::nullopt);
  Position += Size;
}

void FileStream::pwrite_impl(const char *Data, size_t Size, uint64_t Offset) {
  flush(); // what is to be changed may not yet be there
  put(Data, Size, Offset);
}

llvm::Error OutputFile::failed(std::error_code EC,
                               const llvm::Twine &Why) const {
  return llvm::createStringError(EC, "cannot write " + Subject + "'" + Name +
                                         "': " + Why);
}

llvm::Error OutputFile::failed(std::error_code EC) const {
  return failed(EC, EC.message());
}

/// Follows the links that \p Path ends with, as opening it would. A link of
/// /proc that stands for a descriptor of ours (/dev/stdout leads to one) is
/// told in \p Descriptor: its name need not be that of a file.
static std::error_code followLinks(std::string &Path, int &Descriptor) {
  for (unsigned Links = 0; Links < 40; ++Links) {
    struct stat St;
    if (::lstat(Path.c_str(), &St) != 0)
      return errno == ENOENT ? std::error_code() : llvm::errnoAsErrorCode();
    if (!S_ISLNK(St.st_mode))
      return {};
    llvm::StringRef Folder = llvm::sys::path::parent_path(Path);
    llvm::StringRef Last = llvm::sys::path::filename(Path);
    struct stat Given, Own;
    if (::stat(Folder.empty() ? "." : Folder.str().c_str(), &Given) == 0 &&
        ::stat("/proc/self/fd", &Own) == 0 && Given.st_dev == Own.st_dev &&
        Given.st_ino == Own.st_ino && !Last.getAsInteger(10, Descriptor))
      return {};
    char To[PATH_MAX];
    ssize_t N = ::readlink(Path.c_str(), To, sizeof(To));
    if (N < 0)
      return llvm::errnoAsErrorCode();
    llvm::StringRef Target(To, size_t(N));
    llvm::SmallString<256> Next(Target);
    if (llvm::sys::path::is_relative(Target) && !Folder.empty()) {
      Next = Folder;
      llvm::sys::path::append(Next, Target);
    }
    Path = Next.str().str();
  }
  return std::make_error_code(std::errc::too_many_symbolic_link_levels);
}

/// The path with the links of its folder resolved: for files that are not there
/// yet.
static std::string canonical(llvm::StringRef Path) {
  llvm::StringRef Folder = llvm::sys::path::parent_path(Path);
  char *Real = ::realpath(Folder.empty() ? "." : Folder.str().c_str(), nullptr);
  if (!Real)
    return "";
  llvm::SmallString<256> Full(Real);
  ::free(Real);
  llvm::sys::path::append(Full, llvm::sys::path::filename(Path));
  return Full.str().str();
}

static const ReservedFile *findReserved(llvm::ArrayRef<ReservedFile> Reserved,
                                        const std::string &Place,
                                        const struct stat *Output) {
  std::string Full = Output ? "" : canonical(Place);
  for (const ReservedFile &R : Reserved) {
    struct stat St;
    bool There = ::stat(R.Path.c_str(), &St) == 0;
    if (There && Output && St.st_dev == Output->st_dev &&
        St.st_ino == Output->st_ino)
      return &R;
    std::string Path = R.Path;
    int Descriptor = -1;
    if (!There && !Full.empty() && !followLinks(Path, Descriptor) &&
        canonical(Path) == Full)
      return &R;
  }
  return nullptr;
}

llvm::Expected<std::unique_ptr<OutputFile>>
OutputFile::create(llvm::StringRef Path, Options O) {
  std::unique_ptr<OutputFile> F(new OutputFile);
  F->Name = Path.str();
  F->Subject = O.What;
  if (llvm::Error E = F->open(O, /*Probe=*/false))
    return E;
  F->Stream = std::make_unique<FileStream>(F->descriptor(), O.Cancel);
  return F;
}

llvm::Error OutputFile::check(llvm::StringRef Path, const Options &O) {
  OutputFile F;
  F.Name = Path.str();
  F.Subject = O.What;
  return F.open(O, /*Probe=*/true);
}

llvm::Error OutputFile::open(const Options &O, bool Probe) {
  if (Name.empty())
    return failed(std::make_error_code(std::errc::invalid_argument),
                  "it has no name");
  Place = Name;
  int Descriptor = -1;
  if (std::error_code EC = followLinks(Place, Descriptor))
    return failed(EC);
  struct stat St;
  bool There = Descriptor >= 0 ? ::fstat(Descriptor, &St) == 0
                               : ::stat(Place.c_str(), &St) == 0;
  if (!There && (errno != ENOENT || Descriptor >= 0))
    return failed(llvm::errnoAsErrorCode());
  if (const ReservedFile *R =
          findReserved(O.Reserved, Place, There ? &St : nullptr))
    return failed(std::make_error_code(std::errc::file_exists),
                  "it is " + R->What +
                      (R->Path == Name ? "" : " '" + R->Path + "'") +
                      ", which is not overwritten; name another file");
  if (There && (S_ISDIR(St.st_mode) || S_ISSOCK(St.st_mode) ||
                (O.Regular && (!S_ISREG(St.st_mode) || Descriptor >= 0))))
    return failed(
        std::make_error_code(std::errc::invalid_argument),
        "it is " +
            (Descriptor >= 0 ? "an open descriptor" : fileKind(St.st_mode)) +
            (O.Regular ? ", not a regular file" : ""));
  if (Descriptor >= 0) {
    Direct = FileHandle(::fcntl(Descriptor, F_DUPFD_CLOEXEC, 3));
    return Direct.get() < 0 ? failed(llvm::errnoAsErrorCode())
                            : llvm::Error::success();
  }
  if (!There) {
    if (llvm::sys::path::is_separator(Place.back()))
      return failed(std::make_error_code(std::errc::is_a_directory));
    return makeTemporary(nullptr, O);
  }
  if (!S_ISREG(St.st_mode) && Probe) // opening a pipe is an event for others
    return ::access(Place.c_str(), W_OK) != 0 ? failed(llvm::errnoAsErrorCode())
                                              : llvm::Error::success();
  if (!S_ISREG(St.st_mode))
    return openDirectly(O);
  // Who may not write to a file may not replace it, whatever its folder allows.
  // Asked, not tried: opening it would alarm those who have it mapped.
  if (::faccessat(AT_FDCWD, Place.c_str(), W_OK, AT_EACCESS) != 0)
    return failed(llvm::errnoAsErrorCode());
  if (O.Known) {
    auto Is = O.Known(Place);
    if (!Is)
      return failed(std::make_error_code(std::errc::file_exists),
                    "nobody knows what would be replaced: " +
                        llvm::toString(Is.takeError()));
    if (!Is->empty())
      return failed(std::make_error_code(std::errc::file_exists),
                    "it is " + *Is +
                        ", which is not replaced; name another file" +
                        O.Unless);
  }
  return makeTemporary(&St, O);
}

llvm::Error OutputFile::openDirectly(const Options &O) {
  for (;;) {
    Direct = FileHandle(
        ::open(Place.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (Direct.get() >= 0)
      return llvm::Error::success();
    if (errno != ENXIO && errno != EINTR)
      return failed(llvm::errnoAsErrorCode());
    struct stat St;
    if (errno == ENXIO &&
        (::stat(Place.c_str(), &St) != 0 || !S_ISFIFO(St.st_mode)))
      return failed(std::make_error_code(std::errc::no_such_device_or_address));
    // Nobody reads the pipe yet.
    if ((O.Cancel && O.Cancel->load(std::memory_order_relaxed)) ||
        (O.Interrupted && O.Interrupted()))
      return failed(std::make_error_code(std::errc::interrupted),
                    "interrupted while nobody was reading the pipe");
    ::poll(nullptr, 0, 20);
  }
}

llvm::Error OutputFile::makeTemporary(const struct stat *Old,
                                      const Options &O) {
  llvm::StringRef Folder = llvm::sys::path::parent_path(Place);
  auto T = Temporary::create(Folder, Old || O.Private ? 0600 : 0666);
  if (!T) {
    std::error_code EC = llvm::errorToErrorCode(T.takeError());
    // A file that cannot be replaced is not written in place: what it holds
    // would be lost by the first failure.
    return Old ? failed(EC, "there cannot be a new file in its folder: " +
                                EC.message())
               : failed(EC);
  }
  int FD = T->descriptor();
  Temp.emplace(std::move(*T));
  Sync = Old && !O.Derived;
  if (!Old)
    return llvm::Error::success();
  // Owner and group first: changing them takes permissions away.
  mode_t Mode = Old->st_mode & 0777;
  if ((Old->st_uid != ::geteuid() || Old->st_gid != ::getegid()) &&
      ::fchown(FD, Old->st_uid, Old->st_gid) != 0 &&
      ::fchown(FD, uid_t(-1), Old->st_gid) != 0)
    Mode &= ~mode_t(070); // of a group that it was not meant for
  if (::fchmod(FD, Mode) != 0)
    return failed(llvm::errnoAsErrorCode());
  return llvm::Error::success();
}

OutputFile::~OutputFile() = default;

llvm::Error OutputFile::check() const {
  if (std::error_code EC = Stream->error())
    return failed(EC);
  return llvm::Error::success();
}

llvm::Error OutputFile::commit() {
  Stream->flush();
  if (llvm::Error E = check())
    return E;
  if (!Temp) {
    // Some file systems tell only now.
    return ::close(Direct.release()) != 0 && errno != EINTR
               ? failed(llvm::errnoAsErrorCode())
               : llvm::Error::success();
  }
  if (Sync && ::fsync(Temp->descriptor()) != 0 && errno != EINVAL)
    return failed(llvm::errnoAsErrorCode());
  // Closing tells errors of network file systems, but would also end the lock:
  // a duplicate does not.
  int Again = ::fcntl(Temp->descriptor(), F_DUPFD_CLOEXEC, 3);
  if (Again < 0 || (::close(Again) != 0 && errno != EINTR))
    return failed(llvm::errnoAsErrorCode());
  if (std::error_code EC = Temp->rename(Place))
    return failed(EC);
  return llvm::Error::success();
}

llvm::Error copyFile(llvm::StringRef From, llvm::raw_ostream &To) {
  auto File = openRegular(From);
  if (!File)
    return File.takeError();
  std::vector<char> Buffer(1 << 20);
  for (;;) {
    ssize_t N = ::read(File->get(), Buffer.data(), Buffer.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0) {
      std::error_code EC = llvm::errnoAsErrorCode();
      return llvm::createStringError(EC, "cannot read '" + From +
                                             "': " + EC.message());
    }
    if (N == 0)
      return llvm::Error::success();
    To.write(Buffer.data(), size_t(N));
  }
}

} // namespace rw
