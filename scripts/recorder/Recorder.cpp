//===- Recorder.cpp - Runs a program and writes what it does --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Recorder.h"
#include <algorithm>

using namespace llvm;
using namespace rw::record;

Recorder::Recorder(const Image &I, Guest &G, World &W, TarmacWriter &Writer,
                   CallLog *Calls, uint64_t Limit, bool Verify)
    : G(G), W(W), Writer(Writer), Calls(Calls), Limit(Limit), Decode(G.is64()),
      Linux(G, W, I,
            [this](uint64_t Addr, StringRef Bytes) { noteWrite(Addr, Bytes); }),
      Semihosting(G, W, I, [this](uint64_t Addr, StringRef Bytes) {
        if (this->Verify)
          this->Verify->forget(Addr, Bytes.size());
      }) {
  if (Verify)
    this->Verify = std::make_unique<Verifier>(G, Values);
}

static char stateOf(bool Is64, bool Thumb) {
  return Is64 ? 'O' : Thumb ? 'T' : 'A';
}

void Recorder::onCode(uc_engine *, uint64_t PC, uint32_t Size, void *Self) {
  static_cast<Recorder *>(Self)->begin(PC, Size);
}

void Recorder::begin(uint64_t PC, uint32_t Size) {
  if (Pending)
    finish(PC);
  if (W.Instructions >= Limit) {
    Reason = Stop::Limit;
    uc_emu_stop(G.engine());
    return;
  }
  if (W.Stop && W.Stop->load(std::memory_order_relaxed)) {
    Reason = Stop::Signal;
    uc_emu_stop(G.engine());
    return;
  }
  PendingPC = PC;
  PendingThumb = G.isThumb();
  Pending = &Decode.decode(G, PC, PendingThumb, Size);
  uint8_t Cond = IfThen ? IfThen >> 4 : Pending->Cond;
  PendingHeld = conditionHolds(Cond, Values[CPSR].Lo);
}

