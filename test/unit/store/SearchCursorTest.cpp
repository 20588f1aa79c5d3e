//===- SearchCursorTest.cpp - A cursor finds what the naive model does ----===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/SearchCursor.h"
#include "StoreTestSupport.h"
#include "core/store/StateCursor.h"
#include "core/store/TraceStore.h"

using namespace rw;
using namespace llvm;

namespace {

using Answer = std::optional<Moment>;

class SearchCursorTest : public StoreTest {
protected:
  /// Asks \p Search for one answer after the other, and then anywhere; how many
  /// there are.
  static uint64_t check(SearchCursor &Search, Moment End,
                        function_ref<Answer(Moment)> Want, Rng &R) {
    uint64_t Found = 0;
    for (Moment M = 0; M <= End; ++Found) {
      auto Got = Search.from(M);
      if (!Got) {
        ADD_FAILURE() << toString(Got.takeError());
        return 0;
      }
      const Answer Is = Want(M);
      EXPECT_EQ(*Got, Is) << "from " << M;
      if (*Got != Is || !Is)
        break;
      M = *Is + 1;
    }
    for (unsigned Asked = 0; Asked < 20; ++Asked) {
      const Moment M = R.chance(0.1) ? BeforeTrace : R.below(End + 2);
      auto Got = Search.from(M);
      if (!Got) {
        ADD_FAILURE() << toString(Got.takeError());
        return 0;
      }
      EXPECT_EQ(*Got, M >= End ? Answer() : Want(M)) << "anywhere, from " << M;
    }
    return Found;
  }
};

/// A cursor of states, which must tell of what it finds as the store does.
class AccessesByState final : public SearchCursor {
public:
  AccessesByState(const TraceStore &Store, uint64_t Addr, uint64_t Size,
                  AccessKind Kind)
      : Store(Store), Cursor(StateCursor::open(Store)), Addr(Addr), Kind(Kind),
        Bytes(Size), Known(Size) {}

  Expected<Answer> from(Moment From) override {
    llvm::fill(Bytes, 0);
    llvm::fill(Known, 0);
    auto M = Cursor->nextAccess(Addr, Kind, From, Bytes, Known);
    if (!M || !*M)
      return M;
    expectMemory(**M);
    auto Is = Cursor->at(**M);
    auto Want = Store.instruction(**M);
    if (!Is || !Want) {
      consumeError(Is.takeError());
      return Want.takeError();
    }
    EXPECT_EQ((*Is)->When, **M);
    EXPECT_EQ((*Is)->Pos, Want->Pos);
    EXPECT_EQ((*Is)->Line, Want->Line);
    EXPECT_EQ((*Is)->Insn.PC, Want->Insn.PC);
    EXPECT_EQ((*Is)->Insn.Time, Want->Insn.Time);
    EXPECT_EQ((*Is)->Regs.size(), Want->Regs.size());
    EXPECT_EQ((*Is)->Mems.size(), Want->Mems.size());
    for (size_t N = 0; N < Want->Mems.size(); ++N) {
      EXPECT_EQ((*Is)->Mems[N].Addr, Want->Mems[N].Addr);
      EXPECT_EQ((*Is)->Mems[N].Bytes, Want->Mems[N].Bytes);
    }
    llvm::fill(Bytes, 0);
    llvm::fill(Known, 0);
    if (Error E = Cursor->readMemory(**M + 1, Addr, Bytes, Known))
      return E;
    expectMemory(**M + 1);
    return M;
  }

private:
  void expectMemory(Moment M) {
    std::vector<uint8_t> Its(Bytes.size()), ItsKnown(Bytes.size());
    cantFail(Store.memoryAt(M, Addr, Its, ItsKnown));
    EXPECT_EQ(Known, ItsKnown) << "at " << M;
    for (size_t N = 0; N < Its.size(); ++N)
      EXPECT_TRUE(!Known[N] || Bytes[N] == Its[N]) << "at " << M;
  }

  const TraceStore &Store;
  const std::unique_ptr<StateCursor> Cursor;
  const uint64_t Addr;
  const AccessKind Kind;
  std::vector<uint8_t> Bytes, Known;
};

TEST_F(SearchCursorTest, FindsWhatTheModelFinds) {
  uint64_t Accesses = 0, Writes = 0, Visits = 0;
  for (uint64_t Seed = 0; Seed < 18; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    RandomTrace T(
        randomKnobs(Seed, std::vector<uint64_t>{1, 70, 3000}[Seed % 3]), Seed);
    NaiveModel Model;
    cantFail(T.feed(Model, {}));
    ASSERT_TRUE(build(T, path("store"), {}));
    auto Store = open(path("store"));
    ASSERT_TRUE(Store);
    const uint64_t N = Store->numInstructions();
    Rng R(Seed);
    for (unsigned Search = 0; Search < 12 && !HasFailure(); ++Search) {
      const auto &Mems = Model.mems();
      if (!Mems.empty()) {
        const uint64_t Addr = R.pick(Mems).Addr + R.below(20) - 10,
                       Size = R.chance(0.2) ? R.below(5000) : R.below(20);
        const AccessKind Kind = AccessKind(R.between(1, 3));
        auto Next = [&](Moment M) {
          return Model.nextAccess(Addr, Size, Kind, M - 1);
        };
        auto Cursor = SearchCursor::accesses(*Store, Addr, Size, Kind);
        Accesses += check(*Cursor, N, Next, R);
        if (Size < 20) {
          AccessesByState States(*Store, Addr, Size, Kind);
          check(States, N, Next, R);
        }
      }
      const auto &Regs = Model.regs();
      if (!Regs.empty()) {
        const RegItem &Some = R.pick(Regs);
        const unsigned Lane = Some.Lane + (R.chance(0.1) ? R.below(70) : 0);
        const ThreadIndex Thread =
            ThreadIndex(R.below(Store->numThreads() + 1));
        const uint8_t Mask = uint8_t(R.between(1, 255));
        auto Cursor = SearchCursor::registerWrites(*Store, Thread, Lane, Mask);
        Writes += check(
            *Cursor, N,
            [&](Moment M) {
              return Model.nextRegisterWrite(Thread, Lane, Mask, M - 1);
            },
            R);
      }
      if (N) {
        const uint64_t PC = R.pick(Model.insns()).Item.PC;
        std::optional<ThreadIndex> Thread;
        if (R.chance(0.5))
          Thread = ThreadIndex(R.below(Store->numThreads()));
        auto Cursor = SearchCursor::visits(*Store, PC, Thread);
        Visits += check(
            *Cursor, N,
            [&](Moment M) { return Model.visitAtOrAfter(PC, M, Thread); }, R);
      }
    }
  }
  EXPECT_GT(Accesses, 1000u);
  EXPECT_GT(Writes, 1000u);
  EXPECT_GT(Visits, 1000u);
}

} // namespace
