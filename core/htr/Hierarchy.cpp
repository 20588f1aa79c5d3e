//===- Hierarchy.cpp - Layers of blocks while passes run ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/Hierarchy.h"
#include <cassert>

using namespace llvm;

namespace rw::htr {

BlockId Hierarchy::add(BlockKind Kind, uint64_t Value, uint64_t First,
                       uint32_t Count, uint64_t Length, BlockId Entry,
                       BlockId Exit) {
  BlockId Id = Dict.size();
  Dict.Kind.push_back(Kind);
  Dict.Home.push_back(Layers.empty() ? 0 : Layers.size() - 1);
  Dict.Value.push_back(Value);
  Dict.First.push_back(First);
  Dict.Count.push_back(Count);
  Dict.Length.push_back(Length);
  Dict.Entry.push_back(
      Entry == NoBlock && Kind == BlockKind::Instruction ? Id : Entry);
  Dict.Exit.push_back(Exit == NoBlock && Kind == BlockKind::Instruction ? Id
                                                                        : Exit);
  return Id;
}

BlockId Hierarchy::addLeaf(BlockKind Kind, uint64_t Value) {
  assert(Layers.size() <= 1 && "leaves belong to layer 0");
  return add(Kind, Value, 0, 0, Kind == BlockKind::Instruction, NoBlock,
             NoBlock);
}

void Hierarchy::dropInstructions() {
  assert(Layers.size() > 1);
  Layers[0].Units.drop();
}

Layer &Hierarchy::beginLayer(StringRef Pass) {
  Layer &L = Layers.emplace_back();
  L.Pass = Pass.str();
  L.FirstBlock = L.EndBlock = Dict.size();
  return L;
}

BlockId Hierarchy::addSequence(BlockKind Kind, ArrayRef<BlockId> Parts,
                               uint64_t Value) {
  Extent E;
  for (BlockId P : Parts)
    E.add(Dict, P);
  Layer &L = Layers.back();
  uint64_t First = L.Bodies.size();
  L.Bodies.insert(L.Bodies.end(), Parts.begin(), Parts.end());
  return add(Kind, Value, First, Parts.size(), E.Length, E.Entry, E.Exit);
}

BlockId Hierarchy::addRepeat(BlockId Part, uint64_t Times) {
  Layer &L = Layers.back();
  uint64_t First = L.Bodies.size();
  L.Bodies.push_back(Part);
  return add(BlockKind::Repeat, Times, First, 1, Dict.Length[Part] * Times,
             Dict.Entry[Part], Dict.Exit[Part]);
}

BlockId Hierarchy::addFunction(uint64_t EntryPC, const Extent &E,
                               FunctionFacts F) {
  BlockId Id = add(BlockKind::Function, EntryPC, Scopes.size(), F.pack(),
                   E.Length, E.Entry, E.Exit);
  Scopes.push_back(Id);
  Mixed.push_back(F.IsMixed);
  return Id;
}

bool Hierarchy::endLayer() {
  Layer &L = Layers.back();
  L.EndBlock = Dict.size();
  if (L.EndBlock != L.FirstBlock || Layers.size() == 1)
    return true;
  Layers.pop_back();
  return false;
}

UnitSeq Hierarchy::parts(BlockId B, const Layer &InLayer) const {
  if (Dict.Kind[B] == BlockKind::Function)
    return InLayer.sequence(numThreads() + Dict.First[B]);
  return body(B);
}

ArrayRef<BlockId> Hierarchy::body(BlockId B) const {
  assert(Dict.Kind[B] != BlockKind::Function);
  return ArrayRef(Layers[Dict.Home[B]].Bodies)
      .slice(Dict.First[B], Dict.Count[B]);
}

} // namespace rw::htr
