//===- QtraceWriter.cpp - Writes Qtrace files -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/qtrace/QtraceWriter.h"
#include "llvm/Support/Endian.h"
#include <cassert>
#include <cstring>
#include <utility>

using namespace llvm;

namespace rw::qtrace {

using ppc::RadixWalk;

QtraceWriter::QtraceWriter(raw_ostream &OS)
    : OS(OS), Behind(OS, BufferSize), Buffer(Behind.buffer()), At(Buffer.get()),
      Limit(Buffer.get() + BufferSize - MaxRecord) {}

QtraceWriter::~QtraceWriter() = default;

template <typename T> inline void QtraceWriter::put(T V) {
  support::endian::write<T>(At, V, endianness::big);
  At += sizeof(T);
}

inline void QtraceWriter::room() {
  if (LLVM_LIKELY(At <= Limit))
    return;
  size_t Used = size_t(At - Buffer.get());
  Buffer = Behind.exchange(std::move(Buffer), Used);
  At = Buffer.get();
  Limit = At + BufferSize - MaxRecord;
}

inline void QtraceWriter::fill(Place &P, const RealAddress &R, uint64_t EA) {
  P.Has = false;
  P.Walk = nullptr;
  P.GuestShift = 0;
  P.Host = P.Guest = Translation::Undefined;
  if (R.RA == ~uint64_t(0))
    return;
  // Without a page size the address is told in the smallest pages there are.
  P.Shift = R.PageShift ? R.PageShift : 12;
  uint64_t Rpn = R.RA >> P.Shift;
  if (Rpn > 0xffffffff) {
    ++Dropped;
    return;
  }
  P.Has = true;
  P.Rpn = uint32_t(Rpn);
  if (!R.Walk || !R.Walk->NumPtes)
    return;
  P.GuestShift = R.Walk->GuestShift;
  P.Walk = R.Walk;
  P.Host = Translation::Radix;
  switch (P.Walk->K) {
  case RadixWalk::Kind::Nested:
    P.Guest = Translation::Radix;
    P.GuestReal = P.Walk->guestReal(EA);
    break;
  case RadixWalk::Kind::GuestReal:
    P.Guest = Translation::Real;
    break;
  case RadixWalk::Kind::Host:
    break;
  }
}

uint8_t *QtraceWriter::putRadix(uint8_t *Out, const Place &P) {
  auto put = [&Out](uint64_t V) {
    support::endian::write64be(Out, V);
    Out += 8;
  };
  const RadixWalk &W = *P.Walk;
  if (P.Guest != Translation::Radix) {
    for (uint64_t Pte : W.HostPte[0])
      put(Pte);
    return Out;
  }
  *Out++ = W.NumPtes;
  *Out++ = W.NumWalks;
  for (unsigned I = 0; I < W.NumWalks; ++I)
    for (unsigned J = 0; J < W.NumPtes; ++J)
      put(W.HostPte[I][J]);
  for (unsigned I = 0; I + 1 < W.NumWalks; ++I)
    put(W.HostReal[I]);
  for (unsigned I = 0; I + 1 < W.NumWalks; ++I)
    put(W.GuestReal[I]);
  put(P.GuestReal);
  return Out;
}

void QtraceWriter::header(const Insn &First, const Place &P) {
  uint16_t Flags2 = Flag2Header, Flags3 = 0;
  uint16_t Header = HeaderVersion | HeaderIar;
  if (P.Has)
    Header |= HeaderRpn | HeaderPageShift;
  if (P.Has && P.GuestShift)
    Header |= HeaderGuestShift;
  if (P.Walk) {
    Flags2 |= Flag2Ext;
    Flags3 = translationBits(Translation::Undefined, Role::HostData) |
             translationBits(Translation::Undefined, Role::GuestData) |
             translationBits(P.Host, Role::HostInsn) |
             translationBits(P.Guest, Role::GuestInsn);
  }
  put<uint32_t>(0);
  put<uint16_t>(FlagExt);
  put<uint16_t>(Flags2);
  if (Flags2 & Flag2Ext)
    put<uint16_t>(Flags3);
  put<uint16_t>(Header);
  put<uint32_t>(Version);
  put<uint64_t>(First.EA);
  if (P.Has) {
    if (P.Walk)
      At = putRadix(At, P);
    put<uint32_t>(P.Rpn);
    put<uint8_t>(P.Shift);
    if (P.GuestShift)
      put<uint8_t>(P.GuestShift);
  }
}

/// Writes the held instruction; \p Next comes after it (null: nothing does).
inline void QtraceWriter::record(const Insn *Next, const Place &NextPlace) {
  const Insn &I = Held;
  bool Jump = Next && Next->EA != I.EA + (I.Prefixed ? 8 : 4);
  uint16_t Data = 0, Data2 = 0, Tail = 0, Tail2 = 0;
  uint16_t DataModes = translationBits(Translation::Undefined, Role::HostData) |
                       translationBits(Translation::Undefined, Role::GuestData);
  uint16_t InsnModes = translationBits(Translation::Undefined, Role::HostInsn) |
                       translationBits(Translation::Undefined, Role::GuestInsn);
  if (I.HasData) {
    Data = FlagDataAddress;
    if (HeldData.Has) {
      Data |= FlagDataRpn;
      Data2 =
          Flag2DataPageShift | (HeldData.GuestShift ? Flag2DataGuestShift : 0);
      if (HeldBlockSize) {
        Data2 |= Flag2Ext;
        DataModes = translationBits(HeldData.Host, Role::HostData) |
                    translationBits(HeldData.Guest, Role::GuestData);
      }
    }
  }
  if (Jump)
    Tail = FlagIarChange | FlagIar;
  if (I.Branch || Jump)
    Tail |= FlagNode | FlagTermination;
  // The page of the next instruction holds until told otherwise.
  if (Next && NextPlace.Has &&
      (Jump || !Current.Has || NextPlace.Rpn != Current.Rpn ||
       NextPlace.Shift != Current.Shift ||
       (NextPlace.Walk != nullptr) != (Current.Walk != nullptr))) {
    Tail |= FlagIarRpn;
    Tail2 = Flag2IarPageShift | (NextPlace.GuestShift ? Flag2IarGuestShift : 0);
    if (NextPlace.Walk) {
      Tail2 |= Flag2Ext;
      InsnModes = translationBits(NextPlace.Host, Role::HostInsn) |
                  translationBits(NextPlace.Guest, Role::GuestInsn);
    }
  }

  auto head = [&](uint32_t Opcode, uint16_t Flags, uint16_t Flags2,
                  uint16_t Flags3) {
    put<uint32_t>(Opcode);
    put<uint16_t>(Flags | FlagExt);
    put<uint16_t>(Flags2);
    if (Flags2 & Flag2Ext)
      put<uint16_t>(Flags3);
  };
  auto data = [&] {
    if (!Data)
      return;
    put<uint64_t>(I.DataEA);
    if (Data & FlagDataRpn) {
      std::memcpy(At, HeldBlock, HeldBlockSize);
      At += HeldBlockSize;
      put<uint32_t>(HeldData.Rpn);
    }
  };
  room();
  if (I.Prefixed) {
    head(I.Prefix, Data, Data2, DataModes | InsnModes);
    data();
    if (Data2 & Flag2DataPageShift)
      put<uint8_t>(HeldData.Shift);
    if (Data2 & Flag2DataGuestShift)
      put<uint8_t>(HeldData.GuestShift);
    Data = Data2 = 0;
    DataModes = translationBits(Translation::Undefined, Role::HostData) |
                translationBits(Translation::Undefined, Role::GuestData);
    room();
  }
  head(I.Opcode, Data | Tail, Data2 | Tail2, DataModes | InsnModes);
  if (Tail & FlagTermination) {
    put<uint8_t>(0);
    put<uint8_t>(0);
    put<uint8_t>(uint8_t(!I.Branch       ? Termination::Exception
                         : I.Conditional ? Termination::Conditional
                                         : Termination::Unconditional));
  }
  data();
  if (Tail & FlagIar)
    put<uint64_t>(Next->EA);
  if (Tail & FlagIarRpn) {
    if (NextPlace.Walk)
      At = putRadix(At, NextPlace);
    put<uint32_t>(NextPlace.Rpn);
    put<uint8_t>(NextPlace.Shift);
  }
  if (Data2 & Flag2DataPageShift)
    put<uint8_t>(HeldData.Shift);
  if (Tail2 & Flag2IarGuestShift)
    put<uint8_t>(NextPlace.GuestShift);
  if (Data2 & Flag2DataGuestShift)
    put<uint8_t>(HeldData.GuestShift);
}

void QtraceWriter::add(const Insn &I) {
  assert(!Closed);
  fill(Spare, I.Real, I.EA);
  if (LLVM_LIKELY(Started))
    record(&I, Spare);
  else
    header(I, Spare);
  Started = true;
  // An unknown page does not replace the last one: the reader keeps that.
  if (Spare.Has)
    std::swap(Current, Spare);
  Held = I;
  if (I.HasData) {
    fill(HeldData, I.DataReal, I.DataEA);
    HeldBlockSize =
        HeldData.Walk ? putRadix(HeldBlock, HeldData) - HeldBlock : 0;
  }
}

void QtraceWriter::close() {
  assert(!Closed);
  Closed = true;
  if (Started) {
    record(nullptr, Spare);
  } else {
    Insn None;
    None.EA = 4;
    header(None, Place());
  }
  Behind.finish();
  OS.write(reinterpret_cast<const char *>(Buffer.get()), At - Buffer.get());
  OS.flush();
}

} // namespace rw::qtrace
