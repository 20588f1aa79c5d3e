//===- QtraceBlocksTest.cpp - Qtrace files by blocks and one by one -------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Qtrace file made of executions of blocks must be byte for byte what is made
// of their instructions.
//
//===----------------------------------------------------------------------===//

#include "Generated.h"
#include "Walks.h"
#include "core/formats/htm/HtmToQtrace.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace llvm;

namespace rw::htm::test {
namespace {

struct Made {
  std::string File;
  uint64_t Written = 0, Dropped = 0, ByBlocks = 0;
  Translator::Statistics Walks;
};

Made convert(ArrayRef<uint8_t> Dump, bool Blocks, bool Translate) {
  struct Sink : BatchSink {
    QtraceSink Q;
    bool Blocks;
    uint64_t ByBlocks = 0;
    Sink(raw_ostream &OS, const Translator *T, bool Blocks)
        : Q(OS, T), Blocks(Blocks) {}
    bool takesBlocks() const override { return Blocks; }
    Error batch(const Batch &B) override {
      for (const Execution &E : B.Executions)
        ByBlocks += E.Block->NumInsns;
      return Q.batch(B);
    }
  };
  Made M;
  raw_string_ostream OS(M.File);
  Translator T;
  Sink S(OS, Translate ? &T : nullptr, Blocks);
  DecoderOptions O;
  O.Translate = Translate ? &T : nullptr;
  HtmDecoder D(
      [Dump](uint8_t *Buffer, size_t Size) mutable -> Expected<size_t> {
        Size = std::min(Size, Dump.size());
        std::copy_n(Dump.begin(), Size, Buffer);
        Dump = Dump.drop_front(Size);
        return Size;
      },
      S, O);
  cantFail(D.run());
  S.Q.close();
  M.Written = S.Q.written();
  M.Dropped = S.Q.writer().droppedRealAddresses();
  M.ByBlocks = S.ByBlocks;
  M.Walks = T.statistics();
  return M;
}

/// Returns what was made with a translator.
Made expectSameBlocks(ArrayRef<uint8_t> Dump) {
  Made Last;
  for (bool Translate : {false, true}) {
    SCOPED_TRACE(Translate);
    Made A = convert(Dump, false, Translate),
         B = convert(Dump, true, Translate);
    EXPECT_EQ(A.Written, B.Written);
    EXPECT_EQ(A.Dropped, B.Dropped);
    EXPECT_EQ(A.Walks.Joined, B.Walks.Joined);
    EXPECT_EQ(A.Walks.Resumed, B.Walks.Resumed);
    EXPECT_EQ(A.Walks.Lost, B.Walks.Lost);
    EXPECT_EQ(A.Walks.NotFound, B.Walks.NotFound);
    EXPECT_EQ(A.File.size(), B.File.size());
    auto Differs = std::mismatch(A.File.begin(), A.File.end(), B.File.begin(),
                                 B.File.end());
    EXPECT_TRUE(A.File == B.File)
        << "from byte " << Differs.first - A.File.begin() << " on";
    Last = std::move(B);
  }
  return Last;
}

TEST(QtraceBlocks, GeneratedDumps) {
  for (const char *Options :
       {"p8", "p8 --stamp-every 7", "p10 --stamp-every 11",
        "p10 --xlate --stamp-every 500", "p10 --xlate --chunk-iters 20"}) {
    SCOPED_TRACE(Options);
    Generated G = generate(Options, 20000);
    EXPECT_GT(expectSameBlocks(bytes(G.Dump)).ByBlocks, 5000u);
  }
}

TEST(QtraceBlocks, RealDumps) {
  std::vector<RealDump> Dumps = realDumps();
  NEEDS_REAL_DUMPS(Dumps);
  std::string All;
  for (const RealDump &Dump : Dumps) {
    std::string Many;
    for (unsigned N = 0; N < 20; ++N)
      Many += Dump.Bytes;
    SCOPED_TRACE(Dump.Name);
    expectSameBlocks(bytes(Many));
    All += Many;
  }
  EXPECT_GT(expectSameBlocks(bytes(All)).ByBlocks, 500u);
}

/// What a stamp cut when it was first executed is a whole block later.
TEST(Blocks, WhatWasCutIsLearnedAnew) {
  struct Count : BatchSink {
    std::vector<uint32_t> Sizes;
    bool takesBlocks() const override { return true; }
    Error batch(const Batch &B) override {
      for (const Execution &E : B.Executions)
        Sizes.push_back(E.Block->NumInsns);
      return Error::success();
    }
  } S;
  Words W;
  for (unsigned N = 0; N < 40; ++N)
    for (unsigned K = 0; K < 2; ++K) {
      line(W, 0x10000000, 0x40000000);
      for (unsigned I = 0; I < 6; ++I) {
        insn(W, I == 5 ? 0x4bffffec : 0x60000000, 0x10000000 + 4 * I);
        if (N == 0 && (K ? I == 3 : I == 1))
          W.push_back(time(1));
      }
    }
  std::vector<uint8_t> Dump = bytesOf(W);
  HtmDecoder D(
      [&, At = size_t(0)](uint8_t *Buffer,
                          size_t Size) mutable -> Expected<size_t> {
        Size = std::min(Size, Dump.size() - At);
        std::copy_n(Dump.begin() + At, Size, Buffer);
        At += Size;
        return Size;
      },
      S, {});
  cantFail(D.run());
  ASSERT_GT(S.Sizes.size(), 60u);
  // The end is not found: the window ends with it.
  for (size_t N = 10; N < 60; ++N)
    EXPECT_EQ(S.Sizes[N], 6u) << N;
}

/// Straight pieces of code on several pages, whose addresses are translated, or
/// not, or only sometimes known to be, with interrupts, speculation and gaps.
class RandomDump {
public:
  explicit RandomDump(uint64_t Seed) : R(Seed) {
    for (unsigned B = 0; B < 24; ++B) {
      Piece P;
      P.EA = 0x10000000 + below(8) * 0x1000 + below(0x400) * 4;
      for (uint64_t N = below(B % 6 ? 12 : 120); N; --N)
        P.Code.push_back(Kind(below(NumKinds)));
      if (chance(0.9))
        P.Code.push_back(Branch);
      Pieces.push_back(P);
    }
  }

