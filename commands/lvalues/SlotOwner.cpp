//===- SlotOwner.cpp - Whose a place on the stack is ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/SlotOwner.h"
#include "commands/support/Access.h"
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
  if (L.Lives)
    Owner.Code = StateCursor::openPlaces(S.Store);
  return Owner;
}

static Expected<const Instruction *>
instructionAt(const Session &S, const SlotOwner &Owner, Position P) {
  auto M = S.Store.momentOf(Owner.Of.Thread, P);
  if (!M)
    return M.takeError();
  return Owner.Code->placeAt(*M);
}

/// Where the owner's frame is in its code before \p P: at a call, while that
/// goes on.
static Expected<uint64_t> pcInFrame(const Session &S, const SlotOwner &Owner,
                                    Position P) {
  auto Called = Owner.Calls->calledAt(Owner.Of, P);
  if (!Called)
    return Called.takeError();
  const bool Calls = *Called && (*Called)->Start > Owner.Of.Start;
  auto I = instructionAt(S, Owner, Calls ? (*Called)->Start - 1 : P);
  return I ? Expected<uint64_t>((*I)->Insn.PC) : I.takeError();
}

Expected<bool> isThere(const Session &S, const SlotOwner &Owner,
                       const Location &L, Moment When) {
  if (When < Owner.Life.From || When >= Owner.Life.To)
    return false;
  if (!L.Lives)
    return true;
  auto P = S.Store.positionOf(Owner.Of.Thread, When);
  if (!P)
    return P.takeError();
  auto PC = pcInFrame(S, Owner, *P);
  return PC ? Expected<bool>(L.Lives->contains(*PC)) : PC.takeError();
}

/// Whether the variable is there before an instruction of the owner itself in
/// [\p From, \p To].
static Expected<bool> isSeen(const Session &S, const SlotOwner &Owner,
                             const Location &L, Position From, Position To) {
  for (Position P = From; P <= To && P < Owner.Of.End;) {
    auto Called = Owner.Calls->calledAt(Owner.Of, P);
    if (!Called)
      return Called.takeError();
    if (*Called) {
      P = std::max((*Called)->End, P + 1);
      continue;
    }
    auto I = instructionAt(S, Owner, P);
    if (!I)
      return I.takeError();
    if (L.Lives->contains((*I)->Insn.PC))
      return true;
    ++P;
  }
  return false;
}

Expected<bool> isOwn(const Session &S, const SlotOwner &Owner,
                     const Location &L, Moment When) {
  if (When < Owner.Life.From || When >= Owner.Life.To)
    return false;
  const bool InMemory = L.Where == Location::Memory;
  if (InMemory && !L.Lives)
    return true;
  const ThreadIndex T = Owner.Of.Thread;
  auto P = S.Store.positionOf(T, When);
  if (!P)
    return P.takeError();
  auto Called = Owner.Calls->calledAt(Owner.Of, *P);
  if (!Called)
    return Called.takeError();
  const bool Itself = !*Called;
  if ((!InMemory && !Itself) || !L.Lives)
    return Itself;
  if (!InMemory) {
    // Most are there at once: the next write need not be looked for.
    auto Soon = isSeen(S, Owner, L, *P + 1, *P + 1);
    if (!Soon || *Soon)
      return Soon;
    auto Next = accessFrom(S.Store, L, AccessKind::Write, When + 1);
    if (!Next)
      return Next.takeError();
    Position Last = Owner.Of.End;
    if (*Next) {
      auto Its = S.Store.positionOf(T, **Next);
      if (!Its)
        return Its.takeError();
      Last = *Its;
    }
    return isSeen(S, Owner, L, *P + 1, Last);
  }
  // The variable is written where it is, and by what leads to there.
  auto There = isThere(S, Owner, L, When);
  if (!There || *There || !Itself)
    return There;
  return isSeen(S, Owner, L, *P + 1, *P + 1);
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

std::string whenOthers(const Location &L) {
  const bool Calls = L.Where != Location::Memory, Code = L.Lives != nullptr;
  std::string Text = ": before and after";
  if (Calls)
    Text += Code ? ", in what it calls" : ", and in what it calls";
  if (Code)
    Text += ", and in code where the variable is not there";
  return Text + ", what is there is others'";
}

json::Object toJson(const Session &S, const SlotOwner &Owner) {
  return json::Object{{"function", json::fixUTF8(functionName(S, Owner))},
                      {"thread", int64_t(Owner.Of.Thread) + 1},
                      {"from", Owner.Of.Start},
                      {"to", Owner.Of.End}};
}

} // namespace rw
