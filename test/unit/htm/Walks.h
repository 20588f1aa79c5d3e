//===- Walks.h - Radix walks for tests --------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_HTM_WALKS_H
#define REWIND_TEST_HTM_WALKS_H

#include "Encode.h"

namespace rw::htm::test {

constexpr uint64_t End = uint64_t(1) << 56;

enum : unsigned { Final = 8, Exception = 4, Guest = 2, Host = 1 };
inline uint64_t entry(unsigned Kind, unsigned Level, uint64_t Addr) {
  return uint64_t(Kind) << 60 | uint64_t(Level) << 57 | Addr;
}
inline uint64_t hostOf(uint64_t G) { return 0x20000000000 + G; }

/// Entries of a nested walk: 4K guest pages on 2M host pages.
inline Words nested(uint64_t EA, uint64_t GuestRA) {
  Words W;
  auto partition = [&](uint64_t G) {
    W.push_back(entry(Host, 6, 0x430180000000 + (G >> 39 & 0x1fff) * 8));
    W.push_back(entry(Host, 4, 0x430180050000 + (G >> 30 & 0x1ff) * 8));
    W.push_back(entry(Host, 2,
                      0x430190000000 + (G >> 30 & 0xff) * 0x1000 +
                          (G >> 21 & 0x1ff) * 8));
  };
  const uint64_t G[4] = {
      0x5b00000000 + (EA >> 39 & 0x1fff) * 8,
      0x5b00010000 + (EA >> 30 & 0x1ff) * 8,
      0x5b00020000 + (EA >> 30 & 0xff) * 0x1000 + (EA >> 21 & 0x1ff) * 8,
      0x5b00400000 + (EA >> 21 & 0x3f) * 0x1000 + (EA >> 12 & 0x1ff) * 8};
  const unsigned Levels[4] = {6, 4, 2, 0};
  for (unsigned I = 0; I < 4; ++I) {
    W.push_back(entry(Guest, Levels[I], G[I]));
    partition(G[I]);
    W.push_back(entry(Guest | Host, Levels[I], hostOf(G[I])));
  }
  W.push_back(entry(Final | Guest, 0, GuestRA));
  partition(GuestRA);
  W.push_back(entry(Final | Guest | Host, 2, hostOf(GuestRA)));
  return W;
}

inline void xlate(Words &W, bool DataSide, const Words &Entries,
                  uint32_t Pid = 77) {
  W.push_back(uint64_t(DataSide) << 63 | uint64_t(4) << 51 |
              uint64_t(Pid) << 31 | 1 << 28 | uint64_t(P10Tag) << 8);
  W.insert(W.end(), Entries.begin(), Entries.end());
  W.push_back(End);
}
inline Words firstOf(const Words &W, size_t N) {
  return {W.begin(), W.begin() + N};
}
inline Words from(const Words &W, size_t N) { return {W.begin() + N, W.end()}; }

} // namespace rw::htm::test

#endif // REWIND_TEST_HTM_WALKS_H
