//===- StoredValues.cpp - Values of stores that a trace lacks -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/StoredValues.h"
#include "core/arch/PPCStores.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace rw;

StoredValues::StoredValues(const TraceStore &Store) : Store(Store) {
  const Arch A = Store.header().Architecture;
  IsPower = A == Arch::PPC64 || A == Arch::PPC64LE;
  if (IsPower)
    LittleEndian = Store.registerFile().find("msr_le");
}

/// What \p R tells of the registers.
static void apply(RegisterState &State, const RegItem &R) {
  if (R.Lane >= State.Value.size())
    return;
  uint64_t Mask = 0;
  for (unsigned B = 0; B < 8; ++B)
    if (R.Written >> B & 1)
      Mask |= uint64_t(0xff) << 8 * B;
  uint64_t &V = State.Value[R.Lane];
  V = (V & ~Mask) | (R.Value & Mask);
  uint8_t &Known = State.Known[R.Lane];
  Known = uint8_t((Known & ~R.Written) | (R.Written & ~R.Unknown));
}

llvm::Expected<bool> StoredValues::infer(Instruction &I) {
  if (!IsPower)
    return false;
  if (Valid && (I.When != Next || I.Thread != Thread))
    Valid = false;
  std::optional<ppc::StoredRegisters> From;
  if (I.Insn.Flags & InsnItem::OpcodeKnown && !I.Mems.empty())
    From = ppc::storedRegisters(uint32_t(I.Insn.Opcode >> 32),
                                uint32_t(I.Insn.Opcode));
  bool Any = false;
  if (From) {
    if (!Valid) {
      auto S = Store.registersAt(I.Thread, I.When);
      if (!S)
        return S.takeError();
      State = std::move(*S);
      Thread = I.Thread;
      Valid = true;
    }
    // What the instruction shows was so before it.
    for (const RegItem &R : I.Regs)
      if (R.Thread == Thread && R.Flags & RegItem::NotWritten && !R.Unknown)
        apply(State, R);
    ByteOrder Order = Store.header().Order;
    if (LittleEndian)
      if (auto LE = State.get(LittleEndian->Slice))
        Order = *LE ? ByteOrder::Little : ByteOrder::Big;
    const unsigned Size = From->Count * From->Size;
    // Two writes are none of which is known what part it is.
    MemAccess *Write = nullptr;
    unsigned Writes = 0;
    for (MemAccess &M : I.Mems)
      if (M.isWrite() && ++Writes)
        Write = &M;
    if (Writes == 1 && Write->Flags & MemItem::NoValue &&
        Write->Bytes.size() == Size) {
      const bool HighFirst = (Order == ByteOrder::Big) != From->Reversed;
      for (unsigned B = 0; B < Size; ++B) {
        unsigned N = B / From->Size, At = B % From->Size;
        // A quadword is one number, the first register its upper half.
        if (From->IsOneNumber && !HighFirst)
          N = From->Count - 1u - N;
        if (HighFirst)
          At = From->Size - 1u - At;
        const unsigned Lane = From->FirstLane + N;
        if (Lane >= State.Known.size() || !(State.Known[Lane] >> At & 1))
          continue;
        Write->Bytes[B] = uint8_t(State.Value[Lane] >> 8 * At);
        Write->Known[B] = 1;
        Any = true;
      }
    }
  }
  if (Valid) {
    for (const RegItem &R : I.Regs)
      if (R.Thread == Thread)
        apply(State, R);
    Next = I.When + 1;
  }
  return Any;
}
