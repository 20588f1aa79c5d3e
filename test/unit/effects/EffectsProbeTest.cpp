//===- EffectsProbeTest.cpp - Declared effects against execution ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some instructions of a program with much of libc and libm in it, per
// architecture; test/effects/effects_check.cpp looks at all of them.
//
//===----------------------------------------------------------------------===//

#include "../support/TestData.h"
#include "core/arch/Disassembler.h"
#include "test/effects/EffectsCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

using namespace llvm;

namespace rw::dataflow {
namespace {

class Execution : public testing::TestWithParam<std::string> {};

/// The states of x86-64 have registers that only some processors have.
static bool canProbe(StringRef Name) {
#ifdef __x86_64__
  return Name != "x86" || __builtin_cpu_supports("avx512f");
#else
  return Name != "x86";
#endif
}

TEST_P(Execution, DoesNothingUndeclared) {
  SmallVector<StringRef, 3> Parts; // name, program, command of the probe
  std::string Param = GetParam();
  StringRef(Param).split(Parts, '|');
  if (!canProbe(Parts[0]))
    REWIND_SKIP_PROCESSOR("AVX-512");
  ASSERT_EQ(Parts.size(), 3u);
  std::set<Sample> All;
  Error Problem = harvest(Parts[1], All);
  ASSERT_FALSE(bool(Problem)) << toString(std::move(Problem));
  SmallVector<StringRef, 8> Words;
  Parts[2].split(Words, ' ');
  std::vector<std::string> Command;
  for (StringRef W : Words)
    Command.push_back(W.str());
  auto P = Probe::start(Command);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  const Arch A = Parts[0] == "a64"   ? Arch::AArch64
                 : Parts[0] == "ppc" ? Arch::PPC64LE
                 : Parts[0] == "x86" ? Arch::X86_64
                                     : Arch::Arm;
  // Others each time that the program is another one, but always the same of
  // the same: as many as can be done in a second.
  std::vector<Sample> Some(All.begin(), All.end());
  std::shuffle(Some.begin(), Some.end(), std::mt19937(1));
  EffectsCheck Check(**P, A, 1);
  Disassembler Text;
  size_t Executed = 0, Looked = 0;
  const auto End =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(1000);
  for (const Sample &S : Some) {
    if (Looked >= 64 && std::chrono::steady_clock::now() > End)
      break;
    if (++Looked > 1500)
      break;
    auto V = Check.check(S, 3, false);
    ASSERT_TRUE(bool(V)) << toString(V.takeError());
    Executed += V->Executed;
    EXPECT_TRUE(V->Undeclared.empty())
        << toHex(S.Bytes, true) << " " << Text.text(S.Isa, S.Bytes, 0) << ": "
        << join(V->Undeclared, "; ");
  }
  EXPECT_GT(Executed, Looked * 8 / 10) << "of " << Looked;
}

/// That it can fail: with the effects of another instruction of the same
/// registers, it does.
TEST_P(Execution, NoticesWhatIsNotDeclared) {
  SmallVector<StringRef, 3> Parts;
  std::string Param = GetParam();
  StringRef(Param).split(Parts, '|');
  if (!canProbe(Parts[0]))
    REWIND_SKIP_PROCESSOR("AVX-512");
  SmallVector<StringRef, 8> Words;
  Parts[2].split(Words, ' ');
  std::vector<std::string> Command;
  for (StringRef W : Words)
    Command.push_back(W.str());
  auto P = Probe::start(Command);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  // What runs is an addition into a third register; what is declared, a move to
  // another one.
  struct Pair {
    const char *Name;
    ISA Isa;
    Arch A;
    const char *Runs, *Declared;
  };
  static constexpr Pair Pairs[] = {
      {"a64", ISA::A64, Arch::AArch64, "2000028b", "e30301aa"},
      {"a32", ISA::A32, Arch::Arm, "020081e0", "0130a0e1"},
      {"t32", ISA::T32, Arch::Arm, "8818", "0b46"},
      {"ppc", ISA::PPC64, Arch::PPC64LE, "7c642a14", "7c862378"},
      {"x86", ISA::X86_64, Arch::X86_64, "488d0c03", "4889c2"}};
  for (const Pair &K : Pairs) {
    if (Parts[0] != K.Name)
      continue;
    auto sample = [&](StringRef Hex) {
      std::string Bytes;
      EXPECT_TRUE(tryGetFromHex(Hex, Bytes));
      return Sample{K.Isa, NoItCondition,
                    std::vector<uint8_t>(Bytes.begin(), Bytes.end())};
    };
    EffectsCheck Check(**P, K.A, 1);
    auto Good = Check.check(sample(K.Runs), 24, true);
    ASSERT_TRUE(bool(Good)) << toString(Good.takeError());
    EXPECT_TRUE(Good->Executed);
    EXPECT_TRUE(Good->Undeclared.empty()) << join(Good->Undeclared, "; ");
    EXPECT_TRUE(Good->Surplus.empty()) << join(Good->Surplus, "; ");
    auto Bad = Check.check(sample(K.Runs), 4, true, sample(K.Declared));
    ASSERT_TRUE(bool(Bad)) << toString(Bad.takeError());
    EXPECT_FALSE(Bad->Undeclared.empty());
    EXPECT_FALSE(Bad->Surplus.empty());
    return;
  }
  FAIL() << "no such architecture: " << Parts[0].str();
}

/// Copies that are none: of rev x0, x1; of ldrsb x0, [x1]; and lanes that are
/// mixed: of addp v0.4s, v1.4s, v2.4s. The effects are those of a move, a load
/// and an addition.
TEST_P(Execution, NoticesWhatIsNoCopyOrNoLane) {
  SmallVector<StringRef, 3> Parts;
  std::string Param = GetParam();
  StringRef(Param).split(Parts, '|');
  if (Parts[0] != "a64")
    return;
  SmallVector<StringRef, 8> Words;
  Parts[2].split(Words, ' ');
  std::vector<std::string> Command;
  for (StringRef W : Words)
    Command.push_back(W.str());
  auto P = Probe::start(Command);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  EffectsCheck Check(**P, Arch::AArch64, 1);
  auto sample = [&](StringRef Hex) {
    std::string Bytes;
    EXPECT_TRUE(tryGetFromHex(Hex, Bytes));
    return Sample{ISA::A64, NoItCondition,
                  std::vector<uint8_t>(Bytes.begin(), Bytes.end())};
  };
  static constexpr const char *Pairs[][3] = {
      {"200cc0da", "e00301aa", "no copy: moves another byte"},
      {"20008039", "200040f9", "no copy: moves another byte"},
      {"20bca24e", "2084a24e", "depends on v"}};
  for (auto [Runs, Declared, Told] : Pairs) {
    auto Good = Check.check(sample(Declared), 4, false);
    ASSERT_TRUE(bool(Good)) << toString(Good.takeError());
    EXPECT_TRUE(Good->Executed);
    EXPECT_TRUE(Good->Undeclared.empty()) << join(Good->Undeclared, "; ");
    auto Bad = Check.check(sample(Runs), 4, false, sample(Declared));
    ASSERT_TRUE(bool(Bad)) << toString(Bad.takeError());
    EXPECT_NE(join(Bad->Undeclared, "; ").find(Told), std::string::npos)
        << join(Bad->Undeclared, "; ");
  }
}

/// That logical instructions neither read nor write C unless they shift: no
/// more is declared than shows, and a flag that always keeps its value is
/// noticed.
TEST_P(Execution, DeclaresNoFlagsThatStay) {
  SmallVector<StringRef, 3> Parts;
  std::string Param = GetParam();
  StringRef(Param).split(Parts, '|');
  SmallVector<StringRef, 8> Words;
  Parts[2].split(Words, ' ');
  std::vector<std::string> Command;
  for (StringRef W : Words)
    Command.push_back(W.str());
  struct Kind {
    const char *Name;
    ISA Isa;
    std::vector<const char *> Runs;
    const char *Other; ///< its C is that of Runs' first
  };
  // movs, mvns, ands, orrs, eors, bics, tst, teq: an immediate (a32: rotated by
  // nothing and by something), a register, one shifted by lsl, lsr #32, rrx and
  // by a register; shifts alone.
  const Kind Kinds[] = {
      {"a32",
       ISA::A32,
       {"c800b0e3", "0201b0e3", "c800f0e3", "ff0011e2", "0201d1e3",
        "c80031e3", "020011e0", "020091e1", "020031e0", "0200d1e1",
        "0100f0e1", "020011e1", "020031e1", "820111e0", "220031e0",
        "620091e1", "720311e1", "0100b0e1", "8101b0e1", "6100b0e1"},
       "1102b0e1"},
      {"t32",
       ISA::T32,
       {"c820", "d343", "1340", "1343", "5340", "9343", "1142", "0800", "c800",
        "0808", "5ff0c800", "5ff00040", "91f0ff10", "11f0004f", "91ea020f",
        "71ea0200", "11ea0210", "5fea3100", "71fa02f0"},
       "8840"}};
  for (const Kind &K : Kinds) {
    if (Parts[0] != K.Name)
      continue;
    auto P = Probe::start(Command);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    auto sample = [&](StringRef Hex) {
      std::string Bytes;
      EXPECT_TRUE(tryGetFromHex(Hex, Bytes));
      return Sample{K.Isa, NoItCondition,
                    std::vector<uint8_t>(Bytes.begin(), Bytes.end())};
    };
    EffectsCheck Check(**P, Arch::Arm, 1);
    for (const char *Hex : K.Runs) {
      auto V = Check.check(sample(Hex), 64, true);
      ASSERT_TRUE(bool(V)) << toString(V.takeError());
      EXPECT_TRUE(V->Executed) << Hex;
      EXPECT_TRUE(V->Undeclared.empty())
          << Hex << ": " << join(V->Undeclared, "; ");
      // lsr #32 makes 0 of anything: its register is surplus for N and Z.
      for (const std::string &Text : V->Surplus)
        EXPECT_FALSE(StringRef(Text).contains("cpsr")) << Hex << ": " << Text;
    }
    // A shift by a register, which can leave C alone, says so: that would be
    // too much here.
    auto Bad = Check.check(sample(K.Runs.front()), 8, true, sample(K.Other));
    ASSERT_TRUE(bool(Bad)) << toString(Bad.takeError());
    EXPECT_TRUE(is_contained(Bad->Surplus, "writes cpsr.c"))
        << join(Bad->Surplus, "; ");
  }
}

std::vector<std::string> probes() {
  SmallVector<StringRef, 8> List;
  StringRef(EFFECTS_PROBES).split(List, '&', -1, false);
  return {List.begin(), List.end()};
}
INSTANTIATE_TEST_SUITE_P(Probes, Execution, testing::ValuesIn(probes()),
                         [](const auto &Info) {
                           return StringRef(Info.param).split('|').first.str();
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Execution);

} // namespace
} // namespace rw::dataflow
