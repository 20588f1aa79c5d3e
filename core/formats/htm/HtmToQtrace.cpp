//===- HtmToQtrace.cpp - From dumps to Qtrace files -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmToQtrace.h"
#include "core/arch/InstructionClass.h"
#include "core/arch/PPCInsn.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw::htm {

QtraceSink::QtraceSink(raw_ostream &OS, const Translator *Translation)
    : Writer(OS, Translation ? qtrace::RadixBlocks::Finder([=](uint32_t Walk) {
               return Translation->find(Walk);
             })
                             : nullptr) {}

/// Only what can end the line of control is a branch: not isel, mtmsr or stop,
/// though the dump calls them so.
static bool isBranch(uint32_t Opcode) {
  // All others have another primary opcode than 16 to 19.
  if (Opcode >> 28 != 4)
    return false;
  switch (classify(ISA::PPC64, Opcode)) {
  case InsnClass::None:
  case InsnClass::Unknown:
    return false;
  default:
    return true;
  }
}

static qtrace::Insn insnOf(const Instruction &I) {
  qtrace::Insn Q;
  Q.EA = I.EA;
  Q.Opcode = I.Opcode;
  Q.Prefix = I.Prefix;
  Q.Prefixed = I.has(Instruction::Prefixed);
  Q.Branch = !Q.Prefixed && isBranch(I.Opcode);
  Q.Conditional = Q.Branch && ppc::isConditional(I.Opcode);
  Q.HasData = I.NumData != 0;
  Q.Real = {I.RA, I.Walk, I.PageShift};
  if (Q.HasData)
    Q.Data = {I.Data[0], {I.DataRA[0], I.DataWalk[0], I.DataPageShift[0]}};
  return Q;
}

inline void QtraceSink::add(const Instruction &I) {
  if (LLVM_UNLIKELY(!fits(I)))
    return;
  ++Written;
  Writer.add(insnOf(I));
}

/// Expanded: an execution of its block.
void QtraceSink::prepare(Prepared &P) {
  P.Places.clear();
  std::vector<qtrace::Insn> Insns;
  unsigned Place = 0;
  P.Good = all_of(Expanded, fits);
  for (const Instruction &I : Expanded) {
    Insns.push_back(insnOf(I));
    if (I.NumData)
      P.Places.push_back(uint8_t(Place));
    Place += I.NumData;
  }
  P.Good = Writer.prepare(P.Run, Insns) && P.Good;
}

inline void QtraceSink::execution(const Batch &B, const Execution &E) {
  const CodeBlock &Block = *E.Block;
  if (Block.Id >= Blocks.size())
    Blocks.resize(std::max<size_t>(Block.Id + 1, 2 * Blocks.size()));
  std::unique_ptr<Prepared> &P = Blocks[Block.Id];
  const DataPlace *Data = B.Data.data() + E.FirstData;
  ArrayRef<ppc::RealAddress> Lines;
  if (!B.Lines.empty())
    Lines = B.Lines.slice(E.FirstLine, Block.lines().size());
  if (LLVM_UNLIKELY(!P || Lines != ArrayRef(P->Lines))) {
    if (!P)
      P = std::make_unique<Prepared>();
    P->Lines.assign(Lines.begin(), Lines.end());
    Expanded.clear();
    expand(B, E, Expanded);
    prepare(*P);
  }
  if (LLVM_UNLIKELY(!P->Good)) {
    Expanded.clear();
    expand(B, E, Expanded);
    for (const Instruction &I : Expanded)
      add(I);
    return;
  }
  Writer.add(P->Run, [&, Places = P->Places.data()](unsigned N) {
    const DataPlace &D = Data[Places[N]];
    return qtrace::Access{D.EA, {D.RA, D.Walk, D.PageShift}};
  });
  Written += Block.NumInsns;
}

Error QtraceSink::batch(const Batch &B) {
  for (const Instruction &I : B.Instructions)
    add(I);
  for (const Execution &E : B.Executions)
    execution(B, E);
  return Error::success();
}

} // namespace rw::htm
