//===- LineParser.cpp - Lines of Tarmac to items: the fast path -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fast function returns the beginning of the next line, or null to leave the
// line to the slow path. Before it returns null it must not have added an item.
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/LineParser.h"
#include "core/arch/RegisterFile.h"
#include "core/formats/tarmac/Semihosting.h"
#include <cstring>

namespace rw::tarmac {

static constexpr uint32_t chars4(const char (&S)[5]) {
  return uint32_t(uint8_t(S[0])) | uint32_t(uint8_t(S[1])) << 8 |
         uint32_t(uint8_t(S[2])) << 16 | uint32_t(uint8_t(S[3])) << 24;
}
static constexpr uint16_t chars2(const char (&S)[3]) {
  return uint16_t(uint8_t(S[0]) | uint8_t(S[1]) << 8);
}
/// A mask of the first \p N bytes of a word that was loaded from text.
static uint64_t firstBytes(unsigned N) {
  return N >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * N)) - 1;
}
/// Behind the line end at \p P, or null if there is none.
static const char *afterEol(const char *P) {
  if (*P == '\n')
    return P + 1;
  if (*P == '\r' && P[1] == '\n')
    return P + 2;
  return nullptr;
}
/// \p End is where the padding begins, with a newline.
static const char *skipLine(const char *P, const char *End) {
  return static_cast<const char *>(std::memchr(P, '\n', End - P + 1)) + 1;
}

void Chunk::reserve(size_t NewCapacity) {
  if (NewCapacity <= Capacity)
    return;
  std::unique_ptr<char[]> New(new char[NewCapacity + SlackBytes]);
  if (Size)
    std::memcpy(New.get(), Text.get(), Size);
  Text = std::move(New);
  Capacity = NewCapacity;
}

void Chunk::seal() {
  if (!Text)
    reserve(1);
  std::memset(Text.get() + Size, '\n', SlackBytes);
}

uint8_t &slotOf(Selection &S, unsigned Slot) {
  switch (Slot) {
  case SlotSP64:
    return S.SP64;
  case SlotSP32:
    return S.SP32;
  case SlotLR32:
    return S.LR32;
  default:
    return S.R8;
  }
}

void ParsedChunk::clear() {
  ItemBatch B = std::move(Batch);
  auto Kept = std::move(CpuNames);
  auto KeptCpus = std::move(Cpus);
  *this = ParsedChunk();
  B.clear();
  Kept.clear();
  KeptCpus.clear();
  Batch = std::move(B);
  CpuNames = std::move(Kept);
  Cpus = std::move(KeptCpus);
}

void LineParser::begin(Chunk *C, ParsedChunk &Target) {
  Current = C;
  Out = &Target;
  Batch = &Target.Batch;
  Snapshot = Names.get();
  ++Epoch;
  ProvisionalLanes = 0;
  Out->CpuNames = Snapshot->Cpus;
  Out->SnapshotCpus = Snapshot->Cpus.size();
  Out->Cpus.assign(Snapshot->Cpus.size(), CpuState());
  NamedCpus = false;
  for (const std::string &N : Out->CpuNames)
    NamedCpus |= !N.empty();
  LineNo = InsnLine = 0;
  RegBegin = MemBegin = 0;
  Cur = InheritedCpu;
  State = nullptr;
  Time = MaxTime = 0;
  Timed = false;
  Deferring = true;
  PrefixLength = UnitLength = 0;
  Modes.fill(ModeText());
  ContinuesAt = 0;
  DeferredContinuation = false;
  LastIsCut = C && C->Last && !C->EndsInNewline;
  PlainResetAt = 0;
}

void LineParser::parse(Chunk &C) {
  C.Parsed.clear();
  begin(&C, C.Parsed);
  C.Parsed.Batch.FileOffset = C.Offset;
  End = C.end();
  // Some room to begin with: a typical trace has 120 bytes per instruction.
  Batch->Insns.reserve(C.Size / 96);
  Batch->Regs.reserve(C.Size / 80);
  Batch->Mems.reserve(C.Size / 200);
  const char *P = C.begin();
  while (P < End) {
    ++LineNo;
    uint8_t CpuBefore = Cur;
    const char *Next = fastLine(P);
    if (!Next) {
      // The fast path may have recognised the CPU of a line that it then left.
      if (Cur != CpuBefore)
        setCpu(CpuBefore);
      Next = slowLine(P);
    }
    P = Next;
  }
  ++LineNo;
  closeInsn();
  Out->Lines = LineNo - 1;
  Out->LastCpu = Cur;
  Out->LastTime = Time;
  Out->MaxTime = MaxTime;
  Out->LastLineKind = ContinuesAt == LineNo ? (ContinuesWrite ? 2 : 1) : 0;
  Out->LastAddressColumn = ContinuesColumn;
}

