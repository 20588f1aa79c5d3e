//===- Recorder.cpp - Runs a program and writes what it does --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Recorder.h"
#include "core/support/Printable.h"
#include <algorithm>

using namespace llvm;
using namespace rw;
using namespace rw::record;

Recorder::Recorder(const Image &I, Guest &G, World &W, TarmacWriter &Writer,
                   CallLog *Calls, Plan P)
    : G(G), W(W), Writer(Writer), Calls(Calls), Wanted(std::move(P)),
      Decode(G.is64()),
      Linux(
          G, W, I,
          [this](uint64_t Addr, StringRef Bytes) { noteWrite(Addr, Bytes); },
          [this](uint64_t Addr, uint64_t Size) { Decode.written(Addr, Size); },
          [this](uint64_t Addr, uint64_t Size) {
            return shownPages(Addr, Size);
          },
          [this, &I] { return place(I); }),
      Semihosting(G, W, I, [this](uint64_t Addr, StringRef Bytes) {
        forget(Addr, Bytes.size());
      }) {
  if (Wanted.Verify)
    Verify = std::make_unique<Verifier>(G);
}

/// Where the current instruction is, as the trace has it.
std::string Recorder::place(const Image &I) const {
  std::string Text;
  if (Writing && Linux.hasThreads())
    Text = std::to_string(Linux.current().Cpu + 1) + ":";
  Text = Writing ? Text + "#" + std::to_string(Now->Shown)
                 : "before the trace begins";
  char PC[40];
  snprintf(PC, sizeof PC, ", pc 0x%llx", (unsigned long long)Now->PendingPC);
  std::string Function = I.functionAt(Now->PendingPC);
  return Text + PC + (Function.empty() ? "" : " in " + printable(Function));
}

/// Memory of which the trace says nothing has changed.
void Recorder::forget(uint64_t Addr, uint64_t Size) {
  if (Verify)
    Verify->forget(Addr, Size);
  Decode.written(Addr, Size);
}

void Recorder::noteShown(const Access &A) {
  for (uint64_t At : {A.Addr, A.Addr + A.Size - 1}) {
    const uint64_t Page = Guest::pageDown(At);
    uint64_t &Recent =
        RecentlyShown[Page / Guest::PageSize % RecentlyShown.size()];
    if (Recent == Page)
      continue;
    ShownPages.insert(Page);
    Recent = Page;
  }
}

std::vector<uint64_t> Recorder::shownPages(uint64_t Addr, uint64_t Size) const {
  auto Begin = ShownPages.lower_bound(Addr), End = Begin;
  while (End != ShownPages.end() && *End - Addr < Size)
    ++End;
  return {Begin, End};
}

static char stateOf(bool Is64, bool Thumb) {
  return Is64 ? 'O' : Thumb ? 'T' : 'A';
}

void Recorder::onCode(uc_engine *, uint64_t PC, uint32_t Size, void *Self) {
  static_cast<Recorder *>(Self)->begin(PC, Size);
}

void Recorder::stop(Stop R, uint64_t PC) {
  Reason = R;
  StopPC = PC;
  uc_emu_stop(G.engine());
}

void Recorder::begin(uint64_t PC, uint32_t Size) {
  if (Now->Pending)
    finish(PC);
  // A turn does not end where it would make a store exclusive fail, nor in an
  // If-Then block.
  constexpr unsigned LongestExclusive = 100;
  if (W.Instructions >= CheckAt) {
    if (Writing && W.Instructions - Begun >= Wanted.Limit)
      return stop(Stop::Limit, PC);
    if (!G.isBare() && !Now->IfThen &&
        (!ExclusiveFor || ExclusiveFor > LongestExclusive) &&
        (W.Instructions >= Linux.turnEnd() ||
         (CanInterrupt && (!Writing || LastShown == Now) && Linux.hasSignal())))
      return stop(Stop::Turn, PC);
  }
  if (W.Stop && W.Stop->load(std::memory_order_relaxed))
    return stop(Stop::Signal, PC);
  if (!Writing) {
    if (llvm::is_contained(Wanted.From, PC))
      return stop(Stop::Begin, PC);
  } else if (!Wanted.To.empty() && reached(PC)) {
    return stop(Stop::Reached, PC);
  }
  // The engine cannot stop in an If-Then block: it executes what was there.
  if (WroteAhead && !Now->IfThen)
    return stop(Stop::Rewritten, PC);
  Now->PendingPC = PC;
  Now->PendingThumb = G.isThumb();
  Now->Pending = &Decode.decode(G, PC, Now->PendingThumb, Size);
  uint8_t Cond = Now->IfThen ? Now->IfThen >> 4 : Now->Pending->Cond;
  Now->PendingHeld = conditionHolds(Cond, Now->Values[CPSR].Lo);
}

