//===- Grammar.cpp - General repeated sequences ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One grammar for all sequences together; what is left of the start rule are
// the layer's sequences, the other rules are its blocks.
//
// A chain of units that always occur together would end up as a rule, or as
// part of one: its inner pairs occur nowhere else. So the grammar is made of
// chains, of which there are fewer. Those it uses twice are rules themselves.
//
//===----------------------------------------------------------------------===//

#include "core/htr/passes/Chains.h"
#include "core/htr/passes/Sequitur.h"

using namespace llvm;

namespace rw::htr {
namespace {

/// Makes blocks of rules, those that a rule needs before the rule itself.
class RuleBlocks {
public:
  /// \p Next: the chains, which are known by their first units.
  RuleBlocks(Hierarchy &H, const Sequitur &G, const std::vector<BlockId> &Next)
      : H(H), G(G), Next(Next), BlockOf(G.numRules(), NoBlock),
        ChainOf(Next.size(), NoBlock), Uses(Next.size()) {
    for (uint32_t R = 0; R < G.numRules(); ++R)
      G.forEach(R, [&](Sequitur::Symbol S) {
        if (S.What == Sequitur::Symbol::Terminal && Uses[S.Value] < 2)
          ++Uses[S.Value];
      });
  }

  /// Calls \p F with the units that stand for a terminal: the block of its
  /// chain, or the units of a chain that is used once.
  template <typename Fn> void forUnits(BlockId First, Fn F) {
    if (Next[First] != NoBlock && Uses[First] > 1) {
      BlockId &Block = ChainOf[First];
      if (Block == NoBlock) {
        std::vector<BlockId> Chain;
        for (BlockId U = First; U != NoBlock; U = Next[U])
          Chain.push_back(U);
        Block = H.addSequence(BlockKind::Sequence, Chain);
      }
      F(Block);
      return;
    }
    for (BlockId U = First; U != NoBlock; U = Next[U])
      F(U);
  }
  BlockId of(uint32_t Rule) {
    std::vector<uint32_t> Todo{Rule};
    while (!Todo.empty()) {
      uint32_t R = Todo.back();
      if (BlockOf[R] != NoBlock) {
        Todo.pop_back();
        continue;
      }
      size_t Size = Todo.size();
      Parts.clear();
      G.forEach(R, [&](Sequitur::Symbol S) {
        if (S.What != Sequitur::Symbol::Rule)
          forUnits(S.Value, [&](BlockId U) { Parts.push_back(U); });
        else if (BlockOf[S.Value] != NoBlock)
          Parts.push_back(BlockOf[S.Value]);
        else
          Todo.push_back(S.Value);
      });
      if (Todo.size() != Size)
        continue;
      BlockOf[R] = H.addSequence(BlockKind::Sequence, Parts);
      Todo.pop_back();
    }
    return BlockOf[Rule];
  }

private:
  Hierarchy &H;
  const Sequitur &G;
  const std::vector<BlockId> &Next;
  std::vector<BlockId> BlockOf, ChainOf; ///< by rule; by first unit
  std::vector<uint8_t> Uses;             ///< of chains in the grammar, up to 2
  std::vector<BlockId> Parts;
};

} // namespace

Error runGrammar(Hierarchy &H, const PassContext &Context) {
  if (H.Dict.size() > Sequitur::MaxTerminal)
    return createStringError("too many distinct blocks for the grammar pass");
  uint64_t Total = H.top().Units.size(), Done = Total;
  Pace Now(Context.Watch, "grammar", 2 * Total);
  auto Next = findChains(H, Now);
  if (!Next)
    return Next.takeError();
  Sequitur G;
  for (size_t S = 0; S < H.top().numSequences(); ++S) {
    BlockId Follower = NoBlock; // the rest of a chain
    for (BlockId U : H.top().sequence(S)) {
      if (U != Follower) {
        if (H.isBreak(U))
          G.appendSeparator(U);
        else
          G.append(U);
      }
      Follower = (*Next)[U];
      if (Error E = Now.at(++Done))
        return E;
    }
    G.appendSeparator(Sequitur::MaxTerminal); // the end of a sequence
  }
  Layer &L = H.beginLayer("grammar");
  RuleBlocks Rules(H, G, *Next);
  G.forEach(0, [&](Sequitur::Symbol S) {
    if (S.What == Sequitur::Symbol::Rule)
      L.Units.push_back(Rules.of(S.Value));
    else if (S.Value == Sequitur::MaxTerminal)
      L.Units.endSequence();
    else
      Rules.forUnits(S.Value, [&](BlockId U) { L.Units.push_back(U); });
  });
  H.endLayer();
  return Error::success();
}

} // namespace rw::htr
