//===- Truncate.cpp - Cutting a trace where it gets stuck -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/Truncate.h"
#include "core/formats/tarmac/TraceText.h"
#include "core/model/TimeUnit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <deque>

namespace rw {

namespace {

constexpr size_t PCWindow = 16;
/// Events that repeat must fill half of this many lines: some producers say a
/// thing twice and go on.
constexpr size_t EventWindow = 32;

enum class LineKind : uint8_t { Instruction, Register, Memory, Other };

struct ParsedLine {
  LineKind Kind = LineKind::Other;
  uint64_t PC = 0;
  llvm::StringRef Register, Value;
  llvm::StringRef Text; ///< all but the timestamp
};

llvm::StringRef word(llvm::StringRef &Rest) {
  Rest = Rest.ltrim(" \t");
  size_t N = std::min(Rest.find_first_of(" \t"), Rest.size());
  llvm::StringRef W = Rest.take_front(N);
  Rest = Rest.drop_front(N);
  return W;
}

/// The first address in an instruction line: "(0000800a:e8900c00)", "0000800a",
/// "(3) 0000800a f000"; a counter in brackets is no address.
bool instructionPC(llvm::StringRef Rest, uint64_t &PC) {
  for (unsigned I = 0; I < 4; ++I) {
    llvm::StringRef W = word(Rest);
    llvm::StringRef Next = Rest.ltrim(" \t");
    bool Bracket = W.consume_front("(");
    W = W.take_while([](char C) { return llvm::isHexDigit(C); });
    bool NextIsAddress =
        Next.take_while([](char C) { return llvm::isHexDigit(C); }).size() >= 8;
    if (W.empty() || (Bracket && NextIsAddress))
      continue;
    return !W.getAsInteger(16, PC);
  }
  return false;
}

ParsedLine parseLine(llvm::StringRef Line) {
  ParsedLine P;
  llvm::StringRef Rest = Line.ltrim(" \t");
  // "53 clk", "271ns", "1166.177000us", or none.
  llvm::StringRef AfterTime = Rest;
  llvm::StringRef First = word(AfterTime);
  size_t Digits =
      std::min(First.find_first_not_of("0123456789."), First.size());
  llvm::StringRef Unit = First.drop_front(Digits);
  if (Digits && isTarmacUnit(Unit)) {
    Rest = AfterTime;
  } else if (Digits && Unit.empty()) {
    llvm::StringRef AfterUnit = AfterTime;
    if (isTarmacUnit(word(AfterUnit)))
      Rest = AfterUnit;
  }
  P.Text = Rest.trim(" \t");
  Rest = P.Text;
  llvm::StringRef Kind = word(Rest);
  if (Kind.starts_with("cpu")) // a component before the kind
    Kind = word(Rest);
  if (Kind == "IT" || Kind == "IS" || Kind == "IF" || Kind == "ES") {
    if (instructionPC(Rest, P.PC))
      P.Kind = LineKind::Instruction; // else "ES EXC [0x00] Reset"
  } else if (Kind == "R") {
    P.Kind = LineKind::Register;
    P.Register = word(Rest);
    P.Value = Rest.trim(" \t");
  } else if (Kind == "LD" || Kind == "ST" ||
             (Kind.size() >= 2 && Kind[0] == 'M' &&
              (Kind[1] == 'R' || Kind[1] == 'W' || Kind[1] == 'N' ||
               Kind[1] == 'S')) ||
             (Kind.size() == 3 && (Kind[0] == 'R' || Kind[0] == 'W') &&
              llvm::isDigit(Kind[1]) && llvm::isDigit(Kind[2]))) {
    P.Kind = LineKind::Memory;
  }
  return P;
}

/// Whether the newest events are twice the same sequence, long enough.
bool repeats(const std::deque<std::string> &Events) {
  for (size_t Half = 1; 2 * Half <= Events.size(); ++Half)
    if (2 * Half >= EventWindow / 2 &&
        std::equal(Events.end() - ptrdiff_t(Half), Events.end(),
                   Events.end() - ptrdiff_t(2 * Half)))
      return true;
  return false;
}

} // namespace

llvm::Expected<TruncateReport> truncateTrace(llvm::StringRef Path,
                                             llvm::raw_ostream &Out,
                                             const Watch &Watch) {
  auto Text = TraceText::open(Path, Watch.Cancel);
  if (!Text)
    return Text.takeError();
  TruncateReport Report;
  llvm::StringMap<std::string> Registers;
  std::deque<uint64_t> PCs;
  std::deque<std::string> Events;
  bool AnyInstruction = false;
  for (uint64_t Number = 1;; ++Number) {
    if (Number % 4096 == 0)
      if (llvm::Error E = Watch.step("copying lines", Number, 0))
        return E;
    auto Line = Text->line(Number);
    if (!Line)
      return Line.takeError();
    if (Text->atEnd())
      break;
    ParsedLine P = parseLine(*Line);
    switch (P.Kind) {
    case LineKind::Instruction:
      AnyInstruction = true;
      if (llvm::is_contained(PCs, P.PC)) {
        Report.Cut = true;
        Report.Why = "a loop at 0x" + llvm::utohexstr(P.PC, true) +
                     " that changes no register";
      }
      PCs.push_back(P.PC);
      if (PCs.size() > PCWindow)
        PCs.pop_front();
      Events.clear();
      break;
    case LineKind::Register: {
      std::string &Value = Registers[P.Register];
      if (Value != P.Value) {
        // The first sight of a register may be a change as well.
        Value = P.Value.str();
        PCs.clear();
      }
      Events.clear();
      break;
    }
    case LineKind::Memory:
      break;
    case LineKind::Other:
      Events.push_back(P.Text.str());
      if (Events.size() > EventWindow)
        Events.pop_front();
      if (repeats(Events)) {
        Report.Cut = true;
        Report.Why = "events that repeat without an instruction";
      }
      break;
    }
    Out << *Line << '\n';
    ++Report.Lines;
    if (Report.Cut)
      return Report;
  }
  if (!AnyInstruction)
    return llvm::createStringError(
        (Path == "-" ? llvm::Twine("standard input") : Path) +
        ": no instruction lines (IT, IS, ES): this is no Tarmac trace");
  return Report;
}

} // namespace rw
