//===- RegisterFile.h - Registers of an architecture ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's register state is an array of 8-byte lanes. A register is a run of
// bytes in them: w0 is the low half of x0's lane, v0 is two lanes. So overlaps
// need no special treatment anywhere: whoever writes a lane writes all the
// registers that lie in it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_REGISTERFILE_H
#define REWIND_ARCH_REGISTERFILE_H

#include "core/model/ItemBatch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace rw {

/// Bytes [Offset, Offset + Size) counted from byte 0 of lane Lane; may run over
/// into the following lanes. Value byte order is little endian in the lanes.
struct RegisterSlice {
  static constexpr uint16_t NoLane = 0xffff; ///< of a pc: it has no lane
  uint16_t Lane = 0;
  uint16_t Offset = 0;
  uint16_t Size = 8;
};

/// Bytes of a lane.
struct LaneBytes {
  uint16_t Lane = 0;
  uint8_t Mask = 0;
  bool operator==(const LaneBytes &) const = default;
};

/// How a debugger shows the register.
enum class RegisterFormat : uint8_t { Hex, Pointer, Code, Float, Vector };
enum class RegisterSet : uint8_t { General, Float, System };

struct RegisterInfo {
  std::string Name;    ///< LLDB's name: "x0", "fp", "v3", "cpsr"
  std::string AltName; ///< "" or an alias: "x29" for "fp"
  std::string Generic; ///< LLDB's generic role: "pc", "sp", "fp", "ra",
                       ///< "flags", "arg1".., or ""
  RegisterSlice Slice;
  int Dwarf = -1; ///< DWARF and EH frame number; -1: none
  RegisterFormat Format = RegisterFormat::Hex;
  RegisterSet Set = RegisterSet::General;
  bool IsPC = false;  ///< not in the lanes: it is the instruction's address
  int Container = -1; ///< index of the register that it is a part of; -1: none
};

/// The registers of one architecture plus those that one trace named. Built
/// once per trace; immutable and safe to share between threads.
class RegisterFile {
public:
  RegisterFile() = default;
  RegisterFile(Arch A, llvm::ArrayRef<NamedRegister> Named);

  /// All registers, LLDB order: general first, pc among them.
  llvm::ArrayRef<RegisterInfo> registers() const { return Registers; }

  /// Find a register by any name a user may type, in any case, with or without
  /// a leading '$': architectural names and aliases ("lr", "x30", "w0", "r13"),
  /// flag fields ("cpsr.n" is not here: see findField), names from the trace.
  const RegisterInfo *find(llvm::StringRef Name) const;

  /// The widest register of DWARF's \p Number; null if there is none.
  const RegisterInfo *findDwarf(uint64_t Number) const;

  /// A field of a status register by name, such as "cpsr.n": the register and
  /// the bit range [Lo, Lo + Width) in it.
  struct Field {
    const RegisterInfo *Register = nullptr;
    unsigned Lo = 0, Width = 0;
  };
  std::optional<Field> findField(llvm::StringRef Name) const;

  const RegisterInfo *pc() const { return byIndex(PCIndex); }
  const RegisterInfo *sp() const { return byIndex(SPIndex); }
  /// Link register; null where calls push the return address.
  const RegisterInfo *lr() const { return byIndex(LRIndex); }

  /// One more than the highest lane of any register.
  unsigned numLanes() const { return NumLanes; }

  /// What a user calls this lane: the widest register that begins in it.
  llvm::StringRef laneName(unsigned Lane) const;

private:
  const RegisterInfo *byIndex(int I) const {
    return I < 0 ? nullptr : &Registers[I];
  }
  void add(RegisterInfo Info);
  struct FieldBits {
    unsigned Lo, Width;
  };

  std::vector<RegisterInfo> Registers;
  llvm::StringMap<unsigned> ByName;  ///< lower case
  llvm::StringMap<FieldBits> Fields; ///< "<index of register>.<lower case>"
  int PCIndex = -1, SPIndex = -1, LRIndex = -1;
  unsigned NumLanes = 0;
};

/// The Arm lanes. AArch32 state is a view of the AArch64 one where the
/// architecture says so (r0..r12 are the low halves of x0..x12, the FP and
/// vector registers share storage); its current sp and lr are lanes of their
/// own.
namespace arm {
enum Lane : uint16_t {
  X0 = 0, ///< x0..x30 in order
  X29 = 29,
  X30 = 30,
  SP = 31,   ///< AArch64: the selected stack pointer
  CPSR = 32, ///< cpsr/pstate/xpsr, low 4 bytes
  FPSR = 33,
  FPCR = 34,
  FPSCR = 35,
  VPR = 36,
  R13 = 37, ///< AArch32: the current mode's sp
  R14 = 38, ///< AArch32: the current mode's lr
  V0 = 40,  ///< v0 is lanes 40 (low) and 41 (high), v1 42 and 43, ... v31
  FirstNamed = 104, ///< banked, system and SVE registers, as the trace names
                    ///< them: NamedRegister
};
constexpr uint16_t v(unsigned N, unsigned Half = 0) {
  return uint16_t(V0 + 2 * N + Half);
}
} // namespace arm

/// The POWER lanes.
namespace ppc {
enum Lane : uint16_t {
  R0 = 0, ///< r0..r31
  LR = 32,
  CTR = 33,
  CR = 34,
  XER = 35,
  MSR = 36,
  FPSCR = 37,
  VSR0 = 40, ///< vs0..vs63, two lanes each
  FirstNamed = 168,
};
} // namespace ppc

/// The x86-64 lanes.
namespace x86 {
enum Lane : uint16_t {
  RAX = 0, ///< rax rbx rcx rdx rdi rsi rbp rsp r8..r15, LLDB's order
  RBX = 1,
  RCX = 2,
  RDX = 3,
  RDI = 4,
  RSI = 5,
  RBP = 6,
  RSP = 7,
  R8 = 8,
  R11 = 11,
  RFLAGS = 16,
  CS = 17, ///< cs fs gs ss ds es
  FS = 18,
  GS = 19,
  SS = 20,
  DS = 21,
  ES = 22,
  FSBase = 23,
  GSBase = 24,
  MXCSR = 25,
  FCtrl = 26, ///< x87 control, status and tag word
  FStat = 27,
  FTag = 28,
  K0 = 32,   ///< k0..k7
  ST0 = 40,  ///< st0..st7, two lanes each, of which ten bytes are used
  R16 = 56,  ///< r16..r31 (APX)
  ZMM0 = 72, ///< zmm0..zmm31, eight lanes each
  FirstNamed = 328,
};
} // namespace x86

} // namespace rw

#endif // REWIND_ARCH_REGISTERFILE_H
