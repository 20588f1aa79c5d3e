//===- InstructionLayer.cpp - Layer 0 of a trace --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/InstructionLayer.h"
#include "core/arch/EncodingFacts.h"
#include "core/arch/InstructionClass.h"
#include "core/htr/Pass.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw::htr {

InstructionLayerBuilder::InstructionLayerBuilder(unsigned NumThreads,
                                                 bool HasTime)
    : HasTime(HasTime), Threads(NumThreads) {
  H.beginLayer("instructions");
}

BlockId InstructionLayerBuilder::lookUp(uint64_t PC) {
  auto [It, New] = IdOf.try_emplace(PC, 0);
  if (New) {
    It->second = H.addLeaf(BlockKind::Instruction, PC);
    Next.resize(H.Dict.size(), NoBlock);
  }
  return It->second;
}

void InstructionLayerBuilder::missing(ThreadIndex T, EventKind Why) {
  auto [It, New] = BreakOf.try_emplace(unsigned(Why), 0);
  if (New) {
    It->second = H.addLeaf(BlockKind::Break, uint64_t(Why));
    Next.resize(H.Dict.size(), NoBlock);
  }
  Threads[T].Units.push_back(It->second);
  Threads[T].Last = NoBlock;
}

std::pair<Hierarchy, TimeTable> InstructionLayerBuilder::finish() {
  Layer &L = H.Layers[0];
  TimeTable Times;
  for (Thread &T : Threads) {
    T.Units.endSequence();
    if (L.Units.numSequences() == 0) {
      L.Units = std::move(T.Units);
      Times = std::move(T.Times);
    } else {
      L.Units.append(T.Units.sequence(0));
      L.Units.endSequence();
      Times.append(T.Times);
    }
    H.ThreadBase.push_back(H.ThreadBase.back() + T.Instructions);
    T = {};
  }
  H.endLayer();
  return {std::move(H), std::move(Times)};
}

static bool isBreak(EventKind K) {
  return K == EventKind::Gap || K == EventKind::Pause || K == EventKind::Error;
}

static InsnFacts factsOf(const InsnItem &I, EncodingReader &Encodings) {
  InsnFacts F;
  const std::optional<EncodingFacts> E = Encodings.read(I);
  if (E) {
    F.Memory = E->WritesMemory ? Writes::Yes : Writes::No;
    F.Registers = {E->Reads, E->Writes};
  }
  if (I.Flags & InsnItem::OpcodeKnown) {
    const InsnClass Class = classify(I.Isa, I.Opcode);
    F.Jumps = is_contained({InsnClass::CondBranch, InsnClass::Branch,
                            InsnClass::IndirectBranch, InsnClass::Return},
                           Class);
    F.Nop = isNop(I.Isa, I.Opcode);
    if (Class == InsnClass::CondBranch && E && E->Target)
      F.Ways = {*E->Target, I.PC + I.Size};
  }
  return F;
}

Expected<std::pair<Hierarchy, TimeTable>>
readInstructionLayer(const TraceStore &Store, const Watch &Watch) {
  InstructionLayerBuilder Builder(std::max(1u, Store.numThreads()),
                                  Store.header().Can.Time);
  // The next break, if there is one.
  uint64_t NextEvent = 0;
  StoredEvent Event;
  bool HasEvent = false;
  auto advance = [&]() -> Error {
    HasEvent = false;
    while (!HasEvent && NextEvent < Store.numEvents()) {
      auto E = Store.event(NextEvent++);
      if (!E)
        return E.takeError();
      HasEvent = isBreak(E->Kind) && E->Thread < Store.numThreads();
      Event = std::move(*E);
    }
    return Error::success();
  };
  if (Error E = advance())
    return E;

  EncodingReader Encodings;
  auto Cursor = Store.cursor(/*WithEffects=*/false);
  Cursor->seek(0);
  uint64_t Done = 0;
  while (const Instruction *I = Cursor->next()) {
    while (LLVM_UNLIKELY(HasEvent && Event.Before <= I->When)) {
      Builder.missing(Event.Thread, Event.Kind);
      if (Error E = advance())
        return E;
    }
    if (LLVM_UNLIKELY(Builder.instruction(I->Thread, I->Insn.PC, I->Insn.Time)))
      Builder.describe(factsOf(I->Insn, Encodings));
    if ((++Done & 0xfffff) == 0)
      if (Error E =
              Watch.step("reading instructions", Done, Store.numInstructions()))
        return E;
  }
  if (Error E = Cursor->takeError())
    return E;
  while (HasEvent) {
    Builder.missing(Event.Thread, Event.Kind);
    if (Error E = advance())
      return E;
  }
  return Builder.finish();
}

} // namespace rw::htr
