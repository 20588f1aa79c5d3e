//===- ListenerTest.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/serve/Listener.h"
#include "gtest/gtest.h"
#include <arpa/inet.h>
#include <chrono>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace rw;

namespace {

sockaddr_in addressOf(const Listener &L) {
  auto [Host, Port] = llvm::StringRef(L.address()).rsplit(':');
  sockaddr_in To = {};
  To.sin_family = AF_INET;
  To.sin_port = htons(std::stoi(Port.str()));
  EXPECT_EQ(inet_pton(AF_INET, Host.str().c_str(), &To.sin_addr), 1);
  return To;
}

bool connects(int FD, sockaddr_in To) {
  return ::connect(FD, reinterpret_cast<sockaddr *>(&To), sizeof(To)) == 0;
}

TEST(Listener, WaitsForAFileDescriptor) {
  auto Door = llvm::cantFail(Listener::open("127.0.0.1:0"));
  int Client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_TRUE(connects(Client, addressOf(*Door)));
  // None is left but what is open.
  rlimit Old;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &Old), 0);
  int Next = ::fcntl(Client, F_DUPFD_CLOEXEC, 0);
  ASSERT_GE(Next, 0);
  ::close(Next);
  rlimit None = {rlim_t(Next), Old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &None), 0);
  unsigned Asked = 0;
  auto Stop = [&] {
    if (++Asked == 3)
      ::setrlimit(RLIMIT_NOFILE, &Old);
    return Asked > 10;
  };
  const auto Begun = std::chrono::steady_clock::now();
  auto FD = Door->accept(Stop);
  ::setrlimit(RLIMIT_NOFILE, &Old);
  ASSERT_TRUE(bool(FD)) << llvm::toString(FD.takeError());
  EXPECT_GE(*FD, 0);
  EXPECT_EQ(Asked, 3u);
  // It does not ask all the time meanwhile.
  EXPECT_GT(std::chrono::steady_clock::now() - Begun,
            std::chrono::milliseconds(100));
  ::close(*FD);
  ::close(Client);
}

TEST(Listener, IsReleasedToWhoAcceptsHimself) {
  auto Door = llvm::cantFail(Listener::open("127.0.0.1:0"));
  const sockaddr_in Here = addressOf(*Door);
  const int Socket = Door->release();
  EXPECT_NE(::fcntl(Socket, F_GETFD) & FD_CLOEXEC, 0);
  Door.reset();
  int Client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_TRUE(connects(Client, Here));
  ::close(Client);
  ::close(Socket);
  Client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_FALSE(connects(Client, Here));
  ::close(Client);
}

} // namespace
