//===- PPCItems.h - What POWER traces have in common ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_PPC_PPCITEMS_H
#define REWIND_FORMATS_PPC_PPCITEMS_H

#include "core/arch/InstructionClass.h"
#include "core/arch/PPCInsn.h"
#include "core/model/ItemBatch.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <optional>
#include <string>

namespace rw::ppc {

/// A data address as the trace has it.
struct Access {
  uint64_t EA = 0;
  uint64_t RA = ~uint64_t(0);
  uint8_t PageShift = 0; ///< log2 of the page size; 0 if not known
};

/// Whether \p Size bytes from there on are in one page: its real address then
/// holds for all of them.
inline bool inPage(const Access &A, unsigned Size) {
  uint64_t Page = uint64_t(1) << std::max<unsigned>(A.PageShift, 12);
  return (A.EA & (Page - 1)) + Size <= Page;
}

/// Whether an access is a single item, at the address that the trace has.
constexpr bool isSimple(MemoryKind K) {
  return K.Size <= 8 &&
         (K.Flags == (MemoryKind::Load | MemoryKind::SizeKnown) ||
          K.Flags == (MemoryKind::Store | MemoryKind::SizeKnown));
}

/// Appends the accesses of an instruction of this kind.
/// Two addresses are the two parts of an access that crosses a page. Of an
/// access whose length is in a register, its first byte. False if the
/// instruction is no load or store and no hint, but has an address.
bool addAccesses(MemoryKind Kind, llvm::ArrayRef<Access> Accesses,
                 std::vector<MemItem> &Out);

/// The offset of the interrupt vector that begins at \p PC: at 0, or where they
/// are when interrupts are taken with relocation on.
std::optional<uint64_t> vectorOf(uint64_t PC);
/// Whether control at \p PC, where it did not go by itself, means that
/// registers may hold anything: a reset, or where no interrupt leads, as when a
/// transaction is given up.
bool mayLoseRegisters(uint64_t PC);
/// "decrementer"; null if no interrupt has a vector there.
const char *vectorName(uint64_t Offset);

/// Text for the exception that is the only way for \p NextPC to come after the
/// instruction at \p PC, which is of class \p C; nothing if it can go there by
/// itself.
std::optional<std::string> exceptionEntry(uint64_t PC, uint64_t Opcode,
                                          InsnClass C, uint64_t NextPC);

} // namespace rw::ppc

#endif // REWIND_FORMATS_PPC_PPCITEMS_H
