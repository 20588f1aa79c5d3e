//===- Tracker.cpp - What a chunk needs from those before it --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/Tracker.h"
#include "core/arch/RegisterFile.h"
#include "core/formats/tarmac/Semihosting.h"
#include "core/model/LossNotes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace rw::tarmac {

/// How far back a semihosting call's parameters are looked for.
static constexpr size_t RecentMems = 4096;
/// A text with more kinds of lines is mostly no Tarmac.
static constexpr size_t MaxKinds = 4096;

void Tracker::apply(Chunk &C) {
  ParsedChunk &P = C.Parsed;
  ItemBatch &B = P.Batch;
  // Numbers are given in file order. Lines whose CPU is that of the line before
  // the chunk stand at its very beginning.
  std::vector<Insertion> Insertions;
  uint64_t LineBase = NumLines;
  parseDeferred(C, /*Inherited=*/true, Insertions);
  mapThreads(P);
  mapNames(P);
  fillTimes(P);
  parseDeferred(C, /*Inherited=*/false, Insertions);
  resolveChecks(P, Insertions);
  if (!Insertions.empty()) {
    for (size_t I = 0; I < Insertions.size(); ++I)
      Insertions[I].Order = I;
    llvm::sort(Insertions, [](const Insertion &L, const Insertion &R) {
      return std::tie(L.InsnCount, L.RegIndex, L.Order) <
             std::tie(R.InsnCount, R.RegIndex, R.Order);
    });
    splice(B, Insertions);
  }
  if (!P.SemihostingCalls.empty())
    semihosting(P);
  mergeStates(P);
  remember(B);
  limitLead(B);
  mergeStatistics(P, LineBase, C.Offset);
  if (TableChanged)
    publish();

  if (P.LastCpu != InheritedCpu)
    LastCpu = ThreadOf[P.LastCpu];
  // A chunk of nothing but deferred lines leaves what these left.
  if (!P.Deferred.empty() && P.Deferred.back().Line == P.Lines)
    ;
  else {
    LastLineKind = P.LastLineKind;
    LastAddressColumn = P.LastAddressColumn;
  }
  NumLines += P.Lines;
  NumInsns += B.Insns.size();
  Budget = std::min<uint64_t>(0xffff, Budget + 64 * B.Insns.size());
}

//===----------------------------------------------------------------------===//
// Threads and names
//===----------------------------------------------------------------------===//

uint8_t Tracker::thread(const std::string &Name) {
  auto It = llvm::find(Table.Cpus, Name);
  if (It != Table.Cpus.end())
    return uint8_t(It - Table.Cpus.begin());
  if (Table.Cpus.size() >= MaxThreads)
    return uint8_t(MaxThreads - 1);
  Table.Cpus.push_back(Name);
  Cpus.emplace_back();
  Cpus.back().State.Isa = FirstIsa;
  TableChanged = true;
  return uint8_t(Table.Cpus.size() - 1);
}

void Tracker::mapThreads(ParsedChunk &P) {
  ThreadOf.clear();
  bool Same = true;
  for (unsigned I = 0; I < P.CpuNames.size(); ++I) {
    ThreadOf.push_back(I < P.SnapshotCpus ? uint8_t(I) : thread(P.CpuNames[I]));
    Same &= ThreadOf.back() == I;
  }
  if (Same)
    return;
  for (InsnItem &I : P.Batch.Insns)
    I.Thread = ThreadOf[I.Thread];
  for (RegItem &R : P.Batch.Regs)
    R.Thread = ThreadOf[R.Thread];
  for (EventItem &E : P.Batch.Events)
    E.Thread = ThreadOf[E.Thread];
}

