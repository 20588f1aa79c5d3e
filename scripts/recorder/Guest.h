//===- Guest.h - The emulated CPU and its memory ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_GUEST_H
#define REWIND_RECORDER_GUEST_H

#include "scripts/recorder/GuestMemory.h"
#include "scripts/recorder/Image.h"
#include <unicorn/unicorn.h>

namespace rw::record {

/// Registers of both architectures, in one numbering.
enum Reg : uint8_t {
  X0 = 0,     ///< x0..x30; r0..r14
  R13 = 13,   ///< AArch32 sp
  R14 = 14,   ///< AArch32 lr
  X30 = 30,   ///< AArch64 lr
  SP = 31,    ///< AArch64
  V0 = 32,    ///< v0..v31 (16 bytes); d0..d31 (8 bytes)
  CPSR = 64,  ///< AArch64: NZCV, and what else of PSTATE the program may see
  FPSR = 65,  ///< AArch32: fpscr
  FPCR = 66,  ///< AArch64
  TPIDR = 67, ///< the thread pointer: TPIDR_EL0; TPIDRURO
  NumRegs = 68,
};

struct RegValue {
  uint64_t Lo = 0, Hi = 0;
  bool operator==(const RegValue &) const = default;
};

/// All registers of a CPU, put aside.
class CpuContext {
public:
  CpuContext() = default;
  CpuContext(const CpuContext &) = delete;
  CpuContext &operator=(const CpuContext &) = delete;
  ~CpuContext();

private:
  friend class Guest;
  uc_context *Saved = nullptr;
};

/// One CPU with memory, with a program loaded into it.
class Guest {
public:
  /// \p Bare: privileged, and all of the address space is RAM. Otherwise a user
  /// program with only its segments (and what memory() gets).
  static llvm::Expected<std::unique_ptr<Guest>> create(const Image &I,
                                                       bool Bare);
  ~Guest();

  struct Loaded {
    uint64_t Addr, Size;
    uint32_t Prot;
  };
  /// The memory that the program's file fills.
  const std::vector<Loaded> &loaded() const { return Segments; }

  bool is64() const { return Is64; }
  bool isBare() const { return Bare; }
  uc_engine *engine() const { return Engine; }

  RegValue read(uint8_t R) const;
  void write(uint8_t R, uint64_t Value);
  /// Writes both halves of a vector register.
  void writeVector(uint8_t R, RegValue V);
  uint64_t sp() const { return read(Is64 ? SP : R13).Lo; }
  uint64_t pc() const; ///< without Thumb bit
  void setPC(uint64_t PC, bool Thumb);
  /// False if there is no memory for it.
  bool save(CpuContext &To) const;
  void restore(const CpuContext &From);
  /// Exact only between instructions.
  bool isThumb() const;

  /// False if any byte of the range is not mapped. (A bare machine maps it.)
  bool readMemory(uint64_t Addr, void *To, size_t Size) const;
  bool writeMemory(uint64_t Addr, const void *From, size_t Size);
  /// What is mapped, with rights as in mmap(2).
  GuestMemory &memory() { return *Memory; }

  static constexpr uint64_t PageSize = 4096;
  static uint64_t pageUp(uint64_t A) {
    return (A + PageSize - 1) & ~(PageSize - 1);
  }
  static uint64_t pageDown(uint64_t A) { return A & ~(PageSize - 1); }

private:
  Guest(bool Is64, bool Bare) : Is64(Is64), Bare(Bare) {}
  llvm::Error load(const Image &I);
  void enableFloatingPoint();

  bool Is64, Bare;
  uc_engine *Engine = nullptr;
  std::unique_ptr<GuestMemory> Memory;
  std::vector<Loaded> Segments;
};

} // namespace rw::record

#endif // REWIND_RECORDER_GUEST_H
