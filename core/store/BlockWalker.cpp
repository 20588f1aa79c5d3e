//===- BlockWalker.cpp - From block to block ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockWalker.h"

using namespace rw;

std::optional<unsigned> BlockWalker::enterBlock() {
  auto P = I.locate(Next);
  if (!P) {
    fail(P.takeError());
    return std::nullopt;
  }
  S = P->S;
  Block = P->Block;
  Left = S.blockSize(Block);
  Next -= P->Insn;
  if (Decoder)
    Decoder->enter(S, Block);
  else if (Wanted)
    Decoder.emplace(I, S, Block, *Wanted);
  else
    Flow.emplace(I, S, Block);
  Starts.resize(I.NumThreads);
  for (unsigned T = 0; T < I.NumThreads; ++T) {
    Starts[T] = I.Positions[size_t(S.Index) * I.NumThreads + T];
    if (S.H->NumThreads > 1 && T < S.H->NumThreads)
      Starts[T] += S.array<uint32_t>(
          S.H->ThreadStarts)[size_t(Block) * S.H->NumThreads + T];
  }
  if (S.H->NumThreads == 1)
    Starts[0] += S.blockStarts()[Block];
  Done = 0;
  Lines = 0;
  Entered = true;
  return P->Insn;
}

bool BlockWalker::fail(llvm::Error E) {
  Failed = llvm::joinErrors(std::move(Failed), std::move(E));
  Next = I.M.NumInstructions;
  Left = 0;
  Entered = false;
  return false;
}
