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
//===----------------------------------------------------------------------===//

#include "core/htr/Pass.h"
#include "core/htr/passes/Sequitur.h"

using namespace llvm;

namespace rw::htr {
namespace {

/// Makes blocks of rules, those that a rule needs before the rule itself.
class RuleBlocks {
public:
  RuleBlocks(Hierarchy &H, const Sequitur &G)
      : H(H), G(G), BlockOf(G.numRules(), NoBlock) {}

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
          Parts.push_back(S.Value);
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
  std::vector<BlockId> BlockOf;
  std::vector<BlockId> Parts;
};

} // namespace

Error runGrammar(Hierarchy &H, const PassContext &Context) {
  if (H.Dict.size() > Sequitur::MaxTerminal)
    return createStringError("too many distinct blocks for the grammar pass");
  Sequitur G;
  Pace Now(Context.Watch, "grammar", H.top().Units.size());
  uint64_t Done = 0;
  for (size_t S = 0; S < H.top().numSequences(); ++S) {
    for (BlockId U : H.top().sequence(S)) {
      if (H.isBreak(U))
        G.appendSeparator(U);
      else
        G.append(U);
      if (Error E = Now.at(++Done))
        return E;
    }
    G.appendSeparator(Sequitur::MaxTerminal); // the end of a sequence
  }
  Layer &L = H.beginLayer("grammar");
  RuleBlocks Rules(H, G);
  G.forEach(0, [&](Sequitur::Symbol S) {
    if (S.What == Sequitur::Symbol::Rule)
      L.Units.push_back(Rules.of(S.Value));
    else if (S.Value == Sequitur::MaxTerminal)
      L.Units.endSequence();
    else
      L.Units.push_back(S.Value);
  });
  H.endLayer();
  return Error::success();
}

} // namespace rw::htr
