//===- FoldedTree.h - A call tree with repetitions folded -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_CALLS_FOLDEDTREE_H
#define REWIND_COMMANDS_CALLS_FOLDEDTREE_H

#include "core/calls/CallContexts.h"
#include "core/support/Golden.h"

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
  /// Numbers of lines; 0 is none.
  uint32_t FirstChild = 0, LastChild = 0, Next = 0;
};

/// Built by a sweep. Memory: the first lines, as many as are shown, and depth.
/// The other lines are known by their looks only, a hash of 128 bits.
class FoldedTree final : public CallVisitor {
public:
  FoldedTree(FunctionNames &Names, Folding Fold, uint32_t MaxDepth,
             uint64_t MaxLines, std::function<bool(const std::string &)> Wanted)
      : Names(Names), Fold(Fold), MaxDepth(MaxDepth),
        Wanted(std::move(Wanted)) {
    Lines.emplace_back();
    Top.KeptBefore =
        Fold == Folding::ByFunction ? MostLines : std::min(MaxLines, MostLines);
  }

  llvm::Error enter(const CallNode &Node) override;
  llvm::Error leave(const CallNode &Node, const CallNode *Parent) override;

  /// Line 0 is not shown; the others hang below it. With Folding::ByFunction
  /// all of them are here.
  const std::vector<FoldedCall> &lines() const { return Lines; }
  /// Lines that the whole tree has.
  uint64_t numLines() const {
    return Fold == Folding::ByFunction ? Lines.size() - 1 : Top.size() - 1;
  }

private:
  static constexpr uint64_t MostLines = uint64_t(1) << 62;

  /// What a subtree looks like.
  struct Shape {
    uint64_t A = 0, B = 0;
    void add(uint64_t V) {
      A = golden(A ^ V);
      A ^= A >> 32;
      B = (B + V + 1) * 0xd6e8feb86659fd93ull;
      B ^= B >> 29;
    }
    bool operator==(const Shape &) const = default;
  };
  /// A call that is over, and the equal ones right behind it.
  struct FinishedCall {
    uint64_t Lines = 0; ///< 0: there is none
    uint64_t Count = 0, Number = 0;
    Shape Look;
    FunctionKey Function;
    bool TailCall = false;
    uint32_t Line = 0;
  };
  struct OpenCall {
    bool IsLine = false; ///< of the tree, be it shown or not
    bool Below = false;  ///< below something wanted, or wanted
    uint32_t Depth = 0;  ///< of lines
    uint32_t Line = 0;   ///< 0: it is not kept
    size_t Above = 0;    ///< the next line above in Open, counted from 1
    // Only of lines:
    uint64_t Number = ~uint64_t(0); ///< lines before it
    /// Lines below it are kept if fewer lines than this are before them: they
    /// are shown, or are added to some that are shown if it turns out that they
    /// look the same.
    uint64_t KeptBefore = 0;
    uint32_t Previous = 0; ///< kept line before it, below the same one
    uint64_t Settled = 0;  ///< lines below it that are, and how they look
    Shape Look;
    FinishedCall Last; ///< may get more equal ones

    uint64_t size() const { return 1 + Settled + Last.Lines; }
    void settle();
  };

  OpenCall &above(const OpenCall &O) {
    return O.Above ? Open[O.Above - 1] : Top;
  }
  uint32_t append(uint32_t Parent);
  void cut(OpenCall &O, OpenCall &Parent);
  void merge(uint32_t Into, uint32_t From);

  FunctionNames &Names;
  Folding Fold;
  uint32_t MaxDepth;
  std::function<bool(const std::string &)> Wanted; ///< empty: everything
  std::vector<FoldedCall> Lines;
  std::vector<OpenCall> Open;
  OpenCall Top; ///< what is above all lines
};

} // namespace rw

#endif // REWIND_COMMANDS_CALLS_FOLDEDTREE_H
