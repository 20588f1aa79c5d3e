//===- Loops.cpp - Repetitions become n x (body) --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One scan with a stack. As soon as the last b elements of the stack equal the
// b elements before them (smallest b first), they become one loop element that
// has been through its body twice. It then swallows further passes through its
// body. When the body does not go on, the loop is settled and takes part, as
// one element, in the search for repetitions around it: inner loops are always
// complete before outer ones are looked for.
//
// An element is a number: the id of a unit or body, and how many times (1: a
// plain unit). Loops become blocks only when nothing can change them any more.
//
//===----------------------------------------------------------------------===//

#include "core/htr/Pass.h"
#include "core/htr/passes/LoopBlocks.h"
#include <cstring>

using namespace llvm;

namespace rw::htr {

Error foldSimilar(Hierarchy &H, const PassContext &Context);

namespace {

using Element = uint64_t;
constexpr Element Once = Element(1) << 32;
Element plain(BlockId B) { return Once | B; }
BlockId idOf(Element E) { return BlockId(E); }
uint64_t timesOf(Element E) { return E >> 32; }

class LoopFolder {
public:
  LoopFolder(Hierarchy &H, unsigned MaxBody)
      : H(H), Blocks(H), MaxBody(MaxBody), Reach(2 * MaxBody * (64 + 2)),
        FirstNew(H.Dict.size()), Last(H.Dict.size(), None) {}

  /// The next units of a sequence. What is complete goes to \p Out.
  void add(ArrayRef<BlockId> In, UnitList &Out) {
    if (Stack.size() > 2 * Reach)
      release(Stack.size() - Reach, Out);
    const BlockId *I = In.begin(), *E = In.end();
    while (I != E) {
      if (Growing && Waiting.empty()) {
        I = swallow(I, E);
        if (I == E)
          break;
      }
      BlockId U = *I++;
      if (LLVM_UNLIKELY(H.isBreak(U))) {
        drain();
        push(plain(U));
        Base = Stack.size();
        Open.clear();
        continue;
      }
      step(plain(U));
      while (!Waiting.empty())
        step(Waiting.pop_back_val());
    }
  }

  /// The end of the sequence.
  void finish(UnitList &Out) {
    drain();
    release(Stack.size(), Out);
    Out.endSequence();
    Open.clear();
    Base = 0;
  }

private:
  static constexpr uint32_t None = ~0u;
  /// How many of the loops that lie close below are tried for another pass.
  static constexpr size_t MaxOpen = 16;

  Hierarchy &H;
  LoopBlocks Blocks;
  const size_t MaxBody;
  /// No element further down will ever be folded. A loop takes at most
  /// 2 * MaxBody elements off the stack. One that reaches further down than all
  /// before goes at least twice through as many units as the last one that did,
  /// which is inside of it, and there are fewer than 2^64 units.
  const size_t Reach;
  const BlockId FirstNew;

  std::vector<Element> Stack;
  std::vector<uint32_t> Previous; ///< lower element with the same id, or None
  std::vector<uint32_t> Last;     ///< by id: its highest element, or None
  std::vector<uint32_t> Open;     ///< loop elements, ascending
  size_t Base = 0;                ///< elements below cannot be folded any more
  SmallVector<Element, 64> Waiting; ///< to be stepped through, last one first

  /// The loop on top of the stack is swallowing passes through Body.
  bool Growing = false;
  ArrayRef<Element> Body;
  size_t Matched = 0; ///< elements of the pass that has begun
  Element Single = 0; ///< holds a body of one element

  /// Bodies of more than one element, by block.
  std::vector<std::pair<size_t, size_t>> BodyAt;
  std::vector<Element> BodyPool;
  SmallVector<BlockId, 64> Parts;

  void push(Element E) {
    BlockId Id = idOf(E);
    if (Id >= Last.size())
      Last.resize(Id + 1 + Id / 4, None);
    Previous.push_back(Last[Id]);
    Last[Id] = Stack.size();
    Stack.push_back(E);
  }
  void popTo(size_t Size) {
    while (Stack.size() > Size) {
      Last[idOf(Stack.back())] = Previous.back();
      Stack.pop_back();
      Previous.pop_back();
    }
    while (!Open.empty() && Open.back() >= Size)
      Open.pop_back();
  }

  /// Takes the lowest \p Count elements away: they are final.
  void release(size_t Count, UnitList &Out) {
    for (size_t I = 0; I < Count; ++I) {
      Out.push_back(finalId(Stack[I]));
      if (uint32_t &L = Last[idOf(Stack[I])]; L != None && L < Count)
        L = None;
    }
    Stack.erase(Stack.begin(), Stack.begin() + Count);
    Previous.erase(Previous.begin(), Previous.begin() + Count);
    for (size_t I = 0; I < Stack.size(); ++I) {
      uint32_t &P = Previous[I];
      P = P == None || P < Count ? None : P - uint32_t(Count);
      Last[idOf(Stack[I])] = uint32_t(I);
    }
    llvm::erase_if(Open, [&](uint32_t O) { return O < Count; });
    for (uint32_t &O : Open)
      O -= uint32_t(Count);
    Base -= std::min(Base, Count);
  }

  bool hasLongBody(BlockId Id) const { return Id >= FirstNew; }
  size_t bodyLength(Element Loop) const {
    return hasLongBody(idOf(Loop)) ? BodyAt[idOf(Loop) - FirstNew].second : 1;
  }
  bool isBody(Element Loop, const Element *P) const {
    BlockId Id = idOf(Loop);
    if (!hasLongBody(Id))
      return *P == plain(Id);
    auto [At, Size] = BodyAt[Id - FirstNew];
    return std::memcmp(&BodyPool[At], P, Size * sizeof(Element)) == 0;
  }

