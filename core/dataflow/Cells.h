//===- Cells.h - The parts of a register file -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dependences are defined byte by byte. A *cell* is a run of bytes of the
// register file, or a few bits of flags, that no instruction writes in part:
// either it writes all of a cell, or it is said to read the old value and to
// write all of it (docs/dataflow.md has the list of those). So a stamp per cell
// tells what a stamp per byte would.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_CELLS_H
#define REWIND_DATAFLOW_CELLS_H

#include "core/arch/RegisterFile.h"

namespace rw::dataflow {

/// Counts from 0 in each architecture; AArch64 and AArch32 are one.
using Cell = uint16_t;

/// Cells side by side: a register, or a part of one.
struct CellRef {
  Cell First = 0;
  uint16_t Count = 0;
  Cell end() const { return Cell(First + Count); }
  bool contains(Cell C) const { return C >= First && C < end(); }
  bool overlaps(CellRef O) const { return First < O.end() && O.First < end(); }
  auto operator<=>(const CellRef &) const = default;
};

struct CellInfo {
  std::string Name; ///< "x0", "v3.s[1]", "cpsr.z", "cr7", "rax[2:7]"
  /// Where RegisterFile has it: bytes from Lane's byte Offset on, as in
  /// RegisterSlice. NoLane: it has no place there (an exclusive monitor).
  RegisterSlice Slice;
  /// For flags: which bits of those bytes. 0: all of them.
  uint64_t Bits = 0;
};

/// The cells of an architecture. Immutable, safe to share between threads.
class CellMap {
public:
  explicit CellMap(Arch A);

  unsigned size() const { return unsigned(Cells.size()); }
  const CellInfo &info(Cell C) const { return Cells[C]; }
  llvm::StringRef name(Cell C) const { return Cells[C].Name; }
  /// What a person calls them: the register if it is one as a whole.
  std::string name(CellRef R) const;

  /// The cells that these bytes of a lane touch: of the effects that a trace
  /// tells of an execution. Registers that the trace named are one cell.
  llvm::SmallVector<CellRef, 4> cellsOf(LaneBytes B) const;
  /// The cells of a register, by any name that RegisterFile knows. Empty if it
  /// has none.
  llvm::SmallVector<CellRef, 4> cellsOf(RegisterSlice S) const;

  /// Whether these are the registers of code of \p Isa. What a damaged index
  /// tells may be code of another machine.
  bool has(ISA Isa) const;

  // What has to do with the structure of calls. Count 0: there is none.
  CellRef sp(ISA Isa) const;
  /// The register that the ABI makes the frame pointer of code that has one.
  CellRef fp(ISA Isa) const;
  /// Link register.
  CellRef link(ISA Isa) const;

private:
  friend struct CellMapBuilder;
  void addCells(LaneBytes B, llvm::SmallVectorImpl<Cell> &Out) const;
  const Arch Of;
  std::vector<CellInfo> Cells;
  std::vector<llvm::SmallVector<Cell, 4>> ByLane;
  llvm::SmallVector<std::pair<CellRef, std::string>, 0> Wholes;
  Cell System = 0; ///< whatever has no cell of its own
};

/// The numbers of Arm's cells.
namespace armcell {
enum : Cell {
  X0 = 0, ///< x0..x30; r0..r12 are theirs
  SP = 31,
  R13 = 32, ///< AArch32's own sp and lr
  R14 = 33,
  N = 34, ///< N Z C V side by side
  Z = 35,
  C = 36,
  V = 37,
  Q = 38,
  GE = 39,
  PState = 40,  ///< the rest of it: mode, masks
  FPFlags = 41, ///< AArch32: FPSCR's NZCV
  FPSR = 42,    ///< only what names it counts; so does FPCR
  FPCR = 43,
  VPR = 44,
  ThreadPointer = 45, ///< TPIDR_EL0
  Monitor = 46,       ///< of exclusive accesses
  System = 47,        ///< all other system registers together
  FFR = 48,
  ZA = 49,
  P0 = 50,  ///< p0..p15
  Vec = 66, ///< v0..v31: four cells each of 4 bytes; the last one
            ///< goes on to the end of z0
  Size = Vec + 32 * 4
};
} // namespace armcell

namespace ppccell {
enum : Cell {
  R0 = 0, ///< r0..r31
  LR = 32,
  CTR = 33,
  CR0 = 34, ///< cr0..cr7
  CA = 42,  ///< with CA32
  OV = 43,  ///< with OV32
  SO = 44,
  XER = 45,   ///< the rest of it: the length for lswx
  FPSCR = 46, ///< only what names it counts
  VSCR = 47,
  TAR = 48,
  Reservation = 49, ///< of larx, stcx.
  System = 50,      ///< all other special registers together
  VSR0 = 51,        ///< vs0..vs63, two each: doubleword 0, doubleword 1

  Size = VSR0 + 128
};
} // namespace ppccell

namespace x86cell {
enum : Cell {
  /// rax.. in the order of x86::Lane, then r16..r31: three cells each: byte 0,
  /// byte 1, bytes 2 to 7.
  GPR = 0,
  CF = 96,
  ZF = 97,
  PAS = 98, ///< PF, AF and SF, which are always written together
  OF = 99,
  DF = 100,
  RFlags = 101, ///< the rest of them
  K0 = 102,
  ST0 = 110, ///< st0..st7 as they are named
  FCtrl = 118,
  FStat = 119,
  FTag = 120,
  MXCSR = 121, ///< only what names it counts
  FSBase = 122,
  GSBase = 123,
  System = 124, ///< segment, control registers, ssp
  /// zmm0..zmm31: bytes 0-3, 4-7, 8-15, 16-31, 32-63.
  Vec = 125,
  Size = Vec + 32 * 5
};
constexpr Cell gpr(unsigned N) { return Cell(GPR + 3 * N); }
} // namespace x86cell

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_CELLS_H
