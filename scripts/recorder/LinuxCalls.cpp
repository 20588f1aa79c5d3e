//===- LinuxCalls.cpp - Linux system calls --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Services.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace llvm;
using namespace rw::record;

enum class LinuxCalls::Call : uint8_t {
  Read,
  Write,
  ReadV,
  WriteV,
  Open,
  Close,
  Seek,
  SeekWide,
  Access,
  ReadLink,
  Stat,
  StatAt,
  StatX,
  Ioctl,
  Brk,
  Map,
  MapPages,
  Unmap,
  Remap,
  Protect,
  Exit,
  Kill,
  ThreadKill,
  Name,
  Random,
  ClockGet,
  ClockGetWide,
  ClockRes,
  TimeOfDay,
  Limits,
  LimitsOld,
  ThreadId,
  UserId,
  SetTls,
  Wait,
  Nothing,
  NotThere,
};

// clang-format off
ArrayRef<LinuxCalls::Entry> LinuxCalls::table(bool Is64) {
  using enum Call;
  // include/uapi/asm-generic/unistd.h
  static const Entry A64[] = {
      {17, NotThere},    // getcwd
      {25, Nothing},     // fcntl
      {29, Ioctl}, {48, Access}, {56, Open}, {57, Close}, {62, Seek},
      {63, Read}, {64, Write}, {65, ReadV}, {66, WriteV}, {78, ReadLink},
      {79, StatAt}, {80, Stat}, {93, Exit}, {94, Exit}, {96, ThreadId},
      {98, Wait},        // futex
      {99, Nothing},     // set_robust_list
      {101, Nothing},    // nanosleep
      {113, ClockGet}, {114, ClockRes},
      {115, Nothing},    // clock_nanosleep
      {124, Nothing},    // sched_yield
      {129, Kill}, {130, Kill}, {131, ThreadKill},
      {132, Nothing}, {134, Nothing}, {135, Nothing}, // signals
      {160, Name}, {163, LimitsOld},
      {167, Nothing},    // prctl
      {169, TimeOfDay}, {172, ThreadId}, {173, UserId}, {174, UserId},
      {175, UserId}, {176, UserId}, {177, UserId}, {178, ThreadId},
      {214, Brk}, {215, Unmap}, {216, Remap}, {222, Map}, {226, Protect},
      {233, Nothing},    // madvise
      {261, Limits}, {278, Random}, {291, StatX},
      {293, NotThere},   // rseq
  };
  // arch/arm/tools/syscall.tbl
  static const Entry A32[] = {
      {1, Exit}, {3, Read}, {4, Write}, {5, Open}, {6, Close}, {19, Seek},
      {20, ThreadId}, {33, Access}, {37, Kill}, {45, Brk}, {54, Ioctl},
      {64, UserId}, {76, LimitsOld}, {78, TimeOfDay}, {85, ReadLink},
      {91, Unmap}, {122, Name}, {125, Protect}, {140, SeekWide},
      {145, ReadV}, {146, WriteV},
      {158, Nothing},    // sched_yield
      {162, Nothing},    // nanosleep
      {163, Remap},
      {172, Nothing}, {174, Nothing}, {175, Nothing}, {186, Nothing},
      {183, NotThere},   // getcwd
      {191, LimitsOld}, {192, MapPages}, {197, Stat}, {199, UserId},
      {200, UserId}, {201, UserId}, {202, UserId},
      {220, Nothing},    // madvise
      {221, Nothing},    // fcntl64
      {224, ThreadId}, {238, Kill},
      {240, Wait},       // futex
      {248, Exit}, {256, ThreadId}, {263, ClockGet}, {264, ClockRes},
      {265, Nothing},    // clock_nanosleep
      {268, ThreadKill}, {322, Open}, {327, StatAt}, {332, ReadLink},
      {334, Access},
      {338, Nothing},    // set_robust_list
      {369, Limits}, {384, Random}, {397, StatX},
      {398, NotThere},   // rseq
      {403, ClockGetWide},
      {407, Nothing},    // clock_nanosleep_time64
      {422, Wait},       // futex_time64
      {0xf0002, Nothing}, // cacheflush
      {0xf0005, SetTls},
  };
  // clang-format on
  return Is64 ? ArrayRef<Entry>(A64) : ArrayRef<Entry>(A32);
}

namespace {
template <class T> void append(std::string &Bytes, T Value) {
  Bytes.append(reinterpret_cast<const char *>(&Value), sizeof Value);
}
template <class T> void put(std::string &Bytes, size_t At, T Value) {
  memcpy(Bytes.data() + At, &Value, sizeof Value);
}
constexpr uint64_t ThreadNumber = 1000;
// A pipe, so that the program buffers its output as under a shell's "|".
constexpr uint32_t PipeMode = 0010600;
} // namespace

