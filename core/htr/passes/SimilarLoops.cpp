//===- SimilarLoops.cpp - Loops whose passes differ -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is taken to begin anew wherever its first unit, which is not a call,
// comes again. Short
// bodies are folded before longer ones: rounds with limits of 1, 2, 4, ...
// units, each repeated until it finds nothing more, so that inner loops have
// become one unit before the loop around them is looked for (its body is at
// least twice as long as theirs).
//
// A run of passes is folded if they are all the same (n x body), or if they
// come in few shapes (n x {A | B}). Two passes have the same shape if they
// differ only in how often inner loops were run through, or in what the same
// functions did. The passes themselves are kept, every one of them: nothing is
// lost.
//
//===----------------------------------------------------------------------===//

#include "core/htr/Pass.h"
#include "core/htr/passes/LoopBlocks.h"
#include "core/support/Golden.h"
#include "llvm/ADT/SmallSet.h"
#include <set>

using namespace llvm;

namespace rw::htr {
namespace {

class SimilarFolder {
public:
  SimilarFolder(Hierarchy &H, unsigned MaxBody)
      : H(H), Blocks(H), MaxBody(MaxBody) {}

  Error fold(const UnitSeq &In, UnitList &Out, const Watch &Watch) {
    Units.assign(In.begin(), In.end());
    for (size_t Limit = 1; Limit <= MaxBody; Limit *= 2)
      while (round(Limit))
        if (Error E = Watch.check())
          return E;
    Out.append(Units);
    return Error::success();
  }

private:
  static constexpr size_t MaxShapes = 8;

  Hierarchy &H;
  LoopBlocks Blocks;
  const size_t MaxBody;
  std::vector<BlockId> Units, Folded;
  std::vector<uint32_t> Distance; ///< to the next same unit; 0: none near
  std::vector<uint64_t> LastAt;   ///< by id, while distances are computed
  std::vector<uint64_t> Shapes;   ///< by id; 0: not computed

  /// Only ever decides what looks alike, so a hash will do.
  uint64_t shapeOf(BlockId B) {
    if (B >= Shapes.size())
      Shapes.resize(H.Dict.size() + H.Dict.size() / 4);
    if (uint64_t Known = Shapes[B])
      return Known;
    uint64_t Shape = 0x5bd1e995;
    switch (H.Dict.Kind[B]) {
    case BlockKind::Instruction:
    case BlockKind::Break:
      Shape = golden(B + 1);
      break;
    case BlockKind::Function: // whatever it did this time
      Shape = (H.Dict.Value[B] + 3) * 0xd6e8feb86659fd93ull;
      break;
    case BlockKind::Sequence:
      Shape = shapeOf(H.body(B));
      break;
    case BlockKind::Repeat:
    case BlockKind::Iterations: { // the set of what it passes through
      SmallSet<uint64_t, 8> Seen;
      for (BlockId P : H.body(B))
        if (uint64_t S = shapeOf(P); Seen.insert(S).second)
          Shape += S * S;
    }
    }
    Shapes[B] = Shape | 1;
    return Shape | 1;
  }
  uint64_t shapeOf(ArrayRef<BlockId> Parts) {
    uint64_t Shape = 17;
    for (BlockId P : Parts)
      Shape = (Shape ^ shapeOf(P)) * 0x2545f4914f6cdd1dull;
    return Shape ^ (Shape >> 31);
  }

  bool round(size_t Limit) {
    Distance.assign(Units.size(), 0);
    LastAt.resize(H.Dict.size(), ~uint64_t(0));
    for (size_t I = Units.size(); I-- > 0;) {
      uint64_t &At = LastAt[Units[I]];
      if (At != ~uint64_t(0) && At - I <= Limit)
        Distance[I] = At - I;
      At = I;
    }
    for (BlockId U : Units)
      LastAt[U] = ~uint64_t(0);

    Folded.clear();
    bool Changed = false;
    for (size_t I = 0; I < Units.size();) {
      BlockId Loop = NoBlock;
      size_t End = Distance[I] ? tryLoop(I, Loop) : I;
      if (Loop == NoBlock) {
        Folded.push_back(Units[I++]);
        continue;
      }
      Folded.push_back(Loop);
      I = End;
      Changed = true;
    }
    Units.swap(Folded);
    return Changed;
  }

  bool hasBreak(size_t From, size_t To) const {
    for (size_t I = From; I < To; ++I)
      if (H.isBreak(Units[I]))
        return true;
    return false;
  }

  /// Tries the loop whose passes begin with the unit at \p I. Returns where it
  /// ends and sets \p Loop if there is one.
  size_t tryLoop(size_t I, BlockId &Loop) {
    // A pass begins with the loop's own code. A function may well be called
    // twice in one.
    if (H.Dict.Kind[Units[I]] == BlockKind::Function && Distance[I] != 1)
      return I;
    SmallSet<uint64_t, MaxShapes> ShapeSet;
    std::vector<size_t> Starts{I};
    size_t At = I;
    while (size_t D = Distance[At]) {
      if (hasBreak(At, At + D))
        break;
      uint64_t Shape = shapeOf(ArrayRef(Units).slice(At, D));
      if (!ShapeSet.contains(Shape)) {
        if (ShapeSet.size() == MaxShapes)
          break;
        ShapeSet.insert(Shape);
      }
      At += D;
      Starts.push_back(At);
    }
    // The last pass has no next one to show its end: it counts if it has the
    // shape of an earlier one, the longest if there are several.
    std::set<size_t> Sizes;
    for (size_t K = 0; K + 1 < Starts.size(); ++K)
      Sizes.insert(Starts[K + 1] - Starts[K]);
    size_t Best = 0;
    for (size_t D : Sizes)
      if (D > Best && D <= Units.size() - At && !hasBreak(At, At + D) &&
          ShapeSet.contains(shapeOf(ArrayRef(Units).slice(At, D))))
        Best = D;
    if (Best)
      Starts.push_back(At + Best);
    size_t Passes = Starts.size() - 1;
    if (Passes < 2 || (ShapeSet.size() > 1 && Passes < 2 * ShapeSet.size()))
      return I;

    std::vector<BlockId> Parts;
    Parts.reserve(Passes);
    bool Same = true;
    for (size_t K = 0; K < Passes; ++K) {
      ArrayRef<BlockId> Pass =
          ArrayRef(Units).slice(Starts[K], Starts[K + 1] - Starts[K]);
      Parts.push_back(Pass.size() == 1
                          ? Pass[0]
                          : Blocks.sequence(BlockKind::Sequence, Pass));
      Same &= Parts.back() == Parts.front();
    }
    Loop = Same ? Blocks.repeat(Parts.front(), Passes)
                : Blocks.sequence(BlockKind::Iterations, Parts);
    return Starts.back();
  }
};

} // namespace

Error foldSimilar(Hierarchy &H, const PassContext &Context) {
  size_t Below = H.Layers.size() - 1;
  size_t NumSequences = H.top().numSequences();
  Pace Now(Context.Watch, "loops", H.top().Units.size());
  H.beginLayer("loops");
  SimilarFolder Folder(H, Context.Options.MaxBody);
  for (size_t S = 0; S < NumSequences; ++S) {
    if (Error E = Now.at(H.Layers[Below].Units.before(S)))
      return E;
    if (Error E = Folder.fold(H.Layers[Below].sequence(S),
                              H.Layers.back().Units, Context.Watch))
      return E;
    H.Layers.back().Units.endSequence();
  }
  H.endLayer();
  return Error::success();
}

} // namespace rw::htr
