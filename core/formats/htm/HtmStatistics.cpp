//===- HtmStatistics.cpp - Counts over a dump -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmStatistics.h"
#include "core/arch/InstructionClass.h"
#include "core/formats/ppc/PPCItems.h"
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

Error Statistics::batch(const Batch &B) {
  for (const Instruction &I : B.Instructions) {
    ++Total;
    if (LLVM_UNLIKELY(!I.has(Instruction::AddressKnown))) {
      ++Unplaced;
      NextKnown = false;
      continue;
    }
    bool IsSystem = I.EA >= 0xc000000000000000;
    bool IsOpal = (I.EA & 0xffffffffff000000) == 0x30000000;
    if (IsSystem)
      ++System;
    else if (IsOpal)
      ++Opal;
    else if (I.EA >= 0x700000000000)
      ++Lib;
    else
      ++Bin;
    if (I.EA != Next && NextKnown) {
      // Vectors are few, and lie where hardly anything else does.
      std::optional<uint64_t> V;
      if ((I.EA & 0x3fffffffffffffff) < 0x5000)
        V = ppc::vectorOf(I.EA);
      if (V) {
        ++Exceptions;
        ++ExceptionVectors[*V];
      }
      OpalCalls += IsOpal && !WasOpal;
    }
    WasOpal = IsOpal;
    Next = I.next();
    NextKnown = true;

    uint32_t Op = I.Opcode;
    unsigned Major = Op >> 26;
    // Only li, sc and the moves of primary opcode 31 are of interest.
    if (LLVM_LIKELY(Major != 14 && Major != 17 && Major != 31) ||
        I.has(Instruction::Prefixed))
      continue;
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
    } else if (Major == 17 && (Op & 3) == 1) { // scv
      ++SystemCalls;
      ++SystemCallNumbers[R0];
    } else if (isMfspr(Op, SprEBBRR)) {
      ContextSwitches += IsSystem;
    } else if ((Op & 0xfc0007fe) == Mftb || isMfspr(Op, SprTB)) {
      LastTimeBase = Total;
    } else if (Op == MrR31R31 && LastTimeBase &&
               Total - LastTimeBase <= IdleDistance) {
      ++Idle;
    }
  }
  return Error::success();
}

void InstructionMix::spill(Slot &S) {
  if (S.Count)
    Counts[S.Opcode] += S.Count;
  S.Count = 0;
}

Error InstructionMix::batch(const Batch &B) {
  for (const Instruction &I : B.Instructions) {
    uint64_t Opcode = uint64_t(I.Prefix) << 32 | I.Opcode;
    Slot &S = Slots[Opcode * 0x9e3779b97f4a7c15 >> 52];
    if (LLVM_UNLIKELY(S.Opcode != Opcode)) {
      spill(S);
      S.Opcode = Opcode;
    }
    ++S.Count;
  }
  Total += B.Instructions.size();
  return Error::success();
}

const DenseMap<uint64_t, uint64_t> &InstructionMix::counts() {
  for (unsigned N = 0; N < NumSlots; ++N)
    spill(Slots[N]);
  return Counts;
}

void BasicBlocks::end() {
  if (!Now.Instructions)
    return;
  Counts &C = Blocks[{Now.First, Now.Last}];
  C.Instructions = Now.Instructions;
  ++C.Hits;
  Now.Instructions = 0;
}

Error BasicBlocks::batch(const Batch &B) {
  for (const Instruction &I : B.Instructions) {
    if (!I.has(Instruction::AddressKnown)) {
      end();
      continue;
    }
    ++Total;
    if (I.EA != Next)
      end();
    if (!Now.Instructions)
      Now.First = I.EA;
    Now.Last = I.EA;
    ++Now.Instructions;
    Next = I.next();
    // A branch ends a block, taken or not.
    if (I.Opcode >> 28 == 4 && !I.has(Instruction::Prefixed) &&
        classify(ISA::PPC64, I.Opcode) != InsnClass::None)
      end();
  }
  return Error::success();
}

std::vector<BasicBlocks::Block> BasicBlocks::blocks() {
  end();
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
