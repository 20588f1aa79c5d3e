//===- StorePropertyTest.cpp - The store answers as the naive model -------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTestSupport.h"
#include "core/store/TraceStore.h"
#include <cstdlib>
#include <thread>

using namespace rw;
using namespace llvm;

namespace {

/// REWIND_TEST_SEEDS multiplies the number of seeds, for long runs.
unsigned seeds(unsigned Usual) {
  const char *Factor = std::getenv("REWIND_TEST_SEEDS");
  return Factor ? Usual * std::max(1, std::atoi(Factor)) : Usual;
}

class StoreProperty : public StoreTest {
protected:
  /// Builds a store from \p Knobs and \p Seed and asks it \p Questions
  /// questions. False at the first difference, which is then reported.
  bool check(const TraceKnobs &Knobs, uint64_t Seed, unsigned Questions) {
    RandomTrace T(Knobs, Seed);
    BatchCut Cut;
    Cut.Seed = Seed;
    Cut.MaxInsns = Rng(Seed).pick(std::vector<unsigned>{1, 7, 100, 5000});
    NaiveModel Model;
    cantFail(T.feed(Model, Cut));
    std::string Path = path("store");
    if (!build(T, Path, Cut, 1 + Seed % 3))
      return false;
    std::unique_ptr<TraceStore> Store = open(Path);
    if (!Store)
      return false;

    StoreCheck Check(*Store, Model, Seed);
    std::string Difference = Check.wholeTrace();
    if (Difference.empty() && Knobs.Length < 5000) {
      Difference = Check.walk(0, Knobs.Length + 1, true);
      if (Difference.empty())
        Difference = Check.walk(0, Knobs.Length + 1, false);
    }
    if (Difference.empty())
      Difference = Check.randomQuestions(Questions);
    if (Difference.empty())
      Difference = fileOffsets(*Store, T, Seed);
    if (Difference.empty())
      return true;
    ADD_FAILURE() << "seed " << Seed << ": " << Knobs.describe() << "\n"
                  << Difference;
    return false;
  }

