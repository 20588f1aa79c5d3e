//===- ForwardSlice.h - What a value went on into ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dynamic forward slice: one pass over the trace that marks the cells and
// bytes whose values were made of the one asked about. What is overwritten
// loses its mark. The instructions are those whose backward slice, without
// saves stepped over, has the value in it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_FORWARDSLICE_H
#define REWIND_DATAFLOW_FORWARDSLICE_H

#include "core/dataflow/Slice.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <unordered_map>

namespace rw::dataflow {

/// Bytes of memory, each with a depth. Takes 4 bytes for each, in blocks of 64.
class ByteDepths {
public:
  void insert(Range R, unsigned Depth);
  void erase(Range R);
  /// Calls \p F with the bytes of \p R that are in it, ascending, neighbours of
  /// the same depth joined.
  void forEach(Range R, llvm::function_ref<void(Range, unsigned)> F) const;
  bool empty() const { return Blocks.empty(); }

private:
  static constexpr unsigned BlockBits = 6;
  struct Block {
    uint64_t In = 0; ///< a bit for each byte; never 0
    std::array<uint32_t, 1 << BlockBits> Depths;
  };
  std::unordered_map<uint64_t, Block> Blocks; ///< by address >> BlockBits
};

/// Bytes of a thread's cells, each with a depth.
class CellDepths {
public:
  static constexpr unsigned Not = ~0u; ///< no depth: it is not in it
  explicit CellDepths(const CellMap &Map);

  bool empty() const { return Marked == 0; }
  /// The least of its bytes.
  unsigned least(Cell C, ByteMask Of = AllBytes) const;
  /// The depth of byte \p B.
  unsigned at(Cell C, unsigned B) const {
    return In[C] >> B & 1 ? Depths[First[C] + B] : Not;
  }
  void set(Cell C, unsigned Depth);
  void setByte(Cell C, unsigned B, unsigned Depth);
  const CellBytes &sizes() const { return Sizes; }

private:
  const CellBytes Sizes;
  std::vector<ByteMask> In; ///< by cell
  std::vector<uint32_t> First, Depths;
  size_t Marked = 0; ///< cells
};

class ForwardSlice {
public:
  struct Options {
    bool Suppress = true; ///< the stack pointer is not followed
    Moment From = 0, To = ~Moment(0);
    /// Instructions of which nothing is followed; empty: none.
    std::function<bool(uint64_t PC)> Stop;
    unsigned MaxDepth = ~0u;
    /// Not None: what was reached because of the value is in the slice, too.
    /// That takes the steps before From, and activations.
    ControlMode Control = ControlMode::None;
    const ControlFlow *Flow = nullptr; ///< for exact control; finished
    const CallIndex *Calls = nullptr;  ///< for control
  };
  /// \p Codes: thin or not. All, also those of \p O, must outlive the slice.
  ForwardSlice(const TraceStore &Store, StepCodes &Codes, const Options &O);

  /// What \p Of holds before From.
  void add(const DataPlace &Of);
  /// The next instruction, going forward; null at the end. Its Needs are what
  /// it read of the slice: none where only control led to it. Valid until the
  /// next call. Interrupted: an error of \p W.
  llvm::Expected<const SliceStep *> next(const Watch &W = {});
  /// Nothing that was made of the value is anywhere any more. With control that
  /// is not told.
  bool gone() const {
    return O.Control == ControlMode::None && Memory.empty() &&
           llvm::all_of(Cells, [](const CellDepths &C) { return C.empty(); });
  }
  /// Something was not followed: Stop, MaxDepth.
  bool cutOff() const { return CutOff; }
  /// The moment that it has come to.
  Moment reached() const { return Reached; }

private:
  static constexpr unsigned Not = CellDepths::Not;
  /// The depths of the bytes that a node moves, and of the zeros behind them.
  struct MovedDepths {
    llvm::SmallVector<unsigned, 16> Bytes; ///< empty: it computes something
    unsigned Rest = Not;
  };
  MovedDepths readMoved(const Step &S, const NodeCode &N, const Move &M,
                        unsigned Led);
  template <typename Fn>
  void writeMoved(const Step &S, const Move &M, const MovedDepths &In, Fn Next);
  using LaneDepths = std::array<unsigned, 4>;
  LaneDepths readLanes(const Step &S, const NodeCode &N, unsigned Led);
  template <typename Fn>
  void writeLanes(const Step &S, const NodeCode &N, const LaneDepths &In,
                  Fn Next);
  unsigned step(const Step &S);

  const TraceStore &Store;
  const Options O;
  StepReader Reader;
  ControlParents<uint32_t> Parents; ///< depths of what they lead to
  std::vector<CellDepths> Cells;    ///< by thread
  ByteDepths Memory;
  llvm::BitVector NotFollowed;
  Moment Reached;
  uint64_t Steps = 0;
  bool CutOff = false;
  SliceStep Out;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_FORWARDSLICE_H
