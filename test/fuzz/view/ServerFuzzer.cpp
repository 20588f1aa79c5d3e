//===- ServerFuzzer.cpp - What strangers may send to the page's server ----===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input goes to the server over its socket: as a request; behind a request
// that becomes a WebSocket; or behind that and the token. Without the token
// nothing of the trace may come back, and the server serves on, whatever it
// was.
//
//===----------------------------------------------------------------------===//

#include "commands/view/Message.h"
#include "commands/view/Server.h"
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace rw;
using namespace llvm;

namespace {

constexpr StringLiteral Secret = "of the trace";

struct Served {
  std::unique_ptr<ViewServer> Server;
  std::string Token;

  Served() {
    ViewServer::Options O;
    O.Answer = [](StringRef Message) {
      ViewMessage M;
      return Secret.str() + toString(parseViewMessage(Message, M));
    };
    O.SilenceSeconds = 1;
    Server = cantFail(ViewServer::open(std::move(O)));
    Token = StringRef(Server->url()).split("#t=").second.str();
    std::thread([this] {
      cantFail(Server->run([] { return false; }));
    }).detach();
  }

  /// All that comes back for \p Text.
  std::string exchange(StringRef Text) const {
    int S = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in To = {};
    To.sin_family = AF_INET;
    To.sin_port = htons(Server->port());
    To.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // Each of many addresses of this machine has ports of its own.
    static unsigned Count = 0;
    sockaddr_in From = {};
    From.sin_family = AF_INET;
    From.sin_addr.s_addr = htonl(INADDR_LOOPBACK + ++Count % 65536);
    if (S < 0 || ::bind(S, reinterpret_cast<sockaddr *>(&From), sizeof(From)) ||
        ::connect(S, reinterpret_cast<sockaddr *>(&To), sizeof(To))) {
      std::perror("the server serves no more");
      std::abort();
    }
    std::string Back;
    char Part[4096];
    while (!Text.empty()) {
      ssize_t N = ::send(S, Text.data(), Text.size(), MSG_NOSIGNAL);
      if (N <= 0)
        break; // it has heard enough
      Text = Text.drop_front(N);
    }
    ::shutdown(S, SHUT_WR);
    for (ssize_t N; (N = ::recv(S, Part, sizeof(Part), 0)) > 0;)
      Back.append(Part, N);
    ::close(S);
    return Back;
  }
};

/// A frame of a client that masks with zeros.
std::string frame(StringRef Text) {
  std::string F = "\x81";
  F += char(0x80 | Text.size());
  return F + std::string(4, '\0') + Text.str();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static Served &S = *new Served();
  if (!Size)
    return 0;
  StringRef Input(reinterpret_cast<const char *>(Data + 1), Size - 1);
  const std::string Host =
      "Host: 127.0.0.1:" + std::to_string(S.Server->port());
  const std::string Upgrade =
      "GET /ask HTTP/1.1\r\n" + Host +
      "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
      "13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
  std::string Sent;
  const bool Known = Data[0] % 4 == 3;
  switch (Data[0] % 4) {
  case 0:
    Sent = Input.str();
    break;
  case 1: { // a first line, and what is for this server
    auto [First, Rest] = Input.split('\n');
    Sent = (First + "\r\n" + Host + "\r\n" + Rest).str();
    break;
  }
  default:
    Sent = Upgrade;
    if (Known)
      Sent += frame("{\"token\":\"" + S.Token + "\"}");
    Sent += Input;
  }
  std::string Back = S.exchange(Sent);
  if (!Known && StringRef(Back).contains(Secret)) {
    errs() << "what only who knows the token may see: " << Back << '\n';
    std::abort();
  }
  return 0;
}