void Tracker::mapNames(ParsedChunk &P) {
  // Provisional lanes are dense from FirstProvisional on.
  std::vector<uint16_t> LaneOf;
  std::vector<uint32_t> DroppedName; ///< by lane as well; 0: it is known
  for (const ParsedChunk::NewName &N : P.NewNames) {
    auto [It, New] =
        Table.Lanes.try_emplace(llvm::StringRef(N.Name).lower(), uint16_t(0));
    if (New) {
      TableChanged = true;
      if (NextLane + N.Lanes <= MaxNamedLanes) {
        It->second = uint16_t(arm::FirstNamed + NextLane);
        NextLane = uint16_t(NextLane + N.Lanes);
        Registers.push_back({N.Name, It->second, 0});
      } else {
        Table.Lanes.erase(It);
        It = Table.Lanes.end();
      }
    }
    bool Known = It != Table.Lanes.end();
    LaneOf.resize(N.Lane - FirstProvisional + N.Lanes, RegisterSlice::NoLane);
    for (unsigned I = 0; I < N.Lanes; ++I)
      if (Known)
        LaneOf[N.Lane - FirstProvisional + I] = uint16_t(It->second + I);
    if (!Known) {
      DroppedName.resize(LaneOf.size());
      std::fill_n(&DroppedName[N.Lane - FirstProvisional], N.Lanes,
                  uint32_t(&N - P.NewNames.data()) + 1);
    }
  }
  // A line of a dropped register is its lanes, ascending.
  uint64_t DroppedLines = 0;
  unsigned LastLane = 0;
  uint32_t LastName = 0;
  if (!LaneOf.empty())
    for (RegItem &R : P.Batch.Regs) {
      const unsigned Lane = R.Lane - FirstProvisional;
      const uint32_t Name =
          R.Lane >= FirstProvisional && Lane < DroppedName.size()
              ? DroppedName[Lane]
              : 0;
      DroppedLines += Name && (Name != LastName || Lane <= LastLane);
      LastName = Name;
      LastLane = Lane;
      if (R.Lane >= FirstProvisional)
        R.Lane = LaneOf[Lane];
    }
  if (!DroppedName.empty()) {
    // More names than any CPU has registers: keep the items of those known.
    ItemBatch &B = P.Batch;
    size_t From = 0, To = 0;
    auto Keep = [&](size_t Count) {
      size_t Kept = 0;
      for (size_t E = From + Count; From < E; ++From)
        if (B.Regs[From].Lane != RegisterSlice::NoLane) {
          B.Regs[To++] = B.Regs[From];
          ++Kept;
        }
      return Kept;
    };
    B.LeadRegs = uint32_t(Keep(B.LeadRegs));
    for (InsnItem &I : B.Insns)
      I.NumRegs = uint16_t(Keep(I.NumRegs));
    B.Regs.resize(To);
    Ignored["R (more registers than can be)"] += DroppedLines;
  }
  for (auto &[Name, Size] : P.NewSizes)
    for (NamedRegister &R : Registers)
      if (llvm::StringRef(R.Name).equals_insensitive(Name))
        R.Size = std::max(R.Size, Size);
  for (auto &A : P.NewAliases)
    if (llvm::none_of(Aliases, [&](auto &B) {
          return llvm::StringRef(B.first).equals_insensitive(A.first);
        }))
      Aliases.push_back(A);
}

void Tracker::publish() {
  Names.set(std::make_shared<const NameTable>(Table));
  TableChanged = false;
}

void Tracker::fillTimes(ParsedChunk &P) {
  std::vector<InsnItem> &Insns = P.Batch.Insns;
  size_t Untimed = P.HasTime ? P.UntimedInsns : Insns.size();
  for (size_t I = 0; I < Untimed; ++I)
    Insns[I].Time = MaxTime;
  if (!P.HasTime)
    return;
  if (HasTime && P.FirstTime < LastTime)
    TimeWentBack = true;
  TimeWentBack |= P.TimeWentBack;
  for (size_t I = Untimed; I < Insns.size() && Insns[I].Time < MaxTime; ++I)
    Insns[I].Time = MaxTime;
  if (!HasTime)
    Unit = P.Unit;
  UnitsDiffer |= P.UnitsDiffer || P.Unit != Unit;
  HasTime = true;
  LastTime = P.LastTime;
  MaxTime = std::max(MaxTime, P.MaxTime);
}