/// Whether the function where the recording ends has returned.
bool Recorder::reached(uint64_t PC) {
  if (!LastCall.Of && llvm::is_contained(Wanted.To, PC))
    LastCall = {Now, G.read(G.is64() ? X30 : R14).Lo & ~uint64_t(!G.is64()),
                G.sp()};
  return LastCall.Of == Now && PC == LastCall.Return && G.sp() >= LastCall.SP;
}

void Recorder::onMemory(uc_engine *, uc_mem_type Type, uint64_t Addr, int Size,
                        int64_t Value, void *Self) {
  auto *R = static_cast<Recorder *>(Self);
  if (!R->Now->Pending)
    return;
  if (R->Now->IfThen && Type == UC_MEM_WRITE)
    R->knowIfThen(Addr);
  uint64_t V = Value;
  if (Size < 8)
    V &= (1ull << (8 * Size)) - 1;
  R->Accesses.push_back({Addr, V, uint8_t(Size), Type == UC_MEM_WRITE,
                         bool(R->Now->Pending->Flags & StaticInsn::Exclusive)});
}

/// Before a write in an If-Then block to what may be instructions of it:
/// decodes those that are still to come, as the engine has translated them.
void Recorder::knowIfThen(uint64_t Written) {
  constexpr uint64_t Longest = 4 * 4;
  uint64_t PC = Now->PendingPC;
  if (Written + Longest < PC || Written > PC + Longest)
    return;
  for (uint8_t State = Now->IfThen; State; State = advanceIfThen(State)) {
    uint16_t Half = 0;
    G.readMemory(PC, &Half, 2);
    PC += Decode.decode(G, PC, true, Half >= 0xe800 ? 4 : 2).Size;
  }
}

/// Instructions that were written in an If-Then block are new from here on.
void Recorder::tellRewritten() {
  for (const Access &A : Rewritten)
    Decode.written(A.Addr, A.Size);
  Rewritten.clear();
}

void Recorder::noteWrite(uint64_t Addr, StringRef Bytes) {
  // In the sizes that an instruction would have used.
  for (size_t At = 0; At < Bytes.size();) {
    unsigned Size = 8;
    while (Size > Bytes.size() - At || (Addr + At) % Size)
      Size /= 2;
    uint64_t V = 0;
    memcpy(&V, Bytes.data() + At, Size);
    Accesses.push_back({Addr + At, V, uint8_t(Size), true, false});
    At += Size;
  }
}

bool Recorder::onBadMemory(uc_engine *, uc_mem_type Type, uint64_t Addr,
                           int Size, int64_t, void *Self) {
  auto *R = static_cast<Recorder *>(Self);
  bool Unmapped = Type == UC_MEM_READ_UNMAPPED ||
                  Type == UC_MEM_WRITE_UNMAPPED ||
                  Type == UC_MEM_FETCH_UNMAPPED;
  if (R->G.isBare() && Unmapped && Type != UC_MEM_FETCH_UNMAPPED)
    return R->G.memory().mapMissing(Addr, std::max(Size, 1));
  R->BadAddr = Addr;
  R->BadType = Type;
  return false;
}