  BlockId finalId(Element E) {
    return timesOf(E) == 1 ? idOf(E) : Blocks.repeat(idOf(E), timesOf(E));
  }
  BlockId bodyId(ArrayRef<Element> Elements) {
    Parts.clear();
    for (Element E : Elements)
      Parts.push_back(finalId(E));
    BlockId B = Blocks.sequence(BlockKind::Sequence, Parts);
    if (B - FirstNew >= BodyAt.size())
      BodyAt.resize(B - FirstNew + 1);
    if (BodyAt[B - FirstNew].second == 0) {
      BodyAt[B - FirstNew] = {BodyPool.size(), Elements.size()};
      BodyPool.insert(BodyPool.end(), Elements.begin(), Elements.end());
    }
    return B;
  }

  void grow() {
    BlockId Id = idOf(Stack.back());
    if (hasLongBody(Id)) {
      auto [At, Size] = BodyAt[Id - FirstNew];
      Body = ArrayRef(BodyPool).slice(At, Size);
    } else {
      Single = plain(Id);
      Body = Single;
    }
    Matched = 0;
    Growing = true;
  }

  /// The quick way through the passes of a running loop.
  const BlockId *swallow(const BlockId *I, const BlockId *E) {
    size_t M = Matched;
    Element Top = Stack.back();
    while (I != E && plain(*I) == Body[M] && timesOf(Top) < ~0u) {
      ++I;
      if (++M == Body.size()) {
        M = 0;
        Top += Once;
      }
    }
    Matched = M;
    Stack.back() = Top;
    return I;
  }

  void step(Element E) {
    if (!Growing) {
      push(E);
      settle();
      return;
    }
    if (E == Body[Matched] && timesOf(Stack.back()) < ~0u) {
      if (++Matched == Body.size()) {
        Matched = 0;
        Stack.back() += Once;
      }
      return;
    }
    Waiting.push_back(E);
    stopGrowing();
  }

  /// The loop on top is complete: what it took of a pass that broke off has to
  /// be looked at again.
  void stopGrowing() {
    for (size_t I = Matched; I > 0; --I)
      Waiting.push_back(Body[I - 1]);
    Growing = false;
    settle();
  }

  void drain() {
    while (Growing || !Waiting.empty()) {
      if (!Waiting.empty())
        step(Waiting.pop_back_val());
      else
        stopGrowing();
    }
  }

  /// Looks for a repetition that the top element completes.
  void settle() {
    size_t Top = Stack.size() - 1;
    size_t Tries = 0;
    for (size_t I = Open.size(); I > 0 && Tries < MaxOpen; --I, ++Tries) {
      size_t Loop = Open[I - 1];
      if (Loop == Top)
        continue;
      if (Top - Loop > MaxBody)
        break;
      if (Top - Loop == bodyLength(Stack[Loop]) && timesOf(Stack[Loop]) < ~0u &&
          isBody(Stack[Loop], &Stack[Loop + 1])) {
        popTo(Loop + 1);
        Stack[Loop] += Once;
        grow();
        return;
      }
    }
    for (uint32_t P = Previous[Top]; P != None && P >= Base; P = Previous[P]) {
      size_t Size = Top - P;
      if (Size > MaxBody || Top + 1 < Base + 2 * Size)
        return;
      if (Stack[P] != Stack[Top] || (Size == 1 && timesOf(Stack[Top]) != 1))
        continue;
      const Element *Second = &Stack[Top + 1 - Size];
      if (std::memcmp(Second, Second - Size, Size * sizeof(Element)) != 0)
        continue;
      BlockId B = Size == 1 ? idOf(Stack[Top]) : bodyId(ArrayRef(Second, Size));
      popTo(Top + 1 - 2 * Size);
      Element Below = Stack.size() > Base ? Stack.back() : 0;
      if (idOf(Below) == B && timesOf(Below) > 1 && timesOf(Below) < ~0u - 2) {
        // Passes that the loop below could not swallow one by one, because
        // too many inner loops lay between.
        Stack.back() += 2 * Once;
      } else {
        push(2 * Once | B);
        Open.push_back(Stack.size() - 1);
      }
      grow();
      return;
    }
  }
};

} // namespace

Error runLoops(Hierarchy &H, const PassContext &Context) {
  if (Context.Options.Similar)
    return foldSimilar(H, Context);
  size_t Below = H.Layers.size() - 1;
  size_t NumSequences = H.top().numSequences();
  Pace Now(Context.Watch, "loops", H.top().Units.size());
  H.beginLayer("loops");
  LoopFolder Folder(H, Context.Options.MaxBody);
  for (size_t S = 0; S < NumSequences; ++S) {
    uint64_t Done = H.Layers[Below].Units.before(S);
    for (auto I = H.Layers[Below].sequence(S).begin(); I.left();) {
      BlockId Some[1024];
      size_t Count = 0;
      for (; I.left() && Count < std::size(Some); ++I)
        Some[Count++] = *I;
      Folder.add(ArrayRef(Some, Count), H.Layers.back().Units);
      if (Error E = Now.at(Done += Count))
        return E;
    }
    Folder.finish(H.Layers.back().Units);
  }
  H.endLayer();
  return Error::success();
}

} // namespace rw::htr
