//===- Canvas.h - A screen of characters, before a terminal -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Panes draw on a canvas; what shows it is another's business (Screen.h). So a
// test sees what a user sees, without a terminal.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_CANVAS_H
#define REWIND_COMMANDS_VIEW_TERMINAL_CANVAS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace rw::term {

/// What a piece of text means; the screen knows how that looks.
enum class Style : uint8_t {
  Text,
  Dim,     ///< what is there to be found, not to be read
  Current, ///< the row of the position
  Rule,
  Status,  ///< the line under a pane
  Focus,   ///< the same, of the pane that has the keys
  Changed, ///< by the row before
  Unknown, ///< of values
  Read,
  Write,
  Call,  ///< where a function begins, and names
  Event, ///< exceptions and their kin
  Fold,
  Error,
};
inline constexpr unsigned NumStyles = unsigned(Style::Error) + 1;

struct Span {
  std::string Text; ///< UTF-8
  Style Look = Style::Text;
  bool Reverse = false;
};
using Line = std::vector<Span>;
/// Columns that a terminal takes for it. Characters of no width count 0.
unsigned columns(llvm::StringRef Text);
unsigned columns(const Line &L);
std::string plainText(const Line &L);
/// The text, or its beginning and \p Mark, in at most \p Width columns.
std::string fitted(llvm::StringRef Text, unsigned Width, llvm::StringRef Mark);
/// Fits the text with \p Mark for what is left out of its middle.
std::string fittedInside(llvm::StringRef Text, unsigned Width,
                         llvm::StringRef Mark);
/// The text in lines of at most \p Width columns, broken at blanks where there
/// are some; what more than \p Most lines would take is left out with \p Mark.
std::vector<std::string> wrapped(llvm::StringRef Text, unsigned Width,
                                 unsigned Most, llvm::StringRef Mark);
/// The text with blanks behind it, or in front: at least \p Width columns.
std::string padded(llvm::StringRef Text, unsigned Width);
std::string leftPadded(llvm::StringRef Text, unsigned Width);

struct Cell {
  char32_t Code = ' '; ///< 0: the second half of a wide character
  Style Look = Style::Text;
  bool Reverse = false;
  bool operator==(const Cell &) const = default;
};

struct Rect {
  int X = 0, Y = 0, Width = 0, Height = 0;
  bool operator==(const Rect &) const = default;
};

class Canvas {
public:
  /// Without \p Utf8 a character that is no ASCII becomes '?', and the marks
  /// below are of ASCII.
  Canvas(int Width, int Height, bool Utf8);
  int width() const { return Width; }
  int height() const { return Height; }
  const Cell &at(int X, int Y) const { return Cells[size_t(Y) * Width + X]; }
  bool utf8() const { return Utf8; }
  llvm::StringRef more() const { return Utf8 ? "…" : "~"; }
  char32_t vertical() const { return Utf8 ? U'│' : U'|'; }

  /// Where the terminal's cursor stands; none: it is hidden.
  std::optional<std::pair<int, int>> Cursor;
  /// A line of it, without the blanks at its end.
  std::string text(int Y) const;

private:
  friend class Area;
  int Width, Height;
  bool Utf8;
  std::vector<Cell> Cells;
};

/// A part of a canvas. What lies outside is left out.
class Area {
public:
  Area(Canvas &On, Rect Part) : On(On), Part(Part) {}
  int width() const { return Part.Width; }
  int height() const { return Part.Height; }
  const Canvas &canvas() const { return On; }
  /// Returns the column behind the text.
  int put(int X, int Y, llvm::StringRef Text, Style Look = Style::Text,
          bool Reverse = false);
  int put(int X, int Y, const Line &L);
  /// From \p X to the end of the line.
  void fill(int X, int Y, char32_t C, Style Look, bool Reverse = false);
  /// A line across; of ASCII a dashed one.
  void rule(int Y);
  void cursor(int X, int Y);
  Area part(Rect R) const;

private:
  Canvas &On;
  Rect Part;
};

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_CANVAS_H
