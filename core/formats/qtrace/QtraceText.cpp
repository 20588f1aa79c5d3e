//===- QtraceText.cpp - Qtrace records as lines of text -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/qtrace/QtraceText.h"
#include "core/arch/PPCInsn.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace rw::qtrace {

static void printInstruction(raw_ostream &OS, Disassembler &Code,
                             const ReadInsn &I) {
  uint64_t Opcode = uint64_t(I.Prefixed ? I.Prefix : 0) << 32 | I.Opcode;
  std::string Text = Code.text(
      ISA::PPC64, opcodeBytes(ISA::PPC64, Opcode, I.Prefixed ? 8 : 4), I.EA);
  if (Text.empty()) {
    OS << ".long   " << format_hex(Opcode, I.Prefixed ? 18 : 10);
    return;
  }
  auto [Name, Operands] = StringRef(Text).split(' ');
  OS << Name;
  if (Operands.empty())
    return;
  OS.indent(Name.size() < 8 ? 8 - unsigned(Name.size()) : 1);
  // The target of a branch is its last operand, and shown like addresses are.
  auto Target = I.Prefixed ? std::nullopt : ppc::branchTarget(I.Opcode, I.EA);
  if (!Target) {
    OS << Operands;
    return;
  }
  size_t Before = Operands.rfind(',');
  if (Before != StringRef::npos)
    OS << Operands.take_front(Before + 1);
  OS << format_hex_no_prefix(*Target, 16) << ' ';
}

void printRecord(raw_ostream &OS, Disassembler &Code, const ReadInsn &I) {
  OS << format_hex_no_prefix(I.EA, 16) << " \t";
  printInstruction(OS, Code, I);
  std::string Notes;
  raw_string_ostream N(Notes);
  if (I.DataEA) {
    N << ' ' << format_hex(*I.DataEA, 18);
    if (I.Data.Rpn)
      N << " DATA RPN " << format_hex(*I.Data.Rpn, 10);
    if (I.Data.PageShift)
      N << " DATA PAGE SIZE " << unsigned(*I.Data.PageShift);
  }
  if (I.TellsNext) {
    N << " INSN RPN " << format_hex(*I.NextRpn, 10);
    if (I.NextPageShift)
      N << " INSN PAGE SIZE " << unsigned(*I.NextPageShift);
  }
  if (I.Node)
    N << " NODE " << format_hex(*I.Node, 4);
  if (I.Ends != Termination::None)
    N << " TERM NODE " << format_hex(I.TerminationNode, 4) << " TERM CODE "
      << format_hex(unsigned(I.Ends), 4);
  if (!Notes.empty())
    OS << "\t #" << Notes;
  OS << '\n';
}

} // namespace rw::qtrace
