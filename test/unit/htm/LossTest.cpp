//===- LossTest.cpp - No instruction at a wrong address -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dumps of a random program are damaged at random places. Whatever still has an
// address must have the one that it has in the undamaged dump.
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "Walks.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace rw::htm::test {
namespace {

struct Step {
  uint64_t EA;
  uint32_t Op, Prefix = 0;
  uint64_t Data = 0; ///< 0: none
};

/// Functions with loops, branches and calls, some of them in one line of the
/// cache.
class Program {
public:
  Program(uint64_t Seed, bool Prefixes) : R(Seed), Prefixes(Prefixes) {
    uint64_t At = 0x10000600;
    for (unsigned F = 0; F < NumFunctions; ++F) {
      Entry[F] = At;
      Length[F] = 8 + unsigned(below(40));
      At += 8 * Length[F] + (below(2) ? 0 : 0x1000 + 4 * below(64));
    }
    for (unsigned F = 0; F < NumFunctions; ++F)
      write(F);
  }

  std::vector<Step> run(size_t N) {
    std::vector<Step> Out;
    std::vector<uint64_t> Return;
    uint64_t EA = Entry[0];
    while (Out.size() < N) {
      Step S = Code.at(EA);
      const uint64_t Next = EA + (S.Prefix ? 8 : 4);
      if (isLoadOrStore(S))
        S.Data = DataBase + 8 * below(6000);
      Out.push_back(S);
      EA = Next;
      if (S.Op >> 26 == 18 || (S.Op >> 26 == 16 && below(4))) {
        EA = *ppc::branchTarget(S.Op, S.EA);
        if (S.Op & 1)
          Return.push_back(Next);
      } else if (S.Op == 0x4e800421) { // bctrl
        Return.push_back(Next);
        EA = Entry[1 + below(NumFunctions - 1)];
      } else if (S.Op == 0x4e800020) {
        EA = Return.empty() ? Entry[0] : Return.back();
        if (!Return.empty())
          Return.pop_back();
      }
      // Deep recursion ends.
      if (Return.size() > 50)
        Return.resize(1);
    }
    return Out;
  }

private:
  static constexpr unsigned NumFunctions = 12;
  static constexpr uint64_t DataBase = 0x3fff80000000;
  static bool isLoadOrStore(const Step &S) {
    return !S.Prefix && (S.Op >> 26 == 58 || S.Op >> 26 == 62);
  }

  void write(unsigned F) {
    uint64_t At = Entry[F];
    for (unsigned K = 0; K < Length[F]; ++K) {
      Step S = {At, 0};
      auto displacement = [&](uint64_t To) { return uint32_t(To - At); };
      switch (below(10)) {
      case 0:
      case 1:
        S.Op = 0xe8890000 | uint32_t(below(1024)) << 2; // ld
        break;
      case 2:
        S.Op = 0xf8a90000 | uint32_t(below(1024)) << 2; // std
        break;
      case 3: // bdnz or beq, some words back
        S.Op = (below(2) ? 0x42000000u : 0x41820000u) |
               (displacement(K ? At - 4 : At) & 0xfffc);
        if (!Code.count(At - 4))
          S.Op = 0x60000000;
        break;
      case 4:
        S.Op = below(2)
                   ? 0x4e800421
                   : 0x48000001 |
                         (displacement(Entry[below(NumFunctions)]) & 0x3fffffc);
        break;
      case 5:
        if (Prefixes) {
          S.Prefix = 0x06000000 | uint32_t(below(1 << 16));
          S.Op = 0x38630000 | uint32_t(below(1 << 16)); // paddi
          break;
        }
        [[fallthrough]];
      default:
        S.Op = 0x38600000 | uint32_t(below(1 << 21)); // addi
        break;
      }
      if (K + 1 == Length[F])
        S = {At, 0x4e800020};
      Code[At] = S;
      At += S.Prefix ? 8 : 4;
    }
  }
  uint64_t below(uint64_t N) { return R() % N; }