  static std::string fileOffsets(const TraceStore &Store, const RandomTrace &T,
                                 uint64_t Seed) {
    Rng R(Seed);
    for (unsigned I = 0; I < 50 && !T.Insns.empty(); ++I) {
      Moment M = R.below(T.Insns.size());
      auto Got = Store.filePlaceNear(M);
      if (!Got)
        return toString(Got.takeError());
      // Every line of the made-up file is as long as the others.
      if (Got->Offset > T.fileOffset(M) ||
          Got->Offset != (Got->Line - 1) * RandomTrace::BytesPerLine)
        return ("filePlaceNear " + Twine(M) + "\n  got line " +
                Twine(Got->Line) + " at " + Twine(Got->Offset))
            .str();
    }
    return "";
  }
};

TEST_F(StoreProperty, SmallTraces) {
  for (uint64_t Length : {0, 1, 2, 3, 10, 63, 64, 65})
    for (uint64_t Seed = 0; Seed < seeds(8); ++Seed)
      if (!check(randomKnobs(Length * 1000 + Seed, Length), Seed, 300))
        return;
}

TEST_F(StoreProperty, AroundPowersOfTwo) {
  for (uint64_t Length : {255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047,
                          2048, 2049, 4095, 4096, 4097})
    for (uint64_t Seed = 0; Seed < seeds(4); ++Seed)
      if (!check(randomKnobs(Length * 1000 + Seed, Length), Seed, 300))
        return;
}

TEST_F(StoreProperty, ManySeeds) {
  for (uint64_t Seed = 0; Seed < seeds(120); ++Seed) {
    uint64_t Length = Rng(Seed).between(100, 6000);
    if (!check(randomKnobs(Seed, Length), Seed, 400))
      return;
  }
}

TEST_F(StoreProperty, LongTraces) {
  for (uint64_t Seed = 0; Seed < seeds(6); ++Seed)
    if (!check(randomKnobs(Seed + 777, 65536 + Seed * 1500 - 3), Seed, 400))
      return;
}

/// Long enough for whatever the builder cuts a trace into.
TEST_F(StoreProperty, SeveralSegments) {
  for (uint64_t Seed = 0; Seed < seeds(2); ++Seed) {
    TraceKnobs K = randomKnobs(Seed + 4242, 600000 + Seed);
    K.Registers = K.Memory = K.Values = true;
    K.ImpliedWrites = 0.0005;
    K.OutsideChanges = 0.001;
    if (!check(K, Seed, 150))
      return;
  }
}

/// One pc, one address, one lane: posting lists as long as the trace.
TEST_F(StoreProperty, TightLoop) {
  TraceKnobs K;
  K.Length = 100000;
  K.StaticInsns = 1;
  K.HeapBytes = 16;
  K.EffectVariation = 0.3;
  check(K, 5, 300);
}

/// A semihosting call that may have filled a large buffer.
TEST_F(StoreProperty, LargeImpliedWrites) {
  for (uint64_t Seed = 0; Seed < seeds(5); ++Seed) {
    TraceKnobs K = randomKnobs(Seed, 2000);
    K.Memory = K.Values = true;
    K.ImpliedWrites = 0.05;
    K.HeapBytes = 4096;
    if (!check(K, Seed, 500))
      return;
  }
}

TEST_F(StoreProperty, WrapAround) {
  for (uint64_t Seed = 0; Seed < seeds(25); ++Seed) {
    TraceKnobs K = randomKnobs(Seed, 1500);
    K.Memory = K.Values = true;
    K.WrapAround = 0.7;
    K.HeapBytes = 64;
    if (!check(K, Seed, 500))
      return;
  }
}

/// Few bytes that others change all the time, to and fro.
TEST_F(StoreProperty, ChangedFromOutside) {
  for (uint64_t Seed = 0; Seed < seeds(10); ++Seed) {
    TraceKnobs K = randomKnobs(Seed, 2500);
    K.Memory = K.Values = true;
    K.HeapBytes = 16;
    K.OutsideChanges = 0.3;
    if (!check(K, Seed, 400))
      return;
  }
}

/// All queries may come from several threads at once.
TEST_F(StoreProperty, ManyAskAtOnce) {
  TraceKnobs K = randomKnobs(99, 20000);
  K.Registers = K.Memory = K.Values = true;
  RandomTrace T(K, 99);
  NaiveModel Model;
  cantFail(T.feed(Model, BatchCut()));
  ASSERT_TRUE(build(T, path("store"), BatchCut()));
  std::unique_ptr<TraceStore> Store = open(path("store"));
  ASSERT_TRUE(Store);
  std::vector<std::thread> Threads;
  std::vector<std::string> Differences(4);
  for (unsigned I = 0; I < Differences.size(); ++I)
    Threads.emplace_back([&, I] {
      Differences[I] = StoreCheck(*Store, Model, I).randomQuestions(seeds(300));
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  for (const std::string &Difference : Differences)
    EXPECT_EQ(Difference, "");
}

//===----------------------------------------------------------------------===//
// One input makes one store
//===----------------------------------------------------------------------===//

TEST_F(StoreProperty, SameBytesWithAnyNumberOfThreads) {
  for (uint64_t Seed = 0; Seed < seeds(6); ++Seed) {
    RandomTrace T(randomKnobs(Seed, Seed == 0 ? 200000 : 3000), Seed);
    BatchCut Cut;
    ASSERT_TRUE(build(T, path("one"), Cut, 1));
    std::string One = contents(path("one"));
    for (unsigned Threads : {2, 4}) {
      ASSERT_TRUE(build(T, path("many"), Cut, Threads));
      ASSERT_TRUE(contents(path("many")) == One)
          << "seed " << Seed << " threads " << Threads;
    }
  }
}

/// Batches are no part of the trace, but for the offsets they tell.
TEST_F(StoreProperty, SameBytesWithAnyBatches) {
  for (uint64_t Seed = 0; Seed < seeds(6); ++Seed) {
    RandomTrace T(randomKnobs(Seed, Seed == 0 ? 100000 : 3000), Seed);
    ASSERT_TRUE(build(T, path("one"), {1, 1 << 30, false, false}, 2));
    std::string One = contents(path("one"));
    for (unsigned MaxInsns : {0, 3, 700, 20000}) {
      ASSERT_TRUE(build(T, path("many"), {Seed, MaxInsns, true, false}, 2));
      ASSERT_TRUE(contents(path("many")) == One)
          << "seed " << Seed << " batches of " << MaxInsns;
    }
  }
}

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

/// Compares what it is shown with the naive model, and writes two sections.
class CheckingObserver : public StreamObserver {
public:
  explicit CheckingObserver(const NaiveModel &Model) : Model(Model) {}

  void instruction(Moment When, const InsnItem &Insn, ArrayRef<RegItem> Regs,
                   ArrayRef<MemItem> Mems, const uint64_t *LaneValue,
                   const uint8_t *LaneKnown) override {
    ASSERT_EQ(When, Next);
    ++Next;
    const NaiveModel::Insn &Want = Model.insns()[When];
    ASSERT_EQ(Insn.PC, Want.Item.PC);
    ASSERT_EQ(Insn.Opcode, Want.Item.Opcode);
    ASSERT_EQ(Insn.Thread, Want.Item.Thread);
    ASSERT_EQ(Regs.size(), Want.EndReg - Want.FirstReg) << "#" << When;
    ASSERT_EQ(Mems.size(), Want.EndMem - Want.FirstMem) << "#" << When;
    for (size_t I = 0; I < Regs.size(); ++I)
      ASSERT_EQ(Regs[I].Lane, Model.regs()[Want.FirstReg + I].Lane);
    for (size_t I = 0; I < Mems.size(); ++I)
      ASSERT_EQ(Mems[I].Addr, Model.mems()[Want.FirstMem + I].Addr);
    if (When % 17)
      return;
    RegisterState State = Model.registersAt(Insn.Thread, When, 0);
    for (size_t Lane = 0; Lane < State.Known.size(); ++Lane) {
      if (!State.Known[Lane])
        continue; // the lane may not exist yet
      ASSERT_EQ(LaneKnown[Lane], State.Known[Lane])
          << "#" << When << " lane " << Lane;
      for (unsigned K = 0; K < 8; ++K)
        if (State.Known[Lane] >> K & 1) {
          ASSERT_EQ(uint8_t(LaneValue[Lane] >> 8 * K),
                    uint8_t(State.Value[Lane] >> 8 * K))
              << "#" << When << " lane " << Lane;
        }
    }
  }

  void event(Moment Before, const EventItem &Event) override {
    ASSERT_LT(NextEvent, Model.events().size());
    const StoredEvent &Want = Model.events()[NextEvent++];
    EXPECT_EQ(Before, Want.Before);
    EXPECT_EQ(Event.Text, Want.Text);
    EXPECT_EQ(Event.Value, Want.Value);
  }

  Error finish(const TraceHeader &Header, SectionWriter &Out) override {
    EXPECT_EQ(Header.Format, "random");
    EXPECT_EQ(Next, Model.numInstructions());
    EXPECT_EQ(NextEvent, Model.events().size());
    if (Error E = Out.begin("test.first"))
      return E;
    for (uint8_t I = 0; I < 100; ++I)
      if (Error E = Out.write({I, uint8_t(I + 1), uint8_t(I + 2)}))
        return E;
    if (Error E = Out.end())
      return E;
    if (Error E = Out.begin("test.empty"))
      return E;
    return Out.end();
  }

private:
  const NaiveModel &Model;
  Moment Next = 0;
  size_t NextEvent = 0;
};

TEST_F(StoreProperty, ObserversSeeTheTraceAndAddSections) {
  for (uint64_t Seed = 0; Seed < seeds(10); ++Seed) {
    SCOPED_TRACE(Seed);
    RandomTrace T(randomKnobs(Seed, 2000), Seed);
    NaiveModel Model;
    BatchCut Cut{Seed, unsigned(Seed * 13 % 90), true, true};
    cantFail(T.feed(Model, Cut));
    CheckingObserver Observer(Model);
    std::unique_ptr<StoreBuilder> B = builder(path("store"));
    ASSERT_TRUE(B);
    B->addObserver(Observer);
    Error E = T.feed(*B, Cut);
    ASSERT_FALSE(bool(E)) << toString(std::move(E));
    B.reset();
    std::unique_ptr<TraceStore> Store = open(path("store"));
    ASSERT_TRUE(Store);
    Expected<ArrayRef<uint8_t>> First = Store->section("test.first");
    ASSERT_TRUE(bool(First)) << toString(First.takeError());
    ASSERT_EQ(First->size(), 300u);
    EXPECT_EQ((*First)[299], 101);
    for (StringRef Name : {"test.empty", "test.none"}) {
      Expected<ArrayRef<uint8_t>> Empty = Store->section(Name);
      ASSERT_TRUE(bool(Empty)) << toString(Empty.takeError());
      EXPECT_TRUE(Empty->empty());
    }
    StoreCheck Check(*Store, Model, Seed);
    EXPECT_EQ(Check.randomQuestions(50), "");
  }
}

} // namespace
