//===- AnswersThreads.cpp - What other threads did meanwhile --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/Answers.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

static constexpr uint64_t MaxSamples = 1024;
static constexpr ThreadIndex MaxThreads = 16;

/// Where all other threads stand when this one is at each of some positions
/// from "from" to "to", evenly apart.
ViewAnswers::Answer ViewAnswers::meanwhile(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto From = position(F, "from", *T);
  auto To = position(F, "to", *T);
  auto Samples = F.numberOr("samples", MaxSamples, 256);
  if (!From || !To || !Samples)
    return joinErrors(From.takeError(),
                      joinErrors(To.takeError(), Samples.takeError()));
  if (*From > *To)
    return userError("'from' is behind 'to'");
  const uint64_t Count =
      std::clamp<uint64_t>(*Samples, 1, std::max<uint64_t>(*To - *From, 1));
  std::vector<Moment> Moments;
  json::Array At;
  for (uint64_t I = 0; I <= Count; ++I) {
    const Position P =
        *From + Position(double(*To - *From) * double(I) / Count);
    auto M = S.Store.momentOf(*T, P);
    if (!M)
      return M.takeError();
    At.push_back(P);
    Moments.push_back(*M);
  }
  json::Array Threads;
  for (ThreadIndex U = 0; U < S.Store.numThreads(); ++U) {
    if (U == *T)
      continue;
    if (Threads.size() == MaxThreads)
      break;
    json::Array Positions;
    for (Moment M : Moments) {
      auto P = S.Store.positionOf(U, M);
      if (!P)
        return P.takeError();
      Positions.push_back(*P);
    }
    Threads.push_back(json::Object{{"thread", int64_t(U) + 1},
                                   {"positions", std::move(Positions)}});
  }
  const bool Complete = Threads.size() + 1 >= S.Store.numThreads();
  return json::Object{{"at", std::move(At)},
                      {"threads", std::move(Threads)},
                      {"complete", Complete}};
}

} // namespace rw
