//===- Disassembler.cpp - Instructions as text ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/Disassembler.h"
#include "core/arch/McTarget.h"
#include "core/arch/PPCText.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

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

struct Disassembler::Target : McTarget {
  std::unique_ptr<MCInstPrinter> Printer;

  Target(ISA Isa, bool Fallback) : McTarget(Isa, Fallback) {
    if (!*this)
      return;
    Asm->setFullRegisterNames(true); // POWER: "r3", not "3"
    Printer.reset(T->createMCInstPrinter(Name, Asm->getAssemblerDialect(), *Asm,
                                         *Instructions, *Registers));
    if (!Printer)
      return;
    Printer->setPrintImmHex(true);
    Printer->setPrintBranchImmAsAddress(true);
  }

  /// \p Sure: no bits of it are others than they should be.
  std::string print(ISA Isa, ArrayRef<uint8_t> Bytes, uint64_t PC, uint8_t It,
                    bool &Sure) {
    MCInst Inst;
    uint64_t Size = 0;
    const bool InBlock = It != NoItCondition;
    if (InBlock) {
      const uint8_t Block[] = {uint8_t(It << 4 | 8), 0xbf};
      Decoder->getInstruction(Inst, Size, Block, PC, nulls());
      Inst = MCInst();
    }
    const MCDisassembler::DecodeStatus Done =
        Decoder->getInstruction(Inst, Size, Bytes, PC, nulls());
    Sure = Done == MCDisassembler::Success;
    // The Thumb decoder remembers IT blocks and would apply them to whatever it
    // is shown next, which need not be what comes next. It looks at 2 bytes, of
    // whatever size a trace says that the instruction is.
    if (Isa == ISA::T32 && (InBlock || (Bytes.size() >= 2 && Bytes[1] == 0xbf &&
                                        (Bytes[0] & 0xf))))
      resetDecoder();
    if (Done == MCDisassembler::Fail)
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
  return Targets[I]->Printer ? Targets[I].get() : nullptr;
}

std::string Disassembler::text(ISA Isa, ArrayRef<uint8_t> Bytes, uint64_t PC,
                               uint8_t It) {
  if (Bytes.empty())
    return {};
  if (Isa == ISA::PPC64)
    return powerText(Bytes, PC);
  // An instruction of one profile can look like one of the other with wrong
  // bits: blx like MVE's vctp.
  std::string Doubtful;
  for (bool Fallback : {false, true}) {
    if (Fallback && Isa != ISA::T32)
      break;
    Target *T = target(Isa, Fallback);
    bool Sure = false;
    std::string Text = T ? T->print(Isa, Bytes, PC, It, Sure) : "";
    if (Sure)
      return Text;
    if (Doubtful.empty())
      Doubtful = std::move(Text);
  }
  return Doubtful;
}

/// As the GNU tools have it.
std::string Disassembler::powerText(ArrayRef<uint8_t> Bytes, uint64_t PC) {
  uint64_t Opcode = 0;
  for (uint8_t B : Bytes)
    Opcode = Opcode << 8 | B;
  if (std::optional<std::string> Own = ppc::extendedText(Opcode, PC))
    return *Own;
  std::string Text;
  bool Sure;
  if (Target *T = target(ISA::PPC64, false))
    Text = T->print(ISA::PPC64,
                    opcodeBytes(ISA::PPC64, ppc::withoutReserved(Opcode),
                                unsigned(Bytes.size())),
                    PC, NoItCondition, Sure);
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
