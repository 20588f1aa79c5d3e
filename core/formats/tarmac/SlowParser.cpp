//===- SlowParser.cpp - Lines of Tarmac to items: the whole grammar -------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources: the format's description in the Tarmac Trace Utilities' manual, and
// what real producers write beyond it (docs/tarmac.md lists that).
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "core/formats/tarmac/LineParser.h"
#include "core/formats/tarmac/LineText.h"
#include "core/formats/tarmac/RegisterValue.h"
#include "core/model/TimeUnit.h"
#include "core/support/Printable.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

namespace rw::tarmac {

namespace {

/// What the keyword of a memory line says.
struct MemKind {
  bool Write = false, Exclusive = false;
  unsigned Size = 0;
  bool Ignored = false;     ///< an instruction fetch, or no memory at all
  bool MemoryOrder = false; ///< data as the bytes lie in memory
  bool Bus = false;         ///< RTL: wide data comes as bus words, lower first
  bool Lanes = false;       ///< narrow data comes as the whole 32-bit bus
};

} // namespace

static std::optional<MemKind> memKind(llvm::StringRef W) {
  MemKind K;
  bool HasM = W.consume_front("M");
  if (HasM && W.size() == 7 && (W[0] == 'N' || W[0] == 'S' || W[0] == 'C')) {
    // M<cycle type><R|W><size><attributes><bus>: MNW4___D, MNR4O__I, MCW4___R.
    K.Bus = true;
    K.Ignored = W[0] == 'C' || W.back() == 'I' || W.back() == 'A';
    K.MemoryOrder = W.back() == 'D';
    W = W.drop_front();
  }
  if (W.empty() || (W[0] != 'R' && W[0] != 'W'))
    return std::nullopt;
  K.Write = W[0] == 'W';
  W = W.drop_front();
  llvm::StringRef Digits = W.take_while(isDigit);
  if (Digits.empty() || Digits.size() > 2 || Digits.getAsInteger(10, K.Size))
    return std::nullopt;
  // Without the M, only the two-digit form is a memory access ("R5" is a CPU).
  if (!HasM && Digits.size() != 2)
    return std::nullopt;
  W = W.drop_front(Digits.size());
  if (K.Size == 0 || K.Size > 64)
    return std::nullopt;
  if (K.Bus)
    return K;
  if (W.size() == 2 && W[0] == '_') {
    // MR2_I: five characters, the bus last.
    K.Ignored = W[1] == 'I' || W[1] == 'A';
    K.Lanes = true;
    return K;
  }
  for (char C : W) {
    K.Exclusive |= C == 'X';
    if (C != 'X' && C != 'T' && C != 'L')
      return std::nullopt;
  }
  return K;
}

static bool isInsnKind(llvm::StringRef W) {
  return W == "IT" || W == "IS" || W == "IF";
}

bool isKind(llvm::StringRef W) {
  return llvm::StringSwitch<bool>(W)
             .Cases({"IT", "IS", "IF", "ES"}, true)
             .Cases({"R", "E", "EXC", "LD", "ST", "BR"}, true)
             .Default(false) ||
         memKind(W).has_value();
}

void LineParser::ignore(llvm::StringRef Kind) {
  std::string Key = printable(Kind.take_front(24));
  uint64_t Order = Out->Ignored.size();
  ++Out->Ignored.try_emplace(std::move(Key), ParsedChunk::IgnoredKind{0, Order})
        .first->second.Count;
}

bool LineParser::malformed(const llvm::Twine &What) {
  if (OnCutLine) {
    Out->CutLine = LineNo;
    return false;
  }
  if (++Out->NumMalformed > MaxMalformed)
    return false;
  MalformedLine M;
  M.Line = LineNo;
  M.Offset = Current ? uint64_t(LineStart - Current->begin()) : 0;
  M.What = What.str();
  Out->Malformed.push_back(std::move(M));
  return false;
}

void LineParser::defer(const char *Line) {
  DeferredLine D;
  D.Begin = Line;
  D.Line = LineNo;
  D.RegIndex = Batch->Regs.size();
  D.MemIndex = Batch->Mems.size();
  D.InsnCount = Batch->Insns.size();
  D.Cpu = Cur;
  Out->Deferred.push_back(D);
}

//===----------------------------------------------------------------------===//
// The line
//===----------------------------------------------------------------------===//

const char *LineParser::slowLine(const char *P) {
  const char *NewLine =
      static_cast<const char *>(std::memchr(P, '\n', End - P + 1));
  const char *E = NewLine;
  while (E > P && (isBlank(E[-1]) || E[-1] == '\r'))
    --E;
  LineStart = P;
  OnCutLine = NewLine == End && LastIsCut;
  slowParse(LineText(P, E));
  OnCutLine = false;
  return NewLine + 1;
}

void LineParser::slowParse(LineText T) {
  Timed = false;
  T.skip();
  if (T.atEnd() || T.peek() == '#')
    return;
  if (T.rest().starts_with("Tarmac Text")) {
    Out->Header = true;
    return;
  }

  // An LD or ST line may go on in the next, which then has nothing but blanks
  // in place of the keyword. Its address may look like a timestamp; only the
  // column tells.
  uint32_t Column = uint32_t(T.P - LineStart);
  if (ContinuesAt == LineNo && Column == ContinuesColumn && isHex(T.peek()) &&
      parseDiagram(T, ContinuesWrite, /*MustFit=*/false))
    return;
  if (Deferring && Column && (LineNo == 1 || DeferredContinuation)) {
    LineText Ahead = T;
    llvm::StringRef Address = Ahead.word(), First = Ahead.word();
    DeferredContinuation = Address.size() >= 7 &&
                           llvm::all_of(Address, isHex) && First.size() >= 8 &&
                           isDiagramWord(First);
    if (DeferredContinuation)
      return defer(LineStart);
  } else
    DeferredContinuation = false;

  if (!parseTime(T))
    return;
  llvm::StringRef Kind = T.word();
  llvm::StringRef CpuName;
  bool HasCpu = false;
  if (!isKind(Kind)) {
    LineText Ahead = T;
    llvm::StringRef Second = Ahead.word();
    if (!isKind(Second) || !isCpuName(Kind)) {
      if (!isCut(true))
        ignore(Kind);
      return;
    }
    CpuName = Kind;
    HasCpu = true;
    Kind = Second;
    T = Ahead;
  }
  // Many things are called E. One that is no exception makes no CPU, either
  // ("CADI E simulation_stopped").
  if (Kind == "E" && !looksLikeException(T)) {
    if (!isCut(true))
      ignore("E");
    return;
  }

  if (Deferring) {
    // A line without time and name goes on with the CPU of the one before.
    if (HasCpu || Timed) {
      if (!useCpu(CpuName))
        return;
    } else if (Cur == InheritedCpu) {
      if (!isInsnKind(Kind) && Kind != "ES") {
        DeferredContinuation = Kind == "LD" || Kind == "ST";
        return defer(LineStart);
      }
      if (!useCpu(""))
        return;
    }
  }
  parseRecord(T, Kind);
}

/// A timestamp with its unit, if there is one. False if it is no good.
bool LineParser::parseTime(LineText &T) {
  if (!isDigit(T.peek()))
    return true;
  LineText Begin = T;
  uint64_t Whole;
  unsigned N = scanDecimal(T.P, Whole);
  if (N > 19) {
    malformed("the timestamp does not fit 64 bits");
    return false;
  }
  T.P += N;
  uint64_t Fraction = 0; // in millionths
  if (T.peek() == '.' && isDigit(T.peek(1))) {
    ++T.P;
    uint64_t Scale = 100000;
    for (; isDigit(T.peek()); ++T.P, Scale /= 10)
      Fraction += uint64_t(T.peek() - '0') * Scale;
  }
  LineText AfterNumber = T;
  bool Glued = !T.atEnd() && !isBlank(T.peek());
  llvm::StringRef Unit = T.word();
  if (!isTarmacUnit(Unit)) {
    if (Glued) { // "3e000a73": not a time at all
      T = Begin;
      return true;
    }
    T = AfterNumber;
    Unit = "";
  }
  if (Unit == "us") {
    if (Whole > ~uint64_t(0) / 1000000 - 1) {
      malformed("the timestamp does not fit 64 bits");
      return false;
    }
    Whole = Whole * 1000000 + Fraction;
    Unit = "ps";
  } else if (!Glued && !Unit.empty()) {
    // The fast path may take the next one, if it looks the same.
    UnitLength = Unit.size() + 1;
    UnitRaw = 0;
    for (size_t I = 0; I < Unit.size(); ++I)
      UnitRaw |= uint32_t(uint8_t(Unit[I])) << (8 * I);
    UnitRaw |= uint32_t(' ') << (8 * Unit.size());
    UnitMask = UnitLength >= 4 ? ~0u : (1u << (8 * UnitLength)) - 1;
  }
  if (!Out->HasTime)
    Out->Unit = Unit.str();
  else if (Unit != Out->Unit)
    Out->UnitsDiffer = true;
  setTime(Whole);
  Timed = true;
  return true;
}

void LineParser::parseRecord(LineText T, llvm::StringRef Kind) {
  if (isInsnKind(Kind))
    return parseIT(T, Kind);
  if (Kind == "ES")
    return parseES(T);
  if (Kind == "EXC")
    return parseException(T, /*AfterES=*/false);
  if (Kind == "E")
    return parseEvent(T);
  if (Kind == "R")
    return parseRegister(T);
  if (Kind == "BR") { // where the branch went: the next instruction tells
    ++Out->NumBranchLines;
    return;
  }
  if (Kind == "LD" || Kind == "ST") {
    parseDiagram(T, Kind == "ST", /*MustFit=*/true);
    return;
  }
  parseMemory(T, Kind);
}

//===----------------------------------------------------------------------===//
// Instructions and exceptions
//===----------------------------------------------------------------------===//

/// An opcode of 4 or 8 digits, or as many dashes where it could not be fetched.
static bool isOpcode(llvm::StringRef W) {
  return (W.size() == 4 || W.size() == 8) &&
         (llvm::all_of(W, isHex) ||
          llvm::all_of(W, [](char C) { return C == '-'; }));
}

void LineParser::parseIT(LineText T, llvm::StringRef Kind) {
  // (<counter>) <pc> <opcode> | (<pc>) <opcode> | (<pc>:<counter>) <pc>
  // <opcode> | <pc> <opcode>
  uint64_t InBrackets = 0, PC = 0;
  bool Brackets = T.eat('(');
  if (Brackets) {
    // A counter may have any number of digits; then it is no address.
    llvm::StringRef Number = T.takeWhile(isHex);
    if (Number.getAsInteger(16, InBrackets))
      Brackets = false;
    if (T.eat(':'))
      T.takeWhile(isHex);
    if (Number.empty() || !T.eat(')')) {
      malformed("expected '(number)' after " + Kind);
      return;
    }
  }
  T.skip();
  LineText AtFirst = T;
  llvm::StringRef First = T.word();
  LineText AtSecond = T;
  llvm::StringRef Second = T.word();
  llvm::StringRef Opcode;
  // "<pc>:<physical>_NS,<physical of the second halfword>_NS"
  llvm::StringRef Address = First.take_until([](char C) { return C == ':'; });
  if (isOpcode(Second) && !Address.empty() && llvm::all_of(Address, isHex)) {
    if (!AtFirst.hex(PC)) {
      malformed("the address of an instruction has more than 16 digits");
      return;
    }
    Opcode = Second;
  } else if (Brackets && isOpcode(First)) {
    PC = InBrackets;
    Opcode = First;
    T = AtSecond;
  } else {
    malformed("expected the address and the opcode of an instruction");
    return;
  }
  Out->SawIT = true;
  parseInsn(T, PC, Opcode, Kind != "IS");
}

void LineParser::parseES(LineText T) {
  if (!T.eat('(')) {
    T.skip();
    if (T.rest().starts_with("EXC") || T.rest().starts_with("Reset"))
      return parseException(T, /*AfterES=*/true);
    malformed("expected '(address:opcode)', 'EXC' or 'Reset' after ES");
    return;
  }
  uint64_t PC;
  llvm::StringRef Opcode;
  bool Good = T.hex(PC) && T.eat(':');
  if (Good) {
    Opcode = T.takeWhile([](char C) { return isHex(C) || C == '-'; });
    Good = isOpcode(Opcode) && T.eat(')');
  }
  if (!Good) {
    malformed("expected '(address:opcode)' after ES");
    return;
  }
  Out->SawES = true;
  parseInsn(T, PC, Opcode, true);
}

void LineParser::parseInsn(LineText T, uint64_t PC, llvm::StringRef Opcode,
                           bool Executed) {
  LineText AtState = T;
  llvm::StringRef Word = T.word();
  ISA Isa = llvm::StringSwitch<ISA>(Word)
                .Cases({"O", "A64"}, ISA::A64)
                .Cases({"A", "A32"}, ISA::A32)
                .Cases({"T", "T16", "T32", "X"}, ISA::T32)
                .Default(ISA::Unknown);
  bool HasState = Isa != ISA::Unknown;
  bool Fetched = Opcode[0] != '-';
  if (!HasState) {
    // Only Thumb has 16-bit instructions. The Cortex-M0 model says no state at
    // all, and of a 32-bit one then nothing can be said.
    if (Opcode.size() == 4 || Options.ImplicitThumb)
      Isa = ISA::T32;
    else {
      malformed("expected an instruction set state (A, T or O); if the trace "
                "is of a CPU that has only Thumb, say so (--implicit-thumb)");
      return;
    }
    T = AtState;
  }
  if (Isa != ISA::T32 && Opcode.size() != 8) {
    malformed("expected an opcode of 8 digits");
    return;
  }

  // "<mode> :", but with T16 and T32 there is none, and elsewhere it may lack.
  llvm::StringRef ModeWord;
  bool HasColon = false;
  if (HasState && Word.size() == 1) {
    LineText Ahead = T;
    Ahead.skip();
    const char *ModeAt = Ahead.P;
    ModeWord = Ahead.takeWhile([](char C) { return C != ':' && !isBlank(C); });
    Ahead.skip();
    if (Ahead.peek() == ':') {
      HasColon = true;
      // Where the fast path will look for it.
      const char *Expected = T.P + 1;
      ptrdiff_t Colon = Ahead.P - Expected;
      ModeText &M = Modes[Cur];
      M.Colon = -1;
      if (Deferring && Expected <= ModeAt && Colon >= 0 && Colon < 16) {
        M.Raw = load8(Expected);
        M.RawTail = load8(Expected + Colon - 7);
        M.Colon = int8_t(Colon);
      }
      ++Ahead.P;
      T = Ahead;
    } else
      ModeWord = "";
  }
  if (!HasColon)
    Modes[Cur].Colon = -1;
  // A line without end may lack the state, the mode, or the end of "CCFAIL".
  LineText AtText = T;
  AtText.skip();
  if (isCut((Word.size() == 1 && HasState && !HasColon) ||
            llvm::StringRef("CCFAI").starts_with(AtText.rest())))
    return;
  if (T.word() != "CCFAIL")
    T = AtText;
  else
    Executed = false;

  Mode M = parseMode(ModeWord);
  if (M != State->Mode || !State->SeenInsn)
    setMode(M);
  InsnItem &I = beginInsn(PC, Timed);
  uint64_t Value = 0;
  if (!Executed || !Fetched)
    I.Flags &= uint8_t(~InsnItem::Executed);
  if (Fetched)
    Opcode.getAsInteger(16, Value);
  finishInsn(I, Value, Opcode.size(), Isa);
  if (!Fetched) {
    I.Flags &= uint8_t(~InsnItem::OpcodeKnown);
    I.Size = 4;
  }
}

/// "[0x200] Synchronous Current EL with SP_ELx", "Reset"
void LineParser::parseException(LineText T, bool AfterES) {
  bool Plain = AfterES && !T.rest().starts_with("EXC");
  if (AfterES && !Plain)
    T.word();
  EventItem E;
  E.Kind = EventKind::Exception;
  E.Thread = Cur;
  E.Before = Batch->Insns.size();
  if (T.eat('[')) {
    llvm::StringRef Number = T.takeWhile([](char C) { return C != ']'; });
    if (Number.getAsInteger(0, E.Value) || !T.eat(']')) {
      malformed("expected '[number]' of an exception");
      return;
    }
  }
  T.skip();
  E.Text = T.rest().str();
  // The Cortex-A53 tells a reset in two lines: "ES  Reset", "EXC [0x00] Reset".
  if (!AfterES && PlainResetAt && PlainResetAt + 1 == LineNo &&
      !Batch->Events.empty() && Batch->Events.back().Text == E.Text) {
    Batch->Events.back().Value = E.Value;
    return;
  }
  PlainResetAt = Plain ? LineNo : 0;
  Batch->Events.push_back(std::move(E));
}

/// "E <pc>[:<physical>] [<mode>] <number> CoreEvent_<name>"; nothing else that
/// begins with E is an exception.
bool LineParser::looksLikeException(LineText T) {
  uint64_t PC;
  return T.hex(PC) && T.rest().contains("CoreEvent_");
}

void LineParser::parseEvent(LineText T) {
  EventItem E;
  E.Thread = Cur;
  E.Before = Batch->Insns.size();
  T.hex(E.PC);
  // ":<physical>_NS" sticks to the address.
  T.takeWhile([](char C) { return !isBlank(C); });
  llvm::StringRef Word, Before;
  while (!T.atEnd() && !(Word = T.word()).starts_with("CoreEvent_"))
    Before = Word;
  if (!Word.starts_with("CoreEvent_") || Before.getAsInteger(16, E.Value)) {
    malformed("expected 'E address number CoreEvent_name'");
    return;
  }
  if (isCut(Word != "CoreEvent_ModeChange" &&
            llvm::StringRef("CoreEvent_ModeChange").starts_with(Word)))
    return;
  E.Kind = Word == "CoreEvent_ModeChange" ? EventKind::ModeChange
                                          : EventKind::Exception;
  E.Text = Word.str();
  Batch->Events.push_back(std::move(E));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void LineParser::parseRegister(LineText T) {
  T.skip();
  llvm::StringRef Name = T.takeWhile(
      [](char C) { return llvm::isAlnum(C) || C == '_' || C == '.'; });
  if (Name.empty()) {
    malformed("expected the name of a register");
    return;
  }
  // "<63:0>": only these bits.
  unsigned Hi = 0, Lo = 0;
  bool Range = T.peek() == '<';
  if (Range) {
    ++T.P;
    uint64_t H = 0, L = 0;
    bool Good = T.decimal(H) && T.eat(':') && T.decimal(L) && T.eat('>');
    if (!Good || H < L || H >= 2048 || L % 8 != 0 || H % 8 != 7) {
      malformed("expected a range of whole bytes such as <63:0>");
      return;
    }
    Hi = unsigned(H);
    Lo = unsigned(L);
  }
  llvm::StringRef Bank = T.brackets();
  const KnownName *K = &lookUp(Name, Bank);
  if (K->Desc.Kind == RegKind::Operation)
    return ignore(("R " + Name).str());

  RegisterValue V;
  unsigned Expected = Range ? (Hi - Lo + 1) / 4 : K->Desc.Digits;
  if (const char *Problem = V.read(T, K->Desc.Kind, Expected, OnCutLine)) {
    malformed("register " + Name + ": " + Problem);
    return;
  }
  // How wide most of the others are, only their digits tell.
  const bool Full =
      Expected || (V.size() == 8 && (K->Desc.Kind == RegKind::SP ||
                                     K->Desc.Kind == RegKind::LR));
  if (isCut(!Full && T.atEnd()))
    return;
  // "R r13 20001fff (MSP)"
  if (Bank.empty())
    if (llvm::StringRef After = T.brackets(); !After.empty())
      K = &lookUp(Name, After);
  if (Range)
    V.moveTo(Lo / 8);
  if (K->Desc.Kind == RegKind::PC)
    ignore("R pc"); // where the CPU is, is told by its instructions
  else if (!V.empty())
    writeRegister(*K, V, Range);

  // Two records on one line happen (a lost line end).
  LineText Ahead = T;
  llvm::StringRef Kind = Ahead.word();
  if (Kind == "LD" || Kind == "ST" || (Kind.starts_with("M") && isKind(Kind)))
    parseRecord(Ahead, Kind);
}

/// Writes bytes [From, From + Lanes * 8) of \p V to the lanes from \p Lane on.
void LineParser::writeLanes(uint16_t Lane, const RegisterValue &V,
                            unsigned From, unsigned Lanes) {
  for (unsigned I = 0; I < Lanes; ++I)
    if (uint8_t W = V.written(From + 8 * I))
      addReg(uint16_t(Lane + I), V.word(From + 8 * I), W,
             V.unknown(From + 8 * I));
}

void LineParser::writeRegister(const KnownName &K, const RegisterValue &V,
                               bool Range) {
  const RegDesc &D = K.Desc;
  uint64_t Value = V.word(0);
  uint8_t Written = V.written(0), Unknown = V.unknown(0);
  RegKind Kind = D.Kind;
  uint8_t Number = D.Num;
  if (Kind == RegKind::SP || Kind == RegKind::LR) {
    // 8 digits are AArch32's, 16 are AArch64's; a zero may be short.
    bool Wide = V.size() > 4 || (V.isShort() && State->Isa == ISA::A64);
    bool IsSP = Kind == RegKind::SP;
    if (V.isShort() && !Wide && needsContext())
      return defer(LineStart);
    Kind = Wide ? RegKind::X : RegKind::R;
    Number = uint8_t(Wide ? (IsSP ? arm::SP : arm::X30)
                          : (IsSP ? arm::R13 : arm::R14));
    if (V.isShort())
      Written = Wide ? 0xff : 0x0f;
  }
  switch (Kind) {
  case RegKind::W:
    // A 32-bit write of an AArch64 register clears its upper half.
    if (Written == 0x0f && !Range)
      Written = 0xff;
    [[fallthrough]];
  case RegKind::X:
    if (Number != arm::SP) {
      addReg(Number, Value, Written, Unknown);
      return;
    }
    if (needsContext())
      return defer(LineStart);
    addReg(arm::SP, Value, Written, Unknown);
    if (uint8_t Bank = State->OfMode.SP64; Bank != NoBank)
      setBank(Bank, Value, Written, Unknown);
    return;
  case RegKind::R:
    if (Number >= 8 && needsContext())
      return defer(LineStart);
    write32(Number, uint32_t(Value), Unknown, Written & 0x0f);
    return;
  case RegKind::S:
  case RegKind::D:
    if (needsContext())
      return defer(LineStart);
    if (Range)
      return writeLanes(arm::v(Number), V, 0, 2);
    writeFloat(D, Value, Written, Unknown);
    return;
  case RegKind::V:
    return writeLanes(arm::v(Number), V, 0, 2);
  case RegKind::Z:
    writeLanes(arm::v(Number), V, 0, 2);
    // What is above the 128 bits of v<n> has no lanes in the architecture's
    // table: z3_q1 is bits 255:128, and so on.
    for (unsigned Q = 1; 16 * Q < V.size(); ++Q) {
      std::string Name =
          "z" + std::to_string(Number) + "_q" + std::to_string(Q);
      if (uint16_t Lane = laneOf(localName(Name, 2), 16))
        writeLanes(Lane, V, 16 * Q, 2);
    }
    return;
  case RegKind::P:
    if (uint16_t Lane = laneOf(K.Local, V.size()))
      writeLanes(Lane, V, 0, 4);
    return;
  case RegKind::Banked:
    if (needsContext()) {
      bankLane(Number); // in file order
      return defer(LineStart);
    }
    writeBanked(Number, Value, Written, Unknown);
    return;
  case RegKind::Cpsr:
  case RegKind::Status:
    Out->SpecialLanes |= uint64_t(1) << Number;
    if (Written & 0x0f)
      addReg(Number, uint32_t(Value), Written & 0x0f, Unknown & 0x0f);
    return;
  case RegKind::Named: {
    if (uint16_t Lane = laneOf(K.Local, std::min(V.size(), 8u)))
      writeLanes(Lane, V, 0, 1);
    if (V.size() <= 8)
      return;
    std::string High = LocalNames[K.Local].Name + "_hi";
    if (uint16_t Lane = laneOf(localName(High, 1), V.size() - 8))
      writeLanes(Lane, V, 8, 1);
    return;
  }
  default:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether an A64 instruction loads a pair of registers, and does nothing else
/// to memory (ARM DDI 0487, C4.1.93: LDP, LDNP, LDPSW).
static bool isLoadPair(uint64_t Opcode) {
  return (Opcode & 0x3a400000) == 0x28400000;
}

void LineParser::parseMemory(LineText T, llvm::StringRef KindWord) {
  MemKind K = *memKind(KindWord);
  if (K.Ignored)
    return ignore(KindWord);
  // "(<address of the instruction>:<counter>)" of the Cortex-R5.
  T.brackets();
  if (LineText Ahead = T; Ahead.word() == "X") {
    K.Exclusive = true;
    T = Ahead;
  }
  if (LineText Ahead = T; Ahead.word() == "TRANSFER")
    return ignore(KindWord);
  uint64_t Addr, Real = ~uint64_t(0);
  if (!T.hex(Addr)) {
    malformed("expected the address of a memory access");
    return;
  }
  if (T.eat(':') && !T.hex(Real)) {
    malformed("expected a physical address after ':'");
    return;
  }
  T.takeWhile([](char C) { return !isBlank(C); }); // _S, _NS
  if (LineText Ahead = T; Ahead.brackets() == "ABORTED")
    return ignore("(ABORTED)");

  llvm::SmallVector<llvm::StringRef, 4> Words;
  std::string Digits;
  while (Digits.size() < 2 * K.Size && !T.atEnd()) {
    LineText Ahead = T;
    llvm::StringRef W = Ahead.word();
    if (!llvm::all_of(W, [](char C) {
          return isHex(C) || C == 'x' || C == 'X' || C == '_' || C == ':' ||
                 C == '?' || C == '-';
        }))
      break;
    T = Ahead;
    Words.push_back(W);
    for (char C : W)
      if (C != '_' && C != ':')
        Digits += C;
  }
  unsigned Size = K.Size;
  const bool OneOfFour = Size < 4 && (K.Lanes || K.MemoryOrder);
  if (isCut(OneOfFour && Digits.size() != 8))
    return;
  if (Digits.size() == 8 && OneOfFour) {
    // The whole bus, of which this access drove some lanes.
    unsigned Lane = Addr & 3;
    if (Lane + Size > 4)
      Digits.assign(2 * Size, 'x');
    else if (K.MemoryOrder)
      Digits = Digits.substr(2 * Lane, 2 * Size);
    else
      Digits = Digits.substr(8 - 2 * (Lane + Size), 2 * Size);
  }
  if (Digits.size() != 2 * Size) {
    malformed("expected " + llvm::Twine(2 * Size) +
              " hex digits of data, found " + llvm::Twine(Digits.size()));
    return;
  }
  // RTL tells a wide access as bus words, the one at the lower address first.
  if (K.Bus && !K.MemoryOrder && Size == 8 && Words.size() == 2 &&
      Words[0].size() == 8)
    Digits = Digits.substr(8) + Digits.substr(0, 8);

  uint8_t Flags = uint8_t((K.Write ? MemItem::Write : 0) |
                          (K.Exclusive ? MemItem::Exclusive : 0));
  uint8_t Bytes[64];
  bool Known[64];
  bool HighFirst = !Options.BigEndian && !K.MemoryOrder;
  for (unsigned I = 0; I < Size; ++I) {
    unsigned At = HighFirst ? Size - 1 - I : I;
    int High = hexDigit(Digits[2 * At]), Low = hexDigit(Digits[2 * At + 1]);
    Known[I] = High >= 0 && Low >= 0;
    Bytes[I] = Known[I] ? uint8_t(High << 4 | Low) : 0;
  }
  // gem5 logs what a load of a pair reads as a write, with wrong data.
  if (K.Write && Size == 16) {
    if (needsContext())
      return defer(LineStart);
    if (State->Isa == ISA::A64 && isLoadPair(State->Opcode)) {
      Flags &= uint8_t(~MemItem::Write);
      std::fill(Known, Known + Size, false);
      ++Out->LoadsLoggedAsWrites;
    }
  }
  Out->RealAddresses |= Real != ~uint64_t(0);
  addAccess(Addr, Real, Size, Flags, Bytes, Known);
}

/// 16 bytes of memory, the one at the highest address first. \p MustFit: a line
/// that is none is malformed; else it is just something else.
bool LineParser::parseDiagram(LineText T, bool Write, bool MustFit) {
  T.skip();
  uint32_t Column = uint32_t(T.P - LineStart);
  uint64_t Base;
  std::string Diagram;
  bool Good = T.hex(Base);
  while (Good && Diagram.size() < 32 && !T.atEnd()) {
    llvm::StringRef W = T.word();
    Good = isDiagramWord(W);
    Diagram += W;
  }
  if (!Good || Diagram.size() != 32) {
    if (MustFit)
      malformed("expected an address and a diagram of 16 bytes");
    return false;
  }
  LineText Ahead = T;
  llvm::StringRef Physical = Ahead.word();
  uint64_t Real = ~uint64_t(0);
  if (!Physical.consume_front("NS:"))
    Physical.consume_front("S:");
  if (Physical.size() < 8 || Physical.size() > 16 ||
      (OnCutLine && Ahead.atEnd()) || Physical.getAsInteger(16, Real))
    Real = ~uint64_t(0);
  Out->RealAddresses |= Real != ~uint64_t(0);

  uint8_t Bytes[16];
  bool Known[16], Accessed[16];
  for (unsigned I = 0; I < 16; ++I) {
    char A = Diagram[30 - 2 * I], B = Diagram[31 - 2 * I];
    int High = hexDigit(A), Low = hexDigit(B);
    Known[I] = High >= 0 && Low >= 0;
    Bytes[I] = Known[I] ? uint8_t(High << 4 | Low) : 0;
    Accessed[I] = A != '.' || B != '.';
  }
  for (unsigned I = 0; I < 16;) {
    if (!Accessed[I]) {
      ++I;
      continue;
    }
    unsigned From = I;
    while (I < 16 && Accessed[I])
      ++I;
    addAccess(Base + From, Real == ~uint64_t(0) ? Real : Real + From, I - From,
              Write ? MemItem::Write : 0, Bytes + From, Known + From);
  }
  ContinuesAt = LineNo + 1;
  ContinuesColumn = Column;
  ContinuesWrite = Write;
  return true;
}

//===----------------------------------------------------------------------===//
// Looking ahead
//===----------------------------------------------------------------------===//

bool LineParser::isCutPoint(const char *Line, const char *LineEnd) {
  // Cheap first: most lines are no instructions.
  LineText T(Line, LineEnd);
  T.skip();
  if (T.atEnd() || T.peek() == '#')
    return false;
  if (!T.rest().contains("IT ") && !T.rest().contains("ES ") &&
      !T.rest().contains("IS ") && !T.rest().contains("IF "))
    return false;
  Scratch.clear();
  begin(nullptr, Scratch);
  End = LineEnd;
  LineNo = 2; // so that nothing is taken for the continuation of a diagram
  slowLine(Line);
  return !Scratch.Batch.Insns.empty() &&
         (Scratch.HasTime || !Scratch.CpuNames.back().empty());
}

ISA LineParser::examine(const char *Text, const char *TextEnd,
                        unsigned &Recognised, unsigned &Lines) {
  Recognised = Lines = 0;
  ISA First = ISA::Unknown;
  for (const char *P = Text; P < TextEnd && Lines < 4096;) {
    const char *E =
        static_cast<const char *>(std::memchr(P, '\n', size_t(TextEnd - P)));
    if (!E)
      break; // cut by the end of the examined text
    ++Lines;
    Scratch.clear();
    begin(nullptr, Scratch);
    End = E;
    LineNo = 2;
    slowLine(P);
    const ItemBatch &B = Scratch.Batch;
    if (!Scratch.NumMalformed &&
        (!B.Insns.empty() || !B.Regs.empty() || !B.Mems.empty() ||
         !B.Events.empty() || Scratch.Header || !Scratch.Deferred.empty() ||
         Scratch.NumBranchLines))
      ++Recognised;
    if (!B.Insns.empty()) {
      First = B.Insns[0].Isa;
      if (Recognised > 16)
        break;
    }
    P = E + 1;
  }
  return First;
}

} // namespace rw::tarmac
