//===- LinuxStart.cpp - How Linux starts a program ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/LinuxCalls.h"

using namespace llvm;
using namespace rw::record;

/// The kernel's helpers at the top of memory (Documentation/arm/
/// kernel_user_helpers.rst), for programs that are built for any Arm CPU.
static void writeHelperPage(Guest &G) {
  constexpr uint64_t Page = 0xffff0000;
  constexpr uint32_t Barrier[] = {0xf57ff05b,  // dmb ish
                                  0xe12fff1e}; // bx lr
  constexpr uint32_t Exchange[] = {
      0xf57ff05b, // dmb ish
      0xe1923f9f, // 1: ldrex r3, [r2]
      0xe0533000, // subs r3, r3, r0
      0x01823f91, // strexeq r3, r1, [r2]
      0x03330001, // teqeq r3, #1
      0x0afffffa, // beq 1b
      0xe2730000, // rsbs r0, r3, #0
      0xeaffffef, // b barrier
  };
  constexpr uint32_t GetTls[] = {0xee1d0f70,  // mrc p15, 0, r0, c13, c0, 3
                                 0xe12fff1e}; // bx lr
  constexpr uint32_t Version = 3;
  G.memory().map(Page, Guest::PageSize, UC_PROT_READ | UC_PROT_EXEC);
  G.writeMemory(Page + 0xfa0, Barrier, sizeof Barrier);
  G.writeMemory(Page + 0xfc0, Exchange, sizeof Exchange);
  G.writeMemory(Page + 0xfe0, GetTls, sizeof GetTls);
  G.writeMemory(Page + 0xffc, &Version, sizeof Version);
}

/// The code that ends a signal handler. Unwinders know it by its instructions.
static uint64_t writeTrampoline(Guest &G) {
  constexpr uint32_t Code64[] = {0xd2801168,  // mov x8, #139
                                 0xd4000001}; // svc #0
  constexpr uint32_t Code32[] = {0xe3a07077,  // mov r7, #119: sigreturn
                                 0xef000000,  // svc #0
                                 0xe3a070ad,  // mov r7, #173: rt_sigreturn
                                 0xef000000}; // svc #0
  const uint64_t Page = G.is64() ? 0x7ff8000000 : 0xbf100000;
  G.memory().map(Page, Guest::PageSize, UC_PROT_READ | UC_PROT_EXEC);
  if (G.is64())
    G.writeMemory(Page, Code64, sizeof Code64);
  else
    G.writeMemory(Page, Code32, sizeof Code32);
  return Page;
}

Error LinuxCalls::setUp(const Image &I) {
  bool Is64 = G.is64();
  uint64_t Top = Is64 ? 0x8000000000 : 0xbf000000;
  const uint32_t Rights =
      UC_PROT_READ | UC_PROT_WRITE | (I.RunsOnStack ? UC_PROT_EXEC : 0);
  if (!G.memory().map(Top - StackSize, StackSize, Rights))
    return createStringError(inconvertibleErrorCode(),
                             "cannot map the stack at 0x%llx",
                             (unsigned long long)(Top - StackSize));
  for (const auto &[Addr, Size, Prot] : G.loaded())
    Memory.note(Addr, Size, Prot);
  Memory.note(Top - StackSize, StackSize, Rights);
  if (!Is64)
    writeHelperPage(G);
  Trampoline = writeTrampoline(G);

  uint64_t At = Top;
  auto PushBytes = [&](StringRef Bytes) {
    At -= Bytes.size();
    G.writeMemory(At, Bytes.data(), Bytes.size());
    return At;
  };
  auto PushText = [&](StringRef S) {
    return PushBytes(StringRef(S.str().c_str(), S.size() + 1));
  };
  uint64_t Name = PushText(W.Arguments[0]);
  std::vector<uint64_t> Words = {W.Arguments.size()};
  for (const std::string &A : W.Arguments)
    Words.push_back(PushText(A));
  Words.push_back(0); // end of argv
  Words.push_back(0); // end of envp: empty, to be the same everywhere
  uint64_t Platform = PushText(Is64 ? "aarch64" : "v7l");
  uint64_t Seed = PushBytes(StringRef("recorded run, 16", 16));

  // What the C library may use: floating point and vectors, and on AArch32
  // what an Armv7 with VFPv4 and integer division has.
  uint64_t Hwcap = Is64 ? 0x3 : 0xfb0d6;
  // AT_PHDR.. as in include/uapi/linux/auxvec.h
  for (auto [Key, Value] : std::initializer_list<std::pair<unsigned, uint64_t>>{
           {3, I.HeaderAddr},
           {4, I.HeaderSize},
           {5, I.HeaderCount},
           {6, Guest::PageSize},
           {7, 0},
           {8, 0},
           {9, I.Entry | I.IsThumb},
           {11, UserNumber},
           {12, UserNumber},
           {13, UserNumber},
           {14, UserNumber},
           {15, Platform},
           {16, Hwcap},
           {17, 100},
           {23, 0},
           {25, Seed},
           {31, Name},
           {0, 0}}) {
    Words.push_back(Key);
    Words.push_back(Value);
  }
  unsigned Size = Is64 ? 8 : 4;
  At = (At - Words.size() * Size) & ~15ull;
  if (Top - At > StackSize / 2)
    return createStringError(inconvertibleErrorCode(),
                             "the arguments are too long");
  for (size_t K = 0; K < Words.size(); ++K)
    G.writeMemory(At + K * Size, &Words[K], Size);
  G.write(Is64 ? SP : R13, At);
  return Error::success();
}
