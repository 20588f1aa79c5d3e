//===- Hierarchy.h - Layers of blocks while passes run ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Hierarchical Trace Representation (docs/htr.md) in memory, as passes
// build it. Layer 0 is the instruction layer. Every further layer re-expresses
// the layer below in fewer units.
//
// A layer is a number of *sequences* of units: one per thread and, above a
// functions pass, one per distinct activation of a function (a *scope*). A unit
// is the id of a block. Ids are dense and shared by all layers: a unit that a
// pass leaves alone keeps its id, and a block's parts have smaller ids than the
// block itself (except that what a function's block is made of is told anew by
// every layer, as the scope's sequence).
//
// Nothing here is lossy: expanding a layer's sequences by the blocks that the
// layer introduced gives the layer below, exactly.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_HIERARCHY_H
#define REWIND_HTR_HIERARCHY_H

#include "core/htr/UnitList.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace rw::htr {

enum class BlockKind : uint8_t {
  Instruction, ///< Value: pc
  Break,       ///< instructions are missing here; Value: an EventKind
  Sequence,    ///< its parts, one after the other
  Repeat,      ///< Value times its one part
  Iterations,  ///< its parts are the passes through a loop that branches;
               ///< Value: 0, or LoopFacts of a loop by control flow
  Function,    ///< Value: entry pc; its parts are scope Scope's sequence
};

/// Number of instructions of a thread, and where they begin when the threads
/// are laid end to end. Positions in this space are called places.
using Place = uint64_t;

/// What is known of one stay in a loop by control flow (pass flow-loops),
/// packed into the Value of its Iterations block. Parts of such a block are
/// rounds: a Sequence or a unit is one, a Repeat that many equal ones.
struct LoopFacts {
  BlockId Header = NoBlock;  ///< the instruction that every round begins with
  bool Irreducible = false;  ///< the loop can be entered elsewhere, too
  bool BeginsInside = false; ///< the first round does not begin at the header
  bool EndsInTest = false;   ///< the last round is but the test that fails

  uint64_t pack() const {
    return uint64_t(Header) << 8 | EndsInTest << 3 | BeginsInside << 2 |
           Irreducible << 1 | 1;
  }
  /// None: the block was made by another pass.
  static std::optional<LoopFacts> unpack(uint64_t Value) {
    if (!(Value & 1))
      return std::nullopt;
    return LoopFacts{BlockId(Value >> 8), (Value & 2) != 0, (Value & 4) != 0,
                     (Value & 8) != 0};
  }
};

/// What is known of the activations inside of one, packed into the Count of its
/// Function block.
struct FunctionFacts {
  /// Calls of the function itself, by it or by others of these; whether or not
  /// they are blocks.
  uint32_t Itself = 0;
  /// Some of other functions, or called by others, are no blocks: they are
  /// nested too deep, or not made of whole units.
  bool HasOthers = false;
  /// Some are no blocks; not packed.
  bool IsMixed = false;

  uint32_t pack() const {
    return std::min(Itself, ~0u >> 1) << 1 | uint32_t(HasOthers);
  }
  static FunctionFacts unpack(uint32_t Count) {
    return {Count >> 1, (Count & 1) != 0, false};
  }
};

/// Attributes of all blocks, in arrays by id.
struct Dictionary {
  std::vector<BlockKind> Kind;
  std::vector<uint8_t> Home; ///< the layer that introduced it
  std::vector<uint64_t> Value;
  std::vector<uint64_t> First;  ///< index of its first part in Home's Bodies;
                                ///< Function: the scope
  std::vector<uint32_t> Count;  ///< parts; 1 for Repeat; Function: its
                                ///< FunctionFacts
  std::vector<uint64_t> Length; ///< instructions
  std::vector<BlockId> Entry, Exit; ///< first and last instruction; NoBlock if
                                    ///< it has none

  BlockId size() const { return Kind.size(); }
  uint64_t bytes() const { return uint64_t(size()) * 46; }
};

