//===- JsonPageTest.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/mcp/JsonPage.h"
#include "core/support/Json.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw;
using namespace llvm;

namespace {

using Random = std::mt19937_64;

std::optional<std::string> pageOf(StringRef Text, uint64_t N, size_t Bytes,
                                  Random *Cuts = nullptr) {
  JsonPage P(N, Bytes);
  for (StringRef Rest = Text; !Rest.empty();) {
    const size_t Size = Cuts ? (*Cuts)() % 7 + 1 : Rest.size();
    P << Rest.take_front(Size);
    Rest = Rest.drop_front(std::min(Size, Rest.size()));
  }
  P.finish();
  return P.text();
}

/// All pages put together again, as a client does it.
json::Object joined(StringRef Text, size_t Bytes, Random *Cuts = nullptr) {
  json::Object All;
  std::string Part, Of; // a long text, as far as it is there
  bool InList = false;
  auto endPart = [&] {
    if (Part.empty())
      return;
    json::Value V = cantFail(parseJson(Part));
    if (InList)
      All.getArray(Of)->push_back(std::move(V));
    else
      All[Of] = std::move(V);
    Part.clear();
  };
  int64_t Index = -1;
  for (int64_t N = 1;; ++N) {
    auto Page = pageOf(Text, uint64_t(N), Bytes, Cuts);
    if (!Page)
      break;
    EXPECT_LE(Page->size(), Bytes + 300);
    json::Object O = *cantFail(parseJson(*Page)).getAsObject();
    const bool Last = !pageOf(Text, uint64_t(N) + 1, Bytes);
    EXPECT_EQ(O.getInteger("page"),
              N == 1 && Last ? std::nullopt : std::optional<int64_t>(N));
    EXPECT_EQ(O.getInteger("next_page"),
              Last ? std::nullopt : std::optional<int64_t>(N + 1));
    O.erase("page");
    O.erase("next_page");
    const json::Object *P = O.getObject("part");
    const int64_t Now = P ? P->getInteger("index").value_or(-1) : -1;
    if (!P || *P->getString("of") != Of || Now != Index)
      endPart();
    if (P) {
      Of = P->getString("of")->str();
      InList = P->get("index");
      Index = Now;
      Part += *P->getString("text");
      O.erase("part");
    }
    for (auto &[Key, V] : O) {
      json::Array *More = V.getAsArray(), *Old = All.getArray(Key);
      if (More && Old)
        for (json::Value &Item : *More)
          Old->push_back(std::move(Item));
      else
        All[Key] = std::move(V);
    }
    if (Last)
      endPart();
  }
  return All;
}

json::Value anything(Random &R, unsigned Depth);

std::string anyText(Random &R, size_t Most) {
  static constexpr StringLiteral Some[] = {"a",      "\"", "\\", "\n", "\u00e9",
                                           "\u20ac", "{",  "]",  ", ", ": "};
  std::string Text;
  for (size_t N = R() % (Most + 1); N; --N)
    Text += Some[R() % std::size(Some)];
  return Text;
}

json::Value anything(Random &R, unsigned Depth) {
  switch (R() % (Depth ? 7 : 5)) {
  case 0:
    return nullptr;
  case 1:
    return R() % 2 == 0;
  case 2:
    return int64_t(R() % 100000) - 50000;
  case 3:
    return anyText(R, 12);
  case 4:
    return anyText(R, R() % 8 ? 3 : 700);
  case 5: {
    json::Array A;
    for (size_t N = R() % 6; N; --N)
      A.push_back(anything(R, Depth - 1));
    return A;
  }
  default: {
    json::Object O;
    for (size_t N = R() % 5; N; --N)
      O["k" + std::to_string(R() % 9)] = anything(R, Depth - 1);
    return O;
  }
  }
}

TEST(JsonPage, PagesMakeTheWhole) {
  Random R(7);
  bool Several = false, Parts = false;
  for (unsigned Round = 0; Round < 400; ++Round) {
    json::Object O;
    for (size_t N = R() % 4; N; --N)
      O["m" + std::to_string(N)] = anything(R, 3);
    for (size_t N = R() % 3; N; --N) {
      json::Array A;
      for (size_t M = R() % 40; M; --M)
        A.push_back(anything(R, 3));
      O["l" + std::to_string(N)] = std::move(A);
    }
    const std::string Text =
        formatv("{0:2}\n", json::Value(json::Object(O))).str();
    for (size_t Bytes : {size_t(200), size_t(1000), size_t(1) << 20}) {
      Random Cuts(Round);
      EXPECT_EQ(joined(Text, Bytes, &Cuts), O) << Text << " in " << Bytes;
      auto First = *pageOf(Text, 1, Bytes);
      Several |= StringRef(First).contains("\"next_page\"");
      Parts |= StringRef(First).contains("\"part\"");
    }
  }
  EXPECT_TRUE(Several && Parts);
}

TEST(JsonPage, ListsAndLinesAreItems) {
  Random R(8);
  for (unsigned Round = 0; Round < 200; ++Round) {
    json::Array A;
    std::string Lines;
    for (size_t N = R() % 30 + 1; N; --N) {
      // A line is an object.
      A.push_back(json::Object{{"n", int64_t(N)}, {"of", anything(R, 2)}});
      Lines += formatv("{0}\n", A.back()).str();
    }
    const std::string List =
        formatv("{0:2}\n", json::Value(json::Array(A))).str();
    const json::Object Items{{"items", std::move(A)}};
    for (size_t Bytes : {size_t(200), size_t(1) << 20}) {
      EXPECT_EQ(joined(List, Bytes), Items);
      EXPECT_EQ(joined(Lines, Bytes), Items);
    }
  }
}

TEST(JsonPage, OneMemberOnEachPage) {
  json::Array A;
  for (int N = 0; N < 100; ++N)
    A.push_back(N + 100);
  const std::string Text =
      formatv("{0:2}\n", json::Value(json::Object{{"complete", false},
                                                  {"items", std::move(A)},
                                                  {"note", "why"}}))
          .str();
  json::Object Second =
      *cantFail(parseJson(*pageOf(Text, 2, 200))).getAsObject();
  EXPECT_EQ(Second.getBoolean("complete"), false);
  EXPECT_EQ(Second.getString("note"), "why");
  EXPECT_EQ(Second.getInteger("next_page"), 3);
  EXPECT_EQ(pageOf(Text, 99, 200), std::nullopt);
  EXPECT_EQ(pageOf("{}\n", 1, 100), "{}");
}

} // namespace
