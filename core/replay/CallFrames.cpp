//===- CallFrames.cpp - Frames of the call index --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/CallFrames.h"
#include "core/arch/RegisterFile.h"
#include "core/store/TraceStore.h"

using namespace rw;
using llvm::Expected;

Expected<std::optional<Activation>> CallFrames::innermost(ThreadIndex T,
                                                          Position P) const {
  const uint64_t Count = Store.numInstructions(T);
  if (Count == 0)
    return std::nullopt;
  return Calls.enclosing(T, std::min<Position>(P, Count - 1));
}

/// Whether \p I had no effect, and not because of its condition: of A64 only
/// branches have one; of a Thumb instruction it may be in an IT block.
static bool didNotComplete(const InsnItem &I) {
  constexpr uint32_t Always = 0xe;
  return !(I.Flags & InsnItem::Executed) &&
         (I.Isa == ISA::A64 || (I.Isa == ISA::A32 && I.Opcode >> 28 >= Always));
}

Expected<std::optional<CallFrames::Caller>>
CallFrames::caller(const Activation &A) const {
  auto Parent = Calls.parent(A);
  if (!Parent)
    return Parent.takeError();
  if (!*Parent)
    return std::nullopt;
  auto InsnAt = [&](Position P) -> Expected<Instruction> {
    auto When = Store.momentOf(A.Thread, P);
    if (!When)
      return When.takeError();
    return Store.instruction(*When);
  };
  // What was entered before the trace was called from where it returns to, if
  // the trace gets that far.
  const bool CallSeen = !(A.Flags & Activation::BeforeTrace) && A.Start;
  if (!CallSeen && !A.returned())
    return std::nullopt;
  Caller C{**Parent, 0, std::nullopt};
  if (CallSeen) {
    auto Call = InsnAt(A.Start - 1);
    if (!Call)
      return Call.takeError();
    C.PC = Call->Insn.PC;
    // Where a fault was taken, what faulted has yet to run.
    if (A.Kind != ActivationKind::Exception || !didNotComplete(Call->Insn))
      C.PC += Call->Insn.Size;
    // What was interrupted has run its last instruction.
    C.Before = Call->When + (A.Kind == ActivationKind::Exception);
  }
  // A call is followed by where it returns to, but for those that only the link
  // register tells, and interrupts.
  if (A.returned() && A.End < Store.numInstructions(A.Thread) &&
      (!CallSeen || (A.Flags & Activation::Heuristic) ||
       A.Kind == ActivationKind::Exception)) {
    auto Back = InsnAt(A.End);
    if (!Back)
      return Back.takeError();
    C.PC = Back->Insn.PC;
  }
  return C;
}

Expected<std::optional<uint64_t>> CallFrames::address(const Activation &A) {
  const std::pair Key(A.Thread, A.Number);
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (auto It = Addresses.find(Key); It != Addresses.end())
      return It->second;
  }
  if ((A.Flags & Activation::BeforeTrace) && !isOutermost(A))
    return std::nullopt;
  auto When = Store.momentOf(A.Thread, A.Start);
  if (!When)
    return When.takeError();
  auto First = Store.instruction(*When);
  if (!First)
    return First.takeError();
  std::optional<uint64_t> Address;
  std::optional<RegisterSlice> SP;
  if (First->Insn.Isa == ISA::A64)
    SP = {arm::SP, 0, 8};
  else if (First->Insn.Isa == ISA::A32 || First->Insn.Isa == ISA::T32)
    SP = {arm::R13, 0, 4};
  if (SP) {
    auto State =
        Store.registersAt(A.Thread, *When, TraceStore::RegisterSet::General);
    if (!State)
      return State.takeError();
    Address = State->get(*SP);
  }
  std::lock_guard<std::mutex> Lock(Mutex);
  // As many as the deepest stacks have.
  if (Addresses.size() >= 1 << 17)
    Addresses.clear();
  Addresses[Key] = Address;
  return Address;
}

void CallFrames::setOutermost(ThreadIndex T) { Outermost.insert(T); }

bool CallFrames::isOutermost(const Activation &A) const {
  return A.Kind == ActivationKind::Root && Outermost.contains(A.Thread);
}

