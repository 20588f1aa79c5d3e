//===- FileTest.cpp - Layers in a file against naive models ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include "core/htr/HtrFile.h"
#include "core/store/Format.h"
#include "llvm/Support/FileSystem.h"
#include <functional>
#include <gmock/gmock.h>
#include <random>

using namespace llvm;
using namespace rw;
using namespace rw::htr;
using testing::HasSubstr;

namespace {

std::unique_ptr<HtrFile> load(StringRef Bytes) {
  auto File = HtrFile::open(MemoryBuffer::getMemBufferCopy(Bytes));
  if (!File) {
    ADD_FAILURE() << toString(File.takeError());
    return nullptr;
  }
  return std::move(*File);
}

/// Time that goes on by the pc's value at each instruction.
TimeTable timesOf(const Hierarchy &H) {
  TimeTable Times;
  for (ThreadIndex T = 0; T < H.numThreads(); ++T) {
    uint64_t Now = 100;
    for (BlockId B : H.Layers[0].sequence(T))
      if (H.Dict.Length[B]) {
        Times.push(Now);
        Now += H.Dict.Value[B];
      }
  }
  return Times;
}

struct Loaded {
  Statistics Stats;
  std::string Bytes;
  std::unique_ptr<HtrFile> File;
};
Loaded save(const Hierarchy &H, const FileHeader &Header = {}) {
  Loaded L;
  auto S = collect(H, timesOf(H), countLeaves(H, timesOf(H)));
  if (!S) {
    ADD_FAILURE() << toString(S.takeError());
    return L;
  }
  L.Stats = std::move(*S);
  L.Bytes = cantFail(htrBytes({H, L.Stats, Header}))->getBuffer().str();
  L.File = load(L.Bytes);
  return L;
}

/// Whether byte \p I lies between two sections.
bool isPadding(StringRef Bytes, size_t I) {
  rw::format::FileHeader H;
  std::memcpy(&H, Bytes.data(), sizeof(H));
  if (I < sizeof(H) || I >= H.TocOffset)
    return false;
  for (uint64_t At = H.TocOffset; At < Bytes.size();
       At += sizeof(rw::format::TocEntry)) {
    rw::format::TocEntry T;
    std::memcpy(&T, Bytes.data() + At, sizeof(T));
    if (I >= T.Offset && I < T.Offset + T.Bytes)
      return false;
  }
  return true;
}

/// Every occurrence of every block that a layer introduced, naively.
void occurrences(const Hierarchy &H, size_t L,
                 std::vector<std::vector<Place>> &Out) {
  const Layer &Of = H.Layers[L];
  Place P = 0;
  std::function<void(BlockId)> Visit = [&](BlockId B) {
    if (H.Dict.Home[B] == L)
      Out[B].push_back(P);
    if (H.Dict.Home[B] == 0) {
      P += H.Dict.Length[B];
      return;
    }
    uint64_t Times = H.Dict.Kind[B] == BlockKind::Repeat ? H.Dict.Value[B] : 1;
    while (Times-- > 0)
      for (BlockId Part : H.parts(B, Of))
        Visit(Part);
  };
  for (ThreadIndex T = 0; T < H.numThreads(); ++T)
    for (BlockId B : Of.sequence(T))
      Visit(B);
}

TestTrace randomTrace(std::mt19937 &Random) {
  std::vector<std::string> Threads;
  for (unsigned T = 1 + Random() % 2; T-- > 0;) {
    std::string S;
    unsigned Open = 0;
    for (unsigned I = Random() % 30; I-- > 0;) {
      std::string Body;
      for (unsigned K = 1 + Random() % 3; K-- > 0;)
        Body += char('a' + Random() % 5);
      if (Random() % 3 == 0) {
        S += std::string("(") + char('A' + Random() % 3);
        ++Open;
      }
      for (unsigned K = 1 + Random() % 5; K-- > 0;)
        S += Body;
      if (Random() % 12 == 0)
        S += "!";
      if (Open && Random() % 3 == 0) {
        S += ")";
        --Open;
      }
    }
    Threads.push_back(S);
  }
  return TestTrace(Threads);
}

} // namespace

