//===- Cells.cpp - The parts of a register file ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Cells.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace rw::dataflow {

struct CellMapBuilder {
  CellMap &Map;

  void cell(Cell C, const Twine &Name, RegisterSlice S, uint64_t Bits = 0) {
    Map.Cells[C] = {Name.str(), S, Bits};
    if (S.Lane == RegisterSlice::NoLane)
      return;
    unsigned Last = S.Lane + (S.Offset + S.Size - 1) / 8;
    if (Map.ByLane.size() <= Last)
      Map.ByLane.resize(Last + 1);
    for (unsigned L = S.Lane + S.Offset / 8; L <= Last; ++L)
      Map.ByLane[L].push_back(C);
  }
  /// Without a place in the register file.
  void cell(Cell C, const Twine &Name) {
    cell(C, Name, {RegisterSlice::NoLane, 0, 0});
  }
  void whole(Cell First, unsigned Count, const Twine &Name) {
    Map.Wholes.push_back({{First, uint16_t(Count)}, Name.str()});
  }

  void arm(bool Is32) {
    Map.Cells.resize(armcell::Size);
    for (unsigned N = 0; N < 31; ++N)
      cell(armcell::X0 + N, (Is32 ? "r" : "x") + Twine(N),
           {uint16_t(arm::X0 + N), 0, 8});
    cell(armcell::SP, "sp", {arm::SP, 0, 8});
    cell(armcell::R13, "r13", {arm::R13, 0, 8});
    cell(armcell::R14, "r14", {arm::R14, 0, 8});
    static constexpr const char *Flags[] = {"n", "z", "c", "v", "q"};
    for (unsigned N = 0; N < 5; ++N)
      cell(armcell::N + N, Twine("cpsr.") + Flags[N], {arm::CPSR, 0, 4},
           1u << (31 - N));
    whole(armcell::N, 4, "cpsr.nzcv");
    cell(armcell::GE, "cpsr.ge", {arm::CPSR, 0, 4}, 0xf0000);
    cell(armcell::PState, "cpsr", {arm::CPSR, 0, 4}, 0x07f0ffff);
    // The architecture's FPSCR holds what FPSR and FPCR do.
    cell(armcell::FPFlags, "fpscr.nzcv", {arm::FPSCR, 0, 4}, 0xf0000000);
    cell(armcell::FPSR, "fpsr", {arm::FPSR, 0, 8});
    cell(armcell::FPCR, "fpcr", {arm::FPCR, 0, 8});
    Map.ByLane[arm::FPSCR].append({armcell::FPSR, armcell::FPCR});
    cell(armcell::VPR, "vpr", {arm::VPR, 0, 8});
    cell(armcell::ThreadPointer, "tpidr_el0");
    cell(armcell::Monitor, "exclusive monitor");
    cell(armcell::System, "system registers");
    cell(armcell::FFR, "ffr");
    cell(armcell::ZA, "za");
    for (unsigned N = 0; N < 16; ++N)
      cell(armcell::P0 + N, "p" + Twine(N));
    for (unsigned N = 0; N < 128; ++N)
      cell(armcell::Vec + N,
           Is32 && N < 32 ? "s" + Twine(N)
                          : "v" + Twine(N / 4) + ".s[" + Twine(N % 4) + "]",
           {arm::v(N / 4), uint16_t(4 * (N % 4)), 4});
    for (unsigned N = 0; N < 32; ++N) {
      Cell First = Cell(armcell::Vec + 4 * N);
      if (Is32) { // half as wide, side by side
        whole(armcell::Vec + 2 * N, 2, "d" + Twine(N));
        if (N < 16)
          whole(First, 4, "q" + Twine(N));
        continue;
      }
      whole(First, 1, "s" + Twine(N));
      whole(First, 2, "d" + Twine(N));
      whole(First, 4, "v" + Twine(N));
    }
    Map.System = armcell::System;
  }

  void ppc() {
    Map.Cells.resize(ppccell::Size);
    for (unsigned N = 0; N < 32; ++N)
      cell(ppccell::R0 + N, "r" + Twine(N), {uint16_t(ppc::R0 + N), 0, 8});
    cell(ppccell::LR, "lr", {ppc::LR, 0, 8});
    cell(ppccell::CTR, "ctr", {ppc::CTR, 0, 8});
    for (unsigned N = 0; N < 8; ++N)
      cell(ppccell::CR0 + N, "cr" + Twine(N), {ppc::CR, 0, 4},
           0xfull << 4 * (7 - N));
    whole(ppccell::CR0, 8, "cr");
    cell(ppccell::CA, "xer.ca", {ppc::XER, 0, 8}, 0x20040000);
    cell(ppccell::OV, "xer.ov", {ppc::XER, 0, 8}, 0x40080000);
    cell(ppccell::SO, "xer.so", {ppc::XER, 0, 8}, 0x80000000);
    cell(ppccell::XER, "xer", {ppc::XER, 0, 8}, ~uint64_t(0xe00c0000));
    cell(ppccell::FPSCR, "fpscr", {ppc::FPSCR, 0, 8});
    cell(ppccell::VSCR, "vscr");
    cell(ppccell::TAR, "tar");
    cell(ppccell::Reservation, "reservation");
    cell(ppccell::System, "system registers", {ppc::MSR, 0, 8});
    for (unsigned N = 0; N < 64; ++N) {
      Cell First = Cell(ppccell::VSR0 + 2 * N);
      // Doubleword 0 is the upper half, which f0 to f31 are.
      for (unsigned K = 0; K < 2; ++K)
        cell(First + K, "vs" + Twine(N) + ".d[" + Twine(K) + "]",
             {uint16_t(ppc::VSR0 + 2 * N + 1 - K), 0, 8});
      if (N < 32)
        whole(First, 1, "f" + Twine(N));
      whole(First, 2, "vs" + Twine(N));
    }
    Map.System = ppccell::System;
  }

