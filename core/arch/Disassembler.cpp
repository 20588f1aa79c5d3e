//===- Disassembler.cpp - Instructions as text ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/Disassembler.h"
#include "core/arch/PPCText.h"
#include "core/arch/Targets.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

extern "C" {
#define REWIND_TARGET(T)                                                       \
  void LLVMInitialize##T##TargetInfo();                                        \
  void LLVMInitialize##T##TargetMC();                                          \
  void LLVMInitialize##T##Disassembler();
REWIND_TARGET(AArch64)
REWIND_TARGET(ARM)
REWIND_TARGET(PowerPC)
REWIND_TARGET(X86)
#undef REWIND_TARGET
}

using namespace llvm;

namespace rw {

SmallVector<uint8_t, 16> opcodeBytes(ISA Isa, uint64_t Opcode, unsigned Size) {
  SmallVector<uint8_t, 16> Bytes;
  Size = std::min(Size, 8u);
  for (unsigned I = 0; I < Size; ++I) {
    unsigned Shift;
    if (Isa == ISA::PPC64)
      Shift = 8 * (Size - 1 - I);
    else if (Isa == ISA::T32 && Size == 4)
      Shift = 8 * (I ^ 2); // first halfword in the upper half
    else
      Shift = 8 * I;
    Bytes.push_back(uint8_t(Opcode >> Shift));
  }
  return Bytes;
}

void initializeTargets() {
  static std::once_flag Once;
  std::call_once(Once, [] {
#define REWIND_TARGET(T)                                                       \
  LLVMInitialize##T##TargetInfo();                                             \
  LLVMInitialize##T##TargetMC();                                               \
  LLVMInitialize##T##Disassembler();
    REWIND_TARGET(AArch64)
    REWIND_TARGET(ARM)
    REWIND_TARGET(PowerPC)
    REWIND_TARGET(X86)
#undef REWIND_TARGET
  });
}

namespace {
struct TargetSpec {
  const char *TripleName, *Cpu, *Features;
};
} // namespace

/// \p Fallback: T32 of another profile, whose encodings overlap.
static TargetSpec specFor(ISA Isa, bool Fallback) {
  if (Fallback)
    return {"thumbv8a-none-eabi", "",
            "+neon,+fp-armv8,+crypto,+hwdiv,+mp,+virtualization,+trustzone"};
  switch (Isa) {
  case ISA::A64:
    return {"aarch64-none-elf", "", "+all"};
  case ISA::A32:
    return {"armv8a-none-eabi", "",
            "+neon,+fp-armv8,+fullfp16,+crypto,+hwdiv-arm,+mp,+virtualization,"
            "+trustzone"};
  case ISA::T32:
    return {"thumbv8.1m.main-none-eabi", "",
            "+thumb2,+hwdiv,+dsp,+mve.fp,+fp-armv8,+lob,+crc,+8msecext"};
  case ISA::PPC64:
    return {"powerpc64-unknown-linux-gnu", "future", ""};
  case ISA::X86_64:
    return {"x86_64-unknown-linux-gnu", "", ""};
  case ISA::Unknown:
    break;
  }
  return {nullptr, nullptr, nullptr};
}

struct Disassembler::Target {
  const llvm::Target *T = nullptr;
  Triple Name;
  std::unique_ptr<MCRegisterInfo> Registers;
  std::unique_ptr<MCAsmInfo> Asm;
  std::unique_ptr<MCSubtargetInfo> Subtarget;
  std::unique_ptr<MCInstrInfo> Instructions;
  std::unique_ptr<MCContext> Context;
  std::unique_ptr<MCDisassembler> Decoder;
  std::unique_ptr<MCInstPrinter> Printer;
  bool Usable = false;

