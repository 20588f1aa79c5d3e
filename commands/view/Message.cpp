//===- Message.cpp --------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/Message.h"
#include "core/support/Json.h"

using namespace llvm;

namespace rw {

static Error wrong(StringRef Name, const Twine &Wanted) {
  return createStringError("'" + Name + "' must be " + Wanted);
}

static std::optional<uint64_t> whole(const json::Value *V) {
  if (!V)
    return std::nullopt;
  return V->getAsUINT64();
}

bool ViewFields::has(StringRef Name) const {
  const json::Value *V = Fields.get(Name);
  return V && V->kind() != json::Value::Null;
}

Expected<uint64_t> ViewFields::number(StringRef Name, uint64_t Max) const {
  auto N = whole(Fields.get(Name));
  if (!N || *N > Max)
    return wrong(Name, "a number from 0 to " + Twine(Max));
  return *N;
}

Expected<uint64_t> ViewFields::numberOr(StringRef Name, uint64_t Max,
                                        uint64_t Default) const {
  return has(Name) ? number(Name, Max) : Default;
}

Expected<bool> ViewFields::flag(StringRef Name) const {
  if (!has(Name))
    return false;
  auto B = Fields.getBoolean(Name);
  if (!B)
    return wrong(Name, "true or false");
  return *B;
}

Expected<std::string> ViewFields::text(StringRef Name, size_t Max) const {
  auto Text = Fields.getString(Name);
  if (!Text || Text->size() > Max || Text->contains('\0'))
    return wrong(Name, "a text of at most " + Twine(Max) + " bytes");
  return Text->str();
}

Expected<std::string> ViewFields::textOr(StringRef Name, StringRef Default,
                                         size_t Max) const {
  if (!has(Name))
    return Default.str();
  return text(Name, Max);
}

Expected<std::vector<std::string>> ViewFields::texts(StringRef Name) const {
  std::vector<std::string> Texts;
  if (!has(Name))
    return Texts;
  const json::Array *List = Fields.getArray(Name);
  bool Good = List && List->size() <= MaxList;
  for (size_t I = 0; Good && I < List->size(); ++I) {
    auto Text = (*List)[I].getAsString();
    Good = Text && Text->size() <= MaxText && !Text->contains('\0');
    if (Good)
      Texts.push_back(Text->str());
  }
  if (!Good)
    return wrong(Name, "a list of at most " + Twine(MaxList) + " texts");
  return Texts;
}

Error parseViewMessage(StringRef Text, ViewMessage &M) {
  if (Text.size() > ViewMessage::MaxBytes)
    return createStringError("a message of more than " +
                             Twine(ViewMessage::MaxBytes) + " bytes");
  auto Parsed = parseJson(Text);
  if (!Parsed)
    return Parsed.takeError();
  json::Object *O = Parsed->getAsObject();
  M.Number = O ? whole(O->get("n")) : std::nullopt;
  json::Array *Ask = O ? O->getArray("ask") : nullptr;
  if (!M.Number || !Ask || Ask->size() > ViewMessage::MaxQuestions)
    return createStringError("a message must be {\"n\": number, \"ask\": [at "
                             "most " +
                             Twine(ViewMessage::MaxQuestions) + " questions]}");
  for (json::Value &Question : *Ask) {
    json::Object *Fields = Question.getAsObject();
    auto What = Fields ? Fields->getString("what") : std::nullopt;
    if (!What)
      return createStringError("a question must be an object with \"what\"");
    std::string Verb = What->str();
    M.Ask.push_back({std::move(Verb), ViewFields(std::move(*Fields))});
  }
  return Error::success();
}

std::optional<std::string> parseViewToken(StringRef Text) {
  if (Text.size() > 256)
    return std::nullopt;
  auto Parsed = parseJson(Text);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    return std::nullopt;
  }
  const json::Object *O = Parsed->getAsObject();
  auto Token = O ? O->getString("token") : std::nullopt;
  if (!Token)
    return std::nullopt;
  return Token->str();
}

} // namespace rw
