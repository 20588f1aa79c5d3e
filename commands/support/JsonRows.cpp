//===- JsonRows.cpp - One JSON object after the other, quickly ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/JsonRows.h"
#include "commands/support/Format.h"
#include "llvm/ADT/STLExtras.h"

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

JsonFields JsonRows::prepare(json::Object O) const {
  JsonFields Fields;
  for (auto &[Name, V] : O) {
    const StringRef Key = Name;
    Fields.List.push_back({Key.str(), text(json::Value(Key), Depth) +
                                          (IsIndented ? ": " : ":") +
                                          text(std::move(V))});
  }
  llvm::sort(Fields.List,
             [](const auto &A, const auto &B) { return A.Name < B.Name; });
  return Fields;
}

std::string &JsonRows::newField(JsonKey Key) {
  const StringRef Name = Key.text();
  const size_t Begin = Out->size();
  const auto &List = Fields->List;
  while (Next < List.size() && List[Next].Name < Name)
    prepared();
  assert((Next == List.size() || List[Next].Name != Name) && "given twice");
  separate();
  *Out += '"';
  Out->append(Name.data(), Name.size());
  Out->append("\": ", IsIndented ? 3 : 2);
  // Rows that end here, or go on otherwise, stay as they are known.
  AsBefore &= At == Fields->Steps.size() && !Fields->Tail;
  if (AsBefore) {
    Fields->Steps.push_back({Key, Out->substr(Begin), Next});
    ++At;
  }
  return *Out;
}

void JsonRows::end() {
  AsBefore &= At == Fields->Steps.size();
  if (AsBefore && Fields->Tail) {
    *Out += *Fields->Tail;
    return;
  }
  const size_t Begin = Out->size();
  while (Next < Fields->List.size())
    prepared();
  if (Any && IsIndented) {
    *Out += '\n';
    Out->append(2 * Depth, ' ');
  }
  *Out += '}';
  if (AsBefore)
    Fields->Tail = Out->substr(Begin);
}

void JsonItems::printText() {
  Out << (Printing ? "" : "{\n  \"items\": ") << Text;
  Text.clear();
  Printing = true;
}

JsonItems::~JsonItems() {
  if (Printing)
    print(json::Object{{"complete", false}});
}

void JsonItems::print(json::Object Whole) {
  Whole.erase("items");
  const StringRef Comma = Whole.empty() ? "" : ",";
  Text += empty() ? "[]" : "\n  ]";
  JsonRows Object(JsonRows::Indented);
  JsonFields Fields = Object.prepare(std::move(Whole));
  std::string Around;
  Object.begin(Around, Fields);
  if (!Printing)
    Object.field("items") += Text;
  Object.end();
  if (Printing)
    Out << Text << Comma << StringRef(Around).drop_front();
  else
    Out << Around;
  Out << "\n";
  Text.clear();
  Printing = false;
}

} // namespace rw
