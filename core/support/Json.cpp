//===- Json.cpp - JSON that somebody else may have written ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/Json.h"

namespace rw {

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
  return llvm::json::parse(Text);
}

} // namespace rw