  Target(ISA Isa, bool Fallback) {
    initializeTargets();
    TargetSpec Spec = specFor(Isa, Fallback);
    if (!Spec.TripleName)
      return;
    Name = Triple(Spec.TripleName);
    std::string Problem;
    T = TargetRegistry::lookupTarget(Name, Problem);
    if (!T)
      return;
    Registers.reset(T->createMCRegInfo(Name));
    Asm.reset(T->createMCAsmInfo(*Registers, Name, MCTargetOptions()));
    Subtarget.reset(T->createMCSubtargetInfo(Name, Spec.Cpu, Spec.Features));
    Instructions.reset(T->createMCInstrInfo());
    if (!Asm || !Subtarget || !Instructions)
      return;
    Asm->setFullRegisterNames(true); // POWER: "r3", not "3"
    Context = std::make_unique<MCContext>(Name, Asm.get(), Registers.get(),
                                          Subtarget.get());
    Printer.reset(T->createMCInstPrinter(Name, Asm->getAssemblerDialect(), *Asm,
                                         *Instructions, *Registers));
    resetDecoder();
    if (!Printer || !Decoder)
      return;
    Printer->setPrintImmHex(true);
    Printer->setPrintBranchImmAsAddress(true);
    Usable = true;
  }

  void resetDecoder() {
    Decoder.reset(T->createMCDisassembler(*Subtarget, *Context));
  }

  std::string print(ISA Isa, ArrayRef<uint8_t> Bytes, uint64_t PC) {
    MCInst Inst;
    uint64_t Size = 0;
    bool Good = Decoder->getInstruction(Inst, Size, Bytes, PC, nulls()) !=
                MCDisassembler::Fail;
    // The Thumb decoder remembers IT blocks and would apply them to whatever it
    // is shown next, which need not be what comes next.
    if (Isa == ISA::T32 && Bytes.size() == 2 && Bytes[1] == 0xbf &&
        (Bytes[0] & 0xf))
      resetDecoder();
    if (!Good)
      return {};
    std::string Raw;
    raw_string_ostream OS(Raw);
    // Branches of x86 are relative to their end.
    Printer->printInst(&Inst, Isa == ISA::X86_64 ? PC + Size : PC, "",
                       *Subtarget, OS);
    // LLVM separates with tabs.
    std::string Result;
    for (char C : StringRef(Raw).trim())
      Result.push_back(C == '\t' ? ' ' : C);
    return Result;
  }
};

Disassembler::Disassembler() = default;
Disassembler::~Disassembler() = default;
Disassembler::Disassembler(Disassembler &&) noexcept = default;
Disassembler &Disassembler::operator=(Disassembler &&) noexcept = default;

Disassembler::Target *Disassembler::target(ISA Isa, bool Fallback) {
  size_t I = 2 * size_t(Isa) + Fallback;
  if (Targets.size() <= I)
    Targets.resize(I + 1);
  if (!Targets[I])
    Targets[I] = std::make_unique<Target>(Isa, Fallback);
  return Targets[I]->Usable ? Targets[I].get() : nullptr;
}

std::string Disassembler::text(ISA Isa, ArrayRef<uint8_t> Bytes, uint64_t PC) {
  if (Bytes.empty())
    return {};
  if (Isa == ISA::PPC64)
    return powerText(Bytes, PC);
  for (bool Fallback : {false, true}) {
    if (Fallback && Isa != ISA::T32)
      break;
    if (Target *T = target(Isa, Fallback))
      if (std::string Text = T->print(Isa, Bytes, PC); !Text.empty())
        return Text;
  }
  return {};
}

/// As the GNU tools have it.
std::string Disassembler::powerText(ArrayRef<uint8_t> Bytes, uint64_t PC) {
  uint64_t Opcode = 0;
  for (uint8_t B : Bytes)
    Opcode = Opcode << 8 | B;
  if (std::optional<std::string> Own = ppc::extendedText(Opcode, PC))
    return *Own;
  std::string Text;
  if (Target *T = target(ISA::PPC64, false))
    Text = T->print(ISA::PPC64,
                    opcodeBytes(ISA::PPC64, ppc::withoutReserved(Opcode),
                                unsigned(Bytes.size())),
                    PC);
  std::string Plain;
  for (char C : Text)
    if (C != '%' && !(C == ' ' && StringRef(Plain).ends_with(",")))
      Plain.push_back(C);
  return Plain.empty() ? Plain : ppc::respelled(Opcode, Plain);
}

std::string Disassembler::text(const InsnItem &Insn) {
  if (!(Insn.Flags & InsnItem::OpcodeKnown) || Insn.Size > 8)
    return {};
  return text(Insn.Isa, opcodeBytes(Insn.Isa, Insn.Opcode, Insn.Size), Insn.PC);
}

} // namespace rw
