//===- BackDates.cpp - Bytes that a later read told -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BackDates.h"
#include <algorithm>
#include <tuple>

using namespace rw;

void BackDateTable::encode(std::vector<BackDate> Records,
                           std::vector<Group> &Index, Bytes &Data) {
  std::sort(Records.begin(), Records.end(),
            [](const BackDate &L, const BackDate &R) {
              return std::tie(L.Granule, L.From, L.To, L.Mask) <
                     std::tie(R.Granule, R.From, R.To, R.Mask);
            });
  uint64_t Last = 0;
  for (size_t I = 0; I < Records.size(); ++I) {
    const BackDate &B = Records[I];
    if (I % GroupSize == 0) {
      Index.push_back({B.Granule, Data.size()});
      Last = B.Granule;
    }
    putVarint(Data, B.Granule - Last);
    Last = B.Granule;
    Data.push_back(B.Mask);
    putVarint(Data, B.From << 1 | B.Semihosting);
    putVarint(Data, B.To - B.From);
    for (unsigned K = 0; K < 8; ++K)
      if (B.Mask >> K & 1)
        Data.push_back(uint8_t(B.Value >> (8 * K)));
  }
}

bool BackDateTable::forEach(
    uint64_t Granule, llvm::function_ref<bool(const BackDate &)> F) const {
  auto It = std::lower_bound(
      Index.begin(), Index.end(), Granule,
      [](const Group &L, uint64_t R) { return L.Granule < R; });
  if (It != Index.begin())
    --It; // the granule's first record may be inside the group before
  for (; It != Index.end() && It->Granule <= Granule; ++It) {
    if (It->Offset > Data.size())
      return false;
    ByteReader In(Data.begin() + It->Offset, Data.end());
    BackDate B;
    B.Granule = It->Granule;
    for (unsigned I = 0; I < GroupSize && !In.atEnd(); ++I) {
      B.Granule += In.varint();
      B.Mask = In.byte();
      uint64_t From = In.varint();
      B.From = From >> 1;
      B.Semihosting = From & 1;
      B.To = B.From + In.varint();
      B.Value = 0;
      for (unsigned K = 0; K < 8; ++K)
        if (B.Mask >> K & 1)
          B.Value |= uint64_t(In.byte()) << (8 * K);
      if (In.failed())
        return false;
      if (B.Granule > Granule)
        return true;
      if (B.Granule == Granule && !F(B))
        return true;
    }
  }
  return true;
}
