//===- Prompt.cpp ---------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Prompt.h"
#include "core/support/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace rw::term {

static bool continues(char C) { return (C & 0xc0) == 0x80; }

size_t Prompt::before(size_t At) const {
  if (At)
    --At;
  while (At && continues(Text[At]))
    --At;
  return At;
}

size_t Prompt::behind(size_t At) const {
  if (At < Text.size())
    ++At;
  while (At < Text.size() && continues(Text[At]))
    ++At;
  return At;
}

void Prompt::recall(size_t Which) {
  if (Which > Typed.size())
    return;
  Older = Which;
  Text = Which < Typed.size() ? Typed[Which] : "";
  Cursor = Text.size();
}

/// A name goes on over these; '.' and ':' are parts of names, too.
static bool isNameCharacter(char C) {
  return isWord(C) || StringRef(".:~#@").contains(C);
}

void Prompt::complete() {
  size_t Begin = Cursor;
  while (Begin && isNameCharacter(Text[Begin - 1]))
    --Begin;
  std::string Word = Text.substr(Begin, Cursor - Begin);
  Names Found = Complete(Word);
  if (Found.List.empty()) {
    Candidates = "no name begins with '" + Word + "'";
    return;
  }
  // As far as all agree.
  std::string Common = Found.List.front();
  for (const std::string &Name : Found.List) {
    size_t N = 0;
    while (N < Common.size() && N < Name.size() && Common[N] == Name[N])
      ++N;
    Common.resize(N);
  }
  if (Found.Complete && Common.size() > Word.size()) {
    Text.replace(Begin, Word.size(), Common);
    Cursor = Begin + Common.size();
  }
  if (Found.List.size() == 1)
    return;
  for (const std::string &Name : Found.List)
    Candidates += (Candidates.empty() ? "" : "  ") + Name;
  if (!Found.Complete)
    Candidates += "  ...";
}

Prompt::State Prompt::key(Key K) {
  Candidates.clear();
  const bool Replaces = std::exchange(Proposed, false);
  switch (K) {
  case key::Escape:
  case key::ctrl('G'):
  case key::ctrl('C'):
    return State::GivenUp;
  case key::Return:
  case '\n':
    return State::Entered;
  case key::Tab:
    complete();
    break;
  case key::Backspace: {
    size_t From = before(Cursor);
    Text.erase(From, Cursor - From);
    Cursor = From;
    break;
  }
  case key::Delete:
  case key::ctrl('D'):
    Text.erase(Cursor, behind(Cursor) - Cursor);
    break;
  case key::ctrl('W'): {
    size_t From = Cursor;
    while (From && Text[From - 1] == ' ')
      --From;
    while (From && Text[From - 1] != ' ')
      --From;
    Text.erase(From, Cursor - From);
    Cursor = From;
    break;
  }
  case key::ctrl('U'):
    Text.clear();
    Cursor = 0;
    break;
  case key::Left:
    Cursor = before(Cursor);
    break;
  case key::Right:
    Cursor = behind(Cursor);
    break;
  case key::Home:
  case key::ctrl('A'):
    Cursor = 0;
    break;
  case key::End:
  case key::ctrl('E'):
    Cursor = Text.size();
    break;
  case key::Up:
    if (Older)
      recall(Older - 1);
    break;
  case key::Down:
    recall(Older + 1);
    break;
  default: {
    if (K < 0x20 || K == 0x7f || K >= key::Special || Text.size() > 900)
      break;
    char Bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *End = Bytes;
    if (!ConvertCodePointToUTF8(K, End))
      break;
    if (Replaces) {
      Text.clear();
      Cursor = 0;
    }
    Text.insert(Cursor, Bytes, End - Bytes);
    Cursor += End - Bytes;
    break;
  }
  }
  return State::Open;
}

void Prompt::draw(Area On) const {
  // What is typed is more than the label where there is no room for both.
  int X = columns(Label) + 10 < unsigned(On.width()) ? On.put(0, 0, Label) : 0;
  const int Room = std::max(On.width() - X - 1, 1);
  // The cursor is always to be seen.
  StringRef Left = StringRef(Text).take_front(Cursor);
  size_t Skipped = 0;
  while (int(columns(Left.drop_front(Skipped))) > Room)
    Skipped = behind(Skipped);
  int At = X + columns(Left.drop_front(Skipped));
  X = On.put(X, 0, StringRef(Text).drop_front(Skipped), Style::Text, Proposed);
  if (!Candidates.empty())
    On.put(
        X + 2, 0,
        fitted(Candidates, std::max(On.width() - X - 2, 0), On.canvas().more()),
        Style::Dim);
  On.cursor(At, 0);
}

} // namespace rw::term
