//===- FolderLockTest.cpp - One at a time, and never for ever -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/FolderLock.h"
#include "Folder.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace rw;
using namespace llvm;
using namespace std::chrono_literals;

namespace {

TEST(FolderLock, OneThreadAtATime) {
  Folder D;
  unsigned Count = 0; // a race if two have the lock
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < 8; ++I)
    Threads.emplace_back([&] {
      for (unsigned J = 0; J < 5; ++J) {
        auto L = FolderLock::take(D.path(), {});
        ASSERT_TRUE(bool(L)) << toString(L.takeError());
        unsigned Seen = Count;
        std::this_thread::sleep_for(1ms);
        Count = Seen + 1;
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Count, 40u);
}

TEST(FolderLock, WaitsNeitherForeverNorInVain) {
  Folder D;
  std::string Path = D.path();
  int Ready[2];
  ASSERT_EQ(pipe(Ready), 0);
  pid_t Child = fork();
  if (Child == 0) {
    auto L = FolderLock::take(Path, {});
    char OK = bool(L);
    if (write(Ready[1], &OK, 1) == 1)
      pause();
    _exit(0);
  }
  char OK = 0;
  ASSERT_EQ(read(Ready[0], &OK, 1), 1);
  ASSERT_EQ(OK, 1);
  EXPECT_EQ(toString(FolderLock::take(Path, {}, 20ms).takeError()),
            "cannot lock the folder '" + Path +
                "': somebody else has held its lock for 20 ms; try again");
  std::atomic<bool> Stop = true;
  Watch W;
  W.Cancel = &Stop;
  EXPECT_EQ(toString(FolderLock::take(Path, W).takeError()), "interrupted");
  // A holder that is killed holds nothing.
  kill(Child, SIGKILL);
  waitpid(Child, nullptr, 0);
  auto L = FolderLock::take(Path, {}, 0ms);
  EXPECT_TRUE(bool(L)) << toString(L.takeError());
  for (int FD : Ready)
    close(FD);
}

TEST(FolderLock, NamesTheFolderThatIsNotThere) {
  Folder D;
  EXPECT_EQ(toString(FolderLock::take(D / "none", {}).takeError()),
            "cannot lock the folder '" + std::string(D / "none") +
                "': No such file or directory");
}

} // namespace