// Unicorn forgets where it was if an instruction is resumed from inside a hook,
// so each trap is served outside of uc_emu_start.
void Recorder::onTrap(uc_engine *E, uint32_t Number, void *Self) {
  auto *R = static_cast<Recorder *>(Self);
  R->Reason = Stop::Trap;
  R->TrapNumber = Number;
  uc_emu_stop(E);
}

namespace {
enum Trap : uint32_t {
  Undefined = 1,
  Supervisor = 2,
  PrefetchAbort = 3,
  DataAbort = 4,
  Breakpoint = 7
};
}

bool Recorder::onInvalid(uc_engine *E, void *Self) {
  onTrap(E, Undefined, Self);
  return true;
}

/// Whether a write may lie on what follows the current instruction in the
/// engine's translation. The engine would go on with what was there before.
bool Recorder::isAhead(const Access &A) const {
  // A translation ends with its page; its last instruction may reach behind it.
  const uint64_t Begin = Now->PendingPC + Now->Pending->Size;
  const uint64_t End = Guest::pageDown(Now->PendingPC) + Guest::PageSize + 2;
  return A.Addr < End && A.Addr + A.Size > Begin;
}

/// \p By: the instruction; null if it is the kernel's doing.
void Recorder::writeMemory(const StaticInsn *By) {
  if (By && (By->Flags & StaticInsn::ZeroBlock)) {
    // Unicorn shows it as single bytes, some of them twice.
    if (!Accesses.empty()) {
      uint64_t Low = Accesses[0].Addr, High = Low;
      for (const Access &A : Accesses) {
        Low = std::min(Low, A.Addr);
        High = std::max(High, A.Addr);
      }
      Accesses.clear();
      for (uint64_t A = Low; A < High; A += 8)
        Accesses.push_back({A, 0, 8, true, false});
    }
  } else if (By && (By->Flags & StaticInsn::StoreExclusive)) {
    // It is emulated by a compare and exchange: the read is not the program's,
    // nor is the write where the store failed.
    bool Failed = G.read(By->StatusReg).Lo & 1;
    llvm::erase_if(Accesses,
                   [&](const Access &A) { return Failed || !A.IsWrite; });
  }
  if (Writing) {
    Writer.memory(Accesses);
    if (Verify)
      Verify->accesses(Now->PendingPC, Accesses);
  }
  for (const Access &A : Accesses) {
    if (Writing)
      noteShown(A);
    if (!A.IsWrite)
      continue;
    WroteAhead |= By && isAhead(A);
    if (Now->IfThen && WroteAhead)
      Rewritten.push_back(A);
    else
      Decode.written(A.Addr, A.Size);
  }
  Accesses.clear();
}

void Recorder::writeRegisters() {
  const bool Held = Now->PendingHeld;
  for (StaticInsn::RegCheck C : Now->Pending->Regs) {
    RegValue V = G.read(C.Reg);
    if (V == Now->Values[C.Reg] && !(C.Always && Held) &&
        !(C.Reg == X0 && Now->HasResult))
      continue;
    Now->Values[C.Reg] = V;
    Writer.registerWrite(C.Reg, V);
  }
  if (Now->Restored)
    writeChanged();
  else if (Verify)
    Verify->registers(Now->PendingPC, Now->Values);
}

/// What the kernel has changed.
void Recorder::writeChanged() {
  for (unsigned R = 0; R < NumRegs; ++R) {
    if (!hasRegister(R))
      continue;
    RegValue V = G.read(R);
    if (V == Now->Values[R])
      continue;
    Now->Values[R] = V;
    Writer.registerWrite(R, V);
  }
  if (Verify)
    Verify->registers(Now->PendingPC, Now->Values);
}

