//===- Temporary.cpp - Files that are not yet what they will be -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/Temporary.h"
#include "core/support/WithoutSignals.h"
#include "llvm/Support/Process.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rw {
namespace {

constexpr llvm::StringLiteral Prefix = ".rewind-", Suffix = ".tmp";
constexpr size_t NumRandom = 12;

// What a signal handler may look at: names, each owned by whoever takes it out.
constexpr unsigned NumSlots = 64;
std::atomic<char *> Names[NumSlots];
std::atomic<pid_t> Owner; // a child that has not yet called exec owns none

void removeAll() {
  if (Owner.load() != ::getpid())
    return;
  for (std::atomic<char *> &N : Names)
    if (char *Name = N.exchange(nullptr))
      ::unlink(Name);
}

/// While there is a temporary file, signals that would end the process remove
/// it first. Those that somebody handles or ignores are left to him.
class LastWords {
public:
  void enter() {
    std::lock_guard<std::mutex> Lock(M);
    if (Users++)
      return;
    Owner = ::getpid();
    for (Entry &E : Entries) {
      struct sigaction Now;
      E.Ours = ::sigaction(E.Signal, nullptr, &Now) == 0 &&
               !(Now.sa_flags & SA_SIGINFO) && Now.sa_handler == SIG_DFL;
      if (!E.Ours)
        continue;
      struct sigaction New = {};
      New.sa_handler = endBySignal;
      sigemptyset(&New.sa_mask);
      E.Ours = ::sigaction(E.Signal, &New, nullptr) == 0;
    }
  }
  void leave() {
    std::lock_guard<std::mutex> Lock(M);
    if (--Users)
      return;
    for (Entry &E : Entries) {
      struct sigaction Now;
      if (E.Ours && ::sigaction(E.Signal, nullptr, &Now) == 0 &&
          !(Now.sa_flags & SA_SIGINFO) && Now.sa_handler == endBySignal)
        ::signal(E.Signal, SIG_DFL);
    }
  }

private:
  struct Entry {
    int Signal;
    bool Ours = false;
  };
  std::mutex M;
  unsigned Users = 0;
  Entry Entries[5] = {{SIGHUP}, {SIGINT}, {SIGTERM}, {SIGQUIT}, {SIGXCPU}};
};

LastWords &lastWords() {
  static LastWords W;
  return W;
}

bool isTemporary(llvm::StringRef Name) {
  return Name.size() == Prefix.size() + NumRandom + Suffix.size() &&
         Name.starts_with(Prefix) && Name.ends_with(Suffix);
}

} // namespace

void endBySignal(int Signal) {
  removeAll();
  ::signal(Signal, SIG_DFL);
  ::raise(Signal);
}

