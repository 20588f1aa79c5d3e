//===- LineItems.cpp - What lines add to a batch --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "core/formats/tarmac/LineParser.h"
#include "core/formats/tarmac/Semihosting.h"

namespace rw::tarmac {

uint8_t &slotOf(Selection &S, unsigned Slot) {
  switch (Slot) {
  case SlotSP64:
    return S.SP64;
  case SlotSP32:
    return S.SP32;
  case SlotLR32:
    return S.LR32;
  default:
    return S.R8;
  }
}

void LineParser::setTime(uint64_t T) {
  if (!Out->HasTime) {
    Out->HasTime = true;
    Out->FirstTime = T;
    Out->UntimedInsns = Batch->Insns.size();
  } else if (T < Time)
    Out->TimeWentBack = true;
  Time = T;
  if (T > MaxTime)
    MaxTime = T;
}

void LineParser::closeInsn() {
  size_t NumRegs = Batch->Regs.size() - RegBegin;
  size_t NumMems = Batch->Mems.size() - MemBegin;
  if (Batch->Insns.empty()) {
    Batch->LeadRegs = NumRegs;
    Batch->LeadMems = NumMems;
    Batch->LeadLines = LineNo - 1;
    return;
  }
  // The counts are 16 bits wide. No instruction has so many effects; a damaged
  // trace that lost its instruction lines may look as if.
  if (NumRegs > 0xffff || NumMems > 0xffff) {
    NumRegs = std::min<size_t>(NumRegs, 0xffff);
    NumMems = std::min<size_t>(NumMems, 0xffff);
    Batch->Regs.resize(RegBegin + NumRegs);
    Batch->Mems.resize(MemBegin + NumMems);
    malformed("more than 65535 effects of one instruction; the rest is lost");
  }
  InsnItem &I = Batch->Insns.back();
  I.NumRegs = uint16_t(NumRegs);
  I.NumMems = uint16_t(NumMems);
  I.Lines = uint32_t(LineNo - InsnLine);
}

InsnItem &LineParser::beginInsn(uint64_t PC, bool HasTime) {
  closeInsn();
  RegBegin = Batch->Regs.size();
  MemBegin = Batch->Mems.size();
  InsnLine = LineNo;
  if (!Out->HasTime)
    Out->UntimedInsns = Batch->Insns.size() + 1;
  InsnItem &I = Batch->Insns.emplace_back();
  I.PC = PC;
  I.Time = MaxTime;
  I.Thread = Cur;
  if (HasTime)
    I.Flags |= InsnItem::TimeKnown;
  return I;
}

void LineParser::finishInsn(InsnItem &I, uint64_t Opcode, unsigned Digits,
                            ISA Isa) {
  I.Opcode = Opcode;
  I.Isa = Isa;
  I.Size = Digits == 4 ? 2 : 4;
  I.Flags |= InsnItem::OpcodeKnown;
  State->SeenInsn = true;
  State->Isa = Isa;
  State->Opcode = Opcode;
  Out->Opcodes = true;
  (Isa == ISA::A64 ? Out->SawA64 : Out->SawA32) = true;
  if (isSemihostingCall(Opcode, Isa) && (I.Flags & InsnItem::Executed))
    Out->SemihostingCalls.push_back(Batch->Insns.size() - 1);
}

void LineParser::setBank(uint8_t Bank, uint64_t Value, uint8_t Written,
                         uint8_t Unknown) {
  uint8_t All = uint8_t((1u << bankSize(Bank)) - 1);
  State->BanksKnown |= uint64_t(1) << Bank;
  State->Banks[Bank] = {Value, uint8_t(Unknown | (All & ~Written))};
}

void LineParser::write32(uint8_t Lane, uint32_t Value, uint8_t Unknown,
                         uint8_t Written) {
  Out->SpecialLanes |= uint64_t(1) << Lane;
  addReg(Lane, Value, Written, Unknown);
  if (Lane < 8)
    return;
  const Selection &S = State->OfMode;
  uint8_t Bank = NoBank;
  if (Lane == arm::R13)
    Bank = S.SP32;
  else if (Lane == arm::R14)
    Bank = S.LR32;
  else if (Lane <= 12 && S.R8 != NoBank)
    Bank = uint8_t(S.R8 + Lane - 8);
  if (Bank != NoBank)
    setBank(Bank, Value, Written, Unknown);
}

void LineParser::writeFloat(const RegDesc &D, uint64_t Value, uint8_t Written,
                            uint8_t Unknown) {
  unsigned Size = D.Kind == RegKind::S ? 4 : 8;
  if (State->Isa == ISA::A64) {
    // A scalar write zeroes the rest of the vector register.
    uint8_t Own = uint8_t((1u << Size) - 1);
    bool Whole = (Written & Own) == Own;
    addReg(arm::v(D.Num), Value, Whole ? 0xff : Written, Unknown);
    if (Whole)
      addReg(arm::v(D.Num, 1), 0, 0xff);
    return;
  }
  unsigned Byte = D.Num * Size;
  unsigned Shift = Byte % 8;
  addReg(uint16_t(arm::V0 + Byte / 8), Value << (8 * Shift),
         uint8_t(Written << Shift), uint8_t(Unknown << Shift));
}

uint16_t LineParser::bankLane(uint8_t Bank) {
  if (BankLocals[Bank] == ~0u)
    BankLocals[Bank] = localName(bankName(Bank), 1);
  return laneOf(BankLocals[Bank], bankSize(Bank));
}

void LineParser::writeBanked(uint8_t Bank, uint64_t Value, uint8_t Written,
                             uint8_t Unknown) {
  if (uint16_t Lane = bankLane(Bank))
    addReg(Lane, Value, Written, Unknown);
  setBank(Bank, Value, Written, Unknown);
  Mode M = State->Mode;
  if (isSelected(Bank, M)) {
    Out->SpecialLanes |= uint64_t(1) << bankCurrentLane(Bank);
    addReg(bankCurrentLane(Bank), Value, Written, Unknown);
  }
  if (Bank >= MSP && Bank <= PSP_NS &&
      (M == Mode::Thread || M == Mode::ThreadS || M == Mode::ThreadNS))
    State->ThreadStack = Bank;
}

void LineParser::selectBank(unsigned Slot, uint8_t Bank) {
  uint8_t &Have = slotOf(State->Selected, Slot);
  uint8_t From = Have;
  if (From == Bank)
    return;
  Have = Bank;
  unsigned Registers = Slot == SlotR8 ? 5 : 1;
  bool Known =
      From != NoBank && From != ThreadStackBank && Bank != ThreadStackBank;
  for (unsigned I = 0; Known && I < Registers; ++I)
    Known = State->BanksKnown >> (Bank + I) & 1;
  for (unsigned I = 0; I < Registers; ++I) {
    if (Known) {
      const BankValue &V = State->Banks[Bank + I];
      addReg(bankCurrentLane(Bank + I), V.Value,
             uint8_t((1u << bankSize(Bank + I)) - 1), V.Unknown);
      continue;
    }
    // Also where the stack of thread mode is involved: which that is may have
    // been told before the chunk.
    BankCheck C;
    C.RegIndex = Batch->Regs.size();
    C.InsnCount = Batch->Insns.size();
    C.Cpu = Cur;
    C.Slot = uint8_t(Slot);
    C.From = From;
    C.To = Bank;
    if (C.From == ThreadStackBank && State->ThreadStack != NoBank)
      C.From = State->ThreadStack;
    if (C.To == ThreadStackBank && State->ThreadStack != NoBank)
      C.To = State->ThreadStack;
    if (C.From != ThreadStackBank && C.From == C.To)
      return;
    if (C.From != NoBank && C.From != ThreadStackBank)
      C.From = uint8_t(C.From + I);
    if (C.To != ThreadStackBank)
      C.To = uint8_t(C.To + I);
    C.ValueKnown = C.To != ThreadStackBank && (State->BanksKnown >> C.To & 1);
    if (C.ValueKnown)
      C.Value = State->Banks[C.To];
    uint8_t Any = C.To != ThreadStackBank ? C.To : uint8_t(MSP);
    C.Banked = (State->BanksKnown & banksOfLane(bankCurrentLane(Any))) != 0;
    Out->Checks.push_back(C);
  }
}

void LineParser::setMode(Mode M) {
  State->Mode = M;
  Selection S = State->OfMode = selectionOf(M);
  if (M == Mode::Thread || M == Mode::ThreadS || M == Mode::ThreadNS)
    S.SP32 = ThreadStackBank;
  for (unsigned Slot = 0; Slot < NumSlots; ++Slot)
    if (uint8_t Bank = slotOf(S, Slot); Bank != NoBank)
      selectBank(Slot, Bank);
}

void LineParser::addAccess(uint64_t Addr, uint64_t Real, unsigned Size,
                           uint8_t Flags, const uint8_t *Bytes,
                           const bool *Known) {
  for (unsigned Done = 0; Done < Size;) {
    unsigned N = std::min(Size - Done, 8u);
    uint64_t A = Addr + Done;
    // Addresses wrap at 2^64; an item does not.
    if (A + N < A && A + N != 0)
      N = unsigned(0 - A);
    uint64_t Value = 0;
    uint8_t Mask = 0;
    for (unsigned I = 0; I < N; ++I)
      if (Known[Done + I]) {
        Value |= uint64_t(Bytes[Done + I]) << (8 * I);
        Mask |= uint8_t(1u << I);
      }
    uint8_t F = Flags;
    if (Done)
      F |= MemItem::Joined;
    if (!Mask)
      F |= MemItem::NoValue;
    else
      Out->MemValues = true;
    addMem(A, Value, Real == ~uint64_t(0) ? Real : Real + Done, uint8_t(N), F,
           Mask);
    Done += N;
  }
}

} // namespace rw::tarmac
