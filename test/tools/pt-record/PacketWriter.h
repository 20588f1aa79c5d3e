//===- PacketWriter.h - Intel PT packets of one thread ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_TOOLS_PT_RECORD_PACKETWRITER_H
#define REWIND_TEST_TOOLS_PT_RECORD_PACKETWRITER_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <intel-pt.h>
#include <memory>
#include <string>
#include <vector>

namespace rw::ptrecord {

struct PacketOptions {
  uint64_t PsbPeriod = 4096;    ///< bytes between synchronisation points
  uint64_t PsbDelay = 0;        ///< instructions by which a due one is late
  bool CompressReturns = false; ///< a return to where the call was is a TNT bit
  bool LongTnt = false;         ///< up to 47 branches in a packet, not 6
  bool Timing = true;           ///< time stamps, one tick an instruction
  uint64_t MtcPeriod = 0;       ///< instructions between MTC packets; 0: none
};

/// Turns what a thread did into the packets that a processor would write which
/// records user mode only. libipt's encoder makes their bytes; this class
/// decides which packets there are. The file is complete after finish().
class PacketWriter {
public:
  static llvm::Expected<std::unique_ptr<PacketWriter>>
  create(const std::string &Path, const PacketOptions &Options);
  ~PacketWriter();

  void conditional(bool Taken) { tnt(Taken); }
  void indirect(uint64_t Target);
  void call(uint64_t ReturnAddress);
  void returned(uint64_t Target);

  /// Recording begins, or goes on, with the instruction at \p IP.
  void enable(uint64_t IP);
  /// The last instruction left user mode by itself (a system call).
  void disable();
  /// Something else stopped it before the instruction at \p IP (a signal).
  void disableBefore(uint64_t IP);
  bool enabled() const { return Enabled; }

  /// To be called after each instruction, with the address of the next one.
  void retired(uint64_t Next);

  llvm::Error finish();
  uint64_t numBytes() const { return Written; }
  uint64_t numSyncPoints() const { return SyncPoints; }

  /// What the encoder's packets are for: a processor without errata in libipt.
  static constexpr unsigned Family = 6, Model = 0x8f, Stepping = 8;

private:
  PacketWriter(std::unique_ptr<llvm::raw_fd_ostream> OS,
               const PacketOptions &Options);
  bool syncIsDue() const { return Written - LastSync >= Options.PsbPeriod; }
  uint64_t time() const { return FirstTime + Insns; }
  void tnt(bool Taken);
  void flushTnt();
  void address(pt_packet_type Type, uint64_t IP);
  void withoutAddress(pt_packet_type Type);
  void mode();
  /// A PSB and what follows it; with an address while recording is on.
  void sync(const uint64_t *IP);
  void emit(const pt_packet &Packet);
  void drain();

  static constexpr uint64_t FirstTime = 0x100000000;
  PacketOptions Options;
  std::unique_ptr<llvm::raw_fd_ostream> OS;
  std::vector<uint8_t> Buffer;
  pt_encoder *Encoder = nullptr;
  int Failure = 0; ///< the first error code of the encoder
  std::deque<uint64_t> Returns;
  uint64_t Tnt = 0, LastIP = 0;
  unsigned TntBits = 0;
  uint64_t Written = 0, LastSync = 0, SyncPoints = 0, Late = 0, Insns = 0;
  bool Enabled = false;
};

} // namespace rw::ptrecord

#endif // REWIND_TEST_TOOLS_PT_RECORD_PACKETWRITER_H
