//===- LinuxCalls.cpp - Linux system calls --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/SystemCalls.h"
#include "core/support/Printable.h"
#include "scripts/recorder/CallNumbers.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace llvm;
using namespace rw;
using namespace rw::record;

LinuxCalls::LinuxCalls(Guest &G, World &W, const Image &I, WriteHook Wrote,
                       ForgetHook Forget, ShownHook Shown, PlaceHook Place)
    : G(G), W(W), Wrote(std::move(Wrote)), Forget(std::move(Forget)),
      Shown(std::move(Shown)), Place(std::move(Place)), Memory(G),
      Files(W.Root) {
  Break = BreakMapped = BreakStart = Guest::pageUp(I.End);
  if (W.Root)
    ProgramPath = W.Root->placeOf(I.Path);
  Threads.push_back(std::make_unique<Thread>(NextId++, 0));
  Current = Threads[0].get();
}

// clang-format off
LinuxCalls::Call LinuxCalls::callOf(uint64_t Number) {
  static const std::pair<StringLiteral, Call> Names[] = {
      {"read", Call::Read}, {"write", Call::Write}, {"readv", Call::ReadV},
      {"writev", Call::WriteV}, {"pread64", Call::ReadAt},
      {"pwrite64", Call::WriteAt}, {"memfd_create", Call::MemoryFile},
      {"open", Call::Open}, {"openat", Call::OpenAt}, {"close", Call::Close},
      {"lseek", Call::Seek}, {"_llseek", Call::SeekWide},
      {"access", Call::Access}, {"faccessat", Call::AccessAt},
      {"faccessat2", Call::AccessAt}, {"readlink", Call::ReadLink},
      {"readlinkat", Call::ReadLinkAt},
      {"stat64", Call::Stat}, {"lstat64", Call::StatLink},
      {"fstat", Call::StatOpen}, {"fstat64", Call::StatOpen}, {"newfstatat", Call::StatAt},
      {"fstatat64", Call::StatAt}, {"statx", Call::StatX},
      {"getdents64", Call::ListFolder}, {"getcwd", Call::CurrentFolder},
      {"chdir", Call::ChangeFolder}, {"fchdir", Call::ChangeFolderOpen},
      {"dup", Call::Duplicate}, {"dup2", Call::DuplicateTo},
      {"dup3", Call::DuplicateTo}, {"fcntl", Call::FileControl},
      {"fcntl64", Call::FileControl}, {"ioctl", Call::Ioctl},
      {"poll", Call::Poll}, {"ppoll", Call::PollTime},
      {"ppoll_time64", Call::PollTimeWide}, {"_newselect", Call::SelectOld},
      {"pselect6", Call::SelectTime},
      {"pselect6_time64", Call::SelectTimeWide},
      {"epoll_create", Call::InterestMakeOld},
      {"epoll_create1", Call::InterestMake},
      {"epoll_ctl", Call::InterestChange}, {"epoll_wait", Call::InterestWait},
      {"epoll_pwait", Call::InterestWaitMask},
      {"epoll_pwait2", Call::InterestWaitTime},
      {"pipe", Call::PipeMakeOld}, {"pipe2", Call::PipeMake},
      {"socketpair", Call::SocketPair}, {"socket", Call::Socket},
      {"bind", Call::SocketNamed}, {"connect", Call::SocketNamed},
      {"listen", Call::SocketNamed}, {"accept", Call::SocketNamed},
      {"accept4", Call::SocketNamed}, {"shutdown", Call::ShutDown},
      {"send", Call::Send}, {"sendto", Call::SendTo},
      {"sendmsg", Call::SendMessage}, {"recv", Call::Receive},
      {"recvfrom", Call::ReceiveFrom}, {"recvmsg", Call::ReceiveMessage},
      {"getsockopt", Call::GetOption}, {"setsockopt", Call::SetOption},
      {"eventfd", Call::CounterMakeOld}, {"eventfd2", Call::CounterMake},
      {"timerfd_create", Call::TimerFileMake},
      {"timerfd_settime", Call::TimerFileSet},
      {"timerfd_settime64", Call::TimerFileSetWide},
      {"timerfd_gettime", Call::TimerFileGet},
      {"timerfd_gettime64", Call::TimerFileGetWide},
      {"signalfd", Call::SignalFileMakeOld},
      {"signalfd4", Call::SignalFileMake},
      {"fsync", Call::Sync}, {"fdatasync", Call::Sync},
      {"mkdirat", Call::MakeFolderAt}, {"mknodat", Call::ChangeAt},
      {"unlinkat", Call::RemoveAt}, {"renameat", Call::RenameAt},
      {"renameat2", Call::RenameAt}, {"linkat", Call::ChangeAt},
      {"fchmodat", Call::AttributesAt}, {"fchownat", Call::AttributesAt},
      {"utimensat", Call::AttributesAt}, {"utimensat_time64", Call::AttributesAt},
      {"mkdir", Call::MakeFolder}, {"rmdir", Call::RemoveFolder},
      {"unlink", Call::Remove}, {"rename", Call::Rename},
      {"link", Call::Change}, {"symlink", Call::MakeLink},
      {"chmod", Call::Attributes}, {"chown32", Call::Attributes},
      {"lchown32", Call::Attributes}, {"creat", Call::Create},
      {"mknod", Call::Change}, {"truncate", Call::TruncateNamed},
      {"truncate64", Call::TruncateNamedWide}, {"symlinkat", Call::MakeLinkAt},
      {"ftruncate", Call::Truncate}, {"ftruncate64", Call::TruncateWide},
      {"fchmod", Call::ChangeOpen}, {"fchown", Call::ChangeOpen},
      {"fchown32", Call::ChangeOpen},

      {"brk", Call::Brk}, {"mmap", Call::Map}, {"mmap2", Call::MapPages},
      {"munmap", Call::Unmap}, {"mremap", Call::Remap},
      {"mprotect", Call::Protect}, {"madvise", Call::Advise},

      {"clone", Call::Clone}, {"fork", Call::Fork}, {"vfork", Call::Fork},
      {"execve", Call::Execute}, {"futex", Call::Futex},
      {"futex_time64", Call::FutexWide}, {"sched_yield", Call::Yield},
      {"nanosleep", Call::NanoSleep}, {"clock_nanosleep", Call::ClockSleep},
      {"clock_nanosleep_time64", Call::ClockSleepWide},
      {"set_tid_address", Call::SetTidAddress}, {"exit", Call::ExitThread},
      {"gettid", Call::ThreadId}, {"wait4", Call::WaitChild},
      {"waitid", Call::WaitChild}, {"set_tls", Call::SetTls},
      {"sched_getaffinity", Call::Affinity},
      {"set_robust_list", Call::SetRobustList},
      {"get_robust_list", Call::GetRobustList},
      {"sched_getscheduler", Call::Scheduler},
      {"sched_getparam", Call::SchedulerParameters},
      {"sched_setscheduler", Call::SetScheduler},
      {"sched_setparam", Call::SetScheduler},
      {"sched_get_priority_max", Call::PriorityMost},
      {"sched_get_priority_min", Call::PriorityLeast},
      {"prctl", Call::ProcessControl},

      {"rt_sigaction", Call::SetAction}, {"rt_sigprocmask", Call::SetMask},
      {"rt_sigpending", Call::PendingSignals},
      {"sigaltstack", Call::SetAltStack}, {"rt_sigsuspend", Call::Suspend},
      {"pause", Call::Pause}, {"rt_sigtimedwait", Call::AwaitSignal},
      {"rt_sigtimedwait_time64", Call::AwaitSignalWide},
      {"kill", Call::Kill}, {"tgkill", Call::ThreadKill},
      {"tkill", Call::ThreadKillOld}, {"rt_sigqueueinfo", Call::QueueSignal},
      {"rt_sigreturn", Call::SignalReturn},
      {"sigreturn", Call::SignalReturnOld},
      {"setitimer", Call::SetTimer}, {"getitimer", Call::GetTimer},
      {"timer_create", Call::TimerMake}, {"timer_delete", Call::TimerDelete},
      {"timer_settime", Call::TimerSet},
      {"timer_settime64", Call::TimerSetWide},
      {"timer_gettime", Call::TimerGet},
      {"timer_gettime64", Call::TimerGetWide},
      {"timer_getoverrun", Call::TimerOverrun},

      {"exit_group", Call::ExitAll}, {"uname", Call::Name},
      {"sysinfo", Call::Info}, {"getrandom", Call::Random},
      {"clock_gettime", Call::ClockGet}, {"clock_gettime64", Call::ClockGetWide},
      {"clock_getres", Call::ClockRes},
      {"clock_getres_time64", Call::ClockResWide},
      {"gettimeofday", Call::TimeOfDay}, {"getrusage", Call::Usage},
      {"times", Call::Times}, {"prlimit64", Call::Limits},
      {"getrlimit", Call::LimitsOld}, {"ugetrlimit", Call::LimitsOld},
      {"getpid", Call::ProcessId}, {"getppid", Call::ProcessId},
      {"getpgid", Call::ProcessId}, {"getpgrp", Call::ProcessId},
      {"getsid", Call::ProcessId},
      {"getuid", Call::UserId}, {"geteuid", Call::UserId},
      {"getgid", Call::UserId}, {"getegid", Call::UserId},
      {"getuid32", Call::UserId}, {"geteuid32", Call::UserId},
      {"getgid32", Call::UserId}, {"getegid32", Call::UserId},
      {"getresuid", Call::UserIds}, {"getresgid", Call::UserIds},
      {"getresuid32", Call::UserIds}, {"getresgid32", Call::UserIds},
      {"getpriority", Call::Niceness}, {"setuid", Call::SetUser}, {"setgid", Call::SetUser},
      {"setuid32", Call::SetUser}, {"setgid32", Call::SetUser},
      {"umask", Call::FileMask}, {"getcpu", Call::CpuNumber},

      // What has no effect that a program could see.
      {"msync", Call::Nothing}, {"flock", Call::Nothing},
      {"mlockall", Call::Nothing}, {"munlockall", Call::Nothing},
      {"sync", Call::Nothing},
      {"mlock", Call::Nothing}, {"munlock", Call::Nothing},
      {"fadvise64", Call::Nothing}, {"arm_fadvise64_64", Call::Nothing},
      {"cacheflush", Call::Nothing}, {"getgroups", Call::Nothing},
      {"getgroups32", Call::Nothing}, {"setrlimit", Call::Nothing},
      {"sched_setaffinity", Call::Nothing}, {"setpriority", Call::Nothing},
      // What C libraries try first and can do without.
      {"rseq", Call::NotThere}, {"clone3", Call::NotThere},
      {"membarrier", Call::NotThere}, {"sendfile", Call::NotThere},
      {"sendfile64", Call::NotThere}, {"copy_file_range", Call::NotThere},
  };
  // clang-format on
  auto [It, New] = Known.try_emplace(Number, Call::Unknown);
  if (!New)
    return It->second;
  auto Info =
      systemCall(G.is64() ? ISA::A64 : ISA::A32, SystemCallKind::Linux, Number);
  if (Info)
    for (const auto &[Name, What] : Names)
      if (Info->Name == Name)
        It->second = What;
  // AArch32's first fstat had a narrower structure.
  if (!G.is64() && Info && Info->Name == "fstat")
    It->second = Call::Unknown;
  return It->second;
}

