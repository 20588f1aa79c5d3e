//===- AddressRecipe.cpp - Finds an address again -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/AddressRecipe.h"
#include "commands/support/SessionInput.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

std::optional<uint64_t> elementOffset(const Session &S, uint64_t Base,
                                      int64_t Index, uint64_t Each) {
  const unsigned Bits = S.Store.header().Architecture == Arch::Arm ? 32 : 64;
  const __int128 To = __int128(Index) * Each + Base;
  if (To < 0 || To >> Bits)
    return std::nullopt;
  return uint64_t(Index) * Each;
}

Expected<std::optional<uint64_t>> AddressRecipe::find(const Session &S,
                                                      StateCursor &Near,
                                                      ThreadIndex T,
                                                      Moment When) const {
  uint64_t N = 0;
  for (const Step &Next : Steps)
    switch (Next.What) {
    case Step::Register: {
      auto Holds = Near.getRegister(T, When, Next.Slice);
      if (!Holds || !*Holds)
        return Holds;
      N = **Holds;
      break;
    }
    case Step::Add:
      N += Next.Operand;
      break;
    case Step::Mask:
      N &= Next.Operand;
      break;
    case Step::Load: {
      uint8_t Bytes[8], Known[8] = {};
      const uint64_t Size = Next.Operand;
      if (Size > sizeof(Bytes))
        return std::nullopt;
      if (Error E = readMemory(S, Near, N, When, {Bytes, Size}, {Known, Size}))
        return E;
      auto Loaded =
          numberOf({Bytes, Size}, {Known, Size}, S.Store.header().Order);
      if (!Loaded)
        return std::nullopt;
      N = *Loaded;
      break;
    }
    case Step::Element: {
      SessionInput Input(S, {T, When}, &Near);
      auto Index = Next.Index->evaluate(Input);
      if (!Index || !*Index)
        return Index;
      auto By = elementOffset(S, N, int64_t(**Index), Next.Operand);
      if (!By)
        return std::nullopt;
      N += *By;
      break;
    }
    }
  return N;
}

} // namespace rw
