//===- LibraryValueTest.cpp - Strings and containers ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/types/LibraryValue.h"
#include "test/unit/support/RandomTrace.h"
#include "gtest/gtest.h"
#include <map>

using namespace rw;

namespace {

TypeRef scalar(TypeKind Kind, uint64_t Size) {
  auto T = std::make_shared<Type>();
  T->Kind = Kind;
  T->Size = Size;
  T->Signed = Kind == TypeKind::Signed;
  return T;
}

const TypeRef Number = scalar(TypeKind::Signed, 4),
              Letter = scalar(TypeKind::Char, 1),
              Word = scalar(TypeKind::Unsigned, 8),
              Pointer = scalar(TypeKind::Pointer, 8);

struct MemberOf {
  const char *Name;
  TypeRef Is;
  uint64_t Offset;
  bool Base = false;
};

/// A class of namespace std if it has a \p Library name.
TypeRef record(uint64_t Size, std::vector<MemberOf> Members,
               const char *Library = "", std::vector<TypeRef> Arguments = {}) {
  auto T = std::make_shared<Type>();
  T->Kind = TypeKind::Record;
  T->Size = Size;
  T->Library = Library;
  for (const MemberOf &M : Members) {
    Type::Member Its;
    Its.Name = M.Name;
    Its.Is = M.Is;
    Its.Offset = 8 * M.Offset;
    Its.Base = M.Base;
    T->Members.push_back(Its);
  }
  T->Argument = [Arguments](unsigned I) {
    return I < Arguments.size() ? Arguments[I] : nullptr;
  };
  return T;
}

/// As libstdc++ and libc++ lay them out on a machine of 64 bits.
TypeRef vectorOf(TypeRef Element) {
  return record(24,
                {{"_M_impl",
                  record(24, {{"_M_start", Pointer, 0},
                              {"_M_finish", Pointer, 8},
                              {"_M_end_of_storage", Pointer, 16}}),
                  0}},
                "vector", {Element});
}

TypeRef stringType() {
  return record(32,
                {{"_M_dataplus", record(8, {{"_M_p", Pointer, 0}}), 0},
                 {"_M_string_length", Word, 8}},
                "basic_string", {Letter});
}

TypeRef treeOf(const char *Library, TypeRef Element) {
  const TypeRef Base = record(32, {{"_M_color", scalar(TypeKind::Enum, 4), 0},
                                   {"_M_parent", Pointer, 8},
                                   {"_M_left", Pointer, 16},
                                   {"_M_right", Pointer, 24}});
  const TypeRef Header =
      record(40, {{"_M_header", Base, 0}, {"_M_node_count", Word, 32}});
  const TypeRef Impl = record(48, {{"_Rb_tree_header", Header, 8, true}});
  return record(
      48,
      {{"_M_t",
        record(48, {{"_M_impl", Impl, 0}}, "_Rb_tree", {Number, Element}), 0}},
      Library, {Number});
}

TypeRef stringOfLibcxx() {
  auto Short = std::make_shared<Type>(
      *record(24, {{"__is_long_", scalar(TypeKind::Unsigned, 1), 0},
                   {"__size_", scalar(TypeKind::Unsigned, 1), 0}}));
  Short->Members[0].BitWidth = 1;
  Short->Members[1].BitWidth = 7;
  Short->Members[1].Offset = 1;
  auto Data = std::make_shared<Type>();
  Data->Kind = TypeKind::Array;
  Data->Element = Letter;
  Data->Count = Data->Size = 23;
  Type::Member M;
  M.Name = "__data_";
  M.Is = Data;
  M.Offset = 8;
  Short->Members.push_back(M);
  const TypeRef Long =
      record(24, {{"__size_", Word, 8}, {"__data_", Pointer, 16}});
  return record(
      24, {{"__rep_", record(24, {{"__l", Long, 0}, {"__s", Short, 0}}), 0}},
      "basic_string", {Letter});
}

/// Memory that objects lie in; what nothing was put into is unknown.
struct Memory {
  std::map<uint64_t, uint8_t> Bytes;

  void put(uint64_t Addr, uint64_t N, unsigned Size = 8) {
    for (unsigned B = 0; B < Size; ++B)
      Bytes[Addr + B] = uint8_t(N >> 8 * B);
  }
  void put(uint64_t Addr, llvm::StringRef Text) {
    for (char C : Text)
      Bytes[Addr++] = uint8_t(C);
  }
  void read(uint64_t Addr, llvm::MutableArrayRef<uint8_t> To,
            llvm::MutableArrayRef<uint8_t> Known) const {
    for (size_t I = 0; I < To.size(); ++I) {
      auto It = Bytes.find(Addr + I);
      Known[I] = It != Bytes.end();
      To[I] = Known[I] ? It->second : 0;
    }
  }
  std::string show(const Type &T, uint64_t Addr) const {
    PrinterContext C;
    C.Read = [this](uint64_t A, llvm::MutableArrayRef<uint8_t> To,
                    llvm::MutableArrayRef<uint8_t> Known) {
      read(A, To, Known);
    };
    std::vector<uint8_t> To(T.Size), Known(T.Size);
    read(Addr, To, Known);
    return typedText(T, {To, Known}, C);
  }
};

/// A vector at 0x100 of numbers from \p First on, at 0x1000.
Memory vectorIn(uint64_t Count, unsigned First = 1) {
  Memory M;
  M.put(0x100, 0x1000);
  M.put(0x108, 0x1000 + 4 * Count);
  M.put(0x110, 0x1000 + 4 * Count);
  for (uint64_t I = 0; I < Count; ++I)
    M.put(0x1000 + 4 * I, First + I, 4);
  return M;
}

/// A set at 0x100 of the odd numbers below 2 * \p Count, in a tree without
/// balance by \p Seed.
Memory setIn(uint64_t Count, uint32_t Seed) {
  Rng Random(Seed);
  Memory M;
  auto At = [](uint64_t I) { return 0x1000 + 64 * I; };
  std::function<uint64_t(uint64_t, uint64_t)> Build =
      [&](uint64_t From, uint64_t To) -> uint64_t {
    if (From >= To)
      return 0;
    const uint64_t Root = From + Random.next() % (To - From);
    M.put(At(Root) + 16, Build(From, Root));
    M.put(At(Root) + 24, Build(Root + 1, To));
    M.put(At(Root) + 32, 2 * Root + 1, 4);
    return At(Root);
  };
  M.put(0x108 + 8, Build(0, Count));
  M.put(0x108 + 32, Count);
  return M;
}

} // namespace