  void x86() {
    static constexpr const char *Names[] = {"rax", "rbx", "rcx", "rdx",
                                            "rdi", "rsi", "rbp", "rsp"};
    Map.Cells.resize(x86cell::Size);
    for (unsigned N = 0; N < 32; ++N) {
      std::string Name = N < 8 ? Names[N] : ("r" + Twine(N)).str();
      uint16_t Lane = uint16_t(N < 16 ? x86::RAX + N : x86::R16 + N - 16);
      Cell First = x86cell::gpr(N);
      cell(First, Name + "[0]", {Lane, 0, 1});
      cell(First + 1, Name + "[1]", {Lane, 1, 1});
      cell(First + 2, Name + "[2:7]", {Lane, 2, 6});
      whole(First, 3, Name);
    }
    cell(x86cell::CF, "rflags.cf", {x86::RFLAGS, 0, 8}, 1);
    cell(x86cell::ZF, "rflags.zf", {x86::RFLAGS, 0, 8}, 0x40);
    cell(x86cell::PAS, "rflags.pf,af,sf", {x86::RFLAGS, 0, 8}, 0x94);
    cell(x86cell::OF, "rflags.of", {x86::RFLAGS, 0, 8}, 0x800);
    whole(x86cell::CF, 4, "rflags.status");
    cell(x86cell::DF, "rflags.df", {x86::RFLAGS, 0, 8}, 0x400);
    cell(x86cell::RFlags, "rflags", {x86::RFLAGS, 0, 8}, ~uint64_t(0xcd5));
    for (unsigned N = 0; N < 8; ++N) {
      cell(x86cell::K0 + N, "k" + Twine(N), {uint16_t(x86::K0 + N), 0, 8});
      cell(x86cell::ST0 + N, "st" + Twine(N),
           {uint16_t(x86::ST0 + 2 * N), 0, 10});
    }
    whole(x86cell::ST0, 8, "st");
    cell(x86cell::FCtrl, "fctrl", {x86::FCtrl, 0, 8});
    cell(x86cell::FStat, "fstat", {x86::FStat, 0, 8});
    cell(x86cell::FTag, "ftag", {x86::FTag, 0, 8});
    cell(x86cell::MXCSR, "mxcsr", {x86::MXCSR, 0, 8});
    cell(x86cell::FSBase, "fs_base", {x86::FSBase, 0, 8});
    cell(x86cell::GSBase, "gs_base", {x86::GSBase, 0, 8});
    cell(x86cell::System, "system registers", {x86::CS, 0, 48});
    static constexpr struct {
      uint16_t From, Size;
      const char *Text;
    } Parts[] = {{0, 4, "[0:3]"},
                 {4, 4, "[4:7]"},
                 {8, 8, "[8:15]"},
                 {16, 16, "[16:31]"},
                 {32, 32, "[32:63]"}};
    for (unsigned N = 0; N < 32; ++N) {
      Cell First = Cell(x86cell::Vec + 5 * N);
      for (unsigned K = 0; K < 5; ++K)
        cell(First + K, "zmm" + Twine(N) + Parts[K].Text,
             {uint16_t(x86::ZMM0 + 8 * N), Parts[K].From, Parts[K].Size});
      whole(First, 3, "xmm" + Twine(N));
      whole(First, 4, "ymm" + Twine(N));
      whole(First, 5, "zmm" + Twine(N));
    }
    Map.System = x86cell::System;
  }
};

CellMap::CellMap(Arch A) : Of(A) {
  CellMapBuilder Builder{*this};
  switch (A) {
  case Arch::AArch64:
  case Arch::Arm:
    Builder.arm(A == Arch::Arm);
    break;
  case Arch::PPC64:
  case Arch::PPC64LE:
    Builder.ppc();
    break;
  case Arch::X86_64:
    Builder.x86();
    break;
  case Arch::Unknown:
    Cells.push_back({"registers", {RegisterSlice::NoLane, 0, 0}, 0});
    break;
  }
}

