//===- SequenceJoiner.cpp - Sequences that follow each other --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/SequenceJoiner.h"
#include <algorithm>

using namespace llvm;

namespace rw {

uint32_t SequenceJoiner::make(uint32_t First, uint32_t Second) {
  ItemBatch Both;
  for (uint32_t Id : {First, Second}) {
    auto append = [](auto &To, auto From) {
      To.insert(To.end(), From.begin(), From.end());
    };
    append(Both.Insns, Code.insns(Id));
    append(Both.Regs, Code.regs(Id));
    append(Both.Mems, Code.mems(Id));
  }
  Policy.joined(Both.Insns.size());
  std::unique_lock<std::mutex> Guard;
  if (Lock)
    Guard = std::unique_lock(*Lock);
  return Code.add(Both.Insns, Both.Regs, Both.Mems);
}

std::optional<uint32_t> SequenceJoiner::count(uint32_t First, uint32_t Second) {
  if (std::max(First, Second) >= Heat.size())
    Heat.resize(2 * size_t(std::max(First, Second)) + 1);
  if (Heat[Second] < JoinPolicy::Hot) {
    ++Heat[Second];
    return std::nullopt;
  }
  if (Heat[First] < JoinPolicy::Hot)
    return std::nullopt;
  const Key Of = {First, Second};
  auto It = Pairs.find(Of);
  if (It == Pairs.end()) {
    if (Pairs.size() < MaxPairs)
      Pairs[Of].Times = 1;
    return std::nullopt;
  }
  Pair &P = It->second;
  if (Policy.decide(P.Times,
                    Code.insns(First).size() + Code.insns(Second).size())) {
    P.Joined = make(First, Second);
    Heat.resize(std::max<size_t>(Heat.size(), *P.Joined + 1));
    Heat[*P.Joined] = JoinPolicy::Hot;
  }
  if (!JoinPolicy::isDecided(P.Times))
    return std::nullopt;
  if (First >= Last.size())
    Last.resize(Heat.size());
  Last[First] = {Decided{Second, P.Joined}, Last[First][0]};
  return P.Joined;
}

} // namespace rw
