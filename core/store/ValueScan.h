//===- ValueScan.h - When something may become a value ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_VALUESCAN_H
#define REWIND_STORE_VALUESCAN_H

#include "core/store/TraceStore.h"

namespace llvm {
class ThreadPoolInterface;
}

namespace rw {

/// A value that a lane of a register, or an aligned word of memory, becomes.
struct SoughtValue {
  std::optional<ThreadIndex> Thread; ///< only what this one executed

  // Lanes of registers: one of two numbers (often the same one), as far as
  // these bits go. All bytes that have such bits must be known.
  bool Lanes = true;
  uint64_t LaneBits = ~uint64_t(0);
  uint64_t LaneNumber = 0;
  uint64_t LaneAlternative = 0;
  struct OneLane {
    ThreadIndex Thread;
    uint16_t Lane;
  };
  std::optional<OneLane> Only; ///< only this lane of this thread

  // Words of memory: WordBytes is 1, 2, 4 or 8, and byte k of Word is the one
  // at the word's address + k.
  bool Words = true;
  unsigned WordBytes = 8;
  uint64_t Word = 0;
  /// Only what touches this range; words lie as it begins.
  uint64_t RangeBegin = 0, RangeLast = ~uint64_t(0);
};

/// Looks at all instructions one after the other for one that made something a
/// value, on all cores, some nanoseconds an instruction. It sees what an
/// instruction did and the registers before it, but not memory: so it answers
/// more instructions than do it, of which the caller has to take a look at
/// those that are not certain.
class ValueScan {
public:
  struct Hit {
    Moment When = 0;
    /// It did make a lane that value which was not known to be it before.
    bool Certain = false;
  };
  ValueScan(const TraceStore &Store, const SoughtValue &What);
  ~ValueScan();

  /// The first, or with \p Last the latest, instruction in [From, To) from
  /// which on (or up to which) it may. Nothing at the end of the range, and if
  /// \p Interrupted, which is asked every few milliseconds and told how far the
  /// search came, said so. Answers of neighbouring moments are kept: asking on
  /// is cheap in either direction.
  llvm::Expected<std::optional<Hit>>
  find(Moment From, Moment To, bool Last,
       llvm::function_ref<bool(Moment)> Interrupted);

private:
  struct Piece;
  llvm::Error scan(Moment From, Moment To);
  llvm::Error collect(Moment From, Moment To, std::vector<Piece> &Pieces) const;

  const TraceStore::Impl &I;
  const SoughtValue What;
  std::unique_ptr<llvm::ThreadPoolInterface> Pool; ///< made when it is needed
  /// What was scanned last, whole blocks: [ScannedFrom, ScannedTo).
  Moment ScannedFrom = 0, ScannedTo = 0;
  std::vector<Hit> Hits; ///< in it, ascending
  uint64_t Stretch = 0;  ///< how many instructions are scanned next
};

} // namespace rw

#endif // REWIND_STORE_VALUESCAN_H
