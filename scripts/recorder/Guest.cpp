//===- Guest.cpp - The emulated CPU and its memory ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Guest.h"
#include "llvm/BinaryFormat/ELF.h"
#include <map>

using namespace llvm;
using namespace rw::record;

static Error guestError(const char *What, uc_err E) {
  return createStringError(inconvertibleErrorCode(), "%s: %s", What,
                           uc_strerror(E));
}

CpuContext::~CpuContext() {
  if (Saved)
    uc_context_free(Saved);
}

bool Guest::save(CpuContext &To) const {
  return (To.Saved || uc_context_alloc(Engine, &To.Saved) == UC_ERR_OK) &&
         uc_context_save(Engine, To.Saved) == UC_ERR_OK;
}

void Guest::restore(const CpuContext &From) {
  uc_context_restore(Engine, From.Saved);
}

Guest::~Guest() {
  if (Engine)
    uc_close(Engine);
}

Expected<std::unique_ptr<Guest>> Guest::create(const Image &I, bool Bare) {
  std::unique_ptr<Guest> G(new Guest(I.Is64, Bare));
  uc_mode Mode = I.IsThumb ? UC_MODE_THUMB : UC_MODE_ARM;
  uc_err E = uc_open(I.Is64 ? UC_ARCH_ARM64 : UC_ARCH_ARM, Mode, &G->Engine);
  if (E)
    return guestError("cannot make an emulator", E);
  G->Memory = std::make_unique<GuestMemory>(G->Engine);
  E = uc_ctl_set_cpu_model(G->Engine, I.Is64 ? int(UC_CPU_ARM64_MAX)
                                             : int(UC_CPU_ARM_MAX));
  if (E)
    return guestError("cannot select the CPU", E);
  if (Error Err = G->load(I))
    return Err;
  G->enableFloatingPoint();
  if (!I.Is64 && !Bare)
    G->write(CPSR, I.IsThumb ? 0x30 : 0x10);
  G->setPC(I.Entry, I.IsThumb);
  return G;
}

Error Guest::load(const Image &I) {
  // Segments may share a page: it then has the rights of both.
  std::map<uint64_t, uint32_t> Pages;
  for (const Image::Segment &S : I.Segments) {
    uint32_t Prot = UC_PROT_ALL;
    if (!Bare)
      Prot = (S.Flags & ELF::PF_R ? UC_PROT_READ : 0) |
             (S.Flags & ELF::PF_W ? UC_PROT_WRITE : 0) |
             (S.Flags & ELF::PF_X ? UC_PROT_EXEC : 0);
    for (uint64_t A = pageDown(S.Addr); A < S.Addr + S.MemSize; A += PageSize)
      Pages[A] |= Prot;
  }
  for (auto It = Pages.begin(); It != Pages.end();) {
    auto Run = It;
    uint64_t End = Run->first;
    for (; It != Pages.end() && It->first == End && It->second == Run->second;
         ++It)
      End += PageSize;
    if (!Memory->map(Run->first, End - Run->first, Run->second))
      return createStringError(inconvertibleErrorCode(),
                               "cannot map the segment at 0x%llx",
                               (unsigned long long)Run->first);
    Segments.push_back({Run->first, End - Run->first, Run->second});
  }
  for (const Image::Segment &S : I.Segments)
    writeMemory(S.Addr, S.Data.data(), S.Data.size());
  return Error::success();
}

void Guest::enableFloatingPoint() {
  if (Is64) {
    uint64_t Full = 3 << 20;
    uc_reg_write(Engine, UC_ARM64_REG_CPACR_EL1, &Full);
    return;
  }
  uint32_t Access = 0;
  uc_reg_read(Engine, UC_ARM_REG_C1_C0_2, &Access);
  Access |= 0xf << 20;
  uc_reg_write(Engine, UC_ARM_REG_C1_C0_2, &Access);
  uint32_t Enable = 1u << 30;
  uc_reg_write(Engine, UC_ARM_REG_FPEXC, &Enable);
}

