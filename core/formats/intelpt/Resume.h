//===- Resume.h - Going on before the next PSB ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libipt can begin only at a PSB. Where it has lost its way (code that is not
// there), the next packet that tells an address in code that is there is a
// place as good: what follows it can be decoded if a PSB that tells the same is
// put before it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_RESUME_H
#define REWIND_FORMATS_INTELPT_RESUME_H

#include "core/formats/intelpt/Image.h"
#include "core/formats/intelpt/PacketReader.h"

namespace rw::intelpt {

/// Looks through packets from a PSB on.
class ResumeFinder {
public:
  /// \p Packets begin with a PSB.
  ResumeFinder(llvm::ArrayRef<uint8_t> Packets, const Image &Code)
      : Packets(Packets), Code(Code), Reader(Packets, 0) {}

  struct Place {
    size_t Offset = 0; ///< after the packet
    uint64_t IP = 0;
  };
  /// The first one at or after \p From. Calls must ascend.
  std::optional<Place> next(size_t From);

  /// Packets that begin at that place, up to \p End. The first \p HeadBytes of
  /// them were not in the trace.
  std::vector<uint8_t> packets(const Place &P, size_t End, uint64_t Tsc,
                               size_t &HeadBytes) const;

private:
  llvm::ArrayRef<uint8_t> Packets;
  const Image &Code;
  PacketReader Reader;
  uint64_t LastIP = 0;
};

/// The address that an IP packet tells after \p LastIP; none if it has none.
std::optional<uint64_t> packetAddress(const pt_packet_ip &P, uint64_t LastIP);

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_RESUME_H