uint64_t LinuxCalls::arg(unsigned N) const { return G.read(X0 + N).Lo; }

uint64_t LinuxCalls::word(uint64_t Addr, unsigned Size, bool &Ok) const {
  uint64_t Value = 0;
  Ok &= G.readMemory(Addr, &Value, Size);
  return Ok ? Value : 0;
}

int64_t LinuxCalls::store(uint64_t To, StringRef Bytes) {
  // The emulator would write what the program may only read.
  if (!Memory.isWritable(To, Bytes.size()) ||
      !G.writeMemory(To, Bytes.data(), Bytes.size()))
    return -EFAULT;
  Wrote(To, Bytes);
  return 0;
}

bool LinuxCalls::text(uint64_t Addr, std::string &Out, int64_t &Error) const {
  constexpr size_t Max = 4096;
  Out.clear();
  while (Out.size() < Max) {
    // Up to the end of a page, behind which there may be nothing.
    char Part[64];
    size_t Size = std::min<uint64_t>(sizeof Part,
                                     Guest::PageSize - Addr % Guest::PageSize);
    if (!G.readMemory(Addr, Part, Size)) {
      Error = -EFAULT;
      return false;
    }
    size_t Length = strnlen(Part, Size);
    Out.append(Part, Length);
    if (Length < Size)
      return true;
    Addr += Size;
  }
  Error = -ENAMETOOLONG;
  return false;
}

