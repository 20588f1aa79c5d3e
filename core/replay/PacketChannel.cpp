//===- PacketChannel.cpp - gdb-remote packets over a socket ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/PacketChannel.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

using namespace rw;

static constexpr size_t MaxPacket = 1 << 20;

PacketChannel::~PacketChannel() { ::close(FD); }

void PacketChannel::shutdown() { ::shutdown(FD, SHUT_RDWR); }

/// The next byte, or -1 at the end.
int PacketChannel::readByte() {
  if (Begin == End) {
    ssize_t N;
    do
      N = ::recv(FD, Buffer, sizeof(Buffer), 0);
    while (N < 0 && errno == EINTR);
    if (N <= 0)
      return -1;
    Begin = 0;
    End = size_t(N);
  }
  return uint8_t(Buffer[Begin++]);
}

bool PacketChannel::writeAll(llvm::StringRef Bytes) {
  while (!Bytes.empty()) {
    ssize_t N = ::send(FD, Bytes.data(), Bytes.size(), MSG_NOSIGNAL);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    Bytes = Bytes.drop_front(size_t(N));
  }
  return true;
}

PacketChannel::Event PacketChannel::receive(std::string &Payload) {
  for (;;) {
    int C = readByte();
    if (C < 0)
      return Event::Closed;
    if (C == 0x03)
      return Event::Interrupt;
    if (C == '-' && Acknowledge && !writeAll(LastSent))
      return Event::Closed;
    if (C != '$')
      continue; // an acknowledgement, or noise between packets
    Payload.clear();
    uint8_t Sum = 0;
    while ((C = readByte()) >= 0 && C != '#') {
      Sum += uint8_t(C);
      if (C == '}') {
        if ((C = readByte()) < 0)
          return Event::Closed;
        Sum += uint8_t(C);
        C ^= 0x20;
      }
      if (Payload.size() == MaxPacket)
        return Event::Closed;
      Payload.push_back(char(C));
    }
    int High = C < 0 ? -1 : readByte();
    int Low = High < 0 ? -1 : readByte();
    if (Low < 0)
      return Event::Closed;
    if (!Acknowledge)
      return Event::Packet;
    unsigned Told = (llvm::hexDigitValue(char(High)) << 4) |
                    (llvm::hexDigitValue(char(Low)) & 0xf);
    bool Good = Told == Sum;
    if (!writeAll(Good ? "+" : "-"))
      return Event::Closed;
    if (Good)
      return Event::Packet;
  }
}

bool PacketChannel::interrupted() {
  if (Begin == End) {
    ssize_t N = ::recv(FD, Buffer, sizeof(Buffer), MSG_DONTWAIT);
    if (N < 0)
      return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
    if (N == 0)
      return true;
    Begin = 0;
    End = size_t(N);
  }
  if (Buffer[Begin] != 0x03)
    return false;
  ++Begin;
  return true;
}

bool PacketChannel::send(llvm::StringRef Payload) {
  std::string Packet = "$";
  uint8_t Sum = 0;
  auto Put = [&](char C) {
    Packet.push_back(C);
    Sum += uint8_t(C);
  };
  for (char C : Payload) {
    if (C == '$' || C == '#' || C == '}' || C == '*') {
      Put('}');
      C ^= 0x20;
    }
    Put(C);
  }
  Packet.push_back('#');
  Packet += llvm::toHex(llvm::ArrayRef<uint8_t>(Sum), /*LowerCase=*/true);
  if (Acknowledge)
    LastSent = Packet;
  return writeAll(Packet);
}
