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

PiecePool::PiecePool(const Recording &R, size_t PieceBytes) : R(R) {
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
  std::unique_ptr<PiecePool> P(new PiecePool(R, PieceBytes));
  Workers = unsigned(std::min<size_t>(Workers, P->Jobs.size()));
  for (unsigned I = 0; I <= Workers; ++I) {
    auto D = PieceDecoder::create(R, Code, Book);
    if (!D)
      return D.takeError();
    P->Decoders.push_back(std::move(*D));
  }
  for (unsigned I = 0; I < Workers; ++I)
    P->Threads.emplace_back(StackBytes,
                            [P = P.get(), I] { P->work(P->Decoders[I]); });
  return P;
}

PiecePool::~PiecePool() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Stop = true;
  }
  Changed.notify_all();
  for (llvm::thread &T : Threads)
    T.join();
}

void PiecePool::decode(PieceDecoder &D, Job &J) {
  ArrayRef<SyncPoint> C = Cuts[J.Buffer];
  try {
    D.decode(R.Buffers[J.Buffer].Bytes, C[J.Index],
             J.Index + 1 < C.size() ? &C[J.Index + 1] : nullptr, J.Result);
  } catch (...) {
    J.Thrown = std::current_exception(); // for take()
  }
}

void PiecePool::work(PieceDecoder &D) {
  const size_t Ahead = 4 * Threads.size() + R.Buffers.size();
  std::unique_lock<std::mutex> Guard(Lock);
  for (;;) {
    while (NextJob < Jobs.size() && Jobs[NextJob].State != Job::Waiting)
      ++NextJob;
    if (Stop || NextJob == Jobs.size())
      return;
    if (NextJob >= NumTaken + Ahead) {
      Changed.wait(Guard);
      continue;
    }
    Job &J = Jobs[NextJob++];
    J.State = Job::Taken;
    Guard.unlock();
    decode(D, J);
    Guard.lock();
    J.State = Job::Done;
    Changed.notify_all();
  }
}

Piece PiecePool::take(size_t Buffer, size_t Index) {
  Job &J = Jobs[JobOf[Buffer][Index]];
  std::unique_lock<std::mutex> Guard(Lock);
  if (J.State == Job::Waiting) {
    J.State = Job::Taken;
    Guard.unlock();
    llvm::thread(StackBytes, [&] { decode(Decoders.back(), J); }).join();
    Guard.lock();
    J.State = Job::Done;
  }
  Changed.wait(Guard, [&] { return J.State == Job::Done; });
  ++NumTaken;
  Changed.notify_all();
  if (J.Thrown)
    std::rethrow_exception(J.Thrown);
  return std::move(J.Result);
}

} // namespace rw::intelpt