void Recorder::onMemory(uc_engine *, uc_mem_type Type, uint64_t Addr, int Size,
                        int64_t Value, void *Self) {
  auto *R = static_cast<Recorder *>(Self);
  if (!R->Pending)
    return;
  uint64_t V = Value;
  if (Size < 8)
    V &= (1ull << (8 * Size)) - 1;
  R->Accesses.push_back({Addr, V, uint8_t(Size), Type == UC_MEM_WRITE,
                         bool(R->Pending->Flags & StaticInsn::Exclusive)});
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
    return R->G.mapMissing(Addr, std::max(Size, 1));
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

void Recorder::writeMemory() {
  if (Pending->Flags & StaticInsn::ZeroBlock) {
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
  } else if (Pending->Flags & StaticInsn::StoreExclusive) {
    // It is emulated by a compare and exchange: the read is not the program's,
    // nor is the write where the store failed.
    bool Failed = G.read(Pending->StatusReg).Lo & 1;
    llvm::erase_if(Accesses,
                   [&](const Access &A) { return Failed || !A.IsWrite; });
  }
  Writer.memory(Accesses);
  if (Verify)
    Verify->accesses(PendingPC, Accesses);
  for (const Access &A : Accesses)
    if (A.IsWrite)
      Decode.written(A.Addr, A.Size);
  Accesses.clear();
}

void Recorder::writeRegisters() {
  for (StaticInsn::RegCheck C : Pending->Regs) {
    RegValue V = G.read(C.Reg);
    if (V == Values[C.Reg] && !(C.Always && PendingHeld) &&
        !(C.Reg == X0 && HasResult))
      continue;
    Values[C.Reg] = V;
    Writer.registerWrite(C.Reg, V);
  }
  if (Verify)
    Verify->registers(PendingPC);
}

void Recorder::writeCall(uint64_t NextPC) {
  bool Link = Pending->Flags & StaticInsn::Link;
  bool Indirect = Pending->Flags & StaticInsn::Indirect;
  if (!Calls || !(Link || Indirect))
    return;
  uint64_t LR = Values[G.is64() ? X30 : R14].Lo;
  Calls->transfer({W.Instructions, PendingPC, NextPC, PendingPC + Pending->Size,
                   G.is64() ? LR : LR & ~1ull, Values[G.is64() ? SP : R13].Lo,
                   Link, Indirect});
}

void Recorder::finish(uint64_t NextPC) {
  uint64_t Behind = PendingPC + Pending->Size;
  bool FellThrough =
      NextPC == Behind && (Pending->Flags & StaticInsn::CondBranch64);
  Writer.instruction({W.Instructions, PendingPC, Pending->Opcode, Pending->Size,
                      stateOf(G.is64(), PendingThumb), PendingHeld, FellThrough,
                      Pending->Text});
  writeMemory();
  writeRegisters();
  if (IfThen)
    IfThen = advanceIfThen(IfThen);
  else if (Pending->Flags & StaticInsn::IfThen)
    IfThen = Pending->Opcode & 0xff;
  // Only the last instruction of an If-Then block may branch.
  bool Jumped = (Pending->Flags & StaticInsn::Jump) && PendingHeld;
  if ((NextPC != Behind || Jumped) && !IfThen) {
    Writer.branch(NextPC, stateOf(G.is64(), G.isThumb()));
    writeCall(NextPC);
  }
  Pending = nullptr;
  HasResult = false;
  ++W.Instructions;
  skipIfThen(Behind, NextPC);
}

// Unicorn does not show the instructions of an If-Then block whose condition
// fails.
void Recorder::skipIfThen(uint64_t PC, uint64_t NextPC) {
  while (IfThen && PC != NextPC && W.Instructions < Limit &&
         !conditionHolds(IfThen >> 4, Values[CPSR].Lo)) {
    uint16_t Half = 0;
    G.readMemory(PC, &Half, 2);
    const StaticInsn &I = Decode.decode(G, PC, true, Half >= 0xe800 ? 4 : 2);
    Writer.instruction(
        {W.Instructions, PC, I.Opcode, I.Size, 'T', false, false, I.Text});
    ++W.Instructions;
    PC += I.Size;
    IfThen = advanceIfThen(IfThen);
  }
}

std::optional<Ending> Recorder::serve(std::string &Failure) {
  uint32_t W = Pending->Opcode;
  bool Semihosted = G.is64()       ? W == 0xd45e0000
                    : PendingThumb ? W == 0xdfab || W == 0xbeab || W == 0xbabc
                                   : (W & 0xffffff) == 0x123456 ||
                                         (W & 0x0fffffff) == 0x010f0070;
  if (Semihosted)
    return Semihosting.call(HasResult);
  if (TrapNumber == Supervisor && !G.isBare()) {
    HasResult = true;
    return Linux.call();
  }
  char Text[160];
  const char *What = TrapNumber == Undefined ? "undefined instruction"
                     : TrapNumber == Supervisor
                         ? "supervisor call in a bare-metal program (--linux?)"
                     : TrapNumber == Breakpoint ? "breakpoint instruction"
                     : TrapNumber == DataAbort || TrapNumber == PrefetchAbort
                         ? "misaligned access"
                         : "unexpected exception";
  snprintf(Text, sizeof Text, "%s %0*x at pc 0x%llx", What, Pending->Size * 2,
           W, (unsigned long long)PendingPC);
  Failure = Text;
  return std::nullopt;
}

Expected<Outcome> Recorder::run(const Image &I) {
  if (!G.isBare())
    if (Error E = Linux.setUp(I))
      return E;
  for (unsigned R = 0; R < NumRegs; ++R) {
    if (!G.is64() && (R == 15 || (R >= 16 && R < V0) || R == FPCR))
      continue;
    Values[R] = G.read(R);
    Writer.registerWrite(R, Values[R]);
  }
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
  uint64_t PC = I.Entry | I.IsThumb;
  while (true) {
    Reason = Stop::None;
    uc_err E = uc_emu_start(G.engine(), PC, /*until=*/~0ull, 0, 0);
    O.Instructions = W.Instructions;
    if (Reason == Stop::Limit || Reason == Stop::Signal) {
      O.Kind = Reason == Stop::Limit ? Outcome::Limit : Outcome::Stopped;
      break;
    }
    uint64_t Next = Pending ? PendingPC + Pending->Size : PC;
    if (Reason != Stop::Trap || !Pending) {
      O.Failure = failure(E);
      // The access that failed did not happen.
      llvm::erase_if(Accesses, [&](const Access &A) {
        return A.Addr <= BadAddr && BadAddr - A.Addr < A.Size;
      });
      if (Pending)
        finish(E == UC_ERR_FETCH_UNMAPPED || E == UC_ERR_FETCH_PROT ? BadAddr
                                                                    : Next);
      break;
    }
    std::optional<Ending> End = serve(O.Failure);
    if (End) {
      O.Kind = Outcome::Exited;
      O.End = *End;
    }
    if (End || !O.Failure.empty()) {
      finish(Next);
      break;
    }
    PC = Next | PendingThumb;
    // Unicorn would run the next instruction under this one's condition.
    if (uint8_t State = advanceIfThen(IfThen); IfThen)
      G.write(CPSR, G.read(CPSR).Lo | (State >> 2) << 10 | (State & 3) << 25);
  }
  O.Instructions = W.Instructions;
  if (Verify) {
    Verify->end();
    if (!Verify->difference().empty()) {
      O.Kind = Outcome::Failed;
      O.Failure = Verify->difference();
    }
  }
  for (const auto *Unknown : {&Linux.unsupported(), &Semihosting.unsupported()})
    for (auto [Number, Count] : *Unknown)
      O.Unsupported.push_back(
          (Unknown == &Linux.unsupported() ? "system call "
                                           : "semihosting operation ") +
          std::to_string(Number) + " (" + std::to_string(Count) + " times)");
  return O;
}

std::string Recorder::failure(uc_err E) const {
  char Text[160];
  uint64_t PC = PendingPC;
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