Expected<uint64_t> CallFrames::id(const Activation &A) {
  auto Address = address(A);
  if (!Address)
    return Address.takeError();
  if (!*Address)
    return ~uint64_t(0xffff) - A.Depth;
  // Callers without a frame. Stacks are aligned, at least to a word.
  uint64_t Same = 0;
  for (Activation Of = A; Same < 3; ++Same) {
    auto Parent = Calls.parent(Of);
    if (!Parent)
      return Parent.takeError();
    if (!*Parent)
      break;
    auto Outer = address(**Parent);
    if (!Outer)
      return Outer.takeError();
    if (*Outer != *Address)
      break;
    Of = **Parent;
  }
  return **Address - Same;
}

void CallFrames::await(ThreadIndex T, std::optional<AwaitedFrame> Frame) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Frame)
    Awaited[T] = std::move(*Frame);
  else
    Awaited.erase(T);
}

/// The activation that ends other than by a return, where that brings control
/// to \p Awaited or a caller of it.
Expected<std::optional<Activation>>
CallFrames::departed(ThreadIndex T, Position P, Position Before,
                     const AwaitedFrame &Wanted) {
  constexpr unsigned Came = Activation::Returned | Activation::Truncated;
  auto Of = innermost(T, P);
  if (!Of)
    return Of.takeError();
  std::optional<Activation> Callee;
  for (;;) {
    if (!*Of)
      return std::nullopt;
    auto Id = id(**Of);
    if (!Id)
      return Id.takeError();
    if (*Id == Wanted.Id)
      break;
    Callee = **Of;
    Of = Calls.parent(**Of);
    if (!Of)
      return Of.takeError();
  }
  const Activation &Frame = **Of;
  std::optional<Activation> Best;
  auto Consider = [&](const Activation &A) {
    if (!(A.Flags & Came) && A.End > P && A.End < Before &&
        (!Best || A.End < Best->End))
      Best = A;
  };
  if (Wanted.What == AwaitedFrame::ReturnTo) {
    if (Callee)
      Consider(*Callee);
    return Best;
  }
  Consider(Frame);
  if (Wanted.What == AwaitedFrame::RunIn)
    return Best;
  // What it has called, and what it is going to call.
  std::optional<Activation> C = Callee;
  if (!C) {
    auto Last = Calls.lastChildBefore(Frame, P + 1);
    if (!Last)
      return Last.takeError();
    auto Next = *Last ? Calls.nextSibling(**Last) : Calls.firstChild(Frame);
    if (!Next)
      return Next.takeError();
    C = *Next;
  }
  while (C && C->Start < Before && (!Best || C->End <= Best->End)) {
    Consider(*C);
    auto Next = Calls.nextSibling(*C);
    if (!Next)
      return Next.takeError();
    C = *Next;
  }
  return Best;
}

Expected<std::optional<std::pair<Instant, ReplayStop>>>
CallFrames::departure(Moment From, std::optional<Moment> Before) {
  std::map<ThreadIndex, AwaitedFrame> Wanted;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Wanted = Awaited;
  }
  std::optional<std::pair<Instant, ReplayStop>> Best;
  for (const auto &[T, Frame] : Wanted) {
    auto P = Store.positionOf(T, From);
    if (!P)
      return P.takeError();
    auto Limit = Before ? Store.positionOf(T, *Before)
                        : Expected<Position>(Store.numInstructions(T));
    if (!Limit)
      return Limit.takeError();
    auto A = departed(T, *P, *Limit, Frame);
    if (!A)
      return A.takeError();
    if (!*A)
      continue;
    auto When = Store.momentOf(T, (*A)->End);
    if (!When)
      return When.takeError();
    if (Best && Best->first.When <= *When)
      continue;
    Best = {Instant{*When, T},
            {ReplayStop::Landing, (*A)->Flags & Activation::EndedByGap
                                      ? "the trace has a gap here"
                                      : "the call was left without a return"}};
  }
  if (Best && Wanted[Best->first.Thread].Left)
    Wanted[Best->first.Thread].Left();
  return Best;
}
