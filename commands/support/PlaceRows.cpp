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

void putValue(const Session &S, JsonRows &Rows, StringRef Key, const Value &V) {
  std::string &Out = Rows.field(Key);
  const bool Told = isTold(V);
  if (Told) {
    Out += '"';
    appendValue(Out, V);
    Out += '"';
  } else {
    Out += "null";
  }
  if (S.Style.Raw || (!V.Type && S.Style.Format == ValueFormat::None))
    return;
  const SmallString<32> Text = {Key, "_text"};
  if (Told)
    Rows.textField(Text, [&](std::string &To) { appendShown(To, S, V); });
  else
    Rows.field(Text) += "null";
}

} // namespace rw
