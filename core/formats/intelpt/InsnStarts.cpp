//===- InsnStarts.cpp - Where the instructions of functions begin ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/InsnStarts.h"
#include "core/arch/InstructionClass.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw::intelpt {

/// Longer functions would take longer than the answer is worth.
static constexpr uint64_t MaxFunction = 1 << 17;

bool InsnStarts::isPrefixes(uint64_t Begin, uint64_t End) const {
  ArrayRef<uint8_t> Bytes = Code.bytes(Begin, End - Begin);
  return Bytes.size() == End - Begin && llvm::all_of(Bytes, isX86Prefix);
}

BitVector InsnStarts::understand(const FunctionRange &F,
                                 X86Decoder &Decoder) const {
  ArrayRef<uint8_t> Bytes = Code.bytes(F.Begin, F.Size);
  if (F.Size > MaxFunction || Bytes.size() != F.Size)
    return {};
  BitVector Starts(unsigned(F.Size));
  SmallVector<uint64_t, 32> Targets;
  for (uint64_t At = 0; At < F.Size;) {
    X86Insn I = Decoder.decode(Bytes.drop_front(At));
    if (!I.Size)
      return {};
    Starts.set(unsigned(At));
    At += I.Size;
    if (I.Displacement && At + uint64_t(*I.Displacement) < F.Size)
      Targets.push_back(At + uint64_t(*I.Displacement));
  }
  for (uint64_t To : Targets) {
    if (Starts[unsigned(To)])
      continue;
    int From = Starts.find_prev(unsigned(To));
    if (!isPrefixes(F.Begin + uint64_t(From), F.Begin + To))
      return {};
  }
  return Starts;
}

std::optional<uint64_t> InsnStarts::around(uint64_t IP, X86Decoder &Decoder) {
  const FunctionRange *F = Code.functionAt(IP);
  if (!F || F->Begin == IP)
    return std::nullopt;
  auto [It, New] = Known.try_emplace(F->Begin);
  if (New)
    It->second = understand(*F, Decoder);
  const BitVector &Starts = It->second;
  const unsigned At = unsigned(IP - F->Begin);
  if (Starts.empty() || Starts[At])
    return std::nullopt;
  const uint64_t From = F->Begin + uint64_t(Starts.find_prev(At));
  if (isPrefixes(From, IP))
    return std::nullopt;
  return From;
}

} // namespace rw::intelpt
