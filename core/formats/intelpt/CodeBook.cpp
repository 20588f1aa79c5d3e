//===- CodeBook.cpp - Blocks of code as sequences -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/CodeBook.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace rw::intelpt {

/// What a sequence holds at most, with room for one more instruction's effects.
static constexpr uint32_t MaxInsns = 16384, MaxEffects = 32768;

const CodeBook::Insn *CodeBook::insn(uint64_t IP) {
  if (auto It = ByAddress.find(IP); It != ByAddress.end())
    return &Insns[It->second];
  SmallVector<uint8_t, 16> Bytes;
  while (Bytes.size() < X86Insn::MaxSize) {
    // An instruction may lie across two segments that touch.
    ArrayRef<uint8_t> More =
        Code.bytes(IP + Bytes.size(), X86Insn::MaxSize - Bytes.size());
    if (More.empty())
      break;
    Bytes.append(More.begin(), More.end());
  }
  X86Insn X = Decoder.decode(Bytes);
  if (!X.Size)
    return nullptr;
  Insn I;
  I.Item.PC = IP;
  I.Item.Size = X.Size;
  I.Item.Opcode = X.Opcode;
  I.Item.Isa = ISA::X86_64;
  I.Item.Flags = InsnItem::Executed | InsnItem::OpcodeKnown |
                 (Timed ? InsnItem::TimeKnown : 0);
  I.Item.NumRegs = uint16_t(X.Writes.size());
  I.Class = X.Class;
  I.Target = IP + X.Size + uint64_t(X.Displacement.value_or(0));
  I.FirstReg = uint32_t(Regs.size());
  Regs.insert(Regs.end(), X.Writes.begin(), X.Writes.end());
  if (isCall(I.Class))
    AfterCalls.insert(IP + X.Size);
  ByAddress[IP] = uint32_t(Insns.size());
  Insns.push_back(I);
  return &Insns.back();
}

BlockInfo CodeBook::block(BlockKey Key) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto [It, New] = Blocks.try_emplace({Key.IP, Key.Count});
  if (!New)
    return It->second;
  BlockInfo B;
  B.Next = Key.IP;
  std::vector<InsnItem> Items;
  std::vector<RegItem> Effects;
  while (B.Count < Key.Count && Effects.size() < MaxEffects &&
         B.Count < MaxInsns) {
    const Insn *I = B.Decides ? nullptr : insn(B.Next);
    if (!I) {
      B.Wrong = true;
      break;
    }
    Items.push_back(I->Item);
    Effects.insert(Effects.end(), Regs.begin() + I->FirstReg,
                   Regs.begin() + I->FirstReg + I->Item.NumRegs);
    ++B.Count;
    switch (I->Class) {
    case InsnClass::None:
    case InsnClass::Unknown:
      B.Next = I->Item.PC + I->Item.Size;
      break;
    case InsnClass::Branch:
    case InsnClass::Call:
      B.Next = I->Target;
      break;
    default:
      B.Decides = true;
      B.Jumps = I->Class != InsnClass::CondBranch;
    }
  }
  if (B.Count)
    B.Sequence = Table.add(Items, Effects);
  return Blocks[{Key.IP, Key.Count}] = B;
}

std::optional<uint64_t> CodeBook::around(uint64_t IP) {
  std::lock_guard<std::mutex> Guard(Lock);
  // Mostly returns ask, and need not wait for their caller to be decoded.
  if (AfterCalls.contains(IP))
    return std::nullopt;
  return Starts.around(IP, Decoder);
}

std::vector<CodeRange> CodeBook::executed() const {
  std::vector<std::pair<uint64_t, uint8_t>> Sorted;
  Sorted.reserve(Insns.size());
  for (const Insn &I : Insns)
    Sorted.push_back({I.Item.PC, I.Item.Size});
  llvm::sort(Sorted);
  std::vector<CodeRange> Ranges;
  for (auto [PC, Size] : Sorted) {
    if (Ranges.empty() ||
        PC > Ranges.back().Address + Ranges.back().Bytes.size())
      Ranges.push_back({PC, {}});
    std::vector<uint8_t> &Bytes = Ranges.back().Bytes;
    // Instructions may overlap: code is sometimes entered in their middle.
    while (Ranges.back().Address + Bytes.size() < PC + Size) {
      ArrayRef<uint8_t> More =
          Code.bytes(Ranges.back().Address + Bytes.size(),
                     PC + Size - Ranges.back().Address - Bytes.size());
      if (More.empty())
        break;
      Bytes.insert(Bytes.end(), More.begin(), More.end());
    }
  }
  return Ranges;
}

} // namespace rw::intelpt
