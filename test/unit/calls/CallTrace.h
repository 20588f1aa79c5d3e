//===- CallTrace.h - Hand-made traces for the call recogniser ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_CALLS_CALLTRACE_H
#define REWIND_TEST_UNIT_CALLS_CALLTRACE_H

#include "core/arch/RegisterFile.h"
#include "core/calls/CallIndex.h"
#include "core/calls/CallRecogniser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <map>

namespace rw::calltest {

/// Collects one section in memory.
class MemorySection final : public SectionWriter {
public:
  std::string Name;
  /// 8-byte aligned, as in a store.
  std::vector<uint64_t> Words;
  size_t Size = 0;
  llvm::Error begin(llvm::StringRef N) override {
    Name = N.str();
    return llvm::Error::success();
  }
  llvm::Error write(llvm::ArrayRef<uint8_t> Bytes) override {
    Words.resize((Size + Bytes.size() + 7) / 8);
    std::copy(Bytes.begin(), Bytes.end(),
              reinterpret_cast<uint8_t *>(Words.data()) + Size);
    Size += Bytes.size();
    return llvm::Error::success();
  }
  llvm::Error end() override { return llvm::Error::success(); }
  llvm::MutableArrayRef<uint8_t> bytes() {
    return {reinterpret_cast<uint8_t *>(Words.data()), Size};
  }
};

namespace a64 {
constexpr uint32_t Nop = 0xd503201f, Ret = 0xd65f03c0, Bl = 0x94000010,
                   Blr = 0xd63f0020, Br = 0xd61f0020, B = 0x14000010,
                   BCond = 0x54000080, Eret = 0xd69f03e0, Svc = 0xd4000001,
                   LdrLR = 0x5800045e;
}

/// Feeds a recogniser and keeps the lanes, as the store builder does.
class CallTrace {
public:
  explicit CallTrace(CallRecogniser::Options Opts = {}) : R(Opts) {}

  void add(const NonlocalTargets &Targets) { R.add(Targets); }

  ISA Isa = ISA::A64;
  uint8_t Thread = 0;
  bool KnowsSP = true;

  /// One instruction, and the registers that it writes.
  void insn(uint64_t PC, uint64_t Opcode, std::vector<RegItem> Regs = {}) {
    InsnItem I;
    I.PC = PC;
    I.Opcode = Opcode;
    I.Size = Isa == ISA::T32 && Opcode < 0x10000 ? 2 : 4;
    I.Isa = Isa;
    I.Thread = Thread;
    I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown;
    for (RegItem &Reg : Regs)
      Reg.Thread = Thread;
    I.NumRegs = uint16_t(Regs.size());
    Lanes &L = Of[Thread];
    R.instruction(When++, I, Regs, {}, L.Value.data(), L.Known.data());
    for (const RegItem &Reg : Regs) {
      L.Value[Reg.Lane] = Reg.Value;
      L.Known[Reg.Lane] = Reg.Written;
    }
    PCs[Thread].push_back(PC);
  }
  static RegItem reg(uint16_t Lane, uint64_t Value) {
    RegItem R;
    R.Lane = Lane;
    R.Value = Value;
    R.Written = 0xff;
    return R;
  }
  RegItem sp(uint64_t V) const {
    return reg(Isa == ISA::A64 ? arm::SP : arm::R13, V);
  }
  RegItem lr(uint64_t V) const {
    return reg(Isa == ISA::A64 ? arm::X30 : arm::R14, V);
  }

  void event(EventKind Kind, uint64_t PC = ~uint64_t(0)) {
    EventItem E;
    E.Kind = Kind;
    E.Thread = Thread;
    E.PC = PC;
    R.event(When, E);
  }

  /// The index; the trace must stay.
  std::unique_ptr<CallIndex> finish() {
    TraceHeader Header;
    llvm::Error E = R.finish(Header, Section);
    EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
    EXPECT_EQ(Section.Name, "calls");
    auto Index = CallIndex::open(Section.bytes());
    EXPECT_TRUE(bool(Index)) << llvm::toString(Index.takeError());
    return std::move(*Index);
  }

  MemorySection Section;
  std::map<unsigned, std::vector<uint64_t>> PCs;

private:
  struct Lanes {
    std::vector<uint64_t> Value = std::vector<uint64_t>(256);
    std::vector<uint8_t> Known = std::vector<uint8_t>(256);
  };
  CallRecogniser R;
  Moment When = 0;
  std::map<unsigned, Lanes> Of;
};

inline std::vector<Activation> all(const CallIndex &Index, ThreadIndex T) {
  std::vector<Activation> List;
  llvm::Error E = Index.forEach(T, 0, ~uint64_t(0), [&](const Activation &A) {
    List.push_back(A);
    return true;
  });
  EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
  return List;
}

/// "start-end pc flags" per activation, indented by depth.
inline std::string describe(const CallIndex &Index, ThreadIndex T = 0) {
  std::string S;
  for (const Activation &A : all(Index, T)) {
    S += std::string(A.Depth, ' ');
    S += "[" + std::to_string(A.Start) + "," + std::to_string(A.End) + ") ";
    S += llvm::utohexstr(A.EntryPC, true);
    if (A.Kind == ActivationKind::Root)
      S += " root";
    if (A.Kind == ActivationKind::Exception)
      S += " exception";
    if (A.Flags & Activation::Returned)
      S += " returned";
    if (A.Kind != ActivationKind::Root && (A.Flags & Activation::Truncated))
      S += " truncated";
    if (A.Kind != ActivationKind::Root && (A.Flags & Activation::BeforeTrace))
      S += " before";
    if (A.Flags & Activation::EndedByGap)
      S += " gap";
    if (A.Flags & Activation::Heuristic)
      S += " heuristic";
    if (A.Flags & Activation::TtuCall)
      S += " ttu";
    S += "\n";
  }
  return S;
}

} // namespace rw::calltest

#endif // REWIND_TEST_UNIT_CALLS_CALLTRACE_H
