//===- Resume.cpp - Going on before the next PSB --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/Resume.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw::intelpt {

std::optional<uint64_t> packetAddress(const pt_packet_ip &P, uint64_t LastIP) {
  auto low = [&](unsigned Bits) {
    uint64_t Mask = maskTrailingOnes<uint64_t>(Bits);
    return (LastIP & ~Mask) | (P.ip & Mask);
  };
  switch (P.ipc) {
  case pt_ipc_suppressed:
    return std::nullopt;
  case pt_ipc_update_16:
    return low(16);
  case pt_ipc_update_32:
    return low(32);
  case pt_ipc_update_48:
    return low(48);
  case pt_ipc_sext_48:
    return uint64_t(SignExtend64<48>(P.ip));
  case pt_ipc_full:
    return P.ip;
  }
  return std::nullopt;
}

std::optional<ResumeFinder::Place> ResumeFinder::next(size_t From) {
  for (pt_packet P;;) {
    size_t Offset = Reader.offset();
    if (!Reader.next(P))
      return std::nullopt;
    bool Arrives = false;
    switch (P.type) {
    case ppt_psb:
    case ppt_ovf:
      LastIP = 0;
      continue;
    case ppt_tip:
    case ppt_tip_pge:
      Arrives = true;
      break;
    case ppt_tip_pgd:
    case ppt_fup:
      break;
    default:
      continue;
    }
    auto IP = packetAddress(P.payload.ip, LastIP);
    if (!IP)
      continue;
    LastIP = *IP;
    if (Arrives && Offset >= From && !Code.bytes(*IP, 1).empty())
      return Place{size_t(Offset + P.size), *IP};
  }
}

std::vector<uint8_t> ResumeFinder::packets(const Place &P, size_t End,
                                           uint64_t Tsc,
                                           size_t &HeadBytes) const {
  std::vector<uint8_t> Out;
  auto value = [&](uint8_t Header, uint64_t V, unsigned Bytes) {
    Out.push_back(Header);
    for (unsigned I = 0; I < Bytes; ++I)
      Out.push_back(uint8_t(V >> 8 * I));
  };
  for (unsigned I = 0; I < 8; ++I) // PSB
    Out.insert(Out.end(), {0x02, 0x82});
  if (Tsc)
    value(0x19, Tsc, 7);
  value(0x99, 1, 1);                   // MODE.Exec: 64-bit code
  value(0xdd, P.IP, 8);                // FUP with all of the address
  Out.insert(Out.end(), {0x02, 0x23}); // PSBEND
  HeadBytes = Out.size();
  Out.insert(Out.end(), Packets.begin() + P.Offset, Packets.begin() + End);
  return Out;
}

} // namespace rw::intelpt
