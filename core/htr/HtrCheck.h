//===- HtrCheck.h - Is a file of layers what passes make? -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checksum tells damage, not whether a file was ever written by us. Readers
// take ids for indices, divide by lengths and walk into blocks; so all of that
// is looked at once, when a file is opened: blocks are made of blocks that came
// before them, functions of functions that came before them, lengths add up in
// every layer, and every number is in its range. Only the places of blocks are
// not: whoever reads one bounds it.
//
// Linear in the file but for the places. What it costs is in
// docs/dev/htr-measurements.md.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_HTRCHECK_H
#define REWIND_HTR_HTRCHECK_H

#include "core/htr/HtrFile.h"

namespace rw::htr {

class HtrCheck {
public:
  explicit HtrCheck(const HtrFile &File) : File(File) {}
  llvm::Error run();

private:
  const HtrFile &File;
  /// What some units make together.
  struct Extent {
    uint64_t Length = 0;
    BlockId Entry = NoBlock, Exit = NoBlock;
    /// The highest function among them or in them, one up; 0: none.
    BlockId Inner = 0;

    void add(const Extent &Unit) {
      Length += Unit.Length;
      if (Entry == NoBlock)
        Entry = Unit.Entry;
      if (Unit.Exit != NoBlock)
        Exit = Unit.Exit;
      Inner = std::max(Inner, Unit.Inner);
    }
    bool isBlock(const Extent &B) const {
      return Length == B.Length && Entry == B.Entry && Exit == B.Exit;
    }
  };
  std::vector<Extent> Blocks; ///< by id
  std::vector<uint8_t> Kind;
  std::vector<BlockId> FunctionOf; ///< by scope
  uint64_t NumScopes = 0;          ///< up to the layer that is looked at

  /// The elements of a layer, read front to back with their sums.
  class Elements;

  bool layerRanges() const;
  bool blocks();
  bool leaf(BlockId B) const;
  bool occurrences() const;
  bool sequences(unsigned Layer, llvm::ArrayRef<uint64_t> Begin) const;
  bool bodies(unsigned Layer, uint64_t Begin);
};

} // namespace rw::htr

#endif // REWIND_HTR_HTRCHECK_H