struct Layer {
  std::string Pass;            ///< "instructions" for layer 0
  UnitList Units;              ///< sequences: threads first, then scopes
  std::vector<BlockId> Bodies; ///< parts of the blocks it introduced
  BlockId FirstBlock = 0, EndBlock = 0; ///< the blocks it introduced

  size_t numSequences() const { return Units.numSequences(); }
  UnitSeq sequence(size_t I) const { return Units.sequence(I); }
};

/// Whether code writes memory. Of more of it, the greatest.
enum class Writes : uint8_t { No, Unknown, Yes };

/// What the encoding of an instruction tells.
struct InsnFacts {
  Writes Memory = Writes::Unknown;
  bool Jumps = false; ///< perhaps; a call does not
  bool Nop = false;
  /// Both ways of a direct conditional branch.
  std::optional<std::pair<uint64_t, uint64_t>> Ways;
  /// Masks of general registers, as in EncodingFacts.
  struct RegisterUse {
    uint64_t Reads = 0, Writes = 0;
  };
  std::optional<RegisterUse> Registers;
};

class Hierarchy {
public:
  Dictionary Dict;
  std::vector<Layer> Layers;
  /// By instruction; nothing is known of those beyond its end. Of code that
  /// changes, what was there first.
  std::vector<InsnFacts> Facts;
  std::vector<BlockId> Scopes; ///< the Function block of each scope
  /// By scope: it has code of activations that could not become blocks, too.
  std::vector<uint8_t> Mixed;
  std::vector<Place> ThreadBase{0}; ///< place of each thread's first
                                    ///< instruction, then the end

  unsigned numThreads() const { return ThreadBase.size() - 1; }
  uint64_t numInstructions() const { return ThreadBase.back(); }
  const Layer &top() const { return Layers.back(); }

  bool isBreak(BlockId B) const { return Dict.Kind[B] == BlockKind::Break; }

  /// Adds a leaf: an instruction or a break.
  BlockId addLeaf(BlockKind Kind, uint64_t Value);
  /// Gives the memory of layer 0's units back, once there is a layer above it:
  /// a store has the instructions, and no pass looks further down than one.
  void dropInstructions();
  /// Starts a layer above the top. Blocks added from now on are its own.
  Layer &beginLayer(llvm::StringRef Pass);
  /// Adds a Sequence or Iterations block to the top layer; \p Parts may not
  /// point into that layer's Bodies.
  BlockId addSequence(BlockKind Kind, llvm::ArrayRef<BlockId> Parts,
                      uint64_t Value = 0);
  BlockId addRepeat(BlockId Part, uint64_t Times);
  /// Instructions in some units, the first and the last of them.
  struct Extent {
    uint64_t Length = 0;
    BlockId Entry = NoBlock, Exit = NoBlock;

    void add(const Dictionary &D, BlockId B) {
      Length += D.Length[B];
      if (Entry == NoBlock)
        Entry = D.Entry[B];
      if (D.Exit[B] != NoBlock)
        Exit = D.Exit[B];
    }
  };
  /// Adds a block for the next scope.
  BlockId addFunction(uint64_t EntryPC, const Extent &E, FunctionFacts F = {});
  /// Ends the top layer; takes it away again, with its blocks, if it is no
  /// different from the layer below. True if it was kept.
  bool endLayer();

  /// What a block is made of, as \p InLayer tells it (which matters for
  /// Function only). One copy of a Repeat's part.
  UnitSeq parts(BlockId B, const Layer &InLayer) const;
  /// What a block that is no Function is made of.
  llvm::ArrayRef<BlockId> body(BlockId B) const;

private:
  BlockId add(BlockKind Kind, uint64_t Value, uint64_t First, uint32_t Count,
              uint64_t Length, BlockId Entry, BlockId Exit);
};

} // namespace rw::htr

#endif // REWIND_HTR_HIERARCHY_H
