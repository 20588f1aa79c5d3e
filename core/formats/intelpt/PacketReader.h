//===- PacketReader.h - One packet after the other --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PACKETREADER_H
#define REWIND_FORMATS_INTELPT_PACKETREADER_H

#include "llvm/ADT/ArrayRef.h"
#include <intel-pt.h>
#include <memory>

namespace rw::intelpt {

/// Reads packets without looking at what they mean.
class PacketReader {
public:
  PacketReader(llvm::ArrayRef<uint8_t> Bytes, size_t From)
      : Decoder(nullptr, pt_pkt_free_decoder) {
    pt_config Config;
    pt_config_init(&Config);
    Config.begin = const_cast<uint8_t *>(Bytes.begin());
    Config.end = const_cast<uint8_t *>(Bytes.end());
    Decoder.reset(pt_pkt_alloc_decoder(&Config));
    if (Decoder && pt_pkt_sync_set(Decoder.get(), From) < 0)
      Decoder.reset();
  }
  /// False at the end, or where there is no packet.
  bool next(pt_packet &P) {
    return Decoder && pt_pkt_next(Decoder.get(), &P, sizeof P) > 0;
  }
  /// Where the next packet begins.
  size_t offset() const {
    uint64_t Offset = 0;
    if (Decoder)
      pt_pkt_get_offset(Decoder.get(), &Offset);
    return Offset;
  }

private:
  std::unique_ptr<pt_packet_decoder, decltype(&pt_pkt_free_decoder)> Decoder;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_PACKETREADER_H
