//===- Decoder.cpp - What one instruction can do --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Decoder.h"
#include "scripts/recorder/Disassembler.h"
#include "scripts/recorder/Encodings.h"
#include <algorithm>

using namespace llvm;
using namespace rw::record;

Decoder::Decoder(bool Is64) : Is64(Is64) {
  Arm = std::make_unique<Disassembler>(Is64 ? "aarch64-linux-gnu"
                                            : "armv8a-linux-gnueabihf");
  if (!Is64)
    Thumb = std::make_unique<Disassembler>("thumbv8a-linux-gnueabihf");
}

Decoder::~Decoder() = default;

const StaticInsn &Decoder::decode(const Guest &G, uint64_t PC, bool IsThumb,
                                  unsigned Size) {
  Overwritten.clear();
  std::unique_ptr<StaticInsn> &Entry = Known[PC | IsThumb];
  if (Entry)
    return *Entry;
  Entry = std::make_unique<StaticInsn>();
  StaticInsn &I = *Entry;
  uint8_t Bytes[4] = {};
  G.readMemory(PC, Bytes, Size);
  auto Half = [&](unsigned At) { return Bytes[At] | Bytes[At + 1] << 8; };
  I.Size = Size;
  if (!IsThumb)
    I.Opcode = Half(0) | uint32_t(Half(2)) << 16;
  else
    I.Opcode = Size == 2 ? Half(0) : uint32_t(Half(0)) << 16 | Half(2);
  RegMask May = Is64      ? classifyA64(I)
                : IsThumb ? classifyT32(I)
                          : classifyA32(I);
  for (unsigned R = 0; R < NumRegs; ++R)
    if (May[R])
      I.Regs.push_back({uint8_t(R), false});
  (IsThumb ? Thumb : Arm)->decode(I, PC, Bytes);
  CodePages.insert(PC / PageSize);
  CodeBegin = std::min(CodeBegin, PC);
  CodeEnd = std::max(CodeEnd, PC + Size);
  return I;
}

void Decoder::written(uint64_t Addr, uint64_t Size) {
  // An instruction that begins before it may reach into it.
  constexpr uint64_t Longest = 4;
  const uint64_t Begin =
      std::max(std::max(Addr, Longest - 1) - (Longest - 1), CodeBegin);
  const uint64_t End = std::min(Addr + Size, CodeEnd);
  for (uint64_t At = Begin; At < End;) {
    const uint64_t PageEnd = At + std::min(End - At, PageSize - At % PageSize);
    if (CodePages.contains(At / PageSize))
      for (; At < PageEnd; ++At) {
        auto It = Known.find(At);
        if (It == Known.end())
          continue;
        Overwritten.push_back(std::move(It->second));
        Known.erase(It);
      }
    At = PageEnd;
  }
}

bool rw::record::conditionHolds(unsigned Cond, uint32_t Cpsr) {
  bool N = Cpsr >> 31 & 1, Z = Cpsr >> 30 & 1, C = Cpsr >> 29 & 1,
       V = Cpsr >> 28 & 1, Holds = true;
  switch (Cond >> 1) {
  case 0:
    Holds = Z;
    break;
  case 1:
    Holds = C;
    break;
  case 2:
    Holds = N;
    break;
  case 3:
    Holds = V;
    break;
  case 4:
    Holds = C && !Z;
    break;
  case 5:
    Holds = N == V;
    break;
  case 6:
    Holds = !Z && N == V;
    break;
  default:
    return true;
  }
  return Holds != bool(Cond & 1);
}
