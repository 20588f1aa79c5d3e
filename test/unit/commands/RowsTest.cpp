//===- RowsTest.cpp - Rows are as the objects they stand for --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "commands/questions/InstructionRows.h"
#include "commands/support/Access.h"
#include "commands/support/JsonRows.h"
#include "commands/support/Listing.h"
#include "core/store/TraceStore.h"
#include "test/unit/support/RandomTrace.h"
#include <random>

using namespace llvm;
using namespace rw;

namespace {

/// Names with all that JSON and terminals need to have escaped.
class StrangeSymbols final : public SymbolSource {
public:
  std::optional<CodeSymbol> symbolizeCode(uint64_t Addr) override {
    if (Addr % 3 == 0)
      return std::nullopt;
    CodeSymbol S;
    S.Function =
        "a \"name\"\\\t\x1b\xc2\x85\xe2\x80\xae" + std::string(Addr % 7, 'x');
    S.Start = Addr & ~uint64_t(15);
    if (Addr % 5)
      S.Frames.push_back({"inner", "/a dir/\"b\".c", unsigned(Addr % 9), 0});
    if (Addr % 2)
      S.Frames.push_back({S.Function, "/b.c", 3, 0});
    return S;
  }
  std::optional<DataSymbol> symbolizeData(uint64_t) override {
    return std::nullopt;
  }
  std::vector<DataSymbol> findSymbol(StringRef) override { return {}; }
  uint64_t behindPrologue(uint64_t Start) override { return Start; }
  Expected<std::vector<uint64_t>> findLine(StringRef, unsigned) override {
    return std::vector<uint64_t>();
  }
  std::optional<ImageSection> sectionAt(uint64_t) override {
    return std::nullopt;
  }
  size_t readImage(uint64_t, MutableArrayRef<uint8_t>) override { return 0; }
};

class RowsTest : public TinyTrace {
protected:
  static constexpr unsigned Seeds = 30;

  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("rewind-rows", Folder));
    Symbols = &Strange;
    InDebugger = false;
  }

  void make(uint64_t Seed) {
    Store.reset();
    RandomTrace T(randomKnobs(Seed, 400), Seed);
    auto Builder = StoreBuilder::create(path("random.rewind"), {}, {});
    ASSERT_TRUE(bool(Builder)) << toString(Builder.takeError());
    ASSERT_FALSE(errorToBool(T.feed(**Builder, {})));
    auto Opened = TraceStore::open(path("random.rewind"));
    ASSERT_TRUE(bool(Opened)) << toString(Opened.takeError());
    Store = std::move(*Opened);
  }

  StrangeSymbols Strange;
};

} // namespace

TEST_F(RowsTest, ListTellsWhatTheObjectTells) {
  for (uint64_t Seed = 0; Seed < Seeds; ++Seed) {
    make(Seed);
    ASSERT_TRUE(Store);
    Session S(*Store, nulls(), Memory);
    S.Symbols = Symbols;
    auto Teller = InstructionJson::open(S);
    auto Rows = InstructionRows::open(S);
    ASSERT_TRUE(Teller && Rows);
    auto Cursor = Store->cursor(true);
    while (const Instruction *I = Cursor->next()) {
      const bool Happens = I->When % 50 == 1;
      auto Object = Teller->tell(*I);
      ASSERT_TRUE(bool(Object)) << toString(Object.takeError());
      if (Happens)
        (*Object)["events"] = json::Array{json::Object{{"kind", "mark\x7f"}}};
      std::string Want, Got;
      raw_string_ostream OS(Want);
      printJsonLine(OS, std::move(*Object));
      json::Array Events;
      if (Happens)
        Events.push_back(json::Object{{"kind", "mark\x7f"}});
      ASSERT_FALSE(errorToBool(Rows->json(Got, *I, std::move(Events))));
      ASSERT_EQ(Got, Want) << "seed " << Seed;
    }
  }
}

TEST_F(RowsTest, HistoryTellsWhatTheObjectsTell) {
  unsigned Told = 0;
  for (uint64_t Seed = 0; Seed < Seeds; ++Seed) {
    make(Seed);
    ASSERT_TRUE(Store);
    Session S(*Store, nulls(), Memory);
    S.Symbols = Symbols;
    std::vector<std::string> Places = {"x0", "w1", "sp", "x5"};
    auto Cursor = Store->cursor(true);
    while (const Instruction *I = Cursor->next())
      for (const MemAccess &M : I->Mems)
        if (I->When % 16 == 0 && !M.Bytes.empty())
          Places.push_back(hex(M.Addr));
    for (const std::string &Text : Places) {
      auto L = parseLocation(S, {0, 0}, Text, 8);
      if (!L) { // another architecture's register
        consumeError(L.takeError());
        continue;
      }
      const bool IsRegister = L->Where == Location::Register;
      const AccessKind Kind = IsRegister ? AccessKind::Write : AccessKind::Any;
      std::vector<StringRef> Words = {"history", Text, "--json", "--size", "8"};
      if (!IsRegister)
        Words.push_back("--reads");
      json::Array Items;
      for (Moment M = 0;; ++M) {
        auto Found = accessFrom(*Store, *L, Kind, M);
        ASSERT_TRUE(bool(Found)) << toString(Found.takeError());
        if (!*Found)
          break;
        M = **Found;
        auto A = explainAccess(S, *L, Kind, M);
        ASSERT_TRUE(bool(A)) << toString(A.takeError());
        json::Object O = toJson(S, *A);
        O["changed"] = A->Write && A->Old != A->New;
        Items.push_back(std::move(O));
      }
      if (Items.empty())
        continue;
      Told += unsigned(Items.size());
      Ending End;
      End.Searched = {0, Store->numInstructions()};
      json::Object Whole = listJson(std::move(Items), End);
      Whole["location"] = toJson(*L);
      auto Initial = readLocation(S, *L, 0);
      ASSERT_TRUE(bool(Initial)) << toString(Initial.takeError());
      putValue(S, Whole, "initial", *Initial);
      std::string Want;
      raw_string_ostream OS(Want);
      printJson(OS, std::move(Whole));
      ASSERT_EQ(run(Words), Want) << "seed " << Seed << " " << Text;
    }
  }
  EXPECT_GT(Told, 1000u);
}

