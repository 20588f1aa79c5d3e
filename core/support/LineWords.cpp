//===- LineWords.cpp - The words of a command line ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/LineWords.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace llvm;

namespace rw {

/// What a backslash quotes within \p Quote, or outside of quotes (0).
static StringRef quotedBy(char Quote) {
  if (Quote == '\'')
    return "";
  return Quote ? "\"\\" : " \t\n\r\v\f\\'\"";
}

Expected<std::vector<std::string>> splitWords(StringRef Line) {
  std::vector<std::string> Words;
  std::optional<std::string> Word;
  char Quote = 0;
  for (size_t I = 0; I < Line.size(); ++I) {
    const char C = Line[I];
    if (!Quote && isSpace(C)) {
      if (Word)
        Words.push_back(std::move(*Word));
      Word.reset();
      continue;
    }
    if (!Word)
      Word.emplace();
    if (Quote ? C == Quote : C == '"' || C == '\'')
      Quote = Quote ? 0 : C;
    else if (C == '\\' && I + 1 < Line.size() &&
             quotedBy(Quote).contains(Line[I + 1]))
      *Word += Line[++I];
    else
      *Word += C;
  }
  if (Quote)
    return createStringError("there is no second " + Twine(Quote) +
                             " in the line");
  if (Word)
    Words.push_back(std::move(*Word));
  return Words;
}

std::string quoteWord(StringRef Text) {
  // LLDB leaves a backtick within quotes alone, and one with a backslash, too.
  std::string Word = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Word += '\\';
    Word += C;
  }
  return Word + '"';
}

} // namespace rw
