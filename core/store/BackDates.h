//===- BackDates.h - Bytes that a later read told ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is ordered by granule. Records are coded in groups of GroupSize
// (section "backdates"); the first granule and the offset of each group are in
// section "backdates.index". A record is
//
//   varint   difference of the granule to the one before (the first: 0)
//   u8       mask of bytes
//   varint   From << 1 | by semihosting
//   varint   To - From
//   bytes    the values of the bytes of the mask, lowest first
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_BACKDATES_H
#define REWIND_STORE_BACKDATES_H

#include "core/support/Coding.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace rw {

/// Bytes of a granule that were revealed by the read To and so are known in the
/// moments [From, To].
struct BackDate {
  uint64_t Granule = 0;
  uint64_t From = 0;
  uint64_t To = 0;
  uint64_t Value = 0;
  uint8_t Mask = 0;
  bool Semihosting = false; ///< unknown since the semihosting call From - 1
};

class BackDateTable {
public:
  struct Group {
    uint64_t Granule;
    uint64_t Offset;
  };

  BackDateTable(llvm::ArrayRef<Group> Index, llvm::ArrayRef<uint8_t> Data)
      : Index(Index), Data(Data) {}

  /// Calls \p F with the records of a granule until it returns false. False if
  /// the table is damaged. O(log n).
  [[nodiscard]] bool
  forEach(uint64_t Granule, llvm::function_ref<bool(const BackDate &)> F) const;

  /// Sorts and codes the records.
  static void encode(std::vector<BackDate> Records, std::vector<Group> &Index,
                     Bytes &Data);

private:
  static constexpr unsigned GroupSize = 16;
  llvm::ArrayRef<Group> Index;
  llvm::ArrayRef<uint8_t> Data;
};

} // namespace rw

#endif // REWIND_STORE_BACKDATES_H