  Words p10(unsigned Executions) {
    for (; Executions; --Executions) {
      if (chance(0.01))
        Mode = chance(0.7) ? Guest : chance(0.5) ? GuestReal : Bare;
      if (chance(0.02))
        Pid ^= 1;
      // Mostly the same few.
      const Piece &P = Pieces[below(chance(0.8) ? 6 : Pieces.size())];
      uint64_t EA = P.EA;
      if (chance(0.9))
        Line = 1;
      for (Kind K : P.Code) {
        // Some interrupts come inside of a walk.
        if (chance(0.003))
          interrupt(chance(0.5));
        insn(K, EA);
        EA += K == Prefixed || K == PrefixedLoad ? 8 : 4;
        if (chance(0.01))
          W.push_back(time(unsigned(below(100))));
        if (chance(0.0005)) {
          W.push_back(uint64_t(0xACEFF9) << 40); // dropped: a gap
          Line = 1;
        }
      }
    }
    return std::move(W);
  }

  Words p8(unsigned Executions) {
    uint64_t Next = 0;
    for (; Executions; --Executions) {
      const Piece &P = Pieces[below(chance(0.8) ? 6 : Pieces.size())];
      uint64_t EA = P.EA;
      for (Kind K : P.Code) {
        P8Words Has;
        Has.Iea = EA != Next;
        Has.Ira = Has.Iea && chance(0.03);
        Has.Dea = Has.Dra = K == Load || K == PrefixedLoad;
        W.push_back(p8Info(opcode(K, EA), EA, Has));
        if (Has.Iea)
          W.push_back(EA | (chance(0.98) ? 1 : 0));
        if (Has.Ira)
          W.push_back((0x700000000 + below(3) * 0x1000000 + (EA & 0xff0000)) >>
                          12 << 26 |
                      (1 + below(2)) << 24);
        if (Has.Dea) {
          uint64_t Page = 0x3fff80000 + below(4);
          W.push_back(Page << 12 | below(512) * 8);
          uint64_t Real = Page + (chance(0.05) ? uint64_t(1) << 35 : 0);
          W.push_back((chance(0.5) ? 1 : 0) * (uint64_t(1) << 62) | Real << 24);
        }
        EA += 4;
        Next = EA;
        if (chance(0.005))
          W.push_back(time(unsigned(below(100))));
      }
    }
    return std::move(W);
  }

private:
  enum Kind { Plain, Load, PairLoad, LostLoad, Prefixed, PrefixedLoad, Branch };
  static constexpr unsigned NumKinds = Branch;
  struct Piece {
    uint64_t EA;
    std::vector<Kind> Code;
  };
  static constexpr uint16_t Guest = 0x78c0, GuestReal = 0x0040, Bare = 0xb8c0;

