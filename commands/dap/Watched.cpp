//===- Watched.cpp - Data breakpoints of an IDE ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Watched.h"
#include "commands/dap/Messages.h"
#include "commands/dap/Proxy.h"
#include "core/replay/ReplayEngine.h"
#include "core/support/LineWords.h"
#include "core/support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace rw;
using namespace rw::dap;

using Object = json::Object;

std::string dap::whyNotWatched(StringRef DataId) {
  auto [Place, Length] = DataId.split('/');
  uint64_t Addr, Size;
  if (Place.getAsInteger(16, Addr) || Length.getAsInteger(10, Size) || !Size)
    return "'" + printable(DataId.take_front(100)) +
           "' names no memory to watch";
  if (std::string Why = rw::whyNotWatched(Size); !Why.empty())
    return Why;
  if (Addr + (Size - 1) < Addr)
    return "what is to be watched goes on behind the end of memory";
  return "";
}

void dap::describeWatched(Object &Body) {
  if (auto Id = Body.getString("dataId"))
    if (std::string Why = whyNotWatched(*Id); !Why.empty()) {
      Body["dataId"] = nullptr;
      Body["description"] = Why;
    }
  // Clang explains at length.
  if (auto Why = Body.getString("description"))
    if (size_t End = Why->find('\n'); End != StringRef::npos)
      Body["description"] = Why->take_front(End).str();
}

/// Adds where the location is that \p History, Rewind's answer, is about; or
/// \p Text, which says why there is none.
static void placeWatched(const Object *History, StringRef Text, Object &Body) {
  const Object *L = History ? History->getObject("location") : nullptr;
  auto Addr = L ? L->getString("address") : std::nullopt;
  auto Size = L ? L->getInteger("size") : std::nullopt;
  // Without a type it is an address, which the expression has for its value.
  if (!Addr || !Size || !L->getString("type") || !Addr->consume_front("0x")) {
    if (!History && Text.consume_front("error: "))
      Body["description"] = json::fixUTF8(Text.split('\n').first);
    return;
  }
  Body["dataId"] = (*Addr + "/" + Twine(*Size)).str();
  Body["description"] = (Twine(*Size) + " bytes at " + *Addr + " " +
                         L->getString("text").value_or(""))
                            .str();
  Body["accessTypes"] = json::Array{"read", "write", "readWrite"};
  describeWatched(Body);
}

void Proxy::dataBreakpointInfo(Object Message) {
  const Object &A = argumentsOf(Message);
  auto Name = A.getString("name");
  // LLDB would copy it to a place that it makes up, which nobody writes.
  if (Name && Name->contains('$'))
    return answer(Message,
                  Object{{"dataId", nullptr},
                         {"description", json::fixUTF8(*Name) +
                                             " is no place in memory; 'rewind "
                                             "last-write' and 'rewind history' "
                                             "tell who wrote a register"}});
  const int64_t Container = A.getInteger("variablesReference").value_or(0);
  if (auto Path = Paths.find({Container, Name.value_or("").str()});
      Path != Paths.end()) {
    // lldb-dap knows no address of a bit-field.
    Object Original = Message, Named = Message;
    Object &Arguments = *Named.getObject("arguments");
    Arguments.erase("variablesReference");
    Arguments["name"] = Path->second;
    toAdapter(std::move(Message),
              {std::move(Original),
               [=, this, Named = std::move(Named)](const Object &Response) {
                 const Object *Body = Response.getObject("body");
                 if (!Body || !Body->getString("dataId"))
                   return dataBreakpointInfo(Named);
                 Object Told = *Body;
                 describeWatched(Told);
                 answer(Named, std::move(Told));
               }});
    return;
  }
  if (!Name || Container || A.getBoolean("asAddress").value_or(false) ||
      Name->starts_with("&") || Name->starts_with("0x"))
    return forward(std::move(Message));
  // It takes an expression's value for the address.
  Object Original = Message;
  const std::string Place = ("&(" + *Name + ")").str();
  const std::string Question =
      "rewind history --count 1 --json " + quoteWord(*Name);
  auto NotThere = std::make_shared<std::string>();
  focusOn(A, [=](const std::string &Why) { *NotThere = Why; });
  (*Message.getObject("arguments"))["name"] = Place;
  toAdapter(std::move(Message),
            {Original, [=, this](const Object &Response) {
               if (!Response.getBoolean("success").value_or(false))
                 return refuse(
                     Original,
                     Response.getString("message").value_or("").str());
               const Object *Body = Response.getObject("body");
               Object Told = Body ? *Body : Object();
               describeWatched(Told);
               if (Told.getString("dataId"))
                 return answer(Original, std::move(Told));
               // LLDB would have to call an operator of the program.
               runJson(
                   Question,
                   [=, this](const Object *Json, StringRef Text) {
                     Object Answer = Told;
                     if (NotThere->empty())
                       placeWatched(Json, Text, Answer);
                     answer(Original, std::move(Answer));
                   },
                   Original);
             }});
}

/// lldb-dap watches whatever it is told, and is not heard of again if that is
/// not what it has said itself.
void Proxy::setDataBreakpoints(Object Message) {
  const json::Array *All = argumentsOf(Message).getArray("breakpoints");
  json::Array Good;
  std::vector<std::string> Wrong; // empty texts: good ones
  for (const json::Value &V : All ? *All : json::Array()) {
    const Object *B = V.getAsObject();
    Wrong.push_back(
        whyNotWatched(B ? B->getString("dataId").value_or("") : ""));
    if (Wrong.back().empty())
      Good.push_back(V);
  }
  if (Good.size() == Wrong.size())
    return forward(std::move(Message));
  Object Original = Message;
  (*Message.getObject("arguments"))["breakpoints"] = std::move(Good);
  toAdapter(
      std::move(Message),
      {Original, [=, this](const Object &Response) {
         if (!Response.getBoolean("success").value_or(false))
           return refuse(Original,
                         Response.getString("message").value_or("").str());
         const Object *Body = Response.getObject("body");
         const json::Array *Set =
             Body ? Body->getArray("breakpoints") : nullptr;
         json::Array Told;
         size_t Next = 0;
         for (const std::string &Why : Wrong)
           if (!Why.empty())
             Told.push_back(Object{{"verified", false}, {"message", Why}});
           else if (Set && Next < Set->size())
             Told.push_back((*Set)[Next++]);
           else
             Told.push_back(Object{{"verified", false}});
         answer(Original, Object{{"breakpoints", std::move(Told)}});
       }});
}
