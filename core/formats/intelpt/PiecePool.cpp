//===- PiecePool.cpp - Decodes pieces ahead -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/PiecePool.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw::intelpt {

/// libipt calls itself for each instruction of a block, of which a loop without
/// a branch ("jmp .") has 65,535.
static constexpr std::optional<unsigned> StackBytes = 24 << 20;

PiecePool::PiecePool(const Recording &R, unsigned Workers, size_t PieceBytes)
    : R(R), MaxAhead(Workers ? 4 * size_t(Workers) + R.Buffers.size() : 0),
      Wanted(MaxAhead) {
  for (size_t B = 0; B < R.Buffers.size(); ++B) {
    Cuts.push_back(cutAtSyncs(R.Buffers[B].Bytes, PieceBytes));
    uint64_t Time = 0; // never backwards in one buffer
    for (size_t I = 0; I < Cuts[B].size(); ++I) {
      Time = std::max(Time, Cuts[B][I].Tsc.value_or(0));
      Job J;
      J.Buffer = B;
      J.Index = I;
      J.Time = Time;
      Jobs.push_back(std::move(J));
    }
  }
  llvm::stable_sort(Jobs,
                    [](const Job &A, const Job &B) { return A.Time < B.Time; });
  JobOf.resize(Cuts.size());
  for (size_t B = 0; B < Cuts.size(); ++B)
    JobOf[B].resize(Cuts[B].size());
  for (size_t J = 0; J < Jobs.size(); ++J)
    JobOf[Jobs[J].Buffer][Jobs[J].Index] = J;
}

Expected<std::unique_ptr<PiecePool>>
PiecePool::create(const Recording &R, const Image &Code, CodeBook &Book,
                  unsigned Workers, size_t PieceBytes) {
  std::unique_ptr<PiecePool> P(new PiecePool(R, Workers, PieceBytes));
  Workers = unsigned(std::min<size_t>(Workers, P->Jobs.size()));
  for (unsigned I = 0; I <= Workers; ++I) {
    auto D = PieceDecoder::create(R, Code, Book);
    if (!D)
      return D.takeError();
    P->Decoders.push_back(std::move(*D));
  }
  for (unsigned I = 0; I < Workers; ++I)
    P->Threads.emplace_back(StackBytes, [P = P.get(), I] {
      while (std::optional<Job *> J = P->Wanted.pop())
        P->decode(P->Decoders[I], **J);
    });
  P->askAhead();
  return P;
}

PiecePool::~PiecePool() {
  while (Wanted.tryPop()) // nobody wants it any more
    ;
  Wanted.close();
  for (llvm::thread &T : Threads)
    T.join();
}

void PiecePool::decode(PieceDecoder &D, Job &J) {
  ArrayRef<SyncPoint> C = Cuts[J.Buffer];
  try {
    Piece Result;
    D.decode(R.Buffers[J.Buffer].Bytes, C[J.Index],
             J.Index + 1 < C.size() ? &C[J.Index + 1] : nullptr, Result);
    J.Decoded.set_value(std::move(Result));
  } catch (...) {
    J.Decoded.set_exception(std::current_exception());
  }
}

void PiecePool::askAhead() {
  for (; NumAhead < MaxAhead && NextJob < Jobs.size(); ++NextJob)
    if (Job &J = Jobs[NextJob]; !std::exchange(J.Asked, true)) {
      Wanted.push(&J);
      ++NumAhead;
    }
}

Piece PiecePool::take(size_t Buffer, size_t Index) {
  Job &J = Jobs[JobOf[Buffer][Index]];
  std::future<Piece> Decoded = J.Decoded.get_future();
  if (!std::exchange(J.Asked, true)) {
    llvm::thread(StackBytes, [&] { decode(Decoders.back(), J); }).join();
    return Decoded.get();
  }
  Piece Result = Decoded.get();
  --NumAhead;
  askAhead();
  return Result;
}

} // namespace rw::intelpt
