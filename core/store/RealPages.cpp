//===- RealPages.cpp - Accesses by real address ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index of accesses is by effective address. A real page was seen at a few
// effective ones; each of them is asked, and an access of it counts if it went
// to the real page then.
//
//===----------------------------------------------------------------------===//

#include "core/store/RealPages.h"
#include "core/store/BlockDecoder.h"
#include "core/store/StoreImpl.h"
#include "core/store/TraceStore.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

std::vector<RealPage> RealPages::take() {
  std::vector<RealPage> List;
  for (auto [Real, Effective] : Pages)
    List.push_back({Real, Effective});
  std::sort(List.begin(), List.end());
  return List;
}

llvm::Expected<std::optional<uint64_t>>
TraceStore::realAccess(Moment When, uint64_t Real, uint64_t Size,
                       AccessKind Kind) const {
  auto P = I->locate(When);
  if (!P)
    return P.takeError();
  BlockDecoder D(*I, P->S, P->Block, BlockDecoder::Addresses);
  if (!D.advanceTo(P->Insn + 1) || D.damaged())
    return I->damagedBlock(P->S, P->Block);
  for (const DecodedMem &M : D.mems()) {
    bool IsWrite = M.Shape->Flags & MemItem::Write;
    bool Wanted =
        IsWrite ? Kind != AccessKind::Read : Kind != AccessKind::Write;
    if (Wanted && M.Shape->HasReal && M.Real - Real < Size)
      return M.Addr - (M.Real - Real);
    if (Wanted && M.Shape->HasReal && Real - M.Real < M.Shape->Size)
      return M.Addr + (Real - M.Real);
  }
  return std::nullopt;
}

llvm::Expected<std::optional<Moment>>
TraceStore::searchReal(uint64_t Real, uint64_t Size, AccessKind Kind,
                       Moment From, bool Forward) const {
  std::optional<Moment> Best;
  constexpr uint64_t PageSize = uint64_t(1) << RealPages::PageBits;
  for (uint64_t At = Real, Left = Size; Left;) {
    uint64_t Here = std::min(Left, PageSize - At % PageSize);
    RealPage First = {At / PageSize, 0};
    for (auto It =
             std::lower_bound(I->RealPages.begin(), I->RealPages.end(), First);
         It != I->RealPages.end() && It->Real == First.Real; ++It) {
      uint64_t Addr = It->Effective * PageSize + At % PageSize;
      Moment Cursor = From;
      while (true) {
        auto M = Forward ? nextAccess(Addr, Here, Kind, Cursor)
                         : lastAccess(Addr, Here, Kind, Cursor);
        if (!M)
          return M.takeError();
        if (!*M || **M == BeforeTrace ||
            (Best && (Forward ? **M >= *Best : **M <= *Best)))
          break;
        auto Is = realAccess(**M, At, Here, Kind);
        if (!Is)
          return Is.takeError();
        if (*Is) {
          Best = **M;
          break;
        }
        Cursor = **M; // the page was mapped elsewhere then
      }
    }
    At += Here;
    Left -= Here;
  }
  return Best;
}

llvm::Expected<std::optional<Moment>>
TraceStore::lastRealAccess(uint64_t Real, uint64_t Size, AccessKind Kind,
                           Moment Before) const {
  return searchReal(Real, Size, Kind, Before, /*Forward=*/false);
}

llvm::Expected<std::optional<Moment>>
TraceStore::nextRealAccess(uint64_t Real, uint64_t Size, AccessKind Kind,
                           Moment After) const {
  return searchReal(Real, Size, Kind, After, /*Forward=*/true);
}
