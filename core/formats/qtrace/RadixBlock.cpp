//===- RadixBlock.cpp - Radix walks as Qtrace files have them -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/qtrace/RadixBlock.h"
#include <utility>

using namespace llvm;

namespace rw::qtrace {

using ppc::RadixWalk;

RadixBlock::RadixBlock(const RadixWalk &W) {
  static_assert(2 + 8 * (RadixWalk::MaxWalks * RadixWalk::MaxPtes +
                         2 * RadixWalk::MaxWalks - 1) <=
                MaxSize);
  if (!W.NumPtes)
    return;
  Host = Translation::Radix;
  if (W.K == RadixWalk::Kind::GuestReal)
    Guest = Translation::Real;
  GuestShift = W.GuestShift;
  uint8_t *Out = Bytes;
  auto put = [&Out](uint64_t V) { Out = qtrace::put<uint64_t>(Out, V); };
  if (W.K != RadixWalk::Kind::Nested) {
    for (uint64_t Pte : W.HostPte[0])
      put(Pte);
  } else {
    Guest = Translation::Radix;
    LowMask = (uint64_t(1) << W.GuestShift) - 1;
    GuestPage = W.guestReal(0);
    *Out++ = W.NumPtes;
    *Out++ = W.NumWalks;
    for (unsigned I = 0; I < W.NumWalks; ++I)
      for (unsigned J = 0; J < W.NumPtes; ++J)
        put(W.HostPte[I][J]);
    for (unsigned I = 0; I + 1 < W.NumWalks; ++I)
      put(W.HostReal[I]);
    for (unsigned I = 0; I < W.NumWalks; ++I)
      put(W.GuestReal[I]);
  }
  Size = uint8_t(Out - Bytes);
}

RadixBlocks::RadixBlocks(Finder Find) : Find(std::move(Find)) {
  if (this->Find)
    Slots.reset(new Slot[NumSlots]);
}

void RadixBlocks::fill(Slot &S, uint32_t Walk) {
  const RadixWalk *W = Find(Walk);
  S.Block = W ? RadixBlock(*W) : RadixBlock();
  // One that is gone is asked for again.
  S.Walk = W ? Walk : 0;
}

} // namespace rw::qtrace
