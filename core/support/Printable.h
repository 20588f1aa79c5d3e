//===- Printable.h - Text from elsewhere, safe to show ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of symbols, files, threads and registers, texts of exceptions and notes
// come from files that anybody may have made. A terminal obeys control
// characters, viewers refuse what is no UTF-8, and XML has no way to write
// either. What stands for them is plain text: "\x1b[31m", "\xff", "\u202e".
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_PRINTABLE_H
#define REWIND_SUPPORT_PRINTABLE_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>
#include <cstring>
#include <string>

namespace rw {

/// Control characters of ASCII and Latin-1, and those that turn the direction
/// of text.
constexpr bool isControl(uint32_t C) {
  return C < 0x20 || (C >= 0x7f && C < 0xa0) || (C >= 0x2028 && C <= 0x202e) ||
         (C >= 0x2066 && C <= 0x2069);
}

/// True of what printable() would leave as it is, at a glance: bytes beyond
/// ASCII are not looked into.
inline bool isPlain(llvm::StringRef Text, llvm::StringRef Keep = "") {
  assert(Keep.size() <= 2);
  const auto First = int8_t(Keep.empty() ? ' ' : Keep.front()),
             Last = int8_t(Keep.empty() ? ' ' : Keep.back());
  // 64 bytes at a time: all that a listing prints goes through here. Those from
  // 0x80 on are negative.
  typedef int8_t Bytes __attribute__((vector_size(16)));
  constexpr size_t Step = 4 * sizeof(Bytes);
  for (; Text.size() >= Step; Text = Text.drop_front(Step)) {
    Bytes AnyOdd = {};
    for (size_t At = 0; At < Step; At += sizeof(Bytes)) {
      Bytes B;
      std::memcpy(&B, Text.data() + At, sizeof(B));
      AnyOdd |= ((B < 0x20) | (B == 0x7f)) & ((B != First) & (B != Last));
    }
    uint64_t Halves[2];
    std::memcpy(Halves, &AnyOdd, sizeof(Halves));
    if (Halves[0] | Halves[1])
      return false;
  }
  return llvm::none_of(Text, [&](uint8_t C) {
    return (C < 0x20 || C >= 0x7f) && !llvm::is_contained(Keep, char(C));
  });
}

/// \p Text with everything escaped that is not valid UTF-8 or is a control
/// character, but for those in \p Keep. O(n); what needs no escape is copied as
/// it is.
inline std::string printable(llvm::StringRef Text, llvm::StringRef Keep = "") {
  if (isPlain(Text, Keep))
    return Text.str();
  std::string Out;
  Out.reserve(Text.size() + 16);
  llvm::raw_string_ostream OS(Out);
  while (!Text.empty()) {
    const unsigned char First = Text.front();
    if (First >= 0x20 && First < 0x7f) {
      OS << char(First);
      Text = Text.drop_front();
      continue;
    }
    const auto *Begin = reinterpret_cast<const llvm::UTF8 *>(Text.begin());
    const llvm::UTF8 *At = Begin;
    llvm::UTF32 C = First;
    const bool Valid =
        llvm::convertUTF8Sequence(
            &At, reinterpret_cast<const llvm::UTF8 *>(Text.end()), &C,
            llvm::strictConversion) == llvm::conversionOK;
    const size_t Size = Valid ? size_t(At - Begin) : 1;
    if (!Valid)
      OS << llvm::format("\\x%02x", First);
    else if (!isControl(C) || (Size == 1 && Keep.contains(char(First))))
      OS << Text.take_front(Size);
    else
      OS << llvm::format(C < 0x100 ? "\\x%02x" : "\\u%04x", unsigned(C));
    Text = Text.drop_front(Size);
  }
  return Out;
}

/// printable() for several lines: their ends and tabs stay.
inline std::string printableLines(llvm::StringRef Text) {
  return printable(Text, "\n\t");
}

} // namespace rw

#endif // REWIND_SUPPORT_PRINTABLE_H