TEST_F(RowsTest, VisitsAreToldAsObjects) {
  unsigned Told = 0;
  for (uint64_t Seed = 0; Seed < Seeds; ++Seed) {
    make(Seed);
    ASSERT_TRUE(Store);
    Session S(*Store, nulls(), Memory);
    S.Symbols = Symbols;
    const std::vector<uint64_t> PCs = Store->distinctPCs();
    for (size_t K = 0; K < PCs.size(); K += 9) {
      const std::string PC = hex(PCs[K]);
      json::Array Found, Values;
      for (Moment M = 0;; ++M) {
        auto At = Store->visitAtOrAfter(PCs[K], M);
        ASSERT_TRUE(bool(At)) << toString(At.takeError());
        if (!*At)
          break;
        M = **At;
        auto I = Store->instruction(M);
        ASSERT_TRUE(bool(I)) << toString(I.takeError());
        json::Object O = placeJson(S, *I);
        auto L = parseLocation(S, {I->Thread, M}, "[0x100]", 8);
        if (L) {
          auto V = readLocation(S, *L, M);
          ASSERT_TRUE(bool(V)) << toString(V.takeError());
          json::Object E = O;
          E["value"] = toJson(*V);
          Values.push_back(std::move(E));
        } else {
          consumeError(L.takeError());
        }
        addOutcome(O, I->Insn);
        Found.push_back(std::move(O));
      }
      Told += unsigned(Found.size());
      Ending End;
      End.Searched = {0, Store->numInstructions()};
      auto Text = [&](json::Array Items, json::Object More) {
        json::Object Whole = listJson(std::move(Items), End);
        for (auto &[Key, V] : More)
          Whole[Key] = std::move(V);
        std::string Out;
        raw_string_ostream OS(Out);
        printJson(OS, std::move(Whole));
        return Out;
      };
      ASSERT_EQ(run({"find", PC, "--all", "--json"}),
                Text(std::move(Found), json::Object{{"answered_by", "index"}}))
          << "seed " << Seed;
      if (Values.empty())
        continue;
      ASSERT_EQ(run({"eval", "[0x100]", "--size", "8", "--at", PC, "--json"}),
                Text(std::move(Values),
                     json::Object{{"expression", "[0x100]"}, {"at", PC}}))
          << "seed " << Seed;
    }
  }
  EXPECT_GT(Told, 1000u);
}

static std::string printed(json::Object O) {
  std::string Text;
  raw_string_ostream OS(Text);
  printJson(OS, std::move(O));
  return Text;
}

TEST(JsonItems, RowsOfOneInstructionMayHaveOtherFields) {
  std::mt19937 Random(3);
  constexpr StringRef Names[] = {"b", "bb", "d", "f", "x"};
  for (unsigned Round = 0; Round < 200; ++Round) {
    json::Object Fixed;
    for (StringRef Name : {"a", "bc", "e", "z"})
      if (Random() % 2)
        Fixed[Name] = Random() % 2 ? json::Value(1) : json::Array{"\n", 2};
    std::string Got;
    raw_string_ostream OS(Got);
    json::Array Want;
    {
      JsonItems Items(OS);
      JsonFields Fields = Items.rows().prepare(json::Object(Fixed));
      for (unsigned N = Random() % 9; N > 0; --N) {
        json::Object O = Fixed;
        JsonRows &Row = Items.begin(Fields);
        for (StringRef Name : Names)
          if (Random() % 4) {
            const std::string Value(Random() % 3, '"');
            Row.textField(Name, Value);
            O[Name] = Value;
          }
        Row.end();
        Want.push_back(std::move(O));
      }
      Items.print(json::Object{{"complete", true}});
    }
    ASSERT_EQ(Got, printed(json::Object{{"complete", true},
                                        {"items", std::move(Want)}}))
        << Round;
  }
}

TEST(JsonItems, LongListsArePrintedAsTheyAreFound) {
  const json::Object Item{{"text", std::string(1000, 'x')}};
  for (const bool Ends : {true, false})
    for (const unsigned Count : {3u, 5000u}) {
      std::string Got;
      raw_string_ostream OS(Got);
      {
        JsonItems Items(OS);
        for (unsigned N = 0; N < Count; ++N) {
          Items.add(json::Object(Item));
          ASSERT_GE(Got.size() + (1 << 20) + 2000, size_t(N) * 1000);
        }
        if (Ends)
          Items.print(json::Object{{"complete", true}, {"zeal", 1}});
      }
      // What fails early tells nothing.
      if (!Ends && Count == 3) {
        ASSERT_EQ(Got, "");
        continue;
      }
      json::Array All;
      for (unsigned N = 0; N < Count; ++N)
        All.push_back(json::Object(Item));
      json::Object Want{{"complete", Ends}, {"items", std::move(All)}};
      if (Ends)
        Want["zeal"] = 1;
      auto Parsed = json::parse(Got);
      ASSERT_TRUE(bool(Parsed)) << toString(Parsed.takeError());
      EXPECT_TRUE(*Parsed == json::Value(std::move(Want)));
    }
}
