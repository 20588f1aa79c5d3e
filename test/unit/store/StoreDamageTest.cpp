//===- StoreDamageTest.cpp - Stores that are not what they should be ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever is done to the file of a store: a clear error when it is opened or
// asked, or the right answer; never a wrong one, a crash or a hang.
//
//===----------------------------------------------------------------------===//

#include "AskAnything.h"
#include "Reseal.h"
#include "StoreTestSupport.h"
#include "core/store/Meta.h"
#include "core/store/TraceStore.h"

using namespace rw;
using namespace llvm;

namespace {

class StoreDamage : public StoreTest {
protected:
  void prepare(uint64_t Seed, uint64_t Length) {
    Knobs = randomKnobs(Seed, Length);
    Knobs.Registers = Knobs.Memory = Knobs.Values = true;
    Knobs.Events = 0.02;
    Knobs.Threads = 2;
    RandomTrace T(Knobs, Seed);
    BatchCut Cut;
    Model = NaiveModel();
    cantFail(T.feed(Model, Cut));
    ASSERT_TRUE(build(T, path("good"), Cut));
    Good = contents(path("good"));
    ASSERT_FALSE(Good.empty());
    Refused = QueryErrors = 0;
    ASSERT_TRUE(ask(Good, 1, 300, "nothing"));
    ASSERT_EQ(Refused, 0u);
    ASSERT_EQ(QueryErrors, 0u);
  }

  /// Opens a store of these bytes and asks it.
  bool ask(StringRef Bytes, uint64_t Seed, unsigned Questions,
           const Twine &Damage) {
    // Ext4 puts a file that is written over on the disk at once, no new one.
    sys::fs::remove(path("bad"));
    write(path("bad"), Bytes);
    Expected<std::unique_ptr<TraceStore>> Store = TraceStore::open(path("bad"));
    if (!Store) {
      ++Refused;
      std::string Text = toString(Store.takeError());
      EXPECT_FALSE(Text.empty());
      return true;
    }
    StoreCheck Check(**Store, Model, Seed, /*Damaged=*/true);
    std::string Difference = Check.wholeTrace();
    if (Difference.empty())
      Difference = Check.randomQuestions(Questions);
    QueryErrors += Check.numErrors();
    if (Difference.empty())
      return true;
    ADD_FAILURE() << "damage: " << Damage.str() << "\n" << Difference;
    return false;
  }

