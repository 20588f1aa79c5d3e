//===- WordCompletionTest.cpp ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "commands/support/Completion.h"
#include "commands/support/LoadOptions.h"
#include "core/calls/FunctionNames.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace llvm;
using namespace rw;

namespace {

using Words = std::vector<std::string>;

class Program final : public SymbolSource {
public:
  std::vector<ImageSymbol> symbolTable() override {
    return {{"main", 0x1000, 4},          {"$x", 0x1000, 0},
            {"_ZN2ns3addEii", 0x1004, 4}, {"march", 0x1008, 4},
            {"matrix", 0x9000, 4},        {"_ZN2ns5tableE", 0x9004, 4}};
  }
  std::vector<CodeMapping> codeMappings() override {
    CodeMapping M;
    M.Start = 0x1000;
    M.End = 0x2000;
    return {M};
  }
  std::optional<CodeSymbol> symbolizeCode(uint64_t) override {
    return std::nullopt;
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

/// A variable `node` of struct { int key; struct { int left; }; }, and a
/// pointer to it, `list`.
class Variables final : public ExpressionSource {
public:
  Variables() {
    auto Int = std::make_shared<Type>();
    Int->Name = "int";
    auto Unnamed = std::make_shared<Type>();
    Unnamed->Kind = TypeKind::Record;
    Unnamed->Members = {{"left", Int, 0, 0, false}};
    auto Node = std::make_shared<Type>();
    Node->Kind = TypeKind::Record;
    Node->Members = {{"key", Int, 0, 0, false}, {"", Unnamed, 32, 0, false}};
    Record = Node;
  }
  Expected<Location> locate(StringRef Expression, Place) override {
    Location L;
    if (Expression != "node" && Expression != "*list" &&
        Expression != "*a[node.key].list")
      return createStringError("no such thing");
    L.Type = Record;
    return L;
  }
  Expected<Evaluated> evaluate(StringRef, Place, ValueStyle) override {
    return createStringError("not asked for");
  }
  std::optional<Object> objectAt(uint64_t) override { return std::nullopt; }
  std::vector<std::string> variables(Place) override {
    return {"node", "list"};
  }

private:
  TypeRef Record;
};

class WordCompletion : public TinyTrace {
protected:
  static const Command &command(StringRef Name) {
    for (const Command *C : commands())
      if (C->Name == Name)
        return *C;
    llvm_unreachable("no such command");
  }
  Words line(StringRef Name, std::vector<StringRef> Before, StringRef Word,
             bool *Files = nullptr) {
    Session S(*Store, nulls(), Memory);
    S.Symbols = &Symbols;
    S.Expressions = &Expressions;
    S.StorePath = path("tiny.rewind");
    S.Here = Here;
    Completion Of(&S, Word);
    const Command &C = command(Name);
    Of.line(C, {C.Options}, Before);
    if (Files)
      *Files = Of.Files;
    Words Found;
    for (const Completion::Candidate &F : Of.found())
      Found.push_back(F.Text);
    return Found;
  }
  Program Symbols;
  Variables Expressions;
};

Words optionsOf(const Command &C) {
  Words All;
  for (const OptionSpec &O : C.Options)
    All.push_back("--" + O.Long.str());
  return All;
}

} // namespace

// What a command calls its arguments and values says what they may be: no name
// without a meaning.
TEST_F(WordCompletion, KnowsAllNames) {
  auto Check = [](const Command &C) {
    for (StringRef Name : Completion::argumentNames(C)) {
      EXPECT_TRUE(Completion::knows(Name)) << C.Name.str() << " " << Name.str();
      EXPECT_FALSE(C.OnlyAsks && Completion::isFile(Name)) << C.Name.str();
    }
    for (const OptionSpec &O : C.Options)
      EXPECT_TRUE(O.Value.empty() || Completion::knows(O.Value))
          << C.Name.str() << " --" << O.Long.str() << " " << O.Value.str();
  };
  for (const Command *C : commands())
    Check(*C);
  for (const OptionSpec &O : loadOptions())
    EXPECT_TRUE(O.Value.empty() || Completion::knows(O.Value)) << O.Long.str();
  EXPECT_FALSE(Completion::knows("surprise"));
}

TEST_F(WordCompletion, Options) {
  for (const Command *C : commands()) {
    EXPECT_EQ(line(C->Name, {}, "--"), optionsOf(*C)) << C->Name.str();
    // Behind an argument as well, but not behind "--".
    EXPECT_EQ(line(C->Name, {"#1"}, "--"), optionsOf(*C)) << C->Name.str();
    for (const std::string &W : line(C->Name, {"--"}, "--"))
      EXPECT_FALSE(is_contained(optionsOf(*C), W)) << C->Name.str() << W;
  }
  EXPECT_EQ(line("find", {}, "--ne"), Words({"--next"}));
  EXPECT_EQ(line("find", {}, "-n"), Words({"-n"}));
  // What takes no argument any more says which options there are.
  EXPECT_EQ(line("profile self", {}, ""), optionsOf(command("profile self")));
}

TEST_F(WordCompletion, ValuesOfOptions) {
  EXPECT_EQ(line("slice", {"x0", "--control"}, ""),
            Words({"none", "exact", "call", "all"}));
  EXPECT_EQ(line("slice", {"x0"}, "--control=ex"), Words({"--control=exact"}));
  EXPECT_EQ(line("find", {"-e"}, "ga"), Words({"gap"}));
  EXPECT_EQ(line("list", {"--from"}, "s"), Words({"start"}));
  EXPECT_EQ(line("list", {"--thread"}, ""), Words({"1"}));
  EXPECT_EQ(line("list", {"--count"}, ""), Words());
  bool Files = false;
  EXPECT_EQ(line("export svg", {"-o"}, "x", &Files), Words());
  EXPECT_TRUE(Files);
}

TEST_F(WordCompletion, Positions) {
  EXPECT_EQ(line("goto", {}, ""),
            Words({"start", "end", "caller", "entry", "return"}));
  run({"bookmark", "add", "endless", "#3"});
  EXPECT_EQ(line("goto", {}, "end"), Words({"end", "endless"}));
  EXPECT_EQ(line("bookmark delete", {}, ""), Words({"endless"}));
  EXPECT_EQ(line("bookmark delete", {"endless"}, "e"), Words({"endless"}));
  EXPECT_EQ(line("bookmark add", {}, ""), Words());
  EXPECT_EQ(line("bookmark add", {"b"}, "st"), Words({"start"}));
}

TEST_F(WordCompletion, Places) {
  EXPECT_EQ(line("find", {}, "ma"), Words({"main", "march"}));
  EXPECT_EQ(line("find", {}, "ns::"), Words({"ns::add"}));
  // The questions take the short name, too.
  EXPECT_EQ(line("find", {"call"}, "ad"), Words({"add"}));
  EXPECT_EQ(line("find", {}, "sys"), Words({"syscall"}));
  EXPECT_EQ(line("slice", {"x0"}, "--stop=ma"),
            Words({"--stop=main", "--stop=march"}));
  EXPECT_EQ(line("find", {"syscall"}, "openat"), Words({"openat", "openat2"}));
  EXPECT_EQ(line("find", {"call"}, "ma"), Words({"main", "march"}));
  EXPECT_EQ(line("find", {"value"}, "ma"), Words());
  EXPECT_EQ(line("find", {"mnemonic"}, "ma"), Words());
}

TEST_F(WordCompletion, Locations) {
  EXPECT_EQ(line("last-write", {}, "no"), Words({"node"}));
  EXPECT_EQ(line("last-write", {}, "x1"),
            Words({"x1", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
                   "x18", "x19"}));
  EXPECT_EQ(line("last-write", {}, "$sp"), Words({"$sp"}));
  EXPECT_EQ(line("last-write", {}, "&mat"), Words({"&matrix"}));
  EXPECT_EQ(line("last-write", {}, "node."), Words({"node.key", "node.left"}));
  EXPECT_EQ(line("last-write", {}, "list->k"), Words({"list->key"}));
  EXPECT_EQ(line("eval", {"1", "+"}, "2*list->"),
            Words({"2*list->key", "2*list->left"}));
  EXPECT_EQ(line("eval", {}, "1+a[node.key].list->l"),
            Words({"1+a[node.key].list->left"}));
  EXPECT_EQ(line("eval", {}, "a[node.k"), Words({"a[node.key"}));
  EXPECT_EQ(line("list", {"--writes"}, "list->l"), Words({"list->left"}));
  EXPECT_EQ(line("list", {}, "--writes=list->l"),
            Words({"--writes=list->left"}));
}

// Whatever is typed of a word: what is offered is what is offered of less,
// without what begins otherwise.
TEST_F(WordCompletion, PrefixesAgree) {
  std::minstd_rand Random(7);
  unsigned Compared = 0;
  for (const Command *C : commands())
    for (StringRef Start : {"", "-", "--", "x", "m", "node.", "list->", "&"}) {
      const Words All = line(C->Name, {}, Start);
      for (unsigned N = 0; N < 4 && !All.empty(); ++N) {
        const std::string &Whole = All[Random() % All.size()];
        const std::string Typed = Whole.substr(
            0, Start.size() + Random() % (Whole.size() - Start.size() + 1));
        Words Wanted;
        for (const std::string &W : All)
          if (StringRef(W).starts_with(Typed))
            Wanted.push_back(W);
        const Words Got = line(C->Name, {}, Typed);
        // More is known once a letter is there: symbols, and short options.
        for (const std::string &W : Wanted)
          EXPECT_TRUE(is_contained(Got, W)) << C->Name.str() << " " << Typed;
        for (const std::string &W : Got)
          EXPECT_TRUE(StringRef(W).starts_with(Typed)) << C->Name.str();
        ++Compared;
      }
    }
  EXPECT_GT(Compared, 500u);
}
