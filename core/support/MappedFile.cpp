//===- MappedFile.cpp - Files that are read where they lie ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/MappedFile.h"
#include "core/support/InputFile.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace rw {

/// A mapping, as the handler of SIGBUS must find it: without a lock.
struct Region {
  std::atomic<uintptr_t> Begin{0}, End{0}; ///< Begin is 0: not in use
  std::atomic<bool> Lost{false};
  FileHandle File;
  bool Leased = false;
  std::string Path;
};

namespace {

/// The thread that is told when a file is about to be changed. The mappings
/// have one; while the last that had it waits for its end, others may begin.
struct Rescuer {
  std::thread Thread;
  std::atomic<pid_t> Id{0};
  std::atomic<bool> Ending{false};
};

constexpr unsigned NumRegions = 64;
/// What has no lease is copied up to here.
constexpr uint64_t MaxCopy = 256 << 20;

/// All mappings of the process. Never destroyed: a handler may be called at the
/// very end.
class Regions {
public:
  Region *add(FileHandle &File, uint64_t Size, llvm::StringRef Path);
  void remove(Region &R);
  bool anyLost(llvm::StringRef Path);
  /// Copies what is about to be changed.
  void rescue();
  Region *at(uintptr_t Address) {
    for (Region &R : All)
      if (uintptr_t Begin = R.Begin.load(std::memory_order_acquire);
          Begin && Address >= Begin &&
          Address < R.End.load(std::memory_order_relaxed))
        return &R;
    return nullptr;
  }
  struct sigaction Before = {}; ///< for what is not ours

private:
  void startHelp();
  void endHelp();
  bool lease(Region &R);

  std::mutex M;
  Region All[NumRegions];
  unsigned Users = 0;
  std::unique_ptr<Rescuer> Help;
};

Regions &regions() {
  static Regions *R = new Regions;
  return *R;
}

/// To the rescuer's thread alone, which waits for it.
int noticeSignal() { return SIGRTMIN + 5; }

void onBusError(int Signal, siginfo_t *Info, void *Context) {
  int Errno = errno;
  const uintptr_t Address = reinterpret_cast<uintptr_t>(Info->si_addr);
  if (Region *R = regions().at(Address)) {
    const uintptr_t Page = Address & ~uintptr_t(::sysconf(_SC_PAGESIZE) - 1);
    R->Lost.store(true);
    if (::mmap(reinterpret_cast<void *>(Page), R->End - Page, PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
               0) != MAP_FAILED) {
      errno = Errno;
      return;
    }
  }
  errno = Errno;
  const struct sigaction &Before = regions().Before;
  if (Before.sa_flags & SA_SIGINFO)
    return Before.sa_sigaction(Signal, Info, Context);
  if (Before.sa_handler != SIG_DFL && Before.sa_handler != SIG_IGN)
    return Before.sa_handler(Signal);
  ::signal(Signal, SIG_DFL); // the same access is tried again, and ends it
}

bool isOurs(const struct sigaction &A) {
  return (A.sa_flags & SA_SIGINFO) && A.sa_sigaction == onBusError;
}

void Regions::startHelp() {
  // With each file: somebody may have put his handler in the place of ours.
  struct sigaction Now, New = {};
  New.sa_sigaction = onBusError;
  New.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&New.sa_mask);
  if (::sigaction(SIGBUS, nullptr, &Now) == 0 && !isOurs(Now)) {
    Before = Now;
    ::sigaction(SIGBUS, &New, nullptr);
  }
  if (Users++)
    return;
  // The thread takes nobody's signals.
  sigset_t Everything, Old;
  sigfillset(&Everything);
  ::pthread_sigmask(SIG_SETMASK, &Everything, &Old);
  Help = std::make_unique<Rescuer>();
  Help->Thread = std::thread([this, &Me = *Help] {
    sigset_t Notices;
    sigemptyset(&Notices);
    sigaddset(&Notices, noticeSignal());
    sigaddset(&Notices, SIGIO); // in its place where too many are queued
    Me.Id = ::gettid();
    Me.Id.notify_all();
    while (!Me.Ending)
      if (::sigwaitinfo(&Notices, nullptr) > 0 && !Me.Ending)
        rescue();
  });
  ::pthread_sigmask(SIG_SETMASK, &Old, nullptr);
  Help->Id.wait(0);
}

void Regions::endHelp() {
  if (--Users)
    return;
  auto Mine = std::move(Help);
  Mine->Ending = true;
  ::pthread_kill(Mine->Thread.native_handle(), noticeSignal());
  M.unlock(); // it may be waiting for the lock
  Mine->Thread.join();
  M.lock();
  struct sigaction Now;
  if (!Users && ::sigaction(SIGBUS, nullptr, &Now) == 0 && isOurs(Now))
    ::sigaction(SIGBUS, &Before, nullptr);
}

bool Regions::lease(Region &R) {
  f_owner_ex Owner = {F_OWNER_TID, Help->Id};
  return ::fcntl(R.File.get(), F_SETSIG, noticeSignal()) == 0 &&
         ::fcntl(R.File.get(), F_SETOWN_EX, &Owner) == 0 &&
         ::fcntl(R.File.get(), F_SETLEASE, F_RDLCK) == 0;
}