void Recorder::writeCall(uint64_t NextPC) {
  const StaticInsn &I = *Now->Pending;
  bool Link = I.Flags & StaticInsn::Link;
  bool Indirect = I.Flags & StaticInsn::Indirect;
  if (!Calls || !(Link || Indirect))
    return;
  uint64_t LR = Now->Values[G.is64() ? X30 : R14].Lo;
  Calls->transfer({W.Instructions - Begun, Now->PendingPC, NextPC,
                   Now->PendingPC + I.Size, G.is64() ? LR : LR & ~1ull,
                   Now->Values[G.is64() ? SP : R13].Lo, Link, Indirect});
}

void Recorder::finish(uint64_t NextPC, bool Executed) {
  const StaticInsn &I = *Now->Pending;
  uint64_t Behind = Now->PendingPC + I.Size;
  bool FellThrough = NextPC == Behind && (I.Flags & StaticInsn::CondBranch64);
  if (Writing) {
    Writer.instruction({W.Instructions - Begun, Now->PendingPC, I.Opcode,
                        I.Size, stateOf(G.is64(), Now->PendingThumb),
                        Now->PendingHeld && Executed, FellThrough, I.Text});
    LastShown = Now;
    ++Now->Shown;
  }
  writeMemory(&I);
  if (!Executed) {
    Now->Pending = nullptr;
    ++W.Instructions;
    return;
  }
  if (Writing)
    writeRegisters();
  else if (Now->IfThen || (I.Flags & StaticInsn::IfThen))
    Now->Values[CPSR] = G.read(CPSR);
  if (Now->IfThen)
    Now->IfThen = advanceIfThen(Now->IfThen);
  else if (I.Flags & StaticInsn::IfThen)
    Now->IfThen = I.Opcode & 0xff;
  // Only the last instruction of an If-Then block may branch.
  bool Jumped = (I.Flags & StaticInsn::Jump) && Now->PendingHeld;
  if (Writing && (NextPC != Behind || Jumped) && !Now->IfThen) {
    Writer.branch(NextPC, stateOf(G.is64(), G.isThumb()));
    writeCall(NextPC);
  }
  constexpr uint16_t Branches = StaticInsn::Link | StaticInsn::Indirect |
                                StaticInsn::Jump | StaticInsn::CondBranch64;
  // An endless loop may be one branch only.
  CanInterrupt =
      NextPC == Now->PendingPC || (NextPC == Behind && !(I.Flags & Branches));
  if (I.Flags & StaticInsn::Exclusive)
    ExclusiveFor = !(I.Flags & StaticInsn::StoreExclusive);
  else if (ExclusiveFor)
    ++ExclusiveFor;
  Now->Pending = nullptr;
  Now->HasResult = Now->Restored = false;
  ++W.Instructions;
  skipIfThen(Behind, NextPC);
}

// Unicorn does not show the instructions of an If-Then block whose condition
// fails.
void Recorder::skipIfThen(uint64_t PC, uint64_t NextPC) {
  while (Now->IfThen && PC != NextPC &&
         !(Writing && W.Instructions - Begun >= Wanted.Limit) &&
         !conditionHolds(Now->IfThen >> 4, Now->Values[CPSR].Lo)) {
    uint16_t Half = 0;
    G.readMemory(PC, &Half, 2);
    const StaticInsn &I = Decode.decode(G, PC, true, Half >= 0xe800 ? 4 : 2);
    if (Writing)
      Writer.instruction({W.Instructions - Begun, PC, I.Opcode, I.Size, 'T',
                          false, false, I.Text});
    Now->Shown += Writing;
    ++W.Instructions;
    PC += I.Size;
    Now->IfThen = advanceIfThen(Now->IfThen);
  }
}

