//===- Shortened.h - Texts for who reads them -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_SHORTENED_H
#define REWIND_SUPPORT_SHORTENED_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace rw {

/// What an error says, which repeats what it was asked, however long that was:
/// both ends of \p Text if it has more than 4000 bytes, and how many are left
/// out between. No character is cut.
inline std::string shortened(llvm::StringRef Text) {
  constexpr size_t Front = 3000, Back = 1000;
  if (Text.size() <= Front + Back)
    return Text.str();
  auto Within = [&](size_t At) { return (uint8_t(Text[At]) & 0xc0) == 0x80; };
  size_t Begin = Front, End = Text.size() - Back;
  while (Begin > Front - 4 && Within(Begin))
    --Begin;
  while (End < Text.size() - Back + 4 && Within(End))
    ++End;
  return (Text.take_front(Begin) + " [... " + llvm::utostr(End - Begin) +
          " bytes ...] " + Text.drop_front(End))
      .str();
}

} // namespace rw

#endif // REWIND_SUPPORT_SHORTENED_H
