//===- ElfSymbolsTest.cpp -------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/ElfSymbols.h"
#include "core/calls/FunctionNames.h"
#include "core/support/SymbolPattern.h"
#include "test/unit/support/Folder.h"
#include "test/unit/support/TestData.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace rw;

// From test/programs/quicksort.S.
static const std::string Quicksort = test::madeData("tarmac/quicksort.elf");

#define NEEDS_DATA()                                                           \
  if (std::string Reason = test::whyNotMade("tarmac"); !Reason.empty())        \
  REWIND_SKIP(Reason)

TEST(ElfSymbols, NamesAndMemory) {
  NEEDS_DATA();
  ElfSymbols Symbols;
  ASSERT_FALSE(errorToBool(Symbols.add(Quicksort)));
  auto Code = Symbols.symbolizeCode(0x8044);
  ASSERT_TRUE(Code);
  EXPECT_EQ(Code->Function, "quicksort");
  EXPECT_EQ(Code->Start, 0x803cu);
  EXPECT_FALSE(Symbols.symbolizeCode(0x9000));
  auto Data = Symbols.symbolizeData(0x9001);
  ASSERT_TRUE(Data);
  EXPECT_EQ(Data->Name, "array");
  EXPECT_EQ(Data->Size, 34u);
  auto Found = Symbols.findSymbol("quicksort");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Start, 0x803cu);
  EXPECT_TRUE(Symbols.findSymbol("quick").empty());
  auto Section = Symbols.sectionAt(0x9000);
  ASSERT_TRUE(Section);
  EXPECT_EQ(Section->Name, ".data");
  EXPECT_TRUE(Section->Writable);
  uint8_t Bytes[8] = {};
  // Not beyond the end of the section.
  EXPECT_EQ(Symbols.readImage(0x80fa, Bytes), 2u);
  EXPECT_EQ(Symbols.readImage(0x7fff, Bytes), 0u);
}

TEST(ElfSymbols, LoadAddress) {
  NEEDS_DATA();
  ElfSymbols Symbols;
  ASSERT_FALSE(errorToBool(Symbols.add(Quicksort, 0x107000)));
  auto Code = Symbols.symbolizeCode(0x108044);
  ASSERT_TRUE(Code);
  EXPECT_EQ(Code->Function, "quicksort");
  EXPECT_EQ(Code->Start, 0x10803cu);
  EXPECT_FALSE(Symbols.symbolizeCode(0x8044));
}

TEST(ElfSymbols, Errors) {
  ElfSymbols Symbols;
  EXPECT_NE(
      toString(Symbols.add("/nonexistent.elf")).find("image /nonexistent"),
      std::string::npos);
  EXPECT_TRUE(errorToBool(Symbols.add(rw::test::sourceFile("LICENSE"))));
  NEEDS_DATA();
  ASSERT_FALSE(errorToBool(Symbols.add(Quicksort)));
  auto Line = Symbols.findLine("quicksort.c", 3);
  ASSERT_FALSE(bool(Line));
  EXPECT_EQ(toString(Line.takeError()),
            "no image has debug info, so quicksort.c:3 cannot be found");
}

extern "C" int cutShortAnswer() { return 42; }

// Somebody builds the program again while it is being asked for.
TEST(ElfSymbols, CutShortWhileInUse) {
  Folder D;
  const std::string Path = D / "elf";
  ASSERT_FALSE(sys::fs::copy_file("/proc/self/exe", Path));
  ElfSymbols Symbols;
  ASSERT_EQ(toString(Symbols.add(Path)), "");
  auto Found = Symbols.findSymbol("cutShortAnswer");
  ASSERT_EQ(Found.size(), 1u);
  const uint64_t At = Found[0].Start;
  uint8_t Before[4], After[4] = {};
  ASSERT_EQ(Symbols.readImage(At, Before), sizeof(Before));
  const size_t NumSymbols = Symbols.symbolTable().size();
  std::filesystem::resize_file(Path, 0);
  EXPECT_EQ(Symbols.readImage(At, After), sizeof(After));
  EXPECT_EQ(ArrayRef(Before), ArrayRef(After));
  auto Code = Symbols.symbolizeCode(At); // reads the debug info
  ASSERT_TRUE(Code);
  EXPECT_EQ(Code->Function, "cutShortAnswer");
  ASSERT_FALSE(Code->Frames.empty());
  EXPECT_NE(Code->Frames[0].Line, 0u);
  EXPECT_EQ(Symbols.symbolTable().size(), NumSymbols);
}

// A pointer to a pointer to a ...: the demangler would follow them all.
TEST(ElfSymbols, NamesWithoutBottom) {
  for (char C : {'P', 'R', 'K'}) {
    std::string Name = "_Z1f" + std::string(1000000, C) + "i";
    EXPECT_EQ(readableName(Name), Name);
    Name = "_Z1f" + std::string(8000, C) + "i";
    EXPECT_NE(readableName(Name), "");
  }
  EXPECT_EQ(readableName("_Z1fPi"), "f(int*)");
}

TEST(SymbolPattern, TheLibrarysNamesAreFoundAsOneTypesThem) {
  const char *const PushBack =
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9push_backEc";
  const SymbolPattern Typed("std::string::push_back");
  EXPECT_EQ(Typed.rank(PushBack), 1u);
  EXPECT_EQ(Typed.rank("_ZNSs9push_backEc"), 1u);
  EXPECT_EQ(SymbolPattern("std::string::push_back(char)").rank(PushBack), 0u);
  EXPECT_EQ(SymbolPattern("push_back").rank(PushBack), 2u);
  const SymbolPattern Find("std::vector<int>::push_back");
  EXPECT_EQ(Find.rank("_ZNSt6vectorIiSaIiEE9push_backERKi"), 1u);
  EXPECT_FALSE(Find.rank("_ZNSt6vectorIlSaIlEE9push_backERKl"));
  // The identifier is abbreviated away.
  const SymbolPattern Gone("std::allocator<int>::~allocator()");
  EXPECT_EQ(Gone.rank("_ZNSaIiED2Ev"), 0u);
  EXPECT_FALSE(Gone.rank("_ZNSaIlED2Ev"));
}

TEST(SymbolPattern, ConstMayComeBeforeATypeOrBehindIt) {
  const char *const Parse = "_Z5parseRPKcRKSt6vectorIiSaIiEE";
  EXPECT_EQ(
      SymbolPattern("parse(const char*&, const std::vector<int>&)").rank(Parse),
      SymbolPattern("parse(char const*&, std::vector<int> const&)")
          .rank(Parse));
  EXPECT_TRUE(SymbolPattern("parse(char const*&, std::vector<int> const&)")
                  .rank(Parse));
  EXPECT_FALSE(
      SymbolPattern("parse(char*&, const std::vector<int>&)").rank(Parse));
  EXPECT_TRUE(SymbolPattern("hold<const int*>").rank("_Z4holdIPKiEvv"));
}

TEST(SymbolPattern, CopiesOfAFunctionAreCalledAsItIs) {
  const SymbolPattern Push("push");
  EXPECT_EQ(Push.rank("push"), 0u);
  EXPECT_EQ(Push.rank("push.constprop.0"), 3u);
  EXPECT_EQ(Push.rank("push.isra.0.constprop.12"), 3u);
  EXPECT_EQ(Push.rank("push.0"), 3u);
  EXPECT_FALSE(Push.rank("push.cold"));
  EXPECT_FALSE(Push.rank("push.constprop"));
  EXPECT_FALSE(Push.rank("pusher.constprop.0"));
}