std::optional<Ending> Recorder::serve(std::string &Failure, bool &IsLinux) {
  uint32_t Code = Now->Pending->Opcode;
  bool Semihosted =
      G.is64() ? Code == 0xd45e0000
      : Now->PendingThumb
          ? Code == 0xdfab || Code == 0xbeab || Code == 0xbabc
          : (Code & 0xffffff) == 0x123456 || (Code & 0x0fffffff) == 0x010f0070;
  if (Semihosted)
    return Semihosting.call(Now->HasResult);
  IsLinux = TrapNumber == Supervisor && !G.isBare();
  if (IsLinux)
    return std::nullopt;
  char Text[160];
  const char *What = TrapNumber == Undefined ? "undefined instruction"
                     : TrapNumber == Supervisor
                         ? "supervisor call in a bare-metal program (--linux?)"
                     : TrapNumber == Breakpoint ? "breakpoint instruction"
                     : TrapNumber == DataAbort || TrapNumber == PrefetchAbort
                         ? "misaligned access"
                         : "unexpected exception";
  snprintf(Text, sizeof Text, "%s %0*x at pc 0x%llx", What,
           Now->Pending->Size * 2, Code, (unsigned long long)Now->PendingPC);
  Failure = Text;
  return std::nullopt;
}

static bool isFetch(uc_err E) {
  return E == UC_ERR_FETCH_UNMAPPED || E == UC_ERR_FETCH_PROT;
}

/// A jump to where nothing may be fetched (\p Fetch) was made. All others that
/// fault were begun and have done nothing but what they wrote elsewhere.
void Recorder::finishFault(bool Fetch, uint64_t Next) {
  llvm::erase_if(Accesses, [&](const Access &A) {
    return !A.IsWrite || (A.Addr <= BadAddr && BadAddr - A.Addr < A.Size);
  });
  finish(Fetch ? BadAddr : Next, /*Executed=*/Fetch);
}

/// A program's fault: becomes a signal if it has a handler for that.
bool Recorder::becomesSignal(uc_err E) {
  enum { Ill = 4, TrapSignal = 5, Bus = 7, Segv = 11 };
  if (G.isBare() || !Now->Pending)
    return false;
  int Signal = 0, Code = 1;
  uint64_t Addr = Now->PendingPC;
  const bool Fetch = isFetch(E);
  if (Reason == Stop::Trap) {
    Signal = TrapNumber == Undefined    ? Ill
             : TrapNumber == Breakpoint ? TrapSignal
             : TrapNumber == DataAbort || TrapNumber == PrefetchAbort ? Bus
                                                                      : 0;
  } else if (Fetch || E == UC_ERR_READ_UNMAPPED || E == UC_ERR_READ_PROT ||
             E == UC_ERR_WRITE_UNMAPPED || E == UC_ERR_WRITE_PROT) {
    Signal = Segv;
    Code = Linux.memory().isMapped(BadAddr) ? 2 : 1; // SEGV_ACCERR, _MAPERR
    Addr = BadAddr;
  }
  if (!Signal || !Linux.fault(Signal, Code, Addr))
    return false;
  const uint64_t Next = Fetch ? BadAddr : Now->PendingPC | Now->PendingThumb;
  finishFault(Fetch, Next);
  Linux.current().PC = Fetch ? Next | Now->PendingThumb : Next;
  return true;
}

Expected<Outcome> Recorder::run(const Image &I) {
  if (!G.isBare())
    if (Error E = Linux.setUp(I))
      return E;
  useThread();
  if (Wanted.From.empty())
    startWriting();
  uc_hook Hook;
  auto Add = [&](int Type, auto *Function) {
    return uc_hook_add(G.engine(), &Hook, Type, (void *)Function, this, 1, 0);
  };
  if (Add(UC_HOOK_CODE, onCode) ||
      Add(UC_HOOK_MEM_READ_AFTER | UC_HOOK_MEM_WRITE, onMemory) ||
      Add(UC_HOOK_MEM_INVALID, onBadMemory) || Add(UC_HOOK_INTR, onTrap) ||
      Add(UC_HOOK_INSN_INVALID, onInvalid))
    return createStringError(inconvertibleErrorCode(),
                             "cannot watch the emulator");

  Outcome O;
  uint64_t &PC = Linux.current().PC;
  PC = I.Entry | I.IsThumb;
  while (runSlice(O))
    ;
  O.Began = Writing;
  O.Instructions = Writing ? W.Instructions - Begun : 0;
  if (Verify && Writing) {
    Verify->end();
    if (!Verify->difference().empty()) {
      O.Kind = Outcome::Failed;
      O.Failure = Verify->difference();
    }
  }
  O.Unsupported = Linux.unsupported();
  for (auto [Number, Count] : Semihosting.unsupported())
    O.Unsupported.push_back("semihosting operation " + std::to_string(Number) +
                            " (" + std::to_string(Count) + " times)");
  O.Refused = Linux.refusals();
  return O;
}

