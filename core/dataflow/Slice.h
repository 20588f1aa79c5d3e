//===- Slice.h - The instructions that made a value -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dynamic backward slice (Korel and Laski, 1988; thin: Sridharan, Fink and
// Bodik, 2007), newest instruction first, from the store's searches alone:
// there is no graph, and the first step costs no more than the others. Saves
// and restores of registers are stepped over.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_SLICE_H
#define REWIND_DATAFLOW_SLICE_H

#include "core/dataflow/ControlParents.h"
#include "core/dataflow/Moves.h"
#include <map>

namespace rw::dataflow {

/// Cells of a thread's registers, or bytes of memory.
struct DataPlace {
  ThreadIndex Thread = 0;
  CellRef Cells;
  Range Memory; ///< Size 0: it is Cells
};

/// Where a slice goes no further.
enum class SliceEnd : uint8_t {
  Constant,    ///< the instruction itself tells the value
  System,      ///< the system's answer
  Input,       ///< memory that nothing in the trace wrote before
  BeforeTrace, ///< a register that nothing in the trace wrote before
  Unknown,     ///< the trace, or Rewind, cannot tell what was read
  Structure,   ///< the stack pointer
  Stopped,     ///< as asked: a depth, a function
  NotSearched, ///< nothing wrote it since Options::From; before, who knows
};

struct SliceStep {
  Instruction Insn;
  unsigned Depth = 0;          ///< steps from the question, at the least
  std::vector<DataPlace> Made; ///< what of it is in the slice
  /// What was read for that, and which instruction had made it; not told where
  /// there is none.
  struct Need {
    DataPlace Of;
    std::optional<Moment> By;
  };
  std::vector<Need> Needs;
  struct End {
    SliceEnd Kind;
    DataPlace Of; ///< empty for Constant and System
  };
  std::vector<End> Ends;
  /// Backwards: it is a branch or a call that decided that this instruction of
  /// the slice was reached, the newest one.
  std::optional<Moment> LedTo;
};

struct Accesses;

class BackwardSlice {
public:
  struct Options {
    unsigned MaxDepth = ~0u;
    bool Suppress = true; ///< step over saves; stop at the stack pointer
    Moment From = 0;      ///< nothing before it
    /// Instructions whose sources are not followed; empty: none.
    std::function<bool(uint64_t PC)> Stop;
    /// What decided that an instruction was reached is in the slice, too. Null:
    /// it is not.
    ControlTable *Control = nullptr;
  };
  /// \p Codes: thin or not. \p Calls: null: saves are not recognised. All must
  /// outlive the slice.
  BackwardSlice(const TraceStore &Store, StepCodes &Codes,
                const CallIndex *Calls, const Options &O)
      : Store(Store), Codes(Codes), Calls(Calls), O(O), Sizes(Codes.cells()) {}

  /// What made \p Of, as it was before \p Before.
  llvm::Error add(const DataPlace &Of, Moment Before);
  /// What made all that instruction \p At made, that one included.
  void add(Moment At);

  /// The next instruction, going back; null at the end. Valid until the next
  /// call. Interrupted: an error of \p W.
  llvm::Expected<const SliceStep *> next(const Watch &W = {});
  /// What add() found no instruction for.
  const std::vector<SliceStep::End> &ends() const { return FirstEnds; }
  /// Registers whose saves and restores were stepped over.
  uint64_t bypassed() const { return Bypassed; }

  // The searches that slices are made of, for who follows one value only.

  /// The last write before \p Before that the trace does not tell, of those
  /// after \p After: Tarmac leaves registers out that keep their value.
  llvm::Expected<std::optional<Moment>> untoldWrite(ThreadIndex T, Cell C,
                                                    std::optional<Moment> After,
                                                    Moment Before);
  /// The last write of a cell, told or not.
  llvm::Expected<std::optional<Moment>> lastWrite(ThreadIndex T, Cell C,
                                                  Moment Before);
  /// If \p N of \p I restores registers that its function had saved: when that
  /// was. The link register counts, too.
  llvm::Expected<std::optional<Moment>> savedBefore(const Instruction &I,
                                                    const NodeCode &N);

private:
  struct WantedCell {
    ThreadIndex Thread;
    Cell Of;
    ByteMask Bytes; ///< of it
  };
  struct Wanted {
    std::vector<WantedCell> Cells;
    std::vector<Range> Memory;
    unsigned Depth = ~0u;
    bool All = false;
    std::optional<Moment> LedTo; ///< where it went on is wanted
    /// 0: nothing of that cell.
    ByteMask bytesOf(ThreadIndex T, Cell C) const;
  };
  using Ends = std::vector<SliceStep::End>;
  using Source = llvm::Expected<std::optional<Moment>>;
  Source wantCell(ThreadIndex T, Cell C, ByteMask Bytes, Moment Before,
                  unsigned Depth, Ends &To);
  Source wantMemory(Range R, Moment Before, unsigned Depth, Ends &To);
  bool writesCell(const InsnItem &I, Cell C);
  llvm::Expected<const Instruction *> instruction(Moment M);
  /// Several times as fast, without values. Valid until the next call.
  llvm::Expected<const Execution *> executionAt(Moment M,
                                                bool WithPlaces = true);
  llvm::Error decodeUpTo(Moment M);
  /// \p Restores: of how many others it is asked for.
  llvm::Expected<std::optional<Moment>>
  savedAt(const Instruction &I, const NodeCode &N, unsigned Restores = 0);
  llvm::Expected<std::optional<Moment>>
  findSave(const Instruction &I, const NodeCode &N, unsigned Restores);
  llvm::Expected<bool> restores(Moment At, Cell C, unsigned Restores);
  bool movesLink(const StepCode &Code, const NodeCode &N);
  llvm::Error follow(const Instruction &I, const Wanted &W);
  llvm::Error followNode(const Instruction &I, const Accesses &At,
                         const StepCode &Code, const NodeCode &N,
                         const Move &Moved, ByteMask Bytes, unsigned Depth);
  ByteMask wanted(const Wanted &W, const Instruction &I, const Accesses &At,
                  const StepCode &Code, const NodeCode &N, const Move &Moved);
  llvm::Error wantParent(Moment M, unsigned Depth);

  const TraceStore &Store;
  StepCodes &Codes;
  const CallIndex *Calls;
  const Options O;
  const CellBytes Sizes;
  std::map<Moment, Wanted, std::greater<Moment>> Pending;
  /// The last write of a cell before any moment in (first, second].
  struct Known {
    std::optional<Moment> Write;
    Moment Before;
  };
  std::map<std::pair<ThreadIndex, Cell>, Known> LastWrites;
  /// What savedAt() found, by when and what was restored.
  std::map<std::pair<Moment, uint16_t>, std::optional<Moment>> Saves;
  static constexpr size_t MaxDecoded = 512;
  std::map<Moment, Instruction> Decoded;
  std::unique_ptr<InstructionCursor> Near;
  std::unique_ptr<ExecutionCursor> Flow, Places;
  /// For each cell, the addresses of instructions that wrote it at times
  /// without the trace telling so.
  std::vector<llvm::SmallVector<uint64_t, 0>> Untold;
  Ends FirstEnds;
  bool ControlCut = false; ///< something was decided before Options::From
  SliceStep Out;
  uint64_t Bypassed = 0;
};

/// Where \p I accessed memory: loads and stores, ascending, neighbours joined.
struct Accesses {
  llvm::SmallVector<Range, 4> Loads, Stores;
  explicit Accesses(const Instruction &I);
  explicit Accesses(const Execution &E);

private:
  void order();
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_SLICE_H
