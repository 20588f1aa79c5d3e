//===- Disassembler.cpp - LLVM's knowledge of instructions ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Disassembler.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace rw::record;

/// Our register, from LLVM's name for it, which is the same in both
/// architectures but for d0 and s0: there they lie differently.
static int fromName(StringRef Name, bool Is64) {
  int Special = StringSwitch<int>(Name)
                    .Case("NZCV", CPSR)
                    .Case("CPSR", CPSR)
                    .Case("FPSR", FPSR)
                    .Cases({"FPSCR", "FPSCR_NZCV"}, FPSR)
                    .Case("FPCR", FPCR)
                    .Case("FP", 29)
                    .Case("LR", Is64 ? X30 : R14)
                    .Case("SP", Is64 ? SP : R13)
                    .Case("WSP", SP)
                    .Default(-1);
  if (Special >= 0)
    return Special;
  unsigned N;
  if (Name.empty() || Name.drop_front().getAsInteger(10, N) || N > 31)
    return -1;
  switch (Name[0]) {
  case 'R':
  case 'W':
  case 'X':
    return X0 + N;
  case 'B':
  case 'H':
  case 'Q':
    return Is64 ? int(V0 + N) : -1;
  case 'D':
    return V0 + N;
  case 'S':
    return V0 + (Is64 ? N : N / 2);
  default:
    return -1;
  }
}

Disassembler::Disassembler(StringRef TripleName) {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64Disassembler();
  LLVMInitializeARMTargetInfo();
  LLVMInitializeARMTargetMC();
  LLVMInitializeARMDisassembler();
  Triple T(TripleName);
  std::string Message;
  const Target *Found = TargetRegistry::lookupTarget(T, Message);
  if (!Found)
    report_fatal_error(Twine("LLVM without an Arm target: ") + Message);
  Registers.reset(Found->createMCRegInfo(T));
  Assembler.reset(Found->createMCAsmInfo(*Registers, T, MCTargetOptions()));
  Subtarget.reset(Found->createMCSubtargetInfo(
      T, "",
      T.isAArch64() ? "+all"
                    : "+neon,+vfp4,+crypto,+crc,+hwdiv,"
                      "+hwdiv-arm,+fullfp16,+dotprod"));
  Instructions.reset(Found->createMCInstrInfo());
  Context = std::make_unique<MCContext>(T, Assembler.get(), Registers.get(),
                                        Subtarget.get());
  Decode.reset(Found->createMCDisassembler(*Subtarget, *Context));
  Printer.reset(
      Found->createMCInstPrinter(T, 0, *Assembler, *Instructions, *Registers));
  Printer->setPrintBranchImmAsAddress(true);
  Printer->setPrintImmHex(true);
  for (unsigned R = 1; R < Registers->getNumRegs(); ++R)
    Known[R] = fromName(Registers->getName(R), T.isAArch64());
}

/// In the manner of Arm's models: "LDR      x1,[sp,#0]".
static std::string armText(StringRef Text) {
  auto [Mnemonic, Operands] = Text.trim().split('\t');
  std::string Line = Mnemonic.trim().upper();
  if (Operands.empty())
    return Line;
  Line.resize(std::max<size_t>(Line.size() + 1, 9), ' ');
  for (size_t K = 0; K < Operands.size(); ++K)
    if (!(Operands[K] == ' ' && K && Operands[K - 1] == ','))
      Line += Operands[K] == '\t' ? ' ' : Operands[K];
  return Line;
}

void Disassembler::decode(StaticInsn &I, uint64_t PC, const uint8_t *Bytes) {
  MCInst Inst;
  uint64_t Size = 0;
  auto Status =
      Decode->getInstruction(Inst, Size, ArrayRef(Bytes, I.Size), PC, nulls());
  if (Status == MCDisassembler::Fail || Size != I.Size) {
    char Text[32];
    snprintf(Text, sizeof Text, "DCI      0x%0*x", I.Size * 2, I.Opcode);
    I.Text = Text;
    return;
  }
  std::string Text;
  raw_string_ostream Stream(Text);
  Printer->printInst(&Inst, PC, "", *Subtarget, Stream);
  I.Text = armText(Text);
  addWritten(I, Inst);
}

void Disassembler::addRegister(StaticInsn &I, MCRegister R) {
  // A list such as Q0_Q1 is written by writing its parts.
  for (MCPhysReg Part : Registers->subregs_inclusive(R)) {
    int Ours = Known.lookup(Part);
    if (Ours < 0)
      continue;
    auto Check = llvm::find_if(
        I.Regs, [&](StaticInsn::RegCheck C) { return C.Reg == Ours; });
    if (Check != I.Regs.end())
      Check->Always = true;
    else
      I.Regs.push_back({uint8_t(Ours), true});
  }
}

void Disassembler::addWritten(StaticInsn &I, const MCInst &Inst) {
  const MCInstrDesc &Desc = Instructions->get(Inst.getOpcode());
  for (unsigned K = 0; K < Inst.getNumOperands(); ++K) {
    bool IsWritten = K < Desc.getNumDefs();
    if (K < Desc.getNumOperands())
      IsWritten |= Desc.operands()[K].isOptionalDef();
    else
      IsWritten |= Desc.variadicOpsAreDefs();
    const MCOperand &Op = Inst.getOperand(K);
    if (IsWritten && Op.isReg() && Op.getReg())
      addRegister(I, Op.getReg());
  }
  for (MCPhysReg R : Desc.implicit_defs())
    addRegister(I, R);
}
