//===- ByteChannel.cpp - Bytes from and to another process ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/ByteChannel.h"
#include "core/support/WithoutSignals.h"
#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace rw;

/// Milliseconds between two questions whether to stop.
static constexpr int StopPeriod = 100;

ByteChannel::~ByteChannel() {
  ::close(In);
  if (Out != In)
    ::close(Out);
}

void ByteChannel::shutdown() { ::shutdown(In, SHUT_RDWR); }

void ByteChannel::finish() { ::shutdown(Out, SHUT_WR); }

ssize_t ByteChannel::fill(Wait W) {
  for (;;) {
    if (W == Forever && Stop && Stop())
      return 0;
    pollfd P = {In, POLLIN, 0};
    int Ready = ::poll(&P, 1, W == Forever && Stop ? StopPeriod : int(W));
    if (Ready < 0 && errno != EINTR)
      return 0;
    if (Ready <= 0) {
      if (W == No)
        return -1;
      continue;
    }
    ssize_t N = ::read(In, Buffer, sizeof(Buffer));
    if (N < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    Begin = 0;
    End = size_t(std::max<ssize_t>(N, 0));
    return ssize_t(End);
  }
}

bool ByteChannel::readLine(std::string &Line, size_t Most) {
  Line.clear();
  for (int C; (C = read()) >= 0;) {
    if (C == '\n')
      return true;
    if (Line.size() == Most)
      return false;
    Line.push_back(char(C));
  }
  return false;
}

bool ByteChannel::readBytes(std::string &Bytes, size_t Size) {
  Bytes.clear();
  while (Bytes.size() < Size) {
    if (Begin == End && fill(Forever) == 0)
      return false;
    const size_t N = std::min(Size - Bytes.size(), End - Begin);
    Bytes.append(Buffer + Begin, N);
    Begin += N;
  }
  return true;
}

ByteChannel::Next ByteChannel::peek(char &C) {
  if (Begin == End) {
    const ssize_t N = fill(No);
    if (N <= 0)
      return N == 0 ? Next::Ended : Next::Nothing;
  }
  C = Buffer[Begin];
  return Next::Byte;
}

bool ByteChannel::isUnheard() const {
  pollfd P = {Out, 0, 0};
  return ::poll(&P, 1, 0) > 0 && (P.revents & (POLLERR | POLLHUP | POLLNVAL));
}

bool ByteChannel::write(llvm::StringRef Bytes) {
  WithoutSignals Quiet; // of a file, or of a pipe that nobody reads
  while (!Bytes.empty()) {
    ssize_t N = ::send(Out, Bytes.data(), Bytes.size(), MSG_NOSIGNAL);
    if (N < 0 && errno == ENOTSOCK)
      N = ::write(Out, Bytes.data(), Bytes.size());
    if (N < 0 && errno == EINTR && !(Stop && Stop()))
      continue;
    if (N <= 0)
      return false;
    Bytes = Bytes.drop_front(size_t(N));
  }
  return true;
}
