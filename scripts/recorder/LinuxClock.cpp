//===- LinuxClock.cpp - System calls about the machine and its time -------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/LinuxCalls.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace rw::record;

template <class T> static void append(std::string &Bytes, T Value) {
  Bytes.append(reinterpret_cast<const char *>(&Value), sizeof Value);
}

static void appendWord(std::string &Bytes, uint64_t Value, bool Wide) {
  Bytes.append(reinterpret_cast<const char *>(&Value), Wide ? 8 : 4);
}

int64_t LinuxCalls::time(uint64_t Clock, uint64_t To, bool Wide) {
  // CLOCK_REALTIME is 0, and 5 if coarse; the others count from the start of
  // the machine. A struct timeval (Clock ~0) has microseconds.
  uint64_t Seconds = Clock == 0 || Clock == 5 || Clock == ~0ull
                         ? W.seconds()
                         : W.now() / 1000000000;
  uint64_t Fraction = W.now() % 1000000000;
  if (Clock == ~0ull)
    Fraction /= 1000;
  std::string Bytes;
  appendWord(Bytes, Seconds, Wide);
  appendWord(Bytes, Fraction, Wide);
  return store(To, Bytes);
}

int64_t LinuxCalls::usage(uint64_t To) {
  // struct rusage: the time that the program ran, and no system time.
  std::string Bytes;
  appendWord(Bytes, W.Instructions / 1000000000, G.is64());
  appendWord(Bytes, W.Instructions % 1000000000 / 1000, G.is64());
  Bytes.resize(G.is64() ? 144 : 72);
  return store(To, Bytes);
}

int64_t LinuxCalls::times(uint64_t To) {
  constexpr uint64_t Tick = 10000000; // nanoseconds: 100 a second
  std::string Bytes;
  appendWord(Bytes, W.Instructions / Tick, G.is64());
  Bytes.resize(G.is64() ? 32 : 16);
  int64_t E = To ? store(To, Bytes) : 0;
  return E ? E : int64_t(W.now() / Tick);
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

int64_t LinuxCalls::systemInfo(uint64_t To) {
  // struct sysinfo: a machine with 1 GiB, half of it free, and this process.
  std::string Bytes;
  bool Wide = G.is64();
  appendWord(Bytes, W.now() / 1000000000, Wide);
  for (unsigned K = 0; K < 3; ++K)
    appendWord(Bytes, 0, Wide); // loads
  appendWord(Bytes, 1 << 30, Wide);
  appendWord(Bytes, 1 << 29, Wide);
  for (unsigned K = 0; K < 4; ++K)
    appendWord(Bytes, 0, Wide); // shared, buffers, swap
  append<uint16_t>(Bytes, 1);
  Bytes.resize(Wide ? 104 : 52);
  append<uint32_t>(Bytes, 1); // unit
  Bytes.resize(Wide ? 112 : 64);
  return store(To, Bytes);
}

int64_t LinuxCalls::random(uint64_t To, uint64_t Size) {
  std::string Bytes(std::min<uint64_t>(Size, MaxTransfer), '\0');
  for (char &C : Bytes) {
    RandomState = RandomState * 6364136223846793005u + 1442695040888963407u;
    C = RandomState >> 56;
  }
  int64_t Result = store(To, Bytes);
  return Result ? Result : int64_t(Bytes.size());
}

int64_t LinuxCalls::limits(uint64_t Which, uint64_t To, bool Wide) {
  constexpr uint64_t Stack = 3, OpenFile = 7;
  std::string Bytes;
  uint64_t Soft = Which == Stack      ? StackSize
                  : Which == OpenFile ? uint64_t(OpenFiles::Max)
                                      : ~0ull;
  for (uint64_t V : {Soft, ~uint64_t(0)})
    appendWord(Bytes, V, Wide);
  return store(To, Bytes);
}
