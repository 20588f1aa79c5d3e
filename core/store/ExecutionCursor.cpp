//===- ExecutionCursor.cpp - Where instructions accessed memory -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/ExecutionCursor.h"
#include "core/store/BlockWalker.h"
#include "core/store/TraceStore.h"

using namespace rw;
using namespace rw::format;

namespace {

class StoreExecutions final : public ExecutionCursor {
public:
  StoreExecutions(const TraceStore::Impl &I, Detail Wanted)
      : W(I, Wanted == Places ? std::optional(BlockDecoder::Addresses)
                              : std::nullopt) {}

  void seek(Moment M) override { W.seek(M); }
  llvm::Error takeError() override { return W.takeError(); }
  const Execution *next() override;
  ExecutionRun nextRun() override {
    if (W.atEnd() || (!W.Left && !enterBlock()))
      return {};
    const Moment First = W.Next;
    const llvm::ArrayRef<uint32_t> Ids = W.stepRun();
    if (Ids.empty())
      return {};
    return {First, W.thread(), Ids};
  }
  uint64_t lane(unsigned Lane, uint8_t &Known) override {
    Known = W.Decoder ? W.Decoder->known(W.thread())[Lane] : 0;
    return Known ? W.Decoder->values(W.thread())[Lane] : 0;
  }

private:
  bool enterBlock() {
    std::optional<unsigned> Skip = W.enterBlock();
    return Skip && W.step(*Skip);
  }

  BlockWalker W;
  Execution Out;
};

} // namespace

const Execution *StoreExecutions::next() {
  if (W.atEnd() || (!W.Left && !enterBlock()) || !W.step())
    return nullptr;
  const Template &T = W.insn();
  Out.When = W.when();
  Out.Pos = W.position();
  Out.Thread = W.thread();
  Out.Template = uint32_t(&T - W.I.Templates.data());
  Out.Flags = T.Flags;
  Out.Places.clear();
  if (!W.Decoder)
    return &Out;
  for (const DecodedMem &M : W.Decoder->mems())
    if ((M.Shape->Flags & MemItem::Joined) && !Out.Places.empty())
      Out.Places.back().Size += M.Shape->Size;
    else
      Out.Places.push_back(
          {M.Addr, M.Shape->Size, (M.Shape->Flags & MemItem::Write) != 0});
  return &Out;
}

std::unique_ptr<ExecutionCursor> ExecutionCursor::open(const TraceStore &Store,
                                                       Detail Wanted) {
  return std::make_unique<StoreExecutions>(BlockWalker::implOf(Store), Wanted);
}

size_t ExecutionCursor::numTemplates(const TraceStore &Store) {
  return BlockWalker::implOf(Store).Templates.size();
}

Instruction ExecutionCursor::describe(const TraceStore &Store, uint32_t Number,
                                      ThreadIndex Thread) {
  const TraceStore::Impl &I = BlockWalker::implOf(Store);
  const Template &T = I.Templates[Number];
  Instruction Out;
  Out.Thread = Thread;
  Out.Insn = {T.PC, T.Opcode, 0,          T.Lines, 0,
              0,    T.Size,   ISA(T.Isa), T.Flags, uint8_t(Thread)};
  for (const RegShape &R : I.Regs.slice(T.FirstReg, T.NumRegs))
    Out.Regs.push_back({0, R.Lane, R.Written, R.Unknown,
                        R.Thread == SameThread ? uint8_t(Thread) : R.Thread,
                        R.Flags});
  for (const MemShape &M : I.Mems.slice(T.FirstMem, T.NumMems)) {
    if ((M.Flags & MemItem::Joined) && !Out.Mems.empty())
      continue;
    Out.Mems.emplace_back();
    Out.Mems.back().Flags = M.Flags & ~MemItem::Joined;
  }
  Out.Insn.NumRegs = uint16_t(Out.Regs.size());
  Out.Insn.NumMems = uint16_t(Out.Mems.size());
  return Out;
}

uint64_t ExecutionCursor::pc(const TraceStore &Store, uint32_t Template) {
  return BlockWalker::implOf(Store).Templates[Template].PC;
}
