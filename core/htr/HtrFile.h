//===- HtrFile.h - Questions to finished layers -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a trace, computed once and kept beside its store in a file of
// their own (`<store>.htr`), which is mapped, not loaded. See Hierarchy.h for
// the words and docs/htr.md for what passes do.
//
// Costs: everything is O(log n) or O(1) in the length of the trace, except
// where it says otherwise. All queries are const and may run on several
// threads. A file is checked as a whole when it is opened (HtrCheck.cpp), its
// checksum and then what it says: blocks are made of blocks that came before
// them, and lengths add up. Whoever walks them need not look for rings.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_HTRFILE_H
#define REWIND_HTR_HTRFILE_H

#include "core/htr/Hierarchy.h"
#include "core/htr/PackedArray.h"
#include "core/htr/Statistics.h"
#include "core/store/MappedSections.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>
#include <optional>

namespace rw::htr {

/// What goes into a file besides the hierarchy.
struct FileHeader {
  StoreIdentity Store;                   ///< that they were made from
  std::string Pipeline;                  ///< "functions,bsb,loops"
  std::vector<std::string> Notes;        ///< "bsb: nothing to merge"
  std::vector<uint64_t> FunctionEntries; ///< pcs that calls went to, ascending
  /// Those of them that only exceptions and signals went to, ascending.
  std::vector<uint64_t> Handlers;
};

struct LayerInfo {
  std::string Pass;
  uint64_t Units = 0;                   ///< of all sequences, scopes included
  uint64_t TopUnits = 0;                ///< of the threads' sequences
  uint64_t Distinct = 0;                ///< different units in all sequences
  BlockId FirstBlock = 0, EndBlock = 0; ///< the blocks it introduced
  uint64_t Bytes = 0;         ///< in the file: sequences and own blocks
  uint64_t PositionBytes = 0; ///< in the file: places of its own blocks
};

struct BlockInfo {
  BlockId Id = NoBlock;
  BlockKind Kind = BlockKind::Instruction;
  unsigned Home = 0;                       ///< layer
  uint64_t Value = 0;                      ///< see BlockKind
  uint64_t Length = 0;                     ///< instructions
  BlockId Entry = NoBlock, Exit = NoBlock; ///< instructions
  uint64_t Occurrences = 0;
  std::optional<uint64_t> Time; ///< of all occurrences
};

/// A run of units in a layer: a sequence or a block's parts.
struct UnitRange {
  unsigned Layer = 0;
  uint64_t Begin = 0, End = 0; ///< in the layer's elements
  uint64_t Times = 1;          ///< Repeat: how often it is gone through
  uint64_t size() const { return End - Begin; }
};

/// A unit of a range, and where it begins, counted in instructions from the
/// beginning of the range.
struct UnitAt {
  uint64_t Index = 0;
  BlockId Id = NoBlock;
  uint64_t Offset = 0;
};

class HtrFile {
public:
  /// Fails with a clear message if \p Path is no such file, of another version
  /// or damaged.
  static llvm::Expected<std::unique_ptr<HtrFile>> open(llvm::StringRef Path);
  static llvm::Expected<std::unique_ptr<HtrFile>>
  open(std::unique_ptr<llvm::MemoryBuffer> Buffer);

  const FileHeader &header() const { return Header; }
  uint64_t fileBytes() const { return Sections->bytes().size(); }
  bool hasTime() const { return HasTime; }

  unsigned numThreads() const { return ThreadBase.size() - 1; }
  uint64_t numInstructions() const { return ThreadBase.back(); }
  uint64_t numInstructions(ThreadIndex T) const {
    return ThreadBase[T + 1] - ThreadBase[T];
  }
  Place placeOf(ThreadIndex T, Position P) const { return ThreadBase[T] + P; }
  std::pair<ThreadIndex, Position> positionOf(Place P) const;

  unsigned numLayers() const { return Layers.size(); }
  const LayerInfo &layer(unsigned L) const { return Layers[L].Info; }
  BlockId numBlocks() const { return Kind.size(); }
  /// \p B must be less than numBlocks().
  BlockInfo block(BlockId B) const;
  uint64_t length(BlockId B) const { return Length[B]; }
  BlockKind kind(BlockId B) const;
  /// The instruction block of a pc; O(distinct pcs).
  std::optional<BlockId> instructionAt(uint64_t PC) const;

