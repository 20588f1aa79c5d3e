//===- TypesTest.cpp - Values as the program would write them -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/types/FloatText.h"
#include "core/types/TypePrinter.h"
#include "test/unit/support/RandomTrace.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace rw;

namespace {

std::shared_ptr<Type> make(TypeKind Kind, uint64_t Size,
                           const char *Name = "") {
  auto T = std::make_shared<Type>();
  T->Kind = Kind;
  T->Size = Size;
  T->Name = Name;
  T->Signed = Kind == TypeKind::Signed;
  return T;
}

std::shared_ptr<Type> array(TypeRef Element, uint64_t Count,
                            TypeKind Kind = TypeKind::Array) {
  auto T = make(Kind, Element->Size * Count);
  T->Element = std::move(Element);
  T->Count = Count;
  return T;
}

std::string show(TypeRef T, std::vector<uint8_t> Bytes, PrinterContext C = {},
                 std::vector<uint8_t> Known = {}) {
  if (Known.empty())
    Known.assign(Bytes.size(), 1);
  return typedText(*T, {Bytes, Known}, C);
}

const TypeRef Int = make(TypeKind::Signed, 4), Byte = make(TypeKind::Char, 1);

} // namespace

TEST(Types, Numbers) {
  EXPECT_EQ(show(Int, {0x29, 0xfe, 0xff, 0xff}), "-471");
  EXPECT_EQ(show(make(TypeKind::Unsigned, 4), {0x29, 0xfe, 0xff, 0xff}),
            "4294966825");
  EXPECT_EQ(show(make(TypeKind::Signed, 16), std::vector<uint8_t>(16, 0xff)),
            "-1");
  PrinterContext Big;
  Big.BigEndian = true;
  EXPECT_EQ(show(Int, {0xff, 0xff, 0xfe, 0x29}, Big), "-471");
  EXPECT_EQ(show(make(TypeKind::Bool, 1), {1}), "true");
  EXPECT_EQ(show(make(TypeKind::Bool, 1), {2}), "2");
  EXPECT_EQ(show(Byte, {'q'}), "113 'q'");
  EXPECT_EQ(show(Byte, {'\n'}), "10 '\\n'");
  EXPECT_EQ(show(Byte, {0x1b}), "27 '\\x1b'");
}

TEST(Types, WhatIsNotKnown) {
  EXPECT_EQ(show(Int, {0, 0, 0, 0}, {}, {0, 0, 0, 0}), "<unknown>");
  EXPECT_EQ(show(Int, {0x12, 0, 0x34, 0}, {}, {1, 0, 1, 0}), "0x??34??12");
  EXPECT_EQ(show(array(Int, 2), {1, 0, 0, 0, 2, 0, 0, 0}, {},
                 {1, 1, 1, 1, 1, 1, 1, 0}),
            "{1, 0x??000002}");
  EXPECT_EQ(show(array(Byte, 4), {'a', 'b', 'c', 0}, {}, {1, 1, 0, 1}),
            "\"ab\"<unknown>");
  EXPECT_EQ(show(array(Byte, 4), {0, 'b', 'c', 0}, {}, {1, 0, 0, 0}),
            "\"\"<unknown>");
  EXPECT_EQ(show(array(Byte, 4), {0, 'b', 'c', 0}, {}, {1, 1, 0, 1}),
            "\"\\0b\"<unknown>");
}

TEST(Types, TextsAndArrays) {
  EXPECT_EQ(show(array(Byte, 4), {'a', '"', 0, 'x'}), "\"a\\\"\"");
  EXPECT_EQ(show(array(Byte, 2), {'a', 'b'}), "\"ab\"");
  // Bytes, as of a network address.
  EXPECT_EQ(show(array(Byte, 6), {0, 0x1b, 'D', 0, '1', 0}),
            "\"\\0\\x1bD\\0001\"");
  EXPECT_EQ(show(array(Byte, 3), {0, 0, 0}), "\"\"");
  EXPECT_EQ(show(array(Byte, 4), {0xe2, 0x82, 0xac, 0}), "\"\u20ac\"");
  EXPECT_EQ(show(array(Byte, 2), {0xe9, 0}), "\"\\xe9\"");
  std::vector<uint8_t> Zeros(4 * 50);
  Zeros[0] = 1;
  EXPECT_EQ(show(array(Int, 50), Zeros), "{1, 0 <repeats 49 times>}");
  EXPECT_EQ(show(array(array(Int, 1), 2), {1, 0, 0, 0, 2, 0, 0, 0}),
            "{{1}, {2}}");
}

