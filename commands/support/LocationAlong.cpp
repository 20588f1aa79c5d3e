//===- LocationAlong.cpp - A location, at one place after another ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/LocationAlong.h"

using namespace llvm;

namespace rw {

const Location *LocationAlong::inThread(Location &L, ThreadIndex T) const {
  if (L.Where == Location::Register)
    L.Thread = T;
  return &L;
}

Expected<const Location *> LocationAlong::at(const Place &At, uint64_t PC) {
  if (Always)
    return inThread(*Always, At.Thread);
  if (auto It = ByCode.find(PC); It != ByCode.end())
    return inThread(It->second, At.Thread);
  // Whether a larger one is too large is said by parseLocation().
  constexpr uint64_t Modest = 1 << 16;
  if (const Location *L = Lvalue ? Lvalue->at(At, PC) : nullptr;
      L && L->Size <= Modest &&
      (L->Where == Location::Register || L->Addr + (L->Size - 1) >= L->Addr))
    return L;
  Holds Where = Holds::Here;
  auto L = parseLocation(S, At, Text, Size, &Where);
  if (!L)
    return L.takeError();
  switch (Where) {
  case Holds::Everywhere:
    return &Always.emplace(std::move(*L));
  case Holds::AtCode:
    return &ByCode.emplace(PC, std::move(*L)).first->second;
  case Holds::Here:
    // Its size would have to be checked each time, if another one is asked for.
    if (!Lvalue && !Size && S.Expressions && !S.inDebugger())
      Lvalue = S.Expressions->along(Text, Near);
    break;
  }
  Last = std::move(*L);
  return &Last;
}

} // namespace rw