  /// A thread's sequence in a layer from 1 on.
  UnitRange sequence(unsigned Layer, ThreadIndex T) const;
  /// What a block is made of; empty for instructions and breaks. \p Layer
  /// matters for Function, which every layer tells anew; it must be at least
  /// the block's home.
  UnitRange parts(BlockId B, unsigned Layer) const;
  BlockId unit(const UnitRange &R, uint64_t Index) const;
  /// Instructions before unit \p Index of the range (of its first time).
  uint64_t offsetOf(const UnitRange &R, uint64_t Index) const;
  /// The unit that instruction \p Offset of the range belongs to; \p Offset
  /// must be inside its first time.
  UnitAt unitAt(const UnitRange &R, uint64_t Offset) const;

  /// Occurrences of a block of a layer from 1 on: k-th place; number of those
  /// before \p P.
  Place occurrence(BlockId B, uint64_t K) const;
  uint64_t occurrencesBefore(BlockId B, Place P) const;

  /// Rounds of a loop that are the same, one after the other.
  struct Rounds {
    BlockId Id = NoBlock;
    uint64_t Times = 0;
    uint64_t Before = 0; ///< rounds of the loop before them
    uint64_t Offset = 0; ///< instructions of the loop before them
  };
  /// Calls \p F with the rounds of a Repeat or Iterations block in order, until
  /// it returns false.
  void forEachRounds(BlockId Loop,
                     llvm::function_ref<bool(const Rounds &)> F) const;
  /// How often a loop goes round, 0 if the block is none. O(its parts).
  uint64_t numRounds(BlockId B) const;
  /// The facts of a Function block.
  FunctionFacts functionFacts(BlockId B) const {
    return FunctionFacts::unpack(Count[B]);
  }
  /// What flow-loops says of a loop; none of a block that it did not make.
  std::optional<LoopFacts> loopFacts(BlockId B) const {
    return kind(B) == BlockKind::Iterations ? LoopFacts::unpack(Value[B])
                                            : std::nullopt;
  }

  /// How often blocks [0, B] are executed in one occurrence of \p B, itself
  /// once. O(distinct blocks in it).
  std::vector<uint64_t> timesIn(BlockId B) const;
  /// Functions entered in one occurrence of the block (by entry pc), the block
  /// itself not counted. O(distinct blocks in it).
  std::map<uint64_t, uint64_t> callsIn(BlockId B) const;

private:
  friend class HtrCheck;
  HtrFile() = default;
  static llvm::Expected<std::unique_ptr<HtrFile>>
  checked(llvm::Expected<std::unique_ptr<MappedSections>> From);
  llvm::Error load();
  /// Adds the section's size to \p Bytes.
  llvm::Error load(const llvm::Twine &Name, PackedArray &Out, uint64_t &Bytes);
  llvm::Error damaged(const llvm::Twine &What) const {
    return Sections->damaged(What);
  }
  struct LayerData {
    LayerInfo Info;
    PackedArray Begin;    ///< of the sequences
    PackedArray Elements; ///< sequences, then the parts of its blocks
    PackedArray Sums;     ///< instructions before every SumEvery-th element
  };
  uint64_t sumBefore(const LayerData &L, uint64_t Element) const;

  std::unique_ptr<MappedSections> Sections;
  FileHeader Header;
  bool HasTime = false;
  std::vector<Place> ThreadBase;
  std::vector<LayerData> Layers;
  PackedArray Kind, Value, First, Count, Length, Entry, Exit, Occurrences, Time,
      FirstPlace, Places;
};

/// What a run of passes ends with.
struct RunResult {
  Hierarchy H;
  Statistics Stats;
  FileHeader Header;
};

/// The bytes of a file.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
htrBytes(const RunResult &R);

/// As if it had been written and opened.
llvm::Expected<std::unique_ptr<HtrFile>> openInMemory(const RunResult &R);

/// Whether writeHtrFile() would refuse to write there: what is no file of
/// layers is not replaced.
llvm::Error checkHtrPlace(llvm::StringRef Path);

/// Memory: a fixed buffer.
llvm::Error writeHtrFile(llvm::StringRef Path, const RunResult &R);

} // namespace rw::htr

#endif // REWIND_HTR_HTRFILE_H
