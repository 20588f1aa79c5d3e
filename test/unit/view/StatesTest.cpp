//===- StatesTest.cpp -----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Panes and tracks of random traces against the naive model.
//
//===----------------------------------------------------------------------===//

#include "core/view/States.h"
#include "core/store/TraceStore.h"
#include "core/view/EventTrack.h"
#include "test/unit/store/StoreTestSupport.h"
#include <map>

using namespace rw;

namespace {

template <class T> T value(llvm::Expected<T> V) {
  EXPECT_TRUE(bool(V)) << llvm::toString(V.takeError());
  return std::move(*V);
}

class ViewOfRandomTrace : public StoreTest,
                          public testing::WithParamInterface<uint64_t> {
protected:
  void SetUp() override {
    StoreTest::SetUp();
    TraceKnobs Knobs = randomKnobs(GetParam(), 1500);
    if (GetParam() % 2)
      Knobs.Events = 0.2;
    Trace.emplace(Knobs, GetParam());
    ASSERT_TRUE(build(*Trace, path("a.rewind"), {}));
    Store = open(path("a.rewind"));
    ASSERT_TRUE(Store);
    ASSERT_FALSE(bool(Trace->feed(Model, {})));
  }
  std::optional<RandomTrace> Trace;
  std::unique_ptr<TraceStore> Store;
  NaiveModel Model;
};

TEST_P(ViewOfRandomTrace, RegistersAndMemoryAreThoseOfTheModel) {
  Rng R(GetParam());
  uint64_t N = Store->numInstructions();
  std::vector<uint64_t> Touched = Model.touchedGranules();
  for (unsigned Step = 0; Step < 25; ++Step) {
    Moment At = R.below(N + 1), Since = R.below(N + 1);
    ThreadIndex T = ThreadIndex(R.below(Store->numThreads()));
    unsigned Lanes = Store->registerFile().numLanes();
    RegisterState Now = Model.registersAt(T, At, Lanes);
    RegisterState Then = Model.registersAt(T, Since, Lanes);
    std::vector<bool> Shown(Lanes);
    for (const RegisterRow &Row : value(registerRows(*Store, T, At, Since))) {
      RegisterSlice S = Row.Register->Slice;
      bool AnyChanged = false, AnyKnown = false;
      for (unsigned B = 0; B < S.Size; ++B) {
        unsigned Byte = S.Lane * 8 + S.Offset + B;
        Shown[Byte / 8] = true;
        auto Of = [&](const RegisterState &State) -> std::optional<uint8_t> {
          if (!(State.Known[Byte / 8] >> Byte % 8 & 1))
            return std::nullopt;
          return uint8_t(State.Value[Byte / 8] >> Byte % 8 * 8);
        };
        std::optional<uint8_t> New = Of(Now), Old = Of(Then);
        ASSERT_EQ(Row.Bytes[B].Known, New.has_value());
        ASSERT_EQ(Row.Bytes[B].Value, New.value_or(0));
        ASSERT_EQ(Row.Bytes[B].Changed, New != Old) << Row.Register->Name;
        AnyChanged |= New != Old;
        AnyKnown |= New.has_value();
      }
      ASSERT_EQ(Row.changed(), AnyChanged);
      ASSERT_EQ(Row.anyKnown(), AnyKnown);
    }
    // No lane that holds something is left out.
    for (const RegisterInfo &I : Store->registerFile().registers())
      if (!I.IsPC) {
        ASSERT_TRUE(Shown[I.Slice.Lane + I.Slice.Offset / 8]) << I.Name;
      }
    if (Touched.empty())
      continue;
    uint64_t Addr = R.pick(Touched) - R.below(20);
    size_t Size = 1 + R.below(80);
    auto New = Model.memoryAt(At, Addr, Size);
    auto Old = Model.memoryAt(Since, Addr, Size);
    // The image tells every third byte.
    auto Image = [](uint64_t A, llvm::MutableArrayRef<uint8_t> Bytes,
                    llvm::MutableArrayRef<uint8_t> Known) {
      for (size_t I = 0; I < Bytes.size(); ++I)
        if (!Known[I] && (A + I) % 3 == 0) {
          Bytes[I] = uint8_t(A + I);
          Known[I] = 1;
        }
    };
    auto Bytes = value(memoryBytes(*Store, Addr, Size, At, Since, Image));
    ASSERT_EQ(Bytes.size(), Size);
    for (size_t I = 0; I < Size; ++I) {
      for (auto *Byte : {&New[I], &Old[I]})
        if (!Byte->Known && (Addr + I) % 3 == 0) {
          Byte->Known = true;
          Byte->Value = uint8_t(Addr + I);
        }
      ViewByte Want{New[I].Known ? New[I].Value : uint8_t(0), New[I].Known,
                    New[I].Known != Old[I].Known ||
                        (New[I].Known && New[I].Value != Old[I].Value)};
      ASSERT_EQ(Bytes[I], Want) << Addr + I << " at " << At;
    }
  }
}

TEST_P(ViewOfRandomTrace, EventsAreInTheirBuckets) {
  Rng R(GetParam());
  EventTrack Track = value(EventTrack::build(*Store, {}));
  ASSERT_TRUE(Track.complete());
  bool Any = false;
  for (ThreadIndex T = 0; T < Store->numThreads(); ++T) {
    uint64_t N = Store->numInstructions(T);
    for (unsigned Step = 0; Step < 20; ++Step) {
      Position From = R.below(N + 1), To = From + 1 + R.below(N + 1 - From);
      BucketGrid G(From, To, 2 + R.below(100));
      std::map<std::pair<unsigned, uint64_t>, std::pair<Position, uint64_t>>
          Want;
      std::map<unsigned, std::vector<Position>> ByKind;
      for (const RandomTrace::Event &E : Trace->Events) {
        if (E.Item.Thread != T || E.Item.Kind == EventKind::ClockTick ||
            E.Item.Kind == EventKind::SyncPoint ||
            E.Item.Kind == EventKind::ModeChange)
          continue;
        Position P = Model.positionOf(T, E.Before);
        ByKind[unsigned(E.Item.Kind)].push_back(P);
        if (P < G.begin(G.First) || P >= G.begin(G.End))
          continue;
        auto &Cell = Want[{unsigned(E.Item.Kind), P >> G.Log2}];
        if (!Cell.second++)
          Cell.first = P;
      }
      Position Last = 0;
      auto Cells = Track.cells(T, G);
      ASSERT_EQ(Cells.size(), Want.size());
      for (const EventCell &C : Cells) {
        Any = true;
        auto It = Want.find({unsigned(C.Kind), C.First >> G.Log2});
        ASSERT_NE(It, Want.end());
        ASSERT_EQ(C.First, It->second.first);
        ASSERT_EQ(C.Count, It->second.second);
        ASSERT_LE(Last, C.First);
        Last = C.First;
        ASSERT_EQ(value(Store->event(C.Index)).Kind, C.Kind);
      }
      for (auto &[Kind, Places] : ByKind) {
        auto Next = std::upper_bound(Places.begin(), Places.end(), From);
        auto Found = Track.next(T, EventKind(Kind), From);
        ASSERT_EQ(Found.has_value(), Next != Places.end());
        if (Found) {
          ASSERT_EQ(Found->First, *Next);
        }
        auto Before = std::lower_bound(Places.begin(), Places.end(), From);
        Found = Track.last(T, EventKind(Kind), From);
        ASSERT_EQ(Found.has_value(), Before != Places.begin());
        if (Found) {
          ASSERT_EQ(Found->First, *std::prev(Before));
        }
      }
    }
  }
  EXPECT_TRUE(Any || GetParam() % 2 == 0);
}

TEST_P(ViewOfRandomTrace, TooManyEventsAreSaidToBeMore) {
  EventTrack Track = value(EventTrack::build(*Store, {}, 1));
  EventTrack All = value(EventTrack::build(*Store, {}));
  uint64_t Kept = 0, There = 0;
  for (ThreadIndex T = 0; T < Store->numThreads(); ++T) {
    BucketGrid G(0, Store->numInstructions(T) + 1, 10);
    for (const EventCell &C : Track.cells(T, G))
      Kept += C.Count;
    for (const EventCell &C : All.cells(T, G))
      There += C.Count;
  }
  EXPECT_EQ(Kept, std::min<uint64_t>(There, 1));
  EXPECT_EQ(Track.complete(), There <= 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ViewOfRandomTrace,
                         testing::Range<uint64_t>(1, 25));

} // namespace