//===----------------------------------------------------------------------===//
// What depends on earlier chunks
//===----------------------------------------------------------------------===//

void Tracker::parseDeferred(const Chunk &C, bool Inherited,
                            std::vector<Insertion> &Out) {
  uint64_t LineBase = NumLines;
  uint64_t LastDeferredLine = 0;
  for (const DeferredLine &D : C.Parsed.Deferred) {
    if ((D.Cpu == InheritedCpu) != Inherited)
      continue;
    uint8_t Thread = D.Cpu == InheritedCpu ? LastCpu : ThreadOf[D.Cpu];
    if (Thread == InheritedCpu)
      Thread = thread("");
    if (D.Cpu == InheritedCpu)
      LastCpu = Thread;
    const char *E = static_cast<const char *>(
        std::memchr(D.Begin, '\n', size_t(C.end() - D.Begin) + 1));
    ParsedChunk &P = DeferredOut;
    P.clear();
    // Only the line right before can be continued.
    bool Continues = Inherited && LastDeferredLine + 1 == D.Line;
    Parser.parseDeferred(D.Begin, E, Cpus[Thread].State, Thread,
                         Continues ? LastLineKind : 0, LastAddressColumn,
                         C.Last && !C.EndsInNewline && E == C.end(), P);
    LastDeferredLine = D.Line;
    LastLineKind = P.LastLineKind;
    LastAddressColumn = P.LastAddressColumn;
    P.Batch.LeadRegs = P.Batch.Regs.size();
    P.Batch.LeadMems = P.Batch.Mems.size();
    mapNames(P);
    if (TableChanged)
      publish();
    Insertion I;
    I.RegIndex = D.RegIndex;
    I.MemIndex = D.MemIndex;
    I.InsnCount = D.InsnCount;
    I.Regs.append(P.Batch.Regs.begin(), P.Batch.Regs.end());
    I.Mems.append(P.Batch.Mems.begin(), P.Batch.Mems.end());
    Out.push_back(std::move(I));
    mergeStatistics(P, LineBase + D.Line - 1,
                    C.Offset + uint64_t(D.Begin - C.begin()));
  }
}

void Tracker::resolveChecks(const ParsedChunk &P, std::vector<Insertion> &Out) {
  for (const BankCheck &K : P.Checks) {
    uint8_t Thread = ThreadOf[K.Cpu];
    CpuState &S = Cpus[Thread].State;
    uint8_t &Selected = slotOf(S.Selected, K.Slot);
    // The five registers of one SlotR8 change come in order.
    unsigned Sub = 0;
    if (K.Slot == SlotR8)
      Sub = K.To >= R8_FIQ ? K.To - R8_FIQ : K.To - R8_USR;
    uint8_t From = K.From;
    if (From == NoBank && Selected != NoBank)
      From = Selected == ThreadStackBank ? Selected : uint8_t(Selected + Sub);
    uint8_t To = K.To;
    if (K.Slot != SlotR8 || Sub == 4)
      Selected = uint8_t(K.To == ThreadStackBank ? K.To : K.To - Sub);
    if (From == NoBank)
      continue;
    // Until told otherwise, thread mode uses the main stack.
    auto Stack = [&](uint8_t Bank) {
      if (Bank != ThreadStackBank)
        return Bank;
      return S.ThreadStack;
    };
    From = Stack(From);
    To = Stack(To);
    if (From == To || To == NoBank || From == NoBank)
      continue;
    // A trace that does not tell banks apart has nothing to restore.
    bool Known = K.ValueKnown || (S.BanksKnown >> To & 1);
    if (!Known && !K.Banked &&
        (S.BanksKnown & banksOfLane(bankCurrentLane(To))) == 0)
      continue;
    const BankValue &V = K.ValueKnown ? K.Value : S.Banks[To];
    RegItem R;
    R.Lane = bankCurrentLane(To);
    R.Written = uint8_t((1u << bankSize(To)) - 1);
    R.Unknown = Known ? V.Unknown : R.Written;
    R.Value = Known ? V.Value : 0;
    R.Thread = Thread;
    Insertion I;
    I.RegIndex = K.RegIndex;
    I.MemIndex = ~0u;
    I.InsnCount = K.InsnCount;
    I.Regs.push_back(R);
    Out.push_back(std::move(I));
  }
}

