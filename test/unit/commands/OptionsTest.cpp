//===- OptionsTest.cpp ----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/CommandNames.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace llvm;
using namespace rw;

static constexpr OptionSpec Table[] = {opt::Json, opt::Count, opt::At,
                                       opt::Goto};

static Expected<ParsedOptions> parse(std::vector<StringRef> Words) {
  return parseOptions({ArrayRef(Table)}, Words);
}

static std::string failure(std::vector<StringRef> Words) {
  auto P = parse(std::move(Words));
  return P ? "" : toString(P.takeError());
}

TEST(Options, AllFormsOfAValue) {
  for (std::vector<StringRef> Words : {std::vector<StringRef>{"-c", "7"},
                                       {"-c7"},
                                       {"-c=7"},
                                       {"--count", "7"},
                                       {"--count=7"}}) {
    auto P = parse(Words);
    ASSERT_TRUE(bool(P)) << join(Words, " ");
    auto N = P->number("count");
    ASSERT_TRUE(bool(N));
    EXPECT_EQ(*N, 7u) << join(Words, " ");
    EXPECT_TRUE(P->arguments().empty());
  }
}

TEST(Options, MixedWithArguments) {
  auto P = parse({"node->key", "--json", "+", "1", "-g", "--at", "-10"});
  ASSERT_TRUE(bool(P));
  EXPECT_EQ(P->text(), "node->key + 1");
  EXPECT_TRUE(P->has("json"));
  EXPECT_TRUE(P->has("goto"));
  EXPECT_EQ(P->value("at"), "-10");
  EXPECT_FALSE(P->has("count"));
}

TEST(Options, NegativeNumbersAreArguments) {
  auto P = parse({"-10", "-", "--", "--json"});
  ASSERT_TRUE(bool(P));
  EXPECT_EQ(P->text(), "-10 - --json");
  EXPECT_FALSE(P->has("json"));
}

TEST(Options, Errors) {
  EXPECT_EQ(failure({"--nope"}), "unknown option '--nope'; there are --json, "
                                 "--count, --at, --goto");
  EXPECT_EQ(failure({"-q"}), "unknown option '-q'; there are --json, --count, "
                             "--at, --goto");
  EXPECT_EQ(failure({"--count"}), "--count wants a value: <n>");
  EXPECT_EQ(failure({"--json=1"}), "--json takes no value");
  EXPECT_EQ(failure({"--count", "many"}), "--count wants a number, not 'many'");
}

TEST(Options, Numbers) {
  EXPECT_EQ(parseNumber("1234"), 1234u);
  EXPECT_EQ(parseNumber("1,234"), 1234u);
  EXPECT_EQ(parseNumber("1_234"), 1234u);
  EXPECT_EQ(parseNumber("12,345,678"), 12345678u);
  for (StringRef List : {"1,2,3", "1,23", "1234,567", "1,,234", "0x1,234"}) {
    EXPECT_EQ(parseNumber(List), std::nullopt) << List.str();
    EXPECT_NE(whyNoNumber(List).find("1,234,567"), std::string::npos)
        << List.str();
  }
  for (StringRef Other : {"1,234", "", "x", "12x", "main"})
    EXPECT_EQ(whyNoNumber(Other), "") << Other.str();
  EXPECT_EQ(parseNumber("0x4D2"), 1234u);
  EXPECT_EQ(parseNumber("18446744073709551615"), ~uint64_t(0));
  for (StringRef Bad :
       {"", "0x", "12z", ",1", "1,", "-1", "x", "ff", "18446744073709551616"})
    EXPECT_EQ(parseNumber(Bad), std::nullopt) << Bad.str();
}

TEST(Commands, EveryOneIsFoundAndExplained) {
  std::set<std::string> Names;
  for (const Command *C : commands()) {
    EXPECT_TRUE(Names.insert(C->Name.str()).second) << C->Name.str();
    SmallVector<StringRef> Words;
    StringRef(C->Name).split(Words, ' ');
    Words.push_back("further");
    unsigned Used = 0;
    EXPECT_EQ(findCommand(Words, Used), C) << C->Name.str();
    EXPECT_EQ(Used, Words.size() - 1);
    // Help must show an example.
    EXPECT_TRUE(C->Help.contains(("rewind " + C->Name).str())) << C->Name.str();
    EXPECT_FALSE(C->Summary.ends_with("."));
    std::set<char> Short;
    std::set<std::string> Long;
    for (const OptionSpec &O : C->Options) {
      EXPECT_TRUE(!O.Short || Short.insert(O.Short).second) << O.Short;
      EXPECT_TRUE(Long.insert(O.Long.str()).second) << O.Long.str();
    }
    EXPECT_LE(C->MinArguments, C->MaxArguments);
  }
  unsigned Used;
  EXPECT_EQ(findCommand({"nothing"}, Used), nullptr);
  EXPECT_EQ(findCommand({}, Used), nullptr);
}

