//===- Effects.h - What an instruction reads and writes ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comes from where:
//  - from here: which registers and flags an instruction reads, which it writes
//    if it is executed, and which of the ones feed which of the others. The
//    encoding tells all that, so a trace need not.
//  - from the store: whether this execution had an effect (InsnItem::Executed),
//    addresses and sizes of its accesses, and all values. A store of Tarmac
//    also has the registers that an execution wrote; that list is needed only
//    where TemplateEffects::Known is false.
// Rounding modes and the sticky bits of floating-point status are not followed.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_EFFECTS_H
#define REWIND_DATAFLOW_EFFECTS_H

#include "core/arch/InstructionClass.h"
#include "core/arch/ItBlock.h"
#include "core/dataflow/Cells.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace rw::dataflow {

/// Bytes among those that an instruction reads (or writes) in memory, counted
/// from the lowest address that it reads (or writes). "All" of an instruction
/// that accesses several places: all of them.
struct MemoryPart {
  static constexpr uint16_t All = 0xffff;
  uint16_t Offset = 0;
  uint16_t Size = 0; ///< 0: none
  explicit operator bool() const { return Size != 0; }
  bool operator==(const MemoryPart &) const = default;
};

/// Bytes of a cell: bit 0 is the lowest.
struct CellPart {
  Cell Of = 0;
  uint8_t Bytes = 0xff;
  bool operator==(const CellPart &) const = default;
};

/// One value that an instruction makes: a node of the graph of dependences. An
/// instruction has one for the data and others for a written-back address, for
/// flags, for each register of a pair or a list. All of an instruction's reads
/// come before any of its writes.
struct Effect {
  enum : uint16_t {
    /// The value is that of its only source, unchanged: a move, a load or a
    /// store of a register. Moved tells the cells that hold it.
    Copy = 1,
    /// The only value that it reads plus Addend, which is known. Not with Copy.
    AddConstant = 2,
    /// The new address of a base register (push, pop, pre- and post-index).
    Writeback = 4,
    /// Where the program goes on. It writes no cell; what it reads tells
    /// whether and whereto.
    Flow = 8,
    /// The return address that a call leaves behind.
    ReturnAddress = 16,
    /// It can only add to what was there (A32's Q, POWER's SO), which it reads.
    Sticky = 32,
    /// Only names change (the x87 stack): nothing is computed. With Copy.
    Rename = 64,
    /// The system's answer to a system call. If the trace goes on with the
    /// system's own code, that makes it and this effect is void.
    System = 128,
    /// A store of what also tells where (str x0, [x0]). With Copy.
    StoresAddress = 256,
    /// It works on vectors: each 4, or 8, bytes that it writes are made of the
    /// same bytes of what it reads alone. It reads nothing else.
    Lanes4 = 512,
    Lanes8 = 1024,
  };
  uint16_t Flags = 0;
  llvm::ArrayRef<CellRef> Writes;
  /// What it is computed from; ascending.
  llvm::ArrayRef<CellRef> Values;
  /// What tells where Load and Store are, and nothing else; ascending.
  llvm::ArrayRef<CellRef> Addresses;
  /// Those of Values and Addresses of which only some bytes are read (w0 of
  /// x0); of all others, all are.
  llvm::ArrayRef<CellPart> Parts;
  MemoryPart Load;  ///< also computed from what is read there
  MemoryPart Store; ///< also, or only, goes there
  /// Only for Copy: the cells whose value is that in memory or in the other
  /// register. For a store they are its source, else the part of Writes that is
  /// not filled up with zeros. They have as many bytes as Load or Store.
  CellRef Moved;
  int64_t Addend = 0; ///< only for AddConstant
};

/// What every execution of an instruction does.
struct TemplateEffects {
  /// False: nobody here knows the instruction. All else is empty; what its
  /// executions write the store may tell, what they read is unknown.
  bool Known = false;
  /// Some of what it writes or reads is told by a value (lswx, xrstor): Effects
  /// has all that it may be.
  bool Varies = false;
  /// It orders accesses, and does nothing else that is seen here.
  bool Barrier = false;
  /// A conditional call or return is classified as that.
  InsnClass Class = InsnClass::Unknown;
  /// The flags that decide whether it has any effect at all (A32, T32: a
  /// condition or an IT block). Only these are read if it has none. Empty: it
  /// always has; a conditional branch's condition is among the values of its
  /// effect Flow.
  llvm::ArrayRef<CellRef> Predicate;
  llvm::ArrayRef<Effect> Effects;
  /// What all effects and Predicate read and write; ascending, no overlaps.
  llvm::ArrayRef<CellRef> Reads, Writes;
};

/// Effects by opcode. Safe to ask from several threads. The first question for
/// an opcode costs some microseconds, later ones a lookup: meant to be asked
/// once for each template of a store.
class EffectsTable {
public:
  explicit EffectsTable(Arch A);
  ~EffectsTable();

  const CellMap &cells() const { return Map; }

  /// \p Opcode and \p Size as in InsnItem. \p Bytes: all of them, if it is
  /// longer than 8 (TraceStore::codeBytes). Valid as long as the table. Code of
  /// another machine than the table's is not known.
  const TemplateEffects &find(ISA Isa, uint64_t Opcode, unsigned Size,
                              uint8_t ItCondition = NoItCondition,
                              llvm::ArrayRef<uint8_t> Bytes = {});

private:
  CellMap Map;
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_EFFECTS_H
