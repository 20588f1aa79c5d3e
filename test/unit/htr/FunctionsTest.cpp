//===- FunctionsTest.cpp - Activations as blocks, by hand -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"

using namespace rw::htr;

static std::string functions(const std::string &Trace, unsigned Recursion = 1) {
  PassOptions Options;
  Options.Recursion = Recursion;
  TestTrace T(Trace);
  T.run("functions", Options);
  expectLossless(T.H);
  return top(T);
}

TEST(Functions, NestedCalls) {
  EXPECT_EQ(functions("a(fx(gy)z)b"), "a f[fxg[gy]z] b");
  EXPECT_EQ(functions("(ma(fx)b(fx)c)"), "m[maf[fx]bf[fx]c]");
}

TEST(Functions, EqualActivationsShareOneBlock) {
  TestTrace T("a(fx)b(fx)c(fy)");
  T.run("functions");
  EXPECT_EQ(T.H.Scopes.size(), 2u);
  auto Units = T.H.top().sequence(0).vec();
  EXPECT_EQ(Units[1], Units[3]);
  EXPECT_NE(Units[1], Units[5]);
}

// What recursion calls belongs to the outermost activation.
TEST(Functions, RecursionIsFolded) {
  EXPECT_EQ(functions("m(fa(fa(fb)r)r)e"), "m f[fafafbrr] e");
  EXPECT_EQ(functions("m(fa(fa(fb)r)r)e", 2), "m f[faf[fafbr]r] e");
  EXPECT_EQ(functions("m(fa(fa(fb)r)r)e", 3), "m f[faf[faf[fb]r]r] e");
}

TEST(Functions, MutualRecursion) {
  EXPECT_EQ(functions("m(ea(oa(ea(ob)))) x"), "m e[eao[oaeaob]] x");
}

// A helper that recursion calls is a block of its own all the same.
TEST(Functions, CalleesOfRecursion) {
  EXPECT_EQ(functions("(f(p)(f(p)r)r)"), "f[fp[p]fp[p]rr]");
}

TEST(Functions, TwoThreads) {
  TestTrace T(std::vector<std::string>{"a(fx)b", "(fx)(gy)"});
  T.run("functions");
  expectLossless(T.H);
  EXPECT_EQ(top(T, 0), "a f[fx] b");
  EXPECT_EQ(top(T, 1), "f[fx] g[gy]");
}

TEST(Functions, StillActiveAtTheEnd) {
  EXPECT_EQ(functions("a(fx(gy"), "a f[fxg[gy]]");
}

TEST(Functions, OneInstruction) { EXPECT_EQ(functions("(a)"), "a[a]"); }

// A gap before an activation is not in it; one in the middle is.
TEST(Functions, Gaps) {
  EXPECT_EQ(functions("a!(fx)b"), "a ! f[fx] b");
  EXPECT_EQ(functions("a(fx)!b"), "a f[fx] ! b");
  EXPECT_EQ(functions("a(fx!y)b"), "a f[fx!y] b");
}

// Above a pass that has merged the end of a function with what follows it, the
// function cannot be cut out.
TEST(Functions, OnlyWhereUnitsAllow) {
  TestTrace T("a(fx)b");
  T.run("bsb,functions");
  expectLossless(T.H);
  EXPECT_EQ(top(T), "(afxb)");
  TestTrace U("a(fx)b a(fx)c");
  U.run("bsb,functions"); // f x is followed by two things, but a f is one
  expectLossless(U.H);
  EXPECT_EQ(top(U), "(afx) b (afx) c");
  TestTrace V("a(fx)b q(fx)c a");
  V.run("bsb,functions");
  expectLossless(V.H);
  EXPECT_EQ(top(V), "a f[(fx)] (bq) f[(fx)] c a");
}

TEST(Functions, OnceOnly) {
  TestTrace T("a(fx)b");
  T.run("functions");
  llvm::Error E = passes()[0].Run(T.H, T.context());
  EXPECT_EQ(toString(std::move(E)), "functions are blocks already; the "
                                    "functions pass can run once only");
}

// Passes on top work inside the functions too.
TEST(Functions, ThenBsbAndLoops) {
  TestTrace T("pq(fabcbcbcd)r(fabcbcbcd)r(fabcbcbcd)rz");
  T.run("functions,bsb,loops");
  expectLossless(T.H);
  ASSERT_EQ(T.H.Layers.size(), 4u);
  EXPECT_EQ(text(T.H, 1), "p q f[fabcbcbcd] r f[fabcbcbcd] r f[fabcbcbcd] r z");
  EXPECT_EQ(text(T.H, 2), "(pq) (f[(fa)(bc)(bc)(bc)d]r) "
                          "(f[(fa)(bc)(bc)(bc)d]r) (f[(fa)(bc)(bc)(bc)d]r) z");
  EXPECT_EQ(text(T.H, 3), "(pq) 3x(f[(fa)3x(bc)d]r) z");
}
