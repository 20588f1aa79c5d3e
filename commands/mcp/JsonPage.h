//===- JsonPage.h - Long JSON in pages --------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_MCP_JSONPAGE_H
#define REWIND_COMMANDS_MCP_JSONPAGE_H

#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace rw {

/// Takes in the JSON of a command and keeps one page of it, so that the memory
/// does not grow with an answer. A page is an object: the members that are
/// short and no lists are on each page, the elements of lists and long members
/// are dealt out, in order. A list, or a line for each object, is a list
/// "items". Where there are several pages, "page" and "next_page" are added.
class JsonPage final : public llvm::raw_ostream {
public:
  /// A page has at most \p PageBytes, and some for names of members. What is
  /// longer is cut: each "part" of its text is a page.
  JsonPage(uint64_t Page, size_t PageBytes);
  ~JsonPage() override = default;

  /// Call it once all is there.
  void finish();
  /// The page, after finish(): nothing if there are not so many.
  std::optional<std::string> text() const;

private:
  /// The whole text: undecided; "{" alone; an object; a list; a value a line.
  enum class Shape { None, Brace, Object, List, Lines };
  enum class State { BeforeKey, Key, BeforeValue, Value };
  struct Piece {
    size_t Key;       ///< of Keys
    std::string Text; ///< JSON
    bool IsElement;   ///< of a list
  };

  void write_impl(const char *Data, size_t Size) override;
  uint64_t current_pos() const override { return Written; }
  void feed(char C);
  void inString(char C);
  void structure(char C);
  void add(char C);
  size_t keyNumber(llvm::StringRef Name, bool IsList);
  void endUnit();
  void endPart();
  void deal(Piece P);

  const uint64_t Page;
  const size_t Room; ///< for what is dealt out
  const size_t EnvelopeRoom, PartBytes;
  uint64_t Written = 0;

  Shape Whole = Shape::None;
  State Now = State::Value;
  size_t Depth = 0, Base = 0; ///< brackets that are open; of them outside units
  bool InString = false, Escaped = false;
  bool InList = false;     ///< the unit is an element of one
  std::string Key, Unit;   ///< as they come, without blanks
  size_t Index = 0;        ///< of the unit in its list
  bool HasParts = false;   ///< the unit was begun in pages before
  uint64_t Current = 1;    ///< the page that units go to
  size_t Filled = 0;       ///< bytes of it
  size_t EnvelopeSize = 0; ///< bytes of Envelope
  struct Name {
    std::string Text;
    bool IsList;
  };
  std::vector<Name> Keys; ///< in order
  std::vector<Piece> Envelope, Kept;
  std::string Part; ///< members of the page that is one
};

} // namespace rw

#endif // REWIND_COMMANDS_MCP_JSONPAGE_H
