//===- Step.h - An executed instruction, for dataflow -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the analyses of dataflow are fed with. A StepCode is what is the same in
// all executions of an instruction, prepared once; a Step is an execution.
//
// The nodes of the graph of dependences are the effects of an instruction, not
// instructions: a written-back address does not wait for the data. But an
// instruction that calls (an activation begins after it) or returns is one node
// with all its effects: the unit records CALL and RET of the Embla notes.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_STEP_H
#define REWIND_DATAFLOW_STEP_H

#include "core/dataflow/Effects.h"
#include "core/model/Types.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace rw::dataflow {

/// Bytes of memory. They may go on at address 0 behind the last address, so
/// only differences of addresses are compared.
struct Range {
  uint64_t Addr = 0;
  uint32_t Size = 0;
  uint64_t end() const { return Addr + Size; } ///< 0 behind the last address
  bool overlaps(Range O) const {
    return Addr - O.Addr < O.Size || O.Addr - Addr < Size;
  }
  /// An order of addresses in which 0 follows the last one.
  bool before(Range O) const { return int64_t(Addr) < int64_t(O.Addr); }
  /// What is in both; size 0 if that is nothing.
  Range common(Range O) const {
    if (O.Addr - Addr < Size)
      return {O.Addr, std::min(O.Size, uint32_t(Size - (O.Addr - Addr)))};
    if (Addr - O.Addr < O.Size)
      return {Addr, std::min(Size, uint32_t(O.Size - (Addr - O.Addr)))};
    return {};
  }
  /// What is before and what is behind \p Part, which lies in it; each may be
  /// of size 0.
  std::pair<Range, Range> around(Range Part) const {
    const uint32_t Before = uint32_t(Part.Addr - Addr);
    return {{Addr, Before}, {Part.end(), Size - Before - Part.Size}};
  }
  bool operator==(const Range &) const = default;
};

/// Which cells have to do with calls: by architecture and instruction set.
struct CallConvention {
  CellRef SP, FP, Link;
  /// What a function must leave as it found it, but for SP and Link.
  llvm::BitVector Preserved;
  /// What compilers save and restore with the return address to keep the stack
  /// aligned; nobody reads it then. None: it is not done here.
  CellRef Padding;
  /// Where calls and returns can be conditional: what tells whether. Counter
  /// may also be a call's target.
  CellRef Conditions, Counter;
  /// Cells that are whole bytes, which moves leave in their order. Empty: it is
  /// not known how registers and memory go together.
  llvm::BitVector Bytes;
  /// They do so in registers of one cell alone.
  bool OneCell = false;
};
/// \p Map is that of \p A.
CallConvention callConvention(const CellMap &Map, Arch A, ISA Isa);

/// A node as it is the same each time.
struct NodeCode {
  enum : uint16_t {
    Flow = 1,         ///< decides where the program goes on
    MovesReg = 2,     ///< one register gets the value of another: Source
    FrameCopy = 4,    ///< the frame pointer becomes Source, which is SP or
                      ///< itself, plus a constant
    Save = 8,         ///< could save preserved registers: Moved
    Restore = 16,     ///< could restore them: Moved
    ReturnsTo = 32,   ///< makes a return address
    MovesMemory = 64, ///< loads or stores the cells Moved, unchanged
    System = 128,     ///< the system's answer: void if an activation begins
    WritesSP = 256,   ///< and nothing else
    Writeback = 512,  ///< the new address of a base register
    ByByte = 1024,    ///< moves bytes, to or from Moved; see Moves.h
    Lanes4 = 2048,    ///< each lane of a vector is made of the same lane of
    Lanes8 = 4096,    ///< others: 4 bytes, or 8
  };
  uint16_t Flags = 0;
  /// The address, if it has one, is made of SP, or of SP and FP, alone.
  bool BaseSP = false, BaseFP = false;
  uint16_t NumReads = 0, NumWrites = 0;
  uint32_t FirstCell = 0; ///< in StepCode::Cells: reads, then writes
  CellRef Moved, Source;
  uint32_t FirstPart = 0; ///< in StepCode::Parts
  uint32_t NumParts = 0;
  MemoryPart Load, Store;
};

