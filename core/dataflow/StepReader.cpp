//===- StepReader.cpp - The steps of a stored trace -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/StepReader.h"
#include "core/calls/StackLanes.h"
#include "core/store/TraceStore.h"

namespace rw::dataflow {

StepCodes::StepCodes(const TraceStore &Store, Options Wanted)
    : Store(Store), O(std::move(Wanted)),
      Table(std::make_unique<EffectsTable>(Store.header().Architecture)),
      ByTemplate(ExecutionCursor::numTemplates(Store)) {}
StepCodes::~StepCodes() = default;

llvm::Error StepCodes::check(const TraceStore &Store) {
  if (!Store.header().Can.Opcodes)
    return llvm::createStringError(
        "the trace tells no opcodes, so nothing tells what its instructions "
        "read");
  return llvm::Error::success();
}

const CellMap &StepCodes::cells() const { return Table->cells(); }

const CallConvention &StepCodes::convention(ISA Isa) {
  for (auto &[Of, C] : Conventions)
    if (Of == Isa)
      return C;
  Conventions.reserve(8); // references stay
  Conventions.emplace_back(
      Isa, callConvention(cells(), Store.header().Architecture, Isa));
  return Conventions.back().second;
}

std::vector<CellRef> StepCodes::stackPointers() {
  std::vector<CellRef> All;
  auto Add = [&](ISA Isa) {
    if (CellRef R = cells().sp(Isa); R.Count)
      All.push_back(R);
  };
  switch (Store.header().Architecture) {
  case Arch::AArch64:
  case Arch::Arm:
    Add(ISA::A64);
    Add(ISA::A32);
    break;
  case Arch::PPC64:
  case Arch::PPC64LE:
    Add(ISA::PPC64);
    break;
  case Arch::X86_64:
    Add(ISA::X86_64);
    break;
  case Arch::Unknown:
    break;
  }
  return All;
}

const TemplateEffects &StepCodes::effects(const InsnItem &I) {
  static const TemplateEffects Nothing;
  if (!(I.Flags & InsnItem::OpcodeKnown))
    return Nothing;
  llvm::ArrayRef<uint8_t> Bytes;
  if (I.Isa == ISA::X86_64)
    Bytes = Store.codeBytes(I.PC, I.Size);
  return Table->find(I.Isa, I.Opcode, I.Size, Store.itCondition(I), Bytes);
}

static uint32_t traits(const Instruction &I) {
  bool Loads = false, Stores = false;
  for (const MemAccess &M : I.Mems)
    (M.isWrite() ? Stores : Loads) = true;
  return uint32_t(I.Insn.Isa) << 16 | uint32_t(I.Insn.Size) << 8 |
         uint32_t(Loads) << 1 | uint32_t(Stores);
}

const StepCode &StepCodes::of(const Instruction &I) {
  const Entry &Of = make(I);
  Unknown += !Of.Known;
  return *Of.Code;
}

const StepCodes::Entry &StepCodes::make(const Instruction &I) {
  const uint32_t Traits = traits(I);
  auto [First, Last] = ByPC.equal_range(I.Insn.PC);
  for (auto It = First; It != Last; ++It)
    if (It->second.Opcode == I.Insn.Opcode && It->second.Traits == Traits)
      return It->second;
  const TemplateEffects &E = effects(I.Insn);
  StepCode Code = prepare(E, convention(I.Insn.Isa), O.Thin);
  auto [Static, New] = Statics.try_emplace(I.Insn.PC, uint32_t(Statics.size()));
  if (New)
    PCs.push_back(I.Insn.PC);
  Code.PC = I.Insn.PC;
  Code.Isa = I.Insn.Isa;
  Code.Static = Static->second;
  if (O.Latency)
    if (std::optional<uint32_t> Own = O.Latency(I.Insn)) {
      Code.Latency = *Own;
      Code.OwnLatency = true;
    }
  // What the trace tells and the encoding does not: the registers written by
  // an instruction that nobody knows, and the accesses of a system's answer.
  bool Loads = Traits & 2, Stores = Traits & 1;
  for (const NodeCode &N : Code.Nodes) {
    Loads &= !N.Load;
    Stores &= !N.Store;
  }
  if (!E.Known || Loads || Stores) {
    NodeCode N;
    N.FirstCell = uint32_t(Code.Cells.size());
    if (!E.Known)
      for (const RegItem &R : I.Regs)
        if (!(R.Flags & RegItem::NotWritten) && R.Thread == I.Thread)
          for (CellRef C : cells().cellsOf(LaneBytes{R.Lane, R.Written}))
            for (unsigned K = C.First; K < C.end(); ++K, ++N.NumWrites)
              Code.Cells.push_back(Cell(K));
    if (Loads)
      N.Load = {0, MemoryPart::All};
    if (Stores)
      N.Store = {0, MemoryPart::All};
    if (E.Known)
      Code.Nodes.push_back(N);
    else
      Code.Nodes.assign(1, N);
  }
  Codes.push_back(std::move(Code));
  Entry Made;
  Made.PC = I.Insn.PC;
  Made.Opcode = I.Insn.Opcode;
  Made.Traits = Traits;
  Made.Code = &Codes.back();
  Made.Known = E.Known;
  return ByPC.emplace(I.Insn.PC, Made)->second;
}

StepReader::StepReader(const TraceStore &Store, const CallIndex *Calls,
                       StepCodes &Codes, const Options &O)
    : Calls(Calls), Codes(Codes), O(O),
      Cursor(ExecutionCursor::open(Store, ExecutionCursor::Places)),
      Threads(Store.numThreads()) {
  Cursor->seek(O.From);
}

llvm::Error StepReader::takeError() {
  return llvm::joinErrors(std::move(Failed), Cursor->takeError());
}

llvm::Error StepReader::start(ThreadIndex T, Position P) {
  ThreadCalls &C = Threads[T];
  C.Started = true;
  if (!Calls || T >= Calls->numThreads())
    return llvm::Error::success();
  auto First = Calls->firstFrom(T, P + 1);
  if (!First)
    return First.takeError();
  C.NextNumber = *First;
  return llvm::Error::success();
}

llvm::Error StepReader::fill(ThreadIndex T) {
  constexpr uint64_t Batch = 4096;
  ThreadCalls &C = Threads[T];
  C.Ahead.clear();
  C.NextAhead = 0;
  if (!Calls || T >= Calls->numThreads() || C.NextNumber >= Calls->size(T))
    return llvm::Error::success();
  uint64_t To = std::min(C.NextNumber + Batch, Calls->size(T));
  llvm::Error E = Calls->forEach(T, C.NextNumber, To, [&](const Activation &A) {
    C.Ahead.push_back(A);
    return true;
  });
  C.NextNumber = To;
  return E;
}

llvm::Error StepReader::addCalls(const Execution &E) {
  ThreadCalls &C = Threads[E.Thread];
  if (!C.Started)
    if (llvm::Error Bad = start(E.Thread, E.Pos))
      return Bad;
  const Position Next = E.Pos + 1;
  while (!C.Stack.empty() && C.Stack.back().End <= Next) {
    Out.Returns |= !Out.Leaves && C.Stack.back().Returned;
    ++Out.Leaves;
    C.Stack.pop_back();
  }
  for (;;) {
    if (C.NextAhead == C.Ahead.size())
      if (llvm::Error Bad = fill(E.Thread))
        return Bad;
    C.Next = C.Stack.empty() ? ~Position(0) : C.Stack.back().End;
    if (C.Ahead.empty())
      return llvm::Error::success();
    const Activation &A = C.Ahead[C.NextAhead];
    if (A.Start > Next) {
      C.Next = std::min(C.Next, A.Start);
      return llvm::Error::success();
    }
    ++C.NextAhead;
    if (A.Start < Next || A.End <= Next)
      continue; // the section is damaged, or there is nothing in it
    C.Stack.push_back({A.End, A.returned()});
    ++Out.Enters;
  }
}

void StepReader::addStackPointer() {
  const StackLanes &Lanes = lanesOf(Out.Code->Isa);
  if (!Lanes.SPKnown)
    return;
  uint8_t Known;
  const uint64_t Value = Cursor->lane(Lanes.SP, Known);
  if (const uint64_t SP = spOf(Lanes, Value, Known); SP != NoSP)
    Out.SP = SP;
}

void StepReader::addPlaces(const Execution &E) {
  Out.Loads = Out.Stores = {};
  if (E.Places.empty())
    return;
  Loads.clear();
  Stores.clear();
  for (const AccessPlace &A : E.Places) {
    llvm::SmallVectorImpl<Range> &To = A.Write ? Stores : Loads;
    if (!To.empty() && To.back().end() == A.Addr) {
      To.back().Size += A.Size;
      continue;
    }
    To.push_back({A.Addr, A.Size});
    if (To.size() == 1 || !To.back().before(To[To.size() - 2]))
      continue;
    // Some traces tell the upper half of a pair first.
    sortAndJoin(To);
  }
  Out.Loads = Loads;
  Out.Stores = Stores;
}

const Step *StepReader::next() {
  const Execution *E;
  do
    E = Cursor->next();
  while (E && O.Thread && E->Thread != *O.Thread && E->When < O.To);
  if (!E || E->When >= O.To || E->Thread >= Threads.size())
    return nullptr;
  // Field by field: copied as a whole, it waits for what was just stored.
  Out.Returns = false;
  Out.SP.reset();
  Out.Leaves = Out.Enters = 0;
  Out.Code = &Codes.of(*E);
  Out.When = E->When;
  Out.Thread = E->Thread;
  Out.Executed = E->Flags & InsnItem::Executed;
  addPlaces(*E);
  if (O.StackPointer)
    addStackPointer();
  if (E->Pos + 1 >= Threads[E->Thread].Next)
    if (llvm::Error Bad = addCalls(*E)) {
      Failed = llvm::joinErrors(std::move(Failed), std::move(Bad));
      return nullptr;
    }
  return &Out;
}

} // namespace rw::dataflow
