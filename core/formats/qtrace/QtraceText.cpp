//===- QtraceText.cpp - Qtrace records as lines of text -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/qtrace/QtraceText.h"
#include "core/arch/PPCInsn.h"
#include "core/support/Digits.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace rw::qtrace {

static uint64_t opcodeOf(const ReadInsn &I) {
  return uint64_t(I.Prefixed ? I.Prefix : 0) << 32 | I.Opcode;
}

static std::optional<uint64_t> targetOf(const ReadInsn &I) {
  return I.Prefixed ? std::nullopt : ppc::branchTarget(I.Opcode, I.EA);
}

static std::string spell(Disassembler &Code, const ReadInsn &I) {
  const uint64_t Opcode = opcodeOf(I);
  std::string Out;
  raw_string_ostream OS(Out);
  std::string Text = Code.text(
      ISA::PPC64, opcodeBytes(ISA::PPC64, Opcode, I.Prefixed ? 8 : 4), I.EA);
  if (Text.empty()) {
    OS << ".long   " << format_hex(Opcode, I.Prefixed ? 18 : 10);
    return Out;
  }
  auto [Name, Operands] = StringRef(Text).split(' ');
  OS << Name;
  if (Operands.empty())
    return Out;
  OS.indent(Name.size() < 8 ? 8 - unsigned(Name.size()) : 1);
  // The target of a branch is its last operand, and shown like addresses are.
  if (targetOf(I))
    Operands = Operands.take_front(Operands.rfind(',') + 1);
  OS << Operands;
  return Out;
}

StringRef InstructionTexts::text(const ReadInsn &I) {
  const uint64_t Opcode = opcodeOf(I);
  assert(Opcode < ~uint64_t(1) && "no prefix is like that");
  auto It = Known.find(Opcode);
  if (LLVM_LIKELY(It != Known.end()))
    return It->second;
  if (Known.size() == MaxKnown)
    Known.clear();
  return Known[Opcode] = spell(Code, I);
}

void printRecord(raw_ostream &OS, InstructionTexts &Texts, const ReadInsn &I) {
  OS << format_hex_no_prefix(I.EA, 16) << " \t";
  OS << Texts.text(I);
  if (std::optional<uint64_t> Target = targetOf(I))
    OS << format_hex_no_prefix(*Target, 16) << ' ';
  SmallString<128> Notes;
  raw_svector_ostream N(Notes);
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

json::Object recordJson(InstructionTexts &Texts, const ReadInsn &I) {
  std::string Text = Texts.text(I).str();
  if (std::optional<uint64_t> Target = targetOf(I))
    Text += hex(*Target);
  json::Object O{{"address", hex(I.EA)},
                 {"opcode", hex(I.Opcode, 8)},
                 {"instruction", Text}};
  auto Add = [&](StringRef Key, auto Value) {
    if (Value)
      O[Key] = int64_t(*Value);
  };
  if (I.Prefixed)
    O["prefix"] = hex(I.Prefix, 8);
  if (I.DataEA) {
    O["data_address"] = hex(*I.DataEA);
    Add("data_rpn", I.Data.Rpn);
    Add("data_page_shift", I.Data.PageShift);
  }
  if (I.TellsNext) {
    Add("next_rpn", I.NextRpn);
    Add("next_page_shift", I.NextPageShift);
  }
  Add("node", I.Node);
  if (I.Ends != Termination::None) {
    O["termination"] = int64_t(I.Ends);
    O["termination_node"] = I.TerminationNode;
  }
  return O;
}

/// What a radix tree's entry of a level, or a page, covers: "512G".
static std::string sizeText(unsigned Shift) {
  static const char Units[] = {' ', 'K', 'M', 'G', 'T', 'P', 'E'};
  std::string Text = utostr(uint64_t(1) << Shift % 10);
  if (Shift >= 10)
    Text += Units[Shift / 10];
  return Text;
}

/// Bits that entries of a tree span, uppermost first; the last may be a page.
static unsigned entryShift(unsigned Level, unsigned PageShift) {
  static const unsigned Shifts[] = {39, 30, 21};
  return Level < std::size(Shifts) ? Shifts[Level] : PageShift == 16 ? 16 : 12;
}

void printWalk(raw_ostream &OS, StringRef Whose, const PlaceInfo &P,
               uint64_t EA) {
  if (!P.HasWalk)
    return;
  const ppc::RadixWalk &W = P.Walk;
  const bool Nested = W.K == ppc::RadixWalk::Kind::Nested;
  constexpr unsigned Margin = 20;
  OS.indent(Margin) << Whose << " RADIX " << (Nested ? "guest page " : "page ")
                    << sizeText(Nested && P.GuestShift ? *P.GuestShift
                                                       : P.hostShift());
  if (Nested)
    OS << ", host page " << sizeText(P.hostShift());
  OS << '\n';
  for (unsigned N = 0; N < W.NumWalks; ++N) {
    const bool Access = N + 1 == W.NumWalks;
    OS.indent(Margin + 2);
    if (!Nested)
      OS << "access " << format_hex(EA, 18);
    else if (Access)
      OS << "access, guest-real " << format_hex(W.GuestReal[N], 18);
    else
      OS << "guest level " << N + 1 << " ("
         << sizeText(entryShift(N, P.GuestShift.value_or(12)))
         << "), guest-real " << format_hex(W.GuestReal[N], 18);
    OS << ": host";
    for (unsigned L = 0; L < W.NumPtes; ++L)
      if (W.HostPte[N][L])
        OS << ' ' << format_hex(W.HostPte[N][L], 18) << " ("
           << sizeText(entryShift(L, P.hostShift())) << ')';
    std::optional<uint64_t> Real =
        Access ? P.real(EA) : std::optional<uint64_t>(W.HostReal[N]);
    if (Real)
      OS << ", real " << format_hex(*Real, 18);
    OS << '\n';
  }
}

json::Object walkJson(const PlaceInfo &P, uint64_t EA) {
  const ppc::RadixWalk &W = P.Walk;
  const bool Nested = W.K == ppc::RadixWalk::Kind::Nested;
  json::Array Entries;
  for (unsigned N = 0; N < W.NumWalks; ++N) {
    json::Object E;
    if (Nested)
      E["guest_real"] = hex(W.GuestReal[N]);
    json::Array Host;
    for (unsigned L = 0; L < W.NumPtes; ++L)
      if (W.HostPte[N][L])
        Host.push_back(hex(W.HostPte[N][L]));
    E["host"] = std::move(Host);
    if (N + 1 < W.NumWalks)
      E["real"] = hex(W.HostReal[N]);
    else if (auto Real = P.real(EA))
      E["real"] = hex(*Real);
    Entries.push_back(std::move(E));
  }
  json::Object O{{"page_shift", int64_t(P.hostShift())},
                 {"entries", std::move(Entries)}};
  if (Nested && P.GuestShift)
    O["guest_page_shift"] = int64_t(*P.GuestShift);
  return O;
}

} // namespace rw::qtrace
