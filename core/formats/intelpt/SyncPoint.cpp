//===- SyncPoint.cpp - Where decoding can begin ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/SyncPoint.h"
#include "core/formats/intelpt/Resume.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::intelpt {

static constexpr size_t PsbBytes = 16;
/// PSB+ has at most a handful of packets; 256 bytes hold more than all of them.
static constexpr size_t MaxPsbPlus = 256;

static size_t findPsb(ArrayRef<uint8_t> Bytes, size_t From) {
  static constexpr char Psb[PsbBytes + 1] =
      "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82";
  return toStringRef(Bytes).find(StringRef(Psb, PsbBytes), From);
}

static std::optional<SyncPoint> readSync(ArrayRef<uint8_t> Bytes,
                                         size_t Offset) {
  Bytes = Bytes.slice(Offset, std::min(MaxPsbPlus, Bytes.size() - Offset));
  pt_config Config;
  pt_config_init(&Config);
  Config.begin = const_cast<uint8_t *>(Bytes.begin());
  Config.end = const_cast<uint8_t *>(Bytes.end());
  std::unique_ptr<pt_packet_decoder, decltype(&pt_pkt_free_decoder)> D(
      pt_pkt_alloc_decoder(&Config), pt_pkt_free_decoder);
  if (!D || pt_pkt_sync_set(D.get(), 0) < 0)
    return std::nullopt;
  SyncPoint S;
  S.Offset = Offset;
  pt_packet P;
  while (pt_pkt_next(D.get(), &P, sizeof P) > 0)
    switch (P.type) {
    case ppt_psbend:
      return S;
    case ppt_tsc:
      S.Tsc = P.payload.tsc.tsc;
      break;
    case ppt_fup:
      S.IP = packetAddress(P.payload.ip, 0); // a PSB clears the last IP
      break;
    case ppt_psb:
    case ppt_pad:
    case ppt_mtc:
    case ppt_cyc:
    case ppt_mnt:
      break;
    case ppt_tma:
      S.Mtc = true;
      break;
    case ppt_cbr:
    case ppt_pip:
    case ppt_vmcs:
    case ppt_mode:
      S.Repeats = true;
      break;
    default:
      return std::nullopt;
    }
  return std::nullopt;
}

std::optional<SyncPoint> findSync(ArrayRef<uint8_t> Bytes, size_t From) {
  for (size_t At = From; (At = findPsb(Bytes, At)) != StringRef::npos;
       At += PsbBytes)
    if (auto S = readSync(Bytes, At))
      return S;
  return std::nullopt;
}

/// An overflow looks ahead to where tracing resumes: it must not be cut off
/// from it.
static bool followsOverflow(ArrayRef<uint8_t> Bytes, size_t Offset) {
  size_t Begin = Offset < 64 ? 0 : Offset - 64;
  return toStringRef(Bytes.slice(Begin, Offset - Begin)).contains("\x02\xf3");
}

std::vector<SyncPoint> cutAtSyncs(ArrayRef<uint8_t> Bytes, size_t PieceBytes) {
  std::vector<SyncPoint> Cuts;
  auto S = findSync(Bytes, 0);
  while (S) {
    if (Cuts.empty() || !followsOverflow(Bytes, S->Offset))
      Cuts.push_back(*S);
    // From a cut that was refused only to the next one.
    size_t Step = Cuts.back().Offset == S->Offset ? PieceBytes : 0;
    S = findSync(Bytes, S->Offset + std::max(Step, PsbBytes));
  }
  return Cuts;
}

} // namespace rw::intelpt
