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
#include <optional>

namespace rw {

/// A field's name. The same literal is the same name without a look at it.
class JsonKey {
  llvm::StringRef Name;
  const char *Literal = nullptr;

public:
  template <size_t N>
  JsonKey(const char (&Literal)[N]) : Name(Literal, N - 1), Literal(Literal) {}
  JsonKey(llvm::StringRef Name) : Name(Name) {}
  llvm::StringRef text() const { return Name; }

  /// A name that stays.
  class Kept {
    std::string Name;
    const char *Literal;

  public:
    Kept(JsonKey K) : Name(K.Name), Literal(K.Literal) {}
    bool operator==(JsonKey K) const {
      return (Literal && Literal == K.Literal) || Name == K.Name;
    }
  };
};

/// Fields as text, `"name": value`, ascending. Not thread-safe: it learns what
/// stands before each other field of its rows, which are mostly alike.
class JsonFields {
  friend class JsonRows;
  struct Field {
    std::string Name, Text;
  };
  std::vector<Field> List;

  struct Step {
    JsonKey::Kept Name;
    std::string Before; ///< all from the field before to this one's value
    size_t Next;        ///< in List
  };
  std::vector<Step> Steps;
  std::optional<std::string> Tail; ///< behind the last step

public:
  bool empty() const { return List.empty(); }
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

  JsonFields prepare(llvm::json::Object O) const;

  /// Begins an object at the end of \p Out that has \p Prepared, too. Both must
  /// stay until end().
  void begin(std::string &Out, JsonFields &Prepared) {
    this->Out = &Out;
    Fields = &Prepared;
    Next = At = 0;
    Any = false;
    AsBefore = true;
    Out += '{';
  }
  /// The next field. Names ascend, and none is prepared. Whoever calls it
  /// appends the value to what it returns.
  std::string &field(JsonKey Name) {
    if (AsBefore && At < Fields->Steps.size() && Fields->Steps[At].Name == Name)
      return known(Fields->Steps[At++]);
    return newField(Name);
  }
  void field(JsonKey Name, uint64_t Number) {
    appendDecimal(field(Name), Number);
  }
  /// \p Text must need no escapes.
  void plainField(JsonKey Name, llvm::StringRef Text) {
    std::string &To = field(Name);
    To += '"';
    To.append(Text.data(), Text.size());
    To += '"';
  }
  /// \p Text may be of anybody, and no UTF-8.
  void textField(JsonKey Name, llvm::StringRef Text) {
    textField(Name,
              [&](std::string &To) { To.append(Text.data(), Text.size()); });
  }
  /// What \p Append appends, too.
  void textField(JsonKey Name, llvm::function_ref<void(std::string &)> Append) {
    appendText(field(Name), Append);
  }
  /// The value of such a field.
  void appendText(std::string &To,
                  llvm::function_ref<void(std::string &)> Append) const {
    const size_t Begin = To.size();
    To += '"';
    Append(To);
    // Printing a value costs more than all the rest of a row.
    if (needsNoEscapes(llvm::StringRef(To).drop_front(Begin + 1))) {
      To += '"';
      return;
    }
    const std::string Text = To.substr(Begin + 1);
    To.resize(Begin);
    To += text(llvm::json::fixUTF8(Text));
  }
  void field(JsonKey Name, llvm::json::Value V) {
    if (auto Text = V.getAsString(); Text && needsNoEscapes(*Text))
      return plainField(Name, *Text);
    std::string &To = field(Name);
    To += text(std::move(V));
  }
  void end();

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
    *Out += Fields->List[Next++].Text;
  }
  std::string &known(const JsonFields::Step &S) {
    Out->append(S.Before);
    Next = S.Next;
    Any = true;
    return *Out;
  }
  std::string &newField(JsonKey Name);

  const bool IsIndented;
  const unsigned Depth;
  std::string Separator; ///< between fields; without its comma before them
  std::string *Out = nullptr;
  JsonFields *Fields = nullptr;
  size_t Next = 0, At = 0; ///< in its List and its Steps
  bool Any = false;
  bool AsBefore = false; ///< all fields so far are its Steps
};

/// The items of a list, made text as they are found, for the object that
/// printJson() would print of them. What is more than a mebibyte is printed as
/// it comes: the object then begins with its items, whatever their number.
class JsonItems {
public:
  explicit JsonItems(llvm::raw_ostream &Out) : Out(Out) {}
  JsonItems(const JsonItems &) = delete;
  /// Ends what was begun, as not complete, where an error ends the list.
  ~JsonItems();

  const JsonRows &rows() const { return Rows; }
  /// Begins an item; as JsonRows::begin().
  JsonRows &begin(JsonFields &Prepared) {
    if (Text.size() >= (Printing ? Piece : Held))
      printText();
    Text += empty() ? "[\n    " : ",\n    ";
    Rows.begin(Text, Prepared);
    return Rows;
  }
  void add(llvm::json::Object O) {
    JsonFields Fields = Rows.prepare(std::move(O));
    begin(Fields).end();
  }
  bool empty() const { return Text.empty() && !Printing; }
  /// Prints \p Whole, in which these are "items". The list is over then.
  void print(llvm::json::Object Whole);

private:
  static constexpr size_t Piece = 1 << 16, Held = 1 << 20;
  void printText();

  llvm::raw_ostream &Out;
  JsonRows Rows{JsonRows::Indented, 2};
  std::string Text;      ///< what is not printed yet
  bool Printing = false; ///< some were printed
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_JSONROWS_H
