//===- HtmStatistics.cpp - Counts over a dump -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmStatistics.h"
#include "core/arch/InstructionClass.h"
#include "core/formats/ppc/PPCItems.h"
#include "core/support/Golden.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw::htm {

namespace {
constexpr uint32_t LiMask = 0xffff0000, LiR0 = 0x38000000, LiR3 = 0x38600000;
constexpr uint32_t MrR0R3 = 0x7c601b78, MrR31R31 = 0x7ffffb78;
constexpr uint32_t Sc = 0x44000002, Sc1 = 0x44000022;

/// mfspr with the SPR number in its swapped halves.
constexpr bool isMfspr(uint32_t Op, unsigned Spr) {
  return (Op & 0xfc1fffff) ==
         (0x7c0002a6 | (Spr & 31) << 16 | (Spr >> 5) << 11);
}
constexpr uint32_t Mftb = 0x7c0002e6;
constexpr unsigned SprTB = 268, SprEBBRR = 804;
/// The kernel's idle loop reads the time base and then wastes some time.
constexpr uint64_t IdleDistance = 10;
} // namespace

/// Whether it is one of those that special() looks at.
static bool isSpecial(const Instruction &I) {
  uint32_t Op = I.Opcode;
  unsigned Major = Op >> 26;
  if ((Major != 14 && Major != 17 && Major != 31) ||
      I.has(Instruction::Prefixed))
    return false;
  return Major == 17 || (Op & LiMask) == LiR0 || (Op & LiMask) == LiR3 ||
         Op == MrR0R3 || Op == MrR31R31 || isMfspr(Op, SprEBBRR) ||
         isMfspr(Op, SprTB) || (Op & 0xfc0007fe) == Mftb;
}

/// \p Number: of the instruction, from 1 on.
void Statistics::special(const Instruction &I, uint64_t Number) {
  uint32_t Op = I.Opcode;
  if ((Op & LiMask) == LiR0)
    R0 = Op & 0xffff;
  else if ((Op & LiMask) == LiR3)
    R3 = Op & 0xffff;
  else if (Op == MrR0R3)
    R0 = R3;
  else if (Op == Sc) {
    ++SystemCalls;
    ++SystemCallNumbers[R0];
  } else if (Op == Sc1) {
    ++HyperCalls;
    ++HyperCallNumbers[R3];
  } else if (Op >> 26 == 17 && (Op & 3) == 1) { // scv
    ++SystemCalls;
    ++SystemCallNumbers[R0];
  } else if (isMfspr(Op, SprEBBRR)) {
    ContextSwitches += spaceOf(I.EA) == Space::System;
  } else if ((Op & 0xfc0007fe) == Mftb || isMfspr(Op, SprTB)) {
    LastTimeBase = Number;
  } else if (Op == MrR31R31 && LastTimeBase &&
             Number - LastTimeBase <= IdleDistance) {
    ++Idle;
  }
}

Statistics::Space Statistics::spaceOf(uint64_t EA) {
  if (EA >= 0xc000000000000000)
    return Space::System;
  if ((EA & 0xffffffffff000000) == 0x30000000)
    return Space::Opal;
  return EA >= 0x700000000000 ? Space::Lib : Space::Bin;
}

void Statistics::count(Space S, uint64_t Instructions) {
  switch (S) {
  case Space::System:
    System += Instructions;
    break;
  case Space::Opal:
    Opal += Instructions;
    break;
  case Space::Lib:
    Lib += Instructions;
    break;
  case Space::Bin:
    Bin += Instructions;
    break;
  }
}

/// Control is at \p EA.
inline void Statistics::arrive(uint64_t EA, Space S) {
  if (EA != Next && NextKnown) {
    // Vectors are few, and lie where hardly anything else does.
    std::optional<uint64_t> V;
    if ((EA & 0x3fffffffffffffff) < 0x5000)
      V = ppc::vectorOf(EA);
    if (V) {
      ++Exceptions;
      ++ExceptionVectors[*V];
    }
    OpalCalls += S == Space::Opal && !WasOpal;
  }
  WasOpal = S == Space::Opal;
}

inline void Statistics::instruction(const Instruction &I) {
  ++Total;
  if (LLVM_UNLIKELY(!I.has(Instruction::AddressKnown))) {
    ++Unplaced;
    NextKnown = false;
    return;
  }
  Space S = spaceOf(I.EA);
  count(S, 1);
  arrive(I.EA, S);
  Next = I.next();
  NextKnown = true;
  if (isSpecial(I))
    special(I, Total);
}

void Statistics::Profile::learn(const CodeBlock &B) {
  Known = true;
  First = B.Insns[0].EA;
  Next = B.insns().back().next();
  NumInsns = B.NumInsns;
  In = spaceOf(First);
  for (uint32_t K = 0; K < B.NumInsns; ++K) {
    SameSpace &= spaceOf(B.Insns[K].EA) == In;
    if (isSpecial(B.Insns[K]))
      Special.push_back(K);
  }
}