  std::mt19937_64 R;
  bool Prefixes;
  uint64_t Entry[NumFunctions];
  unsigned Length[NumFunctions];
  std::map<uint64_t, Step> Code;
};

uint64_t realOf(uint64_t EA) { return 0x20000000000 + (EA & 0xfffffffff); }

Words p10Dump(const std::vector<Step> &Steps, bool Walks) {
  Words W = {uint64_t(0xACEFF0) << 40};
  const uint64_t Mode = uint64_t(Walks ? 0x78c0 : 0xf8c0) << 48;
  std::set<uint64_t> Seen;
  uint64_t Line = 1;
  auto walk = [&](bool Data, uint64_t EA) {
    if (Walks && Seen.insert(EA >> 12).second)
      xlate(W, Data, nested(EA, (EA & 0xfffffffff) & ~uint64_t(0xfff)));
  };
  for (const Step &S : Steps) {
    if ((S.EA & ~uint64_t(0x7f)) != Line) {
      Line = S.EA & ~uint64_t(0x7f);
      walk(false, S.EA);
      line(W, Line, realOf(Line));
    }
    if (S.Data)
      walk(true, S.Data);
    W.insert(W.end(), {p10Info(S.Op, S.EA, S.Data != 0, S.Prefix != 0), Mode});
    if (S.Prefix)
      W.push_back(uint64_t(S.Prefix) << 32);
    if (S.Data)
      W.insert(W.end(), {S.Data, dra(realOf(S.Data))});
  }
  return W;
}

Words p8Dump(const std::vector<Step> &Steps) {
  Words W = {uint64_t(0xACEFF0) << 40};
  std::set<uint64_t> Seen;
  uint64_t Next = 0;
  for (const Step &S : Steps) {
    P8Words Has;
    Has.Iea = S.EA != Next;
    Has.Ira = Has.Iea && Seen.insert(S.EA >> 16).second;
    Has.Dea = Has.Dra = S.Data != 0;
    W.push_back(p8Info(S.Op, S.EA, Has));
    if (Has.Iea)
      W.push_back(S.EA | 1);
    if (Has.Ira)
      W.push_back(realOf(S.EA) >> 16 << 4 << 26 | 2 << 24);
    if (S.Data)
      W.insert(W.end(),
               {S.Data, uint64_t(1) << 62 | realOf(S.Data) >> 16 << 4 << 24});
    Next = S.EA + 4;
  }
  return W;
}

enum class Kind { Zeros, Ones, Random, WordsGone, BytesGone };

struct Outcome {
  unsigned Wrong = 0; ///< dumps with a wrong address
  unsigned WrongData = 0;
  unsigned Silent = 0; ///< dumps in which something is missing, but no damage
  unsigned Unsettled = 0; ///< dumps that the damage spoils to the end
  unsigned Whole = 0; ///< dumps with a wrong address that may be whole there
};

/// Whether \p D, of which words were cut out at \p At, is a whole dump of some
/// program: what is elsewhere in the undamaged dump begins with the instruction
/// in whose words, or in whose address, the cut is, or with one to which the
/// one before may lead; and it ends where the dump tells the next address.
bool mayBeWhole(const Decoded &D, size_t At,
                llvm::function_ref<bool(const Instruction &)> IsWrong) {
  auto tellsAddress = [](const Instruction &I) {
    return I.has(Instruction::FromIEARA);
  };
  auto First = llvm::find_if(D.Insns, IsWrong), Next = std::next(First);
  if (First->Offset < At) {
    if (Next != D.Insns.end() && Next->Offset < At)
      return false;
  } else {
    if (First == D.Insns.begin() || std::prev(First)->Offset >= At)
      return false;
    const Instruction &Before = *std::prev(First);
    if (tellsAddress(*First)
            ? !First->has(Instruction::P10) || missesInLine(Before, First->EA)
            : !canLeadTo(Before, First->EA))
      return false;
  }
  return std::none_of(std::find_if(Next, D.Insns.end(), tellsAddress),
                      D.Insns.end(), IsWrong);
}

Outcome damage(const Words &W, Kind K, unsigned Times, uint64_t Seed) {
  const std::vector<uint8_t> Good = bytesOf(W);
  Decoded Truth = decode(llvm::ArrayRef(Good));
  EXPECT_EQ(Truth.Sum.numDamages(), 0u);
  std::map<uint64_t, const Instruction *> ByOffset;
  for (const Instruction &I : Truth.Insns)
    ByOffset[I.Offset] = &I;
  Outcome Out;
  std::mt19937_64 R(Seed);
  for (unsigned T = 0; T < Times; ++T) {
    std::vector<uint8_t> Bytes = Good;
    size_t Size = 8 * (K == Kind::WordsGone ? 1 + R() % 100 : 64);
    size_t At = 8 * (1 + R() % (W.size() - Size / 8 - 200));
    size_t Gone = 0;
    switch (K) {
    case Kind::Zeros:
    case Kind::Ones:
      std::fill_n(Bytes.begin() + At, Size, K == Kind::Zeros ? 0 : 0xff);
      break;
    case Kind::Random:
      for (size_t I = 0; I < Size; ++I)
        Bytes[At + I] = uint8_t(R());
      break;
    case Kind::BytesGone:
      At += R() % 8;
      Size = 1 + 2 * (R() % 400);
      [[fallthrough]];
    case Kind::WordsGone:
      Bytes.erase(Bytes.begin() + At, Bytes.begin() + At + Size);
      Gone = Size;
      break;
    }
    Decoded D = decode(llvm::ArrayRef(Bytes));
    EXPECT_EQ(D.Failure, "");
    // What has an address from here on, the damage has not touched.
    auto Settled = ByOffset.lower_bound(At + Size + 8 * 40);
    while (Settled != ByOffset.end() &&
           !Settled->second->has(Instruction::FromIEARA))
      ++Settled;
    size_t Placed = 0, After = 0;
    bool Wrong = false, WrongData = false;
    auto original = [&](const Instruction &I) {
      return ByOffset.find(I.Offset < At ? I.Offset : I.Offset + Gone);
    };
    auto isRight = [&](const Instruction &I) {
      auto It = original(I);
      return It != ByOffset.end() && It->second->EA == I.EA;
    };
    for (const Instruction &I : D.Insns) {
      if (!I.has(Instruction::AddressKnown))
        continue;
      ++Placed;
      auto It = original(I);
      const bool Right = isRight(I);
      Wrong |= !Right;
      After +=
          Right && Settled != ByOffset.end() && It->first >= Settled->first;
      if (Right && I.NumData && It->second->Data[0] != I.Data[0])
        WrongData = true;
    }
    const bool Missing = Placed < Truth.Insns.size();
    const bool Told = D.Sum.numDamages();
    // Cut between words of the same kind, what is left is a whole dump, though
    // of another program. Nothing tells that where it is wrong.
    if (K == Kind::WordsGone && Wrong) {
      const bool Whole = mayBeWhole(D, At, [&](const Instruction &I) {
        return I.has(Instruction::AddressKnown) && !isRight(I);
      });
      EXPECT_TRUE(Whole) << "cut at " << At << " of " << Gone << ", seed "
                         << Seed;
      Out.Whole += Whole;
      Out.Wrong += !Whole;
      continue;
    }
    if (K == Kind::WordsGone && !Told)
      continue;
    Out.Wrong += Wrong;
    Out.WrongData += WrongData;
    Out.Silent += Missing && !Told;
    Out.Unsettled += After != size_t(std::distance(Settled, ByOffset.end()));
  }
  return Out;
}

class Loss : public ::testing::TestWithParam<const char *> {
protected:
  /// Sums up what becomes of 1000 damaged dumps of some programs.
  Outcome tried(Kind K) {
    Outcome Sum;
    const llvm::StringRef What = GetParam();
    for (uint64_t Seed = 0; Seed < 20; ++Seed) {
      const bool P10 = What != "p8";
      std::vector<Step> Steps = Program(Seed, P10).run(1500);
      Outcome O = damage(P10 ? p10Dump(Steps, What == "walks") : p8Dump(Steps),
                         K, 50, Seed);
      Sum.Wrong += O.Wrong;
      Sum.WrongData += O.WrongData;
      Sum.Silent += O.Silent;
      Sum.Unsettled += O.Unsettled;
      Sum.Whole += O.Whole;
    }
    return Sum;
  }
  /// \p Overwritten: else the words around the damage may go together.
  void expectNothingWrong(Kind K, bool Overwritten) {
    Outcome O = tried(K);
    const bool P8 = llvm::StringRef(GetParam()) == "p8";
    EXPECT_EQ(O.Wrong, 0u);
    EXPECT_LE(O.Whole, K != Kind::WordsGone ? 0u : P8 ? 262u : 6u);
    EXPECT_EQ(O.Silent, 0u);
    EXPECT_LE(O.Unsettled, 2u);
    if (Overwritten) {
      EXPECT_EQ(O.WrongData, 0u);
    }
  }
};

TEST_P(Loss, ZeroedWords) { expectNothingWrong(Kind::Zeros, true); }
TEST_P(Loss, WordsOfOnes) { expectNothingWrong(Kind::Ones, true); }
TEST_P(Loss, RandomWords) { expectNothingWrong(Kind::Random, true); }
TEST_P(Loss, WordsGone) { expectNothingWrong(Kind::WordsGone, false); }
TEST_P(Loss, BytesGone) { expectNothingWrong(Kind::BytesGone, false); }

INSTANTIATE_TEST_SUITE_P(All, Loss, ::testing::Values("p8", "p10", "walks"),
                         [](const auto &Info) {
                           return std::string(Info.param);
                         });

} // namespace
} // namespace rw::htm::test
