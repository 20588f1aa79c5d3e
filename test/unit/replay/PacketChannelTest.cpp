//===- PacketChannelTest.cpp - Framing ------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/PacketChannel.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace rw;

namespace {

class PacketChannelTest : public testing::Test {
protected:
  void SetUp() override {
    int FDs[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, FDs), 0);
    Channel = std::make_unique<PacketChannel>(FDs[0]);
    Other = FDs[1];
  }
  void TearDown() override {
    if (Other >= 0)
      ::close(Other);
  }
  void put(llvm::StringRef Bytes) {
    ASSERT_EQ(::write(Other, Bytes.data(), Bytes.size()),
              ssize_t(Bytes.size()));
  }
  std::string got(size_t Size) {
    std::string Text(Size, 0);
    for (size_t N = 0; N < Size;) {
      ssize_t R = ::read(Other, Text.data() + N, Size - N);
      if (R <= 0)
        return Text.substr(0, N);
      N += size_t(R);
    }
    return Text;
  }

  std::unique_ptr<PacketChannel> Channel;
  int Other = -1;
  std::string Packet;
};

/// A packet around \p Body, with a right or a wrong checksum.
std::string framed(llvm::StringRef Body, unsigned Off = 0) {
  uint8_t Sum = uint8_t(Off);
  for (char C : Body)
    Sum += uint8_t(C);
  return "$" + Body.str() + "#" + llvm::toHex(llvm::ArrayRef(Sum), true);
}

TEST_F(PacketChannelTest, AcknowledgesAndUnescapes) {
  put("+" + framed("m10,4", 1) + framed("m10,4") + framed("a}\x03z"));
  EXPECT_EQ(Channel->receive(Packet), PacketChannel::Event::Packet);
  EXPECT_EQ(Packet, "m10,4");
  EXPECT_EQ(got(2), "-+") << "the first one's checksum was wrong";
  EXPECT_EQ(Channel->receive(Packet), PacketChannel::Event::Packet);
  EXPECT_EQ(Packet, "a#z");
  EXPECT_EQ(got(1), "+");
}

TEST_F(PacketChannelTest, EscapesWhatItSends) {
  ASSERT_TRUE(Channel->send("a$#}*b"));
  std::string Sent = got(strlen("$a}\x04}\x03}]}\nb#") + 2);
  EXPECT_EQ(Sent.substr(0, Sent.size() - 2), "$a}\x04}\x03}]}\nb#");
}

TEST_F(PacketChannelTest, SendsAgainWhenAsked) {
  ASSERT_TRUE(Channel->send("OK"));
  EXPECT_EQ(got(6), "$OK#9a");
  put("-$?#3f");
  EXPECT_EQ(Channel->receive(Packet), PacketChannel::Event::Packet);
  EXPECT_EQ(got(7), "$OK#9a+");
}

TEST_F(PacketChannelTest, InterruptAndEnd) {
  put("\x03");
  EXPECT_EQ(Channel->receive(Packet), PacketChannel::Event::Interrupt);
  put("$never ends");
  ::close(Other);
  Other = -1;
  EXPECT_EQ(Channel->receive(Packet), PacketChannel::Event::Closed);
}

TEST_F(PacketChannelTest, AnInterruptLastsAsLongAsItsPacket) {
  put(framed("c"));
  ASSERT_EQ(Channel->receive(Packet), PacketChannel::Event::Packet);
  EXPECT_FALSE(Channel->interrupted());
  put("\x03" + framed("s"));
  EXPECT_TRUE(Channel->interrupted());
  EXPECT_TRUE(Channel->interrupted()) << "whoever asks again must know, too";
  ASSERT_EQ(Channel->receive(Packet), PacketChannel::Event::Packet);
  EXPECT_EQ(Packet, "s");
  EXPECT_FALSE(Channel->interrupted());
}

TEST_F(PacketChannelTest, AFirstPacketThatWasSentAgainIsOne) {
  const std::string First = framed("qSupported:swbreak+");
  put("+" + First + First + First + framed("?") + framed("s") + framed("s"));
  for (llvm::StringRef Expected : {"qSupported:swbreak+", "?", "s", "s"}) {
    ASSERT_EQ(Channel->receive(Packet), PacketChannel::Event::Packet);
    EXPECT_EQ(Packet, Expected);
  }
  EXPECT_EQ(got(4), "++++");
}

TEST_F(PacketChannelTest, AFirstPacketThatIsAskedAgainIsTwo) {
  put("+" + framed("?"));
  ASSERT_EQ(Channel->receive(Packet), PacketChannel::Event::Packet);
  put("+" + framed("?"));
  ASSERT_EQ(Channel->receive(Packet), PacketChannel::Event::Packet);
  EXPECT_EQ(Packet, "?");
  EXPECT_EQ(got(2), "++");
}

TEST_F(PacketChannelTest, EndlessPacketEndsTheConnection) {
  std::thread Writer([&] {
    std::string Block(1 << 16, 'a');
    put("$");
    for (int I = 0; I < 17; ++I)
      if (::send(Other, Block.data(), Block.size(), MSG_NOSIGNAL) <= 0)
        break;
  });
  EXPECT_EQ(Channel->receive(Packet), PacketChannel::Event::Closed);
  Channel.reset();
  Writer.join();
}

TEST_F(PacketChannelTest, ShutdownWakesTheReader) {
  std::thread Reader([&] {
    EXPECT_EQ(Channel->receive(Packet), PacketChannel::Event::Closed);
  });
  Channel->shutdown();
  Reader.join();
}

} // namespace
