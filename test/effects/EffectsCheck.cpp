//===- EffectsCheck.cpp - Are declared effects all there are? -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/effects/EffectsCheck.h"
#include "core/dataflow/ArmConditions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <csignal>
#include <deque>
#include <fcntl.h>
#include <map>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

extern char **environ;

namespace rw::dataflow {

static Error failed(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

Expected<std::unique_ptr<Probe>> Probe::start(std::vector<std::string> Args) {
  auto P = std::make_unique<Probe>();
  P->Command = std::move(Args);
  if (Error E = P->spawn())
    return E;
  std::vector<ProbeResult> Answer;
  if (Error E = P->run({}, false, ProbeState{}, Answer))
    return E;
  return P;
}

Error Probe::spawn() {
  // A probe that died must not take us with it.
  signal(SIGPIPE, SIG_IGN);
  int To[2], From[2];
  if (pipe2(To, O_CLOEXEC) || pipe2(From, O_CLOEXEC))
    return failed("no pipe");
  In = To[1];
  Out = From[0];
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, To[0], 0);
  posix_spawn_file_actions_adddup2(&Actions, From[1], 1);
  posix_spawn_file_actions_addopen(&Actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char *> Argv;
  for (std::string &A : Command)
    Argv.push_back(A.data());
  Argv.push_back(nullptr);
  int Problem =
      posix_spawnp(&Process, Argv[0], &Actions, nullptr, Argv.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  close(To[0]);
  close(From[1]);
  if (Problem)
    return failed(Command[0] + ": cannot be started");
  return Error::success();
}

void Probe::end() {
  if (In >= 0)
    close(In);
  if (Out >= 0)
    close(Out);
  if (Process > 0)
    waitpid(Process, nullptr, 0);
  In = Out = Process = -1;
}

Probe::~Probe() { end(); }

Error Probe::run(ArrayRef<uint8_t> Bytes, bool Thumb,
                 ArrayRef<ProbeState> States,
                 std::vector<ProbeResult> &Results) {
  ProbeCode Code = {};
  std::copy(Bytes.begin(), Bytes.end(), Code.Bytes);
  Code.Size = uint32_t(Bytes.size());
  Code.Thumb = Thumb;
  Code.Count = uint32_t(States.size());
  Code.Magic = ProbeMagic;
  auto send = [&](const void *From, size_t Size) {
    const char *At = static_cast<const char *>(From);
    while (Size) {
      ssize_t N = write(In, At, Size);
      if (N <= 0)
        return false;
      At += N;
      Size -= size_t(N);
    }
    return true;
  };
  Results.assign(States.size(), ProbeResult());
  auto receive = [&] {
    char *At = reinterpret_cast<char *>(Results.data());
    for (size_t Left = Results.size() * sizeof(ProbeResult); Left;) {
      ssize_t N = read(Out, At, Left);
      if (N <= 0)
        return false;
      At += N;
      Left -= size_t(N);
      Answered = true;
    }
    return true;
  };
  if (send(&Code, sizeof Code) &&
      send(States.data(), States.size() * sizeof(ProbeState)) && receive())
    return Error::success();
  if (!Answered)
    return failed(Command.back() + " does not work");
  // It took the probe's thread register away, for example.
  end();
  for (ProbeResult &R : Results)
    R.Signal = SIGKILL;
  return spawn();
}

uint64_t logicalOpcode(const Sample &S) {
  uint64_t Op = 0;
  const size_t Size = std::min<size_t>(S.Bytes.size(), 8);
  if (S.Isa == ISA::PPC64) {
    for (size_t I = 0; I < Size; ++I)
      Op = Op << 8 | S.Bytes[I];
    return Op;
  }
  for (size_t I = 0; I < Size; ++I)
    Op |= uint64_t(S.Bytes[I]) << 8 * I;
  if (S.Isa == ISA::T32 && Size == 4)
    Op = (Op & 0xffff) << 16 | Op >> 16;
  return Op;
}

/// As they are in the machine's memory: opcodes of POWER are kept in the order
/// of big endian, and all machines here are little endian.
static std::vector<uint8_t> machineBytes(const Sample &S) {
  std::vector<uint8_t> Bytes = S.Bytes;
  if (S.Isa == ISA::PPC64)
    for (size_t W = 0; W < Bytes.size(); W += 4)
      std::reverse(Bytes.begin() + W, Bytes.begin() + W + 4);
  return Bytes;
}

/// How the values of a state are chosen.
struct EffectsCheck::Style {
  ISA Isa = ISA::Unknown;
  bool Small = false; ///< small numbers
  bool Equal = false; ///< mostly zeros
  CellList Pointers;  ///< cells that get addresses
  bool AllPointers = false;
};

/// The bits of a lane that a cell has.
template <typename F> static void forEachLane(const CellInfo &Info, F Call) {
  if (Info.Slice.Lane == RegisterSlice::NoLane)
    return;
  if (Info.Bits) {
    Call(Info.Slice.Lane, Info.Bits);
    return;
  }
  for (unsigned Byte = Info.Slice.Offset;
       Byte < unsigned(Info.Slice.Offset + Info.Slice.Size); ++Byte)
    Call(Info.Slice.Lane + Byte / 8, uint64_t(0xff) << 8 * (Byte % 8));
}

bool EffectsCheck::testable(Cell C, ISA Isa) const {
  const unsigned Lane = Table.cells().info(C).Slice.Lane;
  if (Lane == RegisterSlice::NoLane)
    return false;
  switch (Isa) {
  case ISA::A64:
    return C <= armcell::SP || (C >= armcell::N && C <= armcell::V) ||
           C >= armcell::Vec;
  case ISA::A32:
  case ISA::T32:
    return C <= armcell::X0 + 12 || (C >= armcell::R13 && C <= armcell::GE) ||
           C == armcell::FPFlags ||
           (C >= armcell::Vec && C < armcell::Vec + 64);
  case ISA::PPC64:
    // r13 belongs to the thread that the probe is.
    return C != ppccell::R0 + 13 && C != ppccell::XER && C != ppccell::FPSCR &&
           C != ppccell::System;
  case ISA::X86_64:
    return C < x86cell::gpr(16) || (C >= x86cell::CF && C <= x86cell::DF) ||
           (C >= x86cell::K0 && C < x86cell::FCtrl) || C >= x86cell::Vec;
  case ISA::Unknown:
    break;
  }
  return false;
}

uint64_t EffectsCheck::laneValue(unsigned Lane, const Style &Y) {
  const bool Narrow = Y.Isa == ISA::A32 || Y.Isa == ISA::T32;
  uint64_t V = Random();
  // A processor of AMD's does not return from a signal with any other.
  if (Y.Isa == ISA::X86_64 && Lane == x86::RSP)
    V &= 0x7fffffffffff;
  bool Pointer = false, First = true;
  for (CellRef R : Y.Pointers)
    for (Cell C = R.First; C < R.end(); ++C)
      if (Table.cells().info(C).Slice.Lane == Lane) {
        Pointer |=
            Y.AllPointers || First ||
            Lane ==
                Table.cells().info(Table.cells().sp(Y.Isa).First).Slice.Lane;
        if (!Pointer)
          return (V & 15) * 16;
      } else {
        First = false;
      }
  if (Pointer)
    return (Narrow ? 0x50000000 : 0x2000000000) + (V & 0xffffff0);
  if (Y.Isa == ISA::X86_64 && Lane == x86::RCX && (V & 1))
    return V >> 8 & 7;
  if (Y.Small && Lane < 32)
    return V >> 8 & 0x3f;
  if (Y.Equal && Lane < 32)
    return V & 3 ? 0 : ~uint64_t(0);
  // Numbers of one magnitude, so that no operand gets lost in a sum.
  if (Y.Small && Lane >= 40)
    return (V & 0x000fffff000fffff) | 0x3ff000003ff00000;
  return Narrow && Lane < arm::V0 ? uint32_t(V) : V;
}

ProbeState EffectsCheck::newState(const Style &Y) {
  ProbeState S = {};
  for (Cell C = 0; C < Table.cells().size(); ++C)
    if (testable(C, Y.Isa))
      forEachLane(Table.cells().info(C), [&](unsigned Lane, uint64_t Mask) {
        (void)Mask;
        if (!S.Lanes[Lane])
          S.Lanes[Lane] = laneValue(Lane, Y);
      });
  // Only what the cells have.
  ProbeState Masked = {};
  for (Cell C = 0; C < Table.cells().size(); ++C)
    if (testable(C, Y.Isa))
      replace(Masked, C, S);
  if (Y.Isa == ISA::A32 || Y.Isa == ISA::T32)
    for (unsigned L = 0; L < arm::V0; ++L)
      Masked.Lanes[L] = uint32_t(Masked.Lanes[L]);
  Masked.Seed = Random() & ~uint64_t(1);
  Masked.Seed |= Random() & 1;
  return Masked;
}

void EffectsCheck::replace(ProbeState &S, Cell C, const ProbeState &By,
                           uint8_t Bytes) const {
  const CellInfo &Info = Table.cells().info(C);
  unsigned Byte = 0;
  forEachLane(Info, [&](unsigned Lane, uint64_t Mask) {
    if (const unsigned B = Byte++; !Info.Bits && B < 8 && !(Bytes >> B & 1))
      return;
    S.Lanes[Lane] = (S.Lanes[Lane] & ~Mask) | (By.Lanes[Lane] & Mask);
  });
}

bool EffectsCheck::differs(Cell C, const uint64_t *A, const uint64_t *B) const {
  bool Result = false;
  forEachLane(Table.cells().info(C), [&](unsigned Lane, uint64_t Mask) {
    Result |= ((A[Lane] ^ B[Lane]) & Mask) != 0;
  });
  return Result;
}

/// The condition of an A32 or T32 instruction; 14 if it has none.
static unsigned conditionOf(const Sample &S) {
  if (S.Isa == ISA::A32)
    return std::min(S.Bytes[3] >> 4, 14);
  if (S.Isa == ISA::T32 && S.ItCondition != NoItCondition)
    return S.ItCondition;
  return 14;
}

void EffectsCheck::satisfy(ProbeState &State, const Sample &From) {
  const unsigned Condition = conditionOf(From);
  auto holds = [&](uint32_t F) {
    bool N = F >> 31 & 1, Z = F >> 30 & 1, C = F >> 29 & 1, V = F >> 28 & 1;
    bool R = true;
    switch (Condition >> 1) {
    case 0:
      R = Z;
      break;
    case 1:
      R = C;
      break;
    case 2:
      R = N;
      break;
    case 3:
      R = V;
      break;
    case 4:
      R = C && !Z;
      break;
    case 5:
      R = N == V;
      break;
    case 6:
      R = N == V && !Z;
      break;
    default:
      return true;
    }
    return R != bool(Condition & 1);
  };
  uint64_t &Flags = State.Lanes[arm::CPSR];
  while (!holds(uint32_t(Flags)))
    Flags = (Flags & 0x0fffffff) | (Random() & 0xf0000000);
  // The last instruction of a block, so that none follows.
  if (From.Isa == ISA::T32) {
    Flags &= ~uint64_t(0x0600fc00);
    if (From.ItCondition != NoItCondition) {
      unsigned It = From.ItCondition << 4 | 8;
      Flags |= uint64_t(It >> 2) << 10 | uint64_t(It & 3) << 25;
    }
  }
}

/// What a byte of memory is after an execution.
static uint8_t finalByte(uint64_t Addr, const ProbeState &S,
                         const ProbeResult &R) {
  for (uint32_t I = 0; I < R.NumChanges; ++I)
    if (R.Changes[I].Addr == Addr)
      return uint8_t(R.Changes[I].Byte);
  return probeByte(Addr, &S);
}

/// POWER: what becomes of doubleword 1 of a register that gets a scalar is
/// undefined up to Power ISA 3.0 (lxsspx and its kin, mtvsrd, mtvsrwa,
/// mtvsrwz); the emulator leaves it alone.
static bool isUndefined(Cell C, const Sample &S) {
  if (S.Isa != ISA::PPC64 || S.Bytes.size() != 4 || S.Bytes[0] >> 2 != 31 ||
      C < ppccell::VSR0 || !((C - ppccell::VSR0) & 1))
    return false;
  static constexpr unsigned Scalar[] = {12,  76,  179, 211, 243,
                                        524, 588, 781, 813};
  return is_contained(Scalar, (S.Bytes[2] << 8 | S.Bytes[3]) >> 1 & 0x3ff);
}

/// What of an effect's results is another one, or empty. Null: where the
/// program goes on.
std::string EffectsCheck::differing(const Effect *E, const ProbeState &S0,
                                    const ProbeResult &R0, const ProbeState &S1,
                                    const ProbeResult &R1, const Sample &S) {
  const ISA Isa = S.Isa;
  if (!E || (E->Flags & Effect::Flow)) {
    if (R0.PC != R1.PC)
      return "the next pc";
    if (!E)
      return {};
  }
  for (CellRef W : E->Writes)
    for (Cell C = W.First; C < W.end(); ++C)
      if (testable(C, Isa) && !isUndefined(C, S) &&
          differs(C, R0.Lanes, R1.Lanes))
        return Table.cells().name(C).str();
  if (!E->Store)
    return {};
  // Counted from the first byte that was accessed.
  uint64_t Base = R0.FaultAddr;
  for (const ProbeResult *R : {&R0, &R1})
    for (uint32_t I = 0; I < R->NumChanges; ++I) {
      uint64_t Addr = R->Changes[I].Addr;
      if (E->Store.Size != MemoryPart::All &&
          (!Base || Addr - Base - E->Store.Offset >= E->Store.Size))
        continue;
      if (finalByte(Addr, S0, R0) != finalByte(Addr, S1, R1))
        return "memory";
    }
  return {};
}

/// What of \p E, which is called a copy, is another byte than its source's; or
/// empty. Behind what is moved there are zeros.
std::string EffectsCheck::notMoved(const Effect &E, const ProbeState &S,
                                   const ProbeResult &R, ISA Isa) const {
  auto BytesOf = [&](CellRef Run, const uint64_t *Lanes) {
    std::vector<std::optional<uint8_t>> Bytes;
    for (Cell C = Run.First; C < Run.end(); ++C) {
      const RegisterSlice Of = Table.cells().info(C).Slice;
      for (unsigned B = 0; B < Of.Size; ++B) {
        const unsigned At = Of.Offset + B;
        if (testable(C, Isa))
          Bytes.push_back(uint8_t(Lanes[Of.Lane + At / 8] >> At % 8 * 8));
        else
          Bytes.push_back(std::nullopt);
      }
    }
    return Bytes;
  };
  for (CellRef Run : {E.Moved, E.Values.empty() ? CellRef() : E.Values[0]})
    for (Cell C = Run.First; C < Run.end(); ++C)
      if (Table.cells().info(C).Bits)
        return {}; // flags
  // A push onto the full stack of the x87 makes something else; in which order
  // a vector is loaded is not told of POWER.
  if ((Isa == ISA::X86_64 && E.Moved.overlaps({x86cell::ST0, 8})) ||
      (Isa == ISA::PPC64 && E.Moved.Count > 1))
    return {};
  const MemoryPart Part = E.Load ? E.Load : E.Store;
  if ((E.Load && E.Store) || (Part && !R.FaultAddr))
    return {};
  const uint64_t Addr = R.FaultAddr + Part.Offset;
  if (E.Store) {
    const auto From = BytesOf(E.Moved, S.Lanes);
    const size_t Size = Part.Size == MemoryPart::All ? 0 : Part.Size;
    for (size_t B = 0; B < std::min(From.size(), Size); ++B)
      if (From[B] && finalByte(Addr + B, S, R) != *From[B])
        return "stores another byte " + utostr(B);
    return {};
  }
  const auto To = BytesOf(E.Moved, R.Lanes);
  const auto From = E.Load ? To : BytesOf(E.Values[0], S.Lanes);
  bool Zeros = false;
  for (size_t B = 0; B < To.size(); ++B) {
    if (!To[B] || B >= From.size() || !From[B])
      continue;
    const uint8_t Is = E.Load ? probeByte(Addr + B, &S) : *From[B];
    // Once there are zeros instead, there is nothing else.
    Zeros |= *To[B] != Is;
    if (Zeros && *To[B])
      return "moves another byte " + utostr(B);
  }
  for (CellRef W : E.Writes)
    for (Cell C = W.First; C < W.end(); ++C)
      if (!E.Moved.contains(C) && testable(C, Isa))
        for (auto Byte : BytesOf({C, 1}, R.Lanes))
          if (*Byte)
            return Table.cells().name(C).str() + " is no zero";
  return {};
}

/// \p E as several, if it goes lane by lane: one for each.
static void splitLanes(const Effect &E, std::deque<CellList> &Lists,
                       std::deque<Effect> &Out) {
  const unsigned Words = E.Flags & Effect::Lanes8   ? 2
                         : E.Flags & Effect::Lanes4 ? 1
                                                    : 0;
  if (!Words) {
    Out.push_back(E);
    return;
  }
  auto Part = [&](ArrayRef<CellRef> Of, unsigned Lane) {
    CellList &List = Lists.emplace_back();
    for (CellRef R : Of)
      for (Cell C = R.First; C < R.end(); ++C)
        if ((C - armcell::Vec) % 4 / Words == Lane)
          List.push_back({C, 1});
    return ArrayRef<CellRef>(List);
  };
  for (unsigned Lane = 0; Lane < 4 / Words; ++Lane) {
    Effect Of = E;
    Of.Writes = Part(E.Writes, Lane);
    Of.Values = Part(E.Values, Lane);
    Out.push_back(Of);
  }
}

struct EffectsCheck::Flip {
  const Effect *Of = nullptr; ///< null: the next pc
  Cell Only = 0xffff;         ///< of a run for surplus
  bool Memory = false;
  size_t Run = 0;
};

/// Whether anything of it can be seen.
bool EffectsCheck::shows(const Effect &E, ISA Isa) const {
  if (E.Store || (E.Flags & Effect::Flow))
    return true;
  for (CellRef W : E.Writes)
    for (Cell C = W.First; C < W.end(); ++C)
      if (testable(C, Isa))
        return true;
  return false;
}

Expected<Verdict> EffectsCheck::check(const Sample &S, unsigned NumStates,
                                      bool WithSurplus,
                                      std::optional<Sample> Declared) {
  Verdict V;
  const Sample &D = Declared ? *Declared : S;
  const TemplateEffects &T =
      Table.find(D.Isa, logicalOpcode(D), unsigned(D.Bytes.size()),
                 D.ItCondition, D.Bytes);
  V.Known = T.Known;
  if (!T.Known || T.Class == InsnClass::SystemCall ||
      T.Class == InsnClass::ExceptionReturn)
    return V;
  // Those that go to the other instruction set do not find a trap there.
  if (S.Isa == ISA::T32 && S.Bytes == std::vector<uint8_t>{0x78, 0x47})
    return V; // bx pc
  if (T.Class == InsnClass::Call &&
      ((S.Isa == ISA::A32 && S.Bytes[3] >> 1 == 0x7d) ||
       (S.Isa == ISA::T32 && S.Bytes.size() == 4 && !(S.Bytes[3] & 0x10))))
    return V;
  // What is at fs belongs to the probe; clocks answer as they like.
  if (S.Isa == ISA::X86_64)
    for (CellRef R : T.Reads)
      if (R.overlaps({x86cell::FSBase, 3}))
        return V;
  // "it" would make the trap behind it conditional.
  if (S.Isa == ISA::T32 && S.Bytes.size() == 2 && S.Bytes[1] == 0xbf)
    return V;
  const CellMap &Map = Table.cells();
  const std::vector<uint8_t> Code = machineBytes(S);
  Style Y;
  Y.Isa = S.Isa;
  bool HasFlow = false;
  for (const Effect &E : T.Effects) {
    append(Y.Pointers, E.Addresses);
    // str x0, [x0]
    if ((E.Load || E.Store) && E.Addresses.empty())
      append(Y.Pointers, E.Values);
    HasFlow |= E.Flags & Effect::Flow;
  }
  auto reads = [&](const Effect *E, Cell C) {
    auto Has = [C](CellRef R) { return R.contains(C); };
    return any_of(T.Predicate, Has) ||
           (E && (any_of(E->Values, Has) || any_of(E->Addresses, Has)));
  };
  // Which bytes it has nothing to do with; of flags, all or none.
  auto unread = [&](const Effect *E, Cell C) -> uint8_t {
    if (!reads(E, C))
      return 0xff;
    if (E)
      for (CellPart P : E->Parts)
        if (P.Of == C)
          return uint8_t(~P.Bytes);
    return 0;
  };
  std::deque<CellList> Lists;
  std::deque<Effect> Lanes;
  for (const Effect &E : T.Effects)
    splitLanes(E, Lists, Lanes);
  std::set<std::string> Undeclared;
  std::map<std::string, bool> Shown; // what is declared: it showed
  // A flag that is declared to come from its old value, and is always the old
  // one, is not written at all; no flip of what is read shows that.
  auto written = [&](const ProbeState &Before, const ProbeResult &After) {
    for (const Effect &E : T.Effects)
      for (CellRef W : E.Writes)
        for (Cell C = W.First; C < W.end(); ++C)
          if (testable(C, S.Isa) && Map.info(C).Bits &&
              !(E.Flags & Effect::Sticky))
            Shown["writes " + Map.name(C).str()] |=
                differs(C, Before.Lanes, After.Lanes);
  };
  for (unsigned K = 0; K < NumStates; ++K) {
    Y.Small = K % 4 == 1;
    Y.Equal = K % 4 == 2;
    Y.AllPointers = K % 2;
    std::vector<ProbeState> States = {newState(Y)};
    satisfy(States[0], S);
    std::vector<Flip> Flips;
    auto add = [&](Flip F, auto Replaced, bool NewSeed) {
      ProbeState N = States[0], By = newState(Y);
      for (Cell C = 0; C < Map.size(); ++C)
        if (const uint8_t Bytes = Replaced(C); Bytes && testable(C, S.Isa))
          replace(N, C, By, Bytes);
      if (S.Isa == ISA::T32) // the block's state is no cell
        N.Lanes[arm::CPSR] |= States[0].Lanes[arm::CPSR] & 0x0600fc00;
      if (NewSeed)
        N.Seed = By.Seed << 1 | (N.Seed & 1);
      F.Run = States.size();
      States.push_back(N);
      Flips.push_back(F);
    };
    for (const Effect &E : Lanes)
      add(
          {&E}, [&](Cell C) { return unread(&E, C); }, !E.Load);
    if (!HasFlow)
      add(
          {}, [&](Cell C) { return unread(nullptr, C); }, true);
    const size_t NumDeclared = Flips.size();
    if (WithSurplus)
      for (const Effect &E : T.Effects) {
        if (!shows(E, S.Isa))
          continue;
        for (auto List : {E.Values, E.Addresses})
          for (CellRef R : List)
            for (Cell C = R.First; C < R.end(); ++C)
              if (testable(C, S.Isa))
                add(
                    {&E, C},
                    [&](Cell O) -> uint8_t { return O == C ? 0xff : 0; },
                    false);
        if (E.Load)
          add(
              {&E, 0xffff, true}, [](Cell) -> uint8_t { return 0; }, true);
      }
    std::vector<ProbeResult> Results;
    if (Error Err = P.run(Code, S.Isa == ISA::T32, States, Results))
      return Err;
    const ProbeResult &R0 = Results[0];
    if (R0.Signal || R0.NumChanges >= ProbeChanges)
      continue;
    V.Executed = true;
    if (WithSurplus)
      for (size_t I = 0; I < Results.size(); ++I)
        if (!Results[I].Signal)
          written(States[I], Results[I]);
    for (Cell C = 0; C < Map.size(); ++C)
      if (testable(C, S.Isa) && differs(C, States[0].Lanes, R0.Lanes) &&
          none_of(T.Writes, [C](CellRef R) { return R.contains(C); }))
        Undeclared.insert("writes " + Map.name(C).str());
    for (const Effect &E : T.Effects)
      if ((E.Flags & Effect::Copy) && E.Moved.Count)
        if (std::string Not = notMoved(E, States[0], R0, S.Isa); !Not.empty())
          Undeclared.insert("no copy: " + Not);
    if (R0.NumChanges &&
        none_of(T.Effects, [](const Effect &E) { return bool(E.Store); }))
      Undeclared.insert("writes memory");
    for (size_t I = 0; I < Flips.size(); ++I) {
      const Flip &F = Flips[I];
      const ProbeResult &R1 = Results[F.Run];
      if (R1.Signal || R1.NumChanges >= ProbeChanges)
        continue;
      std::string What = differing(F.Of, States[0], R0, States[F.Run], R1, S);
      if (I >= NumDeclared) {
        std::string Read = utostr(uint64_t(F.Of - T.Effects.begin())) +
                           " reads " +
                           (F.Memory ? "memory" : Map.name(F.Only).str());
        Shown[Read] |= !What.empty();
        continue;
      }
      if (What.empty())
        continue;
      // Which of them was it?
      std::vector<ProbeState> Single = {States[0]};
      std::vector<std::string> Names;
      for (Cell C = 0; C < Map.size(); ++C)
        if (const uint8_t Bytes = unread(F.Of, C);
            Bytes && testable(C, S.Isa)) {
          Single.push_back(States[0]);
          replace(Single.back(), C, States[F.Run], Bytes);
          Names.push_back(Map.name(C).str());
        }
      Single.push_back(States[0]);
      Single.back().Seed = States[F.Run].Seed;
      Names.push_back("memory");
      std::vector<ProbeResult> Found;
      if (Error Err = P.run(Code, S.Isa == ISA::T32, Single, Found))
        return Err;
      std::string From;
      for (size_t N = 1; N < Single.size(); ++N)
        if (!Found[N].Signal &&
            !differing(F.Of, Single[0], Found[0], Single[N], Found[N], S)
                 .empty())
          From += " " + Names[N - 1];
      Undeclared.insert(What + " depends on" +
                        (From.empty() ? " something" : From));
    }
  }
  V.Undeclared.assign(Undeclared.begin(), Undeclared.end());
  if (V.Executed)
    for (const auto &[What, Showed] : Shown)
      if (!Showed)
        V.Surplus.push_back(What);
  return V;
}

} // namespace rw::dataflow