int64_t LinuxCalls::duration(uint64_t Addr, bool Wide, unsigned Unit) const {
  unsigned Size = Wide ? 8 : 4;
  bool Ok = true;
  uint64_t Seconds = word(Addr, Size, Ok), Rest = word(Addr + Size, Size, Ok);
  if (!Ok)
    return -EFAULT;
  if (!Wide) {
    Seconds = uint64_t(int64_t(int32_t(Seconds)));
    Rest = uint64_t(int64_t(int32_t(Rest)));
  } else if (!G.is64()) {
    Rest = uint32_t(Rest);
  }
  if (Rest >= 1000000000 / Unit || Seconds >> 63)
    return -EINVAL;
  constexpr uint64_t Most = 8000000000; // some 250 years
  return int64_t(std::min(Seconds, Most) * 1000000000 + Rest * Unit);
}

int64_t LinuxCalls::refuse(const std::string &What, int Error) {
  note(Refused["refused: " + printable(What) +
               (Error ? std::string(": ") + strerror(Error) : "")]);
  return -Error;
}

void LinuxCalls::note(Missed &M) {
  if (!M.Count++)
    M.Place = Place();
}

std::string LinuxCalls::describe(const std::string &What, const Missed &M) {
  return What + " (" +
         (M.Count > 1 ? std::to_string(M.Count) + " times, first at " : "at ") +
         M.Place + ")";
}

