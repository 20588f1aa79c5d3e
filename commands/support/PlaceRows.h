//===- PlaceRows.h - Rows of listings that begin with a place ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_PLACEROWS_H
#define REWIND_COMMANDS_SUPPORT_PLACEROWS_H

#include "commands/support/CodeCache.h"
#include "commands/support/Format.h"
#include "commands/support/JsonRows.h"

namespace rw {

/// What rows say of the place of their instruction, quickly: names and lines
/// are looked up once for each instruction of the program. One per listing.
class PlaceRows {
public:
  /// Fields of JSON that also follow from the program's instruction.
  using Fields =
      llvm::function_ref<void(llvm::json::Object &, const InsnItem &)>;

  explicit PlaceRows(Session &S) : S(S) {}

  /// Appends "#12  34 clk  0x8040  quicksort+0x8 at quicksort.c:7", in columns.
  void text(std::string &Out, const Instruction &I);

  /// The fields of codeJson(), and \p More, of an item; valid until the next
  /// call.
  JsonFields &fields(const JsonRows &Rows, const Instruction &I, Fields More);
  /// The fields of addWhen(), one after the other: others may be between them.
  void line(JsonRows &Rows, const Instruction &I) const {
    if (I.Line)
      Rows.field("line", I.Line);
  }
  void position(JsonRows &Rows, const Instruction &I) const {
    Rows.field("position", I.Pos);
  }
  void threadAndTime(JsonRows &Rows, const Instruction &I) const {
    Rows.field("thread", uint64_t(I.Thread) + 1);
    if (auto Time = timeOf(S.Store, I))
      Rows.field("time", *Time);
    else
      Rows.field("time").append("null");
  }

private:
  Session &S;
  CodeCache<std::string> Texts;
  CodeCache<JsonFields> Json;
};

/// putValue() into a row.
void putValue(const Session &S, JsonRows &Rows, llvm::StringRef Key,
              const Value &V);

/// putValue() of what a location held before and after each of its writes: a
/// row's new value, mostly the next one's old value, is made text once. One per
/// listing of one location.
class ChangingValue {
public:
  explicit ChangingValue(const Session &S) : S(S) {}
  void put(JsonRows &Rows, const Value &New, const Value &Old);

private:
  struct Told {
    std::vector<uint8_t> Held, Known;
    std::string Bytes, Text; ///< the fields as JSON; no text: there is no such
  };
  void tell(const JsonRows &Rows, const Value &V, Told &Its) const;

  const Session &S;
  Told Last, Now;
  bool Follows = false; ///< a row, whose new value is Last
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_PLACEROWS_H
