//===- CallSectionWriter.cpp - The section "calls" ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallSectionWriter.h"
#include "core/support/Coding.h"

namespace rw {

using namespace callsection;

namespace {

/// Writes the activations of one thread, which come in preorder.
class ThreadWriter {
public:
  ThreadWriter(SectionWriter &Out, uint64_t &Offset,
               const std::vector<EntryRecord> &Entries)
      : Out(Out), Offset(Offset), Entries(Entries) {}

  llvm::Error add(const ActivationSorter::Record &R) {
    if (Entries[R.Entry].KindFlags & FlagTtuOnly) {
      putVarint(TtuOnly, R.Start - LastTtuStart);
      putVarint(TtuOnly, R.End - R.Start);
      putVarint(TtuOnly, R.Entry);
      LastTtuStart = R.Start;
      ++NumTtuOnly;
      return llvm::Error::success();
    }
    while (!Open.empty() && Open.back() <= R.Start)
      Open.pop_back();
    assert((Open.empty() || R.End <= Open.back()) && "activations must nest");
    uint32_t Depth = uint32_t(Open.size());
    Open.push_back(R.End);
    MaxDepth = std::max(MaxDepth, Depth);
    if (Count % BlockSize == 0) {
      if (llvm::Error E = flush())
        return E;
      BlockEntry B;
      B.FirstStart = LastStart = R.Start;
      B.MaxEnd = R.End;
      B.Offset = Offset;
      B.FirstDepth = Depth;
      B.MinDepth = Depth;
      Directory.push_back(B);
      LastDepth = Depth ? Depth - 1 : 0;
    }
    BlockEntry &B = Directory.back();
    B.MaxEnd = std::max<uint64_t>(B.MaxEnd, R.End);
    B.MinDepth = std::min<uint32_t>(B.MinDepth, Depth);
    putVarintAt(To, R.Start - LastStart);
    putVarintAt(To, R.End - R.Start);
    putVarintAt(To, R.Entry);
    putVarintAt(To, LastDepth + 1 - Depth);
    LastStart = R.Start;
    LastDepth = Depth;
    ++Count;
    return llvm::Error::success();
  }

  llvm::Error flush() {
    llvm::ArrayRef<uint8_t> Block(Bytes.get(), To);
    To = Bytes.get();
    Offset += Block.size();
    return Out.write(Block);
  }

  std::vector<BlockEntry> Directory;
  std::vector<uint8_t> TtuOnly;
  uint64_t Count = 0, NumTtuOnly = 0, BlocksEnd = 0;
  uint32_t MaxDepth = 0;

private:
  SectionWriter &Out;
  uint64_t &Offset;
  const std::vector<EntryRecord> &Entries;
  /// The block at hand: room for four of the longest numbers each.
  std::unique_ptr<uint8_t[]> Bytes =
      std::make_unique<uint8_t[]>(size_t(BlockSize) * 4 * 10);
  uint8_t *To = Bytes.get();
  std::vector<Position> Open;
  Position LastStart = 0, LastTtuStart = 0;
  uint32_t LastDepth = 0;
};

template <class T>
llvm::Error writeArray(SectionWriter &Out, uint64_t &Offset,
                       const std::vector<T> &Array) {
  llvm::ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Array.data()),
                                Array.size() * sizeof(T));
  Offset += Bytes.size();
  return Out.write(Bytes);
}

} // namespace

llvm::Error writeCalls(SectionWriter &Out,
                       llvm::ArrayRef<ActivationSorter *> ByThread,
                       const std::vector<EntryRecord> &Entries,
                       llvm::ArrayRef<uint64_t> Targets) {
  if (llvm::Error E = Out.begin("calls"))
    return E;
  uint64_t Offset = 0;
  std::vector<std::unique_ptr<ThreadWriter>> Writers;
  for (ActivationSorter *Done : ByThread) {
    auto &W = *Writers.emplace_back(
        std::make_unique<ThreadWriter>(Out, Offset, Entries));
    if (!Done)
      continue;
    if (llvm::Error E = Done->merge(
            [&](const ActivationSorter::Record &R) { return W.add(R); }))
      return E;
    if (llvm::Error E = W.flush())
      return E;
    W.BlocksEnd = Offset;
  }

  Footer F = {};
  F.NumThreads = Writers.size();
  F.NumEntries = Entries.size();
  std::copy(std::begin(Magic), std::end(Magic), F.Magic);
  std::vector<uint8_t> Padding((8 - Offset % 8) % 8);
  if (llvm::Error E = writeArray(Out, Offset, Padding))
    return E;
  F.Entries = Offset;
  if (llvm::Error E = writeArray(Out, Offset, Entries))
    return E;
  std::vector<ulittle64_t> TargetsOut(Targets.size());
  for (size_t J = 0; J < Targets.size(); ++J)
    TargetsOut[J] = Targets[J];
  F.NumJumpTargets = Targets.size();
  F.JumpTargets = Offset;
  if (llvm::Error E = writeArray(Out, Offset, TargetsOut))
    return E;
  std::vector<ThreadEntry> Threads(Writers.size());
  for (size_t T = 0; T < Writers.size(); ++T) {
    ThreadWriter &W = *Writers[T];
    ThreadEntry &E = Threads[T];
    E.NumActivations = W.Count;
    E.BlocksEnd = W.BlocksEnd;
    E.TtuOnly = Offset;
    E.NumTtuOnly = W.NumTtuOnly;
    E.MaxDepth = W.MaxDepth;
    E.Reserved = 0;
    if (llvm::Error Err = writeArray(Out, Offset, W.TtuOnly))
      return Err;
  }
  F.TtuOnlyEnd = Offset;
  Padding.assign((8 - Offset % 8) % 8, 0);
  if (llvm::Error E = writeArray(Out, Offset, Padding))
    return E;
  for (size_t T = 0; T < Writers.size(); ++T) {
    Threads[T].Directory = Offset;
    if (llvm::Error E = writeArray(Out, Offset, Writers[T]->Directory))
      return E;
  }
  F.Threads = Offset;
  if (llvm::Error E = writeArray(Out, Offset, Threads))
    return E;
  if (llvm::Error E = Out.write(llvm::ArrayRef<uint8_t>(
          reinterpret_cast<const uint8_t *>(&F), sizeof(F))))
    return E;
  return Out.end();
}

} // namespace rw
