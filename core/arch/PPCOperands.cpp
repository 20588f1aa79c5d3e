//===- PPCOperands.cpp - Registers that POWER code writes -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCOperands.h"
#include "core/arch/Disassembler.h"
#include "core/arch/McTarget.h"
#include "core/arch/RegisterFile.h"
#include "llvm/MC/MCInst.h"

using namespace llvm;

namespace rw {

struct PPCOperands::Decoder : McTarget {
  /// By LLVM register number.
  std::vector<SmallVector<LaneBytes, 2>> Lanes;

  Decoder() : McTarget(ISA::PPC64) {
    if (!*this)
      return;
    Lanes.resize(Registers->getNumRegs());
    for (unsigned R = 1; R < Lanes.size(); ++R)
      Lanes[R] = lanesOf(Registers->getName(R));
  }

  /// From LLVM's name of a register.
  static SmallVector<LaneBytes, 2> lanesOf(StringRef Name) {
    SmallVector<LaneBytes, 2> L;
    unsigned N;
    auto numbered = [&](StringRef Prefix, unsigned Limit) {
      StringRef Rest = Name;
      return Rest.consume_front(Prefix) && !Rest.getAsInteger(10, N) &&
             N < Limit;
    };
    auto vsr = [&](unsigned V) {
      // What becomes of the half that an instruction does not set is up to the
      // implementation.
      L.push_back({uint16_t(ppc::VSR0 + 2 * V), 0xff});
      L.push_back({uint16_t(ppc::VSR0 + 2 * V + 1), 0xff});
    };
    if (numbered("X", 32) || numbered("R", 32)) {
      L.push_back({uint16_t(ppc::R0 + N), 0xff});
    } else if (numbered("G8p", 16)) {
      L.push_back({uint16_t(ppc::R0 + 2 * N), 0xff});
      L.push_back({uint16_t(ppc::R0 + 2 * N + 1), 0xff});
    } else if (numbered("F", 32) || numbered("VSL", 32)) {
      vsr(N);
    } else if (numbered("V", 32) || numbered("VF", 32)) {
      vsr(32 + N);
    } else if (numbered("VSRp", 32)) {
      vsr(2 * N);
      vsr(2 * N + 1);
    } else if (numbered("ACC", 8) || numbered("UACC", 8)) {
      for (unsigned K = 0; K < 4; ++K)
        vsr(4 * N + K);
    } else if (Name.consume_front("CR") && !Name.empty()) {
      // CR0 is the uppermost nibble. "CR3LT" is a bit of one.
      if (!Name.take_front(1).getAsInteger(10, N) && N < 8)
        L.push_back({ppc::CR, uint8_t(1u << ((7 - N) / 2))});
    } else if (Name == "LR" || Name == "LR8") {
      L.push_back({ppc::LR, 0xff});
    } else if (Name == "CTR" || Name == "CTR8") {
      L.push_back({ppc::CTR, 0xff});
    } else if (Name == "XER" || Name == "CARRY") {
      L.push_back({ppc::XER, 0xff});
    } else if (Name == "RM") {
      L.push_back({ppc::FPSCR, 0xff});
    }
    return L;
  }

  static bool branchToRegister(uint32_t Op) {
    unsigned XO = Op >> 1 & 0x3ff;
    return XO == 16 || XO == 528 || XO == 560;
  }

  /// The general registers of loads that write several of them, of which the
  /// description is in prose. False: it is another instruction.
  static bool several(uint64_t Opcode, SmallVectorImpl<LaneBytes> &Out) {
    const uint32_t Op = uint32_t(Opcode), Prefix = uint32_t(Opcode >> 32);
    const unsigned Major = Op >> 26, XO = Op >> 1 & 0x3ff;
    const unsigned RT = Op >> 21 & 31, NB = Op >> 11 & 31;
    unsigned N = 0;
    if (Prefix)
      N = (Prefix >> 24 & 3) == 0 && Major == 56 ? 2 : 0; // plq
    else if (Major == 56 || (Major == 31 && XO == 276))   // lq, lqarx
      N = 2;
    else if (Major == 46) // lmw
      N = 32 - RT;
    else if (Major == 31 && XO == 597) // lswi
      N = ((NB ? NB : 32) + 3) / 4;
    for (unsigned K = 0; K < N; ++K)
      Out.push_back({uint16_t(ppc::R0 + (RT + K) % 32), 0xff});
    return N != 0;
  }

