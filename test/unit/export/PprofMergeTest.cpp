//===- PprofMergeTest.cpp -------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/PprofMerge.h"
#include "core/export/Gzip.h"
#include "core/export/PprofFields.h"
#include "core/export/ProtoWriter.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw;
using namespace rw::pprof;

namespace {

/// Samples of random stacks of "f0".."f4", numbered and ordered at random.
struct Made {
  std::string Bytes;
  int64_t Calls = 0, Time = 0;
};

Made make(std::mt19937 &Random, bool Packed) {
  Made M;
  ProtoWriter P, Part, Inner;
  std::vector<std::string> Strings = {"", "calls", "count", "time", "ns"};
  std::vector<unsigned> Functions = {0, 1, 2, 3, 4};
  std::shuffle(Functions.begin(), Functions.end(), Random);
  bool Swapped = Random() % 2;
  for (bool First : {true, false}) {
    Part.clear();
    Part.varint(ValueTypeType, First != Swapped ? 1 : 3);
    Part.varint(ValueTypeUnit, First != Swapped ? 2 : 4);
    P.message(ProfileSampleType, Part);
  }
  for (unsigned N = 20; N > 0; --N) {
    Part.clear();
    Inner.clear();
    for (unsigned Depth = 1 + Random() % 4; Depth > 0; --Depth) {
      uint64_t L = 10 + Random() % 5;
      if (Packed)
        Inner.raw(L);
      else
        Part.varint(SampleLocationId, L);
    }
    if (Packed)
      Part.message(SampleLocationId, Inner);
    int64_t Calls = Random() % 100, Time = Random() % 1000;
    M.Calls += Calls;
    M.Time += Time;
    Inner.clear();
    Inner.raw(uint64_t(Swapped ? Time : Calls));
    Inner.raw(uint64_t(Swapped ? Calls : Time));
    Part.message(SampleValue, Inner);
    P.message(ProfileSample, Part);
  }
  for (unsigned I = 0; I < 5; ++I) {
    Strings.push_back("f" + std::to_string(Functions[I]));
    Part.clear();
    Part.varint(LocationId, 10 + I);
    Part.varint(LocationAddress, 0x1000 + 16 * Functions[I]);
    Inner.clear();
    Inner.varint(LineFunctionId, 1 + I);
    Inner.varint(LineLine, 7);
    Part.message(LocationLine, Inner);
    P.message(ProfileLocation, Part);
    Part.clear();
    Part.varint(FunctionId, 1 + I);
    Part.varint(FunctionName, Strings.size() - 1);
    P.message(ProfileFunction, Part);
  }
  for (const std::string &S : Strings)
    P.bytes(ProfileStringTable, S);
  M.Bytes = P.data().str();
  return M;
}

std::string gzip(llvm::StringRef Bytes) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  GzipStream Z(OS);
  EXPECT_TRUE(Z.write(Bytes, /*Last=*/true));
  return Out;
}

std::string written(const PprofMerger &M) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  EXPECT_FALSE(llvm::errorToBool(M.write({}, OS)));
  return Out;
}

int64_t total(const PprofMerger &M, llvm::StringRef Type) {
  for (const PprofMerger::Total &T : M.totals())
    if (T.Type == Type)
      return T.Value;
  ADD_FAILURE();
  return 0;
}

TEST(PprofMergeTest, AddsUpWhateverTheNumbers) {
  std::mt19937 Random(1);
  for (unsigned Round = 0; Round < 200; ++Round) {
    PprofMerger M, Again;
    int64_t Calls = 0, Time = 0;
    std::vector<Made> All;
    for (unsigned N = 1 + Random() % 4; N > 0; --N) {
      All.push_back(make(Random, Random() % 2));
      const Made &P = All.back();
      llvm::Error E = M.add("p", Random() % 2 ? gzip(P.Bytes) : P.Bytes);
      ASSERT_FALSE(bool(E)) << llvm::toString(std::move(E));
      Calls += P.Calls;
      Time += P.Time;
    }
    EXPECT_EQ(total(M, "calls"), Calls);
    EXPECT_EQ(total(M, "time"), Time);
    // At most the stacks that there can be, however many profiles.
    EXPECT_LE(M.numSamples(), 5u + 25 + 125 + 625);
    // What was written is read again, and the order does not matter.
    ASSERT_FALSE(llvm::errorToBool(Again.add("m", written(M))));
    EXPECT_EQ(total(Again, "calls"), Calls);
    EXPECT_EQ(Again.numSamples(), M.numSamples());
    PprofMerger Reversed;
    for (const Made &P : llvm::reverse(All))
      ASSERT_FALSE(llvm::errorToBool(Reversed.add("p", P.Bytes)));
    EXPECT_EQ(Reversed.numSamples(), M.numSamples());
    EXPECT_EQ(total(Reversed, "time"), Time);
    // Twice the same: no new samples.
    ASSERT_FALSE(llvm::errorToBool(Again.add("m", written(M))));
    EXPECT_EQ(Again.numSamples(), M.numSamples());
    EXPECT_EQ(total(Again, "time"), 2 * Time);
  }
}

/// Whatever is in a file, it is merged or refused by name.
TEST(PprofMergeTest, DamagedProfiles) {
  std::mt19937 Random(2);
  std::string Good = make(Random, true).Bytes;
  unsigned Refused = 0;
  auto Try = [&](llvm::StringRef Bytes) {
    PprofMerger M;
    if (llvm::Error E = M.add("some.pb.gz", Bytes)) {
      EXPECT_TRUE(llvm::StringRef(llvm::toString(std::move(E)))
                      .starts_with("some.pb.gz: "));
      ++Refused;
    } else {
      written(M);
    }
  };
  for (size_t Size = 0; Size < Good.size(); ++Size)
    Try(llvm::StringRef(Good).take_front(Size));
  EXPECT_GT(Refused, Good.size() / 2);
  std::string Zipped = gzip(Good);
  Refused = 0;
  for (size_t Size = 0; Size < Zipped.size(); ++Size)
    Try(llvm::StringRef(Zipped).take_front(Size));
  EXPECT_EQ(Refused, Zipped.size());
  for (unsigned N = 0; N < 20000; ++N) {
    std::string Bad = Good;
    for (unsigned K = 1 + Random() % 3; K > 0; --K)
      Bad[Random() % Bad.size()] = char(Random());
    Try(Bad);
  }
}

TEST(PprofMergeTest, SumsThatDoNotFit) {
  ProtoWriter P, Part, Inner;
  Part.varint(ValueTypeType, 1);
  P.message(ProfileSampleType, Part);
  Part.clear();
  Inner.raw(uint64_t(INT64_MAX));
  Part.message(SampleValue, Inner);
  P.message(ProfileSample, Part);
  P.bytes(ProfileStringTable, "");
  P.bytes(ProfileStringTable, "calls");
  PprofMerger M;
  ASSERT_FALSE(llvm::errorToBool(M.add("a", P.data())));
  llvm::Error E = M.add("b", P.data());
  EXPECT_EQ(llvm::toString(std::move(E)), "b: the sums do not fit 64 bits");
}

} // namespace
