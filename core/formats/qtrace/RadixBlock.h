//===- RadixBlock.h - Radix walks as Qtrace files have them -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_QTRACE_RADIXBLOCK_H
#define REWIND_FORMATS_QTRACE_RADIXBLOCK_H

#include "core/formats/ppc/RadixWalk.h"
#include "core/formats/qtrace/QtraceFormat.h"
#include "llvm/Support/Compiler.h"
#include <cstring>
#include <functional>
#include <memory>

namespace rw::qtrace {

/// The radix block of a walk, ready to be copied: a page is used again and
/// again, and nothing but the access's offset in it changes.
class RadixBlock {
public:
  /// More bytes than put() needs: it copies in steps.
  static constexpr unsigned MaxSize = 256;

  RadixBlock() = default;
  explicit RadixBlock(const ppc::RadixWalk &W);

  /// False if the walk has no entries: there is no block.
  bool exists() const { return Size != 0; }
  uint8_t guestShift() const { return GuestShift; }
  /// The modes of its access, for flags3.
  uint16_t dataModes() const {
    return translationBits(Host, Role::HostData) |
           translationBits(Guest, Role::GuestData);
  }
  uint16_t insnModes() const {
    return translationBits(Host, Role::HostInsn) |
           translationBits(Guest, Role::GuestInsn);
  }
  /// Writes it for an access to \p EA; up to MaxSize bytes from \p Out on may
  /// be overwritten. Returns its end.
  uint8_t *put(uint8_t *Out, uint64_t EA) const {
    constexpr unsigned Step = 64;
    for (unsigned I = 0; I < Size; I += Step)
      std::memcpy(Out + I, Bytes + I, Step);
    Out += Size;
    if (Guest == Translation::Radix)
      qtrace::put<uint64_t>(Out - 8, GuestPage | (EA & LowMask));
    return Out;
  }

private:
  uint8_t Size = 0, GuestShift = 0;
  Translation Host = Translation::Undefined, Guest = Translation::Undefined;
  uint64_t GuestPage = 0, LowMask = 0; ///< of the access
  uint8_t Bytes[MaxSize] = {};
};

/// The blocks of walks that were used lately, by number. Constant memory.
class RadixBlocks {
public:
  /// Finds a walk by its number; null if it is not known any more.
  using Finder = std::function<const ppc::RadixWalk *(uint32_t)>;
  explicit RadixBlocks(Finder Find);

  /// Valid until the next call; null if there is none.
  const RadixBlock *find(uint32_t Walk) {
    if (!Walk || !Slots)
      return nullptr;
    Slot &S = Slots[Walk % NumSlots];
    if (LLVM_UNLIKELY(S.Walk != Walk))
      fill(S, Walk);
    return S.Block.exists() ? &S.Block : nullptr;
  }

private:
  static constexpr unsigned NumSlots = 1024;
  struct Slot {
    uint32_t Walk = 0;
    RadixBlock Block;
  };
  void fill(Slot &S, uint32_t Walk);

  Finder Find;
  std::unique_ptr<Slot[]> Slots; ///< null without a finder
};

} // namespace rw::qtrace

#endif // REWIND_FORMATS_QTRACE_RADIXBLOCK_H