void LineParser::parseDeferred(const char *Line, const char *LineEnd,
                               CpuState &CpuOfLine, uint8_t Thread,
                               uint8_t LastKind, uint32_t Column, bool IsCut,
                               ParsedChunk &Target) {
  begin(nullptr, Target);
  End = LineEnd;
  LastIsCut = IsCut;
  Deferring = false;
  Cur = Thread;
  State = &CpuOfLine;
  LineNo = 1;
  if (LastKind) {
    ContinuesAt = 1;
    ContinuesColumn = Column;
    ContinuesWrite = LastKind == 2;
  }
  slowLine(Line);
  LineNo = 2;
  Target.LastLineKind = ContinuesAt == 2 ? (ContinuesWrite ? 2 : 1) : 0;
  Target.LastAddressColumn = ContinuesColumn;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

void LineParser::setTime(uint64_t T) {
  if (!Out->HasTime) {
    Out->HasTime = true;
    Out->FirstTime = T;
    Out->UntimedInsns = Batch->Insns.size();
  } else if (T < Time)
    Out->TimeWentBack = true;
  Time = T;
  if (T > MaxTime)
    MaxTime = T;
}

void LineParser::closeInsn() {
  size_t NumRegs = Batch->Regs.size() - RegBegin;
  size_t NumMems = Batch->Mems.size() - MemBegin;
  if (Batch->Insns.empty()) {
    Batch->LeadRegs = NumRegs;
    Batch->LeadMems = NumMems;
    Batch->LeadLines = LineNo - 1;
    return;
  }
  // The counts are 16 bits wide. No instruction has so many effects; a damaged
  // trace that lost its instruction lines may look as if.
  if (NumRegs > 0xffff || NumMems > 0xffff) {
    Batch->Regs.resize(RegBegin + std::min<size_t>(NumRegs, 0xffff));
    Batch->Mems.resize(MemBegin + std::min<size_t>(NumMems, 0xffff));
    malformed("more than 65535 effects of one instruction; the rest is lost");
  }
  InsnItem &I = Batch->Insns.back();
  I.NumRegs = uint16_t(NumRegs);
  I.NumMems = uint16_t(NumMems);
  I.Lines = uint32_t(LineNo - InsnLine);
}

InsnItem &LineParser::beginInsn(uint64_t PC, bool HasTime) {
  closeInsn();
  RegBegin = Batch->Regs.size();
  MemBegin = Batch->Mems.size();
  InsnLine = LineNo;
  if (!Out->HasTime)
    Out->UntimedInsns = Batch->Insns.size() + 1;
  InsnItem &I = Batch->Insns.emplace_back();
  I.PC = PC;
  I.Time = MaxTime;
  I.Thread = Cur;
  if (HasTime)
    I.Flags |= InsnItem::TimeKnown;
  return I;
}

void LineParser::finishInsn(InsnItem &I, uint64_t Opcode, unsigned Digits,
                            ISA Isa) {
  I.Opcode = Opcode;
  I.Isa = Isa;
  I.Size = Digits == 4 ? 2 : 4;
  I.Flags |= InsnItem::OpcodeKnown;
  State->SeenInsn = true;
  State->Isa = Isa;
  State->Opcode = Opcode;
  Out->Opcodes = true;
  (Isa == ISA::A64 ? Out->SawA64 : Out->SawA32) = true;
  if (isSemihostingCall(Opcode, Isa) && (I.Flags & InsnItem::Executed))
    Out->SemihostingCalls.push_back(Batch->Insns.size() - 1);
}

void LineParser::setBank(uint8_t Bank, uint64_t Value, uint8_t Written,
                         uint8_t Unknown) {
  uint8_t All = uint8_t((1u << bankSize(Bank)) - 1);
  State->BanksKnown |= uint64_t(1) << Bank;
  State->Banks[Bank] = {Value, uint8_t(Unknown | (All & ~Written))};
}

void LineParser::write32(uint8_t Lane, uint32_t Value, uint8_t Unknown,
                         uint8_t Written) {
  Out->SpecialLanes |= uint64_t(1) << Lane;
  addReg(Lane, Value, Written, Unknown);
  if (Lane < 8)
    return;
  const Selection &S = State->OfMode;
  uint8_t Bank = NoBank;
  if (Lane == arm::R13)
    Bank = S.SP32;
  else if (Lane == arm::R14)
    Bank = S.LR32;
  else if (Lane <= 12 && S.R8 != NoBank)
    Bank = uint8_t(S.R8 + Lane - 8);
  if (Bank != NoBank)
    setBank(Bank, Value, Written, Unknown);
}

void LineParser::writeFloat(const RegDesc &D, uint64_t Value, uint8_t Written,
                            uint8_t Unknown) {
  unsigned Size = D.Kind == RegKind::S ? 4 : 8;
  if (State->Isa == ISA::A64) {
    // A scalar write zeroes the rest of the vector register.
    uint8_t Own = uint8_t((1u << Size) - 1);
    bool Whole = (Written & Own) == Own;
    addReg(arm::v(D.Num), Value, Whole ? 0xff : Written, Unknown);
    if (Whole)
      addReg(arm::v(D.Num, 1), 0, 0xff);
    return;
  }
  unsigned Byte = D.Num * Size;
  unsigned Shift = Byte % 8;
  addReg(uint16_t(arm::V0 + Byte / 8), Value << (8 * Shift),
         uint8_t(Written << Shift), uint8_t(Unknown << Shift));
}

uint16_t LineParser::bankLane(uint8_t Bank) {
  if (BankLocals[Bank] == ~0u)
    BankLocals[Bank] = localName(bankName(Bank), 1);
  return laneOf(BankLocals[Bank], bankSize(Bank));
}

void LineParser::writeBanked(uint8_t Bank, uint64_t Value, uint8_t Written,
                             uint8_t Unknown) {
  if (uint16_t Lane = bankLane(Bank))
    addReg(Lane, Value, Written, Unknown);
  setBank(Bank, Value, Written, Unknown);
  Mode M = State->Mode;
  if (isSelected(Bank, M)) {
    Out->SpecialLanes |= uint64_t(1) << bankCurrentLane(Bank);
    addReg(bankCurrentLane(Bank), Value, Written, Unknown);
  }
  if (Bank >= MSP && Bank <= PSP_NS &&
      (M == Mode::Thread || M == Mode::ThreadS || M == Mode::ThreadNS))
    State->ThreadStack = Bank;
}

void LineParser::selectBank(unsigned Slot, uint8_t Bank) {
  uint8_t &Have = slotOf(State->Selected, Slot);
  uint8_t From = Have;
  if (From == Bank)
    return;
  Have = Bank;
  unsigned Registers = Slot == SlotR8 ? 5 : 1;
  bool Known =
      From != NoBank && From != ThreadStackBank && Bank != ThreadStackBank;
  for (unsigned I = 0; Known && I < Registers; ++I)
    Known = State->BanksKnown >> (Bank + I) & 1;
  for (unsigned I = 0; I < Registers; ++I) {
    if (Known) {
      const BankValue &V = State->Banks[Bank + I];
      addReg(bankCurrentLane(Bank + I), V.Value,
             uint8_t((1u << bankSize(Bank + I)) - 1), V.Unknown);
      continue;
    }
    // Also where the stack of thread mode is involved: which that is may have
    // been told before the chunk.
    BankCheck C;
    C.RegIndex = Batch->Regs.size();
    C.InsnCount = Batch->Insns.size();
    C.Cpu = Cur;
    C.Slot = uint8_t(Slot);
    C.From = From;
    C.To = Bank;
    if (C.From == ThreadStackBank && State->ThreadStack != NoBank)
      C.From = State->ThreadStack;
    if (C.To == ThreadStackBank && State->ThreadStack != NoBank)
      C.To = State->ThreadStack;
    if (C.From != ThreadStackBank && C.From == C.To)
      return;
    if (C.From != NoBank && C.From != ThreadStackBank)
      C.From = uint8_t(C.From + I);
    if (C.To != ThreadStackBank)
      C.To = uint8_t(C.To + I);
    C.ValueKnown = C.To != ThreadStackBank && (State->BanksKnown >> C.To & 1);
    if (C.ValueKnown)
      C.Value = State->Banks[C.To];
    uint8_t Any = C.To != ThreadStackBank ? C.To : uint8_t(MSP);
    C.Banked = (State->BanksKnown & banksOfLane(bankCurrentLane(Any))) != 0;
    Out->Checks.push_back(C);
  }
}

void LineParser::setMode(Mode M) {
  State->Mode = M;
  Selection S = State->OfMode = selectionOf(M);
  if (M == Mode::Thread || M == Mode::ThreadS || M == Mode::ThreadNS)
    S.SP32 = ThreadStackBank;
  for (unsigned Slot = 0; Slot < NumSlots; ++Slot)
    if (uint8_t Bank = slotOf(S, Slot); Bank != NoBank)
      selectBank(Slot, Bank);
}

void LineParser::addAccess(uint64_t Addr, uint64_t Real, unsigned Size,
                           uint8_t Flags, const uint8_t *Bytes,
                           const bool *Known) {
  for (unsigned Done = 0; Done < Size;) {
    unsigned N = std::min(Size - Done, 8u);
    uint64_t A = Addr + Done;
    // Addresses wrap at 2^64; an item does not.
    if (A + N < A && A + N != 0)
      N = unsigned(0 - A);
    uint64_t Value = 0;
    uint8_t Mask = 0;
    for (unsigned I = 0; I < N; ++I)
      if (Known[Done + I]) {
        Value |= uint64_t(Bytes[Done + I]) << (8 * I);
        Mask |= uint8_t(1u << I);
      }
    uint8_t F = Flags;
    if (Done)
      F |= MemItem::Joined;
    if (!Mask)
      F |= MemItem::NoValue;
    else
      Out->MemValues = true;
    addMem(A, Value, Real == ~uint64_t(0) ? Real : Real + Done, uint8_t(N), F,
           Mask);
    Done += N;
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void LineParser::setCpu(uint8_t Number) {
  Cur = Number;
  State = Number == InheritedCpu ? nullptr : &Out->Cpus[Number];
}

/// Makes the named CPU that of this line; it becomes a thread by that. False
/// if there are too many.
bool LineParser::useCpu(llvm::StringRef Name) {
  for (unsigned I = 0, E = Out->CpuNames.size(); I < E; ++I)
    if (Out->CpuNames[I] == Name) {
      setCpu(uint8_t(I));
      return true;
    }
  if (Out->CpuNames.size() >= MaxThreads)
    return malformed("more than 255 CPUs");
  Out->CpuNames.push_back(Name.str());
  Out->Cpus.emplace_back();
  NamedCpus |= !Name.empty();
  setCpu(uint8_t(Out->CpuNames.size() - 1));
  return true;
}

/// If one of the CPUs' names stands at \p Q, makes it the current one and moves
/// \p Q behind it.
bool LineParser::matchCpu(const char *&Q) {
  unsigned First = Cur == InheritedCpu ? 0 : Cur;
  unsigned N = Out->CpuNames.size();
  for (unsigned I = 0; I < N; ++I) {
    unsigned Number = First + I < N ? First + I : First + I - N;
    const std::string &Name = Out->CpuNames[Number];
    size_t L = Name.size();
    if (L && size_t(End - Q) > L && std::memcmp(Q, Name.data(), L) == 0 &&
        Q[L] == ' ') {
      if (Number != Cur)
        setCpu(uint8_t(Number));
      Q += L + 1;
      return true;
    }
  }
  return false;
}

uint32_t LineParser::localName(llvm::StringRef Name, unsigned Lanes) {
  auto [It, New] =
      LocalByName.try_emplace(Name.lower(), uint32_t(LocalNames.size()));
  if (New)
    LocalNames.emplace_back();
  LocalName &L = LocalNames[It->second];
  // The register is called as the first line calls it that tells its value, not
  // as a malformed line of some chunk that happened to be parsed here.
  if (New || L.Epoch != Epoch) {
    L.Name = Name.str();
    L.Lanes = uint16_t(Lanes);
  }
  return It->second;
}

uint16_t LineParser::laneOf(uint32_t Local, unsigned Size) {
  LocalName &N = LocalNames[Local];
  if (N.Epoch != Epoch) {
    N.Epoch = Epoch;
    if (N.Lane < FirstProvisional && N.Lane != 0) {
      // Final: it never changes.
    } else if (auto It = Snapshot->Lanes.find(llvm::StringRef(N.Name).lower());
               It != Snapshot->Lanes.end())
      N.Lane = It->second;
    else {
      if (ProvisionalLanes + N.Lanes > 0xffff - FirstProvisional) {
        N.Epoch = 0;
        malformed("too many different register names");
        return 0;
      }
      N.Lane = uint16_t(FirstProvisional + ProvisionalLanes);
      ProvisionalLanes = uint16_t(ProvisionalLanes + N.Lanes);
      Out->NewNames.push_back({N.Name, N.Lane, N.Lanes});
    }
  }
  if (Size > N.Size) {
    N.Size = uint16_t(Size);
    Out->NewSizes.push_back({N.Name, uint16_t(Size)});
  }
  return N.Lane;
}

const LineParser::KnownName &LineParser::lookUp(llvm::StringRef Name,
                                                llvm::StringRef Bank) {
  llvm::SmallString<32> Key(Name);
  if (!Bank.empty()) {
    Key += '(';
    Key += Bank;
  }
  auto [It, New] = NameCache.try_emplace(Key);
  KnownName &K = It->second;
  if (!New)
    return K;
  K.Desc = classifyRegister(Name, Bank);
  switch (K.Desc.Kind) {
  case RegKind::Named:
    K.Local = localName(Name, 1);
    break;
  case RegKind::P:
    K.Local = localName(Name.lower(), 4);
    break;
  case RegKind::Banked:
    // A trace that says r13_svc has users who do so, too.
    if (Bank.empty() && !Name.equals_insensitive(bankName(K.Desc.Num)))
      Out->NewAliases.push_back({Name.str(), bankName(K.Desc.Num).str()});
    break;
  default:
    break;
  }
  return K;
}

/// The name of \p Length (at most 16) characters at \p P, if it was seen
/// before.
const LineParser::KnownName *LineParser::fastLookUp(const char *P,
                                                    unsigned Length) {
  uint64_t K0 = load8(P) & firstBytes(Length);
  uint64_t K1 = Length > 8 ? load8(P + 8) & firstBytes(Length - 8) : 0;
  uint64_t Hash = (K0 ^ (K1 * 0x9e3779b97f4a7c15)) * 0x9e3779b97f4a7c15;
  QuickName &Q = Quick[Hash >> 56];
  if (Q.Known && Q.K0 == K0 && Q.K1 == K1)
    return Q.Known;
  auto It = NameCache.find(llvm::StringRef(P, Length));
  if (It == NameCache.end())
    return nullptr;
  Q = {K0, K1, &It->second};
  return Q.Known;
}

//===----------------------------------------------------------------------===//
// The fast path
//===----------------------------------------------------------------------===//

const char *LineParser::fastPrefix(const char *P) {
  Timed = false;
  const char *Q = P;
  if (*Q == ' ') {
    constexpr uint64_t Blanks = Ones * ' ';
    while (load8(Q) == Blanks)
      Q += 8;
    while (*Q == ' ')
      ++Q;
    if (ContinuesAt == LineNo && size_t(Q - P) == ContinuesColumn)
      return nullptr;
  }
  if (!isDigit(*Q)) {
    if (Cur == InheritedCpu)
      return nullptr;
    if (NamedCpus)
      matchCpu(Q);
    return Q;
  }
  if (PrefixLength && ((load8(P) ^ Prefix0) & PrefixMask0) == 0 &&
      ((load8(P + 8) ^ Prefix1) & PrefixMask1) == 0) {
    Timed = true;
    if (Cur != PrefixCpu)
      setCpu(PrefixCpu);
    return P + PrefixLength;
  }
  uint64_t T;
  unsigned N = scanDecimal(Q, T);
  Q += N;
  if (N > 19 || *Q != ' ' || !UnitLength)
    return nullptr;
  ++Q;
  if ((load4(Q) & UnitMask) != UnitRaw)
    return nullptr;
  Q += UnitLength;
  while (*Q == ' ')
    ++Q;
  if (NamedCpus) {
    if (!matchCpu(Q))
      return nullptr;
  } else if (Cur == InheritedCpu)
    return nullptr;
  Timed = true;
  setTime(T);
  unsigned Length = unsigned(Q - P);
  PrefixLength = 0;
  if (Length <= 16) {
    PrefixLength = Length;
    PrefixCpu = Cur;
    PrefixMask0 = firstBytes(Length);
    PrefixMask1 = Length > 8 ? firstBytes(Length - 8) : 0;
    Prefix0 = load8(P);
    Prefix1 = load8(P + 8);
  }
  return Q;
}

const char *LineParser::fastLine(const char *P) {
  const char *Q = fastPrefix(P);
  if (!Q)
    return nullptr;
  switch (*Q) {
  case 'I':
    return fastInsn(Q);
  case 'R':
    if (Q[1] == ' ')
      return fastRegister(Q + 2);
    if (Q[1] == '0' && Q[3] == ' ')
      return fastMemory(Q, false, unsigned(Q[2] - '0'), Q + 4);
    return nullptr;
  case 'W':
    if (Q[1] == '0' && Q[3] == ' ')
      return fastMemory(Q, true, unsigned(Q[2] - '0'), Q + 4);
    return nullptr;
  case 'M':
    if ((Q[1] == 'R' || Q[1] == 'W') && Q[3] == ' ')
      return fastMemory(Q, Q[1] == 'W', unsigned(Q[2] - '0'), Q + 4);
    return nullptr;
  case 'E':
    return fastES(Q);
  case 'L':
    return load2(Q + 1) == chars2("D ") ? fastDiagram(P, Q + 3, false)
                                        : nullptr;
  case 'S':
    return load2(Q + 1) == chars2("T ") ? fastDiagram(P, Q + 3, true) : nullptr;
  case 'B':
    if (load2(Q + 1) != chars2("R "))
      return nullptr;
    ++Out->NumBranchLines;
    return skipLine(Q, End);
  default:
    return nullptr;
  }
}

static ISA fastState(char C) {
  return C == 'O'   ? ISA::A64
         : C == 'A' ? ISA::A32
         : C == 'T' ? ISA::T32
                    : ISA::Unknown;
}

// IT (<index>) <pc>[:<physical>] <opcode> <state> <mode> : <disassembly>
const char *LineParser::fastInsn(const char *Q) {
  if ((Q[1] != 'T' && Q[1] != 'S') || load2(Q + 2) != chars2(" ("))
    return nullptr;
  bool Executed = Q[1] == 'T';
  Q += 4;
  unsigned Counter = leadingDecimal(load8(Q));
  Q += Counter;
  if (Counter == 8)
    while (isDigit(*Q))
      ++Q;
  if (load2(Q) != chars2(") "))
    return nullptr;
  Q += 2;
  uint64_t PC;
  unsigned N = scanHex(Q, PC);
  if (N == 0 || N > 16)
    return nullptr;
  Q += N;
  if (*Q == ':')
    do
      ++Q;
    while (uint8_t(*Q) > ' ' && *Q != ',');
  if (*Q != ' ')
    return nullptr;
  ++Q;
  uint64_t Word = load8(Q);
  unsigned Digits = leadingHex(Word);
  Q += Digits;
  ISA Isa = fastState(Q[1]);
  if ((Digits != 8 && (Digits != 4 || Isa != ISA::T32)) || *Q != ' ' ||
      Isa == ISA::Unknown || Q[2] != ' ')
    return nullptr;
  Q += 3;
  const ModeText &M = Modes[Cur];
  if (M.Colon < 0 || load8(Q) != M.Raw || load8(Q + M.Colon - 7) != M.RawTail)
    return nullptr;
  InsnItem &I = beginInsn(PC, Timed);
  if (!Executed)
    I.Flags &= uint8_t(~InsnItem::Executed);
  finishInsn(I, hexValue(Word, Digits), Digits, Isa);
  return skipLine(Q, End);
}

// ES  (<pc>:<opcode>) <state> <mode>: [CCFAIL] <disassembly>
const char *LineParser::fastES(const char *Q) {
  if (load2(Q + 1) != chars2("S "))
    return nullptr;
  Q += 3;
  while (*Q == ' ')
    ++Q;
  if (*Q != '(')
    return nullptr;
  ++Q;
  uint64_t PC;
  unsigned N = scanHex(Q, PC);
  if (N == 0 || N > 16 || Q[N] != ':')
    return nullptr;
  Q += N + 1;
  uint64_t Word = load8(Q);
  unsigned Digits = leadingHex(Word);
  Q += Digits;
  if (*Q != ')')
    return nullptr;
  ++Q;
  while (*Q == ' ')
    ++Q;
  ISA Isa = fastState(*Q);
  if ((Digits != 8 && (Digits != 4 || Isa != ISA::T32)) ||
      Isa == ISA::Unknown || Q[1] != ' ')
    return nullptr;
  Q += 2;
  const ModeText &M = Modes[Cur];
  if (M.Colon < 0 || load8(Q) != M.Raw || load8(Q + M.Colon - 7) != M.RawTail)
    return nullptr;
  Q += M.Colon + 1;
  while (*Q == ' ')
    ++Q;
  InsnItem &I = beginInsn(PC, Timed);
  if (load4(Q) == chars4("CCFA") && load2(Q + 4) == chars2("IL") &&
      (isBlank(Q[6]) || isEol(Q[6])))
    I.Flags &= uint8_t(~InsnItem::Executed);
  Out->SawES = true;
  finishInsn(I, hexValue(Word, Digits), Digits, Isa);
  return skipLine(Q, End);
}

const char *LineParser::fastRegister(const char *Q) {
  // x0..x30 and r0..r7 without a look into any table.
  char C = char(*Q | 0x20);
  unsigned Number = uint8_t(Q[1] - '0');
  uint64_t Value;
  if ((C == 'x' || C == 'r') && Number < 10) {
    const char *V = Q + 2;
    if (unsigned Second = uint8_t(*V - '0'); Second < 10) {
      Number = Number * 10 + Second;
      ++V;
    }
    if (*V == ' ') {
      unsigned N = scanHex(V + 1, Value);
      const char *Next = N <= 16 ? afterEol(V + 1 + N) : nullptr;
      if (!Next)
        return nullptr;
      if (C == 'x' && N == 16 && Number <= 30) {
        addReg(uint16_t(arm::X0 + Number), Value, 0xff);
        return Next;
      }
      if (C == 'r' && N == 8 && Number <= 7) {
        addReg(uint16_t(arm::X0 + Number), Value, 0x0f);
        return Next;
      }
    }
  }

  unsigned Length = 0;
  while (uint8_t(Q[Length]) > ' ' && Length <= 16)
    ++Length;
  if (Length > 16 || Q[Length] != ' ')
    return nullptr;
  const KnownName *K = fastLookUp(Q, Length);
  if (!K)
    return nullptr;
  const RegDesc &D = K->Desc;
  Q += Length + 1;
  unsigned N = scanHex(Q, Value);
  if (N == 0)
    return nullptr;

  if (D.Kind == RegKind::V) {
    // 32 digits, perhaps with a separator in the middle.
    uint64_t High = Value, Low;
    if (N == 17)
      High = uint64_t(hexValue(load8(Q), 8)) << 32 | hexValue(load8(Q + 8), 8);
    else if (N != 16 || Q[16] != '_')
      return nullptr;
    Q += N == 17 ? 16 : 17;
    if (scanHex(Q, Low) != 16)
      return nullptr;
    const char *Next = afterEol(Q + 16);
    if (!Next)
      return nullptr;
    addReg(arm::v(D.Num), Low, 0xff);
    addReg(arm::v(D.Num, 1), High, 0xff);
    return Next;
  }
  if (N > 16)
    return nullptr;
  const char *Next = afterEol(Q + N);
  if (!Next) {
    // Only the flags of a status register are spelled out again as text.
    if (D.Kind != RegKind::Cpsr || Q[N] != ' ')
      return nullptr;
    Next = skipLine(Q + N, End);
  }
  switch (D.Kind) {
  case RegKind::X:
    if (N != 16 || D.Num == arm::SP)
      return nullptr;
    addReg(D.Num, Value, 0xff);
    return Next;
  case RegKind::W:
    if (N != 8 || D.Num == arm::SP)
      return nullptr;
    addReg(D.Num, Value, 0xff);
    return Next;
  case RegKind::R:
    if (N != 8 || needsContext())
      return nullptr;
    write32(D.Num, uint32_t(Value), 0, 0x0f);
    return Next;
  case RegKind::S:
  case RegKind::D:
    if (N != D.Digits || needsContext())
      return nullptr;
    writeFloat(D, Value, N == 8 ? 0x0f : 0xff, 0);
    return Next;
  case RegKind::Banked:
    if (N != D.Digits || needsContext())
      return nullptr;
    writeBanked(D.Num, Value, uint8_t((1u << (N / 2)) - 1), 0);
    return Next;
  case RegKind::Cpsr:
  case RegKind::Status:
    if (N != 8)
      return nullptr;
    Out->SpecialLanes |= uint64_t(1) << D.Num;
    addReg(D.Num, Value, 0x0f);
    return Next;
  case RegKind::Named:
    if (N != 8 && N != 16)
      return nullptr;
    if (uint16_t Lane = laneOf(K->Local, N / 2))
      addReg(Lane, Value, uint8_t((1u << (N / 2)) - 1));
    return Next;
  default:
    return nullptr;
  }
}

// [M]R<size> <address>[:<physical>] <data>
const char *LineParser::fastMemory(const char *, bool Write, unsigned Size,
                                   const char *Q) {
  if (Size > 8 || (Size & (Size - 1)) != 0 || Size == 0)
    return nullptr;
  uint64_t Addr, Real = ~uint64_t(0), Value;
  unsigned N = scanHex(Q, Addr);
  if (N == 0 || N > 16)
    return nullptr;
  Q += N;
  if (*Q == ':') {
    ++Q;
    N = scanHex(Q, Real);
    if (N == 0 || N > 16)
      return nullptr;
    Q += N;
    if (*Q == '_') {
      ++Q;
      if (*Q == 'N')
        ++Q;
      if (*Q++ != 'S')
        return nullptr;
    }
  }
  if (*Q != ' ')
    return nullptr;
  ++Q;
  N = scanHex(Q, Value);
  Q += N;
  if (N == 8 && Size == 8 && *Q == '_') {
    uint64_t Low;
    if (scanHex(Q + 1, Low) != 8)
      return nullptr;
    Value = Value << 32 | Low;
    N = 16;
    Q += 9;
  }
  const char *Next = afterEol(Q);
  if (N != 2 * Size || !Next || Addr + Size - 1 < Addr)
    return nullptr;
  if (Options.BigEndian)
    Value = llvm::byteswap(Value) >> (64 - 8 * Size);
  Out->MemValues = true;
  Out->RealAddresses |= Real != ~uint64_t(0);
  addMem(Addr, Value, Real, uint8_t(Size), Write ? MemItem::Write : 0,
         uint8_t((1u << Size) - 1));
  return Next;
}

// LD|ST <address> <16 bytes, highest address first> <physical> <attributes>
const char *LineParser::fastDiagram(const char *Line, const char *Q,
                                    bool Write) {
  while (*Q == ' ')
    ++Q;
  uint32_t Column = uint32_t(Q - Line);
  uint64_t Base;
  unsigned N = scanHex(Q, Base);
  if (N < 4 || N > 16 || Q[N] != ' ' || Base > ~uint64_t(15))
    return nullptr;
  Q += N;
  while (*Q == ' ')
    ++Q;
  uint32_t Words[4];
  unsigned Accessed = 0, Known = 0;
  for (int W = 3; W >= 0; --W) {
    uint64_t X = load8(Q);
    Words[W] = 0;
    if (X == Ones * '.')
      ;
    else if (leadingHex(X) == 8) {
      Words[W] = hexValue(X, 8);
      Accessed |= 0xfu << (4 * W);
      Known |= 0xfu << (4 * W);
    } else
      for (int B = 3; B >= 0; --B) {
        const char *C = Q + 2 * (3 - B);
        if (C[0] == '.' && C[1] == '.')
          continue;
        int High = hexDigit(C[0]), Low = hexDigit(C[1]);
        if (High >= 0 && Low >= 0) {
          Words[W] |= uint32_t(High << 4 | Low) << (8 * B);
          Known |= 1u << (4 * W + B);
        } else if (C[0] != '#' || C[1] != '#')
          return nullptr;
        Accessed |= 1u << (4 * W + B);
      }
    Q += 8;
    if (W ? *Q != ' ' : (*Q != ' ' && !isEol(*Q)))
      return nullptr;
    Q += W != 0;
  }
  while (*Q == ' ')
    ++Q;
  uint64_t Real = ~uint64_t(0);
  const char *R = Q;
  if (*R == 'N')
    ++R;
  if (load2(R) == chars2("S:"))
    R += 2;
  else
    R = Q;
  N = scanHex(R, Real);
  if (N < 8 || N > 16 || (R[N] != ' ' && !isEol(R[N])))
    Real = ~uint64_t(0);
  else
    Out->RealAddresses = true;
  Out->MemValues |= Known != 0;

  uint64_t Low = uint64_t(Words[1]) << 32 | Words[0];
  uint64_t High = uint64_t(Words[3]) << 32 | Words[2];
  for (unsigned Left = Accessed; Left;) {
    unsigned Start = unsigned(llvm::countr_zero(Left));
    unsigned Run = unsigned(llvm::countr_one(Left >> Start));
    Left &= ~(((1u << Run) - 1) << Start);
    for (unsigned Done = 0; Done < Run; Done += 8) {
      unsigned At = Start + Done, Size = std::min(Run - Done, 8u);
      uint64_t Value = At >= 8   ? High >> (8 * (At - 8))
                       : At == 0 ? Low
                                 : Low >> (8 * At) | High << (64 - 8 * At);
      uint8_t Mask = uint8_t(Known >> At & ((1u << Size) - 1));
      uint8_t Flags =
          uint8_t((Write ? MemItem::Write : 0) | (Done ? MemItem::Joined : 0) |
                  (Mask ? 0 : MemItem::NoValue));
      addMem(Base + At, Value & firstBytes(Size),
             Real == ~uint64_t(0) ? Real : Real + At, uint8_t(Size), Flags,
             Mask);
    }
  }
  ContinuesAt = LineNo + 1;
  ContinuesColumn = Column;
  ContinuesWrite = Write;
  return skipLine(Q, End);
}

} // namespace rw::tarmac