/// Puts the insertions, sorted by place, in between.
void Tracker::splice(ItemBatch &B, const std::vector<Insertion> &Insertions) {
  std::vector<RegItem> Regs;
  std::vector<MemItem> Mems;
  Regs.reserve(B.Regs.size() + Insertions.size() * 2);
  Mems.reserve(B.Mems.size() + Insertions.size());
  size_t RegAt = 0, MemAt = 0;
  for (const Insertion &I : Insertions) {
    Regs.insert(Regs.end(), B.Regs.begin() + RegAt,
                B.Regs.begin() + I.RegIndex);
    RegAt = I.RegIndex;
    size_t NumRegs = I.Regs.size(), NumMems = I.Mems.size();
    if (I.InsnCount) {
      InsnItem &Insn = B.Insns[I.InsnCount - 1];
      NumRegs = std::min<size_t>(NumRegs, 0xffff - Insn.NumRegs);
      NumMems = std::min<size_t>(NumMems, 0xffff - Insn.NumMems);
      Insn.NumRegs = uint16_t(Insn.NumRegs + NumRegs);
      Insn.NumMems = uint16_t(Insn.NumMems + NumMems);
    } else {
      B.LeadRegs += NumRegs;
      B.LeadMems += NumMems;
    }
    Regs.insert(Regs.end(), I.Regs.begin(), I.Regs.begin() + NumRegs);
    if (!NumMems)
      continue;
    Mems.insert(Mems.end(), B.Mems.begin() + MemAt,
                B.Mems.begin() + I.MemIndex);
    MemAt = I.MemIndex;
    Mems.insert(Mems.end(), I.Mems.begin(), I.Mems.begin() + NumMems);
  }
  Regs.insert(Regs.end(), B.Regs.begin() + RegAt, B.Regs.end());
  Mems.insert(Mems.end(), B.Mems.begin() + MemAt, B.Mems.end());
  B.Regs = std::move(Regs);
  B.Mems = std::move(Mems);
}

void Tracker::mergeStates(const ParsedChunk &P) {
  for (unsigned I = 0; I < P.Cpus.size(); ++I) {
    const CpuState &From = P.Cpus[I];
    if (!From.SeenInsn)
      continue;
    CpuState &To = Cpus[ThreadOf[I]].State;
    To.SeenInsn = true;
    To.Isa = From.Isa;
    To.Mode = From.Mode;
    To.OfMode = From.OfMode;
    To.Opcode = From.Opcode;
    for (unsigned Slot = 0; Slot < NumSlots; ++Slot) {
      Selection S = From.Selected;
      if (slotOf(S, Slot) != NoBank)
        slotOf(To.Selected, Slot) = slotOf(S, Slot);
    }
    if (From.ThreadStack != NoBank)
      To.ThreadStack = From.ThreadStack;
    To.BanksKnown |= From.BanksKnown;
    for (unsigned B = 0; B < NumBanks; ++B)
      if (From.BanksKnown >> B & 1)
        To.Banks[B] = From.Banks[B];
  }
}

void Tracker::limitLead(ItemBatch &B) {
  if (NumInsns) {
    // Together with what the last instruction already has.
    size_t Regs = std::min<size_t>(B.LeadRegs, 0xffff - LastRegs);
    size_t Mems = std::min<size_t>(B.LeadMems, 0xffff - LastMems);
    B.Regs.erase(B.Regs.begin() + Regs, B.Regs.begin() + B.LeadRegs);
    B.Mems.erase(B.Mems.begin() + Mems, B.Mems.begin() + B.LeadMems);
    B.LeadRegs = uint32_t(Regs);
    B.LeadMems = uint32_t(Mems);
    LastRegs += B.LeadRegs;
    LastMems += B.LeadMems;
  }
  if (!B.Insns.empty()) {
    LastRegs = B.Insns.back().NumRegs;
    LastMems = B.Insns.back().NumMems;
  }
}

