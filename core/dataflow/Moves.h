//===- Moves.h - What is moved, byte by byte --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load, a store or a move of a register leaves each byte as it is
// (NodeCode::ByByte). Whoever wants four bytes of sixteen that a vector
// register carried along wants nothing of their neighbours. A set of bytes is a
// mask: bit 0 is the lowest byte of a cell, the first byte of a run of cells or
// of a range of memory.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_MOVES_H
#define REWIND_DATAFLOW_MOVES_H

#include "core/dataflow/Step.h"
#include "llvm/Support/MathExtras.h"

namespace rw::dataflow {

using ByteMask = uint64_t;
constexpr ByteMask AllBytes = ~ByteMask(0);

/// \p Size bytes from \p Offset on. None behind the 64th.
inline ByteMask byteMask(uint64_t Offset, uint64_t Size) {
  if (Offset >= 64 || !Size)
    return 0;
  return llvm::maskTrailingOnes<ByteMask>(
             unsigned(std::min<uint64_t>(Size, 64)))
         << Offset;
}

/// Calls \p F with offset and size of each run of bytes in \p Mask.
template <typename Fn> void forEachRun(ByteMask Mask, Fn F) {
  for (unsigned At = 0; At < 64 && Mask >> At;) {
    At += unsigned(llvm::countr_zero(Mask >> At));
    const unsigned Size = unsigned(llvm::countr_one(Mask >> At));
    F(At, Size);
    At += Size;
  }
}

/// The bytes of cells that are moved.
class CellBytes {
public:
  explicit CellBytes(const CellMap &Map) {
    for (unsigned C = 0; C < Map.size(); ++C) {
      const CellInfo &Info = Map.info(Cell(C));
      const bool None = Info.Slice.Lane == RegisterSlice::NoLane || Info.Bits;
      Sizes.push_back(None ? 1
                           : uint8_t(std::min<unsigned>(Info.Slice.Size, 64)));
    }
  }
  /// At most 64. Flags, and what has no place in the register file: 1.
  unsigned size(Cell C) const { return Sizes[C]; }
  ByteMask all(Cell C) const { return byteMask(0, size(C)); }

  /// What \p Bytes of the cell \p C are in \p Run, which has it.
  ByteMask inRun(CellRef Run, Cell C, ByteMask Bytes) const {
    const unsigned At = offset(Run, C);
    return At < 64 ? (Bytes & all(C)) << At : 0;
  }
  /// What \p Bytes of \p Run are in its cell \p C.
  ByteMask ofCell(CellRef Run, Cell C, ByteMask Bytes) const {
    const unsigned At = offset(Run, C);
    return At < 64 ? Bytes >> At & all(C) : 0;
  }

private:
  unsigned offset(CellRef Run, Cell C) const {
    unsigned At = 0;
    for (unsigned K = Run.First; K < C; ++K)
      At += Sizes[K];
    return At;
  }
  std::vector<uint8_t> Sizes;
};

/// A node that moves bytes, in an execution.
struct Move {
  CellRef From, To; ///< cells; Count 0: memory
  Range Memory;     ///< where, if one of them is
  bool is() const { return From.Count || To.Count; }
  /// Those that are moved: behind them there are zeros.
  ByteMask moved() const {
    return Memory.Size ? byteMask(0, Memory.Size) : AllBytes;
  }
};

/// Not is() if \p N computes something, or accesses several places.
inline Move moveOf(const NodeCode &N, llvm::ArrayRef<Range> Loads,
                   llvm::ArrayRef<Range> Stores) {
  Move M;
  if (!(N.Flags & NodeCode::ByByte))
    return M;
  if (!N.Load && !N.Store)
    return {N.Source, N.Moved, {}};
  M.Memory = N.Load ? onePart(N.Load, Loads) : onePart(N.Store, Stores);
  if (!M.Memory.Size || M.Memory.Size > 64)
    return Move();
  (N.Load ? M.To : M.From) = N.Moved;
  return M;
}

/// The lane that a cell of Arm's vector registers is in, for nodes of Lanes4 or
/// Lanes8.
inline unsigned laneOf(const NodeCode &N, Cell C) {
  const unsigned Word = (C - armcell::Vec) % 4;
  return N.Flags & NodeCode::Lanes8 ? Word / 2 : Word;
}
inline bool hasLanes(const NodeCode &N) {
  return N.Flags & (NodeCode::Lanes4 | NodeCode::Lanes8);
}

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_MOVES_H