/// Lets the current thread run until something is to be done, and does it.
/// False: the recording is over, and \p O says why.
bool Recorder::runSlice(Outcome &O) {
  Thread &T = Linux.current();
  setTurn();
  Reason = Stop::None;
  WroteAhead = false;
  tellRewritten();
  uc_err E = uc_emu_start(G.engine(), T.PC, /*until=*/~0ull, 0, 0);
  switch (Reason) {
  case Stop::Limit:
    O.Kind = Outcome::Limit;
    return false;
  case Stop::Signal:
    O.Kind = Outcome::Stopped;
    return false;
  case Stop::Reached:
    O.Kind = Outcome::Reached;
    return false;
  case Stop::Begin:
    T.PC = StopPC | G.isThumb();
    startWriting();
    return true;
  case Stop::Turn:
    T.PC = StopPC | G.isThumb();
    return goOn(O);
  case Stop::Rewritten:
    // Started again, the engine translates what is in memory now.
    T.PC = StopPC | G.isThumb();
    return true;
  case Stop::Trap:
  case Stop::None:
    break;
  }
  Cpu &C = *Now;
  uint64_t Next = C.Pending ? C.PendingPC + C.Pending->Size : T.PC;
  if (Reason != Stop::Trap || !C.Pending) {
    O.Failure = failure(E);
    if (becomesSignal(E))
      return deliverSignals(O, /*AtFault=*/true) && goOn(O);
    if (C.Pending)
      finishFault(isFetch(E), Next);
    return false;
  }
  bool IsLinux = false;
  std::optional<Ending> End = serve(O.Failure, IsLinux);
  if (IsLinux)
    return serveLinux(O, Next | C.PendingThumb) && goOn(O);
  if (!O.Failure.empty() && becomesSignal(E))
    return deliverSignals(O, /*AtFault=*/true) && goOn(O);
  if (End) {
    O.Kind = Outcome::Exited;
    O.End = *End;
  }
  if (End || !O.Failure.empty()) {
    finish(Next, /*Executed=*/O.Failure.empty());
    return false;
  }
  T.PC = Next | C.PendingThumb;
  restoreIfThen(advanceIfThen(C.IfThen));
  return true;
}

/// Unicorn would run the next instruction under this one's condition.
void Recorder::restoreIfThen(uint8_t State) {
  if (Now->IfThen)
    G.write(CPSR, G.read(CPSR).Lo | (State >> 2) << 10 | (State & 3) << 25);
}

std::string Recorder::failure(uc_err E) const {
  char Text[160];
  uint64_t PC = Now->PendingPC;
  const char *Verb = nullptr;
  switch (E) {
  case UC_ERR_READ_UNMAPPED:
  case UC_ERR_READ_PROT:
    Verb = "read from";
    break;
  case UC_ERR_WRITE_UNMAPPED:
  case UC_ERR_WRITE_PROT:
    Verb = "wrote to";
    break;
  case UC_ERR_FETCH_UNMAPPED:
  case UC_ERR_FETCH_PROT:
    Verb = "jumped to";
    break;
  default:
    break;
  }
  if (Verb)
    snprintf(Text, sizeof Text,
             "the program %s 0x%llx, which it may not, at pc 0x%llx", Verb,
             (unsigned long long)BadAddr, (unsigned long long)PC);
  else
    snprintf(Text, sizeof Text, "the emulator stopped at pc 0x%llx: %s",
             (unsigned long long)PC, uc_strerror(E));
  return Text;
}