std::string CellMap::name(CellRef R) const {
  if (!R.Count)
    return {};
  if (R.Count == 1)
    if (!any_of(Wholes, [&](const auto &W) { return W.first == R; }))
      return Cells[R.First].Name;
  for (const auto &[Whole, Name] : Wholes)
    if (Whole == R)
      return Name;
  std::string Text;
  while (R.Count) {
    // The widest register that begins here and does not go beyond the end.
    CellRef Best = {R.First, 1};
    for (const auto &[Whole, Name] : Wholes)
      if (Whole.First == R.First && Whole.Count <= R.Count &&
          Whole.Count > Best.Count)
        Best = Whole;
    if (!Text.empty())
      Text += ",";
    Text += Best.Count == 1 ? Cells[Best.First].Name : name(Best);
    R = {Best.end(), uint16_t(R.Count - Best.Count)};
  }
  return Text;
}

/// As few ranges as possible, ascending.
static SmallVector<CellRef, 4> ranges(SmallVectorImpl<Cell> &Cells) {
  sort(Cells);
  SmallVector<CellRef, 4> Out;
  for (Cell C : Cells)
    if (Out.empty() || Out.back().end() < C)
      Out.push_back({C, 1});
    else if (Out.back().end() == C)
      ++Out.back().Count;
  return Out;
}

/// The bits of its lane that a cell has.
static uint64_t bitsIn(const CellInfo &Info, unsigned Lane) {
  int From = int(Info.Slice.Lane * 8 + Info.Slice.Offset) - int(Lane * 8);
  uint64_t Bits = 0;
  for (int Byte = std::max(From, 0);
       Byte < std::min(From + int(Info.Slice.Size), 8); ++Byte)
    Bits |= uint64_t(0xff) << 8 * Byte;
  return Info.Bits ? Info.Bits & Bits : Bits;
}

void CellMap::addCells(LaneBytes B, SmallVectorImpl<Cell> &Out) const {
  if (B.Lane >= ByLane.size() || ByLane[B.Lane].empty()) {
    Out.push_back(System);
    return;
  }
  uint64_t Bits = 0;
  for (unsigned Byte = 0; Byte < 8; ++Byte)
    if (B.Mask >> Byte & 1)
      Bits |= uint64_t(0xff) << 8 * Byte;
  for (Cell C : ByLane[B.Lane]) {
    // A lane may also be another view of a cell that has its place elsewhere.
    uint64_t Has = bitsIn(Cells[C], B.Lane);
    if (!Has || (Has & Bits))
      Out.push_back(C);
  }
}

SmallVector<CellRef, 4> CellMap::cellsOf(LaneBytes B) const {
  SmallVector<Cell, 16> Found;
  addCells(B, Found);
  return ranges(Found);
}

SmallVector<CellRef, 4> CellMap::cellsOf(RegisterSlice S) const {
  SmallVector<Cell, 16> Found;
  if (S.Lane != RegisterSlice::NoLane)
    for (unsigned Byte = S.Offset; Byte < unsigned(S.Offset + S.Size); ++Byte)
      addCells({uint16_t(S.Lane + Byte / 8), uint8_t(1u << Byte % 8)}, Found);
  return ranges(Found);
}

bool CellMap::has(ISA Isa) const {
  switch (Isa) {
  case ISA::A64:
  case ISA::A32:
  case ISA::T32:
    return Of == Arch::AArch64 || Of == Arch::Arm;
  case ISA::PPC64:
    return Of == Arch::PPC64 || Of == Arch::PPC64LE;
  case ISA::X86_64:
    return Of == Arch::X86_64;
  case ISA::Unknown:
    break;
  }
  return false;
}

CellRef CellMap::sp(ISA Isa) const {
  if (!has(Isa))
    return {};
  switch (Isa) {
  case ISA::A64:
    return {armcell::SP, 1};
  case ISA::A32:
  case ISA::T32:
    return {armcell::R13, 1};
  case ISA::PPC64:
    return {ppccell::R0 + 1, 1};
  case ISA::X86_64:
    return {x86cell::gpr(x86::RSP), 3};
  case ISA::Unknown:
    break;
  }
  return {};
}

CellRef CellMap::fp(ISA Isa) const {
  if (!has(Isa))
    return {};
  switch (Isa) {
  case ISA::A64:
    return {armcell::X0 + 29, 1};
  case ISA::A32:
    return {armcell::X0 + 11, 1};
  case ISA::T32:
    return {armcell::X0 + 7, 1};
  case ISA::PPC64:
    return {ppccell::R0 + 31, 1};
  case ISA::X86_64:
    return {x86cell::gpr(x86::RBP), 3};
  case ISA::Unknown:
    break;
  }
  return {};
}

CellRef CellMap::link(ISA Isa) const {
  if (!has(Isa))
    return {};
  switch (Isa) {
  case ISA::A64:
    return {armcell::X0 + 30, 1};
  case ISA::A32:
  case ISA::T32:
    return {armcell::R14, 1};
  case ISA::PPC64:
    return {ppccell::LR, 1};
  case ISA::X86_64:
  case ISA::Unknown:
    break;
  }
  return {};
}

} // namespace rw::dataflow