TEST(LibraryValue, NamesOfClasses) {
  EXPECT_EQ(libraryName("std::vector<int, std::allocator<int> >"), "vector");
  EXPECT_EQ(libraryName("std::__cxx11::basic_string<char>"), "basic_string");
  EXPECT_EQ(libraryName("std::__1::map<int, std::pair<int, int>>"), "map");
  EXPECT_EQ(libraryName("std::vector<int>::_Guard"), "");
  EXPECT_EQ(libraryName("std::chrono::duration<long>"), "");
  EXPECT_EQ(libraryName("mine::vector<int>"), "");
  EXPECT_EQ(libraryName("std::any"), "any");
}

TEST(LibraryValue, Vectors) {
  const TypeRef T = vectorOf(Number);
  EXPECT_EQ(vectorIn(3).show(*T, 0x100), "size=3 {1, 2, 3}");
  EXPECT_EQ(vectorIn(0).show(*T, 0x100), "size=0 {}");
  Memory Long = vectorIn(100);
  EXPECT_TRUE(llvm::StringRef(Long.show(*T, 0x100)).ends_with(", 32, ...}"));
  Memory Hole = vectorIn(3);
  for (int B = 0; B < 4; ++B)
    Hole.Bytes.erase(0x1004 + B);
  EXPECT_EQ(Hole.show(*T, 0x100), "size=3 {1, <unknown>, 3}");
  // Nobody has constructed it yet.
  Memory Odd = vectorIn(3);
  Odd.put(0x108, 0x1007);
  EXPECT_EQ(Odd.show(*T, 0x100),
            "{_M_impl = {_M_start = 0x1000, _M_finish = 0x1007, "
            "_M_end_of_storage = 0x100c}}");
}

TEST(LibraryValue, Strings) {
  Memory M;
  M.put(0x100, 0x200);
  M.put(0x108, 3);
  M.put(0x200, "a\"b");
  EXPECT_EQ(M.show(*stringType(), 0x100), "\"a\\\"b\"");
  M.Bytes.erase(0x201);
  EXPECT_EQ(M.show(*stringType(), 0x100), "\"a\"<unknown>");
  M.Bytes.erase(0x200);
  EXPECT_EQ(M.show(*stringType(), 0x100), "<unknown>");

  Memory N;
  N.put(0x100, 2 << 1, 1);
  N.put(0x101, "hi");
  EXPECT_EQ(N.show(*stringOfLibcxx(), 0x100), "\"hi\"");
  N.put(0x100, 33);
  N.put(0x108, 5);
  N.put(0x110, 0x300);
  N.put(0x300, "hello world");
  EXPECT_EQ(N.show(*stringOfLibcxx(), 0x100), "\"hello\"");
}

TEST(LibraryValue, TreesInOrder) {
  for (uint32_t Seed = 0; Seed < 200; ++Seed) {
    const uint64_t Count = Seed % 33;
    std::string Want = "size=" + std::to_string(Count) + " {";
    for (uint64_t I = 0; I < Count; ++I)
      Want += (I ? ", " : "") + std::to_string(2 * I + 1);
    EXPECT_EQ(setIn(Count, Seed).show(*treeOf("set", Number), 0x100),
              Want + "}");
  }
  const TypeRef Pair = record(8, {{"first", Number, 0}, {"second", Number, 4}});
  Memory M = setIn(2, 1);
  M.put(0x1000 + 36, 7, 4);
  M.put(0x1040 + 36, 8, 4);
  EXPECT_EQ(M.show(*treeOf("map", Pair), 0x100), "size=2 {[1] = 7, [3] = 8}");
}

/// Whatever is in memory, an answer comes, and soon.
TEST(LibraryValue, Garbage) {
  Rng Random(7);
  const std::vector<TypeRef> Types = {vectorOf(Number), stringType(),
                                      treeOf("set", Number), stringOfLibcxx(),
                                      vectorOf(stringType())};
  for (unsigned Round = 0; Round < 3000; ++Round) {
    Memory M = Round % 2 ? vectorIn(Random.next() % 50)
                         : setIn(Random.next() % 50, Round);
    for (unsigned N = Random.next() % 40; N-- > 0;) {
      auto It = M.Bytes.begin();
      std::advance(It, Random.next() % M.Bytes.size());
      if (Random.next() % 2)
        It->second = uint8_t(Random.next());
      else if (M.Bytes.size() > 1)
        M.Bytes.erase(It);
    }
    // Pointers that lead to other places of it.
    for (unsigned N = Random.next() % 10; N-- > 0;)
      M.put(0x100 + Random.next() % 64, 0x1000 + Random.next() % 512);
    for (const TypeRef &T : Types)
      EXPECT_LT(M.show(*T, 0x100).size(), 100000u);
  }
}