//===----------------------------------------------------------------------===//
// Semihosting
//===----------------------------------------------------------------------===//

/// r0/x0 or r1/x1 of \p Thread before RegItem number \p RegEnd.
Tracker::Argument Tracker::argumentAt(const ItemBatch &B, size_t RegEnd,
                                      uint8_t Thread, unsigned Which) const {
  Argument A;
  uint8_t Open = 0xff;
  for (size_t I = RegEnd; I-- > 0 && Open;) {
    const RegItem &R = B.Regs[I];
    if (R.Lane != Which || R.Thread != Thread)
      continue;
    uint8_t New = R.Written & Open;
    for (unsigned Byte = 0; Byte < 8; ++Byte)
      if (New >> Byte & 1)
        A.Value |= R.Value & (uint64_t(0xff) << (8 * Byte));
    A.Known |= New & ~R.Unknown;
    Open &= uint8_t(~R.Written);
  }
  const Argument &Old = Cpus[Thread].Arguments[Which];
  for (unsigned Byte = 0; Byte < 8; ++Byte)
    if (Open >> Byte & 1)
      A.Value |= Old.Value & (uint64_t(0xff) << (8 * Byte));
  A.Known |= Open & Old.Known;
  return A;
}

/// A little- or big-endian word of memory before MemItem number \p MemEnd, from
/// the last accesses.
std::optional<uint64_t> Tracker::wordAt(const ItemBatch &B, size_t MemEnd,
                                        uint64_t Addr, unsigned Size) const {
  unsigned Open = (1u << Size) - 1;
  uint64_t Value = 0;
  bool Lost = false;
  auto Look = [&](const MemItem &M) {
    for (unsigned I = 0; I < Size; ++I) {
      uint64_t At = Addr + I - M.Addr;
      if (!(Open >> I & 1) || At >= M.Size)
        continue;
      if (M.Known >> At & 1) {
        Value |= (M.Value >> (8 * At) & 0xff) << (8 * I);
        Open &= ~(1u << I);
      } else if (M.Flags & MemItem::Write)
        Lost = true;
    }
    return Open && !Lost;
  };
  size_t Left = RecentMems;
  while (MemEnd > 0 && Left > 0) {
    --Left;
    if (!Look(B.Mems[--MemEnd]))
      break;
  }
  for (size_t I = 0; Open && !Lost && Left > 0 && I < Recent.size();
       ++I, --Left)
    if (!Look(Recent[(RecentAt + Recent.size() - 1 - I) % Recent.size()]))
      break;
  if (Open || Lost)
    return std::nullopt;
  if (Options.BigEndian)
    Value = llvm::byteswap(Value) >> (64 - 8 * Size);
  return Value;
}

