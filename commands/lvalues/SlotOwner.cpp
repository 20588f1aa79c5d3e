//===- SlotOwner.cpp - Whose a place on the stack is ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/SlotOwner.h"
#include "commands/support/Format.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

/// What functions may use below the stack pointer, by the ABI.
static uint64_t redZone(Arch A) {
  switch (A) {
  case Arch::PPC64:
  case Arch::PPC64LE:
    return 512;
  case Arch::X86_64:
    return 128;
  case Arch::AArch64:
  case Arch::Arm:
  case Arch::Unknown:
    return 0;
  }
  return 0;
}

static Expected<std::optional<uint64_t>> stackPointer(const Session &S,
                                                      Place At) {
  const RegisterInfo *SP = S.Store.registerFile().sp();
  if (!SP)
    return std::nullopt;
  auto State = S.Store.registersAt(At.Thread, At.When);
  if (!State)
    return State.takeError();
  Value V(SP->Slice.Size);
  State->read(SP->Slice, V.Bytes.data(), V.Known.data());
  return V.number();
}

/// Whether a register has all or a part of it.
static bool isInRegister(const Location &L) {
  return L.Where == Location::InPieces
             ? any_of(L.Pieces,
                      [](const LocationPiece &P) { return P.At.Holds; })
             : L.Holds;
}

Expected<std::optional<SlotOwner>> ownerOf(const Session &S, Place At,
                                           const Location &L) {
  const bool InMemory = L.Where == Location::Memory;
  if (InMemory ? L.Real || !L.Type : !isInRegister(L))
    return std::nullopt;
  auto Now = stackPointer(S, At);
  if (!Now)
    return Now.takeError();
  // Below it there is no stack.
  const uint64_t Below = Now->value_or(0) - L.Addr;
  if (InMemory && (!*Now || (L.Addr < **Now &&
                             Below > redZone(S.Store.header().Architecture))))
    return std::nullopt;
  auto Index = CallIndex::open(S.Store);
  if (!Index)
    return Index.takeError();
  auto P = S.Store.positionOf(At.Thread, At.When);
  if (!P)
    return P.takeError();
  if (!*Index || *P >= S.Store.numInstructions(At.Thread))
    return std::nullopt;
  auto Stack = (*Index)->stack(At.Thread, *P);
  if (!Stack)
    return Stack.takeError();
  // Nobody tells what the stack pointer was when these were entered.
  while (!Stack->empty() && (Stack->back().Kind == ActivationKind::Root ||
                             (Stack->back().Flags & Activation::BeforeTrace)))
    Stack->pop_back();
  auto entered = [&](const Activation &A) -> Expected<std::optional<uint64_t>> {
    auto M = S.Store.momentOf(A.Thread, A.Start);
    if (!M)
      return M.takeError();
    return stackPointer(S, {A.Thread, *M});
  };
  // Stacks grow down: the innermost that was entered above the variable.
  size_t Low = 0, High = InMemory ? Stack->size() : 0;
  while (Low < High) {
    const size_t Middle = (Low + High) / 2;
    auto SP = entered((*Stack)[Middle]);
    if (!SP)
      return SP.takeError();
    if (!*SP)
      return std::nullopt;
    if (L.Addr < **SP)
      High = Middle;
    else
      Low = Middle + 1;
  }
  if (Low == Stack->size())
    return std::nullopt;
  SlotOwner Owner;
  Owner.Of = (*Stack)[Low];
  // A function that began the activation may have gone on as another by a jump,
  // as _start does to main.
  auto Where =
      S.Store.momentOf(At.Thread, Low ? (*Stack)[Low - 1].Start - 1 : *P);
  if (!Where)
    return Where.takeError();
  auto I = S.Store.instruction(*Where);
  if (!I)
    return I.takeError();
  Owner.PC = I->Insn.PC;
  auto From = S.Store.momentOf(At.Thread, Owner.Of.Start);
  if (!From)
    return From.takeError();
  auto To = S.Store.momentOf(At.Thread, Owner.Of.End);
  if (!To)
    return To.takeError();
  Owner.Life = {*From, *To};
  Owner.Calls = std::move(*Index);
  return Owner;
}

Expected<bool> isOwn(const Session &S, const SlotOwner &Owner,
                     const Location &L, Moment When) {
  if (When < Owner.Life.From || When >= Owner.Life.To)
    return false;
  if (L.Where == Location::Memory)
    return true;
  auto P = S.Store.positionOf(Owner.Of.Thread, When);
  if (!P)
    return P.takeError();
  auto Runs = Owner.Calls->enclosing(Owner.Of.Thread, *P);
  if (!Runs)
    return Runs.takeError();
  return *Runs && (*Runs)->Number == Owner.Of.Number;
}

static std::string functionName(const Session &S, const SlotOwner &Owner) {
  if (S.Symbols)
    if (auto Sym = S.Symbols->symbolizeCode(Owner.PC))
      return Sym->Function;
  return hex(Owner.Of.EntryPC);
}

std::string describe(const Session &S, const SlotOwner &Owner) {
  const ThreadIndex T = Owner.Of.Thread;
  return functionName(S, Owner) + ", which runs from " +
         formatPlace(S.Store, T, Owner.Of.Start) + " to " +
         formatPlace(S.Store, T, Owner.Of.End - 1);
}

StringRef whenOthers(const Location &L) {
  return L.Where == Location::Memory
             ? ": before and after, what is there is others'"
             : ": before and after, and in what it calls, what is there is "
               "others'";
}

json::Object toJson(const Session &S, const SlotOwner &Owner) {
  return json::Object{{"function", json::fixUTF8(functionName(S, Owner))},
                      {"thread", int64_t(Owner.Of.Thread) + 1},
                      {"from", Owner.Of.Start},
                      {"to", Owner.Of.End}};
}

} // namespace rw
