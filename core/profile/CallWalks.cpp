//===- CallWalks.cpp - Stacks of functions and of source lines ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/ProfileSweep.h"

namespace rw {

namespace {

SweepOptions rangeOf(Position From, Position To) {
  SweepOptions O;
  O.From = From;
  O.To = To;
  return O;
}

/// A tail call takes the place of the function that it is in, which ends there;
/// the sweep has one within the other.
class FunctionWalk final : public BlockWalk, CallVisitor {
public:
  FunctionWalk(const CallQuery &Q, FunctionBlocks &Blocks, ThreadIndex T,
               Position From, Position To, Listener &L)
      : Blocks(Blocks), L(L), Range(rangeOf(From, To)),
        Walk(Q, T, Range, *this) {}

  Position next() const override { return Walk.next(); }
  llvm::Error advance(Position P) override { return Walk.advance(P); }

private:
  llvm::Error enter(const CallNode &N) override {
    if (N.TailCall) {
      L.pop(N.Call.Start);
      Replaced.back() = true;
    }
    L.push(Blocks.of(N), N.Call.Start, entryOf(Range, N));
    Replaced.push_back(false);
    return llvm::Error::success();
  }
  llvm::Error leave(const CallNode &N, const CallNode *) override {
    if (!Replaced.back())
      L.pop(N.Call.End);
    Replaced.pop_back();
    return llvm::Error::success();
  }

public:
  static Listener::Entry entryOf(const SweepOptions &Range, const CallNode &N) {
    const bool Here = N.Entered >= Range.From &&
                      N.Call.Kind != ActivationKind::Root &&
                      !(N.Call.Flags & Activation::BeforeTrace);
    return !Here        ? Listener::Entry::Running
           : N.TailCall ? Listener::Entry::TailCall
                        : Listener::Entry::Call;
  }

private:
  FunctionBlocks &Blocks;
  Listener &L;
  const SweepOptions Range;
  CallWalk Walk;
  std::vector<bool> Replaced; ///< by a tail call
};

class LineWalk final : public BlockWalk, CallVisitor {
public:
  LineWalk(const CallQuery &Q, LineBlocks &Blocks, ThreadIndex T, Position From,
           Position To, Listener &L)
      : Blocks(Blocks), L(L), Range(rangeOf(From, To)),
        Walk(Q, T, Range, *this), Sites(Q.Store, T) {}

  Position next() const override { return Walk.next(); }
  llvm::Error advance(Position P) override { return Walk.advance(P); }
  bool looksAtCode() const override { return true; }
  void instruction(Position P, uint64_t PC) override {
    if (Levels.empty())
      return;
    Level &V = Levels.back();
    ProfileBlockId X = Blocks.at(PC, V.Entry);
    if (V.Line == X)
      return;
    if (V.Line != NoProfileBlock)
      L.pop(P);
    V.Line = X;
    L.push(X, P, V.How);
    V.How = Listener::Entry::Running;
  }

private:
  /// An activation, and the line where it is. None: nothing of it has run yet.
  struct Level {
    ProfileBlockId Line = NoProfileBlock;
    uint64_t Entry = 0;
    Listener::Entry How = Listener::Entry::Running; ///< until it is told
    bool Replaced = false;
  };

  llvm::Error enter(const CallNode &N) override {
    if (N.TailCall) {
      if (Levels.back().Line != NoProfileBlock)
        L.pop(N.Call.Start);
      Levels.back().Replaced = true;
    } else if (!Levels.empty() && Levels.back().Line == NoProfileBlock) {
      if (llvm::Error E = findLine(N))
        return E;
    }
    Levels.push_back({NoProfileBlock, N.Call.EntryPC,
                      FunctionWalk::entryOf(Range, N), false});
    return llvm::Error::success();
  }
  llvm::Error leave(const CallNode &N, const CallNode *) override {
    if (Levels.back().Line != NoProfileBlock && !Levels.back().Replaced)
      L.pop(N.Call.End);
    Levels.pop_back();
    return llvm::Error::success();
  }

  /// The caller of \p N last ran before the range: where it called.
  llvm::Error findLine(const CallNode &N) {
    Level &Caller = Levels.back();
    if (N.Entered == 0 || (N.Call.Flags & Activation::BeforeTrace)) {
      Caller.Line = Blocks.somewhereIn(Caller.Entry);
    } else {
      auto Call = Sites.at(N.Entered - 1);
      if (!Call)
        return Call.takeError();
      Caller.Line = Blocks.at(Call->PC, Caller.Entry);
    }
    L.push(Caller.Line, N.Call.Start, Caller.How);
    Caller.How = Listener::Entry::Running;
    return llvm::Error::success();
  }

  LineBlocks &Blocks;
  Listener &L;
  const SweepOptions Range;
  CallWalk Walk;
  SiteReader Sites;
  std::vector<Level> Levels;
};

} // namespace

std::unique_ptr<BlockWalk> walkFunctions(const CallQuery &Q,
                                         FunctionBlocks &Blocks, ThreadIndex T,
                                         Position From, Position To,
                                         BlockWalk::Listener &L) {
  return std::make_unique<FunctionWalk>(Q, Blocks, T, From, To, L);
}

std::unique_ptr<BlockWalk> walkLines(const CallQuery &Q, LineBlocks &Blocks,
                                     ThreadIndex T, Position From, Position To,
                                     BlockWalk::Listener &L) {
  return std::make_unique<LineWalk>(Q, Blocks, T, From, To, L);
}

} // namespace rw
