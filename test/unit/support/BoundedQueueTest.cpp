//===- BoundedQueueTest.cpp - Things on their way between threads ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/BoundedQueue.h"
#include "gtest/gtest.h"
#include <atomic>
#include <memory>
#include <thread>

using namespace rw;

using Thing = std::unique_ptr<int>; // cannot be copied

TEST(BoundedQueue, KeepsOrder) {
  BoundedQueue<Thing> Q(3);
  std::thread Maker([&] {
    for (int I = 0; I < 10000; ++I)
      EXPECT_TRUE(Q.push(std::make_unique<int>(I)));
    Q.close();
  });
  int Next = 0;
  while (auto T = Q.pop())
    EXPECT_EQ(**T, Next++);
  EXPECT_EQ(Next, 10000);
  EXPECT_FALSE(Q.pop());
  Maker.join();
}

/// What is made but not taken is never more than there is room for.
TEST(BoundedQueue, Waits) {
  constexpr int Room = 4;
  BoundedQueue<int> Q(Room);
  std::atomic<int> Taken = 0;
  std::thread Maker([&] {
    for (int I = 0; I < 5000; ++I) {
      Q.push(int(I));
      EXPECT_LE(I + 1 - Taken.load(),
                Room + 1); // one on its way to the counter
    }
    Q.close();
  });
  while (Q.pop())
    ++Taken;
  EXPECT_EQ(Taken, 5000);
  Maker.join();
}

/// Each thing is taken once, whoever makes and takes them.
TEST(BoundedQueue, ManyThreads) {
  constexpr int Makers = 3, Takers = 3, Each = 4000;
  BoundedQueue<int> Q(5);
  std::vector<std::atomic<int>> Seen(Makers * Each);
  std::vector<std::thread> Threads;
  for (int M = 0; M < Makers; ++M)
    Threads.emplace_back([&, M] {
      for (int I = 0; I < Each; ++I)
        Q.push(M * Each + I);
    });
  std::vector<std::thread> Others;
  for (int T = 0; T < Takers; ++T)
    Others.emplace_back([&] {
      while (auto V = Q.pop())
        ++Seen[*V];
    });
  for (std::thread &T : Threads)
    T.join();
  Q.close();
  for (std::thread &T : Others)
    T.join();
  for (auto &S : Seen)
    EXPECT_EQ(S, 1);
}

/// Who waits is woken: the maker for room, the taker for more.
TEST(BoundedQueue, Closes) {
  BoundedQueue<Thing> Q(1);
  EXPECT_TRUE(Q.push(std::make_unique<int>(1)));
  Thing Left = std::make_unique<int>(2);
  std::thread Maker([&] { EXPECT_FALSE(Q.push(std::move(Left))); });
  Q.close();
  Maker.join();
  ASSERT_TRUE(Left) << "what was not taken is the maker's";
  EXPECT_EQ(**Q.pop(), 1);
  EXPECT_FALSE(Q.tryPop());

  BoundedQueue<Thing> Empty(1);
  std::thread Taker([&] { EXPECT_FALSE(Empty.pop()); });
  Empty.close();
  Taker.join();
  EXPECT_FALSE(Empty.push(std::make_unique<int>(3)));
}
