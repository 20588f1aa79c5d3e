//===- JsonPage.cpp - Long JSON in pages ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/mcp/JsonPage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace rw {

/// Members that are longer are on one page only.
static constexpr size_t ShortMember = 1000;

JsonPage::JsonPage(uint64_t Page, size_t PageBytes)
    : Page(Page), Room(PageBytes - PageBytes / 4), EnvelopeRoom(PageBytes / 8),
      // A quote in it takes two bytes.
      PartBytes(std::max<size_t>(Room / 2, 8)) {
  SetUnbuffered();
}

static bool continuesCharacter(char C) { return (uint8_t(C) & 0xc0) == 0x80; }

void JsonPage::write_impl(const char *Data, size_t Size) {
  Written += Size;
  for (char C : StringRef(Data, Size))
    feed(C);
}

size_t JsonPage::keyNumber(StringRef Name, bool IsList) {
  // Members come one after the other, so a name is the last one or new.
  if (Keys.empty() || Keys.back().Text != Name)
    Keys.push_back({Name.str(), IsList});
  return Keys.size() - 1;
}

/// A byte of the unit that is read.
void JsonPage::add(char C) {
  if (Unit.size() >= (HasParts ? PartBytes : Room) && !continuesCharacter(C))
    while (Unit.size() >= PartBytes)
      endPart();
  Unit += C;
}

/// The first bytes of a unit that is longer than a page, whole characters, are
/// a page.
void JsonPage::endPart() {
  size_t Size = std::min(Unit.size(), PartBytes);
  while (Size < Unit.size() && continuesCharacter(Unit[Size]))
    --Size;
  if (Filled)
    ++Current;
  Filled = Room; // nothing else is on it
  if (Current == Page) {
    json::Object Members{{"of", Keys[keyNumber(Key, InList)].Text},
                         {"text", Unit.substr(0, Size)}};
    if (InList)
      Members["index"] = Index;
    raw_string_ostream(Part) << json::Value(std::move(Members));
  }
  HasParts = true;
  Unit.erase(0, Size);
}

void JsonPage::deal(Piece P) {
  if (!P.IsElement && P.Text.size() <= ShortMember &&
      EnvelopeSize + P.Text.size() + Keys[P.Key].Text.size() <= EnvelopeRoom) {
    EnvelopeSize += P.Text.size() + Keys[P.Key].Text.size();
    Envelope.push_back(std::move(P));
    return;
  }
  if (Filled && Filled + P.Text.size() > Room) {
    ++Current;
    Filled = 0;
  }
  Filled += P.Text.size() + 1;
  if (Current == Page)
    Kept.push_back(std::move(P));
}

/// An element of a list, or a member, or a line, is complete.
void JsonPage::endUnit() {
  if (HasParts)
    endPart();
  else if (!Unit.empty())
    deal({keyNumber(Key, InList), std::move(Unit), InList});
  Unit.clear();
  HasParts = false;
  ++Index;
}

void JsonPage::inString(char C) {
  std::string &To = Now == State::Key ? Key : Unit;
  if (&To == &Unit)
    add(C);
  else if (Escaped || C != '"')
    To += C;
  if (Escaped) {
    Escaped = false;
  } else if (C == '\\') {
    Escaped = true;
  } else if (C == '"') {
    InString = false;
    if (Now == State::Key)
      Now = State::BeforeValue;
  }
}

/// A byte outside of strings that is no blank.
void JsonPage::structure(char C) {
  const bool Opens = C == '{' || C == '[', Closes = C == '}' || C == ']';
  if (Depth == Base && Now == State::Value) {
    // Between units, or at the end of a scalar.
    if (C == ',' || Closes) {
      if (!Unit.empty() || HasParts)
        endUnit();
      if (C == ',' && Whole == Shape::Object && !InList) {
        Now = State::BeforeKey;
      } else if (C == ']' && Whole == Shape::Object) {
        Base = Depth = 1;
        InList = false;
        Now = State::BeforeKey;
      } else if (Closes) {
        Base = Depth = 0;
      }
      return;
    }
  }
  switch (Now) {
  case State::BeforeKey:
    if (C == '"') {
      Key.clear();
      InString = true;
      Now = State::Key;
    } else if (C == '}') {
      Depth = 0;
    }
    return;
  case State::Key:
    return;
  case State::BeforeValue:
    if (C == ':')
      return;
    Now = State::Value;
    Index = 0;
    if (C == '[') {
      keyNumber(Key, /*IsList=*/true);
      InList = true;
      Base = Depth = 2;
      return;
    }
    Base = 1;
    break;
  case State::Value:
    break;
  }
  add(C);
  if (C == '"')
    InString = true;
  else if (Opens)
    ++Depth;
  else if (Closes)
    --Depth;
}

void JsonPage::feed(char C) {
  if (InString)
    return inString(C);
  const bool Blank = C == ' ' || C == '\t' || C == '\n' || C == '\r';
  switch (Whole) {
  case Shape::None:
    if (Blank)
      return;
    if (C == '{') {
      Whole = Shape::Brace;
      return;
    }
    Key = "items";
    InList = true;
    Whole = C == '[' ? Shape::List : Shape::Lines;
    if (Whole == Shape::List) {
      keyNumber(Key, true);
      Depth = Base = 1;
      return;
    }
    break;
  case Shape::Brace:
    // Commands write either an object, indented, or one on each line.
    if (C == '\n' || C == '}') {
      Whole = Shape::Object;
      Now = State::BeforeKey;
      Depth = C == '}' ? 0 : 1;
      return;
    }
    Key = "items";
    InList = true;
    Whole = Shape::Lines;
    Unit = "{";
    Depth = 1;
    break;
  case Shape::Object:
  case Shape::List:
  case Shape::Lines:
    break;
  }
  if (!Blank)
    return structure(C);
  if (C == '\n' && Whole == Shape::Lines && Depth == 0 && !Unit.empty())
    endUnit();
}

void JsonPage::finish() {
  if (!Unit.empty() || HasParts)
    endUnit();
}

std::optional<std::string> JsonPage::text() const {
  if (Page > Current)
    return std::nullopt;
  std::string Text = "{";
  auto member = [&](StringRef Name) {
    // Names are kept as they are written, so what is escaped is that already.
    Text += (Text.size() > 1 ? ",\"" : "\"") + Name.str() + "\":";
  };
  auto pieces = [&](const std::vector<Piece> &From, size_t K, bool &Any) {
    for (const Piece &P : From)
      if (P.Key == K) {
        if (!P.IsElement)
          member(Keys[K].Text);
        else if (Any)
          Text += ',';
        Any = true;
        Text += P.Text;
      }
  };
  for (size_t K = 0; K < Keys.size(); ++K) {
    bool Any = false;
    if (Keys[K].IsList) {
      member(Keys[K].Text);
      Text += '[';
    }
    pieces(Envelope, K, Any);
    pieces(Kept, K, Any);
    if (Keys[K].IsList)
      Text += ']';
  }
  if (!Part.empty()) {
    member("part");
    Text += Part;
  }
  if (Current > 1) {
    member("page");
    Text += utostr(Page);
    if (Page < Current) {
      member("next_page");
      Text += utostr(Page + 1);
    }
  }
  return Text + "}";
}

} // namespace rw
