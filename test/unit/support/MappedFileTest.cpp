//===- MappedFileTest.cpp - Files that change while they are mapped -------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/MappedFile.h"
#include "Folder.h"
#include "gtest/gtest.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace rw;
using namespace llvm;

namespace {

std::string pattern(size_t Size) {
  std::string Text(Size, 0);
  for (size_t I = 0; I < Size; ++I)
    Text[I] = char(I * 7 + I / 4096);
  return Text;
}

TEST(MappedFile, ReadsOnWhenTheFileIsCut) {
  Folder D;
  const std::string Text = pattern(3000000);
  for (int Way = 0; Way < 3; ++Way) {
    D.write("file", Text);
    auto M = MappedFile::open(D / "file");
    ASSERT_TRUE(bool(M));
    EXPECT_EQ((*M)->getBuffer().substr(0, 5000),
              StringRef(Text).take_front(5000));
    std::string Path = D / "file";
    auto Begin = std::chrono::steady_clock::now();
    if (Way == 0) {
      EXPECT_EQ(truncate(Path.c_str(), 0), 0);
    } else if (Way == 1) { // and filled again with something else
      D.write("file", std::string(Text.size(), 'x'));
    } else {
      int FD = open(Path.c_str(), O_WRONLY);
      EXPECT_EQ(pwrite(FD, "other", 5, 100000), 5);
      close(FD);
    }
    // Whoever cut it did not have to wait long.
    EXPECT_LT(std::chrono::steady_clock::now() - Begin,
              std::chrono::seconds(20));
    EXPECT_TRUE((*M)->getBuffer() == Text) << Way;
    EXPECT_FALSE((*M)->lost());
  }
}

// A trace that is let go of ends on its own thread while the next is opened.
TEST(MappedFile, TheLastGoesWhileTheNextComes) {
  Folder D;
  const std::string Text = pattern(5000);
  std::vector<std::thread> Users;
  std::atomic<unsigned> Wrong{0};
  for (int I = 0; I < 2; ++I)
    Users.emplace_back([&, Name = "file" + std::to_string(I)] {
      for (int Round = 0; Round < 100; ++Round) {
        D.write(Name, Text);
        auto M = MappedFile::open(D / Name);
        if (!M) {
          consumeError(M.takeError());
          ++Wrong;
          continue;
        }
        Wrong += truncate((D / Name).c_str(), 100) != 0;
        Wrong += (*M)->getBuffer() != Text;
      }
    });
  for (std::thread &T : Users)
    T.join();
  EXPECT_EQ(Wrong, 0u);
}

TEST(MappedFile, CutInTheMiddleOfReading) {
  Folder D;
  const std::string Text = pattern(1 << 20);
  for (int Round = 0; Round < 50; ++Round) {
    D.write("file", Text);
    auto M = MappedFile::open(D / "file");
    ASSERT_TRUE(bool(M));
    std::atomic<bool> Done{false};
    std::atomic<unsigned> Wrong{0};
    std::vector<std::thread> Readers;
    for (int I = 0; I < 3; ++I)
      Readers.emplace_back([&] {
        while (!Done)
          Wrong += (*M)->getBuffer() != Text;
      });
    EXPECT_EQ(truncate((D / "file").c_str(), Round * 4096), 0);
    Done = true;
    for (std::thread &T : Readers)
      T.join();
    EXPECT_EQ(Wrong, 0u);
  }
}

// There is no lease while somebody has the file open for writing.
TEST(MappedFile, CopiedWhereThereIsNoLease) {
  Folder D;
  const std::string Text = pattern(1 << 20);
  D.write("file", Text);
  int Writer = open((D / "file").c_str(), O_WRONLY);
  auto M = MappedFile::open(D / "file");
  ASSERT_TRUE(bool(M));
  EXPECT_EQ(ftruncate(Writer, 0), 0);
  close(Writer);
  EXPECT_TRUE((*M)->getBuffer() == Text);
  EXPECT_FALSE((*M)->lost());
}

// A page that cannot be read in spite of the lease, as on a disk with errors.
TEST(MappedFile, SurvivesWhatCannotBeRead) {
  Folder D;
  D.write("file", pattern(1 << 20));
  auto M = MappedFile::open(D / "file");
  ASSERT_TRUE(bool(M));
  ASSERT_FALSE((*M)->lost());
  // In its place, a mapping of a file that is too short for it.
  D.write("short", "");
  int FD = open((D / "short").c_str(), O_RDONLY);
  char *At = const_cast<char *>((*M)->getBufferStart()) + (512 << 10);
  ASSERT_NE(mmap(At, 512 << 10, PROT_READ, MAP_SHARED | MAP_FIXED, FD, 0),
            MAP_FAILED);
  close(FD);
  EXPECT_EQ(*(volatile char *)(At + 8192), 0);
  EXPECT_TRUE((*M)->lost());
  std::string Why = toString((*M)->check());
  EXPECT_NE(Why.find(D / "file"), std::string::npos);
  EXPECT_EQ(toString(checkMapped(D / "file")), Why);
  EXPECT_EQ(toString(checkMapped(D / "other")), "");
}

TEST(MappedFile, OtherBusErrorsAreNotOurs) {
  // A sanitizer has a handler of its own, which we would hand the signal to.
  auto *Before = signal(SIGBUS, SIG_DFL);
  Folder D;
  D.write("file", pattern(100000));
  auto M = MappedFile::open(D / "file");
  ASSERT_TRUE(bool(M));
  pid_t Child = fork();
  if (Child == 0) {
    int FD = open((D / "file").c_str(), O_RDONLY);
    char *At = static_cast<char *>(
        mmap(nullptr, 1 << 20, PROT_READ, MAP_SHARED, FD, 0));
    _exit(*(volatile char *)(At + (1 << 19)));
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  EXPECT_TRUE(WIFSIGNALED(Status));
  EXPECT_EQ(WTERMSIG(Status), SIGBUS);
  M->reset();
  signal(SIGBUS, Before);
}

TEST(MappedFile, LeavesTheProcessAsItWas) {
  struct sigaction Now;
  sigaction(SIGBUS, nullptr, &Now);
  auto Before = Now.sa_handler;
  {
    Folder D;
    D.write("file", pattern(100000));
    auto M = MappedFile::open(D / "file");
    auto N = MappedFile::open(D / "file");
    ASSERT_TRUE(M && N);
    sigaction(SIGBUS, nullptr, &Now);
    EXPECT_NE(Now.sa_handler, Before);
  }
  sigaction(SIGBUS, nullptr, &Now);
  EXPECT_EQ(Now.sa_handler, Before);
}

TEST(MappedFile, MoreThanThereIsRoomFor) {
  Folder D;
  const std::string Text = pattern(10000);
  D.write("file", Text);
  std::vector<std::unique_ptr<MappedFile>> All;
  for (int I = 0; I < 100; ++I) {
    auto M = MappedFile::open(D / "file");
    ASSERT_TRUE(bool(M));
    All.push_back(std::move(*M));
  }
  EXPECT_EQ(truncate((D / "file").c_str(), 0), 0);
  for (auto &M : All)
    EXPECT_TRUE(M->getBuffer() == Text);
}

TEST(MappedFile, EmptyAndMissing) {
  Folder D;
  D.write("empty", "");
  auto M = MappedFile::open(D / "empty");
  ASSERT_TRUE(bool(M));
  EXPECT_EQ((*M)->getBufferSize(), 0u);
  auto N = MappedFile::open(D / "none");
  EXPECT_FALSE(bool(N));
  consumeError(N.takeError());
}

} // namespace
