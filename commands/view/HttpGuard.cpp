//===- HttpGuard.cpp ------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/HttpGuard.h"

using namespace llvm;

namespace rw {

bool isOurHost(StringRef Host, uint16_t Port) {
  size_t Colon = Host.rfind(':');
  if (Colon == StringRef::npos || Host.ends_with("]"))
    return false; // Port 80, which is not ours.
  StringRef Name = Host.take_front(Colon);
  StringRef Digits = Host.drop_front(Colon + 1);
  uint16_t Given;
  if (Digits.size() > 5 || Digits.starts_with("+") ||
      Digits.getAsInteger(10, Given) || Given != Port)
    return false;
  return Name == "127.0.0.1" || Name == "[::1]" ||
         Name.equals_insensitive("localhost");
}

std::optional<HttpRefusal> refuse(const HttpRequestFacts &R, uint16_t Port) {
  if (R.NumHosts != 1 || !isOurHost(R.Host, Port))
    return HttpRefusal{403, "this server is called 127.0.0.1 or localhost"};
  if (R.NumOrigins > 1 || (R.NumOrigins == 1 && R.Origin != "http://" + R.Host))
    return HttpRefusal{403, "requests of other pages are not answered"};
  // A link that leads here is followed; it learns nothing.
  bool Follows = R.Target == "/" && R.FetchMode == "navigate" &&
                 R.FetchDest == "document" && !R.IsUpgrade;
  if (!R.FetchSite.empty() && R.FetchSite != "same-origin" &&
      R.FetchSite != "none" && !Follows)
    return HttpRefusal{403, "requests of other sites are not answered"};
  if (R.Method != "GET" && R.Method != "HEAD")
    return HttpRefusal{405, "only GET and HEAD are understood"};
  if (R.HasBody)
    return HttpRefusal{400, "a request has no body here"};
  if (R.IsUpgrade != (R.Target == "/ask"))
    return HttpRefusal{R.IsUpgrade ? 404u : 426u,
                       R.IsUpgrade ? "questions are asked at /ask"
                                   : "questions are asked by WebSocket"};
  return std::nullopt;
}

bool sameToken(StringRef Given, StringRef Ours) {
  unsigned char Different = Given.size() != Ours.size();
  for (size_t I = 0; I < Ours.size(); ++I)
    Different |= Ours[I] ^ (I < Given.size() ? Given[I] : '\0');
  return !Different;
}

} // namespace rw
