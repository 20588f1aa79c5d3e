//===- OutputFileTest.cpp - Nothing that is there is lost -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/OutputFile.h"
#include "Folder.h"
#include "core/support/ByteChannel.h"
#include "test/unit/support/TestData.h"
#include "gtest/gtest.h"
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace rw;
using namespace llvm;

namespace {

using Names = std::vector<std::string>;

std::string put(StringRef Path, StringRef Text,
                OutputFile::Options O = OutputFile::Options()) {
  auto F = OutputFile::create(Path, O);
  if (!F)
    return toString(F.takeError());
  (*F)->os() << Text;
  return toString((*F)->commit());
}

std::string whyNotWritten(StringRef Path, OutputFile::Options O) {
  std::string Asked = toString(OutputFile::check(Path, O));
  std::string Tried = put(Path, "new", O);
  EXPECT_EQ(Asked, Tried);
  return Tried;
}

/// The status of a child that runs \p Body and would then exit with 0.
template <typename F> int inChild(F Body) {
  pid_t Child = fork();
  if (Child == 0) {
    Body();
    _exit(0);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  return Status;
}

TEST(OutputFile, AppearsWhenItIsWhole) {
  Folder D;
  {
    auto F = OutputFile::create(D / "out", {});
    ASSERT_TRUE(bool(F));
    (*F)->os() << "half";
    (*F)->os().flush();
    EXPECT_FALSE(sys::fs::exists(D / "out"));
  }
  EXPECT_EQ(D.names(), Names());
  EXPECT_EQ(put(D / "out", "whole"), "");
  EXPECT_EQ(D.read("out"), "whole");
  EXPECT_EQ(D.names(), Names{"out"});
}

TEST(OutputFile, GivesUpWithoutATrace) {
  Folder D;
  D.write("out", "old");
  {
    auto F = OutputFile::create(D / "out", {});
    ASSERT_TRUE(bool(F));
    (*F)->os() << "new";
  }
  EXPECT_EQ(D.read("out"), "old");
  EXPECT_EQ(D.names(), Names{"out"});
}

TEST(OutputFile, KeepsPermissions) {
  Folder D;
  mode_t Mask = umask(027);
  EXPECT_EQ(put(D / "new", "x"), "");
  umask(Mask);
  struct stat St;
  ASSERT_EQ(stat((D / "new").c_str(), &St), 0);
  EXPECT_EQ(St.st_mode & 07777, 0640u);
  for (mode_t Mode : {0600, 0644, 0666, 0755}) {
    D.write("old", "old");
    ASSERT_EQ(chmod((D / "old").c_str(), Mode), 0);
    EXPECT_EQ(put(D / "old", "new"), "");
    ASSERT_EQ(stat((D / "old").c_str(), &St), 0);
    EXPECT_EQ(St.st_mode & 07777, Mode);
    EXPECT_EQ(D.read("old"), "new");
  }
  if (geteuid() == 0) {
    ASSERT_EQ(chown((D / "old").c_str(), 12345, 12346), 0);
    EXPECT_EQ(put(D / "old", "newer"), "");
    ASSERT_EQ(stat((D / "old").c_str(), &St), 0);
    EXPECT_EQ(St.st_uid, 12345u);
    EXPECT_EQ(St.st_gid, 12346u);
  }
}

TEST(OutputFile, LinksStayAndAreFollowed) {
  Folder D;
  D.write("target", "old");
  sys::fs::create_directory(D / "sub");
  ASSERT_EQ(symlink("target", (D / "link").c_str()), 0);
  ASSERT_EQ(symlink("../link", (D / "sub/again").c_str()), 0);
  EXPECT_EQ(put(D / "sub/again", "new"), "");
  EXPECT_EQ(D.read("target"), "new");
  EXPECT_TRUE(sys::fs::is_symlink_file(D / "link"));
  EXPECT_TRUE(sys::fs::is_symlink_file(D / "sub/again"));
  // To what is not there yet.
  ASSERT_EQ(symlink("fresh", (D / "dangling").c_str()), 0);
  EXPECT_EQ(put(D / "dangling", "made"), "");
  EXPECT_EQ(D.read("fresh"), "made");
  ASSERT_EQ(symlink("loop", (D / "loop").c_str()), 0);
  EXPECT_NE(whyNotWritten(D / "loop", {}), "");
}

TEST(OutputFile, ReservedFilesUnderAnyName) {
  Folder D;
  D.write("t", "the trace");
  ASSERT_EQ(symlink("t", (D / "soft").c_str()), 0);
  ASSERT_EQ(link((D / "t").c_str(), (D / "hard").c_str()), 0);
  ASSERT_EQ(symlink(".", (D / "self").c_str()), 0);
  ASSERT_EQ(symlink("t.rewind", (D / "later").c_str()), 0);
  OutputFile::Options O;
  O.Reserved = {{D / "t", "the trace"}, {D / "t.rewind", "the index"}};
  for (const char *Name : {"t", "soft", "hard", "self/t", "self/self/hard"})
    EXPECT_EQ(whyNotWritten(D / Name, O)
                  .find("cannot write '" + (D / Name) + "': it is the trace"),
              0u)
        << Name;
  // It is not there yet.
  for (const char *Name : {"t.rewind", "self/t.rewind", "later"})
    EXPECT_NE(whyNotWritten(D / Name, O).find("it is the index"),
              std::string::npos)
        << Name;
  EXPECT_EQ(D.read("t"), "the trace");
  EXPECT_EQ(put(D / "other", "fine", O), "");
}

TEST(OutputFile, WhatIsKnownIsKept) {
  Folder D;
  D.write("theirs", "a trace");
  D.write("ours", "a picture");
  D.write("odd", "?");
  ASSERT_EQ(symlink("theirs", (D / "link").c_str()), 0);
  OutputFile::Options O;
  O.Unless = ", or insist";
  O.Known = [](StringRef Path) -> Expected<std::string> {
    auto Bytes = readWholeFile(Path);
    if (!Bytes)
      return Bytes.takeError();
    StringRef Text = (*Bytes)->getBuffer();
    if (Text == "?")
      return createStringError("it is strange");
    return Text.starts_with("a trace") ? "a trace" : "";
  };
  for (const char *Name : {"theirs", "link"})
    EXPECT_EQ(whyNotWritten(D / Name, O),
              "cannot write '" + (D / Name) +
                  "': it is a trace, which is not replaced; name another file, "
                  "or insist");
  EXPECT_EQ(whyNotWritten(D / "odd", O),
            "cannot write '" + (D / "odd") +
                "': nobody knows what would be replaced: it is strange");
  EXPECT_EQ(D.read("theirs"), "a trace");
  EXPECT_EQ(put(D / "ours", "new", O), "");
  EXPECT_EQ(put(D / "new", "new", O), "");
  // What is no file is written to, not replaced.
  EXPECT_EQ(put("/dev/null", "new", O), "");
}

TEST(OutputFile, BadPlacesAreNamedAtOnce) {
  Folder D;
  sys::fs::create_directory(D / "folder");
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  strcpy(Address.sun_path, (D / "socket").c_str());
  int Socket = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(
      bind(Socket, reinterpret_cast<sockaddr *>(&Address), sizeof(Address)), 0);
  EXPECT_EQ(whyNotWritten(D / "folder", {}),
            "cannot write '" + (D / "folder") + "': it is a directory");
  EXPECT_EQ(whyNotWritten(D / "socket", {}),
            "cannot write '" + (D / "socket") + "': it is a socket");
  EXPECT_EQ(whyNotWritten(D / "no/such", {}),
            "cannot write '" + (D / "no/such") +
                "': No such file or directory");
  EXPECT_NE(whyNotWritten(D / "new/", {}), "");
  EXPECT_NE(whyNotWritten("", {}), "");
  EXPECT_NE(whyNotWritten(D / std::string(300, 'x'), {}), "");
  OutputFile::Options O;
  O.Regular = true;
  EXPECT_EQ(whyNotWritten("/dev/null", O),
            "cannot write '/dev/null': it is a device, not a regular file");
  close(Socket);
  unlink((D / "socket").c_str());
  sys::fs::remove(D / "folder");
  EXPECT_EQ(D.names(), Names());
}

TEST(OutputFile, LongNames) {
  Folder D;
  std::string Name(255, 'x');
  EXPECT_EQ(put(D / Name, "text"), "");
  EXPECT_EQ(D.read(Name), "text");
}

TEST(OutputFile, WithoutPermission) {
  if (geteuid() == 0) { // as somebody else
    EXPECT_EQ(
        inChild([] {
          Folder D;
          D.write("mine", "old");
          chmod((D / "mine").c_str(), 0644);
          chmod(D.path().c_str(), 0755);
          pid_t Child = fork();
          if (Child == 0) {
            if (setgid(65534) || setuid(65534))
              _exit(9);
            bool Right =
                StringRef(whyNotWritten(D / "mine", {})).contains("denied") &&
                StringRef(whyNotWritten(D / "new", {})).contains("denied");
            _exit(!Right);
          }
          int Status = 0;
          waitpid(Child, &Status, 0);
          if (Status || D.read("mine") != "old")
            abort();
        }),
        0);
  }
  Folder D;
  EXPECT_NE(whyNotWritten("/proc/self/status", {}), "");
}

TEST(OutputFile, DevicesAndPipesAreWrittenTo) {
  Folder D;
  EXPECT_EQ(put("/dev/null", "text"), "");
  EXPECT_EQ(put("/dev/full", "text"),
            "cannot write '/dev/full': No space left on device");
  ASSERT_EQ(symlink("/dev/full", (D / "full").c_str()), 0);
  EXPECT_EQ(put(D / "full", "text"),
            "cannot write '" + (D / "full") + "': No space left on device");
  std::string Pipe = D / "pipe";
  ASSERT_EQ(mkfifo(Pipe.c_str(), 0600), 0);
  std::string Text(1 << 20, 'x'), Got;
  std::thread Reader([&] {
    int FD = open(Pipe.c_str(), O_RDONLY);
    char Buffer[4096];
    for (ssize_t N; (N = read(FD, Buffer, sizeof(Buffer))) > 0;)
      Got.append(Buffer, size_t(N));
    close(FD);
  });
  EXPECT_EQ(put(Pipe, Text), "");
  Reader.join();
  EXPECT_EQ(Got, Text);
  struct stat St;
  ASSERT_EQ(stat(Pipe.c_str(), &St), 0);
  EXPECT_TRUE(S_ISFIFO(St.st_mode));
  // Nobody comes: Ctrl-C.
  std::atomic<bool> Cancel{true};
  OutputFile::Options O;
  O.Cancel = &Cancel;
  EXPECT_NE(put(Pipe, Text, O).find("interrupted"), std::string::npos);
  // The reader goes.
  std::thread Leaver([&] {
    int FD = open(Pipe.c_str(), O_RDONLY);
    char C;
    EXPECT_EQ(read(FD, &C, 1), 1);
    close(FD);
  });
  EXPECT_EQ(put(Pipe, Text), "cannot write '" + Pipe + "': Broken pipe");
  Leaver.join();
}

TEST(OutputFile, StandardOutputIsNotReplaced) {
  Folder D;
  D.write("out", "");
  int FD = open((D / "out").c_str(), O_WRONLY | O_APPEND);
  int Saved = dup(1);
  fflush(stdout);
  dup2(FD, 1);
  bool Written = write(1, "before\n", 7) == 7;
  std::string Result = put("/dev/stdout", "text\n");
  Written &= write(1, "behind\n", 7) == 7;
  dup2(Saved, 1);
  close(FD);
  close(Saved);
  EXPECT_TRUE(Written);
  EXPECT_EQ(Result, "");
  EXPECT_EQ(D.read("out"), "before\ntext\nbehind\n");
}

TEST(OutputFile, AtTheLimitOfFileSizes) {
  Folder D;
  D.write("out", "old");
  EXPECT_EQ(inChild([&] {
              rlimit Limit = {100000, 100000};
              setrlimit(RLIMIT_FSIZE, &Limit); // and SIGXFSZ as it is
              if (put(D / "out", std::string(1 << 20, 'x')) !=
                  "cannot write '" + (D / "out") + "': File too large")
                abort();
            }),
            0);
  EXPECT_EQ(D.read("out"), "old");
  EXPECT_EQ(D.names(), Names{"out"});
}

TEST(ScratchFile, AtTheLimitOfFileSizes) {
  for (const rlim_t Size : {0, 1, 100000, 300000})
    EXPECT_EQ(inChild([&] {
                rlimit Limit = {Size, Size};
                setrlimit(RLIMIT_FSIZE, &Limit); // and SIGXFSZ as it is
                ScratchFile F;
                std::vector<uint8_t> Piece(70000, 'x');
                for (unsigned I = 0; I < 4; ++I)
                  F.write(Piece);
                std::string Result = llvm::toString(F.finish());
                if (Size < 280000) {
                  if (!llvm::StringRef(Result).ends_with(": File too large"))
                    abort();
                } else if (!Result.empty() || F.read(210000, Piece)) {
                  abort();
                }
              }),
              0)
        << Size;
}

TEST(ByteChannel, AtTheLimitOfFileSizes) {
  Folder D;
  D.write("out", "");
  EXPECT_EQ(inChild([&] {
              rlimit Limit = {4, 4};
              setrlimit(RLIMIT_FSIZE, &Limit);
              ByteChannel C(open("/dev/null", O_RDONLY),
                            open((D / "out").c_str(), O_WRONLY));
              if (C.write("12345678"))
                abort();
            }),
            0);
}

TEST(OutputFile, OnAFullDisk) {
  if (geteuid() != 0)
    REWIND_SKIP("only root mounts a small disk");
  Folder D;
  if (mount("none", D.path().c_str(), "tmpfs", 0, "size=256k") != 0)
    REWIND_SKIP("no disk can be mounted here");
  std::string Old(100000, 'o');
  D.write("out", Old);
  for (size_t Size = 100000; Size < 400000; Size += 7919) {
    std::string Result = put(D / "out", std::string(Size, 'n'));
    if (!Result.empty()) {
      EXPECT_EQ(Result,
                "cannot write '" + (D / "out") + "': No space left on device");
      EXPECT_EQ(D.read("out"), Old);
    } else {
      Old = std::string(Size, 'n');
    }
    EXPECT_EQ(D.names(), Names{"out"});
  }
  umount(D.path().c_str());
}

void killAtWork(int Signal, bool Leaves) {
  Folder D;
  D.write("out", "old");
  int Status = inChild([&] {
    signal(Signal, SIG_DFL);
    auto F = OutputFile::create(D / "out", {});
    (*F)->os() << std::string(1 << 20, 'x');
    raise(Signal);
  });
  EXPECT_TRUE(WIFSIGNALED(Status));
  EXPECT_EQ(WTERMSIG(Status), Signal);
  EXPECT_EQ(D.read("out"), "old");
  EXPECT_EQ(D.names().size(), Leaves ? 2u : 1u) << Signal;
  // What a kill left goes with the next.
  EXPECT_EQ(put(D / "out", "new"), "");
  EXPECT_EQ(D.names(), Names{"out"});
}

TEST(OutputFile, KilledWhileItIsWritten) {
  for (int Signal : {SIGHUP, SIGINT, SIGTERM, SIGQUIT})
    killAtWork(Signal, false);
  killAtWork(SIGKILL, true);
}

TEST(OutputFile, HandlersOfOthersAreLeftAlone) {
  Folder D;
  struct sigaction Now;
  signal(SIGHUP, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  {
    auto F = OutputFile::create(D / "out", {});
    sigaction(SIGHUP, nullptr, &Now);
    EXPECT_EQ(Now.sa_handler, SIG_IGN);
    sigaction(SIGTERM, nullptr, &Now);
    EXPECT_NE(Now.sa_handler, SIG_DFL);
  }
  sigaction(SIGTERM, nullptr, &Now);
  EXPECT_EQ(Now.sa_handler, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
}

TEST(OutputFile, SeveralProcessesAtWork) {
  Folder D;
  std::vector<pid_t> Children;
  for (int I = 0; I < 8; ++I)
    if (pid_t Child = fork())
      Children.push_back(Child);
    else {
      for (int Round = 0; Round < 200; ++Round)
        if (put(D / "out", std::string(5000, char('a' + I))) != "")
          _exit(1);
      _exit(0);
    }
  for (pid_t Child : Children) {
    int Status = 0;
    waitpid(Child, &Status, 0);
    EXPECT_EQ(Status, 0);
  }
  std::string Text = D.read("out");
  EXPECT_EQ(Text, std::string(5000, Text[0]));
  EXPECT_EQ(D.names(), Names{"out"});
}

TEST(OutputFile, FilesOfOthersAreNotTakenForLeftOnes) {
  Folder D;
  // As ours are called, but locked: somebody is at work on it.
  D.write(".rewind-abcdefghijkl.tmp", "at work");
  int FD = open((D / ".rewind-abcdefghijkl.tmp").c_str(), O_RDONLY);
  ASSERT_EQ(flock(FD, LOCK_EX), 0);
  D.write(".rewind-notes.tmp", "notes");
  D.write("out.tmp-12345678", "mine");
  EXPECT_EQ(put(D / "out", "x"), "");
  EXPECT_EQ(D.names().size(), 4u);
  close(FD);
  EXPECT_EQ(put(D / "out", "x"), "");
  EXPECT_EQ(D.names(), (Names{".rewind-notes.tmp", "out", "out.tmp-12345678"}));
}

TEST(FileStream, KeepsItsFirstError) {
  int FD = open("/dev/full", O_WRONLY);
  unsigned Calls = 0;
  {
    FileStream S(FD);
    S.OnError = [&] { ++Calls; };
    for (int I = 0; I < 1000; ++I)
      S << std::string(1000, 'x');
    EXPECT_EQ(S.error(), std::errc::no_space_on_device);
    EXPECT_EQ(S.tell(), 1000000u);
  }
  EXPECT_EQ(Calls, 1u);
  close(FD);
}

} // namespace
