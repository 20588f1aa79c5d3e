//===- HtrCheck.cpp - Is a file of layers what passes make? ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrCheck.h"
#include "core/htr/HtrFormat.h"

using namespace llvm;

namespace rw::htr {

/// More instructions than any trace has. Lengths up to here can be added up for
/// as long as a file goes on.
static constexpr uint64_t MaxLength = uint64_t(1) << 48;
static constexpr uint64_t MaxSum = uint64_t(1) << 62;

class HtrCheck::Elements {
public:
  /// \p Sum: the instructions before the element at \p From.
  Elements(const HtrFile::LayerData &L, const std::vector<Extent> &Blocks,
           uint64_t From, uint64_t Sum)
      : Units(L.Elements, From),
        Sums(L.Sums, (From + format::SumEvery - 1) / format::SumEvery),
        Blocks(Blocks), At(From), Sum(Sum) {}

  /// Adds the next unit, which must be below \p End. False if it is not, or if
  /// something does not add up.
  bool addTo(Extent &E, BlockId End) {
    if (At++ % format::SumEvery == 0 && (Sum > MaxSum || Sums.next() != Sum))
      return false;
    const uint64_t U = Units.next();
    if (U >= End)
      return false;
    E.add(Blocks[U]);
    Sum += Blocks[U].Length;
    return E.Length <= MaxLength;
  }

private:
  PackedArray::Stream Units, Sums;
  const std::vector<Extent> &Blocks;
  uint64_t At, Sum;
};

/// Every layer introduces the blocks that follow those of the layer below.
bool HtrCheck::layerRanges() const {
  BlockId End = 0;
  for (const HtrFile::LayerData &L : File.Layers) {
    if (L.Info.FirstBlock != End)
      return false;
    End = L.Info.EndBlock;
  }
  return End == File.numBlocks();
}

bool HtrCheck::leaf(BlockId B) const {
  const Extent &E = Blocks[B];
  if (BlockKind(Kind[B]) == BlockKind::Instruction)
    return E.Length == 1 && E.Entry == B && E.Exit == B;
  return BlockKind(Kind[B]) == BlockKind::Break && E.Length == 0 &&
         E.Entry == NoBlock && E.Exit == NoBlock &&
         File.Value[B] < NumEventKinds;
}

/// What can be said of blocks without looking into them.
bool HtrCheck::blocks() {
  const BlockId N = File.numBlocks();
  Kind.resize(N);
  Blocks.resize(N);
  PackedArray::Stream Kinds(File.Kind), Lengths(File.Length),
      Entries(File.Entry), Exits(File.Exit);
  unsigned FunctionLayer = 0;
  for (unsigned L = 0; L < File.numLayers(); ++L)
    for (BlockId B = File.layer(L).FirstBlock; B < File.layer(L).EndBlock;
         ++B) {
      const uint64_t KindAndHome = Kinds.next();
      Kind[B] = KindAndHome & 7;
      Extent &E = Blocks[B];
      E.Length = Lengths.next();
      E.Entry = BlockId(Entries.next()) - 1;
      E.Exit = BlockId(Exits.next()) - 1;
      if (KindAndHome >> 3 != L || E.Length > File.numInstructions())
        return false;
      if (L == 0) {
        if (!leaf(B))
          return false;
        continue;
      }
      if (E.Length == 0 || Kind[B] > uint8_t(BlockKind::Function) ||
          Kind[B] <= uint8_t(BlockKind::Break))
        return false;
      if (BlockKind(Kind[B]) == BlockKind::Iterations)
        if (auto F = LoopFacts::unpack(File.Value[B]))
          if (F->Header >= Kind.size() ||
              BlockKind(Kind[F->Header]) != BlockKind::Instruction)
            return false;
      if (BlockKind(Kind[B]) != BlockKind::Function)
        continue;
      // One pass makes all of them; they are numbered in order.
      if (!FunctionOf.empty() && FunctionLayer != L)
        return false;
      FunctionLayer = L;
      if (File.First[B] != FunctionOf.size() || File.Count[B] > ~0u ||
          File.functionFacts(B).Itself > E.Length)
        return false;
      FunctionOf.push_back(B);
      E.Inner = B + 1;
    }
  return true;
}

/// Where the places of a block are is told by how often it occurs.
bool HtrCheck::occurrences() const {
  PackedArray::Stream Times(File.Occurrences), First(File.FirstPlace);
  const BlockId NumLeaves = File.layer(0).EndBlock;
  uint64_t Place = First.next(), Instructions = 0;
  if (Place != 0)
    return false;
  for (BlockId B = 0; B < File.numBlocks(); ++B) {
    const uint64_t Here = Times.next(), Next = First.next();
    if (Next < Place || Next - Place != (B < NumLeaves ? 0 : Here))
      return false;
    Place = Next;
    if (BlockKind(Kind[B]) == BlockKind::Instruction) {
      if (Here > File.numInstructions() - Instructions)
        return false;
      Instructions += Here;
    }
  }
  return Place == File.Places.size() && Instructions == File.numInstructions();
}

/// The parts of a layer's own blocks lie one after the other, behind its
/// sequences.
bool HtrCheck::bodies(unsigned Layer, uint64_t Begin) {
  const HtrFile::LayerData &L = File.Layers[Layer];
  const uint64_t End = L.Elements.size();
  uint64_t At = Begin, Before = File.numInstructions();
  for (uint64_t S = 0; S < NumScopes; ++S)
    Before += Blocks[FunctionOf[S]].Length;
  Elements Parts(L, Blocks, At, Before);
  for (BlockId B = L.Info.FirstBlock; B < L.Info.EndBlock; ++B) {
    if (BlockKind(Kind[B]) == BlockKind::Function)
      continue;
    const uint64_t Count = File.Count[B];
    if (File.First[B] != At || Count == 0 || Count > End - At)
      return false;
    Extent E;
    for (uint64_t I = 0; I < Count; ++I)
      if (!Parts.addTo(E, B))
        return false;
    if (BlockKind(Kind[B]) == BlockKind::Repeat) {
      const uint64_t Times = File.Value[B];
      if (Count != 1 || Times == 0 || E.Length == 0 ||
          Times > MaxLength / E.Length)
        return false;
      E.Length *= Times;
    }
    if (!E.isBlock(Blocks[B]))
      return false;
    Blocks[B].Inner = E.Inner;
    At += Count;
  }
  return At == End;
}

/// Those of the threads, then those of functions.
bool HtrCheck::sequences(unsigned Layer, ArrayRef<uint64_t> Begin) const {
  const HtrFile::LayerData &L = File.Layers[Layer];
  Elements Units(L, Blocks, 0, 0);
  for (uint64_t I = 0; I + 1 < Begin.size(); ++I) {
    Extent E;
    for (uint64_t Left = Begin[I + 1] - Begin[I]; Left; --Left)
      if (!Units.addTo(E, L.Info.EndBlock))
        return false;
    if (I < File.numThreads()) {
      if (E.Length != File.numInstructions(I))
        return false;
      continue;
    }
    const BlockId F = FunctionOf[I - File.numThreads()];
    if (!E.isBlock(Blocks[F]) || E.Inner > F)
      return false;
  }
  return true;
}

Error HtrCheck::run() {
  if (File.numInstructions() > MaxLength)
    return File.damaged("it has too many instructions");
  if (!layerRanges() || !blocks() || !occurrences())
    return File.damaged("its blocks are not what passes make");
  if (!is_sorted(File.Header.FunctionEntries) ||
      !is_sorted(File.Header.Handlers))
    return File.damaged("its functions are out of order");
  for (unsigned I = 1; I < File.numLayers(); ++I) {
    const HtrFile::LayerData &L = File.Layers[I];
    if (!FunctionOf.empty() && FunctionOf[0] < L.Info.EndBlock)
      NumScopes = FunctionOf.size();
    const auto wrong = [&] {
      return File.damaged("layer " + Twine(I) + " is not what a pass makes");
    };
    if (L.Begin.size() != File.numThreads() + NumScopes + 1)
      return wrong();
    std::vector<uint64_t> Begin(L.Begin.size());
    PackedArray::Stream Values(L.Begin);
    for (uint64_t &B : Begin)
      B = Values.next();
    const uint64_t Sums =
        (L.Elements.size() + format::SumEvery - 1) / format::SumEvery;
    if (Begin[0] != 0 || !is_sorted(Begin) ||
        Begin.back() > L.Elements.size() || Begin.back() != L.Info.Units ||
        L.Sums.size() != Sums || Begin[File.numThreads()] != L.Info.TopUnits ||
        !bodies(I, Begin.back()) || !sequences(I, Begin))
      return wrong();
  }
  return Error::success();
}

} // namespace rw::htr
