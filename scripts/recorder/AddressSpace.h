//===- AddressSpace.h - What of memory a Linux program has -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_ADDRESSSPACE_H
#define REWIND_RECORDER_ADDRESSSPACE_H

#include "scripts/recorder/Guest.h"
#include <functional>
#include <map>
#include <optional>

namespace rw::record {

/// The mappings of a Linux program. Memory that may not be touched is only
/// reserved here, and comes into the emulator when its rights change: the
/// emulator copies a mapping whole whenever it splits it, and C libraries
/// reserve 128 MiB for each thread. Addresses and sizes are whole pages.
class AddressSpace {
public:
  explicit AddressSpace(Guest &G);

  /// Tells of memory that the guest has already.
  void note(uint64_t Addr, uint64_t Size, uint32_t Prot);
  /// Replaces what was there; the new memory is zero. False if the emulator has
  /// no room for it.
  bool map(uint64_t Addr, uint64_t Size, uint32_t Prot);
  /// Finds a place for \p Size bytes and maps it; 0 if there is none.
  uint64_t mapAnywhere(uint64_t Size, uint32_t Prot);
  /// False if the emulator has no room for what it becomes.
  bool unmap(uint64_t Addr, uint64_t Size);
  /// False if some of it is not mapped, or as above. \p Appeared is told of
  /// what could not be read before.
  using RangeHook = std::function<void(uint64_t Addr, uint64_t Size)>;
  bool protect(uint64_t Addr, uint64_t Size, uint32_t Prot,
               const RangeHook &Appeared);
  /// Makes what may be written of a range zero again.
  void clear(uint64_t Addr, uint64_t Size);
  bool isMapped(uint64_t Addr) const;
  bool isWritable(uint64_t Addr, uint64_t Size) const;
  /// The rights of a range; none if they differ, or some of it is not mapped.
  std::optional<uint32_t> rights(uint64_t Addr, uint64_t Size) const;
  /// Whether nothing of a range is mapped.
  bool isFree(uint64_t Addr, uint64_t Size) const;

private:
  struct Mapping {
    uint64_t End;
    uint32_t Prot;
    bool InGuest; ///< else it is reserved only
  };
  using Mappings = std::map<uint64_t, Mapping>;
  /// Cuts mappings so that one begins at \p Addr if it is inside one.
  void cut(uint64_t Addr);
  /// The first mapping that ends behind \p Addr.
  Mappings::const_iterator behind(uint64_t Addr) const;

  Guest &G;
  Mappings All;             ///< by where they begin
  uint64_t Low, Next, High; ///< places are taken in ascending order from Next
};

} // namespace rw::record

#endif // REWIND_RECORDER_ADDRESSSPACE_H
