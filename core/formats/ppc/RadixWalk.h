//===- RadixWalk.h - Walks through radix page tables ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_PPC_RADIXWALK_H
#define REWIND_FORMATS_PPC_RADIXWALK_H

#include <cstdint>

namespace rw::ppc {

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
  /// Guest-real addresses of the guest's entries, then of the access's page.
  uint64_t GuestReal[MaxWalks] = {};

  /// Guest-real address of the access to \p EA.
  uint64_t guestReal(uint64_t EA) const {
    uint64_t Low = (uint64_t(1) << GuestShift) - 1;
    return (GuestReal[NumWalks - 1] & ~Low) | (EA & Low);
  }
  bool operator==(const RadixWalk &) const = default;
};

/// A real address with what is known of its translation.
struct RealAddress {
  uint64_t RA = ~uint64_t(0); ///< ~0: not known
  /// The number of its walk, for whoever keeps the walks; 0: none. Another walk
  /// has another number.
  uint32_t Walk = 0;
  uint8_t PageShift = 0; ///< log2 of the page size; 0: not known

  bool operator==(const RealAddress &) const = default;
};

} // namespace rw::ppc

#endif // REWIND_FORMATS_PPC_RADIXWALK_H
