//===- PacketChannel.cpp - gdb-remote packets over a socket ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/PacketChannel.h"
#include "llvm/ADT/StringExtras.h"

using namespace rw;

static constexpr size_t MaxPacket = 1 << 20;

PacketChannel::Event PacketChannel::receive(std::string &Payload) {
  Interrupted = false;
  for (;;) {
    int C = Bytes.read();
    if (C < 0)
      return Event::Closed;
    if (C == 0x03)
      return Event::Interrupt;
    if (C == '-' && Acknowledge && !Bytes.write(LastSent))
      return Event::Closed;
    if (C != '$')
      continue; // an acknowledgement, or noise between packets
    Payload.clear();
    uint8_t Sum = 0;
    while ((C = Bytes.read()) >= 0 && C != '#') {
      Sum += uint8_t(C);
      if (C == '}') {
        if ((C = Bytes.read()) < 0)
          return Event::Closed;
        Sum += uint8_t(C);
        C ^= 0x20;
      }
      if (Payload.size() == MaxPacket) {
        TooLong = true;
        return Event::Closed;
      }
      Payload.push_back(char(C));
    }
    int High = C < 0 ? -1 : Bytes.read();
    int Low = High < 0 ? -1 : Bytes.read();
    if (Low < 0)
      return Event::Closed;
    if (!Acknowledge)
      return Event::Packet;
    unsigned Told = (llvm::hexDigitValue(char(High)) << 4) |
                    (llvm::hexDigitValue(char(Low)) & 0xf);
    bool Good = Told == Sum;
    if (Good && isRepeated(Payload))
      continue;
    if (!Bytes.write(Good ? "+" : "-"))
      return Event::Closed;
    if (Good)
      return Event::Packet;
  }
}

/// Only the first packet can wait for long: until this process runs. Who sends
/// what before it is acknowledged sends it again, and expects one answer.
bool PacketChannel::isRepeated(llvm::StringRef Payload) {
  if (First && Payload == *First)
    return true;
  char C;
  if (Began || Bytes.peek(C) != ByteChannel::Next::Byte)
    First.reset();
  else
    First = Payload.str();
  Began = true;
  return false;
}

bool PacketChannel::interrupted() {
  char C;
  if (Interrupted)
    return true;
  switch (Bytes.peek(C)) {
  case ByteChannel::Next::Nothing:
    return false;
  case ByteChannel::Next::Ended:
    return true;
  case ByteChannel::Next::Byte:
    break;
  }
  if (C != 0x03)
    return false;
  Bytes.read();
  return Interrupted = true;
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
  return Bytes.write(Packet);
}