std::vector<std::string> LinuxCalls::refusals() const {
  constexpr size_t Most = 20;
  std::vector<std::string> Lines;
  for (const auto &[What, M] : Refused) {
    if (Lines.size() == Most) {
      Lines.push_back("and " + std::to_string(Refused.size() - Most) +
                      " other things");
      break;
    }
    Lines.push_back(describe(What, M));
  }
  return Lines;
}

std::vector<std::string> LinuxCalls::unsupported() const {
  std::vector<std::string> Lines;
  for (const auto &[Number, M] : Unknown) {
    auto Info = systemCall(G.is64() ? ISA::A64 : ISA::A32,
                           SystemCallKind::Linux, Number);
    Lines.push_back(describe("system call " + std::to_string(Number) +
                                 (Info ? ", " + Info->Name.str() : ""),
                             M));
  }
  return Lines;
}

LinuxCalls::Served LinuxCalls::call(uint64_t Next) {
  uint64_t Number = G.read(G.is64() ? 8 : 7).Lo;
  ResumePC = Next;
  How = Served::Done;
  Current->PC = Next;
  // A32 code and A64 have four bytes to a call, Thumb two.
  Current->CallPC = Next - (!G.is64() && (Next & 1) ? 2 : 4);
  Current->Restarts = Thread::Not;
  Current->Done = 0;
  Current->TriedArrivals = std::nullopt;
  int64_t Result = dispatch(Number);
  tellReplaced();
  if (End)
    return Served::Finished;
  if (How == Served::Done)
    G.write(X0, G.is64() ? Result : uint32_t(Result));
  wakeFileWaiters();
  return How;
}

