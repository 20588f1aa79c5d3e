//===- ChangedPartsTest.cpp - What changed of a value, bit by bit ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Access.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace rw;

namespace {

/// Random types, and which part each of their bits belongs to.
class RandomType {
public:
  explicit RandomType(std::mt19937_64 &Random) : Random(Random) {}

  TypeRef make(unsigned Depth) {
    const unsigned Kind = Depth ? unsigned(Random() % 4) : 0;
    auto T = std::make_shared<Type>();
    if (Kind == 0) {
      T->Kind = TypeKind::Unsigned;
      T->Size = uint64_t(1) << Random() % 4;
      return T;
    }
    if (Kind == 1) {
      T->Kind = Random() % 2 ? TypeKind::Array : TypeKind::Vector;
      T->Element = make(T->Kind == TypeKind::Vector ? 0 : Depth - 1);
      T->Count = 1 + Random() % 4;
      T->Size = T->Count * T->Element->Size;
      return T;
    }
    T->Kind = TypeKind::Record;
    T->Name = "named";
    T->Union = Random() % 6 == 0;
    uint64_t At = 0; // bytes
    for (unsigned N = 0, Count = 1 + unsigned(Random() % 4); N < Count; ++N) {
      Type::Member M;
      M.Name = std::string(1, char('a' + N));
      if (!T->Union && Random() % 4 == 0) {
        // Two bit-fields and padding in one byte.
        auto Unit = std::make_shared<Type>();
        Unit->Kind = TypeKind::Unsigned;
        Unit->Size = 1;
        M.Is = Unit;
        M.Offset = 8 * At;
        M.BitWidth = 3;
        T->Members.push_back(M);
        M.Name += "2";
        M.Offset = 8 * At + 3;
        M.BitWidth = 4;
        T->Members.push_back(M);
        ++At;
        continue;
      }
      M.Is = make(Depth - 1);
      M.Offset = T->Union ? 0 : 8 * At;
      T->Members.push_back(M);
      At = T->Union ? std::max(At, M.Is->Size)
                    : At + M.Is->Size + Random() % 3; // padding
    }
    T->Size = At;
    return T;
  }

  /// Adds the path of each bit of \p T, which begins at byte \p At.
  static void paths(const Type &T, const std::string &Path, uint64_t At,
                    std::map<uint64_t, std::string> &Of) {
    auto All = [&](uint64_t Size) {
      for (uint64_t B = 8 * At; B < 8 * (At + Size); ++B)
        Of[B] = Path;
    };
    if (T.Kind == TypeKind::Array || T.Kind == TypeKind::Vector) {
      for (uint64_t I = 0; I < T.Count; ++I)
        paths(*T.Element, Path + "[" + std::to_string(I) + "]",
              At + I * T.Element->Size, Of);
    } else if (T.Kind != TypeKind::Record || T.Union) {
      All(T.Size);
    } else {
      for (const Type::Member &M : T.Members)
        if (!M.BitWidth)
          paths(*M.Is, Path + "." + M.Name, At + M.Offset / 8, Of);
        else
          for (unsigned B = 0; B < M.BitWidth; ++B)
            Of[8 * At + M.Offset + B] = Path + "." + M.Name;
    }
  }

private:
  std::mt19937_64 &Random;
};

TEST(ChangedParts, AreThoseOfTheBitsThatDiffer) {
  uint64_t Several = 0;
  for (unsigned Seed = 1; Seed <= 4000; ++Seed) {
    std::mt19937_64 Random(Seed);
    const TypeRef T = RandomType(Random).make(4);
    if (T->isScalar() || T->Union)
      continue;
    std::map<uint64_t, std::string> Of;
    RandomType::paths(*T, "", 0, Of);
    Value Old(T->Size), New;
    Old.Type = T;
    Old.Known.assign(T->Size, 1);
    for (uint8_t &B : Old.Bytes)
      B = uint8_t(Random());
    New = Old;
    std::set<std::string> Expected;
    for (unsigned N = 0, Count = unsigned(Random() % 5); N < Count; ++N) {
      const uint64_t Bit = Random() % (8 * T->Size);
      New.Bytes[Bit / 8] ^= uint8_t(1u << Bit % 8);
    }
    for (uint64_t Bit = 0; Bit < 8 * T->Size; ++Bit)
      if (((Old.Bytes[Bit / 8] ^ New.Bytes[Bit / 8]) >> Bit % 8 & 1) &&
          Of.count(Bit))
        Expected.insert(Of[Bit]);
    std::set<std::string> Found;
    for (const ChangedPart &P : changedParts(Old, New)) {
      EXPECT_TRUE(Found.insert(P.Path).second) << P.Path << " twice";
      EXPECT_FALSE(P.Old == P.New) << P.Path;
    }
    ASSERT_EQ(Found, Expected) << "type " << Seed;
    Several += Found.size() > 1;
  }
  EXPECT_GT(Several, 300u);
}

/// What becomes known has changed.
TEST(ChangedParts, KnowWhatIsKnown) {
  auto Int = std::make_shared<Type>();
  Int->Kind = TypeKind::Unsigned;
  Int->Size = 4;
  auto Two = std::make_shared<Type>();
  Two->Kind = TypeKind::Array;
  Two->Count = 2;
  Two->Size = 8;
  Two->Element = Int;
  Value Old(8), New(8);
  Old.Type = New.Type = Two;
  New.Known[5] = 1;
  const auto Parts = changedParts(Old, New);
  ASSERT_EQ(Parts.size(), 1u);
  EXPECT_EQ(Parts[0].Path, "[1]");
  EXPECT_EQ(Parts[0].New.Bytes.size(), 4u);
  EXPECT_TRUE(changedParts(Old, Old).empty());
}

} // namespace