  /// Instructions after which no register is certain.
  static bool losesAll(uint32_t Op) {
    switch (Op >> 26) {
    case 19:
      switch (Op >> 1 & 0x3ff) {
      case 370: // stop
      case 402: // doze, nap, sleep, rvwinkle
      case 434:
      case 466:
      case 498:
        return true;
      }
      return false;
    case 31:
      switch (Op >> 1 & 0x3ff) {
      case 533: // lswx: the length is in XER
      case 782: // tabort and its conditional forms
      case 814:
      case 846:
      case 878:
      case 910:
      case 942: // treclaim
        return true;
      }
      return false;
    default:
      return false;
    }
  }

  /// False: what else it writes is not known.
  bool writes(uint64_t Opcode, SmallVectorImpl<LaneBytes> &Out) {
    Out.clear();
    const bool Prefixed = Opcode >> 32;
    if (several(Opcode, Out)) {
      sort(Out, [](LaneBytes A, LaneBytes B) { return A.Lane < B.Lane; });
      return true;
    }
    if (!Prefixed && losesAll(uint32_t(Opcode)))
      return false;
    if (!Prefixed && branches(uint32_t(Opcode), Out))
      return true;
    return described(Opcode, Out);
  }

  /// Branches, sc, scv and rfscv. LLVM has one description for all forms of
  /// conditional branches; which count down, BO tells.
  static bool branches(uint32_t Op, SmallVectorImpl<LaneBytes> &Out) {
    const unsigned Major = Op >> 26;
    if (Major == 17) {
      if ((Op & 3) == 1) { // scv
        Out.push_back({ppc::LR, 0xff});
        Out.push_back({ppc::CTR, 0xff});
      }
      return true;
    }
    if (Major == 19 && (Op >> 1 & 0x3ff) == 82)
      return true;
    if (Major != 16 && Major != 18 && !(Major == 19 && branchToRegister(Op)))
      return false;
    if (Op & 1)
      Out.push_back({ppc::LR, 0xff});
    bool CountsDown = Major != 18 && !(Op >> 21 & 4) &&
                      (Major == 16 || (Op >> 1 & 0x3ff) != 528);
    if (CountsDown)
      Out.push_back({ppc::CTR, 0xff});
    return true;
  }

  /// From LLVM's tables.
  bool described(uint64_t Opcode, SmallVectorImpl<LaneBytes> &Out) {
    if (!*this)
      return false;
    SmallVector<uint8_t, 16> Bytes =
        opcodeBytes(ISA::PPC64, Opcode, Opcode >> 32 ? 8 : 4);
    MCInst Inst;
    uint64_t Size = 0;
    if (McTarget::Decoder->getInstruction(Inst, Size, Bytes, 0, nulls()) ==
        MCDisassembler::Fail)
      return false;
    uint32_t Op = uint32_t(Opcode);
    const MCInstrDesc &Desc = Instructions->get(Inst.getOpcode());
    auto add = [&](unsigned Register) {
      for (LaneBytes B : Lanes[Register]) {
        auto It = find_if(Out, [&](LaneBytes O) { return O.Lane == B.Lane; });
        if (It == Out.end())
          Out.push_back(B);
        else
          It->Mask |= B.Mask;
      }
    };
    unsigned Defs = std::min(Desc.getNumDefs(), Inst.getNumOperands());
    for (unsigned I = 0; I < Defs; ++I)
      if (Inst.getOperand(I).isReg())
        add(Inst.getOperand(I).getReg());
    for (MCPhysReg R : Desc.implicit_defs())
      add(R);
    // mtcrf and mtocrf: LLVM models the fields as an immediate.
    if (!(Opcode >> 32) && Op >> 26 == 31 && ((Op >> 1) & 0x3ff) == 144) {
      Out.clear();
      uint8_t Mask = 0;
      for (unsigned F = 0; F < 8; ++F)
        if (Op >> 12 & (0x80u >> F))
          Mask |= uint8_t(1u << ((7 - F) / 2));
      if (Mask)
        Out.push_back({ppc::CR, Mask});
    }
    sort(Out, [](LaneBytes A, LaneBytes B) { return A.Lane < B.Lane; });
    return true;
  }
};

PPCOperands::PPCOperands() : Cache(new Entry[NumEntries]) {}
PPCOperands::~PPCOperands() = default;

ArrayRef<LaneBytes> PPCOperands::find(uint64_t Opcode) {
  if (!D)
    D = std::make_unique<Decoder>();
  Entry &E = Cache[slot(Opcode)];
  E.More = !D->writes(Opcode, Large);
  E.Valid = Large.size() <= MaxLanes;
  if (!E.Valid)
    return Large;
  E.Opcode = Opcode;
  E.Size = uint8_t(Large.size());
  std::copy(Large.begin(), Large.end(), E.Lanes);
  return {E.Lanes, E.Size};
}

} // namespace rw