/// An instruction, prepared.
struct StepCode {
  uint64_t PC = 0;
  uint32_t Static = 0;     ///< dense number of its address
  bool OwnLatency = false; ///< Latency is also that of its loads
  uint32_t Latency = 1;    ///< of nodes that load nothing; see Latencies
  bool Branch = false; ///< the encoding can go on in two places or more: it is
                       ///< conditional, or jumps through a register or memory
  Cell FP = 0;         ///< where the frame pointer would be
  ISA Isa = ISA::Unknown;
  bool MovesSP = false; ///< makes the stack pointer from what it was
  llvm::SmallVector<NodeCode, 2> Nodes; ///< at least one
  llvm::SmallVector<Cell, 8> Cells;
  /// Cells that nodes read in part; see bytesRead().
  llvm::SmallVector<CellPart, 1> Parts;
  llvm::SmallVector<Cell, 2> Predicate; ///< all that it reads if not executed

  /// One node, of registers, that has nothing to do with calls.
  bool isPlain() const {
    if (Nodes.size() != 1)
      return false;
    const NodeCode &N = Nodes.front();
    return !(N.Flags & ~NodeCode::Flow) && !N.Load && !N.Store;
  }
  llvm::ArrayRef<Cell> reads(const NodeCode &N) const {
    return llvm::ArrayRef(Cells).slice(N.FirstCell, N.NumReads);
  }
  /// Which bytes of \p C, which it reads, \p N reads.
  uint64_t bytesRead(const NodeCode &N, Cell C) const {
    for (CellPart P : llvm::ArrayRef(Parts).slice(N.FirstPart, N.NumParts))
      if (P.Of == C)
        return P.Bytes;
    return ~uint64_t(0);
  }
  /// Which bytes of \p C, which is in Predicate, tell whether it is executed:
  /// those that a branch looks at.
  uint64_t bytesOfPredicate(Cell C) const {
    for (const NodeCode &N : Nodes)
      if (N.Flags & NodeCode::Flow)
        return bytesRead(N, C);
    return ~uint64_t(0);
  }
  llvm::ArrayRef<Cell> writes(const NodeCode &N) const {
    return llvm::ArrayRef(Cells).slice(N.FirstCell + N.NumReads, N.NumWrites);
  }
  /// What it writes, which is one register.
  CellRef whole(const NodeCode &N) const {
    llvm::ArrayRef<Cell> W = writes(N);
    return W.empty() ? CellRef() : CellRef{W.front(), uint16_t(W.size())};
  }
};

/// \p Thin: reads are those of values; what tells where memory is accessed is
/// left out.
StepCode prepare(const TemplateEffects &E, const CallConvention &Convention,
                 bool Thin = false);

/// An execution.
struct Step {
  const StepCode *Code = nullptr;
  Moment When = 0;
  ThreadIndex Thread = 0;
  bool Executed = true; ///< false: its condition failed
  bool Returns = false; ///< it ends the innermost activation as a return does
  /// The stack pointer after it; none: not known, or not asked for.
  std::optional<uint64_t> SP;
  /// Activations that end after it, innermost first, and that begin then.
  uint32_t Leaves = 0, Enters = 0;
  /// What it reads and writes in memory; ascending addresses, neighbours
  /// joined.
  llvm::ArrayRef<Range> Loads, Stores;

  /// It is the call of the activation that begins after it, not only the last
  /// instruction before that.
  bool calls() const { return Enters && !Leaves; }
  /// One node with all effects.
  bool isUnit() const { return calls() || Returns; }
};

/// Sorts the ranges of an instruction, and joins neighbours: also those round
/// the end of the address space.
void sortAndJoin(llvm::SmallVectorImpl<Range> &Ranges);

/// Calls \p F with the ranges of \p All that \p Part means.
template <typename Fn>
void forEachPart(MemoryPart Part, llvm::ArrayRef<Range> All, Fn F) {
  if (!Part || All.empty())
    return;
  if (Part.Size == MemoryPart::All) {
    for (Range R : All)
      F(R);
    return;
  }
  // Counted from the lowest address; a gap between two ranges counts.
  const Range Meant{All.front().Addr + Part.Offset, Part.Size};
  for (Range R : All)
    if (Range Common = R.common(Meant); Common.Size)
      F(Common);
}

/// The one range that \p Part means; size 0 if it means none, or several.
inline Range onePart(MemoryPart Part, llvm::ArrayRef<Range> All) {
  Range One;
  unsigned Count = 0;
  forEachPart(Part, All, [&](Range R) {
    One = R;
    ++Count;
  });
  return Count == 1 ? One : Range();
}

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_STEP_H