TEST(PackedArray, AnyWidth) {
  std::mt19937_64 Random(3);
  for (unsigned Width = 0; Width <= 64; ++Width)
    for (size_t Size : {0, 1, 127, 128, 129, 1000, 700000}) {
      if (Size > 1000 && Width % 16 != 5) // more than a piece of the directory
        continue;
      std::vector<uint64_t> Values;
      for (size_t I = 0; I < Size; ++I)
        Values.push_back(Width ? Random() >> (64 - Width) : 7);
      SmallVector<char, 0> Bytes;
      raw_svector_ostream Out(Bytes);
      packArray(
          Size, [&](uint64_t I) { return Values[I]; }, Out);
      EXPECT_EQ(Bytes.size() % 8, 0u);
      auto A = PackedArray::open(
          ArrayRef(reinterpret_cast<uint8_t *>(Bytes.data()), Bytes.size()));
      ASSERT_TRUE(A);
      ASSERT_EQ(A->size(), Size);
      for (size_t I = 0; I < Size; ++I)
        ASSERT_EQ((*A)[I], Values[I]) << Width << " " << I;
      EXPECT_EQ((*A)[Size], 0u);
    }
}

TEST(PackedArray, RefusesTooFewBytes) {
  std::vector<uint8_t> Bytes(8, 0xff);
  EXPECT_FALSE(PackedArray::open(Bytes));
  Bytes.resize(4);
  EXPECT_FALSE(PackedArray::open(Bytes));
}

// A loop in a function, by hand.
TEST(HtrFile, ByHand) {
  TestTrace T("mn(fabababz)o(fabababz)p");
  T.run("functions,loops");
  FileHeader Header;
  Header.FunctionEntries = {'f'};
  Header.Pipeline = "functions,loops";
  Loaded L = save(T.H, Header);
  ASSERT_TRUE(L.File);
  const HtrFile &F = *L.File;
  ASSERT_EQ(F.numLayers(), 3u);
  EXPECT_EQ(F.layer(1).Pass, "functions");
  EXPECT_EQ(F.layer(1).TopUnits, 6u); // m n f o f p
  EXPECT_EQ(F.layer(1).Units, 14u);   // and f a b a b a b z, once
  EXPECT_EQ(F.layer(2).Units, 6u + 3u);
  EXPECT_EQ(F.numInstructions(), 20u);

  BlockId Fn = F.unit(F.sequence(2, 0), 2);
  BlockInfo I = F.block(Fn);
  EXPECT_EQ(I.Kind, BlockKind::Function);
  EXPECT_EQ(I.Value, 'f');
  EXPECT_EQ(I.Length, 8u);
  EXPECT_EQ(I.Occurrences, 2u);
  EXPECT_EQ(F.occurrence(Fn, 0), 2u);
  EXPECT_EQ(F.occurrence(Fn, 1), 11u);
  // Time: f a b a b a b z, by the letters' values.
  EXPECT_EQ(*I.Time, 2u * ('f' + 3 * 'a' + 3 * 'b' + 'z'));
  EXPECT_TRUE(F.callsIn(Fn).empty()); // it does not call itself

  UnitRange Parts = F.parts(Fn, 2);
  ASSERT_EQ(Parts.size(), 3u);
  BlockId Loop = F.unit(Parts, 1);
  BlockInfo LI = F.block(Loop);
  EXPECT_EQ(LI.Kind, BlockKind::Repeat);
  EXPECT_EQ(LI.Value, 3u);
  EXPECT_EQ(LI.Occurrences, 2u);
  EXPECT_EQ(F.occurrence(Loop, 1), 12u);
  EXPECT_EQ(F.block(LI.Entry).Value, 'a');
  EXPECT_EQ(F.block(LI.Exit).Value, 'b');
  BlockId Body = F.unit(F.parts(Loop, 2), 0);
  EXPECT_EQ(F.block(Body).Occurrences, 6u);
  EXPECT_EQ(F.occurrencesBefore(Body, 11), 3u);
}