TEST(Types, EnumsByName) {
  auto E = make(TypeKind::Enum, 4);
  E->Signed = true;
  E->Enumerators = {{"RED", 0}, {"GREEN", 5}, {"BLUE", 0xfffffffe}};
  EXPECT_EQ(show(E, {0, 0, 0, 0}), "RED");
  EXPECT_EQ(show(E, {0xfe, 0xff, 0xff, 0xff}), "BLUE");
  EXPECT_EQ(show(E, {0xfd, 0xff, 0xff, 0xff}), "-3");
  auto F = make(TypeKind::Enum, 1);
  F->Enumerators = {{"READ", 1}, {"WRITE", 2}, {"EXECUTE", 4}};
  EXPECT_EQ(show(F, {5}), "READ | EXECUTE");
  EXPECT_EQ(show(F, {9}), "9");
  EXPECT_EQ(show(F, {0}), "0");
}

TEST(Types, EnumsOfBitFieldsAreReadAsTheProgramReadsThem) {
  auto E = make(TypeKind::Enum, 4);
  E->Signed = true;
  E->Enumerators = {{"IDLE", 0}, {"RUN", 4}, {"STOP", 9}, {"NEG", 0xfffffffe}};
  auto Field = make(TypeKind::Record, 4);
  Field->Members = {{"st", E, 0, 4, false}};
  EXPECT_EQ(show(Field, {9, 0, 0, 0}), "{st = -7}");
  EXPECT_EQ(show(Field, {4, 0, 0, 0}), "{st = RUN}");
  EXPECT_EQ(show(Field, {14, 0, 0, 0}), "{st = NEG}");
}

TEST(Types, PointersTellWhatIsThere) {
  PrinterContext C;
  C.Symbol = [](uint64_t A) { return A == 0x1000 ? "main" : ""; };
  C.Read = [](uint64_t A, llvm::MutableArrayRef<uint8_t> Bytes,
              llvm::MutableArrayRef<uint8_t> Known) {
    for (size_t I = 0; A == 0x2000 && I < 3; ++I) {
      Bytes[I] = uint8_t("hi"[I]);
      Known[I] = 1;
    }
  };
  auto P = make(TypeKind::Pointer, 8);
  EXPECT_EQ(show(P, {0, 0x10, 0, 0, 0, 0, 0, 0}, C), "0x1000 <main>");
  EXPECT_EQ(show(P, {0, 0, 0, 0, 0, 0, 0, 0}, C), "0x0");
  auto S = make(TypeKind::Text, 8);
  S->Element = Byte;
  EXPECT_EQ(show(S, {0, 0x20, 0, 0, 0, 0, 0, 0}, C), "0x2000 \"hi\"");
  EXPECT_EQ(show(S, {0, 0x30, 0, 0, 0, 0, 0, 0}, C), "0x3000");
}

TEST(Types, Floats) {
  auto F = make(TypeKind::Float, 4);
  F->Float = FloatKind::Single;
  EXPECT_EQ(show(F, {0xcd, 0xcc, 0xcc, 0x3d}), "0.1");
  EXPECT_EQ(show(F, {0, 0, 0x80, 0x7f}), "inf");
  EXPECT_EQ(show(F, {0, 0, 0xc0, 0xff}), "-nan");
  EXPECT_EQ(floatText(FloatKind::Half, {0x00, 0x3e}), "1.5");
  EXPECT_EQ(floatText(FloatKind::Quad, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                        0x80, 0xff, 0x3f}),
            "1.5");
  EXPECT_EQ(floatText(FloatKind::X87, {0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f}),
            "1.5");
}

TEST(Types, WideFloats) {
  // The last has digits behind those of two doubles.
  const double Parts[] = {1.0, 0x1p-60, 0x1p-112};
  for (FloatKind Kind : {FloatKind::Quad, FloatKind::X87,
                         FloatKind::DoubleDouble, FloatKind::Double}) {
    const auto Bytes = floatOfParts(Kind, Parts);
    ASSERT_EQ(Bytes.size(), floatBytes(Kind));
    EXPECT_FALSE(isFloatZero(Kind, Bytes));
    if (Kind == FloatKind::Quad) {
      EXPECT_EQ(floatLiteral(Kind, Bytes),
                "0x1.0000000000000010000000000001p0L");
    }
    for (const double Zero : {0.0, -0.0}) {
      const auto Its = floatOfParts(Kind, {Zero, 0.0});
      EXPECT_TRUE(isFloatZero(Kind, Its));
      EXPECT_EQ(floatText(Kind, Its), std::signbit(Zero) ? "-0" : "0");
    }
    EXPECT_EQ(floatLiteral(Kind, floatOfParts(Kind, {-INFINITY})), "-inf");
    EXPECT_EQ(floatLiteral(Kind, floatOfParts(Kind, {-1.5})), "-0x1.8p0L");
  }
}

