//===- ExpressionTest.cpp - Expressions of C ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/expr/Expression.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <map>

using namespace rw;

namespace {

/// x0 = 5, x1 = -2, the low half of x2 = 9, d0 = 1.5, s1 = -2.5f; memory at
/// 0x1000 holds 0x80 0xff, then -2.5f at 0x1004 and 0.25 at 0x1008.
class Input final : public ExpressionInput {
public:
  Value readRegister(RegisterSlice S) override {
    static const std::map<unsigned, uint64_t> Lanes = {
        {arm::X0, 5},
        {arm::X0 + 1, uint64_t(-2)},
        {arm::X29, 0x7ffffffc10},
        {arm::V0, llvm::bit_cast<uint64_t>(1.5)},
        {arm::V0 + 2, llvm::bit_cast<uint32_t>(-2.5f)}};
    auto It = Lanes.find(S.Lane);
    if (It != Lanes.end())
      return S.Size == 8 ? It->second : It->second & 0xffffffff;
    if (S.Lane == arm::X0 + 2 && S.Size == 4)
      return 9;
    return std::nullopt;
  }
  Value pc() override { return 0x400000; }
  Value tracePart(TracePart Which) override {
    if (Which == TracePart::Time)
      return std::nullopt;
    return Which == TracePart::Position ? 100 : 1000;
  }
  Value readMemory(uint64_t Addr, unsigned Size) override {
    ++Reads;
    if (Addr == 0x1004 && Size == 4)
      return llvm::bit_cast<uint32_t>(-2.5f);
    if (Addr == 0x1008 && Size == 8)
      return llvm::bit_cast<uint64_t>(0.25);
    if (Addr != 0x1000 || Size > 2)
      return std::nullopt;
    return Size == 1 ? 0x80 : 0xff80;
  }
  unsigned Reads = 0;
};

/// "s" and "c", a short and a bool at 0x1000; "r", a structure before it of
/// which "m[2]" is there, as are two bit-fields, "low" and "high"; "p", a
/// pointer; "f", a float. LOW is an enumerator.
class Names final : public NameSource {
public:
  std::optional<Thing> variable(llvm::StringRef Name) override {
    const DataType Short{DataType::Arithmetic, {2, true}, 2};
    if (Name == "s")
      return Thing{0x1000, Short};
    if (Name == "c")
      return Thing{0x1000, {DataType::Truth, {}, 1}};
    if (Name == "r")
      return Thing{0xf00, {DataType::Record, {}, 0x104}};
    if (Name == "f")
      return Thing{0x1004, {DataType::Arithmetic, {4, true, true}, 4}};
    if (Name == "p")
      return Thing{0x1000, {DataType::Pointer, {}, 8}};
    return std::nullopt;
  }
  std::optional<Thing> member(const DataType &, llvm::StringRef Name) override {
    const bool Low = Name == "low";
    if (Low || Name == "high") {
      DataType T{DataType::Arithmetic, {4, !Low}, 4};
      T.FirstBit = Low ? 6 : 7;
      T.NumBits = Low ? 3 : 9;
      return Thing{0x100, T};
    }
    if (Name != "m")
      return std::nullopt;
    return Thing{0xfc, {DataType::Array, {}, 6}};
  }
  std::optional<DataType> element(const DataType &) override {
    return DataType{DataType::Arithmetic, {2, true}, 2};
  }
  std::optional<uint64_t> enumerator(llvm::StringRef Name) override {
    return Name == "LOW" ? std::optional(uint64_t(-7)) : std::nullopt;
  }
};

class ExpressionTest : public testing::Test {
protected:
  const RegisterFile A64{Arch::AArch64, {}};
  const RegisterFile A32{Arch::Arm, {}};

