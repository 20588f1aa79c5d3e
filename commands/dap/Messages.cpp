//===- Messages.cpp - Messages of the Debug Adapter Protocol --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Messages.h"
#include "commands/support/Options.h"
#include "core/support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::dap {

static constexpr size_t MaxHeader = 1 << 12;
static constexpr size_t MaxBody = size_t(1) << 28;

Expected<std::optional<json::Object>> receive(ByteChannel &From) {
  std::optional<uint64_t> Length;
  std::string Line;
  for (bool First = true;; First = false) {
    if (!From.readLine(Line, MaxHeader)) {
      if (First && Line.empty())
        return std::nullopt;
      return userError("a message's header ends in the middle, or is too long");
    }
    StringRef Header = StringRef(Line).rtrim('\r');
    if (Header.empty()) {
      if (First)
        continue; // between messages
      break;
    }
    auto [Name, Value] = Header.split(':');
    uint64_t N;
    if (!Name.trim().equals_insensitive("content-length"))
      continue;
    if (Value.trim().getAsInteger(10, N) || N > MaxBody)
      return userError("'" + Header + "' tells no length of a message");
    Length = N;
  }
  if (!Length)
    return userError("a message without Content-Length");
  std::string Body;
  if (!From.readBytes(Body, *Length))
    return userError("a message is cut short");
  auto Value = parseJson(Body);
  if (!Value)
    return Value.takeError();
  if (json::Object *O = Value->getAsObject())
    return std::move(*O);
  return userError("a message that is no JSON object");
}

Error checkOfClient(const json::Object &Message) {
  auto Type = Message.getString("type");
  if (!Type || !is_contained({"request", "response"}, *Type))
    return userError("a message's \"type\" is \"request\" or \"response\"");
  if (Type == StringRef("request") && !Message.getString("command"))
    return userError("a request's \"command\" is a string");
  return Error::success();
}

bool send(ByteChannel &To, json::Object Message) {
  std::string Body;
  raw_string_ostream(Body) << json::Value(std::move(Message));
  return To.write("Content-Length: " + std::to_string(Body.size()) +
                  "\r\n\r\n" + Body);
}

const json::Object &argumentsOf(const json::Object &Message) {
  static const json::Object None;
  const json::Object *A = Message.getObject("arguments");
  return A ? *A : None;
}

bool inConsole(const json::Object &Request) {
  return Request.getString("command") == StringRef("evaluate") &&
         argumentsOf(Request).getString("context") == StringRef("repl");
}

} // namespace rw::dap
