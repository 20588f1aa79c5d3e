//===- BlockFinds.cpp - A search that keeps what a block had --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockFinds.h"
#include <algorithm>

using namespace rw;

llvm::Expected<std::optional<Moment>> BlockFinds::from(Moment From) {
  while (From < I.M.NumInstructions) {
    if (Begin <= From && From < End) {
      auto It = std::lower_bound(Finds.begin(), Finds.end(), From);
      if (It != Finds.end())
        return *It;
      From = End;
      continue;
    }
    auto P = I.locate(From);
    if (!P)
      return P.takeError();
    Finds.clear();
    Begin = End = 0;
    auto Next = nextBlock(P->S.Index, P->Block);
    if (!Next)
      return Next.takeError();
    if (!*Next) {
      Begin = From;
      End = I.M.NumInstructions;
      return std::nullopt;
    }
    const auto &[S, Block] = **Next;
    const Moment First = I.momentAt(S, Block, 0);
    const bool Whole = collect(S, Block, [&, At = First](unsigned Insn) {
      Finds.push_back(At + Insn);
    });
    Begin = std::min(From, First);
    End = First + S.blockSize(Block);
    // Tables may lie about what block a moment is in.
    if (Whole && From < End)
      continue;
    // Its answers come before its damage.
    if (Whole || Finds.empty() || Finds.back() < From) {
      Begin = End = 0;
      return I.damagedBlock(S, Block);
    }
    End = Finds.back() + 1;
  }
  return std::nullopt;
}

llvm::Expected<std::optional<Moment>>
rw::firstOf(llvm::ArrayRef<std::unique_ptr<SearchCursor>> Searches, Moment From,
            size_t *Whose) {
  std::optional<Moment> Best;
  for (size_t N = 0; N < Searches.size(); ++N) {
    auto M = Searches[N]->from(From);
    if (!M)
      return M.takeError();
    if (!*M || (Best && **M >= *Best))
      continue;
    Best = **M;
    if (Whose)
      *Whose = N;
  }
  return Best;
}
