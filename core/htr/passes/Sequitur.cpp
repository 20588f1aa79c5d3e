//===- Sequitur.cpp - A grammar from a sequence ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/passes/Sequitur.h"
#include "core/support/Golden.h"
#include <cassert>

namespace rw::htr {

Sequitur::Sequitur() {
  Slots.assign(1024, {0, None});
  Mask = Slots.size() - 1;
  newRule();
}

size_t Sequitur::bytes() const {
  return Nodes.capacity() * sizeof(Node) + Slots.capacity() * sizeof(Slot) +
         (Guards.capacity() + Uses.capacity()) * 4;
}

void Sequitur::append(uint32_t Terminal) {
  assert(Terminal <= MaxTerminal);
  uint32_t S = newNode(Terminal | TerminalTag);
  uint32_t LastOne = Nodes[Guards[0]].Prev;
  insertAfter(LastOne, S);
  if (LastOne != Guards[0])
    check(LastOne);
}

void Sequitur::appendSeparator(uint32_t Terminal) {
  insertAfter(Nodes[Guards[0]].Prev, newNode(Terminal | SeparatorTag));
}

bool Sequitur::pairs(uint32_t S) const {
  uint32_t A = tagOf(S), B = tagOf(Nodes[S].Next);
  return (A == TerminalTag || A == RuleTag) &&
         (B == TerminalTag || B == RuleTag);
}

size_t Sequitur::home(uint64_t Pair) const {
  uint64_t H = golden(Pair);
  return (H ^ (H >> 32)) & Mask;
}

/// The slot of the pair, or the empty one where it would go.
size_t Sequitur::findSlot(uint64_t Pair) const {
  size_t I = home(Pair);
  while (Slots[I].At != None && Slots[I].Pair != Pair)
    I = (I + 1) & Mask;
  return I;
}

void Sequitur::setPair(uint32_t S) {
  size_t I = findSlot(pairAt(S));
  if (Slots[I].At == None && ++Filled * 2 > Slots.size()) {
    growTable();
    I = findSlot(pairAt(S));
  }
  Slots[I] = {pairAt(S), S};
}

void Sequitur::removePair(uint32_t S) {
  if (!pairs(S))
    return;
  size_t I = findSlot(pairAt(S));
  if (Slots[I].At != S)
    return;
  --Filled;
  // Close the gap, so that what was pushed past it is still found.
  for (size_t J = I;;) {
    J = (J + 1) & Mask;
    if (Slots[J].At == None)
      break;
    size_t Home = home(Slots[J].Pair);
    if (((J - Home) & Mask) >= ((J - I) & Mask)) {
      Slots[I] = Slots[J];
      I = J;
    }
  }
  Slots[I].At = None;
}

void Sequitur::growTable() {
  std::vector<Slot> Old(Slots.size() * 2, {0, None});
  Old.swap(Slots);
  Mask = Slots.size() - 1;
  for (const Slot &S : Old)
    if (S.At != None)
      Slots[findSlot(S.Pair)] = S;
}

uint32_t Sequitur::newNode(uint32_t Value) {
  uint32_t S = FreeNode;
  if (S != None) {
    FreeNode = Nodes[S].Next;
  } else {
    S = Nodes.size();
    Nodes.emplace_back();
  }
  Nodes[S] = {Value, None, None};
  if ((Value & GuardTag) == RuleTag)
    ++Uses[Value & MaxTerminal];
  return S;
}

void Sequitur::freeNode(uint32_t S) {
  Nodes[S].Next = FreeNode;
  FreeNode = S;
}

uint32_t Sequitur::newRule() {
  uint32_t R;
  if (!FreeRules.empty()) {
    R = FreeRules.back();
    FreeRules.pop_back();
  } else {
    R = Guards.size();
    Guards.push_back(None);
    Uses.push_back(0);
  }
  uint32_t G = newNode(R | GuardTag);
  Nodes[G].Next = Nodes[G].Prev = G;
  Guards[R] = G;
  Uses[R] = 0;
  return R;
}

void Sequitur::join(uint32_t L, uint32_t R) {
  if (Nodes[L].Next != None) {
    removePair(L);
    // Three equal symbols in a row have only one pair in the table. Where that
    // was taken away, the other one takes its place.
    uint32_t Value = Nodes[R].Value;
    uint32_t P = Nodes[R].Prev, N = Nodes[R].Next;
    if (P != None && N != None && Value == Nodes[P].Value &&
        Value == Nodes[N].Value && pairs(R))
      setPair(R);
    Value = Nodes[L].Value;
    P = Nodes[L].Prev;
    N = Nodes[L].Next;
    if (P != None && N != None && Value == Nodes[N].Value &&
        Value == Nodes[P].Value && pairs(P))
      setPair(P);
  }
  Nodes[L].Next = R;
  Nodes[R].Prev = L;
}

void Sequitur::insertAfter(uint32_t S, uint32_t New) {
  join(New, Nodes[S].Next);
  join(S, New);
}

void Sequitur::remove(uint32_t S) {
  join(Nodes[S].Prev, Nodes[S].Next);
  removePair(S);
  if (isRule(S))
    --Uses[Nodes[S].Value & MaxTerminal];
  freeNode(S);
}

/// Restores the uniqueness of the pair that begins at \p S. True if it was
/// there already.
bool Sequitur::check(uint32_t S) {
  if (!pairs(S))
    return false;
  size_t I = findSlot(pairAt(S));
  if (Slots[I].At == None) {
    setPair(S);
    return false;
  }
  uint32_t Earlier = Slots[I].At;
  if (Nodes[Earlier].Next != S && Earlier != S && Nodes[S].Next != Earlier)
    match(S, Earlier);
  return true;
}

void Sequitur::match(uint32_t S, uint32_t Earlier) {
  uint32_t Before = Nodes[Earlier].Prev;
  uint32_t After = Nodes[Nodes[Earlier].Next].Next;
  uint32_t R;
  if (isGuard(Before) && isGuard(After)) {
    // The pair is all of an existing rule.
    R = Nodes[Before].Value & MaxTerminal;
    substitute(S, R);
  } else {
    R = newRule();
    uint32_t A = newNode(Nodes[S].Value);
    uint32_t B = newNode(Nodes[Nodes[S].Next].Value);
    insertAfter(Nodes[Guards[R]].Prev, A);
    insertAfter(Nodes[Guards[R]].Prev, B);
    substitute(Earlier, R);
    substitute(S, R);
    // What followed from that may have used the rule up.
    if (Guards[R] != None)
      setPair(Nodes[Guards[R]].Next);
  }
  if (Guards[R] == None)
    return;
  uint32_t First = Nodes[Guards[R]].Next;
  if (isRule(First) && Uses[Nodes[First].Value & MaxTerminal] == 1)
    expand(First);
}

/// Puts \p Rule in the place of the pair at \p S.
void Sequitur::substitute(uint32_t S, uint32_t Rule) {
  uint32_t Q = Nodes[S].Prev;
  remove(Nodes[Q].Next);
  remove(Nodes[Q].Next);
  insertAfter(Q, newNode(Rule | RuleTag));
  if (!check(Q))
    check(Nodes[Q].Next);
}

/// Puts the right-hand side of a rule in the place of its only use.
void Sequitur::expand(uint32_t S) {
  uint32_t L = Nodes[S].Prev, R = Nodes[S].Next;
  uint32_t Rule = Nodes[S].Value & MaxTerminal;
  uint32_t Guard = Guards[Rule];
  uint32_t First = Nodes[Guard].Next, LastOne = Nodes[Guard].Prev;
  removePair(S);
  Guards[Rule] = None;
  Uses[Rule] = 0;
  FreeRules.push_back(Rule);
  freeNode(Guard);
  join(L, R);
  freeNode(S);
  join(L, First);
  join(LastOne, R);
  if (pairs(LastOne))
    setPair(LastOne);
}

} // namespace rw::htr
