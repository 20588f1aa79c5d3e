//===- HtrWalk.cpp - Stacks of HTR blocks ---------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/HtrWalk.h"

namespace rw {

using htr::BlockId;
using htr::BlockKind;
using htr::UnitRange;

namespace {

class HtrWalk final : public BlockWalk {
public:
  HtrWalk(const htr::HtrFile &File, unsigned Layer, ThreadIndex T,
          Position From, Position To, Listener &L)
      : File(File), Layer(Layer), To(To), L(L), At(From) {
    descend(File.sequence(Layer, T), From);
  }

  Position next() const override { return At; }
  llvm::Error advance(Position P) override {
    if (!Begun) {
      Begun = true;
      for (BlockId B : Outer)
        L.push(B, At, Listener::Entry::Running);
      skip();
    }
    while (!Levels.empty() && At <= P) {
      Level &V = Levels.back();
      if (V.Index == V.R.size()) {
        Levels.pop_back();
        if (!Levels.empty()) // the thread's sequence is no block
          L.pop(At);
      } else {
        BlockId B = File.unit(V.R, V.Index++);
        UnitRange Parts = File.parts(B, Layer);
        L.push(B, At, Listener::Entry::Call);
        Levels.push_back({Parts, 0, Parts.Times});
      }
      skip();
    }
    return llvm::Error::success();
  }

private:
  /// What a block is made of, and how far it has been gone through.
  struct Level {
    UnitRange R;
    uint64_t Index;     ///< in the range
    uint64_t TimesLeft; ///< this one included
  };

  /// To the unit at \p Offset; what began before it is found running.
  void descend(UnitRange R, uint64_t Offset) {
    for (;;) {
      uint64_t Once = File.offsetOf(R, R.size());
      if (!Once || Offset >= Once * R.Times) {
        Levels.push_back({R, R.size(), 1});
        return;
      }
      uint64_t Left = R.Times - Offset / Once;
      htr::UnitAt U = File.unitAt(R, Offset % Once);
      Offset = Offset % Once - U.Offset;
      Levels.push_back({R, U.Index + (Offset != 0), Left});
      if (!Offset)
        return;
      Outer.push_back(U.Id);
      R = File.parts(U.Id, Layer);
    }
  }

  /// Over instructions, to where a block begins or ends.
  void skip() {
    while (!Levels.empty()) {
      Level &V = Levels.back();
      if (At >= To) {
        Levels.clear(); // whoever listens ends what is running
        return;
      }
      if (V.Index == V.R.size()) {
        if (V.TimesLeft <= 1)
          return;
        --V.TimesLeft;
        V.Index = 0;
        continue;
      }
      switch (File.kind(File.unit(V.R, V.Index))) {
      case BlockKind::Instruction:
        ++At;
        [[fallthrough]];
      case BlockKind::Break:
        ++V.Index;
        break;
      default:
        return;
      }
    }
    At = ~Position(0);
  }

  const htr::HtrFile &File;
  const unsigned Layer;
  const Position To;
  Listener &L;
  Position At; ///< where the next thing happens
  bool Begun = false;
  std::vector<BlockId> Outer; ///< running at the beginning
  std::vector<Level> Levels;
};

} // namespace

std::unique_ptr<BlockWalk> walkHtr(const htr::HtrFile &File, unsigned Layer,
                                   ThreadIndex T, Position From, Position To,
                                   BlockWalk::Listener &L) {
  return std::make_unique<HtrWalk>(File, Layer, T, From, To, L);
}

} // namespace rw
