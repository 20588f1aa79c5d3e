//===- PPCItems.cpp - What POWER traces have in common --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/ppc/PPCItems.h"
#include "core/arch/InstructionClass.h"
#include "core/arch/PPCInsn.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace rw::ppc {

namespace {
constexpr uint64_t NoAddress = ~uint64_t(0);

/// Appends \p Size bytes from \p A on, in pieces of at most 8.
void addPieces(const Access &A, unsigned Size, uint8_t Flags,
               std::vector<MemItem> &Out) {
  uint64_t PageMask = (uint64_t(1) << std::max<unsigned>(A.PageShift, 12)) - 1;
  for (unsigned At = 0; At < Size; At += 8) {
    MemItem M;
    M.Addr = A.EA + At;
    M.Size = uint8_t(std::min(8u, Size - At));
    M.Flags = Flags | MemItem::NoValue | (At ? MemItem::Joined : 0);
    // The real address holds as far as the page does.
    bool SamePage = ((M.Addr + M.Size - 1) & ~PageMask) == (A.EA & ~PageMask);
    M.Real = A.RA != NoAddress && SamePage ? A.RA + At : NoAddress;
    Out.push_back(M);
  }
}

void addParts(ArrayRef<Access> Accesses, unsigned Size, bool SizeKnown,
              uint8_t Flags, std::vector<MemItem> &Out) {
  if (Accesses.size() == 2) {
    Access Low = Accesses[0], High = Accesses[1];
    if (Low.EA > High.EA)
      std::swap(Low, High);
    uint64_t Gap = High.EA - Low.EA;
    if (Gap && Gap < Size) {
      addPieces(Low, unsigned(Gap), Flags, Out);
      size_t Second = Out.size();
      addPieces(High, SizeKnown ? unsigned(Size - Gap) : 1, Flags, Out);
      Out[Second].Flags |= MemItem::Joined;
      return;
    }
  }
  for (const Access &A : Accesses)
    addPieces(A, SizeKnown ? Size : 1, Flags, Out);
}

} // namespace

/// Interrupt vectors by their offset (Power ISA, Book III, Interrupts).
const char *vectorName(uint64_t Offset) {
  switch (Offset) {
  case 0x100:
    return "system reset";
  case 0x200:
    return "machine check";
  case 0x300:
    return "data storage";
  case 0x380:
    return "data segment";
  case 0x400:
    return "instruction storage";
  case 0x480:
    return "instruction segment";
  case 0x500:
    return "external";
  case 0x600:
    return "alignment";
  case 0x700:
    return "program";
  case 0x800:
    return "floating-point unavailable";
  case 0x900:
    return "decrementer";
  case 0x980:
    return "hypervisor decrementer";
  case 0xa00:
    return "directed privileged doorbell";
  case 0xc00:
    return "system call";
  case 0xd00:
    return "trace";
  case 0xe00:
    return "hypervisor data storage";
  case 0xe20:
    return "hypervisor instruction storage";
  case 0xe40:
    return "hypervisor emulation assistance";
  case 0xe60:
    return "hypervisor maintenance";
  case 0xe80:
    return "directed hypervisor doorbell";
  case 0xea0:
    return "hypervisor virtualization";
  case 0xf00:
    return "performance monitor";
  case 0xf20:
    return "vector unavailable";
  case 0xf40:
    return "VSX unavailable";
  case 0xf60:
    return "facility unavailable";
  case 0xf80:
    return "hypervisor facility unavailable";
  default:
    return nullptr;
  }
}

std::optional<uint64_t> vectorOf(uint64_t PC) {
  constexpr uint64_t Relocated = 0xc000000000004000;
  uint64_t Offset = PC >= Relocated ? PC - Relocated : PC;
  if (Offset < 0x1000 && vectorName(Offset))
    return Offset;
  return std::nullopt;
}

bool mayLoseRegisters(uint64_t PC) {
  std::optional<uint64_t> Vector = vectorOf(PC);
  return !Vector || *Vector == 0x100;
}

bool addAccesses(MemoryKind K, ArrayRef<Access> Accesses,
                 std::vector<MemItem> &Out) {
  if (Accesses.empty())
    return true;
  if (!K.accesses())
    return K.Flags & MemoryKind::Touch;
  // Nearly all are like this.
  if (Accesses.size() == 1 && isSimple(K)) {
    const Access &A = Accesses[0];
    MemItem &M = Out.emplace_back();
    M.Addr = A.EA;
    M.Real = inPage(A, K.Size) ? A.RA : NoAddress;
    M.Size = K.Size;
    M.Flags = MemItem::NoValue;
    if (K.Flags & MemoryKind::Store)
      M.Flags |= MemItem::Write;
    return true;
  }
  SmallVector<Access, 2> Places(Accesses.begin(), Accesses.end());
  if (K.Flags & MemoryKind::Aligned) {
    uint64_t Mask = K.Size - 1u;
    for (Access &A : Places) {
      A.EA &= ~Mask;
      if (A.RA != NoAddress)
        A.RA &= ~Mask;
    }
  }
  uint8_t Flags = K.Flags & MemoryKind::Exclusive ? MemItem::Exclusive : 0;
  bool SizeKnown = K.Flags & MemoryKind::SizeKnown;
  if (K.Flags & MemoryKind::Load)
    addParts(Places, K.Size, SizeKnown, Flags, Out);
  if (K.Flags & MemoryKind::Store)
    addParts(Places, K.Size, SizeKnown, Flags | MemItem::Write, Out);
  return true;
}

std::optional<std::string> exceptionEntry(uint64_t PC, uint64_t Opcode,
                                          InsnClass C, uint64_t NextPC) {
  unsigned Size = Opcode >> 32 ? 8 : 4;
  if (NextPC == PC + Size)
    return std::nullopt;
  std::optional<uint64_t> Vector = vectorOf(NextPC);
  switch (C) {
  case InsnClass::Branch:
  case InsnClass::CondBranch:
  case InsnClass::Call:
    if (std::optional<uint64_t> T = branchTarget(uint32_t(Opcode), PC);
        T && *T == NextPC)
      return std::nullopt;
    break;
  case InsnClass::IndirectBranch:
  case InsnClass::IndirectCall:
  case InsnClass::Return:
  case InsnClass::ExceptionReturn:
    // They go anywhere, but not to the middle of the vectors.
    if (!Vector)
      return std::nullopt;
    break;
  default:
    break;
  }
  if (Vector)
    return formatv("{0} interrupt ({1:x})", vectorName(*Vector), *Vector).str();
  if (C == InsnClass::SystemCall)
    return "system call";
  return "interrupt";
}

} // namespace rw::ppc
