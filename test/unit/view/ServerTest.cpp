//===- ServerTest.cpp - Pages that do not read ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/Server.h"
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <gtest/gtest.h>
#include <thread>

using namespace rw;
namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

namespace {

constexpr size_t Large = 100000;

/// Serves until it goes; the answer to a message is the message, and long.
class Serving {
public:
  Serving() {
    ViewServer::Options O;
    O.Answer = [this](llvm::StringRef Message) {
      ++Answered;
      return Message.str() + std::string(Large, ' ');
    };
    Server = llvm::cantFail(ViewServer::open(std::move(O)));
    Thread = std::thread([this] {
      llvm::cantFail(Server->run([this] { return Ends.load(); }));
    });
  }
  ~Serving() {
    Ends = true;
    Thread.join();
  }
  std::unique_ptr<ViewServer> Server;
  std::atomic<unsigned> Answered = 0;

private:
  std::atomic<bool> Ends = false;
  std::thread Thread;
};

class Client {
public:
  explicit Client(const ViewServer &Of) {
    beast::get_lowest_layer(Page).connect(
        tcp::endpoint(asio::ip::address_v4::loopback(), Of.port()));
    Page.handshake("127.0.0.1:" + std::to_string(Of.port()), "/ask");
    const std::string Url = Of.url();
    say("{\"token\":\"" + Url.substr(Url.find("#t=") + 3) + "\"}");
    EXPECT_EQ(hear(), "{\"known\":true}");
  }
  void say(const std::string &Text) { Page.write(asio::buffer(Text)); }
  /// What comes, without blanks at its end.
  std::string hear() {
    beast::flat_buffer Buffer;
    Page.read(Buffer);
    return llvm::StringRef(beast::buffers_to_string(Buffer.data()))
        .rtrim()
        .str();
  }

private:
  asio::io_context Context;
  beast::websocket::stream<beast::tcp_stream> Page{Context};
};

/// How many answers others have, once they are given no more. One thread
/// answers all: whom it could answer it would, between two answers to \p Good,
/// of which \p Asked says how many there were.
unsigned settled(Serving &S, Client &Good, unsigned &Asked) {
  for (unsigned Last = ~0u, Still = 0;;) {
    Good.say("others");
    EXPECT_EQ(Good.hear(), "others");
    const unsigned Now = S.Answered - ++Asked;
    Still = Now == Last ? Still + 1 : 0;
    if (Still == 10)
      return Now;
    Last = Now;
  }
}

} // namespace

TEST(ViewServer, WhoDoesNotReadIsNotAnswered) {
  Serving S;
  Client Lazy(*S.Server), Good(*S.Server);
  constexpr unsigned Asked = 1000;
  for (unsigned N = 0; N < Asked; ++N)
    Lazy.say(std::to_string(N));
  // Some are in the system's buffers, a megabyte here.
  unsigned Others = 0;
  EXPECT_LT(settled(S, Good, Others), 200u);
  // Once it reads, it has all of them.
  for (unsigned N = 0; N < Asked; ++N)
    ASSERT_EQ(Lazy.hear(), std::to_string(N));
  EXPECT_EQ(S.Answered, Asked + Others);
}

TEST(ViewServer, WhoDoesNotReadGetsTheLastNews) {
  Serving S;
  Client Lazy(*S.Server), Good(*S.Server);
  constexpr unsigned Told = 1000;
  for (unsigned N = 0; N < Told; ++N) {
    S.Server->tell(std::to_string(N) + std::string(Large, ' '));
    ASSERT_EQ(Good.hear(), std::to_string(N));
  }
  unsigned Heard = 0, Last = 0;
  while (Last + 1 < Told) {
    unsigned Next = std::stoul(Lazy.hear());
    EXPECT_TRUE(Heard == 0 || Next > Last);
    ++Heard;
    Last = Next;
  }
  EXPECT_LT(Heard, 200u);
  // What comes after is what is asked and told then.
  Lazy.say("asked");
  EXPECT_EQ(Lazy.hear(), "asked");
  S.Server->tell("more");
  EXPECT_EQ(Lazy.hear(), "more");
}