/// Every name can be cut as short as it stays its own, and no shorter.
TEST(Commands, AbbreviationsAsANaiveSearchFindsThem) {
  auto Words = [](const Command *C) {
    auto [First, Second] = C->Name.split(' ');
    return std::pair(StringRef(First), StringRef(Second));
  };
  for (const Command *C : commands()) {
    auto [First, Second] = Words(C);
    for (size_t A = 1; A <= First.size(); ++A)
      for (size_t B = Second.empty() ? 0 : 1; B <= Second.size(); ++B) {
        const StringRef Typed[] = {First.take_front(A), Second.take_front(B),
                                   "further"};
        std::set<StringRef> Firsts, Seconds;
        bool Alone = false;
        for (const Command *Other : commands())
          if (Words(Other).first.starts_with(Typed[0]))
            Firsts.insert(Words(Other).first);
        if (Firsts.count(Typed[0]))
          Firsts = {Typed[0]};
        else if (Typed[0] == "last" || Typed[0] == "next")
          Firsts = {Typed[0] == "last" ? "last-write" : "next-write"};
        const bool Unique = Firsts.size() == 1;
        for (const Command *Other : commands())
          if (Words(Other).first == First) {
            Alone |= Words(Other).second.empty();
            if (!Words(Other).second.empty() &&
                Words(Other).second.starts_with(Typed[1]))
              Seconds.insert(Words(Other).second);
          }
        const bool Is = Unique && *Firsts.begin() == First &&
                        (Second.empty() || B == Second.size() ||
                         (!Alone && Seconds.size() == 1));
        SmallVector<StringRef> Line = {Typed[0]};
        if (!Second.empty())
          Line.push_back(Typed[1]);
        Line.push_back(Typed[2]);
        const NamedCommand N = nameCommand(commands(), Line);
        EXPECT_EQ(N.What == C, Is) << join(Line, " ");
        if (!N.What) {
          EXPECT_NE(N.Wrong.find("is ambiguous: "), std::string::npos)
              << join(Line, " ") << ": " << N.Wrong;
        } else if (Is) {
          EXPECT_EQ(N.Used, Line.size() - 1);
        }
      }
  }
}

TEST(Commands, WrongNamesSayWhatIsNear) {
  auto Says = [](SmallVector<StringRef> Line) {
    return nameCommand(commands(), Line, {"help"}).Wrong;
  };
  EXPECT_EQ(Says({"las"}), "'las' is ambiguous: last-write, last-read");
  EXPECT_EQ(Says({"profile", "d"}),
            "'profile d' is ambiguous: dominated, diff");
  EXPECT_EQ(Says({"hlep"}), "no command 'hlep'; did you mean 'help'?");
  EXPECT_EQ(Says({"tree"}), "no command 'tree'; did you mean 'calls tree' or "
                            "'profile tree'?");
  EXPECT_EQ(Says({"calls", "tere"}),
            "no command 'calls tere'; did you mean 'calls tree'?");
  EXPECT_EQ(Says({"bookmark", "x"}),
            "'bookmark' wants one more word: bookmark add, bookmark list, "
            "bookmark delete");
  EXPECT_EQ(Says({"frobnicate"}), "no command 'frobnicate'");
  EXPECT_EQ(Says({"hel"}), "");
  EXPECT_EQ(Says({}), "");
}

TEST(Options, WrongOnesSayWhatIsNear) {
  static constexpr OptionSpec Two[] = {opt::Count, opt::Goto};
  auto Says = [](StringRef Word) {
    auto P = parseOptions({ArrayRef(Two)}, {Word});
    return P ? "" : toString(P.takeError());
  };
  EXPECT_EQ(Says("--cuont=3"),
            "unknown option '--cuont=3'; did you mean '--count'?");
  EXPECT_EQ(Says("--got"), "unknown option '--got'; did you mean '--goto'?");
  EXPECT_EQ(Says("--other"), "unknown option '--other'; there are --count, "
                             "--goto");
  EXPECT_EQ(Says("-x"), "unknown option '-x'; there are --count, --goto");
}