void removeLeftTemporaries(llvm::StringRef Folder) {
  std::string Path = Folder.empty() ? "." : Folder.str();
  DIR *D = ::opendir(Path.c_str());
  if (!D)
    return;
  while (const dirent *E = ::readdir(D)) {
    if (!isTemporary(E->d_name))
      continue;
    int FD = ::openat(::dirfd(D), E->d_name,
                      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (FD < 0)
      continue;
    // With the lock, nobody else is at work on it; and it must still have the
    // name, for it may have been renamed before the lock was ours.
    struct stat Mine, Named;
    if (::flock(FD, LOCK_EX | LOCK_NB) == 0 && ::fstat(FD, &Mine) == 0 &&
        S_ISREG(Mine.st_mode) && Mine.st_uid == ::geteuid() &&
        ::fstatat(::dirfd(D), E->d_name, &Named, AT_SYMLINK_NOFOLLOW) == 0 &&
        Mine.st_dev == Named.st_dev && Mine.st_ino == Named.st_ino)
      ::unlinkat(::dirfd(D), E->d_name, 0);
    ::close(FD);
  }
  ::closedir(D);
}

llvm::Expected<Temporary> Temporary::create(llvm::StringRef Folder,
                                            mode_t Mode) {
  removeLeftTemporaries(Folder);
  // Absolute: the handler of a signal may run in another working folder.
  char *Real = ::realpath(Folder.empty() ? "." : Folder.str().c_str(), nullptr);
  if (!Real)
    return llvm::errorCodeToError(llvm::errnoAsErrorCode());
  const std::string Start = std::string(Real) + "/" + Prefix.str();
  ::free(Real);
  Temporary T;
  for (unsigned Attempt = 0; Attempt < 100; ++Attempt) {
    T.Path = Start;
    for (size_t I = 0; I < NumRandom; ++I)
      T.Path += "abcdefghijklmnopqrstuvwxyz012345"
          [llvm::sys::Process::GetRandomNumber() % 32];
    T.Path += Suffix;
    T.FD = ::open(T.Path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, Mode);
    if (T.FD < 0) {
      if (errno == EEXIST || errno == EINTR)
        continue;
      return llvm::errorCodeToError(llvm::errnoAsErrorCode());
    }
    // Another process may be taking it for a left one: wait until it has
    // finished. Where there are no locks, nobody removes anything.
    struct stat St;
    while (::flock(T.FD, LOCK_EX) != 0 && errno == EINTR)
      ;
    if (::fstat(T.FD, &St) == 0 && St.st_nlink == 1)
      break;
    ::close(T.FD);
    T.FD = -1;
  }
  if (T.FD < 0)
    return llvm::errorCodeToError(std::make_error_code(std::errc::file_exists));
  lastWords().enter();
  char *Name = ::strdup(T.Path.c_str());
  for (T.Slot = 0; T.Slot < NumSlots; ++T.Slot) {
    char *None = nullptr;
    if (Names[T.Slot].compare_exchange_strong(None, Name))
      return T;
  }
  ::free(Name); // that many at once: signals leave it to the next process
  return T;
}

Temporary::Temporary(Temporary &&Other)
    : FD(Other.FD), Slot(Other.Slot), Path(std::move(Other.Path)) {
  Other.FD = -1;
}

void Temporary::forget() {
  if (Slot < NumSlots)
    ::free(Names[Slot].exchange(nullptr));
  ::close(FD);
  FD = -1;
  lastWords().leave();
}

Temporary::~Temporary() {
  if (FD < 0)
    return;
  ::unlink(Path.c_str());
  forget();
}

std::error_code Temporary::rename(llvm::StringRef To) {
  if (::rename(Path.c_str(), To.str().c_str()) != 0)
    return llvm::errnoAsErrorCode();
  forget();
  return {};
}

ScratchFile::ScratchFile() {
  const char *Given = ::getenv("TMPDIR");
  Folder = Given && *Given ? Given : "/tmp";
  std::string Name = Folder + "/rewind-XXXXXX";
  const int FD = ::mkostemp(Name.data(), O_CLOEXEC);
  if (FD < 0) {
    Failure = errno;
    return;
  }
  ::unlink(Name.c_str());
  File.reset(::fdopen(FD, "w+"));
  if (!File) {
    Failure = errno;
    ::close(FD);
    return;
  }
  // Who writes has blocks of its own; nothing is left for a later moment, at
  // which a limit of file sizes would be met by a signal.
  std::setvbuf(File.get(), nullptr, _IONBF, 0);
}

void ScratchFile::write(llvm::ArrayRef<uint8_t> Data) {
  WithoutSignals Quiet;
  if (!Failure && !Data.empty() &&
      std::fwrite(Data.data(), 1, Data.size(), File.get()) != Data.size())
    Failure = errno ? errno : EIO;
}

llvm::Error ScratchFile::finish() {
  if (!Failure && std::fflush(File.get()) != 0)
    Failure = errno;
  if (!Failure)
    return llvm::Error::success();
  std::error_code Why(Failure, std::generic_category());
  return llvm::createStringError(
      Why,
      "cannot write a temporary file in '%s' (TMPDIR names the folder): %s",
      Folder.c_str(), Why.message().c_str());
}

llvm::Error ScratchFile::read(uint64_t Offset,
                              llvm::MutableArrayRef<uint8_t> To) {
  if (!std::fseek(File.get(), long(Offset), SEEK_SET) &&
      std::fread(To.data(), 1, To.size(), File.get()) == To.size())
    return llvm::Error::success();
  return llvm::createStringError("cannot read back a temporary file in '%s'",
                                 Folder.c_str());
}

} // namespace rw