static int engineReg64(uint8_t R) {
  if (R < 29)
    return UC_ARM64_REG_X0 + R;
  if (R >= V0 && R < V0 + 32)
    return UC_ARM64_REG_Q0 + (R - V0);
  switch (R) {
  case 29:
    return UC_ARM64_REG_X29;
  case X30:
    return UC_ARM64_REG_X30;
  case SP:
    return UC_ARM64_REG_SP;
  case FPSR:
    return UC_ARM64_REG_FPSR;
  case FPCR:
    return UC_ARM64_REG_FPCR;
  case TPIDR:
    return UC_ARM64_REG_TPIDR_EL0;
  default:
    return UC_ARM64_REG_PSTATE;
  }
}

static int engineReg32(uint8_t R) {
  if (R < R13)
    return UC_ARM_REG_R0 + R;
  if (R >= V0 && R < V0 + 32)
    return UC_ARM_REG_D0 + (R - V0);
  switch (R) {
  case R13:
    return UC_ARM_REG_SP;
  case R14:
    return UC_ARM_REG_LR;
  case FPSR:
    return UC_ARM_REG_FPSCR;
  case TPIDR:
    return UC_ARM_REG_C13_C0_3;
  default:
    return UC_ARM_REG_CPSR;
  }
}

RegValue Guest::read(uint8_t R) const {
  RegValue V;
  uc_reg_read(Engine, Is64 ? engineReg64(R) : engineReg32(R), &V);
  if (R == CPSR) {
    // A user program sees the flags and its own mode; the If-Then state is part
    // of the instruction stream, and Unicorn has it only now and then.
    if (Is64)
      V.Lo &= Bare ? 0xfffff3ff : 0xf0000000;
    else
      V.Lo &= 0xf9ff03ff;
  } else if (!Is64 && !(R >= V0 && R < V0 + 32)) {
    V.Lo = uint32_t(V.Lo);
  }
  return V;
}

void Guest::write(uint8_t R, uint64_t Value) {
  RegValue V{Value, 0};
  if (R == CPSR && Is64) {
    // A program's flags only; the mode stays.
    uint64_t Old = 0;
    uc_reg_read(Engine, UC_ARM64_REG_PSTATE, &Old);
    V.Lo = (Old & ~0xf0000000ull) | (Value & 0xf0000000);
  }
  uc_reg_write(Engine, Is64 ? engineReg64(R) : engineReg32(R), &V);
}

void Guest::writeVector(uint8_t R, RegValue V) {
  uc_reg_write(Engine, Is64 ? engineReg64(R) : engineReg32(R), &V);
}

uint64_t Guest::pc() const {
  uint64_t PC = 0;
  uc_reg_read(Engine, Is64 ? int(UC_ARM64_REG_PC) : int(UC_ARM_REG_PC), &PC);
  return Is64 ? PC : uint32_t(PC) & ~1u;
}

void Guest::setPC(uint64_t PC, bool Thumb) {
  PC |= Thumb;
  uc_reg_write(Engine, Is64 ? int(UC_ARM64_REG_PC) : int(UC_ARM_REG_PC), &PC);
}

bool Guest::isThumb() const { return !Is64 && (read(CPSR).Lo & 0x20); }

bool Guest::readMemory(uint64_t Addr, void *To, size_t Size) const {
  return uc_mem_read(Engine, Addr, To, Size) == UC_ERR_OK ||
         (Bare && Memory->mapMissing(Addr, Size) &&
          uc_mem_read(Engine, Addr, To, Size) == UC_ERR_OK);
}

bool Guest::writeMemory(uint64_t Addr, const void *From, size_t Size) {
  if (uc_mem_write(Engine, Addr, From, Size) != UC_ERR_OK &&
      (!Bare || !Memory->mapMissing(Addr, Size) ||
       uc_mem_write(Engine, Addr, From, Size) != UC_ERR_OK))
    return false;
  // The engine does not notice that these may be instructions that it knows.
  uc_ctl_remove_cache(Engine, Addr, Addr + Size);
  return true;
}
