//===- RecogniserBench.cpp - What recognising calls costs -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recogniser on made-up AArch64 code, as a reader of Tarmac feeds it: a
// function of 20 instructions, one in five of which writes memory, that calls
// itself down to some depth. "instructions" have no call at all.
//
//===----------------------------------------------------------------------===//

#include "benchmark/benchmark.h"
#include "core/arch/RegisterFile.h"
#include "core/calls/CallRecogniser.h"
#include "core/store/SectionWriter.h"

using namespace llvm;
using namespace rw;

namespace {

struct Step {
  InsnItem Insn;
  RegItem Reg;
  bool Writes = false;
};

class Program {
public:
  explicit Program(bool Calls) {
    insn(0x1000);
    if (Calls)
      function(0x2000, 0x1004, 7);
    else
      for (int I = 0; I < 200; ++I)
        body(0x2000 + 0x100 * (I % 4));
  }
  std::vector<Step> Steps;

private:
  uint64_t SP = 0x80000;

  Step &insn(uint64_t PC, uint32_t Opcode = 0xd503201f) {
    Step &S = Steps.emplace_back();
    S.Insn.PC = PC;
    S.Insn.Opcode = Opcode;
    S.Insn.Size = 4;
    S.Insn.Isa = ISA::A64;
    S.Insn.Flags = InsnItem::Executed | InsnItem::OpcodeKnown;
    return S;
  }
  void write(Step &S, uint16_t Lane, uint64_t Value) {
    S.Reg.Lane = Lane;
    S.Reg.Value = Value;
    S.Reg.Written = 0xff;
    S.Writes = true;
    S.Insn.NumRegs = 1;
  }
  void body(uint64_t PC) {
    for (unsigned I = 0; I < 8; ++I)
      write(insn(PC + 4 * I), 1, PC + I);
    insn(PC + 32, 0x54000041); // b.ne
  }
  void function(uint64_t PC, uint64_t From, unsigned Depth) {
    write(insn(From, 0x94000000), arm::X30, From + 4);
    write(insn(PC), arm::SP, SP -= 32);
    body(PC + 4);
    if (Depth)
      for (int I = 0; I < 2; ++I)
        function(PC, PC + 64, Depth - 1);
    body(PC + 80);
    write(insn(PC + 120), arm::X30, From + 4);
    write(insn(PC + 124), arm::SP, SP += 32);
    insn(PC + 128, 0xd65f03c0);
  }
};

class Nowhere final : public SectionWriter {
  Error begin(StringRef) override { return Error::success(); }
  Error write(ArrayRef<uint8_t> Bytes) override {
    Written += Bytes.size();
    return Error::success();
  }
  Error end() override { return Error::success(); }

public:
  uint64_t Written = 0;
};

void recognise(benchmark::State &State, bool Calls) {
  Program P(Calls);
  constexpr uint64_t Wanted = 2'000'000;
  uint64_t Done = 0, Bytes = 0;
  for (auto _ : State) {
    CallRecogniser R;
    std::vector<uint64_t> Value(256);
    std::vector<uint8_t> Known(256);
    Moment When = 0;
    while (When < Wanted)
      for (const Step &S : P.Steps) {
        R.instruction(When++, S.Insn, ArrayRef(&S.Reg, S.Writes), {},
                      Value.data(), Known.data());
        if (S.Writes) {
          Value[S.Reg.Lane] = S.Reg.Value;
          Known[S.Reg.Lane] = 0xff;
        }
      }
    Nowhere Out;
    cantFail(R.finish({}, Out));
    Done += When;
    Bytes = Out.Written;
  }
  State.SetItemsProcessed(Done);
  State.counters["ns/insn"] =
      benchmark::Counter(double(Done) * 1e-9, benchmark::Counter::kIsRate |
                                                  benchmark::Counter::kInvert);
  State.counters["bytes"] = double(Bytes);
}

BENCHMARK_CAPTURE(recognise, a_call_each_23_instructions, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recognise, no_calls, false)->Unit(benchmark::kMillisecond);

} // namespace
