//===- SystemCalls.cpp - What a program asks its system for ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/SystemCalls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>

using namespace llvm;

namespace rw {

namespace {

struct LinuxCall {
  StringLiteral Name;
  int Numbers[4]; ///< AArch64, AArch32, POWER, x86-64
  StringLiteral Arguments;
};

struct SemihostingCall {
  StringLiteral Name;
  unsigned Number;
};

} // namespace

static constexpr LinuxCall LinuxCalls[] = {
#define LINUX_CALL(NAME, A64, A32, PPC, X86, ARGUMENTS)                        \
  {NAME, {A64, A32, PPC, X86}, ARGUMENTS},
#include "core/arch/LinuxCalls.def"
#undef LINUX_CALL
};

/// "Semihosting for AArch32 and AArch64" (Arm 100863).
static constexpr SemihostingCall SemihostingCalls[] = {
    {"SYS_OPEN", 0x01},          {"SYS_CLOSE", 0x02},    {"SYS_WRITEC", 0x03},
    {"SYS_WRITE0", 0x04},        {"SYS_WRITE", 0x05},    {"SYS_READ", 0x06},
    {"SYS_READC", 0x07},         {"SYS_ISERROR", 0x08},  {"SYS_ISTTY", 0x09},
    {"SYS_SEEK", 0x0a},          {"SYS_FLEN", 0x0c},     {"SYS_TMPNAM", 0x0d},
    {"SYS_REMOVE", 0x0e},        {"SYS_RENAME", 0x0f},   {"SYS_CLOCK", 0x10},
    {"SYS_TIME", 0x11},          {"SYS_SYSTEM", 0x12},   {"SYS_ERRNO", 0x13},
    {"SYS_GET_CMDLINE", 0x15},   {"SYS_HEAPINFO", 0x16}, {"SYS_EXIT", 0x18},
    {"SYS_EXIT_EXTENDED", 0x20}, {"SYS_ELAPSED", 0x30},  {"SYS_TICKFREQ", 0x31},
};

uint64_t numberInSvc(ISA Isa, uint64_t Opcode) {
  return Isa == ISA::A64   ? Opcode >> 5 & 0xffff
         : Isa == ISA::A32 ? Opcode & 0xffffff
                           : Opcode & 0xff;
}

/// Linux's own libraries call it by svc #0 alone.
SystemCallKind systemCallKind(ISA Isa, uint64_t Opcode,
                              ArrayRef<uint8_t> Bytes) {
  using enum SystemCallKind;
  switch (Isa) {
  case ISA::A64:
    if (Opcode == 0xd45e0000) // hlt #0xf000
      return Semihosting;
    if ((Opcode & 0xffe0001f) != 0xd4000001)
      return None;
    return numberInSvc(Isa, Opcode) ? Other : Linux;
  case ISA::A32:
    if ((Opcode & 0x0fffffff) == 0x0f123456 || Opcode == 0xe10f0070)
      return Semihosting; // svc #0x123456, hlt #0xf000
    if ((Opcode & 0x0f000000) != 0x0f000000 || Opcode >> 28 == 15)
      return None;
    return numberInSvc(Isa, Opcode) ? Other : Linux;
  case ISA::T32:
    if (Opcode == 0xbeab || Opcode == 0xdfab || Opcode == 0xbabc)
      return Semihosting; // bkpt #0xab, svc #0xab, hlt #0x3c
    if (Opcode >> 8 != 0xdf)
      return None;
    return numberInSvc(Isa, Opcode) ? Other : Linux;
  case ISA::PPC64: // sc and scv 0
    return Opcode == 0x44000002 || Opcode == 0x44000001 ? Linux : None;
  case ISA::X86_64: {
    static constexpr uint8_t Syscall[] = {0x0f, 0x05};
    return Bytes == ArrayRef(Syscall) ? Linux : None;
  }
  case ISA::Unknown:
    return None;
  }
  llvm_unreachable("all instruction sets are covered");
}

SystemCallRegisters systemCallRegisters(ISA Isa, SystemCallKind Kind) {
  static constexpr StringRef A64[] = {"x0", "x1", "x2", "x3", "x4", "x5"};
  static constexpr StringRef A32[] = {"r0", "r1", "r2", "r3", "r4", "r5"};
  static constexpr StringRef PPC[] = {"r3", "r4", "r5", "r6", "r7", "r8"};
  static constexpr StringRef X86[] = {"rdi", "rsi", "rdx", "r10", "r8", "r9"};
  const bool Semi = Kind == SystemCallKind::Semihosting;
  switch (Isa) {
  case ISA::A64:
    if (Semi)
      return {"w0", "x0", ArrayRef(A64).slice(1, 1)};
    return {"x8", "x0", A64};
  case ISA::A32:
  case ISA::T32:
    if (Semi)
      return {"r0", "r0", ArrayRef(A32).slice(1, 1)};
    return {"r7", "r0", A32};
  case ISA::PPC64:
    return {"r0", "r3", PPC};
  case ISA::X86_64:
    return {"rax", "rax", X86};
  case ISA::Unknown:
    break;
  }
  return {};
}

std::optional<SystemCallInfo> systemCall(ISA Isa, SystemCallKind Kind,
                                         uint64_t Number) {
  if (Kind == SystemCallKind::Other)
    return std::nullopt;
  if (Kind == SystemCallKind::Semihosting) {
    for (const SemihostingCall &C : SemihostingCalls)
      if (C.Number == Number)
        return SystemCallInfo{C.Name, "p"};
    return std::nullopt;
  }
  unsigned Column = 0;
  switch (Isa) {
  case ISA::A64:
    break;
  case ISA::A32:
  case ISA::T32:
    Column = 1;
    break;
  case ISA::PPC64:
    Column = 2;
    break;
  case ISA::X86_64:
    Column = 3;
    break;
  case ISA::Unknown:
    return std::nullopt;
  }
  for (const LinuxCall &C : LinuxCalls)
    if (C.Numbers[Column] >= 0 && uint64_t(C.Numbers[Column]) == Number)
      return SystemCallInfo{C.Name, C.Arguments};
  return std::nullopt;
}

bool isSystemCallName(StringRef Name) {
  auto Same = [&](const auto &C) { return Name.equals_insensitive(C.Name); };
  return any_of(LinuxCalls, Same) || any_of(SemihostingCalls, Same);
}

void eachSystemCallName(function_ref<void(StringRef)> F) {
  for (const auto &C : LinuxCalls)
    F(C.Name);
  for (const auto &C : SemihostingCalls)
    F(C.Name);
}

} // namespace rw
