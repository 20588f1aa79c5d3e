//===- PacketWriter.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/tools/pt-record/PacketWriter.h"

using namespace llvm;
using namespace rw::ptrecord;

/// How many calls a processor remembers for CompressReturns.
static constexpr size_t ReturnStackDepth = 64;

PacketWriter::PacketWriter(std::unique_ptr<raw_fd_ostream> OS,
                           const PacketOptions &Options)
    : Options(Options), OS(std::move(OS)), Buffer(1 << 16) {}

PacketWriter::~PacketWriter() {
  if (Encoder)
    pt_free_encoder(Encoder);
}

Expected<std::unique_ptr<PacketWriter>>
PacketWriter::create(const std::string &Path, const PacketOptions &Options) {
  std::error_code EC;
  auto OS = std::make_unique<raw_fd_ostream>(Path, EC);
  if (EC)
    return createStringError(EC, "cannot create '%s': %s", Path.c_str(),
                             EC.message().c_str());
  std::unique_ptr<PacketWriter> W(new PacketWriter(std::move(OS), Options));
  pt_config Config;
  pt_config_init(&Config);
  Config.cpu = {pcv_intel, Family, Model, Stepping};
  if (int Code = pt_cpu_errata(&Config.errata, &Config.cpu))
    return createStringError("libipt: %s", pt_errstr(pt_errcode(Code)));
  Config.begin = W->Buffer.data();
  Config.end = W->Buffer.data() + W->Buffer.size();
  W->Encoder = pt_alloc_encoder(&Config);
  if (!W->Encoder)
    return createStringError("libipt has no encoder for this processor");
  return W;
}

void PacketWriter::indirect(uint64_t Target) {
  flushTnt();
  address(ppt_tip, Target);
}

void PacketWriter::call(uint64_t ReturnAddress) {
  if (!Options.CompressReturns)
    return;
  if (Returns.size() == ReturnStackDepth)
    Returns.pop_front();
  Returns.push_back(ReturnAddress);
}

void PacketWriter::returned(uint64_t Target) {
  if (!Returns.empty() && Returns.back() == Target) {
    Returns.pop_back();
    tnt(true);
    return;
  }
  // A decoder pops nothing at an uncompressed return, so the older entries are
  // of no use after a mismatch.
  Returns.clear();
  indirect(Target);
}

void PacketWriter::enable(uint64_t IP) {
  flushTnt();
  if (syncIsDue() || !Written)
    sync(nullptr);
  mode();
  address(ppt_tip_pge, IP);
  Enabled = true;
}

void PacketWriter::disable() {
  flushTnt();
  withoutAddress(ppt_tip_pgd);
  Enabled = false;
  Returns.clear();
}

void PacketWriter::disableBefore(uint64_t IP) {
  flushTnt();
  address(ppt_fup, IP);
  disable();
}

void PacketWriter::retired(uint64_t Next) {
  ++Insns;
  if (Options.MtcPeriod && Insns % Options.MtcPeriod == 0) {
    flushTnt();
    pt_packet P{};
    P.type = ppt_mtc;
    P.payload.mtc.ctc = uint8_t(time() >> 9);
    emit(P);
  }
  if (Enabled && syncIsDue() && Late++ >= Options.PsbDelay) {
    flushTnt();
    sync(&Next);
  }
}

Error PacketWriter::finish() {
  flushTnt();
  drain();
  OS->flush();
  if (Failure)
    return createStringError("libipt's encoder: %s",
                             pt_errstr(pt_errcode(Failure)));
  if (std::error_code EC = OS->error()) {
    OS->clear_error();
    return createStringError(EC, "cannot write packets: " + EC.message());
  }
  return Error::success();
}

void PacketWriter::tnt(bool Taken) {
  Tnt = Tnt << 1 | Taken;
  if (++TntBits == (Options.LongTnt ? 47u : 6u))
    flushTnt();
}

void PacketWriter::flushTnt() {
  if (!TntBits)
    return;
  pt_packet P{};
  P.type = TntBits > 6 ? ppt_tnt_64 : ppt_tnt_8;
  P.payload.tnt.bit_size = uint8_t(TntBits);
  P.payload.tnt.payload = Tnt;
  Tnt = 0;
  TntBits = 0;
  emit(P);
}

void PacketWriter::address(pt_packet_type Type, uint64_t IP) {
  pt_packet P{};
  P.type = Type;
  uint64_t Difference = IP ^ LastIP;
  if (!(Difference >> 16))
    P.payload.ip.ipc = pt_ipc_update_16;
  else if (!(Difference >> 32))
    P.payload.ip.ipc = pt_ipc_update_32;
  else if (!(Difference >> 48))
    P.payload.ip.ipc = pt_ipc_update_48;
  else if (int64_t(IP << 16) >> 16 == int64_t(IP))
    P.payload.ip.ipc = pt_ipc_sext_48;
  else
    P.payload.ip.ipc = pt_ipc_full;
  P.payload.ip.ip = IP;
  LastIP = IP;
  emit(P);
}

void PacketWriter::withoutAddress(pt_packet_type Type) {
  pt_packet P{};
  P.type = Type;
  P.payload.ip.ipc = pt_ipc_suppressed;
  emit(P);
}

void PacketWriter::mode() {
  pt_packet P{};
  P.type = ppt_mode;
  P.payload.mode.leaf = pt_mol_exec;
  P.payload.mode.bits.exec = pt_set_exec_mode(ptem_64bit);
  emit(P);
}

void PacketWriter::sync(const uint64_t *IP) {
  LastSync = Written;
  Late = 0;
  ++SyncPoints;
  LastIP = 0;
  Returns.clear();
  pt_packet P{};
  P.type = ppt_psb;
  emit(P);
  if (Options.Timing) {
    P = {};
    P.type = ppt_tsc;
    P.payload.tsc.tsc = time();
    emit(P);
    if (Options.MtcPeriod) {
      P = {};
      P.type = ppt_tma;
      P.payload.tma.ctc = uint16_t(time() >> 9);
      emit(P);
    }
    P = {};
    P.type = ppt_cbr;
    P.payload.cbr.ratio = 26;
    emit(P);
  }
  mode();
  if (IP)
    address(ppt_fup, *IP);
  P = {};
  P.type = ppt_psbend;
  emit(P);
}

void PacketWriter::emit(const pt_packet &Packet) {
  int N = pt_enc_next(Encoder, &Packet);
  if (N == -pte_eos) {
    drain();
    N = pt_enc_next(Encoder, &Packet);
  }
  if (N >= 0)
    Written += unsigned(N);
  else if (!Failure)
    Failure = N;
}

void PacketWriter::drain() {
  uint64_t Size = 0;
  pt_enc_get_offset(Encoder, &Size);
  OS->write(reinterpret_cast<const char *>(Buffer.data()), Size);
  pt_enc_sync_set(Encoder, 0);
}
