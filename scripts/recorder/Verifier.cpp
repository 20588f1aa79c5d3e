//===- Verifier.cpp - Checks that a trace tells the truth -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Verifier.h"

using namespace rw::record;

void Verifier::differ(uint64_t PC, const std::string &What, uint64_t Trace,
                      uint64_t Cpu) {
  if (!Difference.empty())
    return;
  char Text[160];
  snprintf(Text, sizeof Text,
           "the trace is wrong about %s at pc 0x%llx: 0x%llx, not 0x%llx",
           What.c_str(), (unsigned long long)PC, (unsigned long long)Trace,
           (unsigned long long)Cpu);
  Difference = Text;
}

static std::string byteAt(uint64_t Addr) {
  char Text[40];
  snprintf(Text, sizeof Text, "the byte at 0x%llx", (unsigned long long)Addr);
  return Text;
}

void Verifier::accesses(uint64_t PC, llvm::ArrayRef<Access> Accesses) {
  for (const Access &A : Accesses)
    for (unsigned K = 0; K < A.Size; ++K) {
      uint8_t Value = A.Value >> (8 * K);
      auto [It, New] = Memory.try_emplace(A.Addr + K, Value);
      if (!New && !A.IsWrite && It->second != Value)
        differ(PC, byteAt(A.Addr + K), It->second, Value);
      It->second = Value;
    }
}

void Verifier::registers(uint64_t PC, const RegValue *Written) {
  for (unsigned R = 0; R < NumRegs; ++R) {
    bool Absent = !G.is64() && (R == 15 || (R >= 16 && R < V0) || R == FPCR);
    RegValue V = Absent ? RegValue() : G.read(R);
    if (!Absent && V != Written[R])
      differ(PC, "register " + std::to_string(R), Written[R].Lo, V.Lo);
  }
}

void Verifier::forget(uint64_t Addr, uint64_t Size) {
  if (Size > Memory.size()) {
    for (auto It = Memory.begin(), End = Memory.end(); It != End;) {
      auto Byte = It++;
      if (Byte->first >= Addr && Byte->first - Addr < Size)
        Memory.erase(Byte);
    }
    return;
  }
  for (uint64_t K = 0; K < Size; ++K)
    Memory.erase(Addr + K);
}

void Verifier::end() {
  for (auto [Addr, Value] : Memory) {
    uint8_t Byte = 0;
    if (G.readMemory(Addr, &Byte, 1) && Byte != Value)
      differ(0, byteAt(Addr), Value, Byte);
  }
}