int64_t LinuxCalls::dispatch(uint64_t Number) {
  Call What = callOf(Number);
  int64_t Result = -ENOSYS;
  if (What == Call::Unknown)
    note(Unknown[Number]);
  else if (What <= Call::LastOfFiles)
    Result = performFile(What);
  else if (What <= Call::LastOfPolls)
    Result = performPoll(What);
  else if (What <= Call::LastOfObjects)
    Result = performObject(What);
  else if (What >= Call::Clone && What <= Call::LastOfThreads)
    Result = performThread(What);
  else if (What >= Call::SetAction && What <= Call::LastOfSignals)
    Result = performSignal(What);
  else
    Result = perform(What);
  return Result;
}

int64_t LinuxCalls::perform(Call What) {
  switch (What) {
  case Call::Brk:
    return setBreak(arg(0));
  case Call::Map:
    return map(arg(0), arg(1), arg(2), arg(3), arg(4), arg(5));
  case Call::MapPages:
    return map(arg(0), arg(1), arg(2), arg(3), arg(4),
               arg(5) * Guest::PageSize);
  case Call::Unmap:
    return unmap(arg(0), arg(1));
  case Call::Remap:
    return remap(arg(0), arg(1), arg(2), arg(3), arg(4));
  case Call::Protect:
    return protect(arg(0), arg(1), arg(2));
  case Call::Advise:
    return advise(arg(0), arg(1), arg(2));
  case Call::ExitAll:
    return end(arg(0) & 0xff, 0);
  case Call::Name:
    return systemName(arg(0));
  case Call::Info:
    return systemInfo(arg(0));
  case Call::Random:
    return random(arg(0), arg(1));
  case Call::ClockGet:
    return time(arg(0), arg(1), G.is64());
  case Call::ClockGetWide:
    return time(arg(0), arg(1), true);
  case Call::TimeOfDay:
    return arg(0) ? time(~0ull, arg(0), G.is64()) : 0;
  case Call::ClockRes:
  case Call::ClockResWide: {
    bool Wide = G.is64() || What == Call::ClockResWide;
    std::string Bytes(Wide ? 16 : 8, '\0');
    Bytes[Wide ? 8 : 4] = 1;
    return arg(1) ? store(arg(1), Bytes) : 0;
  }
  case Call::Usage:
    return usage(arg(1));
  case Call::Times:
    return times(arg(0));
  case Call::Limits:
    return arg(3) ? limits(arg(1), arg(3), true) : 0;
  case Call::LimitsOld:
    return limits(arg(0), arg(1), G.is64());
  case Call::ProcessId:
    return ProcessNumber;
  case Call::UserId:
    return UserNumber;
  case Call::UserIds: {
    const uint32_t Number = UserNumber;
    for (unsigned K = 0; K < 3; ++K)
      if (int64_t E = store(
              arg(K), StringRef(reinterpret_cast<const char *>(&Number), 4)))
        return E;
    return 0;
  }
  case Call::Niceness:
    return 20; // the kernel's way to say 0
  case Call::SetUser:
    return arg(0) == UserNumber ? 0 : -EPERM;
  case Call::FileMask:
    return 022;
  case Call::CpuNumber: {
    std::string Zero(4, '\0');
    int64_t E = arg(0) ? store(arg(0), Zero) : 0;
    return E || !arg(1) ? E : store(arg(1), Zero);
  }
  case Call::Nothing:
    return 0;
  default:
    return -ENOSYS;
  }
}

int64_t LinuxCalls::end(int Status, int Signal) {
  End = Ending{Status, Signal};
  return 0;
}
