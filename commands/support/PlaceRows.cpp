//===- PlaceRows.cpp - Rows of listings that begin with a place -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/PlaceRows.h"

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

const std::vector<JsonField> &
PlaceRows::fields(const JsonRows &Rows, const Instruction &I, Fields More) {
  return Json.of(I.Insn, [&](const InsnItem &Insn) {
    json::Object O = codeJson(S, Insn.PC);
    More(O, Insn);
    return Rows.prepare(std::move(O));
  });
}

void putValue(const Session &S, JsonRows &Rows, StringRef Key, const Value &V) {
  if (V.FieldWidth || V.Type ||
      (!S.Style.Raw && S.Style.Format != ValueFormat::None)) {
    json::Object O;
    putValue(S, O, Key, V);
    const std::string Text = (Key + "_text").str();
    Rows.field(Key, std::move(*O.get(Key)));
    if (json::Value *Shown = O.get(Text))
      Rows.field(Text, std::move(*Shown));
    return;
  }
  std::string &Out = Rows.field(Key);
  if (!V.anyKnown()) {
    Out += "null";
    return;
  }
  Out += '"';
  appendValue(Out, V.Bytes, V.Known, V.Order);
  Out += '"';
}

} // namespace rw