void Tracker::semihosting(ParsedChunk &P) {
  ItemBatch &B = P.Batch;
  size_t RegAt = B.LeadRegs, MemAt = B.LeadMems, Insn = 0;
  auto Unfollowed = [&](llvm::StringRef Why) {
    ++NumUnfollowed;
    if (WhyUnfollowed.empty())
      WhyUnfollowed = Why.str();
  };
  uint64_t Earned = 0;
  for (uint32_t Call : P.SemihostingCalls) {
    for (; Insn < Call; ++Insn) {
      RegAt += B.Insns[Insn].NumRegs;
      MemAt += B.Insns[Insn].NumMems;
    }
    ++NumSemihosting;
    InsnItem &I = B.Insns[Call];
    auto Value = [&](unsigned Which) -> std::optional<uint64_t> {
      Argument A = argumentAt(B, RegAt, I.Thread, Which);
      uint8_t Needed = I.Isa == ISA::A64 ? 0xff : 0x0f;
      if ((A.Known & Needed) != Needed)
        return std::nullopt;
      return I.Isa == ISA::A64 ? A.Value : uint32_t(A.Value);
    };
    SemihostingEffect E = semihostingEffect(
        I.Isa, Value(0), Value(1), [&](uint64_t Addr, unsigned Size) {
          return wordAt(B, MemAt, Addr, Size);
        });
    if (!E.Problem.empty()) {
      Unfollowed(E.Problem);
      continue;
    }
    // Should the trace log some of it after all, that comes later and counts.
    size_t MemEnd = MemAt;
    for (SemihostingEffect::Range R : E.Ranges) {
      uint64_t Items = R.Size / 8 + (R.Size % 8 != 0);
      uint64_t Available =
          std::min<uint64_t>(0xffff, Budget + 64 * (Call - Earned));
      if (Items > Available || Items > uint64_t(0xffff - I.NumMems)) {
        Unfollowed("it may write " + std::to_string(R.Size) +
                   " bytes, which is too many");
        continue;
      }
      Budget = Available - Items;
      Earned = Call;
      std::vector<MemItem> New;
      for (uint64_t Done = 0; Done < R.Size;) {
        MemItem M;
        M.Addr = R.Addr + Done;
        M.Size = uint8_t(std::min<uint64_t>(8, R.Size - Done));
        if (M.Addr + M.Size < M.Addr && M.Addr + M.Size != 0)
          M.Size = uint8_t(0 - M.Addr);
        M.Real = ~uint64_t(0);
        M.Flags = MemItem::Write | MemItem::NoValue | MemItem::Implied |
                  (Done ? MemItem::Joined : 0);
        Done += M.Size;
        New.push_back(M);
      }
      B.Mems.insert(B.Mems.begin() + MemEnd, New.begin(), New.end());
      I.NumMems = uint16_t(I.NumMems + New.size());
      MemEnd += New.size();
    }
  }
}

