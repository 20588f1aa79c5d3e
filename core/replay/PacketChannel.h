//===- PacketChannel.h - gdb-remote packets over a socket -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_PACKETCHANNEL_H
#define REWIND_REPLAY_PACKETCHANNEL_H

#include "core/support/ByteChannel.h"
#include <optional>

namespace rw {

/// Framing of the GDB remote protocol (GDB manual, "Remote Protocol"): $...#cc,
/// acknowledgements until they are switched off, escapes, and the lone
/// interrupt byte. Blocking; one thread reads and writes, any thread may shut
/// it down.
class PacketChannel {
public:
  /// A socket.
  explicit PacketChannel(int FD) : Bytes(FD, FD) {}
  /// As ByteChannel has them.
  PacketChannel(int In, int Out, std::function<bool()> Stop)
      : Bytes(In, Out, std::move(Stop)) {}

  enum class Event { Packet, Interrupt, Closed };
  /// Waits for the next packet (unescaped into \p Payload), interrupt or end.
  /// A packet longer than 1 MiB ends the connection.
  Event receive(std::string &Payload);
  /// Whether that has happened.
  bool wasTooLong() const { return TooLong; }
  /// Sends one packet, escaping as needed. False if the other side is gone.
  bool send(llvm::StringRef Payload);
  /// Whether the packet received last is to be given up: takes an interrupt
  /// that is next in line, without waiting, and stays true until the next
  /// receive(). True, too, if the other side has gone.
  bool interrupted();
  void stopAcknowledging() { Acknowledge = false; }

  /// Makes the reading thread see the end of the connection.
  void shutdown() { Bytes.shutdown(); }

private:
  ByteChannel Bytes;
  bool Acknowledge = true;
  bool Interrupted = false, TooLong = false;
  std::string LastSent;
  bool Began = false;               ///< there was a packet
  std::optional<std::string> First; ///< which may come again

  bool isRepeated(llvm::StringRef Payload);
};

} // namespace rw

#endif // REWIND_REPLAY_PACKETCHANNEL_H
