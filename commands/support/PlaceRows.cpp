//===- PlaceRows.cpp - Rows of listings that begin with a place -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/PlaceRows.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/SmallString.h"

using namespace llvm;

namespace rw {

void PlaceRows::text(std::string &Out, const Instruction &I) {
  const size_t Begin = Out.size();
  appendPlace(Out, S.Store, I.Thread, I.Pos);
  if (const size_t Has = Out.size() - Begin; Has < 10)
    Out.append(10 - Has, ' ');
  if (S.Store.header().Can.Time) {
    appendTime(Out, S.Store, timeOf(S.Store, I), 14);
    Out += "  ";
  }
  Out += Texts.of(I.Insn, [&](const InsnItem &Insn) {
    std::string Text =
        hex(Insn.PC, S.Store.header().Architecture == Arch::Arm ? 8 : 0);
    if (std::string Code = formatCode(S, Insn.PC); !Code.empty())
      Text += "  " + Code;
    return Text;
  });
}

JsonFields &PlaceRows::fields(const JsonRows &Rows, const Instruction &I,
                              Fields More) {
  return Json.of(I.Insn, [&](const InsnItem &Insn) {
    json::Object O = codeJson(S, Insn.PC);
    More(O, Insn);
    return Rows.prepare(std::move(O));
  });
}

/// The session's way to show values is more than their bytes.
static bool hasText(const Session &S, const Value &V) {
  return !S.Style.Raw && (V.Type || S.Style.Format != ValueFormat::None);
}

static void appendBytes(std::string &Out, const Value &V) {
  if (!isTold(V)) {
    Out += "null";
    return;
  }
  Out += '"';
  appendValue(Out, V);
  Out += '"';
}

static void appendText(const Session &S, const JsonRows &Rows, std::string &Out,
                       const Value &V) {
  if (isTold(V))
    Rows.appendText(Out, [&](std::string &To) { appendShown(To, S, V); });
  else
    Out += "null";
}

void putValue(const Session &S, JsonRows &Rows, StringRef Key, const Value &V) {
  appendBytes(Rows.field(Key), V);
  if (hasText(S, V))
    appendText(S, Rows, Rows.field(StringRef(SmallString<32>{Key, "_text"})),
               V);
}

void ChangingValue::tell(const JsonRows &Rows, const Value &V,
                         Told &Its) const {
  Its.Held.assign(V.Bytes.begin(), V.Bytes.end());
  Its.Known.assign(V.Known.begin(), V.Known.end());
  Its.Bytes.clear();
  appendBytes(Its.Bytes, V);
  Its.Text.clear();
  if (hasText(S, V))
    appendText(S, Rows, Its.Text, V);
}

void ChangingValue::put(JsonRows &Rows, const Value &New, const Value &Old) {
  // What a pointer or a container leads to may change while it does not.
  if (S.Style.Format != ValueFormat::None ||
      (New.Type && New.Type->Kind >= TypeKind::Pointer)) {
    putValue(S, Rows, "new", New);
    putValue(S, Rows, "old", Old);
    return;
  }
  if (!Follows || Last.Held != Old.Bytes || Last.Known != Old.Known)
    tell(Rows, Old, Last);
  tell(Rows, New, Now);
  Rows.field("new") += Now.Bytes;
  if (!Now.Text.empty())
    Rows.field("new_text") += Now.Text;
  Rows.field("old") += Last.Bytes;
  if (!Last.Text.empty())
    Rows.field("old_text") += Last.Text;
  std::swap(Last, Now);
  Follows = true;
}

} // namespace rw
