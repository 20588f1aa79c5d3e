//===- Canvas.cpp ---------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Canvas.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>

using namespace llvm;

namespace rw::term {

/// Takes the first character of a text that is valid UTF-8 (of others a byte
/// at a time, as '?'), and tells its width.
static std::pair<char32_t, int> take(StringRef &Text) {
  const unsigned char First = Text.front();
  if (First < 0x80) {
    Text = Text.drop_front();
    return {First < 0x20 || First == 0x7f ? U' ' : char32_t(First), 1};
  }
  const auto *Begin = reinterpret_cast<const UTF8 *>(Text.begin());
  const UTF8 *At = Begin;
  UTF32 C = 0;
  if (convertUTF8Sequence(&At, reinterpret_cast<const UTF8 *>(Text.end()), &C,
                          strictConversion) != conversionOK) {
    Text = Text.drop_front();
    return {U'?', 1};
  }
  int Width = sys::unicode::columnWidthUTF8(Text.take_front(At - Begin));
  Text = Text.drop_front(At - Begin);
  if (Width < 0)
    return {U'?', 1};
  return {char32_t(C), Width};
}

unsigned columns(StringRef Text) {
  unsigned N = 0;
  while (!Text.empty())
    N += take(Text).second;
  return N;
}

unsigned columns(const Line &L) {
  unsigned N = 0;
  for (const Span &S : L)
    N += columns(S.Text);
  return N;
}

std::string plainText(const Line &L) {
  std::string Text;
  for (const Span &S : L)
    Text += S.Text;
  return Text;
}

std::string fitted(StringRef Text, unsigned Width, StringRef Mark) {
  if (columns(Text) <= Width)
    return Text.str();
  if (!Width)
    return "";
  unsigned Room = Width - std::min(columns(Mark), Width), N = 0;
  StringRef Rest = Text;
  while (!Rest.empty()) {
    StringRef Next = Rest;
    unsigned W = take(Next).second;
    if (N + W > Room)
      break;
    N += W;
    Rest = Next;
  }
  return (Text.drop_back(Rest.size()) + Twine(Mark)).str();
}

std::string fittedInside(StringRef Text, unsigned Width, StringRef Mark) {
  const unsigned All = columns(Text), MarkWidth = columns(Mark);
  if (All <= Width || Width < MarkWidth + 2)
    return fitted(Text, Width, Mark);
  std::string Begin = fitted(Text, (Width - MarkWidth + 1) / 2, "");
  // A wide character may leave a column over, which the end may take.
  const unsigned Room = Width - MarkWidth - columns(Begin);
  StringRef End = Text;
  while (columns(End) > Room)
    take(End);
  return (Twine(Begin) + Mark + End).str();
}

std::vector<std::string> wrapped(StringRef Text, unsigned Width, unsigned Most,
                                 StringRef Mark) {
  std::vector<std::string> Lines;
  Width = std::max(Width, 2u); // a wide character
  while (columns(Text) > Width && Lines.size() + 1 < Most) {
    StringRef Rest = Text, Whole = Text;
    for (unsigned N = 0; N <= Width;) {
      StringRef Next = Rest;
      N += take(Next).second;
      if (N <= Width)
        Rest = Next;
    }
    StringRef Begin = Whole.drop_back(Rest.size());
    const size_t Blank =
        Rest.starts_with(" ") ? Begin.size() : Begin.rfind(' ');
    // A word that is as long as half a line is broken.
    if (Blank != StringRef::npos && Blank >= Begin.size() / 2)
      Begin = Begin.take_front(Blank);
    Lines.push_back(Begin.str());
    Text = Text.drop_front(Begin.size()).ltrim(' ');
  }
  Lines.push_back(fitted(Text, Width, Mark));
  return Lines;
}

std::string padded(StringRef Text, unsigned Width) {
  unsigned N = columns(Text);
  return Text.str() + std::string(N < Width ? Width - N : 0, ' ');
}

std::string leftPadded(StringRef Text, unsigned Width) {
  unsigned N = columns(Text);
  return std::string(N < Width ? Width - N : 0, ' ') + Text.str();
}

Canvas::Canvas(int Width, int Height, bool Utf8)
    : Width(std::max(Width, 0)), Height(std::max(Height, 0)), Utf8(Utf8),
      Cells(size_t(this->Width) * this->Height) {}

std::string Canvas::text(int Y) const {
  std::string Text;
  for (int X = 0; X < Width; ++X) {
    char32_t C = at(X, Y).Code;
    if (!C)
      continue;
    char Bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *End = Bytes;
    if (ConvertCodePointToUTF8(C, End))
      Text.append(Bytes, End);
  }
  return StringRef(Text).rtrim(' ').str();
}

int Area::put(int X, int Y, StringRef Text, Style Look, bool Reverse) {
  if (Y < 0 || Y >= Part.Height)
    return X;
  while (!Text.empty()) {
    auto [C, Width] = take(Text);
    if (!Width)
      continue;
    if (C >= 0x80 && !On.utf8()) {
      C = '?';
      Width = 1;
    }
    if (X < 0 || X + Width > Part.Width) {
      X += Width;
      continue;
    }
    Cell *To = &On.Cells[size_t(Part.Y + Y) * On.Width + Part.X + X];
    To[0] = {C, Look, Reverse};
    if (Width == 2)
      To[1] = {0, Look, Reverse};
    X += Width;
  }
  return X;
}

int Area::put(int X, int Y, const Line &L) {
  for (const Span &S : L)
    X = put(X, Y, S.Text, S.Look, S.Reverse);
  return X;
}

void Area::fill(int X, int Y, char32_t C, Style Look, bool Reverse) {
  if (Y < 0 || Y >= Part.Height)
    return;
  for (X = std::max(X, 0); X < Part.Width; ++X)
    On.Cells[size_t(Part.Y + Y) * On.Width + Part.X + X] = {C, Look, Reverse};
}

void Area::rule(int Y) {
  fill(0, Y, On.utf8() ? U'─' : U'-', Style::Rule);
  for (int X = 1; !On.utf8() && X < Part.Width; X += 2)
    put(X, Y, " ");
}

void Area::cursor(int X, int Y) {
  if (X >= 0 && X < Part.Width && Y >= 0 && Y < Part.Height)
    On.Cursor = {Part.X + X, Part.Y + Y};
}

Area Area::part(Rect R) const {
  int X = std::clamp(R.X, 0, Part.Width), Y = std::clamp(R.Y, 0, Part.Height);
  return Area(On,
              {Part.X + X, Part.Y + Y, std::clamp(R.Width, 0, Part.Width - X),
               std::clamp(R.Height, 0, Part.Height - Y)});
}

} // namespace rw::term
