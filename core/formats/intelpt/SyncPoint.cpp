//===- SyncPoint.cpp - Where decoding can begin ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/SyncPoint.h"
#include "core/formats/intelpt/PacketReader.h"
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

/// An overflow looks ahead to where tracing resumes, which may be told by the
/// PSB after it: they belong together.
static bool followsOverflow(ArrayRef<uint8_t> Bytes, size_t Offset) {
  constexpr size_t MaxBetween = 64;
  size_t Begin = Offset < MaxBetween ? 0 : Offset - MaxBetween;
  StringRef Before = toStringRef(Bytes.slice(Begin, Offset - Begin));
  size_t Overflow = Before.rfind("\x02\xf3");
  if (Overflow == StringRef::npos)
    return false;
  PacketReader Reader(Bytes.take_front(Offset), Begin + Overflow);
  for (pt_packet P; Reader.next(P);)
    if (P.type == ppt_fup || P.type == ppt_tip_pge)
      return false;
  return true;
}

static SyncPoint readSync(ArrayRef<uint8_t> Bytes, size_t Offset) {
  SyncPoint S;
  S.Offset = Offset;
  S.EndsOverflow = followsOverflow(Bytes, Offset);
  PacketReader Reader(
      Bytes.slice(Offset, std::min(MaxPsbPlus, Bytes.size() - Offset)), 0);
  for (pt_packet P; Reader.next(P);)
    switch (P.type) {
    case ppt_psbend:
      S.Complete = true;
      // Some processors write the address of what is to be traced next (an
      // erratum, BDM70): tracing is off.
      if (Reader.next(P) && P.type == ppt_tip_pge)
        S.IP.reset();
      return S;
    case ppt_tsc:
      S.Tsc = P.payload.tsc.tsc;
      break;
    case ppt_fup:
      S.IP = packetAddress(P.payload.ip, 0); // a PSB clears the last IP
      break;
    case ppt_tma:
      S.Mtc = true;
      break;
    case ppt_psb:
    case ppt_pad:
    case ppt_mtc:
    case ppt_cyc:
    case ppt_mnt:
    case ppt_cbr:
    case ppt_pip:
    case ppt_vmcs:
    case ppt_mode:
      break;
    default:
      S.IP.reset();
      return S;
    }
  S.IP.reset();
  return S;
}

std::optional<SyncPoint> findSync(ArrayRef<uint8_t> Bytes, size_t From) {
  size_t At = findPsb(Bytes, From);
  if (At == StringRef::npos)
    return std::nullopt;
  return readSync(Bytes, At);
}

std::optional<SyncPoint> findSeam(ArrayRef<uint8_t> Bytes, size_t From) {
  auto S = findSync(Bytes, From);
  while (S && !S->isSeam())
    S = findSync(Bytes, S->Offset + PsbBytes);
  return S;
}

std::vector<SyncPoint> cutAtSyncs(ArrayRef<uint8_t> Bytes, size_t PieceBytes) {
  std::vector<SyncPoint> Cuts;
  for (auto S = findSync(Bytes, 0); S;
       S = findSeam(Bytes, S->Offset + std::max(PieceBytes, PsbBytes)))
    Cuts.push_back(*S);
  return Cuts;
}

} // namespace rw::intelpt
