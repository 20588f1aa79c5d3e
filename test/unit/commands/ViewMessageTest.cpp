//===- ViewMessageTest.cpp ------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/HttpGuard.h"
#include "commands/view/Message.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {

std::string problem(llvm::StringRef Text) {
  ViewMessage M;
  return llvm::toString(parseViewMessage(Text, M));
}

TEST(ViewMessage, IsTakenApart) {
  ViewMessage M;
  llvm::Error Wrong = parseViewMessage(
      R"({"n": 7, "ask": [{"what": "rows", "at": 5, "of": "x0",)"
      R"( "fold": ["a", "b"], "back": true, "none": null}]})",
      M);
  ASSERT_FALSE(bool(Wrong)) << llvm::toString(std::move(Wrong));
  EXPECT_EQ(M.Number, 7u);
  ASSERT_EQ(M.Ask.size(), 1u);
  const ViewFields &F = M.Ask[0].Fields;
  EXPECT_EQ(M.Ask[0].What, "rows");
  EXPECT_EQ(llvm::cantFail(F.number("at", 5)), 5u);
  EXPECT_EQ(llvm::cantFail(F.numberOr("none", 5, 3)), 3u);
  EXPECT_EQ(llvm::cantFail(F.text("of")), "x0");
  EXPECT_EQ(llvm::cantFail(F.textOr("missing", "y")), "y");
  EXPECT_TRUE(llvm::cantFail(F.flag("back")));
  EXPECT_FALSE(llvm::cantFail(F.flag("missing")));
  EXPECT_EQ(llvm::cantFail(F.texts("fold")),
            (std::vector<std::string>{"a", "b"}));
  auto Told = [](auto V) { return llvm::toString(V.takeError()); };
  EXPECT_EQ(Told(F.number("at", 4)), "'at' must be a number from 0 to 4");
  EXPECT_EQ(Told(F.number("of", 4)), "'of' must be a number from 0 to 4");
  EXPECT_EQ(Told(F.number("missing", 4)),
            "'missing' must be a number from 0 to 4");
  EXPECT_EQ(Told(F.text("of", 1)), "'of' must be a text of at most 1 bytes");
  EXPECT_EQ(Told(F.flag("at")), "'at' must be true or false");
  EXPECT_EQ(Told(F.texts("of")), "'of' must be a list of at most 64 texts");
}

TEST(ViewMessage, ThatIsNoneIsRefused) {
  for (llvm::StringRef Bad :
       {"", "{", "[]", "5", R"({"n": 1})", R"({"n": -1, "ask": []})",
        R"({"n": 1.5, "ask": []})", R"({"n": 1, "ask": [5]})",
        R"({"n": 1, "ask": [{"what": 5}]})"})
    EXPECT_NE(problem(Bad), "") << Bad.str();
  EXPECT_NE(problem(std::string(1 << 17, ' ')), "");
  EXPECT_NE(problem(std::string(60000, '[')), "");
  EXPECT_EQ(problem(R"({"n": 1, "ask": []})"), "");
}

TEST(ViewMessage, KeepsItsNumberWhateverItAsks) {
  auto NumberOf = [](llvm::StringRef Bad) {
    ViewMessage M;
    EXPECT_NE(llvm::toString(parseViewMessage(Bad, M)), "") << Bad.str();
    return M.Number;
  };
  for (llvm::StringRef Bad :
       {R"({"n": 7})", R"({"n": 7, "ask": {}})", R"({"n": 7, "ask": [5]})",
        R"({"n": 7, "ask": [{}]})", R"({"ask": [{"what": 5}], "n": 7})",
        R"({"n": 7, "ask": [{"what": "hello"}, {"what": null}]})"})
    EXPECT_EQ(NumberOf(Bad), 7u) << Bad.str();
  for (llvm::StringRef Bad : {R"({"n": 7)", R"([7])", R"({"ask": []})",
                              R"({"n": "7", "ask": [{"what": 5}]})"})
    EXPECT_EQ(NumberOf(Bad), std::nullopt) << Bad.str();
}

TEST(ViewMessage, TheFirstOneHasTheToken) {
  EXPECT_EQ(parseViewToken(R"({"token": "ab"})"), "ab");
  for (llvm::StringRef Bad : {"", "ab", "{}", R"({"token": 5})", "[]"})
    EXPECT_EQ(parseViewToken(Bad), std::nullopt) << Bad.str();
  EXPECT_TRUE(sameToken("abcd", "abcd"));
  for (llvm::StringRef Bad : {"", "abc", "abce", "abcde", "bbcd"})
    EXPECT_FALSE(sameToken(Bad, "abcd")) << Bad.str();
}

TEST(HttpGuard, KnowsItsOwnNames) {
  for (llvm::StringRef Good : {"127.0.0.1:80", "localhost:80", "[::1]:80"})
    EXPECT_TRUE(isOurHost(Good, 80)) << Good.str();
  for (llvm::StringRef Bad :
       {"", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:81", "127.0.0.1:080x",
        "127.0.0.1:+80", "127.0.0.1:80:80", "127.0.0.1.example:80",
        "localhost.:80", "xlocalhost:80", "[::1", "[::1]", "[::2]:80",
        "127.0.0.1:65616", "a@127.0.0.1:80", "127.0.0.1:-80"})
    EXPECT_FALSE(isOurHost(Bad, 80)) << Bad.str();
}

TEST(HttpGuard, AnswersItsOwnPageOnly) {
  HttpRequestFacts Page;
  Page.Method = "GET";
  Page.Target = "/";
  Page.Host = "127.0.0.1:80";
  Page.NumHosts = 1;
  auto Status = [](const HttpRequestFacts &R) {
    auto Refusal = refuse(R, 80);
    return Refusal ? Refusal->Status : 200;
  };
  EXPECT_EQ(Status(Page), 200u);
  auto With = [&](auto Change) {
    HttpRequestFacts R = Page;
    Change(R);
    return Status(R);
  };
  using Facts = HttpRequestFacts;
  EXPECT_EQ(With([](Facts &R) { R.NumHosts = 0; }), 403u);
  EXPECT_EQ(With([](Facts &R) { R.NumHosts = 2; }), 403u);
  EXPECT_EQ(With([](Facts &R) { R.Host = "evil:80"; }), 403u);
  EXPECT_EQ(With([](Facts &R) {
              R.NumOrigins = 1;
              R.Origin = "http://127.0.0.1:80";
            }),
            200u);
  EXPECT_EQ(With([](Facts &R) {
              R.NumOrigins = 1;
              R.Origin = "http://localhost:80";
            }),
            403u);
  EXPECT_EQ(With([](Facts &R) { R.FetchSite = "cross-site"; }), 403u);
  EXPECT_EQ(With([](Facts &R) { R.FetchSite = "same-origin"; }), 200u);
  EXPECT_EQ(With([](Facts &R) { R.Method = "POST"; }), 405u);
  EXPECT_EQ(With([](Facts &R) { R.HasBody = true; }), 400u);
  EXPECT_EQ(With([](Facts &R) { R.Target = "/ask"; }), 426u);
  EXPECT_EQ(With([](Facts &R) { R.IsUpgrade = true; }), 404u);
  EXPECT_EQ(With([](Facts &R) {
              R.IsUpgrade = true;
              R.Target = "/ask";
            }),
            200u);
}

} // namespace
