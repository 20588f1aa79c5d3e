//===- Step.cpp - An executed instruction, for dataflow -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Step.h"
#include "llvm/ADT/STLExtras.h"

namespace rw::dataflow {

void sortAndJoin(llvm::SmallVectorImpl<Range> &Ranges) {
  llvm::sort(Ranges, [](Range A, Range B) { return A.before(B); });
  size_t Kept = 0;
  for (Range R : Ranges)
    if (Kept && Ranges[Kept - 1].end() == R.Addr)
      Ranges[Kept - 1].Size += R.Size;
    else
      Ranges[Kept++] = R;
  Ranges.truncate(Kept);
}

/// What the procedure call standards (AAPCS64, AAPCS32, ELFv2, System V for
/// x86-64) have functions preserve.
static void addPreserved(llvm::BitVector &Set, Arch A, ISA Isa) {
  auto Add = [&](unsigned First, unsigned Count) {
    Set.set(First, First + Count);
  };
  switch (A) {
  case Arch::AArch64:
  case Arch::Arm:
    if (Isa == ISA::A32 || Isa == ISA::T32) {
      Add(armcell::X0 + 4, 8);          // r4..r11
      Add(armcell::Vec + 4 * 4, 4 * 4); // q4..q7
      return;
    }
    Add(armcell::X0 + 19, 11); // x19..x29
    for (unsigned N = 8; N < 16; ++N)
      Add(armcell::Vec + 4 * N, 2); // d8..d15
    return;
  case Arch::PPC64:
  case Arch::PPC64LE:
    Add(ppccell::R0 + 14, 18);
    Add(ppccell::CR0 + 2, 3);
    for (unsigned N = 14; N < 32; ++N)
      Add(ppccell::VSR0 + 2 * N, 1);     // f14..f31
    Add(ppccell::VSR0 + 2 * 52, 2 * 12); // v20..v31
    return;
  case Arch::X86_64:
    for (unsigned N : {1u, 6u, 12u, 13u, 14u, 15u}) // rbx, rbp, r12..r15
      Add(x86cell::gpr(N), 3);
    return;
  case Arch::Unknown:
    return;
  }
}

CallConvention callConvention(const CellMap &Map, Arch A, ISA Isa) {
  CallConvention C;
  C.SP = Map.sp(Isa);
  C.FP = Map.fp(Isa);
  C.Link = Map.link(Isa);
  if (A == Arch::PPC64 || A == Arch::PPC64LE) {
    C.Conditions = {ppccell::CR0, 8};
    C.Counter = {ppccell::CTR, 1};
  }
  // "push {r3, r4, r5, lr}"
  if (Isa == ISA::A32 || Isa == ISA::T32)
    C.Padding = {armcell::X0 + 3, 1};
  // In a register of POWER, the order of what vector instructions load is
  // another one for each of them.
  C.OneCell = A == Arch::PPC64LE;
  if (A != Arch::PPC64 && A != Arch::Unknown) {
    C.Bytes.resize(Map.size());
    for (unsigned K = 0; K < Map.size(); ++K)
      if (const CellInfo &Info = Map.info(Cell(K));
          !Info.Bits && Info.Slice.Lane != RegisterSlice::NoLane)
        C.Bytes.set(K);
  }
  C.Preserved.resize(Map.size());
  addPreserved(C.Preserved, A, Isa);
  return C;
}

static bool within(llvm::ArrayRef<CellRef> Cells, CellRef Whole) {
  return llvm::all_of(Cells, [&](CellRef C) {
    return C.First >= Whole.First && C.end() <= Whole.end();
  });
}

static bool areBytes(const CallConvention &C, CellRef R) {
  if (R.end() > C.Bytes.size() || (C.OneCell && R.Count != 1))
    return false;
  for (unsigned K = R.First; K < R.end(); ++K)
    if (!C.Bytes[K])
      return false;
  return true;
}

/// Whether a node with these flags keeps, moves or makes something that has to
/// do with calls.
static void classify(NodeCode &N, const Effect &E, const CallConvention &C,
                     bool WithLink, bool Thin) {
  bool Copies = E.Flags & Effect::Copy, Adds = E.Flags & Effect::AddConstant;
  bool InMemory = E.Load || E.Store;
  if (E.Writes.size() == 1 && E.Writes[0] == C.SP && !E.Store)
    N.Flags |= NodeCode::WritesSP;
  if (E.Flags & Effect::Flow)
    N.Flags |= NodeCode::Flow;
  if (E.Flags & Effect::ReturnAddress)
    N.Flags |= NodeCode::ReturnsTo;
  if (E.Flags & Effect::System)
    N.Flags |= NodeCode::System;
  if (E.Flags & Effect::Writeback)
    N.Flags |= NodeCode::Writeback;
  if (E.Flags & Effect::Lanes4)
    N.Flags |= NodeCode::Lanes4;
  if (E.Flags & Effect::Lanes8)
    N.Flags |= NodeCode::Lanes8;
  if (InMemory && !E.Addresses.empty()) {
    N.BaseSP = within(E.Addresses, C.SP);
    N.BaseFP = !N.BaseSP && llvm::all_of(E.Addresses, [&](CellRef R) {
      return within(R, C.SP) || within(R, C.FP);
    });
  }
  if (!InMemory && (Copies || Adds) && E.Values.size() == 1 && C.FP.Count &&
      E.Writes.size() == 1 && E.Writes[0] == C.FP &&
      (E.Values[0] == C.SP || E.Values[0] == C.FP)) {
    N.Flags |= NodeCode::FrameCopy;
    N.Source = E.Values[0];
  }
  if (!Copies || !E.Moved.Count)
    return;
  N.Moved = E.Moved;
  const bool Bytes = areBytes(C, E.Moved);
  if (!InMemory) {
    if (E.Values.size() == 1) {
      N.Flags |= NodeCode::MovesReg;
      N.Source = E.Values[0];
      if (Bytes && areBytes(C, N.Source))
        N.Flags |= NodeCode::ByByte;
    }
    return;
  }
  if (E.Load && E.Store)
    return; // from memory to memory
  N.Flags |= NodeCode::MovesMemory;
  if (Bytes && (Thin || !(E.Flags & Effect::StoresAddress)))
    N.Flags |= NodeCode::ByByte;
  bool Preserved = true;
  for (unsigned K = N.Moved.First; K < N.Moved.end(); ++K)
    Preserved &= K < C.Preserved.size() && C.Preserved[K];
  Preserved |= WithLink && C.Padding.Count && N.Moved == C.Padding;
  if (Preserved && (N.BaseSP || N.BaseFP))
    N.Flags |= E.Store ? NodeCode::Save : NodeCode::Restore;
}

StepCode prepare(const TemplateEffects &E, const CallConvention &C, bool Thin) {
  StepCode Code;
  Code.FP = C.FP.First;
  auto AddCells = [](auto &To, llvm::ArrayRef<CellRef> Refs) {
    unsigned Added = 0;
    for (CellRef R : Refs)
      for (unsigned K = R.First; K < R.end(); ++K, ++Added)
        To.push_back(Cell(K));
    return Added;
  };
  AddCells(Code.Predicate, E.Predicate);
  // Traces call a branch that is not taken not executed, too.
  if (E.Class == InsnClass::CondBranch && E.Predicate.empty())
    for (const Effect &F : E.Effects)
      if (F.Flags & Effect::Flow)
        AddCells(Code.Predicate, F.Values);
  switch (E.Class) {
  case InsnClass::CondBranch:
  case InsnClass::IndirectBranch:
    Code.Branch = true;
    break;
  case InsnClass::Branch:
  case InsnClass::Call:
  case InsnClass::Return:
    Code.Branch = !E.Predicate.empty();
    break;
  default:
    break;
  }
  // It saves the return address, or goes to it, together with others.
  const bool WithLink = llvm::any_of(E.Effects, [&](const Effect &F) {
    return (F.Store && llvm::is_contained(F.Values, C.Link)) ||
           (F.Load &&
            ((F.Flags & Effect::Flow) || llvm::is_contained(F.Writes, C.Link)));
  });
  for (const Effect &F : E.Effects) {
    NodeCode N;
    N.FirstCell = uint32_t(Code.Cells.size());
    unsigned Reads = AddCells(Code.Cells, F.Values);
    if (!Thin)
      Reads += AddCells(Code.Cells, F.Addresses);
    Reads += AddCells(Code.Cells, E.Predicate);
    N.NumReads = uint16_t(Reads);
    N.NumWrites = uint16_t(AddCells(Code.Cells, F.Writes));
    N.FirstPart = uint32_t(Code.Parts.size());
    N.NumParts = uint32_t(F.Parts.size());
    Code.Parts.append(F.Parts.begin(), F.Parts.end());
    N.Load = F.Load;
    N.Store = F.Store;
    classify(N, F, C, WithLink, Thin);
    auto IsSP = [&](CellRef R) { return R.overlaps(C.SP); };
    Code.MovesSP |=
        llvm::any_of(F.Writes, IsSP) && llvm::any_of(F.Values, IsSP);
    // A conditional call or return is classified as the call or return.
    if ((F.Flags & Effect::Flow) &&
        (isCall(E.Class) || E.Class == InsnClass::Return))
      Code.Branch |= llvm::any_of(F.Values, [&](CellRef R) {
        return R.overlaps(C.Conditions) ||
               (E.Class != InsnClass::IndirectCall && R.overlaps(C.Counter));
      });
    Code.Nodes.push_back(N);
  }
  if (Code.Nodes.empty()) {
    NodeCode N;
    N.FirstCell = 0;
    N.NumReads = uint16_t(AddCells(Code.Cells, E.Predicate));
    Code.Nodes.push_back(N);
  }
  return Code;
}

} // namespace rw::dataflow