  static uint32_t opcode(Kind K, uint64_t EA) {
    switch (K) {
    case Branch:
      return EA & 8 ? 0x4e800020 : 0x4182fff0; // blr; beq
    case Plain:
      return 0x7c632214; // add
    case Prefixed:
      return 0x38600005; // pli
    default:
      return 0xe8890000; // ld
    }
  }
  /// The guest-real page of one of both sides.
  uint64_t guestPage(uint64_t EA, bool Data) {
    uint64_t G = (Data ? 0x6000000000 : 0x5000000000) + (EA & 0x3ff000);
    // Some pages are not where the others are, and their number is too large.
    if ((EA >> 12 & 7) == 1)
      G += uint64_t(1) << 44;
    return G + (Pid & 1) * 0x400000;
  }
  uint64_t real(uint64_t EA, bool Data) {
    if (Mode == Bare)
      return EA & 0xfffffff;
    return hostOf(guestPage(EA, Data)) | (EA & 0xfff);
  }
  void walk(uint64_t EA, bool Data) {
    uint64_t Page = (EA >> 12) * 2 + (Pid & 1);
    double P = Seen.insert(Page).second ? 0.7 : 0.01;
    if (!chance(P))
      return;
    Words Whole = nested(EA, guestPage(EA, Data));
    if (Mode != Guest)
      Whole = {entry(Host, 6, 0x430180000000), entry(Host, 4, 0x430180050000),
               entry(Host, 2, 0x430190000000),
               entry(Final | test::Guest | Host, 2, real(EA, Data) & ~0xfff)};
    if (chance(0.3))
      Whole = from(Whole, below(Whole.size()));
    xlate(W, Data, Whole, Pid);
    if (chance(0.1))
      xlate(W, Data, nested(EA + 0x5000, guestPage(EA + 0x5000, Data)), Pid);
  }
  void interrupt(bool InsideAWalk) {
    uint64_t EA = dataAddress();
    if (InsideAWalk && Mode == Guest)
      xlate(W, true, firstOf(nested(EA, guestPage(EA, true)), 1 + below(24)),
            Pid);
    line(W, 0x500, 0x500);
    for (unsigned N = 0; N < 5; ++N)
      W.insert(W.end(),
               {p10Info(0x60000000, 0x500 + 4 * N), uint64_t(0x8040) << 48});
    Line = 1;
  }
  uint64_t dataAddress() {
    return 0x3fff80000000 + below(chance(0.9) ? 2 : 12) * 0x1000 +
           below(500) * 8;
  }
  void data(uint64_t EA) { W.insert(W.end(), {EA, dra(real(EA, true))}); }
  void insn(Kind K, uint64_t EA) {
    if ((EA & ~uint64_t(0x7f)) != Line) {
      Line = EA & ~uint64_t(0x7f);
      walk(EA, false);
      line(W, Line, real(EA, false));
    }
    const bool HasPrefix = K == Prefixed || K == PrefixedLoad;
    const unsigned Pairs = K == Load || K == PrefixedLoad ? 1
                           : K == PairLoad                ? 2
                                                          : 0;
    uint64_t At = dataAddress();
    if (Pairs == 2)
      At |= 0xffc;
    for (unsigned N = 0; N < Pairs; ++N)
      walk(At + 4 * N, true);
    W.insert(W.end(), {p10Info(opcode(K, EA), EA, Pairs, HasPrefix),
                       uint64_t(Mode) << 48});
    if (HasPrefix)
      W.push_back(uint64_t(K == Prefixed ? 0x06000000 : 0x04000000) << 32);
    for (unsigned N = 0; N < Pairs; ++N)
      data(At + 4 * N);
  }
  uint64_t below(uint64_t N) { return R() % N; }
  bool chance(double P) { return double(R() >> 11) < P * 0x1p53; }