LinuxCalls::LinuxCalls(Guest &G, World &W, const Image &I, WriteHook Wrote)
    : G(G), W(W), Wrote(std::move(Wrote)) {
  Break = BreakMapped = BreakStart = Guest::pageUp(I.End);
  NextMap = G.is64() ? 0x7f00000000 : 0x60000000;
}

uint64_t LinuxCalls::arg(unsigned N) const { return G.read(X0 + N).Lo; }

int64_t LinuxCalls::store(uint64_t To, StringRef Bytes) {
  if (!G.writeMemory(To, Bytes.data(), Bytes.size()))
    return -EFAULT;
  Wrote(To, Bytes);
  return 0;
}

std::optional<Ending> LinuxCalls::call() {
  uint64_t Number = G.read(G.is64() ? 8 : 7).Lo;
  int64_t Result = -ENOSYS;
  ArrayRef<Entry> Table = table(G.is64());
  auto *E =
      llvm::find_if(Table, [&](const Entry &E) { return E.Number == Number; });
  if (E != Table.end())
    Result = perform(E->What);
  else
    ++Unknown[Number];
  if (!End)
    G.write(X0, G.is64() ? Result : uint32_t(Result));
  return End;
}

int64_t LinuxCalls::perform(Call What) {
  // Calls with "at" in their name have a directory first.
  switch (What) {
  case Call::Read:
    return readFile(arg(0), arg(1), arg(2));
  case Call::Write:
    return writeFile(arg(0), arg(1), arg(2));
  case Call::ReadV:
    return vectored(false);
  case Call::WriteV:
    return vectored(true);
  case Call::Open:
  case Call::Access:
  case Call::ReadLink:
    return -ENOENT; // there are no files but 0, 1 and 2
  case Call::Close:
    return arg(0) <= 2 ? 0 : -EBADF;
  case Call::Seek:
  case Call::SeekWide:
    return arg(0) <= 2 ? -ESPIPE : -EBADF;
  case Call::Stat:
    return status(arg(0), arg(1));
  case Call::StatAt:
    return status(arg(0), arg(2));
  case Call::StatX:
    return statusExtended(arg(0), arg(4));
  case Call::Ioctl:
    return -ENOTTY;
  case Call::Brk:
    return setBreak(arg(0));
  case Call::Map:
  case Call::MapPages:
    return map(arg(0), arg(1), arg(2), arg(3), arg(4));
  case Call::Unmap:
    return unmap(arg(0), arg(1));
  case Call::Remap:
    return remap(arg(0), arg(1), arg(2), arg(3));
  case Call::Protect:
    return G.protectMemory(arg(0), Guest::pageUp(arg(1)), arg(2) & 7) ? 0
                                                                      : -ENOMEM;
  case Call::Exit:
    return end(arg(0) & 0xff, 0);
  case Call::Kill:
    return arg(1) ? end(0, arg(1)) : 0;
  case Call::ThreadKill:
    return arg(2) ? end(0, arg(2)) : 0;
  case Call::Name:
    return systemName(arg(0));
  case Call::Random:
    return random(arg(0), arg(1));
  case Call::ClockGet:
    return time(arg(0), arg(1), G.is64());
  case Call::ClockGetWide:
    return time(arg(0), arg(1), true);
  case Call::TimeOfDay:
    return arg(0) ? time(~0ull, arg(0), G.is64()) : 0;
  case Call::ClockRes: {
    std::string Bytes(G.is64() ? 16 : 8, '\0');
    Bytes[G.is64() ? 8 : 4] = 1;
    return arg(1) ? store(arg(1), Bytes) : 0;
  }
  case Call::Limits:
    return arg(3) ? limits(arg(1), arg(3), true) : 0;
  case Call::LimitsOld:
    return limits(arg(0), arg(1), G.is64());
  case Call::ThreadId:
    return ThreadNumber;
  case Call::UserId:
    return UserNumber;
  case Call::SetTls:
    G.write(TPIDR, arg(0));
    return 0;
  case Call::Wait:
    // FUTEX_WAIT: nobody is there to wait for.
    return (arg(1) & 0x7f) == 0 ? -EAGAIN : 0;
  case Call::Nothing:
    return 0;
  case Call::NotThere:
    return -ENOSYS;
  }
  return -ENOSYS;
}

int64_t LinuxCalls::writeFile(uint64_t Fd, uint64_t Addr, uint64_t Size) {
  if (Fd != 1 && Fd != 2)
    return -EBADF;
  std::string Bytes(std::min<uint64_t>(Size, 1 << 28), '\0');
  if (!G.readMemory(Addr, Bytes.data(), Bytes.size()))
    return -EFAULT;
  W.put(Bytes);
  return Bytes.size();
}

