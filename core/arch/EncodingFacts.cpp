//===- EncodingFacts.cpp - What encodings tell ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/EncodingFacts.h"
#include "core/arch/Disassembler.h"
#include "core/arch/McTarget.h"
#include "core/arch/PPCInsn.h"
#include "core/arch/PPCText.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw {

/// Whether \p Inst has a register that could hold an address.
static bool readsRegister(const MCInst &Inst, const MCInstrDesc &Desc) {
  if (!Desc.implicit_uses().empty())
    return true;
  for (unsigned N = 0; N < Inst.getNumOperands(); ++N)
    if (Inst.getOperand(N).isReg() &&
        !(N < Desc.getNumOperands() && Desc.operands()[N].isPredicate()))
      return true;
  return false;
}

/// What LLVM's tables say of x86-64 and what they lack: they give string
/// instructions, enter and pushes of segment registers no store, and one to
/// what only could do anything, as far as they know.
static bool x86Writes(StringRef Name, const MCInst &Inst,
                      const MCInstrDesc &Desc) {
  static constexpr StringLiteral Strings[] = {
      "STOSB", "STOSW", "STOSL", "STOSQ", "MOVSB", "MOVSW",
      "MOVSL", "MOVSQ", "INSB",  "INSW",  "INSL"};
  if (is_contained(Strings, Name) || Name.starts_with("PUSH") ||
      Name.starts_with("ENTER") || Name.starts_with("MASKMOV") ||
      Name.starts_with("VMASKMOVDQU"))
    return true;
  static constexpr StringLiteral Never[] = {"LDMXCSR", "VLDMXCSR", "XRSTOR",
                                            "FXRSTOR", "PREFETCH", "CLFLUSH",
                                            "CLWB",    "CLDEMOTE", "PTWRITE"};
  if (any_of(Never, [&](StringRef N) { return Name.starts_with(N); }))
    return false;
  return Desc.mayStore() && !Desc.isCall() &&
         any_of(Desc.operands().take_front(Inst.getNumOperands()),
                [](const MCOperandInfo &O) {
                  return O.OperandType == MCOI::OPERAND_MEMORY;
                });
}

/// What LLVM lets store: loads, accesses to coprocessors, prefetches, what sets
/// tags or flags alone, and what asks for the rights to an address.
static bool neverWrites(StringRef Name) {
  Name.consume_front("t2");
  static constexpr StringLiteral Never[] = {
      "LDXP",   "LDAXP",  "LDREX", "LDAEX", "LDC_",   "LDCL_",  "LDC2",
      "MRC",    "MCR",    "MRRC",  "PLD",   "PLI",    "PRF",    "SETGO",
      "SADD8",  "SADD16", "SASX",  "SSAX",  "SSUB8",  "SSUB16", "UADD8",
      "UADD16", "UASX",   "USAX",  "USUB8", "USUB16", "VMSR",   "TT"};
  return any_of(Never, [&](StringRef N) { return Name.starts_with(N); });
}

static bool writes(const InsnItem &I, StringRef Name, const MCInst &Inst,
                   const MCInstrDesc &Desc) {
  if (I.Isa == ISA::X86_64)
    return x86Writes(Name, Inst, Desc);
  // LLVM's tables take moves of special registers for stores, and miss some;
  // the others only have what no processor executes yet.
  if (I.Isa == ISA::PPC64) {
    const auto Kind = ppc::memoryKind(
        I.Size == 8 ? uint32_t(I.Opcode >> 32) : 0, uint32_t(I.Opcode));
    return Kind.Flags & ppc::MemoryKind::Store || Name.starts_with("STXV");
  }
  // LLVM takes hints, such as A32's nop, and barriers for stores, so that
  // nothing is moved over them; and fstmx for none.
  return (Desc.mayStore() || Name.starts_with("FSTMX")) && !Desc.isCall() &&
         readsRegister(Inst, Desc) && !neverWrites(Name);
}

/// The number of the general register that a register of LLVM's is, or is a
/// part of.
static std::optional<unsigned> generalRegister(ISA Isa, StringRef Name) {
  if (Isa == ISA::X86_64) {
    static constexpr StringLiteral Old[8][5] = {
        {"RAX", "EAX", "AX", "AL", "AH"}, {"RCX", "ECX", "CX", "CL", "CH"},
        {"RDX", "EDX", "DX", "DL", "DH"}, {"RBX", "EBX", "BX", "BL", "BH"},
        {"RSP", "ESP", "SP", "SPL", ""},  {"RBP", "EBP", "BP", "BPL", ""},
        {"RSI", "ESI", "SI", "SIL", ""},  {"RDI", "EDI", "DI", "DIL", ""}};
    for (unsigned N = 0; N < 8; ++N)
      if (is_contained(Old[N], Name))
        return N;
    if (Name.ends_with("D") || Name.ends_with("W") || Name.ends_with("B"))
      Name = Name.drop_back();
  }
  if (Name == "LR" && Isa != ISA::PPC64)
    return Isa == ISA::A64 ? 30 : 14;
  if (Name == "CTR" || Name == "CTR8")
    return 32;
  const bool Known =
      Isa == ISA::A64     ? Name.consume_front("X") || Name.consume_front("W")
      : Isa == ISA::PPC64 ? Name.consume_front("R") || Name.consume_front("X")
                          : Name.consume_front("R");
  unsigned Number;
  if (!Known || Name.getAsInteger(10, Number) || Number > 31)
    return std::nullopt;
  return Number;
}

