//===- HttpGuard.h - Which requests a loopback page answers ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every page that a user has open can send requests to his own machine, and a
// name of another site may be made to mean 127.0.0.1. So a request is answered
// only if it says that it is for this server, and comes from its own page. The
// trace itself is told only to who knows the token (see Server.h).
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_HTTPGUARD_H
#define REWIND_COMMANDS_VIEW_HTTPGUARD_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace rw {

/// What of a request matters. A header that came twice is one that is wrong:
/// count it in NumHosts or NumOrigins.
struct HttpRequestFacts {
  std::string Method, Target;
  std::string Host, Origin;
  unsigned NumHosts = 0, NumOrigins = 0;
  std::string FetchSite, FetchMode, FetchDest; ///< Sec-Fetch-*; empty: not sent
  bool IsUpgrade = false;                      ///< to a WebSocket
  bool HasBody = false;
};

struct HttpRefusal {
  unsigned Status;
  std::string Text;
};

/// Whether \p Host, as a browser sends it, is this machine at \p Port:
/// "127.0.0.1:4711", "localhost:4711" or "[::1]:4711", and nothing else.
bool isOurHost(llvm::StringRef Host, uint16_t Port);

/// Why the request is not answered; nothing if it is.
std::optional<HttpRefusal> refuse(const HttpRequestFacts &R, uint16_t Port);

/// Whether they are the same; takes as long whatever they are.
bool sameToken(llvm::StringRef Given, llvm::StringRef Ours);

} // namespace rw

#endif // REWIND_COMMANDS_VIEW_HTTPGUARD_H
