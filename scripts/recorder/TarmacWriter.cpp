//===- TarmacWriter.cpp - Writers of Tarmac text --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/TarmacWriter.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace rw::record;

void TextFile::flush() {
  writeOut(StringRef(Buffer, Used));
  Used = 0;
}

void TextFile::writeOut(StringRef S) { Out.write(S.data(), S.size()); }

void TextFile::hex(uint64_t Value, unsigned Digits, bool Upper) {
  const char *Alphabet = Upper ? "0123456789ABCDEF" : "0123456789abcdef";
  char Text[16];
  for (unsigned K = Digits; K--; Value >>= 4)
    Text[K] = Alphabet[Value & 15];
  text(StringRef(Text, Digits));
}

void TextFile::decimal(uint64_t Value, unsigned Width) {
  char Text[24];
  unsigned At = sizeof Text;
  do
    Text[--At] = '0' + Value % 10;
  while (Value /= 10);
  while (sizeof Text - At < Width)
    Text[--At] = ' ';
  text(StringRef(Text + At, sizeof Text - At));
}

namespace {

/// Arm Fast Models: every line has a time; one line per access.
class FastModelWriter final : public TarmacWriter {
public:
  FastModelWriter(const Guest &G, TextFile &Out) : TarmacWriter(G, Out) {
    Mode = Is64   ? Bare ? " O EL1h_n : " : " O EL0t_n : "
           : Bare ? " A svc_s : "
                  : " A usr_n : ";
  }

  void instruction(const InsnLine &I) override {
    Time = I.Index + 1;
    start(I.ConditionHeld && !I.FellThrough ? "IT (" : "IS (");
    Out.decimal(Time);
    Out.text(") ");
    address(I.PC);
    Out.text(" ");
    Out.hex(I.Opcode, I.Size * 2);
    Mode[1] = I.State;
    Out.text(Mode);
    Out.text(I.Text);
    Out.text("\n");
  }

  void memory(ArrayRef<Access> Accesses) override {
    for (const Access &A : Accesses) {
      start(A.IsWrite ? "MW" : "MR");
      Out.decimal(A.Size);
      Out.text(A.IsExclusive ? "X " : " ");
      address(A.Addr);
      Out.text(":");
      Out.hex(A.Addr, 12);
      Out.text(" ");
      if (A.Size > 4) {
        Out.hex(A.Value >> 32, A.Size * 2 - 8);
        Out.text("_");
      }
      Out.hex(A.Value, std::min<unsigned>(A.Size, 4) * 2);
      Out.text("\n");
    }
  }

  void registerWrite(uint8_t R, RegValue V) override {
    start("R ");
    if (Is64)
      register64(R, V);
    else
      register32(R, V.Lo);
    Out.text("\n");
  }

  void signal(int Number, StringRef Name, uint64_t PC) override {
    start("E ");
    address(PC);
    Out.text(" ");
    Out.hex(Number, 8);
    Out.text(" CoreEvent_");
    Out.text(Name);
    Out.text("\n");
  }

private:
  void start(StringRef Type) {
    Out.decimal(Time);
    Out.text(" clk ");
    Out.text(Cpu);
    Out.text(Type);
  }

  void address(uint64_t A) { Out.hex(A, A >> 32 ? 16 : 8); }

  void register64(uint8_t R, RegValue V) {
    if (R >= V0 && R < V0 + 32) {
      Out.text("V");
      Out.decimal(R - V0);
      Out.text(" ");
      Out.hex(V.Hi, 16);
      Out.text("_");
      Out.hex(V.Lo, 16);
    } else if (R == CPSR || R == FPSR || R == FPCR) {
      Out.text(R == CPSR ? "cpsr " : R == FPSR ? "FPSR " : "FPCR ");
      Out.hex(V.Lo, 8);
    } else {
      if (R == SP)
        Out.text(Bare ? "SP_EL1" : "SP_EL0");
      else if (R == TPIDR)
        Out.text("TPIDR_EL0");
      else
        Out.text("X"), Out.decimal(R);
      Out.text(" ");
      Out.hex(V.Lo, 16, /*Upper=*/true);
    }
  }

  void register32(uint8_t R, uint64_t V) {
    if (R >= V0 && R < V0 + 32) {
      Out.text("d");
      Out.decimal(R - V0);
      Out.text(" ");
      Out.hex(V, 16);
      return;
    }
    if (R == CPSR)
      Out.text("cpsr");
    else if (R == FPSR)
      Out.text("fpscr");
    else if (R == TPIDR)
      Out.text("TPIDRURO");
    else
      Out.text("r"), Out.decimal(R);
    if (Bare && (R == R13 || R == R14))
      Out.text("_svc");
    Out.text(" ");
    Out.hex(V, 8);
  }

