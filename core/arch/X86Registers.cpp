//===- X86Registers.cpp - Registers of x86-64 -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are LLDB's. DWARF numbers are those of the "System V Application Binary
// Interface, AMD64 Architecture Processor Supplement".
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterTables.h"
#include "llvm/ADT/StringExtras.h"

namespace rw {

using Bits = RegisterTable::Bits;

static constexpr Bits RFlagsBits[] = {
    {"cf", 0, 1},  {"pf", 2, 1},    {"af", 4, 1},   {"zf", 6, 1},
    {"sf", 7, 1},  {"tf", 8, 1},    {"if", 9, 1},   {"df", 10, 1},
    {"of", 11, 1}, {"iopl", 12, 2}, {"nt", 14, 1},  {"rf", 16, 1},
    {"vm", 17, 1}, {"ac", 18, 1},   {"vif", 19, 1}, {"vip", 20, 1},
    {"id", 21, 1}};

static constexpr Bits MxcsrBits[] = {
    {"ie", 0, 1},  {"de", 1, 1},  {"ze", 2, 1},  {"oe", 3, 1},  {"ue", 4, 1},
    {"pe", 5, 1},  {"daz", 6, 1}, {"im", 7, 1},  {"dm", 8, 1},  {"zm", 9, 1},
    {"om", 10, 1}, {"um", 11, 1}, {"pm", 12, 1}, {"rc", 13, 2}, {"fz", 15, 1}};

RegisterTable x86Registers() {
  RegisterTable T;
  auto add = [&](std::string Name, RegisterSlice Slice, int Dwarf = -1,
                 int Container = -1,
                 RegisterFormat Format = RegisterFormat::Hex,
                 RegisterSet Set = RegisterSet::General) {
    RegisterInfo R;
    R.Name = std::move(Name);
    R.Slice = Slice;
    R.Dwarf = Dwarf;
    R.Container = Container;
    R.Format = Format;
    R.Set = Set;
    return T.add(std::move(R));
  };

  // In the order of the lanes.
  struct Legacy {
    const char *Name, *Low; ///< "rax", and the byte "al"
    int Dwarf;
    const char *Generic;
  };
  static constexpr Legacy Names[] = {
      {"rax", "al", 0, ""},      {"rbx", "bl", 3, ""},
      {"rcx", "cl", 2, "arg4"},  {"rdx", "dl", 1, "arg3"},
      {"rdi", "dil", 5, "arg1"}, {"rsi", "sil", 4, "arg2"},
      {"rbp", "bpl", 6, "fp"},   {"rsp", "spl", 7, "sp"}};
  for (unsigned N = 0; N < 16; ++N) {
    unsigned I;
    if (N < 8) {
      I = add(Names[N].Name, {uint16_t(N), 0, 8}, Names[N].Dwarf);
      T.Registers[I].Generic = Names[N].Generic;
    } else {
      I = add("r" + llvm::utostr(N), {uint16_t(N), 0, 8}, int(N));
      if (N < 10)
        T.Registers[I].Generic = "arg" + llvm::utostr(N - 3);
    }
    if (N == x86::RBP || N == x86::RSP)
      T.Registers[I].Format = RegisterFormat::Pointer;
  }
  unsigned Rip =
      add("rip", {RegisterSlice::NoLane, 0, 8}, 16, -1, RegisterFormat::Code);
  T.Registers[Rip].Generic = "pc";
  T.Registers[Rip].IsPC = true;
  unsigned Flags = add("rflags", {x86::RFLAGS, 0, 8}, 49);
  T.Registers[Flags].Generic = "flags";
  T.Aliases.push_back({"eflags", Flags});
  T.Fields.push_back({Flags, RFlagsBits});
  add("cs", {x86::CS, 0, 8}, 51);
  add("fs", {x86::FS, 0, 8}, 54);
  add("gs", {x86::GS, 0, 8}, 55);
  add("ss", {x86::SS, 0, 8}, 52);
  add("ds", {x86::DS, 0, 8}, 53);
  add("es", {x86::ES, 0, 8}, 50);
  add("fs_base", {x86::FSBase, 0, 8}, 58);
  add("gs_base", {x86::GSBase, 0, 8}, 59);

  for (unsigned N = 0; N < 16; ++N) {
    std::string Full = T.Registers[N].Name;
    std::string Tail = Full.substr(1);
    uint16_t Lane(N);
    add(N < 8 ? "e" + Tail : Full + "d", {Lane, 0, 4}, -1, int(N));
    add(N < 8 ? Tail : Full + "w", {Lane, 0, 2}, -1, int(N));
    if (N < 4)
      add({Tail[0], 'h'}, {Lane, 1, 1}, -1, int(N));
    unsigned Low =
        add(N < 8 ? Names[N].Low : Full + "l", {Lane, 0, 1}, -1, int(N));
    if (N >= 8)
      T.Aliases.push_back({Full + "b", Low});
  }

  auto addFloat = [&](std::string Name, RegisterSlice Slice, int Dwarf,
                      int Container = -1,
                      RegisterFormat Format = RegisterFormat::Hex) {
    return add(std::move(Name), Slice, Dwarf, Container, Format,
               RegisterSet::Float);
  };
  T.Aliases.push_back({"fcw", addFloat("fctrl", {x86::FCtrl, 0, 2}, 65)});
  T.Aliases.push_back({"fsw", addFloat("fstat", {x86::FStat, 0, 2}, 66)});
  addFloat("ftag", {x86::FTag, 0, 2}, -1);
  T.Fields.push_back({addFloat("mxcsr", {x86::MXCSR, 0, 4}, 64), MxcsrBits});
  for (unsigned N = 0; N < 8; ++N) {
    uint16_t Lane(x86::ST0 + 2 * N);
    unsigned St = addFloat("st" + llvm::utostr(N), {Lane, 0, 10}, int(33 + N),
                           -1, RegisterFormat::Vector);
    addFloat("mm" + llvm::utostr(N), {Lane, 0, 8}, int(41 + N), int(St),
             RegisterFormat::Vector);
  }
  for (unsigned N = 0; N < 32; ++N) {
    uint16_t Lane(x86::ZMM0 + 8 * N);
    std::string Number = llvm::utostr(N);
    unsigned Zmm =
        addFloat("zmm" + Number, {Lane, 0, 64}, -1, -1, RegisterFormat::Vector);
    addFloat("ymm" + Number, {Lane, 0, 32}, -1, int(Zmm),
             RegisterFormat::Vector);
    addFloat("xmm" + Number, {Lane, 0, 16}, int(N < 16 ? 17 + N : 51 + N),
             int(Zmm), RegisterFormat::Vector);
  }
  for (unsigned N = 0; N < 8; ++N)
    addFloat("k" + llvm::utostr(N), {uint16_t(x86::K0 + N), 0, 8},
             int(118 + N));
  for (unsigned N = 16; N < 32; ++N)
    add("r" + llvm::utostr(N), {uint16_t(x86::R16 + N - 16), 0, 8},
        int(114 + N));
  return T;
}

} // namespace rw
