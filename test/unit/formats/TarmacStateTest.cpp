//===- TarmacStateTest.cpp - State after a line, against a reference ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tarmac Trace Utilities printed all that they know of registers and memory
// after some lines of real traces. A naive replay of our items must know the
// same.
//
//===----------------------------------------------------------------------===//

#include "test/unit/formats/Collect.h"
#include "test/unit/support/NaiveModel.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {

struct KnownState {
  std::map<uint64_t, uint8_t> Memory;
  std::map<std::string, std::vector<int>> Registers; ///< -1: not known
};

/// Lines such as "00000000000ffb30      01 00 ..." (the column tells the byte)
/// and "x0, last modified at line 499: c8 fb 0f 00".
KnownState parseState(llvm::StringRef Text) {
  KnownState S;
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  for (llvm::StringRef L : Lines) {
    L = L.drop_while([](char C) { return C == ' '; });
    uint64_t Addr;
    if (L.size() > 64 && !L.take_front(16).getAsInteger(16, Addr)) {
      for (unsigned I = 0; I < 16; ++I) {
        unsigned Byte;
        if (!L.substr(17 + 3 * I, 2).getAsInteger(16, Byte))
          S.Memory[Addr + I] = uint8_t(Byte);
      }
    } else if (L.contains(", last modified")) {
      auto [Name, Rest] = L.split(',');
      llvm::SmallVector<llvm::StringRef> Bytes;
      Rest.split(": ").second.split(Bytes, ' ');
      std::vector<int> &V = S.Registers[Name.str()];
      for (llvm::StringRef B : Bytes) {
        unsigned Value;
        V.push_back(B.getAsInteger(16, Value) ? -1 : int(Value));
      }
    }
  }
  return S;
}

void checkState(const NaiveModel &Model, Moment M, const KnownState &Want) {
  // Memory, in both directions.
  for (auto &[Addr, Value] : Want.Memory) {
    NaiveModel::Byte B = Model.memoryAt(M, Addr, 1)[0];
    EXPECT_TRUE(B.Known) << llvm::utohexstr(Addr);
    if (B.Known) {
      EXPECT_EQ(B.Value, Value) << llvm::utohexstr(Addr);
    }
  }
  for (uint64_t Addr : Model.knownBytes()) {
    bool Known = Model.memoryAt(M, Addr, 1)[0].Known;
    EXPECT_EQ(Known, Want.Memory.count(Addr) != 0) << llvm::utohexstr(Addr);
  }

  // Their r13 and r14 are also w13, w14; ours are not.
  bool Is32 = Model.header().Architecture == Arch::Arm;
  RegisterFile F(Model.header().Architecture, Model.header().NamedRegisters);
  RegisterState State = Model.registersAt(0, M, F.numLanes());
  unsigned Compared = 0;
  for (auto &[Name, Bytes] : Want.Registers) {
    bool Ours = Is32 ? Name[0] == 'r' || Name == "psr"
                     : Name[0] != 'r' && Name != "internal_flags";
    const RegisterInfo *R = Ours ? F.find(Name) : nullptr;
    if (!R)
      continue;
    std::vector<uint8_t> Value(R->Slice.Size), Known(R->Slice.Size);
    State.read(R->Slice, Value.data(), Known.data());
    for (unsigned I = 0; I < Bytes.size() && I < Value.size(); ++I) {
      ++Compared;
      EXPECT_EQ(Known[I], Bytes[I] >= 0) << Name << " byte " << I;
      if (Known[I]) {
        EXPECT_EQ(Value[I], Bytes[I]) << Name << " byte " << I;
      }
    }
  }
  EXPECT_GT(Compared, 16u);
}

void checkTrace(const std::string &Name) {
  std::string Trace = ttuFile(Name + ".tarmac");
  if (Trace.empty())
    REWIND_SKIP(test::whyNoOther("tarmac: states printed by their tools"));
  auto Reader = openTrace(Trace, "", {});
  ASSERT_TRUE(bool(Reader)) << llvm::toString(Reader.takeError());
  NaiveModel Model;
  ASSERT_FALSE(llvm::errorToBool((*Reader)->read(Model)));
  EXPECT_EQ(Model.header().NumMalformed, 0u);
  // They do not count the header line.
  uint64_t Shift = Model.header().Architecture == Arch::Arm ? 1 : 0;
  for (uint64_t Line : {500, 5000, 10000}) {
    SCOPED_TRACE("line " + std::to_string(Line));
    auto Buffer = llvm::MemoryBuffer::getFile(
        ttuFile(Name + ".state-at-line-" + std::to_string(Line)));
    ASSERT_TRUE(bool(Buffer));
    KnownState Want = parseState((*Buffer)->getBuffer());
    ASSERT_GT(Want.Memory.size(), 100u);
    auto M = Model.momentAtLine(Line + Shift);
    ASSERT_TRUE(M);
    checkState(Model, *M + 1, Want);
  }
}

} // namespace

TEST(TarmacState, CalculatorAArch64) {
  checkTrace("calculator-aarch64-fastmodel");
}
TEST(TarmacState, CalculatorAArch32) {
  checkTrace("calculator-aarch32-es-ld-st-style");
}

TEST(TarmacState, IndexTest) {
  std::string Expected = ttuFile("indextest-li.ref");
  if (Expected.empty())
    REWIND_SKIP(test::whyNoOther("tarmac/indextest-li.ref"));
  auto Buffer = llvm::MemoryBuffer::getFile(Expected);
  ASSERT_TRUE(bool(Buffer));
  auto Reader = openTrace(ttuFile("indextest.tarmac"), "", {});
  ASSERT_TRUE(bool(Reader)) << llvm::toString(Reader.takeError());
  NaiveModel Model;
  ASSERT_FALSE(llvm::errorToBool((*Reader)->read(Model)));
  llvm::SmallVector<llvm::StringRef> Nodes;
  (*Buffer)->getBuffer().split(Nodes, "Node:\n", -1, false);
  ASSERT_EQ(Nodes.size(), Model.numInstructions());
  for (Moment M = 0; M < Nodes.size(); ++M) {
    SCOPED_TRACE("node " + std::to_string(M));
    KnownState Want = parseState(Nodes[M]);
    for (auto &[Addr, Value] : Want.Memory) {
      NaiveModel::Byte B = Model.memoryAt(M + 1, Addr, 1)[0];
      ASSERT_TRUE(B.Known) << llvm::utohexstr(Addr);
      EXPECT_EQ(B.Value, Value);
    }
    unsigned Line = 0;
    Nodes[M].split("start ").second.consumeInteger(10, Line);
    EXPECT_EQ(Model.lineAt(M), Line);
    RegisterState S = Model.registersAt(0, M + 1, arm::FirstNamed);
    EXPECT_EQ(S.get({8, 0, 8}), std::optional<uint64_t>(0x10000));
  }
}
