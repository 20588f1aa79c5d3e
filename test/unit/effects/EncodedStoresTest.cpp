//===- EncodedStoresTest.cpp - Two tables of what is stored ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether an instruction may write memory is told by EncodingFacts, from LLVM's
// tables, and by the effects, which execution was compared with.
//
//===----------------------------------------------------------------------===//

#include "core/arch/Disassembler.h"
#include "core/arch/EncodingFacts.h"
#include "core/arch/X86Decoder.h"
#include "core/dataflow/Effects.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace rw;
using namespace rw::dataflow;

namespace {

/// Whether an instruction is said to write memory, by both.
class Tables {
public:
  explicit Tables(Arch A) : Effects(A) {}

  /// \p Opcode as in InsnItem.
  void compare(ISA Isa, uint64_t Opcode, unsigned Size) {
    compare(Isa, Opcode, opcodeBytes(Isa, Opcode, Size));
  }
  /// An instruction of x86-64.
  void compare(llvm::ArrayRef<uint8_t> Bytes) {
    uint64_t Opcode = 0;
    for (size_t K = 0; K < std::min<size_t>(Bytes.size(), 8); ++K)
      Opcode |= uint64_t(Bytes[K]) << 8 * K;
    compare(ISA::X86_64, Opcode, Bytes);
  }

  unsigned Writing = 0, Other = 0;
  std::map<std::string, size_t> Apart;

private:
  void compare(ISA Isa, uint64_t Opcode, llvm::ArrayRef<uint8_t> Bytes) {
    InsnItem I;
    I.PC = 0x10000;
    I.Isa = Isa;
    I.Opcode = Opcode;
    I.Size = uint8_t(Bytes.size());
    I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown;
    const std::optional<EncodingFacts> F = Encodings.read(I);
    const TemplateEffects &T =
        Effects.find(Isa, I.Opcode, I.Size, NoItCondition, Bytes);
    if (!F || !T.Known || isCall(T.Class))
      return;
    const bool Stores =
        llvm::any_of(T.Effects, [](const Effect &E) { return bool(E.Store); });
    ++(Stores ? Writing : Other);
    if (F->WritesMemory != Stores)
      Apart[(Stores ? "writes: " : "does not write: ") +
            Text.text(Isa, Bytes, 0)] = Bytes.size();
  }

  EncodingReader Encodings;
  EffectsTable Effects;
  Disassembler Text;
};

std::string listed(const Tables &T) {
  std::string All;
  for (auto &[Line, Size] : T.Apart)
    All += Line + "\n";
  return All;
}

// Every opcode, with the address in a register, without and with prefixes.
TEST(EncodedStores, X86) {
  Tables T(Arch::X86_64);
  X86Decoder Decoder;
  const std::vector<std::vector<uint8_t>> Prefixes = {
      {}, {0x66}, {0xf0}, {0xf2}, {0xf3}, {0x48}, {0xf3, 0x48}};
  const std::vector<std::vector<uint8_t>> Maps = {
      {}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}};
  const std::vector<std::vector<uint8_t>> Vex = {
      {0xc5, 0xf8},       {0xc5, 0xf9},       {0xc5, 0xfa},      {0xc5, 0xfb},
      {0xc4, 0xe2, 0x79}, {0xc4, 0xe2, 0xf9}, {0xc4, 0xe3, 0x79}};
  std::vector<std::vector<uint8_t>> Starts = Vex;
  for (auto &P : Prefixes)
    for (auto &M : Maps) {
      Starts.push_back(P);
      Starts.back().insert(Starts.back().end(), M.begin(), M.end());
    }
  for (auto &Start : Starts)
    for (unsigned Op = 0; Op < 256; ++Op)
      for (unsigned Reg = 0; Reg < 8; ++Reg)
        for (unsigned Mod : {0x01u, 0xc1u}) {
          std::vector<uint8_t> Bytes = Start;
          Bytes.push_back(uint8_t(Op));
          Bytes.push_back(uint8_t(Mod | Reg << 3));
          Bytes.resize(15);
          Bytes.resize(Decoder.decode(Bytes).Size);
          if (Bytes.empty())
            continue;
          T.compare(Bytes);
        }
  EXPECT_GT(T.Writing, 1000u);
  EXPECT_GT(T.Other, 10000u);
  EXPECT_EQ(listed(T), "");
}

/// SVE's stores of several vectors tell no size.
TEST(EncodedStores, A64) {
  Tables T(Arch::AArch64);
  std::mt19937 Random(1);
  for (unsigned N = 0; N < 300000; ++N) {
    // Loads and stores of all kinds.
    const uint32_t Word = N % 2 ? (Random() & 0xf5ffffff) | 0x08000000
                                : 0xe4000000 | Random() >> 7;
    T.compare(ISA::A64, Word, 4);
  }
  EXPECT_GT(T.Writing, 10000u);
  EXPECT_GT(T.Other, 10000u);
  EXPECT_EQ(listed(T), "");
}

/// Half of them loads and stores, the others anything.
TEST(EncodedStores, A32) {
  Tables T(Arch::Arm);
  std::mt19937 Random(2);
  for (unsigned N = 0; N < 300000; ++N) {
    uint32_t Word = Random();
    if (N % 2)
      Word = (Word & 0xf3ffffff) | (N % 4 == 1 ? 0x04000000 : 0x08000000);
    if (N % 3) // always executed
      Word = (Word & 0x0fffffff) | 0xe0000000;
    T.compare(ISA::A32, Word, 4);
  }
  EXPECT_GT(T.Writing, 10000u);
  EXPECT_GT(T.Other, 10000u);
  EXPECT_EQ(listed(T), "");
}

/// All narrow ones, and random wide ones.
TEST(EncodedStores, T32) {
  Tables T(Arch::Arm);
  for (uint32_t Half = 0; Half < 0xe800; ++Half)
    T.compare(ISA::T32, Half, 2);
  std::mt19937 Random(3);
  for (unsigned N = 0; N < 300000; ++N) {
    // Loads and stores of all kinds; else anything.
    const uint32_t Word =
        N % 2 ? 0xe8000000 | (Random() & 0x11ffffff) : Random() | 0xe8000000;
    T.compare(ISA::T32, Word, 4);
  }
  EXPECT_GT(T.Writing, 10000u);
  EXPECT_GT(T.Other, 10000u);
  EXPECT_EQ(listed(T), "");
}

/// Every extended opcode of 31, loads and stores with a displacement, and what
/// has a prefix.
TEST(EncodedStores, POWER) {
  Tables T(Arch::PPC64LE);
  std::mt19937 Random(4);
  for (unsigned N = 0; N < 400000; ++N) {
    uint64_t Word = Random() & 0x03ffffff;
    switch (N % 4) {
    case 0:
      Word |= uint64_t(31) << 26;
      break;
    case 1:
      Word |= uint64_t(32 + Random() % 32) << 26;
      break;
    case 2:
      Word |= uint64_t(Random() % 64) << 26;
      break;
    case 3: {
      // 8LS and MLS: loads and stores.
      const uint64_t Prefix = 0x04000000 | (Random() & 0x0213ffff);
      T.compare(ISA::PPC64, Prefix << 32 | uint64_t(Random() % 64) << 26 | Word,
                8);
      continue;
    }
    }
    T.compare(ISA::PPC64, Word, 4);
  }
  EXPECT_GT(T.Writing, 10000u);
  EXPECT_GT(T.Other, 10000u);
  EXPECT_EQ(listed(T), "");
}

} // namespace
