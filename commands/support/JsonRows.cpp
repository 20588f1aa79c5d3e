//===- JsonRows.cpp - One JSON object after the other, quickly ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/JsonRows.h"
#include "commands/support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <sys/mman.h>

using namespace llvm;

namespace rw {

std::string JsonRows::text(json::Value V, unsigned Depth) const {
  std::string Text;
  raw_string_ostream OS(Text);
  if (!IsIndented) {
    printJsonLine(OS, std::move(V));
    Text.pop_back();
    return Text;
  }
  printJson(OS, std::move(V));
  Text.pop_back();
  // Strings have no ends of lines: those are escaped.
  std::string Indented;
  for (char C : Text) {
    Indented += C;
    if (C == '\n')
      Indented.append(2 * Depth, ' ');
  }
  return Indented;
}

std::vector<JsonField> JsonRows::prepare(json::Object O) const {
  std::vector<JsonField> Fields;
  for (auto &[Name, V] : O) {
    const StringRef Key = Name;
    Fields.push_back({Key.str(), text(json::Value(Key), Depth) +
                                     (IsIndented ? ": " : ":") +
                                     text(std::move(V))});
  }
  llvm::sort(Fields, [](const JsonField &A, const JsonField &B) {
    return A.Name < B.Name;
  });
  return Fields;
}

void JsonItems::nextPiece() {
  Full.push_back(std::move(Text));
  Text.clear();
  Text.reserve(Piece + (Piece >> 6));
  // A page that is first written costs as much as some rows.
  constexpr uintptr_t Large = 1 << 21;
  const uintptr_t Begin = alignTo(uintptr_t(Text.data()), Large),
                  End = alignDown(uintptr_t(Text.data()) + Text.capacity(),
                                  Large);
  if (Begin < End)
    madvise(reinterpret_cast<void *>(Begin), End - Begin, MADV_HUGEPAGE);
}

void JsonItems::print(raw_ostream &Out, json::Object Whole) const {
  Whole.erase("items");
  JsonRows Object(JsonRows::Indented);
  const std::vector<JsonField> Fields = Object.prepare(std::move(Whole));
  std::string Around;
  Object.begin(Around, Fields);
  Object.field("items");
  Out << Around << (empty() ? "[" : "");
  for (const std::string &Piece : Full)
    Out << Piece;
  Out << Text << (empty() ? "]" : "\n  ]");
  Around.clear();
  Object.end();
  Out << Around << "\n";
}

} // namespace rw
