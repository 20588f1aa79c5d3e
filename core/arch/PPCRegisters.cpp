//===- PPCRegisters.cpp - Registers of 64-bit POWER -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are LLDB's. DWARF numbers are those of the "64-Bit ELF V2 ABI
// Specification, Power Architecture".
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterTables.h"
#include "llvm/ADT/StringExtras.h"

namespace rw {

RegisterTable ppc64Registers() {
  RegisterTable T;
  auto add = [&](std::string Name, RegisterSlice Slice, int Dwarf,
                 RegisterFormat Format = RegisterFormat::Hex,
                 RegisterSet Set = RegisterSet::General) -> RegisterInfo & {
    RegisterInfo R;
    R.Name = std::move(Name);
    R.Slice = Slice;
    R.Dwarf = Dwarf;
    R.Format = Format;
    R.Set = Set;
    return T.Registers[T.add(std::move(R))];
  };
  for (unsigned N = 0; N < 32; ++N) {
    RegisterInfo &R =
        add("r" + llvm::utostr(N), {uint16_t(ppc::R0 + N), 0, 8}, int(N));
    if (N == 1)
      R.Generic = "sp";
    else if (N >= 3 && N <= 10)
      R.Generic = "arg" + llvm::utostr(N - 2);
    if (N == 1)
      R.AltName = "sp";
  }
  RegisterInfo &PC =
      add("pc", {RegisterSlice::NoLane, 0, 8}, -1, RegisterFormat::Code);
  PC.Generic = "pc";
  PC.AltName = "iar";
  PC.IsPC = true;
  add("msr", {ppc::MSR, 0, 8}, -1);
  add("cr", {ppc::CR, 0, 4}, 64).Generic = "flags";
  add("lr", {ppc::LR, 0, 8}, 65, RegisterFormat::Code).Generic = "ra";
  add("ctr", {ppc::CTR, 0, 8}, 66);
  add("xer", {ppc::XER, 0, 8}, 76);
  add("fpscr", {ppc::FPSCR, 0, 8}, -1, RegisterFormat::Hex, RegisterSet::Float);
  unsigned FirstVsr = unsigned(T.Registers.size());
  for (unsigned N = 0; N < 64; ++N)
    add("vs" + llvm::utostr(N), {uint16_t(ppc::VSR0 + 2 * N), 0, 16}, -1,
        RegisterFormat::Vector, RegisterSet::Float);
  // The architecture overlays f0..f31 on the upper halves of vs0..vs31, and
  // v0..v31 on vs32..vs63.
  for (unsigned N = 0; N < 32; ++N)
    add("f" + llvm::utostr(N), {uint16_t(ppc::VSR0 + 2 * N + 1), 0, 8},
        int(32 + N), RegisterFormat::Float, RegisterSet::Float)
        .Container = int(FirstVsr + N);
  for (unsigned N = 0; N < 32; ++N)
    add("vr" + llvm::utostr(N), {uint16_t(ppc::VSR0 + 2 * (32 + N)), 0, 16},
        int(77 + N), RegisterFormat::Vector, RegisterSet::Float)
        .Container = int(FirstVsr + 32 + N);
  return T;
}

} // namespace rw
