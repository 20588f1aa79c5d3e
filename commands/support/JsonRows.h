//===- JsonRows.h - One JSON object after the other, quickly ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A listing's rows are objects of which most fields follow from the code: they
// are made text once for each instruction of the program, and the rows put them
// together with what is their own. The text is that of printJson() and
// printJsonLine() of the same object.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_JSONROWS_H
#define REWIND_COMMANDS_SUPPORT_JSONROWS_H

#include "core/support/Digits.h"
#include "llvm/Support/JSON.h"
#include <cassert>

namespace rw {

/// A field as text: `"name": value`.
struct JsonField {
  std::string Name, Text;
};

class JsonRows {
public:
  /// Each object on a line of its own, or in \p Depth lists and objects of a
  /// text that is indented.
  enum Form : bool { OneLine, Indented };
  explicit JsonRows(Form Shape, unsigned Depth = 0)
      : IsIndented(Shape == Indented), Depth(Depth), Separator(",") {
    if (IsIndented)
      Separator += '\n' + std::string(2 * (Depth + 1), ' ');
  }

  /// The fields of \p O, ascending.
  std::vector<JsonField> prepare(llvm::json::Object O) const;

  /// Begins an object at the end of \p Out that has \p Prepared, too. Both must
  /// stay until end().
  void begin(std::string &Out, const std::vector<JsonField> &Prepared) {
    this->Out = &Out;
    Next = Prepared.data();
    End = Next + Prepared.size();
    Any = false;
    Out += '{';
  }
  /// The next field. Names ascend, and none is prepared. Whoever calls it
  /// appends the value to what it returns.
  std::string &field(llvm::StringRef Name) {
    while (Next != End && Next->Name < Name)
      prepared();
    assert((Next == End || Next->Name != Name) && "given twice");
    separate();
    *Out += '"';
    Out->append(Name.data(), Name.size());
    Out->append("\": ", IsIndented ? 3 : 2);
    return *Out;
  }
  void field(llvm::StringRef Name, uint64_t Number) {
    appendDecimal(field(Name), Number);
  }
  /// \p Text must need no escapes.
  void plainField(llvm::StringRef Name, llvm::StringRef Text) {
    std::string &To = field(Name);
    To += '"';
    To.append(Text.data(), Text.size());
    To += '"';
  }
  /// \p Text may be of anybody, and no UTF-8.
  void textField(llvm::StringRef Name, llvm::StringRef Text) {
    // Printing a value costs more than all the rest of a row.
    if (needsNoEscapes(Text))
      return plainField(Name, Text);
    std::string &To = field(Name);
    To += text(llvm::json::fixUTF8(Text));
  }
  void field(llvm::StringRef Name, llvm::json::Value V) {
    if (auto Text = V.getAsString(); Text && needsNoEscapes(*Text))
      return plainField(Name, *Text);
    std::string &To = field(Name);
    To += text(std::move(V));
  }
  void end() {
    while (Next != End)
      prepared();
    if (Any && IsIndented) {
      *Out += '\n';
      Out->append(2 * Depth, ' ');
    }
    *Out += '}';
  }

  /// \p V as a field has it.
  std::string text(llvm::json::Value V) const {
    return text(std::move(V), Depth + 1);
  }

private:
  static bool needsNoEscapes(llvm::StringRef Text) {
    for (const char C : Text)
      if (C < ' ' || C > '~' || C == '"' || C == '\\')
        return false;
    return true;
  }
  std::string text(llvm::json::Value V, unsigned Depth) const;
  void separate() {
    const size_t Comma = Any ? 0 : 1;
    Out->append(Separator.data() + Comma, Separator.size() - Comma);
    Any = true;
  }
  void prepared() {
    separate();
    *Out += Next->Text;
    ++Next;
  }

  const bool IsIndented;
  const unsigned Depth;
  std::string Separator; ///< between fields; without its comma before them
  std::string *Out = nullptr;
  const JsonField *Next = nullptr, *End = nullptr;
  bool Any = false;
};

/// The items of a list, made text as they are found, for the object that
/// printJson() would print of them.
class JsonItems {
public:
  const JsonRows &rows() const { return Rows; }
  /// Begins an item; as JsonRows::begin().
  JsonRows &begin(const std::vector<JsonField> &Prepared) {
    const bool First = empty();
    if (Text.size() >= (Full.empty() ? FirstPiece : Piece))
      nextPiece();
    Text += First ? "[\n    " : ",\n    ";
    Rows.begin(Text, Prepared);
    return Rows;
  }
  void add(llvm::json::Object O) {
    const std::vector<JsonField> Fields = Rows.prepare(std::move(O));
    begin(Fields).end();
  }
  bool empty() const { return Text.empty() && Full.empty(); }
  /// Prints \p Whole, in which these are "items".
  void print(llvm::raw_ostream &Out, llvm::json::Object Whole) const;

private:
  // In pieces: what is large is not copied again and again.
  static constexpr size_t FirstPiece = 1 << 16, Piece = 1 << 22;
  void nextPiece();

  JsonRows Rows{JsonRows::Indented, 2};
  std::vector<std::string> Full; ///< before Text
  std::string Text;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_JSONROWS_H