TEST(HtrFile, AgreesWithNaiveModel) {
  std::mt19937 Random(99);
  const char *Pipelines[] = {"functions,bsb,loops", "bsb,functions,loops",
                             "grammar", "loops,grammar",
                             "functions,loops,grammar"};
  for (unsigned Round = 0; Round < 300; ++Round) {
    TestTrace T = randomTrace(Random);
    PassOptions Options;
    Options.Similar = Random() % 2;
    Options.Recursion = 1 + Random() % 2;
    T.run(Pipelines[Random() % std::size(Pipelines)], Options);
    Loaded L = save(T.H);
    ASSERT_TRUE(L.File);
    const HtrFile &F = *L.File;
    std::vector<std::vector<Place>> Expected(T.H.Dict.size());
    for (size_t I = 1; I < T.H.Layers.size(); ++I)
      occurrences(T.H, I, Expected);
    TimeTable Times = timesOf(T.H);
    for (BlockId B = 0; B < T.H.Dict.size(); ++B) {
      if (!T.H.Dict.Home[B])
        continue;
      BlockInfo I = F.block(B);
      ASSERT_EQ(I.Home, T.H.Dict.Home[B]);
      ASSERT_EQ(I.Occurrences, Expected[B].size());
      uint64_t Time = 0;
      for (size_t K = 0; K < Expected[B].size(); ++K) {
        Place P = Expected[B][K];
        ASSERT_EQ(F.occurrence(B, K), P);
        ASSERT_EQ(F.occurrencesBefore(B, P), K);
        auto [Thread, Pos] = F.positionOf(P);
        ASSERT_EQ(F.placeOf(Thread, Pos), P);
        Place End = std::min(P + I.Length, F.placeOf(Thread + 1, 0) - 1);
        Time += Times.at(End) - Times.at(P);
      }
      ASSERT_EQ(*I.Time, Time);
    }
    for (unsigned Y = 1; Y < F.numLayers(); ++Y)
      for (ThreadIndex Th = 0; Th < F.numThreads(); ++Th) {
        UnitRange R = F.sequence(Y, Th);
        auto Seq = T.H.Layers[Y].sequence(Th).vec();
        ASSERT_EQ(R.size(), Seq.size());
        uint64_t At = 0;
        for (size_t K = 0; K < Seq.size(); ++K) {
          ASSERT_EQ(F.unit(R, K), Seq[K]);
          ASSERT_EQ(F.offsetOf(R, K), At);
          for (uint64_t O = 0; O < T.H.Dict.Length[Seq[K]]; ++O) {
            UnitAt U = F.unitAt(R, At + O);
            ASSERT_EQ(U.Index, K);
            ASSERT_EQ(U.Id, Seq[K]);
            ASSERT_EQ(U.Offset, At);
          }
          At += T.H.Dict.Length[Seq[K]];
        }
        ASSERT_EQ(At, F.numInstructions(Th));
      }
  }
}

TEST(HtrFile, KeepsItsHeader) {
  TestTrace T("abab");
  T.run("loops");
  FileHeader Header;
  Header.Store = {1234, 0xfedcba9876543210ull};
  Header.Pipeline = "loops,bsb";
  Header.Notes = {"bsb: nothing to merge"};
  Header.FunctionEntries = {5, ~uint64_t(0)};
  Header.Handlers = {5};
  Loaded L = save(T.H, Header);
  ASSERT_TRUE(L.File);
  EXPECT_TRUE(L.File->header().Store == Header.Store);
  EXPECT_EQ(L.File->header().Pipeline, Header.Pipeline);
  EXPECT_EQ(L.File->header().Notes, Header.Notes);
  EXPECT_EQ(L.File->header().FunctionEntries, Header.FunctionEntries);
  EXPECT_EQ(L.File->header().Handlers, Header.Handlers);
}

TEST(HtrFile, DamageIsNoticed) {
  TestTrace T("xababababy");
  T.run("bsb,loops");
  Loaded L = save(T.H);
  auto Open = [](StringRef Bytes) {
    auto F = HtrFile::open(MemoryBuffer::getMemBufferCopy(Bytes));
    return F ? std::string() : toString(F.takeError());
  };
  EXPECT_EQ(Open(L.Bytes), "");
  EXPECT_THAT(Open({}), HasSubstr("is not a file of HTR layers: too short"));
  for (size_t I = 0; I < L.Bytes.size(); ++I) {
    if (isPadding(L.Bytes, I))
      continue;
    std::string Bad = L.Bytes;
    Bad[I] ^= 0x10;
    ASSERT_NE(Open(Bad), "") << "byte " << I;
  }
  for (size_t Size = 0; Size < L.Bytes.size(); Size += 3)
    ASSERT_NE(Open(StringRef(L.Bytes).take_front(Size)), "");
  std::string Newer = L.Bytes;
  Newer[8] = 9;
  EXPECT_THAT(Open(Newer), HasSubstr("is a file of HTR layers of version 9; "
                                     "this program reads version 5"));
}

TEST(HtrFile, WrittenWholeOrNotAtAll) {
  SmallString<128> Dir;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("htrtest", Dir));
  TestTrace T("xababababy");
  T.run("bsb,loops");
  Loaded L = save(T.H);
  std::string Path = (Dir + "/a.htr").str();
  RunResult R{T.H, L.Stats, {}};
  ASSERT_FALSE(errorToBool(writeHtrFile(Path, R)));
  auto F = HtrFile::open(Path);
  ASSERT_TRUE(bool(F)) << toString(F.takeError());
  EXPECT_EQ((*F)->numLayers(), 3u);
  auto Written = MemoryBuffer::getFile(Path);
  ASSERT_TRUE(bool(Written));
  EXPECT_EQ((*Written)->getBuffer(), L.Bytes);
  std::string Text = toString(writeHtrFile((Dir + "/none/a.htr").str(), R));
  EXPECT_NE(Text.find("cannot write"), std::string::npos);
  sys::fs::remove_directories(Dir);
}
