//===- PacketChannel.h - gdb-remote packets over a socket -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_PACKETCHANNEL_H
#define REWIND_REPLAY_PACKETCHANNEL_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace rw {

/// Framing of the GDB remote protocol (GDB manual, "Remote Protocol"): $...#cc,
/// acknowledgements until they are switched off, escapes, and the lone
/// interrupt byte. Blocking; one thread reads and writes, any thread may shut
/// it down.
class PacketChannel {
public:
  /// Owns \p FD.
  explicit PacketChannel(int FD) : FD(FD) {}
  ~PacketChannel();
  PacketChannel(const PacketChannel &) = delete;
  PacketChannel &operator=(const PacketChannel &) = delete;

  enum class Event { Packet, Interrupt, Closed };
  /// Waits for the next packet (unescaped into \p Payload), interrupt or end.
  /// A packet longer than 1 MiB ends the connection.
  Event receive(std::string &Payload);
  /// Sends one packet, escaping as needed. False if the other side is gone.
  bool send(llvm::StringRef Payload);
  /// Takes an interrupt that is next in line, without waiting. True, too, if
  /// the other side has gone.
  bool interrupted();
  void stopAcknowledging() { Acknowledge = false; }

  /// Makes the reading thread see the end of the connection.
  void shutdown();

private:
  int readByte();
  bool writeAll(llvm::StringRef Bytes);

  const int FD;
  bool Acknowledge = true;
  char Buffer[4096];
  size_t Begin = 0, End = 0;
  std::string LastSent;
};

} // namespace rw

#endif // REWIND_REPLAY_PACKETCHANNEL_H
