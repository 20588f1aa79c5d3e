//===- FoldedTree.h - A call tree with repetitions folded -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_FOLDEDTREE_H
#define REWIND_COMMANDS_FOLDEDTREE_H

#include "core/calls/CallContexts.h"

namespace rw {

enum class Folding : uint8_t {
  None,
  Repeats,    ///< neighbours whose whole subtrees look the same
  ByFunction, ///< all calls of a function from the same place in the tree
};

/// A line of the tree.
struct FoldedCall {
  Activation Call; ///< the first of them
  FunctionKey Function;
  bool TailCall = false;
  uint64_t Count = 1;
  Position LastEnd = 0;
  uint64_t Instructions = 0, Own = 0; ///< of all of them
  uint64_t Hash = 0;
  /// Numbers of lines; 0 is none.
  uint32_t FirstChild = 0, LastChild = 0, Next = 0;
};

/// Built by a sweep. Memory: what is kept of it, which is what is shown.
class FoldedTree final : public CallVisitor {
public:
  FoldedTree(FunctionNames &Names, Folding Fold, uint32_t MaxDepth,
             std::function<bool(const std::string &)> Wanted)
      : Names(Names), Fold(Fold), MaxDepth(MaxDepth),
        Wanted(std::move(Wanted)) {
    Lines.emplace_back();
  }

  llvm::Error enter(const CallNode &Node) override;
  llvm::Error leave(const CallNode &Node, const CallNode *Parent) override;

  /// Line 0 is not shown; the others hang below it.
  const std::vector<FoldedCall> &lines() const { return Lines; }

private:
  uint32_t append(uint32_t Parent);
  bool sameShape(uint32_t A, uint32_t B) const;
  void merge(uint32_t Into, uint32_t From);

  FunctionNames &Names;
  Folding Fold;
  uint32_t MaxDepth;
  std::function<bool(const std::string &)> Wanted; ///< empty: everything
  std::vector<FoldedCall> Lines;
  struct OpenCall {
    uint32_t Line = 0;     ///< 0: it is not shown
    bool Below = false;    ///< below something wanted, or wanted
    uint32_t Depth = 0;    ///< of lines shown
    uint32_t Previous = 0; ///< last child of the parent before this one
  };
  std::vector<OpenCall> Open;
};

} // namespace rw

#endif // REWIND_COMMANDS_FOLDEDTREE_H