inline void Statistics::execution(const CodeBlock &B) {
  if (B.Id >= Profiles.size())
    Profiles.resize(std::max<size_t>(B.Id + 1, 2 * Profiles.size()));
  Profile &P = Profiles[B.Id];
  if (LLVM_UNLIKELY(!P.Known))
    P.learn(B);
  if (LLVM_UNLIKELY(!P.SameSpace)) {
    for (const Instruction &I : B.insns())
      instruction(I);
    return;
  }
  count(P.In, P.NumInsns);
  arrive(P.First, P.In);
  Next = P.Next;
  NextKnown = true;
  for (uint32_t K : P.Special)
    special(B.Insns[K], Total + K + 1);
  Total += P.NumInsns;
}

Error Statistics::batch(const Batch &B) {
  for (const Instruction &I : B.Instructions)
    instruction(I);
  for (const Execution &E : B.Executions)
    execution(*E.Block);
  return Error::success();
}

void InstructionMix::spill(Slot &S) {
  if (S.Count)
    Counts[S.Opcode] += S.Count;
  S.Count = 0;
}

void InstructionMix::add(const Instruction &I, uint64_t Count) {
  uint64_t Opcode = uint64_t(I.Prefix) << 32 | I.Opcode;
  Slot &S = Slots[golden(Opcode) >> 52];
  if (LLVM_UNLIKELY(S.Opcode != Opcode)) {
    spill(S);
    S.Opcode = Opcode;
  }
  S.Count += Count;
  Total += Count;
}

Error InstructionMix::batch(const Batch &B) {
  for (const Instruction &I : B.Instructions)
    add(I, 1);
  for (const Execution &E : B.Executions)
    Blocks.add(*E.Block);
  return Error::success();
}

void InstructionMix::finish() {
  Blocks.take([&](const CodeBlock &B, uint64_t Executions) {
    for (const Instruction &I : B.insns())
      add(I, Executions);
  });
  for (unsigned N = 0; N < NumSlots; ++N)
    spill(Slots[N]);
}

void BasicBlocks::end() {
  if (!Now.Instructions)
    return;
  Counts &C = Blocks[{Now.First, Now.Last}];
  C.Instructions = Now.Instructions;
  ++C.Hits;
  Now.Instructions = 0;
}

/// A branch ends a block, taken or not.
static bool endsBlock(const Instruction &I) {
  return I.Opcode >> 28 == 4 && !I.has(Instruction::Prefixed) &&
         classify(ISA::PPC64, I.Opcode) != InsnClass::None;
}

inline void BasicBlocks::instruction(const Instruction &I) {
  if (!I.has(Instruction::AddressKnown)) {
    end();
    return;
  }
  ++Total;
  if (I.EA != Next)
    end();
  if (!Now.Instructions)
    Now.First = I.EA;
  Now.Last = I.EA;
  ++Now.Instructions;
  Next = I.next();
  if (endsBlock(I))
    end();
}

inline void BasicBlocks::execution(const CodeBlock &B) {
  if (B.Id >= IsWhole.size())
    IsWhole.resize(std::max<size_t>(B.Id + 1, 2 * IsWhole.size()), Unknown);
  if (LLVM_UNLIKELY(IsWhole[B.Id] == Unknown)) {
    auto Ends = find_if(B.insns(), endsBlock);
    IsWhole[B.Id] = Ends + 1 == B.insns().end() ? Yes : No;
  }
  if (B.Insns->EA != Next)
    end();
  if (Now.Instructions || IsWhole[B.Id] != Yes) {
    for (const Instruction &I : B.insns())
      instruction(I);
    return;
  }
  Whole.add(B);
  Total += B.NumInsns;
  Next = B.insns().back().next();
}

Error BasicBlocks::batch(const Batch &B) {
  for (const Instruction &I : B.Instructions)
    instruction(I);
  for (const Execution &E : B.Executions)
    execution(*E.Block);
  return Error::success();
}

void BasicBlocks::finish() {
  end();
  Whole.take([&](const CodeBlock &B, uint64_t Executions) {
    Counts &C = Blocks[{B.Insns->EA, B.insns().back().EA}];
    C.Instructions = B.NumInsns;
    C.Hits += Executions;
  });
}

std::vector<BasicBlocks::Block> BasicBlocks::blocks() {
  std::vector<Block> List;
  for (auto &[Ends, C] : Blocks)
    List.push_back({Ends.first, Ends.second, C.Instructions, C.Hits});
  sort(List, [](const Block &A, const Block &B) {
    uint64_t X = A.Instructions * A.Hits, Y = B.Instructions * B.Hits;
    return X != Y ? X > Y : A.First < B.First;
  });
  return List;
}

} // namespace rw::htm