  /// "5", "unknown", or the complaint.
  std::string value(llvm::StringRef Text, bool Narrow = false) {
    ExpressionContext Context{Narrow ? A32 : A64, Narrow ? 4u : 8u, &Known};
    Context.BigEndian = BigEndian;
    Context.SignedChar = SignedChar;
    auto E = Expression::compile(Text, Context);
    if (!E)
      return llvm::toString(E.takeError());
    auto V = E->evaluate(In);
    if (!V)
      return "error: " + llvm::toString(V.takeError());
    if (!*V)
      return "unknown";
    if (E->type().Float)
      return llvm::formatv("{0:f3}{1}", llvm::bit_cast<double>(**V),
                           E->type().Bytes == 4 ? "f" : "");
    return E->type().Signed ? std::to_string(int64_t(**V))
                            : std::to_string(**V) + "u";
  }
  Input In;
  Names Known;
  bool BigEndian = false, SignedChar = false;
};

TEST_F(ExpressionTest, ReadsVariables) {
  EXPECT_EQ(value("s"), "-128");
  EXPECT_EQ(value("(unsigned short)s"), "65408u");
  EXPECT_EQ(value("s - 1 < 0u"), "0");
  EXPECT_EQ(value("r.m[2] == s"), "1");
  EXPECT_EQ(value("r.m[ $x0 - 3 ]"), "-128");
  EXPECT_EQ(value("r.m[1]"), "unknown");
  EXPECT_EQ(value("p[0]"), "unknown");
  EXPECT_EQ(value("c"), "unknown"); // 0x80 is no bool
  EXPECT_EQ(value("0 && c"), "0");
  EXPECT_EQ(value("0 && p"), "0");
  EXPECT_EQ(value("p == 0"), "unknown");
  EXPECT_EQ(value("true + true"), "2");
  for (const char *Text : {"-p", "p + 1", "r", "r.m", "r.n", "s[0]", "s.m",
                           "s->m", "s++", "s = 1", "t", "r.m[2", "r.m[s == ]"})
    EXPECT_NE(value(Text).find("column "), std::string::npos) << Text;
}

TEST_F(ExpressionTest, KnowsEnumerators) {
  EXPECT_EQ(value("LOW"), "-7");
  EXPECT_EQ(value("LOW * 2 == -14"), "1");
  EXPECT_EQ(value("LOW < 0u"), "0");
  EXPECT_EQ(value("s < LOW"), "1");
}

TEST_F(ExpressionTest, ReadsBitFields) {
  EXPECT_EQ(value("r.low"), "6"); // of 0xff80; an int, as all small ones
  EXPECT_EQ(value("r.high"), "-1");
  EXPECT_EQ(value("r.low - 7 < 0"), "1");
  BigEndian = true;
  EXPECT_EQ(value("r.low"), "7");
  EXPECT_EQ(value("r.high"), "-128");
}

TEST_F(ExpressionTest, HasTheTypesOfC) {
  EXPECT_EQ(value("1 + 2 * 3 - 4"), "3");
  EXPECT_EQ(value("7 - 2 - 1"), "4");
  EXPECT_EQ(value("-7 / 2"), "-3");
  EXPECT_EQ(value("-7 % 3"), "-1");
  EXPECT_EQ(value("-1 < 1u"), "0");
  EXPECT_EQ(value("-1 < 1l"), "1");
  EXPECT_EQ(value("-1l < 1u"), "1");
  EXPECT_EQ(value("-1l < 1u", /*Narrow=*/true), "0");
  EXPECT_EQ(value("0xffffffff"), "4294967295u");
  EXPECT_EQ(value("4294967295"), "4294967295");
  EXPECT_EQ(value("2147483647 + 1"), "-2147483648");
  EXPECT_EQ(value("0x7fffffff + 1u"), "2147483648u");
  EXPECT_EQ(value("1 << 31"), "-2147483648");
  EXPECT_EQ(value("-8 >> 1"), "-4");
  EXPECT_EQ(value("~0u >> 28"), "15u");
  EXPECT_EQ(value("(unsigned char)300"), "44u");
  EXPECT_EQ(value("(signed char)200"), "-56");
  EXPECT_EQ(value("(unsigned char)255 + 1"), "256");
  EXPECT_EQ(value("~(unsigned char)0"), "-1");
  EXPECT_EQ(value("-(unsigned short)1"), "-1");
  EXPECT_EQ(value("(long)-1 == 0xffffffff"), "0");
  EXPECT_EQ(value("(long)-1 == 0xffffffff", /*Narrow=*/true), "1");
  EXPECT_EQ(value("1 | 2 ^ 3 & 2"), "1");
  EXPECT_EQ(value("1 || 0 && 0"), "1");
  EXPECT_EQ(value("5 & 4 == 4"), "1");
  EXPECT_EQ(value("!5 == 0"), "1");
  EXPECT_EQ(value("- - 5"), "5");
  EXPECT_EQ(value("017 + 0b11 + 'a'"), "115");
}

TEST_F(ExpressionTest, HasTheCharactersOfC) {
  EXPECT_EQ(value("'\\n'"), "10");
  EXPECT_EQ(value("'\\a' + '\\r'"), "20");
  EXPECT_EQ(value("'\\''"), "39");
  EXPECT_EQ(value("'\\\\'"), "92");
  EXPECT_EQ(value("'\"'"), "34");
  EXPECT_EQ(value("'\\0'"), "0");
  EXPECT_EQ(value("'\\x7f' - '\\177'"), "0");
  // Plain char has no sign on Arm, and has one on x86-64.
  EXPECT_EQ(value("'\\xff'"), "255");
  SignedChar = true;
  EXPECT_EQ(value("'\\xff'"), "-1");
  EXPECT_EQ(value("'\\200'"), "-128");
}

TEST_F(ExpressionTest, TellsSizes) {
  EXPECT_EQ(value("sizeof(int)"), "4u");
  EXPECT_EQ(value("sizeof(long) + sizeof (char)"), "9u");
  EXPECT_EQ(value("sizeof(long)", /*Narrow=*/true), "4u");
  EXPECT_EQ(value("sizeof s"), "2u");
  EXPECT_EQ(value("sizeof(s) * 3"), "6u");
  EXPECT_EQ(value("sizeof(p) == sizeof(double)"), "1");
  EXPECT_EQ(value("sizeof(r.m[1])"), "2u");
  EXPECT_EQ(value("sizeof(c)"), "1u");
  // What is not looked at need not be known.
  EXPECT_EQ(value("sizeof($x2) + *(unsigned char *)0x1000"), "136u");
  EXPECT_EQ(value("sizeof(*(int *)8)"), "4u");
}

TEST_F(ExpressionTest, ChoosesAndConvertsAsC) {
  EXPECT_EQ(value("$x0 == 5 ? 7 : 8"), "7");
  EXPECT_EQ(value("0 ? 7 : 0 ? 8 : 9"), "9");
  EXPECT_EQ(value("1 ? 0 ? 1 : 2 : 3"), "2");
  EXPECT_EQ(value("0 ? 1 : 2 + 3"), "5");
  EXPECT_EQ(value("1 || 0 ? 2 : 3"), "2");
  // Both have the type of what they are together.
  EXPECT_EQ(value("1 ? -1 : 0u"), "4294967295u");
  EXPECT_EQ(value("(1 ? -1 : 0u) < 0"), "0");
  EXPECT_EQ(value("1 ? -1 : 0l"), "-1");
  EXPECT_EQ(value("0 ? 1.5f : 2"), "2.000f");
  EXPECT_EQ(value("1 ? s : s"), "-128");
  // Only one of them is looked at.
  EXPECT_EQ(value("1 ? 3 : *(int *)8"), "3");
  EXPECT_EQ(value("0 ? 3 : *(int *)8"), "unknown");
  EXPECT_EQ(value("0 ? 3 / 0 : 4"), "4");
  EXPECT_EQ(value("r.m[ 1 ? 2 : 0 ]"), "-128");
  EXPECT_EQ(value("(char)200"), "200u");
  EXPECT_EQ(value("(char)-1 < 0"), "0");
  EXPECT_EQ(value("-(char)1"), "-1");
  EXPECT_EQ(value("(uint8_t)-1"), "255u");
  EXPECT_EQ(value("(size_t)-1", /*Narrow=*/true), "4294967295u");
  EXPECT_EQ(value("(_Bool)256 + (bool)0.5"), "2");
  EXPECT_EQ(value("*(char *)0x1000"), "128u");
  EXPECT_EQ(value("(long)p == 1"), "unknown");
  for (const char *Text : {"1 ? 2", "1 ? : 2", "1 : 2", "1 ? 2 : ", "(float)p",
                           "1 ? p : 1.5", "(unsigned bool)1"})
    EXPECT_NE(value(Text).find("column "), std::string::npos) << Text;
}

TEST_F(ExpressionTest, HasTheFloatingPointOfC) {
  EXPECT_EQ(value("1.5"), "1.500");
  EXPECT_EQ(value(".5f + 1"), "1.500f");
  EXPECT_EQ(value("1.f + 2."), "3.000");
  EXPECT_EQ(value("2e-1 + 0x1p3 + 0X.8P1f"), "9.200");
  EXPECT_EQ(value("-1.5f * 2l"), "-3.000f");
  EXPECT_EQ(value("7 / 2.0"), "3.500");
  EXPECT_EQ(value("7 / 2 * 1.0"), "3.000");
  EXPECT_EQ(value("0.1f == 0.1"), "0");
  EXPECT_EQ(value("0.1f + 0.2f == 0.3f"), "1");
  EXPECT_EQ(value("0.1 + 0.2 == 0.3"), "0");
  EXPECT_EQ(value("16777217 == 16777216.0f"), "1");
  EXPECT_EQ(value("16777217 == 16777216.0"), "0");
  EXPECT_EQ(value("0xffffffffffffffffu == 18446744073709551616.0"), "1");
  EXPECT_EQ(value("(float)0x8000008000000001u == 9223373136366403584.0f"), "1");
  EXPECT_EQ(value("(int)-2.9 + (unsigned char)255.9f"), "253");
  EXPECT_EQ(value("!0.5 || !-0.0"), "1");
  EXPECT_EQ(value("0.5 && .25f"), "1");
  // No number is NaN's equal, and none is more or less.
  EXPECT_EQ(value("0.0 / 0 == 0.0 / 0"), "0");
  EXPECT_EQ(value("0.0 / 0 != 0.0 / 0"), "1");
  EXPECT_EQ(value("0.0 / 0 < 1 || 0.0 / 0 >= 1"), "0");
  EXPECT_EQ(value("!(0.0 / 0)"), "0");
  EXPECT_EQ(value("1 / 0.0 > 1.7e308 && -1 / 0.0f < -1.7e308"), "1");
  EXPECT_EQ(value("1 / -0.0 < 0"), "1");
  // An int cannot hold these.
  EXPECT_EQ(value("(int)2147483648.0"), "unknown");
  EXPECT_EQ(value("(int)-2147483648.9"), "-2147483648");
  EXPECT_EQ(value("(unsigned)-1.0"), "unknown");
  EXPECT_EQ(value("(unsigned)-0.9"), "0u");
  EXPECT_EQ(value("(long)(1 / 0.0)"), "unknown");
  EXPECT_EQ(value("(signed char)(0.0 / 0)"), "unknown");
  EXPECT_EQ(value("$x0 / 2 < 2.5 && $x0 / 2.0f == 2.5"), "1");
  EXPECT_EQ(value("*(float *)0x1004"), "-2.500f");
  EXPECT_EQ(value("*(const double *)0x1008 * 2"), "0.500");
  EXPECT_EQ(value("f > -3 && f < -2 && f"), "1");
  EXPECT_EQ(value("*(double *)8 > 0"), "unknown");
  EXPECT_EQ(value("0 && *(double *)8 > 0"), "0");
}

TEST_F(ExpressionTest, TestsAsCAsks) {
  auto Test = [&](llvm::StringRef Text) -> std::string {
    auto E = Expression::compile(Text, {A64, 8, &Known});
    if (!E)
      return llvm::toString(E.takeError());
    auto V = E->test(In);
    return !V    ? llvm::toString(V.takeError())
           : !*V ? "unknown"
                 : std::to_string(**V);
  };
  EXPECT_EQ(Test("0.5"), "1");
  EXPECT_EQ(Test("-0.0"), "0");
  EXPECT_EQ(Test("0.0f / 0"), "1");
  EXPECT_EQ(Test("$x0"), "1");
  EXPECT_EQ(Test("$x0 - 5"), "0");
  EXPECT_EQ(Test("1.0 / $x2"), "unknown");
}

TEST_F(ExpressionTest, ReadsRegistersAndMemory) {
  EXPECT_EQ(value("$x0 + 1"), "6u");
  EXPECT_EQ(value("$X0 == 5 && $w1 == 0xfffffffe"), "1");
  EXPECT_EQ(value("$x1 < 0"), "0");
  EXPECT_EQ(value("(long)$x1 < 0"), "1");
  EXPECT_EQ(value("$pc"), "4194304u");
  EXPECT_EQ(value("$rewind_position * 10 == $rewind_end"), "1");
  EXPECT_EQ(value("$x29 == $fp"), "1");
  EXPECT_EQ(value("*(unsigned char *)0x1000"), "128u");
  EXPECT_EQ(value("*(signed char *)0x1000"), "-128");
  EXPECT_EQ(value("*(const short *)($x0 + 0xffb)"), "-128");
  EXPECT_EQ(value("$r0", /*Narrow=*/true), "5u");
  EXPECT_EQ(value("$d0 * 2"), "3.000");
  EXPECT_EQ(value("$s1"), "-2.500f");
  EXPECT_EQ(value("$s1 + $d0 < 0"), "1");
}

TEST_F(ExpressionTest, KnowsWhatIsUnknown) {
  EXPECT_EQ(value("$w2 == 9"), "1");
  EXPECT_EQ(value("$x2 == 9"), "unknown");
  EXPECT_EQ(value("$rewind_time > 3"), "unknown");
  EXPECT_EQ(value("1 / ($x0 - 5)"), "unknown");
  EXPECT_EQ(value("1 % 0"), "unknown");
  EXPECT_EQ(value("(int)0x80000000 / -1"), "unknown");
  EXPECT_EQ(value("1 << 32"), "unknown");
  EXPECT_EQ(value("1 >> -1"), "unknown");
  EXPECT_EQ(value("1l << 32"), "4294967296");
  // All registers are read, but only the memory that is looked at.
  EXPECT_EQ(value("0 && $x2"), "unknown");
  EXPECT_EQ(value("0 && *(int *)8"), "0");
  EXPECT_EQ(value("1 || *(int *)8"), "1");
  EXPECT_EQ(value("0 || *(int *)8"), "unknown");
}

TEST_F(ExpressionTest, LeavesTheRestToACompiler) {
  for (const char *Text : {"",
                           "1 +",
                           "(1",
                           "1)",
                           "1 2",
                           "x",
                           "item->count",
                           "$x0 = 1",
                           "$x0 += 1",
                           "$x0++",
                           "--$x0",
                           "f(1)",
                           "1.5 % 2",
                           "1.5 & 1",
                           "~1.5",
                           "1 << 1.5",
                           "r.m[1.5]",
                           "*(int *)1.5",
                           "1.5l",
                           "1.5ff",
                           "1.5.5",
                           "1e",
                           "1e+",
                           "1.5e",
                           "1.e",
                           "1.5ef",
                           "0x1.8",
                           "1e999",
                           "1e39f",
                           "(long double)1",
                           "(unsigned float)1",
                           "09",
                           "'ab'",
                           "'\\q'",
                           "'\\400'",
                           "'\\x'",
                           "'\\'",
                           "'''",
                           "$v0",
                           "$h0",
                           "$nothing",
                           "(word_t)1",
                           "*$x0",
                           "*(int)8",
                           "(int *)8",
                           "1'000",
                           "18446744073709551616",
                           "9223372036854775808",
                           "sizeof",
                           "sizeof(int *)",
                           "sizeof(r)",
                           "sizeof(r.m)",
                           "sizeof(s == 1)",
                           "sizeof('a')",
                           "sizeof(!s)",
                           "sizeof r.low",
                           "sizeof(r.high)",
                           "(struct s)1",
                           "1, 2",
                           "&$x0",
                           "$x0 <<= 1",
                           "a ? 1 : 2",
                           "1 ? 2"})
    EXPECT_NE(value(Text).find("column "), std::string::npos) << Text;
  EXPECT_NE(value("2147483648", /*Narrow=*/true).find("depends"),
            std::string::npos);
  EXPECT_EQ(value("4294967296", /*Narrow=*/true), "4294967296");
  // Neither depth nor length is the stack's.
  for (const char *Part :
       {"(", "!", "1+", "*(int *)", "1?1:", "1?", "sizeof ", "sizeof("}) {
    std::string Long;
    for (unsigned I = 0; I < 200000; ++I)
      Long += Part;
    EXPECT_NE(value(Long + "1").find("too long"), std::string::npos) << Part;
  }
}

} // namespace
