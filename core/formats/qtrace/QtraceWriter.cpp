//===- QtraceWriter.cpp - Writes Qtrace files -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/qtrace/QtraceWriter.h"
#include <cassert>
#include <utility>

using namespace llvm;

namespace rw::qtrace {

namespace {
constexpr uint16_t NoDataModes =
    translationBits(Translation::Undefined, Role::HostData) |
    translationBits(Translation::Undefined, Role::GuestData);
constexpr uint16_t NoInsnModes =
    translationBits(Translation::Undefined, Role::HostInsn) |
    translationBits(Translation::Undefined, Role::GuestInsn);

/// How a record says that control goes on, to what has no place of its own.
Termination termination(const Insn &I) {
  return !I.Branch       ? Termination::Exception
         : I.Conditional ? Termination::Conditional
                         : Termination::Unconditional;
}
uint8_t *putTermination(uint8_t *Out, const Insn &I) {
  Out = put<uint16_t>(Out, 0); // its node, and the one it ended on
  return put<uint8_t>(Out, uint8_t(termination(I)));
}
} // namespace

QtraceWriter::QtraceWriter(raw_ostream &OS, RadixBlocks::Finder Walks)
    : OS(OS), Behind(OS, BufferSize), Buffer(Behind.buffer()), At(Buffer.get()),
      End(At + BufferSize), Blocks(std::move(Walks)) {}

QtraceWriter::~QtraceWriter() = default;

void QtraceWriter::nextBuffer() {
  const size_t Used = size_t(At - Buffer.get());
  Buffer = Behind.exchange(std::move(Buffer), Used);
  At = Buffer.get();
  End = At + BufferSize;
}

void QtraceWriter::header(const Place &First) {
  uint16_t Flags2 = Flag2Header;
  uint16_t Header = HeaderVersion | HeaderIar;
  const uint8_t GuestShift = First.Block ? First.Block->guestShift() : 0;
  if (First.Page.Has)
    Header |= HeaderRpn | HeaderPageShift;
  if (GuestShift)
    Header |= HeaderGuestShift;
  if (First.Block)
    Flags2 |= Flag2Ext;
  At = put<uint32_t>(At, 0);
  At = put<uint16_t>(At, FlagExt);
  At = put<uint16_t>(At, Flags2);
  if (First.Block)
    At = put<uint16_t>(At, NoDataModes | First.Block->insnModes());
  At = put<uint16_t>(At, Header);
  At = put<uint32_t>(At, Version);
  At = put<uint64_t>(At, First.EA);
  if (First.Page.Has) {
    if (First.Block)
      At = First.Block->put(At, First.EA);
    At = put<uint32_t>(At, First.Page.Rpn);
    At = put<uint8_t>(At, First.Page.Shift);
    if (GuestShift)
      At = put<uint8_t>(At, GuestShift);
  }
}

/// Writes \p I. \p Data: of its access. \p Next comes after it (null: nothing
/// does); \p Told: the page that was told until then.
uint8_t *QtraceWriter::record(uint8_t *Out, const Insn &I, const Place &Data,
                              const RealPage &Told, const Place *Next) {
  const bool Jump = Next && Next->EA != I.next();
  uint16_t Flags = 0, Flags2 = 0, Tail = 0, Tail2 = 0;
  uint16_t DataModes = NoDataModes, InsnModes = NoInsnModes;
  uint8_t DataGuest = 0, NextGuest = 0;
  if (I.HasData) {
    Flags = FlagDataAddress;
    if (Data.Page.Has) {
      Flags |= FlagDataRpn;
      Flags2 = Flag2DataPageShift;
    }
    if (Data.Block) {
      DataGuest = Data.Block->guestShift();
      Flags2 |= Flag2Ext | (DataGuest ? Flag2DataGuestShift : 0);
      DataModes = Data.Block->dataModes();
    }
  }
  if (Jump)
    Tail = FlagIarChange | FlagIar;
  if (I.Branch || Jump)
    Tail |= FlagNode | FlagTermination;
  // The page of the next instruction holds until told otherwise.
  if (Next && Next->Page.Has && (Jump || !Next->Page.follows(Told))) {
    Tail |= FlagIarRpn;
    Tail2 = Flag2IarPageShift;
    if (Next->Block) {
      NextGuest = Next->Block->guestShift();
      Tail2 |= Flag2Ext | (NextGuest ? Flag2IarGuestShift : 0);
      InsnModes = Next->Block->insnModes();
    }
  }

  auto head = [&](uint32_t Opcode, uint16_t Flags, uint16_t Flags2) {
    Out = put<uint32_t>(Out, Opcode);
    Out = put<uint16_t>(Out, Flags | FlagExt);
    Out = put<uint16_t>(Out, Flags2);
    if (Flags2 & Flag2Ext)
      Out = put<uint16_t>(Out, DataModes | InsnModes);
  };
  auto data = [&] {
    if (!Flags)
      return;
    Out = put<uint64_t>(Out, Data.EA);
    if (!Data.Page.Has)
      return;
    if (Data.Block)
      Out = Data.Block->put(Out, Data.EA);
    Out = put<uint32_t>(Out, Data.Page.Rpn);
  };
  auto dataShifts = [&] {
    if (Flags2 & Flag2DataPageShift)
      Out = put<uint8_t>(Out, Data.Page.Shift);
  };
  if (I.Prefixed) {
    head(I.Prefix, Flags, Flags2);
    data();
    dataShifts();
    if (DataGuest)
      Out = put<uint8_t>(Out, DataGuest);
    Flags = Flags2 = DataGuest = 0;
    DataModes = NoDataModes;
  }
  head(I.Opcode, Flags | Tail, Flags2 | Tail2);
  if (Tail & FlagTermination)
    Out = putTermination(Out, I);
  data();
  if (Tail & FlagIar)
    Out = put<uint64_t>(Out, Next->EA);
  if (Tail & FlagIarRpn) {
    if (Next->Block)
      Out = Next->Block->put(Out, Next->EA);
    Out = put<uint32_t>(Out, Next->Page.Rpn);
    Out = put<uint8_t>(Out, Next->Page.Shift);
  }
  dataShifts();
  if (NextGuest)
    Out = put<uint8_t>(Out, NextGuest);
  if (DataGuest)
    Out = put<uint8_t>(Out, DataGuest);
  return Out;
}

/// Writes what is held, now that it is known what comes next.
void QtraceWriter::goTo(const Place &P) {
  assert(!HeldRun && !Closed);
  if (LLVM_LIKELY(Started))
    At = record(At, Held, HeldData, Told, &P);
  else
    header(P);
  Started = true;
  // An unknown page does not replace the last one: the reader keeps that.
  if (P.Page.Has)
    Told = P.Page;
}

inline void QtraceWriter::hold(const Insn &I) {
  Held = I;
  if (!I.HasData)
    return;
  HeldData = placeOf(I.Data.EA, I.Data.Real);
  if (HeldData.Block) {
    HeldBlock = *HeldData.Block;
    HeldData.Block = &HeldBlock;
  }
}

void QtraceWriter::settle() {
  const InsnRun *R = std::exchange(HeldRun, nullptr);
  if (!R)
    return;
  Insn I = R->Last;
  I.Data = HeldAccess;
  hold(I);
}

void QtraceWriter::add(const Insn &I) {
  if (HeldRun)
    settle();
  room(MaxRecord);
  goTo(placeOf(I.EA, I.Real));
  hold(I);
}

void QtraceWriter::goTo(const InsnRun &R) {
  const InsnRun *H = HeldRun;
  if (LLVM_LIKELY(H && H->EndSize)) {
    if (H->Last.next() != R.FirstEA) {
      uint8_t *Out = At;
      Out = put<uint32_t>(Out, H->Last.Opcode);
      std::memcpy(Out, R.Head, sizeof(R.Head));
      Out += R.HeadSize;
      Out = putTermination(Out, H->Last);
      At = copy(Out, R.Arrival.data(), R.ArrivalSize);
      return;
    }
    if (!R.First.Has || R.First.follows(Told)) {
      At = copy(At, H->End, H->EndSize);
      return;
    }
  }
  settle();
  const uint64_t Before = Dropped; // the run's own are counted in any case
  goTo(placeOf(R.FirstEA, R.FirstReal));
  Dropped = Before;
}

bool QtraceWriter::prepare(InsnRun &R, ArrayRef<Insn> Insns) {
  if (HeldRun == &R)
    settle();
  R = InsnRun();
  const uint64_t Before = std::exchange(Dropped, 0);
  uint8_t Record[MaxRecord];
  auto append = [&](const Insn &I, const Place &Next) {
    R.Bytes.append(Record, record(Record, I, Place(), R.Page, &Next));
  };

  R.FirstEA = Insns.front().EA;
  R.FirstReal = Insns.front().Real;
  Place P = placeOf(R.FirstEA, R.FirstReal);
  R.First = R.Page = P.Page;
  Insn Jump;
  Jump.EA = R.FirstEA;
  constexpr unsigned OpcodeSize = 4, TerminationSize = 3;
  const uint8_t *Arrival = Record + OpcodeSize;
  const uint8_t *ArrivalEnd = record(Record, Jump, Place(), RealPage(), &P);
  R.HeadSize = P.Block ? 6 : 4;
  std::copy_n(Arrival, R.HeadSize, R.Head);
  Arrival += R.HeadSize + TerminationSize;
  R.ArrivalSize = uint32_t(ArrivalEnd - Arrival);
  R.Arrival.append(Arrival, ArrivalEnd);
  R.Arrival.append(CopyStep, 0);

  bool Good = true;
  size_t Done = 0; // bytes in steps
  for (const Insn &I : Insns.drop_back()) {
    const Insn &Then = *(&I + 1);
    P = placeOf(Then.EA, Then.Real);
    const bool Tells = P.Page.Has && !P.Page.follows(R.Page);
    // That the page must be told may depend on what was before the run.
    Good = Then.EA == I.next() && !(Tells && (!R.Page.Has || I.HasData)) &&
           !(I.HasData && I.Branch);
    if (!Good)
      break;
    if (!I.HasData) {
      append(I, P);
    } else {
      R.Steps.push_back(
          {uint32_t(R.Bytes.size() - Done), I.Prefixed ? I.Prefix : I.Opcode});
      Done = R.Bytes.size();
      if (I.Prefixed) {
        Insn Suffix;
        Suffix.EA = I.EA + 4;
        Suffix.Opcode = I.Opcode;
        append(Suffix, P);
      }
    }
    if (P.Page.Has)
      R.Page = P.Page;
  }
  R.Rest = uint32_t(R.Bytes.size() - Done);
  R.MaxSize = MaxRecord + R.Bytes.size() + R.Steps.size() * MaxAccess;
  R.Bytes.append(CopyStep, 0);
  R.Last = Insns.back();
  if (!R.Last.HasData && !R.Last.Prefixed) {
    P = Place();
    P.EA = R.Last.next();
    R.EndSize = uint8_t(record(Record, R.Last, Place(), R.Page, &P) - Record);
    assert(R.EndSize <= sizeof(R.End));
    std::copy_n(Record, R.EndSize, R.End);
  }
  R.Dropped = uint32_t(std::exchange(Dropped, Before));
  return Good && R.MaxSize <= BufferSize;
}

void QtraceWriter::close() {
  assert(!Closed);
  settle();
  Closed = true;
  room(MaxRecord);
  if (Started) {
    At = record(At, Held, HeldData, Told, nullptr);
  } else {
    Place None;
    None.EA = 4;
    header(None);
  }
  Behind.finish();
  OS.write(reinterpret_cast<const char *>(Buffer.get()), At - Buffer.get());
  OS.flush();
}

} // namespace rw::qtrace
