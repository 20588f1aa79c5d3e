//===- AddressRecipe.cpp - Finds an address again -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/AddressRecipe.h"

using namespace llvm;

namespace rw {

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
      Location L;
      L.Addr = N;
      L.Size = Next.Operand;
      Value V;
      if (Error E = readLocation(S, Near, L, When, V))
        return E;
      auto Loaded = V.number();
      if (!Loaded)
        return std::nullopt;
      N = *Loaded;
      break;
    }
    }
  return N;
}

} // namespace rw
