//===- HtmText.cpp - Dumps as text ----------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::htm {

static void hex(raw_ostream &OS, const char *Name, uint64_t V,
                unsigned Digits) {
  OS << Name << format_hex_no_prefix(V, Digits);
}

SmallVector<StringRef, 9> msrBits(const Instruction &I) {
  static const struct {
    uint16_t Bit;
    const char *Name;
  } Names[] = {{MsrHV, "HV"}, {MsrPR, "PR"}, {MsrIR, "IR"},
               {MsrDR, "DR"}, {MsrEE, "EE"}, {MsrS, "S"},
               {MsrTS, "TS"}, {MsrLE, "LE"}, {MsrSF, "SF"}};
  SmallVector<StringRef, 9> Set;
  for (auto &N : Names)
    if (I.Msr & N.Bit)
      Set.push_back(N.Name);
  return Set;
}

static void printMsr(raw_ostream &OS, const Instruction &I) {
  std::string Set = join(msrBits(I), ",");
  OS << " msr:" << (Set.empty() ? "0" : Set);
}

void printInstruction(raw_ostream &OS, const Instruction &I,
                      const TextOptions &Options) {
  bool Known = I.has(Instruction::AddressKnown);
  auto address = [&](uint64_t EA) {
    if (Known)
      hex(OS, "INSN  iea:", EA, 16);
    else
      OS << "INSN  iea:????????????????";
  };
  address(I.EA);
  if (I.has(Instruction::Prefixed) && !I.Prefix)
    OS << " op:????????";
  else
    hex(OS, " op:", I.has(Instruction::Prefixed) ? I.Prefix : I.Opcode, 8);
  if (Known && I.RA != NoAddress)
    hex(OS, " ira:", I.RA, 16);
  if (Known && I.RA != NoAddress && I.PageShift)
    OS << " ipgsize:" << unsigned(I.PageShift);
  unsigned Shown =
      Options.Everything ? I.NumData : std::min<unsigned>(I.NumData, 1);
  for (unsigned N = 0; N < Shown; ++N) {
    hex(OS, " dea:", I.Data[N], 16);
    if (I.DataRA[N] != NoAddress)
      hex(OS, " dra:", I.DataRA[N], 16);
    if (I.DataPageShift[N])
      OS << " dpgsize:" << unsigned(I.DataPageShift[N]);
  }
  if (Options.Everything) {
    if (I.has(Instruction::Slb)) {
      hex(OS, " esid:", I.Data[0], 16);
      hex(OS, " vsid:", I.DataRA[0], 16);
    }
    if (I.has(Instruction::MsrKnown))
      printMsr(OS, I);
    if (I.has(Instruction::ContextKnown))
      OS << " lpid:" << (I.Context >> 20) << " pid:" << (I.Context & 0xfffff);
    if (I.has(Instruction::Damaged))
      OS << " (damaged)";
  }
  OS << '\n';
  if (I.has(Instruction::Prefixed)) {
    address(I.EA + 4);
    hex(OS, " op:", I.Opcode, 8);
    OS << '\n';
  }
}

std::string describe(const Stamp &S) {
  uint64_t W = S.Word;
  switch (S.Kind) {
  case StampKind::Record:
    return formatv("tracing starts, counter {0}", bits(W, 24, 31));
  case StampKind::Complete:
    return formatv("tracing ends, {0} cycles elapsed", S.Cycles);
  case StampKind::Pause:
    return formatv("tracing pauses, {0} cycles elapsed", S.Cycles);
  case StampKind::Mark:
    return formatv("mark {0} by unit {1} of chip {2}, group {3}{4}",
                   bits(W, 41, 52), bits(W, 31, 40), bits(W, 28, 30),
                   bits(W, 24, 27), W & 1 ? "; markers were dropped" : "");
  case StampKind::Sync:
    return "sync";
  case StampKind::Time:
    switch (bits(W, 20, 27)) {
    case 0x80:
      return formatv("{0} cycles", S.Cycles);
    case 0x90:
      return "markers dropped";
    case 0xA0:
      return formatv("records dropped, more than can be counted ({0})",
                     bits(W, 28, 35));
    case 0xB0:
      return "elapsed time overflowed";
    case 0x88:
      return "command response dropped";
    case 0x84:
      return "trigger dropped";
    case 0x82:
      return "trace buffer full";
    }
    return formatv("time stamp of unknown kind {0:x-2}", bits(W, 20, 27));
  case StampKind::Loss:
    return "words are lost or damaged";
  case StampKind::Undefined:
    break;
  }
  return "undefined stamp";
}

void printEvent(raw_ostream &OS, const Event &E) {
  static const char *const Names[] = {"RECORD  ", "COMPLETE", "PAUSE   ",
                                      "MARK    ", "SYNC    ", "TIME    ",
                                      "STAMP   ", "LOST    "};
  OS << Names[unsigned(E.What.Kind)] << ' ' << describe(E.What) << '\n';
}

} // namespace rw::htm
