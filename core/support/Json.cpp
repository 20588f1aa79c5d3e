//===- Json.cpp - JSON that somebody else may have written ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace rw {

/// LLVM makes infinity of a number that is too large, and writes it as "inf".
static bool isFinite(const llvm::json::Value &V) {
  if (auto N = V.getAsNumber())
    return std::isfinite(*N);
  if (const auto *A = V.getAsArray())
    return llvm::all_of(*A, isFinite);
  if (const auto *O = V.getAsObject())
    return llvm::all_of(*O, [](const auto &M) { return isFinite(M.second); });
  return true;
}

llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef Text) {
  constexpr unsigned MaxDepth = 100;
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (InString) {
      if (C == '\\')
        ++I;
      else if (C == '"')
        InString = false;
    } else if (C == '"') {
      InString = true;
    } else if (C == '[' || C == '{') {
      if (++Depth > MaxDepth)
        return llvm::createStringError("byte " + llvm::Twine(I) +
                                       ": lists and objects are nested in each "
                                       "other more than " +
                                       llvm::Twine(MaxDepth) + " times");
    } else if ((C == ']' || C == '}') && Depth) {
      --Depth;
    }
  }
  auto V = llvm::json::parse(Text);
  if (V && !isFinite(*V))
    return llvm::createStringError("a number is too large for a double");
  return V;
}

} // namespace rw
