//===- Texts.cpp - What users write in an IDE -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Texts.h"
#include "commands/dap/Messages.h"
#include "core/expr/ExpressionSize.h"
#include "core/support/Json.h"
#include "core/support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace rw;
using namespace rw::dap;

bool dap::isOurCommand(StringRef Text) {
  StringRef Word = Text.ltrim().take_until(isSpace);
  return is_contained({"rewind", "reverse-stepi", "rsi", "reverse-nexti", "rni",
                       "reverse-step", "rs", "reverse-next", "rn",
                       "reverse-finish", "rf", "reverse-continue", "rc"},
                      Word);
}

/// Whether \p Word is \p Name, or a beginning of it that is no other command's.
static bool abbreviates(StringRef Word, StringRef Name, size_t Least) {
  return Word.size() >= Least && Name.starts_with(Word);
}

Halting dap::haltingOf(const json::Object &Request, StringRef Escape) {
  if (!inConsole(Request))
    return Halting::No;
  StringRef Text = argumentsOf(Request).getString("expression").value_or("");
  Text = Text.ltrim();
  Text.consume_front(Escape);
  auto [Verb, Rest] = getToken(Text);
  if (!abbreviates(Verb, "process", 4))
    return abbreviates(Verb, "kill", 4) || abbreviates(Verb, "detach", 3)
               ? Halting::Ends
               : Halting::No;
  StringRef What = getToken(Rest).first;
  if (abbreviates(What, "interrupt", 1))
    return Halting::Interrupts;
  return abbreviates(What, "kill", 1) || abbreviates(What, "detach", 1) ||
                 abbreviates(What, "signal", 2)
             ? Halting::Ends
             : Halting::No;
}

Said dap::readSaid(StringRef Text) {
  Said S;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    StringRef Whole = Line;
    // An indented value ends at the first line that begins as its last does.
    if (Line == "{" || Line == "[") {
      StringRef Close = Line == "{" ? "}" : "]";
      do {
        std::tie(Line, Rest) = Rest.split('\n');
        Whole = StringRef(Text.begin(), size_t(Line.end() - Text.begin()));
      } while (Line != Close && !Rest.empty());
    }
    Text = Rest;
    if (Whole.starts_with("{") || Whole.starts_with("[")) {
      auto Value = parseJson(Whole);
      if (Value) {
        S.Json.push_back(std::move(*Value));
        continue;
      }
      consumeError(Value.takeError());
      S.Broken = true;
    } else if (Whole.starts_with("warning: ")) {
      S.Warnings += (Whole + "\n").str();
    }
  }
  return S;
}

/// Asks \p Check of all texts in \p V, with their keys.
static Error
eachText(const json::Value &V, StringRef Key,
         function_ref<Error(StringRef Text, StringRef Key)> Check) {
  if (auto Text = V.getAsString())
    return Check(*Text, Key);
  if (const json::Array *List = V.getAsArray())
    for (const json::Value &Item : *List)
      if (Error E = eachText(Item, Key, Check))
        return E;
  if (const json::Object *O = V.getAsObject())
    for (const auto &[Name, Item] : *O)
      if (Error E = eachText(Item, Name, Check))
        return E;
  return Error::success();
}

Error dap::checkTexts(const json::Object &Request, StringRef Escape) {
  // Longer than anybody writes.
  constexpr size_t MaxText = size_t(1) << 14;
  const json::Value *Arguments = Request.get("arguments");
  if (!Arguments)
    return Error::success();
  // Commands of ours look at their expressions themselves.
  const bool Ours =
      Request.getString("command").value_or("").starts_with("rewind/");
  return eachText(*Arguments, "", [&](StringRef Text, StringRef Key) -> Error {
    if (Text.size() > MaxText)
      return createStringError("a text of " + Twine(Text.size()) +
                               " bytes is too long: at most " + Twine(MaxText) +
                               " are passed on");
    if (Text.contains('\0'))
      return createStringError("a text with a zero byte in it would be cut "
                               "there: " +
                               printable(Text.take_front(100)));
    if (Ours || !is_contained({"expression", "condition", "hitCondition",
                               "logMessage", "name", "text", "value"},
                              Key))
      return Error::success();
    Text.consume_front(Escape);
    if (isOurCommand(Text))
      return Error::success();
    if (Error E = checkExpressionSize(Text))
      return E;
    // Clang reads conditions.
    return Key.contains_insensitive("condition") || Text.starts_with("expr")
               ? Error::success()
               : checkVariablePath(Text);
  });
}

Error dap::checkRead(const json::Object &Arguments) {
  constexpr uint64_t MaxRead = uint64_t(1) << 24;
  const json::Value *Count = Arguments.get("count");
  auto Bytes = Count ? Count->getAsNumber() : std::nullopt;
  if (!Bytes || *Bytes <= double(MaxRead))
    return Error::success();
  return createStringError("at most " + Twine(MaxRead) +
                           " bytes are read at once");
}