Region *Regions::add(FileHandle &File, uint64_t Size, llvm::StringRef Path) {
  std::lock_guard<std::mutex> Lock(M);
  Region *R = std::find_if(All, All + NumRegions,
                           [](const Region &R) { return !R.Begin; });
  if (R == All + NumRegions)
    return nullptr;
  startHelp();
  R->File = std::move(File);
  R->Leased = lease(*R);
  struct stat St;
  void *Base = MAP_FAILED;
  if ((R->Leased || Size > MaxCopy) && ::fstat(R->File.get(), &St) == 0 &&
      uint64_t(St.st_size) == Size)
    Base = ::mmap(nullptr, Size, PROT_READ, MAP_SHARED, R->File.get(), 0);
  if (Base == MAP_FAILED) {
    File = std::move(R->File);
    if (R->Leased)
      ::fcntl(File.get(), F_SETLEASE, F_UNLCK);
    endHelp();
    return nullptr;
  }
  R->Path = Path.str();
  R->Lost = false;
  R->End = reinterpret_cast<uintptr_t>(Base) + Size;
  R->Begin.store(reinterpret_cast<uintptr_t>(Base), std::memory_order_release);
  return R;
}

void Regions::remove(Region &R) {
  std::lock_guard<std::mutex> Lock(M);
  void *Base = reinterpret_cast<void *>(R.Begin.load());
  const uint64_t Size = R.End - R.Begin;
  R.Begin = 0;
  ::munmap(Base, Size);
  R.File = FileHandle(); // ends the lease
  endHelp();
}

void Regions::rescue() {
  std::lock_guard<std::mutex> Lock(M);
  for (Region &R : All) {
    // The lease that is left once the break is granted.
    if (!R.Begin || !R.Leased || ::fcntl(R.File.get(), F_GETLEASE) == F_RDLCK)
      continue;
    // Read, not copied from the mapping: who waited too long may have lost his
    // patience.
    const uint64_t Size = R.End - R.Begin;
    void *Copy = ::mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t Done = 0;
    while (Copy != MAP_FAILED && Done < Size) {
      ssize_t N =
          ::pread(R.File.get(), static_cast<char *>(Copy) + Done,
                  std::min<uint64_t>(Size - Done, 1 << 30), off_t(Done));
      if (N < 0 && errno == EINTR)
        continue;
      if (N <= 0)
        break;
      Done += uint64_t(N);
    }
    // In one step: readers see the one or the other.
    if (Done < Size || ::mprotect(Copy, Size, PROT_READ) != 0 ||
        ::mremap(Copy, Size, Size, MREMAP_MAYMOVE | MREMAP_FIXED,
                 reinterpret_cast<void *>(R.Begin.load())) == MAP_FAILED) {
      R.Lost = true;
      if (Copy != MAP_FAILED)
        ::munmap(Copy, Size);
    }
    ::fcntl(R.File.get(), F_SETLEASE, F_UNLCK);
    R.Leased = false;
  }
}

bool Regions::anyLost(llvm::StringRef Path) {
  std::lock_guard<std::mutex> Lock(M);
  return std::any_of(All, All + NumRegions, [&](const Region &R) {
    return R.Begin && R.Lost && R.Path == Path;
  });
}

llvm::Error lostError(llvm::StringRef Path) {
  return llvm::createStringError(
      std::make_error_code(std::errc::io_error),
      "'" + Path +
          "' lost some of its contents while it was in use: somebody cut it "
          "short, or its disk has errors. What was answered last may be wrong; "
          "an index is built again with --force-index");
}

} // namespace

llvm::Expected<std::unique_ptr<MappedFile>>
MappedFile::open(llvm::StringRef Path) {
  uint64_t Size = 0;
  auto File = openRegular(Path, &Size);
  if (!File)
    return File.takeError();
  std::unique_ptr<MappedFile> M(new MappedFile);
  M->Path = Path.str();
  const char *Begin = nullptr;
  if (Size)
    M->Where = regions().add(*File, Size, Path);
  if (M->Where) {
    Begin = reinterpret_cast<const char *>(M->Where->Begin.load());
  } else {
    auto Copy = readWholeFile(Path);
    if (!Copy)
      return Copy.takeError();
    M->Copy = std::move(*Copy);
    Begin = M->Copy->getBufferStart();
    Size = M->Copy->getBufferSize();
  }
  M->init(Begin, Begin + Size, /*RequiresNullTerminator=*/false);
  return M;
}

MappedFile::~MappedFile() {
  if (Where)
    regions().remove(*Where);
}

bool MappedFile::lost() const {
  return Where && Where->Lost.load(std::memory_order_relaxed);
}

llvm::Error MappedFile::check() const {
  return lost() ? lostError(Path) : llvm::Error::success();
}

llvm::Error checkMapped(llvm::StringRef Path) {
  return regions().anyLost(Path) ? lostError(Path) : llvm::Error::success();
}

} // namespace rw