/// Keeps what a semihosting call in a later chunk may ask for.
void Tracker::remember(const ItemBatch &B) {
  for (unsigned T = 0; T < Cpus.size(); ++T)
    for (unsigned Which = 0; Which < 2; ++Which)
      Cpus[T].Arguments[Which] =
          argumentAt(B, B.Regs.size(), uint8_t(T), Which);
  size_t N = std::min(B.Mems.size(), RecentMems);
  for (size_t I = B.Mems.size() - N; I < B.Mems.size(); ++I) {
    if (Recent.size() < RecentMems)
      Recent.push_back(B.Mems[I]);
    else
      Recent[RecentAt] = B.Mems[I];
    RecentAt = (RecentAt + 1) % RecentMems;
  }
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

void Tracker::mergeStatistics(const ParsedChunk &P, uint64_t LineBase,
                              uint64_t OffsetBase) {
  std::vector<std::pair<uint64_t, const std::string *>> Kinds;
  for (auto &[Kind, K] : P.Ignored)
    Kinds.push_back({K.Order, &Kind});
  llvm::sort(Kinds);
  for (auto &[Order, Kind] : Kinds) {
    bool Room = Ignored.size() < MaxKinds || Ignored.count(*Kind);
    Ignored[Room ? *Kind : "(further kinds)"] += P.Ignored.at(*Kind).Count;
  }
  if (P.NumBranchLines)
    Ignored["BR"] += P.NumBranchLines;
  for (const MalformedLine &M : P.Malformed) {
    Malformed.push_back(M);
    Malformed.back().Line += LineBase;
    Malformed.back().Offset += OffsetBase;
  }
  NumMalformed += P.NumMalformed;
  AnyRegs |= !P.Batch.Regs.empty();
  AnyMems |= !P.Batch.Mems.empty();
  MemValues |= P.MemValues;
  RealAddresses |= P.RealAddresses;
  Opcodes |= P.Opcodes;
  SawA64 |= P.SawA64;
  SawA32 |= P.SawA32;
  SawES |= P.SawES;
  SawIT |= P.SawIT;
  SawHeader |= P.Header;
  if (P.CutLine)
    CutLine = LineBase + P.CutLine;
  LoadsLoggedAsWrites += P.LoadsLoggedAsWrites;
  SpecialLanes |= P.SpecialLanes;
}

TraceHeader Tracker::header() const {
  TraceHeader H;
  H.Format = "tarmac";
  bool Is64 = SawA64 || (!SawA32 && FirstIsa == ISA::A64);
  H.Architecture = Is64 ? Arch::AArch64 : Arch::Arm;
  H.Order = Options.BigEndian ? ByteOrder::Big : ByteOrder::Little;
  if (HasTime)
    H.TimeUnit = Unit.empty() ? "tick" : Unit;
  H.Can.Registers = AnyRegs;
  H.Can.MemAddresses = AnyMems;
  H.Can.MemValues = MemValues;
  H.Can.RealAddresses = RealAddresses;
  H.Can.Opcodes = Opcodes;
  H.Can.Time = HasTime;
  H.Can.Lines = true;
  for (size_t I = 0; I < Table.Cpus.size(); ++I)
    H.Threads.push_back({Table.Cpus[I], I + 1});
  if (H.Threads.empty())
    H.Threads.push_back({"", 1});

  H.NamedRegisters = Registers;
  for (NamedRegister &R : H.NamedRegisters)
    R.Size = std::max<uint16_t>(R.Size, 1);
  for (auto &[Name, Canonical] : Aliases)
    for (const NamedRegister &R : Registers)
      if (R.Name == Canonical)
        H.NamedRegisters.push_back(
            {Name, R.Lane, std::max<uint16_t>(R.Size, 1)});
  // AArch32 phases of an AArch64 trace write registers that AArch64 has not.
  static const std::pair<const char *, uint16_t> Only32[] = {
      {"r13", arm::R13},
      {"r14", arm::R14},
      {"fpscr", arm::FPSCR},
      {"vpr", arm::VPR}};
  if (Is64)
    for (auto &[Name, Lane] : Only32)
      if (SpecialLanes >> Lane & 1)
        H.NamedRegisters.push_back({Name, Lane, 4});

  H.Ignored.assign(Ignored.begin(), Ignored.end());
  H.Malformed = Malformed;
  llvm::sort(H.Malformed, [](auto &L, auto &R) {
    return std::tie(L.Line, L.What) < std::tie(R.Line, R.What);
  });
  if (H.Malformed.size() > MaxMalformed)
    H.Malformed.resize(MaxMalformed);
  H.NumMalformed = NumMalformed;
  H.TotalLines = NumLines;

  auto Note = [&](const char *What, const llvm::Twine &Text) {
    H.Notes.push_back({What, Text.str()});
  };
  if (SawIT || SawES)
    Note("dialect", SawIT && SawES ? "IT and ES"
                    : SawES        ? "ES (Cycle Models style)"
                                   : "IT (Fast Models style)");
  if (SawHeader)
    Note("header", "Tarmac Text");
  if (TimeWentBack)
    Note("time", "timestamps go back in places; there the time is held");
  if (UnitsDiffer)
    Note("time unit",
         "timestamps have different units; they are not converted");
  if (LoadsLoggedAsWrites)
    Note("loads logged as writes",
         llvm::Twine(LoadsLoggedAsWrites) +
             " 16-byte writes belong to load instructions (gem5 does that); "
             "they are taken as reads of unknown data");
  if (NumSemihosting)
    Note("semihosting calls", llvm::Twine(NumSemihosting));
  if (NumUnfollowed)
    H.Notes.push_back(lossNote(
        Loss::UnknownSemihosting,
        (llvm::Twine(NumUnfollowed) + "; of the first: " + WhyUnfollowed)
            .str()));
  if (CutLine)
    H.Notes.push_back(
        lossNote(Loss::LastLine,
                 ("line " + llvm::Twine(CutLine) +
                  " is cut: the file ends in the middle of it; it was left out")
                     .str()));
  return H;
}

} // namespace rw::tarmac
