//===- Translation.h - Address translation in a dump ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A POWER10 dump has a radix walk only where the hardware did one, and of it
// only what was not in the hardware's caches. The translator keeps its own
// copies of those caches and completes the walks, so that every access can be
// given the whole one.
//
// Entries of a nested walk (HV=0), for guest levels 6, 4, 2 and perhaps 0:
//
//   guest-real address of the guest's entry            (guest)
//     host entries 6, 4, perhaps 2, 0 that translate it (host)
//   host-real address of the guest's entry             (guest, host)
//   ...
//   guest-real address of the access                   (guest, final)
//     host entries
//   host-real address of the access                    (guest, host, final)
//
// Any beginning of it and any inner run of host entries may be missing. Bare
// metal (HV=1) walks have host entries and a final one only.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_TRANSLATION_H
#define REWIND_FORMATS_HTM_TRANSLATION_H

#include "core/formats/htm/HtmDecoder.h"
#include "core/formats/ppc/RadixWalk.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace rw::htm {

using ppc::RadixWalk;
using ppc::RealAddress;

/// Joins walks to accesses. Constant memory; amortised O(1) per access and per
/// entry of a walk.
class Translator {
public:
  Translator();
  ~Translator();

  // The decoder feeds these in the order of the dump.
  void walk(const Walk &W);
  void line(uint64_t RA);
  void instruction(Instruction &I);
  void gap();
  /// All instructions of an execution, with their lines. Tells the walks of
  /// \p Data, and where its lines are.
  void execution(const CodeBlock &B, llvm::MutableArrayRef<DataPlace> Data,
                 llvm::SmallVectorImpl<RealAddress> &Lines);

  /// POWER8: learns from an address with its real address, or completes one
  /// without (\p RA is NoAddress).
  void p8Address(uint64_t EA, uint16_t Msr, uint64_t &RA, uint8_t &PageShift);

  /// The walk with the number that Instruction::Walk tells; null for 0, or if
  /// there were tens of thousands of other walks since its batch.
  const RadixWalk *find(uint32_t Id) const;

  struct Statistics {
    uint64_t Joined = 0;   ///< interrupted walks that went on
    uint64_t Resumed = 0;  ///< interrupted walks that were complete already
    uint64_t Lost = 0;     ///< walks that could not be completed
    uint64_t NotFound = 0; ///< translated accesses without a walk
  };
  const Statistics &statistics() const { return Stats; }

private:
  struct Impl;
  std::unique_ptr<Impl> I;
  Statistics Stats;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_TRANSLATION_H
