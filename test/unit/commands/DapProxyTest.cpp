//===- DapProxyTest.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Messages.h"
#include "test/unit/commands/DapModel.h"
#include "gtest/gtest.h"
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace rw;
using namespace llvm;

namespace {

TEST(DapProxy, EachRequestIsAnsweredOnce) {
  uint64_t Answered = 0, Stops = 0, Died = 0;
  for (unsigned Seed = 0; Seed < 1500; ++Seed) {
    std::mt19937_64 R(Seed);
    DapModel Model([&](unsigned Below) { return unsigned(R() % Below); });
    const std::string Wrong = Model.run(Seed % 200 + 1);
    ASSERT_EQ(Wrong, "") << "seed " << Seed;
    Answered += Model.answered();
    Stops += Model.stops();
    Died += Model.died();
  }
  // It was tested.
  EXPECT_GT(Answered, 22500u);
  EXPECT_GT(Stops, 2500u);
  EXPECT_GT(Died, 50u);
}

/// A channel that holds \p Text.
std::unique_ptr<ByteChannel> holding(StringRef Text) {
  const int FD = memfd_create("messages", MFD_CLOEXEC);
  EXPECT_EQ(write(FD, Text.data(), Text.size()), ssize_t(Text.size()));
  lseek(FD, 0, SEEK_SET);
  return std::make_unique<ByteChannel>(FD, FD);
}

TEST(DapMessages, AnyBeginningOfAStream) {
  std::string Stream;
  std::vector<size_t> Ends = {0};
  for (int N = 0; N < 4; ++N) {
    const std::string Body = "{\"seq\":" + std::to_string(N) +
                             ",\"text\":\"\\r\\n\\r\\n{\xc3\xa9\"}";
    Stream += (N % 2 ? "content-length:" : "Content-Length: ") +
              std::to_string(Body.size()) +
              (N == 3 ? "\r\nContent-Type: x\r\n\r\n" : "\r\n\r\n") + Body;
    Ends.push_back(Stream.size());
  }
  for (size_t Cut = 0; Cut <= Stream.size(); ++Cut) {
    auto Channel = holding(StringRef(Stream).take_front(Cut));
    size_t Whole = 0;
    while (Whole + 1 < Ends.size() && Ends[Whole + 1] <= Cut)
      ++Whole;
    for (size_t N = 0; N < Whole; ++N) {
      auto Message = cantFail(dap::receive(*Channel));
      ASSERT_TRUE(Message);
      EXPECT_EQ(Message->getInteger("seq"), int64_t(N));
    }
    auto Rest = dap::receive(*Channel);
    if (Cut == Ends[Whole])
      EXPECT_FALSE(cantFail(std::move(Rest)));
    else
      EXPECT_FALSE(bool(Rest)) << Cut;
    consumeError(Rest.takeError());
  }
}

TEST(DapMessages, WhatIsNoMessage) {
  for (StringRef Text :
       {"x\r\n\r\n{}", "Content-Length: x\r\n\r\n{}",
        "Content-Length: -1\r\n\r\n{}", "Content-Length: 99999999999\r\n\r\n{}",
        "Content-Length: 2\r\n\r\n[]", "Content-Length: 2\r\n\r\n{x",
        "Content-Length: 3\r\n\r\n{}"}) {
    auto Message = dap::receive(*holding(Text));
    EXPECT_FALSE(bool(Message)) << Text.str();
    consumeError(Message.takeError());
  }
  auto Long = dap::receive(*holding(std::string(1 << 20, 'x')));
  EXPECT_FALSE(bool(Long));
  consumeError(Long.takeError());
}

} // namespace
