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
#include "llvm/Support/Errno.h"
#include <arpa/inet.h>
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

  /// A connection from the next of many addresses of this machine, each of
  /// which has ports of its own; -1 with errno.
  int tryConnect() const {
    static unsigned Count = 0;
    int S = ::socket(AF_INET, SOCK_STREAM, 0);
    if (S < 0)
      return -1;
    sockaddr_in From = {}, To = {};
    From.sin_family = To.sin_family = AF_INET;
    From.sin_addr.s_addr = htonl(INADDR_LOOPBACK + ++Count % 65536);
    To.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    To.sin_port = htons(Server->port());
    // A server that hangs is told of, too.
    const timeval Patience = {60, 0};
    if (!::setsockopt(S, SOL_SOCKET, SO_RCVTIMEO, &Patience,
                      sizeof(Patience)) &&
        !::setsockopt(S, SOL_SOCKET, SO_SNDTIMEO, &Patience,
                      sizeof(Patience)) &&
        !::bind(S, reinterpret_cast<sockaddr *>(&From), sizeof(From)) &&
        !::connect(S, reinterpret_cast<sockaddr *>(&To), sizeof(To)))
      return S;
    const int Why = errno;
    ::close(S);
    errno = Why;
    return -1;
  }

  /// The server has failed only if nobody listens. What this machine lacks for
  /// a while (ports, memory, descriptors) and libFuzzer's alarm, which
  /// interrupts, are no reasons.
  int connect() const {
    for (unsigned Tries = 0;; ++Tries) {
      const int S = tryConnect();
      if (S >= 0)
        return S;
      if (errno == ECONNREFUSED || Tries == 1000) {
        errs() << "the server serves no more: " << sys::StrError() << ", after "
               << Tries << " tries\n";
        std::abort();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  /// All that comes back for \p Text.
  std::string exchange(StringRef Text) const {
    const int S = connect();
    std::string Back;
    char Part[4096];
    while (!Text.empty()) {
      ssize_t N = sys::RetryAfterSignal(-1, ::send, S, Text.data(), Text.size(),
                                        MSG_NOSIGNAL);
      if (N <= 0)
        break; // it has heard enough
      Text = Text.drop_front(N);
    }
    ::shutdown(S, SHUT_WR);
    ssize_t N;
    while ((N = sys::RetryAfterSignal(-1, ::recv, S, &Part[0], sizeof(Part),
                                      0)) > 0)
      Back.append(Part, N);
    if (N < 0 && errno == EAGAIN) {
      errs() << "the server neither answers nor closes\n";
      std::abort();
    }
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
