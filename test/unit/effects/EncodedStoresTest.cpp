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

  void compare(ISA Isa, llvm::ArrayRef<uint8_t> Bytes) {
    InsnItem I;
    I.PC = 0x10000;
    I.Isa = Isa;
    for (size_t K = 0; K < std::min<size_t>(Bytes.size(), 8); ++K)
      I.Opcode |= uint64_t(Bytes[K]) << 8 * K;
    if (Isa == ISA::T32 && Bytes.size() == 4)
      I.Opcode = (I.Opcode & 0xffff) << 16 | I.Opcode >> 16;
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

  unsigned Writing = 0, Other = 0;
  std::map<std::string, size_t> Apart;

private:
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
          T.compare(ISA::X86_64, Bytes);
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
    uint8_t Bytes[4];
    for (unsigned K = 0; K < 4; ++K)
      Bytes[K] = uint8_t(Word >> 8 * K);
    T.compare(ISA::A64, Bytes);
  }
  EXPECT_GT(T.Writing, 10000u);
  EXPECT_GT(T.Other, 10000u);
  EXPECT_EQ(listed(T), "");
}

} // namespace
