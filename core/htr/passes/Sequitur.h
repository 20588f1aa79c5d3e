//===- Sequitur.h - A grammar from a sequence -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algorithm of Nevill-Manning and Witten, "Identifying hierarchical
// structure in sequences: a linear-time algorithm" (1997). It reads symbols one
// by one and keeps two things true of the grammar: no pair of neighbouring
// symbols occurs twice, and every rule is used at least twice. Symbols live in
// one flat array and are linked by index.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_PASSES_SEQUITUR_H
#define REWIND_HTR_PASSES_SEQUITUR_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rw::htr {

class Sequitur {
public:
  Sequitur();

  /// The largest terminal.
  static constexpr uint32_t MaxTerminal = (1u << 30) - 1;

  /// Appends a symbol.
  void append(uint32_t Terminal);
  /// Appends a symbol that never becomes part of a rule.
  void appendSeparator(uint32_t Terminal);

  /// A symbol of a right-hand side.
  struct Symbol {
    enum Kind : uint8_t { Terminal, Separator, Rule } What;
    uint32_t Value; ///< the terminal, or the rule's number
  };
  /// Number of rule slots, rule 0 being the whole sequence. Some are not used
  /// any more: their right-hand sides are empty.
  uint32_t numRules() const { return Guards.size(); }
  /// Calls \p F with the symbols of a rule's right-hand side.
  template <typename Fn> void forEach(uint32_t Rule, Fn F) const {
    uint32_t Guard = Guards[Rule];
    if (Guard == None)
      return;
    for (uint32_t S = Nodes[Guard].Next; S != Guard; S = Nodes[S].Next)
      F(Symbol{tagOf(S) == RuleTag        ? Symbol::Rule
               : tagOf(S) == SeparatorTag ? Symbol::Separator
                                          : Symbol::Terminal,
               Nodes[S].Value & MaxTerminal});
  }
  size_t bytes() const;

private:
  static constexpr uint32_t None = ~0u;
  static constexpr uint32_t TerminalTag = 0, SeparatorTag = 1u << 30,
                            RuleTag = 2u << 30, GuardTag = 3u << 30;
  struct Node {
    uint32_t Value, Next, Prev;
  };
  std::vector<Node> Nodes;
  uint32_t FreeNode = None;
  std::vector<uint32_t> Guards; ///< by rule; None: free
  std::vector<uint32_t> Uses;
  std::vector<uint32_t> FreeRules;

  /// Where each pair of neighbours is, by linear probing.
  struct Slot {
    uint64_t Pair;
    uint32_t At;
  };
  std::vector<Slot> Slots;
  size_t Mask = 0, Filled = 0;

  uint32_t tagOf(uint32_t S) const { return Nodes[S].Value & GuardTag; }
  bool isGuard(uint32_t S) const { return tagOf(S) == GuardTag; }
  bool isRule(uint32_t S) const { return tagOf(S) == RuleTag; }
  bool pairs(uint32_t S) const; ///< S and its next can be a pair
  uint64_t pairAt(uint32_t S) const {
    return uint64_t(Nodes[S].Value) << 32 | Nodes[Nodes[S].Next].Value;
  }
  size_t home(uint64_t Pair) const;
  size_t findSlot(uint64_t Pair) const;
  void setPair(uint32_t S);
  void removePair(uint32_t S);
  void growTable();

  uint32_t newNode(uint32_t Value);
  void freeNode(uint32_t S);
  uint32_t newRule();
  void join(uint32_t L, uint32_t R);
  void insertAfter(uint32_t S, uint32_t New);
  void remove(uint32_t S);
  bool check(uint32_t S);
  void match(uint32_t S, uint32_t Earlier);
  void substitute(uint32_t S, uint32_t Rule);
  void expand(uint32_t S);
};

} // namespace rw::htr

#endif // REWIND_HTR_PASSES_SEQUITUR_H
