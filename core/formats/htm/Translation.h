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
// Of it any beginning and any inner run of host entries may be missing. Bare
// metal (HV=1) walks have host entries and a final one only.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_TRANSLATION_H
#define REWIND_FORMATS_HTM_TRANSLATION_H

#include "core/formats/htm/HtmDecoder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace rw::htm {

/// A whole radix walk, from the root to the page.
class RadixWalk {
public:
  static constexpr unsigned MaxWalks = 5, MaxPtes = 4;
  enum class Kind : uint8_t {
    Nested,    ///< guest and host radix
    GuestReal, ///< the guest runs without relocation: host radix only
    Host,      ///< bare metal
  };
  Kind K = Kind::Nested;
  /// Depth of the deepest host walk; 0: only the page size is known.
  uint8_t NumPtes = 0;
  uint8_t NumWalks = 0; ///< Nested: guest levels plus one; else 1
  uint8_t HostShift = 0, GuestShift = 0;    ///< log2 of the page sizes; 0: none
  uint64_t HostPte[MaxWalks][MaxPtes] = {}; ///< 0 below a leaf
  uint64_t HostReal[MaxWalks - 1] = {};     ///< of the guest's entries
  /// Of the guest's entries, and of the access: there of its page.
  uint64_t GuestReal[MaxWalks] = {};

  /// Guest-real address of the access to \p EA.
  uint64_t guestReal(uint64_t EA) const {
    uint64_t Low = (uint64_t(1) << GuestShift) - 1;
    return (GuestReal[NumWalks - 1] & ~Low) | (EA & Low);
  }
};

/// Joins walks to accesses. Constant memory; amortised O(1) per access and per
/// entry of a walk.
class Translator {
public:
  Translator();
  ~Translator();

  // The decoder feeds these in the order of the dump.
  void walk(const Walk &W);
  void line(uint64_t EA, uint64_t RA);
  void instruction(Instruction &I);
  void gap();

  /// POWER8: learns from an address with its real address, or completes one
  /// without (\p RA is NoAddress).
  void p8Address(uint64_t EA, uint16_t Msr, uint64_t &RA, uint8_t &PageShift);

  /// The walk with the number that Instruction::Walk tells; null for 0 or if
  /// it has been replaced since its batch.
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