  uint64_t Time = 0;
  std::string Mode;
};

/// Arm Cycle Models, "Tarmac Text Rev 3t": lines that follow an instruction
/// have no time; memory is shown sixteen bytes at a time, the highest first.
class CycleWriter final : public TarmacWriter {
public:
  CycleWriter(const Guest &G, TextFile &Out) : TarmacWriter(G, Out) {
    Mode = Is64   ? Bare ? " O el1h_ns:" : " O el0t_ns:"
           : Bare ? " A svc_s:"
                  : " A usr_ns:";
    Out.text("Tarmac Text Rev 3t\n          0 tic ES  EXC [0x00] Reset\n");
  }

  void instruction(const InsnLine &I) override {
    // As with a real one, neighbours share a time.
    Out.decimal(I.Index / 10 * 100, 11);
    Out.text(" tic ");
    Out.text(Cpu);
    Out.text("ES  (");
    Out.hex(I.PC, Is64 ? 16 : 8);
    Out.text(":");
    Out.hex(I.Opcode, I.Size * 2);
    Out.text(")");
    Mode[1] = I.State;
    Out.text(Mode);
    Out.text(I.ConditionHeld ? "          " : "   CCFAIL ");
    Out.text(I.Text);
    Out.text("\n");
  }

  void memory(ArrayRef<Access> Accesses) override {
    if (Accesses.empty())
      return;
    for (bool Writes : {false, true}) {
      std::map<uint64_t, Diagram, std::greater<uint64_t>> Lines;
      for (const Access &A : Accesses) {
        if (A.IsWrite != Writes)
          continue;
        for (unsigned K = 0; K < A.Size; ++K) {
          uint64_t Byte = A.Addr + K;
          Diagram &D = Lines[Byte & ~15ull];
          D.Known |= 1u << (Byte & 15);
          D.Bytes[Byte & 15] = A.Value >> (8 * K);
        }
      }
      for (const auto &[Addr, D] : Lines)
        diagram(Writes ? "ST " : "LD ", Addr, D);
    }
  }

  void registerWrite(uint8_t R, RegValue V) override {
    start("R ");
    Out.text(name(R));
    Out.text(" ");
    if (R >= V0 && R < V0 + 32) {
      if (Is64) {
        Out.hex(V.Hi >> 32, 8);
        Out.text(" ");
        Out.hex(V.Hi, 8);
        Out.text(" ");
      }
      Out.hex(V.Lo >> 32, 8);
      Out.text(" ");
      Out.hex(V.Lo, 8);
    } else {
      bool Short = !Is64 || R == CPSR || R == FPSR || R == FPCR;
      Out.hex(V.Lo, Short ? 8 : 16);
    }
    Out.text("\n");
  }

  void signal(int Number, StringRef Name, uint64_t) override {
    start("EXC [0x");
    Out.hex(Number, 2);
    Out.text("] ");
    Out.text(Name);
    Out.text("\n");
  }

  void branch(uint64_t Target, char State) override {
    start("BR (");
    Out.hex(Target, Is64 ? 16 : 8);
    Out.text(State == 'O' ? ") O\n" : State == 'A' ? ") A\n" : ") T\n");
  }

private:
  struct Diagram {
    uint32_t Known = 0;
    uint8_t Bytes[16];
  };

  void start(StringRef Type) {
    // A line without a time is of the CPU of the line before.
    Out.text("                    ");
    Out.text(Cpu);
    Out.text(Type);
  }

  void diagram(StringRef Type, uint64_t Addr, const Diagram &D) {
    start(Type);
    Out.hex(Addr, Is64 ? 16 : 8);
    for (unsigned K = 16; K--;) {
      if (K % 4 == 3)
        Out.text(" ");
      if (D.Known >> K & 1)
        Out.hex(D.Bytes[K], 2);
      else
        Out.text("..");
    }
    Out.text("    NS:");
    Out.hex(Addr, 10);
    Out.text("    nGnRnE OSH\n");
  }

  std::string name(uint8_t R) const {
    if (R >= V0 && R < V0 + 32)
      return (Is64 ? "Q" : "D") + std::to_string(R - V0);
    if (R == CPSR)
      return "CPSR";
    if (R == FPSR)
      return Is64 ? "FPSR" : "FPSCR";
    if (R == FPCR)
      return "FPCR";
    if (R == TPIDR)
      return Is64 ? "TPIDR_EL0" : "TPIDRURO";
    if (Is64)
      return R == SP ? Bare ? "SP_EL1" : "SP_EL0" : "X" + std::to_string(R);
    if (R == R13)
      return Bare ? "SP_SVC" : "SP_USR";
    if (R == R14)
      return Bare ? "LR_SVC" : "LR_USR";
    return "R" + std::to_string(R);
  }

  std::string Mode;
};

} // namespace

std::unique_ptr<TarmacWriter> TarmacWriter::create(Style S, const Guest &G,
                                                   TextFile &Out) {
  if (S == Style::FastModel)
    return std::make_unique<FastModelWriter>(G, Out);
  return std::make_unique<CycleWriter>(G, Out);
}