int64_t LinuxCalls::readFile(uint64_t Fd, uint64_t Addr, uint64_t Size) {
  if (Fd != 0)
    return -EBADF;
  StringRef Bytes = W.take(Size);
  int64_t Result = Bytes.empty() ? 0 : store(Addr, Bytes);
  return Result ? Result : int64_t(Bytes.size());
}

int64_t LinuxCalls::vectored(bool IsWrite) {
  unsigned Size = G.is64() ? 8 : 4;
  int64_t Total = 0;
  for (uint64_t K = 0; K < arg(2) && K < 1024; ++K) {
    uint64_t Base = 0, Length = 0;
    uint64_t At = arg(1) + 2 * K * Size;
    if (!G.readMemory(At, &Base, Size) ||
        !G.readMemory(At + Size, &Length, Size))
      return -EFAULT;
    int64_t Done = IsWrite ? writeFile(arg(0), Base, Length)
                           : readFile(arg(0), Base, Length);
    if (Done < 0)
      return Total ? Total : Done;
    Total += Done;
    if (uint64_t(Done) < Length)
      break;
  }
  return Total;
}

int64_t LinuxCalls::status(uint64_t Fd, uint64_t To) {
  if (Fd > 2)
    return Fd >> 31 ? -ENOENT : -EBADF;
  // struct stat of arm64, struct stat64 of arm: what they share.
  std::string Bytes(G.is64() ? 128 : 104, '\0');
  put<uint32_t>(Bytes, 16, PipeMode);
  put<uint32_t>(Bytes, 20, 1);
  put<uint32_t>(Bytes, 24, UserNumber);
  put<uint32_t>(Bytes, 28, UserNumber);
  put<uint32_t>(Bytes, 56, Guest::PageSize);
  return store(To, Bytes);
}

int64_t LinuxCalls::statusExtended(uint64_t Fd, uint64_t To) {
  if (Fd > 2)
    return Fd >> 31 ? -ENOENT : -EBADF;
  std::string Bytes(256, '\0');
  put<uint32_t>(Bytes, 0, 0x7ff); // STATX_BASIC_STATS
  put<uint32_t>(Bytes, 4, Guest::PageSize);
  put<uint32_t>(Bytes, 16, 1);
  put<uint32_t>(Bytes, 20, UserNumber);
  put<uint32_t>(Bytes, 24, UserNumber);
  put<uint16_t>(Bytes, 28, PipeMode);
  return store(To, Bytes);
}

int64_t LinuxCalls::time(uint64_t Clock, uint64_t To, bool Wide) {
  // CLOCK_REALTIME is 0, and 5 if coarse; the others count from the start of
  // the machine. A struct timeval (Clock ~0) has microseconds.
  uint64_t Seconds = Clock == 0 || Clock == 5 || Clock == ~0ull
                         ? W.seconds()
                         : W.Instructions / 1000000000;
  uint64_t Fraction = W.Instructions % 1000000000;
  if (Clock == ~0ull)
    Fraction /= 1000;
  std::string Bytes;
  if (Wide) {
    append<uint64_t>(Bytes, Seconds);
    append<uint64_t>(Bytes, Fraction);
  } else {
    append<uint32_t>(Bytes, Seconds);
    append<uint32_t>(Bytes, Fraction);
  }
  return store(To, Bytes);
}

int64_t LinuxCalls::systemName(uint64_t To) {
  constexpr size_t Field = 65;
  std::string Bytes(6 * Field, '\0');
  const char *Fields[] = {"Linux", "recorded", "6.1.0", "#1",
                          G.is64() ? "aarch64" : "armv7l"};
  for (size_t K = 0; K < std::size(Fields); ++K)
    strcpy(Bytes.data() + K * Field, Fields[K]);
  return store(To, Bytes);
}

int64_t LinuxCalls::random(uint64_t To, uint64_t Size) {
  std::string Bytes(std::min<uint64_t>(Size, 1 << 20), '\0');
  for (char &C : Bytes) {
    RandomState = RandomState * 6364136223846793005u + 1442695040888963407u;
    C = RandomState >> 56;
  }
  int64_t Result = store(To, Bytes);
  return Result ? Result : int64_t(Bytes.size());
}

int64_t LinuxCalls::limits(uint64_t Which, uint64_t To, bool Wide) {
  constexpr uint64_t Stack = 3;
  std::string Bytes;
  uint64_t Soft = Which == Stack ? StackSize : ~0ull;
  for (uint64_t V : {Soft, ~uint64_t(0)})
    if (Wide)
      append<uint64_t>(Bytes, V);
    else
      append<uint32_t>(Bytes, V);
  return store(To, Bytes);
}

int64_t LinuxCalls::end(int Status, int Signal) {
  End = Ending{Status, Signal};
  return 0;
}
