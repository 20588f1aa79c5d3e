//===- CallDependences.cpp - Which calls wait for which -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/CallDependences.h"

using namespace llvm;

namespace rw::dataflow {

uint32_t NumberSets::name(std::vector<uint32_t> Of) {
  auto [It, New] = Names.try_emplace(std::move(Of), uint32_t(Sets.size()));
  if (New) {
    Numbers += It->first.size();
    Sets.push_back(It->first);
  }
  return It->second;
}

uint32_t NumberSets::both(uint32_t A, uint32_t B) {
  if (A == B || !B)
    return A;
  if (!A)
    return B;
  if (A > B)
    std::swap(A, B);
  auto [It, New] = Unions.try_emplace({A, B}, A);
  if (!New)
    return It->second;
  std::vector<uint32_t> Of;
  std::set_union(Sets[A].begin(), Sets[A].end(), Sets[B].begin(), Sets[B].end(),
                 std::back_inserter(Of));
  if (Numbers > MaxNumbers || Unions.size() > MaxNumbers) {
    Over = true;
    return A;
  }
  return It->second = name(std::move(Of));
}

uint32_t CallDependences::siteOf(const Frame &F) {
  Site S{F.Static, F.Entry};
  auto [It, New] = Sites.try_emplace(S, uint32_t(All.size()));
  if (New) {
    All.emplace_back();
    All.back().Of = S;
    All.back().First = F.When;
  }
  // A recursive one ends after those in it.
  Joins &J = All[It->second];
  J.First = std::min(J.First, F.When);
  return It->second;
}

void CallDependences::enter(const Step &S) {
  Thread &T = Threads[S.Thread];
  Frame F;
  F.Static = S.Code->Static;
  F.When = S.When;
  // The call itself is its beginning; an instruction that only happens to be
  // before it is not.
  F.Count = T.CallNumber ? T.Count - 1 : T.Count;
  F.CallNumber = std::exchange(T.CallNumber, 0);
  F.Needs = std::exchange(T.CallSet, 0);
  F.Number = Forest.open(T.Frames.back().Number);
  T.Frames.push_back(F);
  T.Stack.enter();
}

void CallDependences::leave(unsigned Number) {
  Thread &T = Threads[Number];
  Frame F = T.Frames.back();
  T.Frames.pop_back();
  const StackExtent Stack = T.Stack.leave();
  if (T.Frames.empty())
    return;
  const uint32_t Here = siteOf(F);
  ++All[Here].Calls;
  for (uint32_t Earlier : Sets.of(F.Needs)) {
    Pair &P = Pairs[{Earlier, Here}];
    if (!P.Times++ || F.When < P.First)
      P.First = F.When;
  }
  Forest.close(F.Number, uint32_t(Instances.size()) << 1 | 1);
  Instances.push_back({Here, T.Count, ~uint64_t(0), T.When, Stack});
  if (F.CallNumber)
    Forest.close(F.CallNumber, F.Needs << 1);
}

CallDependences::Stamp CallDependences::undefer(const Deferred &D, Stamp Made,
                                                unsigned Depth, unsigned Thread,
                                                ArrayRef<Stamp> Needs) {
  if (!(Kinds & 1))
    return Made;
  uint32_t Set = numberOf(Made) >> 1;
  for (Stamp S : Needs)
    if (S)
      Set = needs(Threads[Thread], Depth, S, Set, D.Count, D.Static);
  return localStamp(activationOf(Made), Set << 1);
}

void CallDependences::join(uint32_t Number, uint64_t Count, uint32_t By) {
  if (!(Number & 1))
    return;
  Instance &I = Instances[Number >> 1];
  const uint64_t Distance = Count - I.Returned;
  if (Distance >= I.Join)
    return;
  Joins &J = All[I.Site];
  if (I.Join == ~uint64_t(0))
    ++J.Joined;
  else
    J.Sum -= I.Join;
  J.Sum += Distance;
  I.Join = Distance;
  if (Distance < J.Least) {
    J.Least = Distance;
    J.Where = I.When;
    J.By = By;
  }
}

uint32_t CallDependences::needs(Thread &T, size_t Depth, Stamp Of, uint32_t Set,
                                uint64_t Count, uint32_t Static) {
  Of = Forest.resolve(Of);
  const uint32_t A = activationOf(Of);
  std::vector<Frame> &Frames = T.Frames;
  if (Frames[Depth].Number == A) {
    join(numberOf(Of), Count, Static);
    return Sets.both(Set, setOf(numberOf(Of)));
  }
  auto It =
      std::upper_bound(Frames.begin(), Frames.begin() + Depth + 1, A,
                       [](uint32_t A, const Frame &F) { return A < F.Number; });
  // The call of an activation that is still open; or another thread.
  if (It == Frames.begin() || It[-1].Number != A)
    return Set;
  join(numberOf(Of), It->Count, It->Static);
  It->Needs = Sets.both(It->Needs, setOf(numberOf(Of)));
  return Set;
}

} // namespace rw::dataflow
