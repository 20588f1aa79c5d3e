//===- TraceItems.cpp - A thread's trace as LLDB counts it ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/TraceItems.h"
#include "core/store/TraceStore.h"

using namespace rw;

llvm::Expected<std::shared_ptr<const TraceItems>>
TraceItems::make(std::shared_ptr<const TraceStore> Store, ThreadIndex T) {
  auto R = std::make_shared<TraceItems>();
  R->Thread = T;
  R->NumInstructions = Store->numInstructions(T);
  const auto &Threads = Store->header().Threads;
  // Where threads are CPUs, their names tell which.
  if (T < Threads.size()) {
    llvm::StringRef Name = Threads[T].Name;
    uint64_t N;
    if (Name.consume_front("cpu") && !Name.getAsInteger(10, N))
      R->FirstCPU = N;
  }
  for (uint64_t I = 0; I < Store->numEvents(); ++I) {
    auto E = Store->event(I);
    if (!E)
      return E.takeError();
    if (E->Thread != T)
      continue;
    auto P = Store->positionOf(T, E->Before);
    if (!P)
      return P.takeError();
    if (E->Kind == EventKind::CpuChange)
      R->CPUs.push_back({*P + R->Events.size(), E->Value});
    R->Events.push_back({*P, I});
    ++R->ByKind[size_t(E->Kind)];
  }
  R->Store = std::move(Store);
  return R;
}

TraceItems::Item TraceItems::item(uint64_t Id) const {
  assert(Id < size());
  // Event k is item Before + k: find the first one at or after Id.
  size_t Lo = 0, Hi = Events.size();
  while (Lo < Hi) {
    size_t Mid = (Lo + Hi) / 2;
    if (Events[Mid].Before + Mid < Id)
      Lo = Mid + 1;
    else
      Hi = Mid;
  }
  if (Lo < Events.size() && Events[Lo].Before + Lo == Id)
    return {Events[Lo].Index, Events[Lo].Before};
  return {std::nullopt, Id - Lo};
}

std::optional<uint64_t> TraceItems::cpu(uint64_t Id) const {
  auto It = llvm::upper_bound(
      CPUs, Id, [](uint64_t V, const auto &C) { return V < C.first; });
  return It == CPUs.begin() ? FirstCPU : std::prev(It)->second;
}

InstructionWindow::InstructionWindow(std::shared_ptr<const TraceItems> I)
    : Items(std::move(I)), Cursor(Items->store().cursor(false)) {}

const InsnItem *InstructionWindow::at(Position P) {
  if (P >= First && P - First < Block.size())
    return &Block[P - First];
  First = P / BlockSize * BlockSize;
  Block.clear();
  auto M = Items->store().momentOf(Items->thread(), First);
  if (!M) {
    llvm::consumeError(M.takeError());
    return nullptr;
  }
  Cursor->seek(*M);
  uint64_t Want =
      std::min<uint64_t>(BlockSize, Items->numInstructions() - First);
  while (Block.size() < Want) {
    const Instruction *I = Cursor->next();
    if (!I)
      break;
    if (I->Thread == Items->thread())
      Block.push_back(I->Insn);
  }
  llvm::consumeError(Cursor->takeError());
  return P - First < Block.size() ? &Block[P - First] : nullptr;
}