/// Pointers to a function's stack, frame, table of contents, and thread.
static uint64_t sharedRegisters(ISA Isa) {
  switch (Isa) {
  case ISA::A64:
    return 1u << 29;
  case ISA::A32:
    return 1u << 11 | 1u << 13;
  case ISA::T32:
    return 1u << 7 | 1u << 13;
  case ISA::PPC64:
    return 1u << 1 | 1u << 2 | 1u << 13 | 1u << 31;
  case ISA::X86_64:
    return 1u << 4 | 1u << 5;
  case ISA::Unknown:
    break;
  }
  return 0;
}

/// What a callee may change.
static uint64_t callerSaved(ISA Isa) {
  switch (Isa) {
  case ISA::A64:
    return ~uint64_t(0x3ff80000);
  case ISA::A32:
  case ISA::T32:
    return ~uint64_t(0xff0);
  case ISA::PPC64:
    return ~uint64_t(0xffffc000);
  case ISA::X86_64:
    return ~uint64_t(0xf008);
  case ISA::Unknown:
    break;
  }
  return 0;
}

struct EncodingReader::Target : McTarget {
  std::unique_ptr<MCInstrAnalysis> Analysis;
  std::vector<uint64_t> General; ///< by LLVM's register: the bit, or 0

  Target(ISA Isa, bool Fallback) : McTarget(Isa, Fallback) {
    if (!*this)
      return;
    Analysis.reset(T->createMCInstrAnalysis(Instructions.get()));
    for (unsigned R = 0; R < Registers->getNumRegs(); ++R) {
      const auto N = generalRegister(Isa, Registers->getName(R));
      General.push_back(N ? (uint64_t(1) << *N) & ~sharedRegisters(Isa) : 0);
    }
  }

  void addRegisters(EncodingFacts &F, ISA Isa, const MCInst &Inst,
                    const MCInstrDesc &Desc) const {
    for (unsigned N = 0; N < Inst.getNumOperands(); ++N)
      if (Inst.getOperand(N).isReg())
        (N < Desc.getNumDefs() ? F.Writes : F.Reads) |=
            General[Inst.getOperand(N).getReg()];
    for (MCPhysReg R : Desc.implicit_uses())
      F.Reads |= General[R];
    for (MCPhysReg R : Desc.implicit_defs())
      F.Writes |= General[R];
    if (Desc.isCall())
      F.Writes |= callerSaved(Isa);
    // xor eax, eax: whatever was in there.
    if (Isa == ISA::X86_64 && Inst.getNumOperands() == 3 &&
        Instructions->getName(Inst.getOpcode()).starts_with("XOR") &&
        Inst.getOperand(1).isReg() && Inst.getOperand(2).isReg() &&
        Inst.getOperand(1).getReg() == Inst.getOperand(2).getReg())
      F.Reads = 0;
  }

  std::optional<EncodingFacts> read(const InsnItem &I,
                                    ArrayRef<uint8_t> Bytes) {
    if (!Analysis)
      return std::nullopt;
    MCInst Inst;
    uint64_t Size = 0, Prefixes = 0;
    StringRef Name;
    bool Good;
    // LLVM takes x86's lock for an instruction of its own.
    do {
      Prefixes += Size;
      Good = Prefixes < Bytes.size() &&
             Decoder->getInstruction(Inst, Size, Bytes.drop_front(Prefixes),
                                     I.PC + Prefixes,
                                     nulls()) != MCDisassembler::Fail;
      if (Good)
        Name = Instructions->getName(Inst.getOpcode());
    } while (Good && I.Isa == ISA::X86_64 && Name.ends_with("_PREFIX"));
    // The Thumb decoder remembers IT blocks.
    if (I.Isa == ISA::T32 && Bytes.size() >= 2 && Bytes[1] == 0xbf &&
        (Bytes[0] & 0xf))
      resetDecoder();
    if (!Good)
      return std::nullopt;
    const MCInstrDesc &Desc = Instructions->get(Inst.getOpcode());
    EncodingFacts F;
    F.WritesMemory = writes(I, Name, Inst, Desc);
    uint64_t To;
    if ((Desc.isBranch() || Desc.isCall()) && !Desc.isIndirectBranch() &&
        Analysis->evaluateBranch(Inst, I.PC + Prefixes, Size, To))
      F.Target = To;
    addRegisters(F, I.Isa, Inst, Desc);
    return F;
  }
};

EncodingReader::EncodingReader() = default;
EncodingReader::~EncodingReader() = default;

std::optional<EncodingFacts> EncodingReader::read(const InsnItem &I) {
  if (!(I.Flags & InsnItem::OpcodeKnown))
    return std::nullopt;
  const uint64_t Opcode =
      I.Isa == ISA::PPC64 ? ppc::withoutReserved(I.Opcode) : I.Opcode;
  SmallVector<uint8_t, 16> Bytes = opcodeBytes(I.Isa, Opcode, I.Size);
  // A longer one only lacks the end of a constant.
  if (I.Isa == ISA::X86_64)
    Bytes.resize(16);
  for (bool Fallback : {false, true}) {
    if (Fallback && I.Isa != ISA::T32)
      break;
    std::unique_ptr<Target> &T = Targets[2 * size_t(I.Isa) + Fallback];
    if (!T)
      T = std::make_unique<Target>(I.Isa, Fallback);
    if (std::optional<EncodingFacts> F = T->read(I, Bytes))
      return F;
  }
  return std::nullopt;
}

} // namespace rw