TEST(Types, Formats) {
  PrinterContext C;
  auto As = [&](char F, TypeRef T, std::vector<uint8_t> Bytes) {
    C.Format = ValueFormat(F);
    return show(std::move(T), std::move(Bytes), C);
  };
  EXPECT_EQ(As('x', Int, {1, 2, 0, 0}), "0x00000201");
  EXPECT_EQ(As('u', Int, {0xff, 0xff, 0xff, 0xff}), "4294967295");
  EXPECT_EQ(As('b', make(TypeKind::Unsigned, 1), {5}), "0b00000101");
  EXPECT_EQ(As('f', Int, {0, 0, 0x80, 0x3f}), "1");
  EXPECT_EQ(As('c', make(TypeKind::Unsigned, 1), {'A'}), "65 'A'");
  EXPECT_EQ(As('x', array(Int, 2), {1, 0, 0, 0, 2, 0, 0, 0}),
            "{0x00000001, 0x00000002}");
  EXPECT_FALSE(parseValueFormat("y"));
  EXPECT_FALSE(parseValueFormat("xx"));
}

TEST(Types, RecordsAndTheirParts) {
  auto Inner = make(TypeKind::Record, 4, "pair");
  Inner->Members = {{"x", make(TypeKind::Signed, 2), 0, 0, false},
                    {"y", make(TypeKind::Signed, 2), 16, 0, false}};
  auto Outer = make(TypeKind::Record, 16, "node");
  Outer->Members = {{"pair", Inner, 0, 0, true},
                    {"list", array(Int, 2), 32, 0, false},
                    {"", nullptr, 0, 0, false}};
  EXPECT_EQ(show(Outer, {1, 0, 0xff, 0xff, 5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0}),
            "{<pair> = {x = 1, y = -1}, list = {5, 6}, <unknown>}");
  Outer->Members.pop_back();
  const TypePart P = partAt(Outer, 9, 1);
  EXPECT_EQ(P.Path, ".list[1]");
  EXPECT_EQ(P.Offset, 8u);
  EXPECT_EQ(partAt(Outer, 2, 2).Path, ".y");
  EXPECT_EQ(partAt(Outer, 2, 4).Path, "");
}

/// Bit-fields as printed from their bytes are those that were put in, in both
/// byte orders.
TEST(Types, BitFieldsEqualTheirBits) {
  Rng R(7);
  for (unsigned N = 0; N < 20000; ++N) {
    const bool Big = N & 1;
    const unsigned Width = unsigned(R.between(1, 40));
    const unsigned Offset = unsigned(R.below(96 - Width));
    const bool Signed = R.chance(0.5);
    uint64_t Bits = R.next() & ((uint64_t(1) << Width) - 1);
    std::vector<uint8_t> Bytes(12);
    for (uint8_t &B : Bytes)
      B = uint8_t(R.next());
    // Bit I of the field: counted from the lowest bit of the record, or, on
    // big-endian machines, its highest bit first from the highest.
    for (unsigned I = 0; I < Width; ++I) {
      const unsigned At = Big ? Offset + Width - 1 - I : Offset + I;
      const unsigned InByte = Big ? 7 - At % 8 : At % 8;
      uint8_t &B = Bytes[At / 8];
      B = uint8_t((B & ~(1u << InByte)) | (Bits >> I & 1) << InByte);
    }
    auto T = make(TypeKind::Record, 12);
    T->Members = {{"f", make(Signed ? TypeKind::Signed : TypeKind::Unsigned, 8),
                   Offset, Width, false}};
    PrinterContext C;
    C.BigEndian = Big;
    const int64_t Value = Signed && Bits >> (Width - 1) & 1
                              ? int64_t(Bits) - (int64_t(1) << Width)
                              : int64_t(Bits);
    ASSERT_EQ(show(T, Bytes, C), "{f = " + std::to_string(Value) + "}")
        << Offset << " " << Width;
  }
}
