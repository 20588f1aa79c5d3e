//===- Truncate.cpp - Cutting a trace where it gets stuck -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/Truncate.h"
#include "core/formats/tarmac/LineText.h"
#include "core/formats/tarmac/TraceText.h"
#include "core/model/TimeUnit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <deque>
#include <map>

namespace rw {

namespace {

constexpr size_t PCWindow = 16;
/// Events that repeat must fill half of this many lines: some producers say a
/// thing twice and go on.
constexpr size_t EventWindow = 32;
/// So many lines of its own a CPU must have gone round when others had the time
/// to see what it wrote last.
constexpr uint64_t LongEnough = 32;

enum class LineKind : uint8_t { Instruction, Register, Memory, Other };

struct ParsedLine {
  LineKind Kind = LineKind::Other;
  uint64_t PC = 0;
  llvm::StringRef Register, Value;
  llvm::StringRef Text; ///< all but the timestamp
  /// The CPU; none on a line that is of no known kind, or without both name and
  /// time: it goes on with what came before.
  std::optional<llvm::StringRef> Cpu;
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
  bool Timed = Digits && isTarmacUnit(Unit);
  if (Timed) {
    Rest = AfterTime;
  } else if (Digits && Unit.empty()) {
    llvm::StringRef AfterUnit = AfterTime;
    Timed = isTarmacUnit(word(AfterUnit));
    if (Timed)
      Rest = AfterUnit;
  }
  P.Text = Rest.trim(" \t");
  Rest = P.Text;
  llvm::StringRef Kind = word(Rest);
  if (tarmac::isKind(Kind)) {
    if (Timed)
      P.Cpu = "";
  } else if (llvm::StringRef AfterName = Rest, Second = word(AfterName);
             tarmac::isKind(Second) && tarmac::isCpuName(Kind)) {
    P.Cpu = Kind;
    Kind = Second;
    Rest = AfterName;
  }
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

/// What a CPU does.
struct Cpu {
  llvm::StringMap<std::string> Registers;
  std::deque<uint64_t> PCs;
  std::deque<std::string> Events;
  std::string Stuck;  ///< why it gets no further; empty: it does
  uint64_t Round = 0; ///< its lines since the last CPU got stuck
  bool Ran = false;   ///< it is not only a name for what is of no CPU

  void see(const ParsedLine &P);
};

void Cpu::see(const ParsedLine &P) {
  switch (P.Kind) {
  case LineKind::Instruction:
    if (!llvm::is_contained(PCs, P.PC))
      Stuck.clear();
    else if (Stuck.empty())
      Stuck = "a loop at 0x" + llvm::utohexstr(P.PC, true) +
              " that changes no register";
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
      Stuck.clear();
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
    if (Stuck.empty() && repeats(Events))
      Stuck = "events that repeat without an instruction";
    break;
  }
}

/// Finds the line behind which nothing new comes.
class Truncation {
public:
  Truncation(llvm::StringRef Path, const Watch &W) : Path(Path), W(W) {}
  /// Whether the trace is to be cut after line \p Number, which is \p P.
  llvm::Expected<bool> endsWith(uint64_t Number, const ParsedLine &P);
  std::string why() const;
  bool anyInstruction() const { return AnyInstruction; }

private:
  bool goesRound(const Cpu &C) const {
    return !C.Stuck.empty() && (NumRan <= 1 || C.Round >= LongEnough);
  }
  /// The first line from \p Number on that is an instruction of a CPU that does
  /// not go round.
  llvm::Expected<std::optional<uint64_t>> nextOther(uint64_t Number);

  const llvm::StringRef Path;
  const Watch &W;
  std::map<std::string, Cpu, std::less<>> Cpus;
  std::string Current;
  unsigned NumRan = 0;
  bool AnyInstruction = false;
  std::optional<TraceText> Ahead;
  uint64_t Awaited = 0; ///< a line, before which nothing can be cut
};

llvm::Expected<std::optional<uint64_t>> Truncation::nextOther(uint64_t Number) {
  if (!Ahead) {
    auto Text = TraceText::open(Path, W.Cancel);
    if (!Text)
      return Text.takeError();
    Ahead = std::move(*Text);
  }
  std::string Last = Current;
  for (;; ++Number) {
    if (Number % 4096 == 0)
      if (llvm::Error E = W.step("looking ahead", Number, 0))
        return E;
    auto Line = Ahead->line(Number);
    if (!Line)
      return Line.takeError();
    if (Ahead->atEnd())
      return std::nullopt;
    ParsedLine P = parseLine(*Line);
    if (P.Cpu && *P.Cpu != Last)
      Last = P.Cpu->str();
    if (P.Kind != LineKind::Instruction)
      continue;
    auto C = Cpus.find(Last);
    if (C == Cpus.end() || !goesRound(C->second))
      return Number;
  }
}

llvm::Expected<bool> Truncation::endsWith(uint64_t Number,
                                          const ParsedLine &P) {
  AnyInstruction |= P.Kind == LineKind::Instruction;
  if (P.Cpu && *P.Cpu != Current)
    Current = P.Cpu->str();
  Cpu &C = Cpus[Current];
  if (P.Kind != LineKind::Other && !std::exchange(C.Ran, true))
    ++NumRan;
  const bool WasStuck = !C.Stuck.empty();
  C.see(P);
  if (C.Stuck.empty())
    return false;
  if (!WasStuck)
    for (auto &[Name, Other] : Cpus)
      Other.Round = 0;
  else
    ++C.Round;
  if (!goesRound(C) || Number < Awaited)
    return false;
  // Without names there is one.
  if (Cpus.size() == 1 && Current.empty())
    return true;
  if (Path == "-")
    return llvm::all_of(
        Cpus, [&](const auto &Named) { return goesRound(Named.second); });
  auto Other = nextOther(Number + 1);
  if (!Other)
    return Other.takeError();
  if (!*Other)
    return true;
  Awaited = **Other;
  return false;
}

std::string Truncation::why() const {
  std::string Text;
  for (const auto &[Name, C] : Cpus)
    if (!C.Stuck.empty())
      Text += (Text.empty() ? "" : "; ") +
              (NumRan > 1 && !Name.empty() ? Name + ": " : "") + C.Stuck;
  return Text;
}

} // namespace

llvm::Expected<TruncateReport> truncateTrace(llvm::StringRef Path,
                                             llvm::raw_ostream &Out,
                                             const Watch &Watch) {
  auto Text = TraceText::open(Path, Watch.Cancel);
  if (!Text)
    return Text.takeError();
  TruncateReport Report;
  Truncation Found(Path, Watch);
  for (uint64_t Number = 1;; ++Number) {
    if (Number % 4096 == 0)
      if (llvm::Error E = Watch.step("copying lines", Number, 0))
        return E;
    auto Line = Text->line(Number);
    if (!Line)
      return Line.takeError();
    if (Text->atEnd())
      break;
    Out << *Line << '\n';
    ++Report.Lines;
    auto Ends = Found.endsWith(Number, parseLine(*Line));
    if (!Ends)
      return Ends.takeError();
    if (*Ends) {
      Report.Cut = true;
      Report.Why = Found.why();
      return Report;
    }
  }
  if (!Found.anyInstruction())
    return llvm::createStringError(
        (Path == "-" ? llvm::Twine("standard input") : Path) +
        ": no instruction lines (IT, IS, ES): this is no Tarmac trace");
  return Report;
}

} // namespace rw
