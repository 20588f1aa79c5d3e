//===- ArmRegisters.cpp - Registers of AArch64 and AArch32 ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are LLDB's. DWARF numbers are those of "DWARF for the Arm 64-bit
// Architecture" (AADWARF64) and "DWARF for the Arm Architecture" (AADWARF32).
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterTables.h"

namespace rw {

using Bits = RegisterTable::Bits;

// PSTATE as SPSR_ELx lays it out; the AArch32 fields are the same bits as in
// CPSR, so one table serves both states.
static constexpr Bits PsrBits[] = {
    {"n", 31, 1},    {"z", 30, 1},   {"c", 29, 1},    {"v", 28, 1},
    {"nzcv", 28, 4}, {"q", 27, 1},   {"tco", 25, 1},  {"dit", 24, 1},
    {"j", 24, 1},    {"uao", 23, 1}, {"pan", 22, 1},  {"ss", 21, 1},
    {"il", 20, 1},   {"ge", 16, 4},  {"ssbs", 12, 1}, {"btype", 10, 2},
    {"d", 9, 1},     {"e", 9, 1},    {"a", 8, 1},     {"i", 7, 1},
    {"f", 6, 1},     {"t", 5, 1},    {"nrw", 4, 1},   {"mode", 0, 5},
    {"m", 0, 5},     {"el", 2, 2},   {"spsel", 0, 1}};

static constexpr Bits FpsrBits[] = {{"qc", 27, 1}, {"idc", 7, 1}, {"ixc", 4, 1},
                                    {"ufc", 3, 1}, {"ofc", 2, 1}, {"dzc", 1, 1},
                                    {"ioc", 0, 1}};

static constexpr Bits FpcrBits[] = {
    {"ahp", 26, 1},  {"dn", 25, 1},  {"fz", 24, 1},  {"rmode", 22, 2},
    {"fz16", 19, 1}, {"ide", 15, 1}, {"ixe", 12, 1}, {"ufe", 11, 1},
    {"ofe", 10, 1},  {"dze", 9, 1},  {"ioe", 8, 1}};

static constexpr Bits FpscrBits[] = {
    {"n", 31, 1},     {"z", 30, 1},      {"c", 29, 1},   {"v", 28, 1},
    {"qc", 27, 1},    {"ahp", 26, 1},    {"dn", 25, 1},  {"fz", 24, 1},
    {"rmode", 22, 2}, {"stride", 20, 2}, {"len", 16, 3}, {"idc", 7, 1},
    {"ixc", 4, 1},    {"ufc", 3, 1},     {"ofc", 2, 1},  {"dzc", 1, 1},
    {"ioc", 0, 1}};

static RegisterInfo reg(std::string Name, RegisterSlice Slice, int Dwarf = -1) {
  RegisterInfo R;
  R.Name = std::move(Name);
  R.Slice = Slice;
  R.Dwarf = Dwarf;
  return R;
}

static RegisterInfo pcRegister(uint16_t Size, int Dwarf) {
  RegisterInfo R = reg("pc", {RegisterSlice::NoLane, 0, Size}, Dwarf);
  R.Generic = "pc";
  R.Format = RegisterFormat::Code;
  R.IsPC = true;
  return R;
}

static RegisterInfo fpReg(std::string Name, RegisterSlice Slice,
                          RegisterFormat Format, int Dwarf = -1,
                          int Container = -1) {
  RegisterInfo R = reg(std::move(Name), Slice, Dwarf);
  R.Format = Format;
  R.Set = RegisterSet::Float;
  R.Container = Container;
  return R;
}

RegisterTable aarch64Registers() {
  RegisterTable T;
  unsigned X[32];
  for (unsigned N = 0; N < 32; ++N) {
    RegisterInfo R =
        reg("x" + std::to_string(N), {uint16_t(arm::X0 + N), 0, 8}, int(N));
    if (N < 8)
      R.Generic = "arg" + std::to_string(N + 1);
    if (N >= 29) {
      static const char *const Names[] = {"fp", "lr", "sp"};
      static const char *const Generic[] = {"fp", "ra", "sp"};
      R.AltName = N == 31 ? "xsp" : R.Name;
      R.Name = Names[N - 29];
      R.Generic = Generic[N - 29];
      R.Format = N == 30 ? RegisterFormat::Code : RegisterFormat::Pointer;
    }
    X[N] = T.add(std::move(R));
  }
  T.add(pcRegister(8, 32));
  RegisterInfo Cpsr = reg("cpsr", {arm::CPSR, 0, 4}, 33);
  Cpsr.AltName = "psr";
  Cpsr.Generic = "flags";
  unsigned CpsrIndex = T.add(std::move(Cpsr));
  T.Aliases.push_back({"pstate", CpsrIndex});
  T.Fields.push_back({CpsrIndex, PsrBits});
  for (unsigned N = 0; N < 32; ++N) {
    RegisterInfo R = reg(N == 31 ? "wsp" : "w" + std::to_string(N),
                         {uint16_t(arm::X0 + N), 0, 4});
    R.Container = int(X[N]);
    unsigned Index = T.add(std::move(R));
    // An AArch32 phase of the program knows them by these names; its sp and lr
    // are lanes of their own.
    if (N < 13)
      T.Aliases.push_back({"r" + std::to_string(N), Index});
  }

  unsigned V[32];
  for (unsigned N = 0; N < 32; ++N) {
    V[N] = T.add(fpReg("v" + std::to_string(N), {arm::v(N), 0, 16},
                       RegisterFormat::Vector, int(64 + N)));
    T.Aliases.push_back({"q" + std::to_string(N), V[N]});
  }
  unsigned Fpsr = T.add(fpReg("fpsr", {arm::FPSR, 0, 4}, RegisterFormat::Hex));
  unsigned Fpcr = T.add(fpReg("fpcr", {arm::FPCR, 0, 4}, RegisterFormat::Hex));
  T.Fields.push_back({Fpsr, FpsrBits});
  T.Fields.push_back({Fpcr, FpcrBits});
  for (unsigned N = 0; N < 32; ++N)
    T.add(fpReg("s" + std::to_string(N), {arm::v(N), 0, 4},
                RegisterFormat::Float, -1, int(V[N])));
  for (unsigned N = 0; N < 32; ++N)
    T.add(fpReg("d" + std::to_string(N), {arm::v(N), 0, 8},
                RegisterFormat::Float, -1, int(V[N])));
  return T;
}

RegisterTable armRegisters() {
  RegisterTable T;
  for (unsigned N = 0; N < 13; ++N) {
    RegisterInfo R =
        reg("r" + std::to_string(N), {uint16_t(arm::X0 + N), 0, 4}, int(N));
    if (N < 4)
      R.Generic = "arg" + std::to_string(N + 1);
    if (N == 11) {
      R.AltName = "fp";
      R.Generic = "fp";
      R.Format = RegisterFormat::Pointer;
    }
    unsigned Index = T.add(std::move(R));
    if (N == 12)
      T.Aliases.push_back({"ip", Index});
  }
  RegisterInfo SP = reg("sp", {arm::R13, 0, 4}, 13);
  SP.AltName = "r13";
  SP.Generic = "sp";
  SP.Format = RegisterFormat::Pointer;
  T.add(std::move(SP));
  RegisterInfo LR = reg("lr", {arm::R14, 0, 4}, 14);
  LR.AltName = "r14";
  LR.Generic = "ra";
  LR.Format = RegisterFormat::Code;
  T.add(std::move(LR));
  RegisterInfo PC = pcRegister(4, 15);
  PC.AltName = "r15";
  T.add(std::move(PC));
  RegisterInfo Cpsr = reg("cpsr", {arm::CPSR, 0, 4}, 16);
  Cpsr.AltName = "psr";
  Cpsr.Generic = "flags";
  unsigned CpsrIndex = T.add(std::move(Cpsr));
  T.Aliases.push_back({"xpsr", CpsrIndex});
  T.Aliases.push_back({"apsr", CpsrIndex});
  T.Fields.push_back({CpsrIndex, PsrBits});

  // A32's view of the vector registers: q0 = d0,d1 = s0..s3.
  unsigned FirstQ = T.Registers.size() + 64;
  for (unsigned N = 0; N < 32; ++N)
    T.add(fpReg("s" + std::to_string(N),
                {arm::v(N / 4, N / 2 % 2), uint16_t(N % 2 * 4), 4},
                RegisterFormat::Float, int(64 + N), int(FirstQ + N / 4)));
  for (unsigned N = 0; N < 32; ++N)
    T.add(fpReg("d" + std::to_string(N), {arm::v(N / 2, N % 2), 0, 8},
                RegisterFormat::Float, int(256 + N), int(FirstQ + N / 2)));
  for (unsigned N = 0; N < 16; ++N)
    T.add(fpReg("q" + std::to_string(N), {arm::v(N), 0, 16},
                RegisterFormat::Vector, int(288 + N)));
  unsigned Fpscr =
      T.add(fpReg("fpscr", {arm::FPSCR, 0, 4}, RegisterFormat::Hex));
  T.Fields.push_back({Fpscr, FpscrBits});
  T.add(fpReg("vpr", {arm::VPR, 0, 4}, RegisterFormat::Hex));
  return T;
}

} // namespace rw
