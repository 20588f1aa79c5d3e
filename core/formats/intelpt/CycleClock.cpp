//===- CycleClock.cpp - How fast CYC packets count ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/CycleClock.h"
#include "core/formats/intelpt/PacketReader.h"
#include "core/formats/intelpt/SyncPoint.h"
#include <cmath>

using namespace llvm;

namespace rw::intelpt {

/// So many packets are looked at; some hundred intervals are enough.
static constexpr size_t MaxBytes = 1 << 20;
/// Shorter intervals are too coarse: a ratio is 10 to 40.
static constexpr uint64_t MinCycles = 1000;

uint8_t measureNominalRatio(ArrayRef<uint8_t> Packets) {
  Packets = Packets.take_front(MaxBytes);
  auto Sync = findSync(Packets, 0);
  if (!Sync)
    return 0;
  PacketReader Reader(Packets, Sync->Offset);
  // An interval with one ratio. Ratio 0: none has begun.
  uint64_t Begin = 0, Cycles = 0;
  unsigned Ratio = 0;
  // A core that sleeps counts no cycles, and the TSC goes on: the smallest is
  // right.
  double Smallest = 256;
  for (pt_packet P; Reader.next(P);)
    switch (P.type) {
    case ppt_cyc:
      Cycles += P.payload.cyc.value;
      break;
    case ppt_cbr:
      if (std::exchange(Ratio, P.payload.cbr.ratio) != P.payload.cbr.ratio &&
          Cycles)
        Begin = 0;
      break;
    case ppt_ovf:
      Begin = 0;
      break;
    case ppt_tsc:
      if (Begin && Ratio && Cycles >= MinCycles && P.payload.tsc.tsc > Begin)
        Smallest = std::min(Smallest, double(P.payload.tsc.tsc - Begin) *
                                          Ratio / double(Cycles));
      Begin = P.payload.tsc.tsc;
      Cycles = 0;
      break;
    default:
      break;
    }
  long Nominal = std::lround(Smallest);
  return Nominal < 256 ? uint8_t(Nominal) : 0;
}

} // namespace rw::intelpt