  TraceKnobs Knobs;
  NaiveModel Model;
  std::string Good;
  uint64_t Refused = 0, QueryErrors = 0;
};

TEST_F(StoreDamage, CutShort) {
  prepare(3, 1500);
  Rng R(1);
  std::vector<size_t> Lengths;
  for (size_t I = 0; I < 200; ++I) {
    Lengths.push_back(std::min(I, Good.size() - 1));
    Lengths.push_back(Good.size() - 1 - std::min(I, Good.size() - 1));
    Lengths.push_back(R.below(Good.size()));
    Lengths.push_back(R.below(Good.size()) & ~uint64_t(4095));
  }
  for (size_t Length : Lengths) {
    Refused = 0;
    if (!ask(StringRef(Good).take_front(Length), Length, 20,
             "cut to " + Twine(Length) + " of " + Twine(Good.size())))
      return;
    EXPECT_EQ(Refused, 1u) << "opened although cut to " << Length << " of "
                           << Good.size();
  }
}

TEST_F(StoreDamage, Lengthened) {
  prepare(4, 300);
  for (size_t More : {1, 7, 8, 4096})
    ASSERT_TRUE(ask(Good + std::string(More, '\0'), More, 20,
                    Twine(More) + " more bytes"));
}

TEST_F(StoreDamage, FlippedBits) {
  for (uint64_t Seed = 0; Seed < 3; ++Seed) {
    prepare(Seed + 10, 600);
    Rng R(Seed);
    for (unsigned I = 0; I < 1500; ++I) {
      std::string Bad = Good;
      // The first and last bytes are the ones that all else depends on.
      size_t At = R.below(Good.size());
      if (R.chance(0.3))
        At = R.below(std::min<size_t>(Good.size(), 512));
      else if (R.chance(0.3))
        At = Good.size() - 1 - R.below(std::min<size_t>(Good.size(), 1024));
      uint8_t Bits = R.chance(0.5) ? 1 << R.below(8) : R.between(1, 255);
      Bad[At] ^= Bits;
      if (!ask(Bad, I, 12,
               "seed " + Twine(Seed) + " byte " + Twine(At) + " of " +
                   Twine(Good.size()) + " xor " + Twine(unsigned(Bits))))
        return;
    }
    EXPECT_GT(Refused + QueryErrors, 500u);
  }
}

/// Blocks of bytes overwritten, moved or swapped: what a file system that lost
/// power leaves behind.
TEST_F(StoreDamage, OverwrittenRanges) {
  prepare(20, 1500);
  Rng R(5);
  for (unsigned I = 0; I < 600; ++I) {
    std::string Bad = Good;
    size_t At = R.below(Good.size());
    size_t Size = std::min<size_t>(
        Good.size() - At, R.chance(0.5) ? R.between(1, 16) : R.below(5000));
    switch (R.below(4)) {
    case 0:
      std::fill_n(Bad.begin() + At, Size, '\0');
      break;
    case 1:
      std::fill_n(Bad.begin() + At, Size, '\xff');
      break;
    case 2:
      for (size_t K = 0; K < Size; ++K)
        Bad[At + K] = char(R.next());
      break;
    default: {
      size_t From = R.below(Good.size() - Size + 1);
      Bad.replace(At, Size, Good, From, Size);
      break;
    }
    }
    if (!ask(Bad, I, 12,
             "number " + Twine(I) + ": " + Twine(Size) + " bytes at " +
                 Twine(At)))
      return;
  }
}

/// Made by somebody who knows about checksums: what it says may be anything,
/// but asking must end well.
TEST_F(StoreDamage, Malicious) {
  uint64_t Opened = 0;
  for (uint64_t Seed = 0; Seed < 3; ++Seed) {
    prepare(Seed + 30, 300);
    std::string Whole = Good;
    reseal(Whole);
    ASSERT_TRUE(Whole == Good);
    Rng R(Seed);
    for (unsigned I = 0; I < 700; ++I) {
      std::string Bad = Good;
      for (unsigned Edits = R.between(1, 4); Edits-- > 0;) {
        size_t At = R.below(Good.size());
        if (R.chance(0.3))
          At = Good.size() - 1 - R.below(std::min<size_t>(Good.size(), 2048));
        if (R.chance(0.5)) {
          Bad[At] ^= R.between(1, 255);
          continue;
        }
        // Numbers that are likely to be too large for something.
        uint64_t Value =
            R.chance(0.5) ? uint64_t(1) << R.below(64) : -R.below(9);
        At = At / 4 * 4;
        std::memcpy(&Bad[At], &Value,
                    std::min<size_t>(R.chance(0.5) ? 4 : 8, Bad.size() - At));
      }
      reseal(Bad);
      write(path("bad"), Bad);
      Expected<std::unique_ptr<TraceStore>> Store =
          TraceStore::open(path("bad"));
      if (!Store) {
        EXPECT_NE(toString(Store.takeError()), "");
        continue;
      }
      ++Opened;
      askAnything(**Store, I, 3);
    }
  }
  EXPECT_GT(Opened, 500u); // or it would not test what it should
}

/// Records of what later reads told that make no sense are an error of the
/// questions that look into them, no origin.
TEST_F(StoreDamage, OriginsTellOfDamage) {
  prepare(40, 1500);
  std::string Bad = Good;
  format::FileHeader H;
  std::memcpy(&H, Bad.data(), sizeof H);
  bool Found = false;
  for (uint64_t At = H.TocOffset; At < H.TocOffset + H.TocBytes;
       At += sizeof(format::TocEntry)) {
    format::TocEntry T;
    std::memcpy(&T, &Bad[At], sizeof T);
    if (std::strncmp(T.Name, "backdates", sizeof T.Name))
      continue;
    std::fill_n(Bad.begin() + T.Offset, T.Bytes, '\xff');
    Found = T.Bytes > 0;
  }
  ASSERT_TRUE(Found);
  reseal(Bad);
  write(path("bad"), Bad);
  auto Store = TraceStore::open(path("bad"));
  ASSERT_TRUE(bool(Store)) << toString(Store.takeError());
  uint64_t Asked = 0, Errors = 0;
  for (Moment M = 0; M < Model.numInstructions(); ++M)
    for (uint64_t N = Model.insns()[M].FirstMem; N < Model.insns()[M].EndMem;
         ++N) {
      ++Asked;
      auto Origin = (*Store)->memoryOrigin(M, Model.mems()[N].Addr);
      if (Origin)
        continue;
      EXPECT_NE(toString(Origin.takeError()).find("section 'backdates'"),
                std::string::npos);
      ++Errors;
    }
  EXPECT_GT(Asked, 100u);
  EXPECT_GT(Errors, 0u);
}

/// A register is bytes of lanes; the file may name any numbers for them.
TEST_F(StoreDamage, RegistersThatCannotBe) {
  Meta M;
  M.Header.Threads = {{"", 1}};
  M.ThreadInstructions = {0};
  M.Header.NamedRegisters = {{"odd", 123, 45}};
  const std::string Text = metaToText(M);
  auto with = [&](uint64_t Lane, uint64_t Size) {
    std::string Changed = Text;
    for (auto &[Key, Old, New] :
         {std::tuple("\"lane\": ", "123", Lane), {"\"size\": ", "45", Size}}) {
      size_t At = Changed.find(std::string(Key) + Old);
      if (At == std::string::npos)
        return std::string("not found: ") + Key;
      Changed.replace(At + strlen(Key), strlen(Old), std::to_string(New));
    }
    auto Read = metaFromText(Changed);
    if (!Read)
      return toString(Read.takeError());
    const NamedRegister &R = Read->Header.NamedRegisters.at(0);
    return std::to_string(R.Lane) + ", " + std::to_string(R.Size);
  };
  EXPECT_EQ(with(123, 45), "123, 45");
  EXPECT_EQ(with(0, 0xffff), "0, 65535");
  EXPECT_EQ(with(0xfffe, 8), "65534, 8");
  EXPECT_EQ(with(0xfffd, 16), "65533, 16");
  for (uint64_t Size : {uint64_t(0), uint64_t(0x10000), uint64_t(0x10008),
                        uint64_t(1) << 32, ~uint64_t(0)})
    EXPECT_EQ(with(123, Size), "no valid member 'size'") << Size;
  EXPECT_EQ(with(0xfffe, 9), "no valid member 'size'");
  for (uint64_t Lane :
       {uint64_t(0xffff), uint64_t(0x10000), uint64_t(0x1007b), ~uint64_t(0)})
    EXPECT_EQ(with(Lane, 8), "no valid member 'lane'") << Lane;
}

TEST_F(StoreDamage, NotAStore) {
  auto Message = [&](StringRef Path) {
    Expected<std::unique_ptr<TraceStore>> Store = TraceStore::open(Path);
    return Store ? std::string("opened") : toString(Store.takeError());
  };
  write(path("empty"), "");
  write(path("text"), std::string(100000, 'x'));
  write(path("zeros"), std::string(100000, '\0'));
  for (StringRef Name : {"empty", "text", "zeros", "missing", "."}) {
    std::string Text = Message(path(Name));
    EXPECT_NE(Text, "opened") << Name.str();
    EXPECT_NE(Text, "") << Name.str();
    EXPECT_NE(Text.find(Folder.str()), std::string::npos)
        << "the message does not name the file: " << Text;
  }
}

//===----------------------------------------------------------------------===//
// Building leaves a whole store behind, or nothing
//===----------------------------------------------------------------------===//

TEST_F(StoreDamage, AbandonedBuilderLeavesNothing) {
  RandomTrace T(randomKnobs(1, 5000), 1);
  for (uint64_t Until : {0, 1, 2500, 4999}) {
    {
      std::unique_ptr<StoreBuilder> B = builder(path("store"));
      ASSERT_TRUE(B);
      cantFail(T.feed(*B, BatchCut(), Until));
    }
    EXPECT_EQ(files(), std::vector<std::string>()) << "after " << Until;
  }
}

TEST_F(StoreDamage, AbandonedBuilderKeepsTheStoreThatWasThere) {
  RandomTrace Old(randomKnobs(1, 500), 1), New(randomKnobs(2, 5000), 2);
  ASSERT_TRUE(build(Old, path("store"), BatchCut()));
  std::string Before = contents(path("store"));
  {
    std::unique_ptr<StoreBuilder> B = builder(path("store"));
    ASSERT_TRUE(B);
    cantFail(New.feed(*B, BatchCut(), 4000));
    EXPECT_TRUE(contents(path("store")) == Before);
  }
  EXPECT_EQ(files(), std::vector<std::string>{"store"});
  EXPECT_TRUE(contents(path("store")) == Before);
}

/// Who has the old store open goes on with it while a new one takes its place.
TEST_F(StoreDamage, ReplacedWhileOpen) {
  RandomTrace Old(randomKnobs(1, 3000), 1), New(randomKnobs(2, 5000), 2);
  NaiveModel OldModel;
  cantFail(Old.feed(OldModel, BatchCut()));
  ASSERT_TRUE(build(Old, path("store"), BatchCut()));
  std::unique_ptr<TraceStore> Store = open(path("store"));
  ASSERT_TRUE(Store);
  ASSERT_TRUE(build(New, path("store"), BatchCut()));
  EXPECT_EQ(files(), std::vector<std::string>{"store"});
  StoreCheck Check(*Store, OldModel, 1);
  EXPECT_EQ(Check.wholeTrace(), "");
  EXPECT_EQ(Check.randomQuestions(200), "");
}

TEST_F(StoreDamage, NowhereToWrite) {
  auto B = StoreBuilder::create(path("no/such/folder/store"), stamp(),
                                StoreBuilder::Options());
  if (!B) {
    EXPECT_NE(toString(B.takeError()).find("no/such/folder"),
              std::string::npos);
    return;
  }
  RandomTrace T(randomKnobs(1, 100), 1);
  Error E = T.feed(**B, BatchCut());
  EXPECT_TRUE(bool(E));
  EXPECT_NE(toString(std::move(E)).find("no/such/folder"), std::string::npos);
}

} // namespace
