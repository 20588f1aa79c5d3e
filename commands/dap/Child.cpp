//===- Child.cpp - A process that ends with us ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Child.h"
#include "commands/support/Options.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace rw {

Expected<std::unique_ptr<Child>> Child::start(ArrayRef<std::string> Words) {
  std::vector<char *> Arguments;
  for (const std::string &W : Words)
    Arguments.push_back(const_cast<char *>(W.c_str()));
  Arguments.push_back(nullptr);
  int FDs[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, FDs) != 0)
    return userError("cannot make a socket: " + Twine(strerror(errno)));
  const pid_t Parent = ::getpid();
  const pid_t Pid = ::fork();
  if (Pid == 0) {
    // Only what is safe between fork and exec.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != Parent)
      ::_exit(127); // it has ended already
    ::dup2(FDs[1], STDIN_FILENO);
    ::dup2(FDs[1], STDOUT_FILENO);
    ::execv(Arguments[0], Arguments.data());
    ::_exit(127);
  }
  const int Problem = errno;
  ::close(FDs[1]);
  if (Pid < 0) {
    ::close(FDs[0]);
    return userError("cannot start " + Words[0] + ": " + strerror(Problem));
  }
  return std::unique_ptr<Child>(new Child(Pid, FDs[0]));
}

Child::~Child() { wait(0); }

void Child::kill() {
  if (Pid > 0)
    ::kill(Pid, SIGKILL);
}

bool Child::reap(unsigned Milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto End = Clock::now() + std::chrono::milliseconds(Milliseconds);
  for (;;) {
    const pid_t Got = ::waitpid(Pid, &Raw, WNOHANG);
    if (Got == Pid || (Got < 0 && errno != EINTR))
      return true;
    if (Clock::now() >= End)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::string Child::wait(unsigned Milliseconds) {
  if (Pid > 0) {
    if (!reap(Milliseconds)) {
      kill();
      reap(10000);
    }
    Pid = 0;
    Status = WIFEXITED(Raw) ? WEXITSTATUS(Raw) : 1;
  }
  return WIFSIGNALED(Raw) ? "signal " + utostr(WTERMSIG(Raw))
                          : "exit status " + itostr(Status);
}

} // namespace rw