  std::mt19937_64 R;
  std::vector<Piece> Pieces;
  std::set<uint64_t> Seen;
  Words W;
  uint64_t Line = 1;
  uint32_t Pid = 76;
  uint16_t Mode = Guest;
};

TEST(QtraceBlocks, RandomP10Dumps) {
  Made All;
  for (uint64_t Seed = 0; Seed < 20 && !HasFailure(); ++Seed) {
    SCOPED_TRACE(Seed);
    Made M = expectSameBlocks(bytesOf(RandomDump(Seed).p10(1500)));
    EXPECT_GT(M.ByBlocks, M.Written / 8);
    All.Dropped += M.Dropped;
    All.Walks.Joined += M.Walks.Joined;
    All.Walks.Resumed += M.Walks.Resumed;
    All.Walks.Lost += M.Walks.Lost;
    All.Walks.NotFound += M.Walks.NotFound;
  }
  // All that may happen does.
  EXPECT_GT(All.Dropped, 100u);
  EXPECT_GT(All.Walks.Joined, 100u);
  EXPECT_GT(All.Walks.Resumed, 10u);
  EXPECT_GT(All.Walks.Lost, 100u);
  EXPECT_GT(All.Walks.NotFound, 100u);
}

TEST(QtraceBlocks, RandomP8Dumps) {
  for (uint64_t Seed = 0; Seed < 20 && !HasFailure(); ++Seed) {
    SCOPED_TRACE(Seed);
    Made M = expectSameBlocks(bytesOf(RandomDump(Seed).p8(1500)));
    EXPECT_GT(M.ByBlocks, M.Written / 8);
  }
}

TEST(QtraceBlocks, DamagedDumps) {
  const char *Factor = std::getenv("REWIND_TEST_SEEDS");
  const uint64_t Seeds = 10 * (Factor ? std::strtoull(Factor, nullptr, 10) : 1);
  for (uint64_t Seed = 0; Seed < Seeds && !HasFailure(); ++Seed) {
    SCOPED_TRACE(Seed);
    RandomDump Random(Seed);
    Words W = Seed % 3 ? Random.p10(400) : Random.p8(400);
    std::mt19937_64 R(Seed);
    for (unsigned N = 0; N < 60; ++N) {
      auto At = W.begin() + ptrdiff_t(R() % W.size());
      switch (R() % 4) {
      case 0:
        W.erase(At);
        break;
      case 1:
        W.insert(At, W[R() % W.size()]);
        break;
      case 2:
        *At ^= uint64_t(1) << R() % 64;
        break;
      default:
        *At = R();
      }
    }
    expectSameBlocks(bytesOf(W));
  }
}

TEST(QtraceBlocks, BothGenerationsInOneDump) {
  Words A = RandomDump(1).p10(300), B = RandomDump(2).p8(300), W;
  for (unsigned N = 0; N < 4; ++N) {
    W.insert(W.end(), A.begin(), A.end());
    W.insert(W.end(), B.begin(), B.end());
  }
  EXPECT_GT(expectSameBlocks(bytesOf(W)).ByBlocks, 4000u);
}

} // namespace
} // namespace rw::htm::test
