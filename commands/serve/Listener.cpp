//===- Listener.cpp - Where connections come in ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/serve/Listener.h"
#include "commands/support/Options.h"
#include <arpa/inet.h>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace rw {

static Error failure(const Twine &What) {
  return userError(What + ": " + strerror(errno));
}

/// Whether \p Local is the socket of somebody who has ended without removing
/// it.
static bool isLeft(const sockaddr_un &Local) {
  struct stat Found;
  if (::lstat(Local.sun_path, &Found) != 0 || !S_ISSOCK(Found.st_mode))
    return false;
  const int FD =
      ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (FD < 0)
    return false;
  const bool Refused = ::connect(FD, reinterpret_cast<const sockaddr *>(&Local),
                                 sizeof(Local)) != 0 &&
                       errno == ECONNREFUSED;
  ::close(FD);
  return Refused;
}

/// What stands where \p Local was to be, if that is no socket; or nothing.
static StringRef otherFile(const sockaddr_un &Local) {
  struct stat Found;
  if (::lstat(Local.sun_path, &Found) != 0 || S_ISSOCK(Found.st_mode))
    return "";
  return S_ISREG(Found.st_mode)   ? "a regular file"
         : S_ISDIR(Found.st_mode) ? "a folder"
         : S_ISLNK(Found.st_mode) ? "a symbolic link"
                                  : "a special file";
}

Listener::~Listener() {
  if (FD >= 0)
    ::close(FD);
  if (!Path.empty())
    ::unlink(Path.c_str());
}

int Listener::release() {
  assert(Path.empty() && "its file goes with the listener");
  return std::exchange(FD, -1);
}

Expected<std::unique_ptr<Listener>> Listener::open(StringRef Text) {
  StringRef Name = Text;
  const bool Unix = Name.consume_front("unix:");
  sockaddr_un Local = {};
  sockaddr_in Net = {};
  if (Unix) {
    Local.sun_family = AF_UNIX;
    if (Name.empty() || Name.size() >= sizeof(Local.sun_path))
      return usageError("a socket's path has 1 to " +
                        Twine(sizeof(Local.sun_path) - 1) + " bytes: '" + Name +
                        "'");
    memcpy(Local.sun_path, Name.data(), Name.size());
  } else {
    auto [Host, Port] = Name.rsplit(':');
    uint16_t Number;
    if (Port.getAsInteger(10, Number))
      return usageError("'" + Text +
                        "' is neither 127.0.0.1:port nor unix:path");
    Net.sin_family = AF_INET;
    Net.sin_port = htons(Number);
    if (Host.empty() || Host == "localhost")
      Host = "127.0.0.1";
    if (inet_pton(AF_INET, Host.str().c_str(), &Net.sin_addr) != 1 ||
        ntohl(Net.sin_addr.s_addr) >> 24 != 127)
      return usageError("'" + Host +
                        "' is not this computer: only 127.0.0.1:port and "
                        "unix:path are served");
  }
  int FD = ::socket(Unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (FD < 0)
    return failure("cannot make a socket");
  std::unique_ptr<Listener> L(new Listener(FD));
  int Yes = 1;
  if (!Unix)
    ::setsockopt(FD, SOL_SOCKET, SO_REUSEADDR, &Yes, sizeof(Yes));
  const mode_t Mask = ::umask(077);
  auto Bind = [&] {
    return Unix
               ? ::bind(FD, reinterpret_cast<sockaddr *>(&Local), sizeof(Local))
               : ::bind(FD, reinterpret_cast<sockaddr *>(&Net), sizeof(Net));
  };
  int Bound = Bind();
  if (Bound != 0 && errno == EADDRINUSE && Unix) {
    if (isLeft(Local) && ::unlink(Local.sun_path) == 0)
      Bound = Bind();
    else
      errno = EADDRINUSE;
  }
  ::umask(Mask);
  if (const int Wrong = errno; Bound != 0 && Wrong == EADDRINUSE && Unix) {
    if (StringRef Other = otherFile(Local); !Other.empty())
      return userError("cannot listen on " + Text + ": that is " + Other +
                       ", no socket");
    errno = Wrong;
  }
  if (Bound != 0)
    return failure("cannot listen on " + Text);
  if (Unix)
    L->Address = L->Path = Name.str();
  if (::listen(FD, SOMAXCONN) != 0)
    return failure("cannot listen on " + Text);
  if (!Unix) {
    socklen_t Size = sizeof(Net);
    if (::getsockname(FD, reinterpret_cast<sockaddr *>(&Net), &Size) != 0)
      return failure("cannot listen on " + Text);
    char Host[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &Net.sin_addr, Host, sizeof(Host));
    L->Address = (Twine(Host) + ":" + Twine(ntohs(Net.sin_port))).str();
  }
  return L;
}

Expected<int> Listener::accept(function_ref<bool()> Stop) {
  constexpr int Period = 100; // milliseconds
  while (!Stop()) {
    pollfd P = {FD, POLLIN, 0};
    const int Ready = ::poll(&P, 1, Period);
    if (Ready < 0 && errno != EINTR)
      return failure("cannot wait for connections");
    if (Ready <= 0)
      continue;
    const int Connection = ::accept4(FD, nullptr, nullptr, SOCK_CLOEXEC);
    if (Connection < 0) {
      if (errno == EINTR || errno == ECONNABORTED)
        continue;
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS) {
        std::this_thread::sleep_for(std::chrono::milliseconds(Period));
        continue;
      }
      return failure("cannot accept a connection");
    }
    int Yes = 1;
    if (Path.empty())
      ::setsockopt(Connection, IPPROTO_TCP, TCP_NODELAY, &Yes, sizeof(Yes));
    return Connection;
  }
  return -1;
}

} // namespace rw
