//===- Vcd.cpp - Value change dumps ---------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/Vcd.h"
#include "core/calls/TtuTree.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <cstring>
#include <ctime>

namespace rw {

namespace {

constexpr uint64_t TickUnits = 1000;

/// A signal's short name: its number to the base 94, least digit first, in
/// printable characters.
std::string signalCode(unsigned Number) {
  std::string Code;
  do {
    Code += char('!' + Number % 94);
    Number /= 94;
  } while (Number);
  return Code;
}

/// As the VCD readers that know strings expect them: C escapes, others octal.
std::string escapeString(llvm::StringRef Text) {
  std::string S;
  for (char C : Text) {
    static const char Plain[] = "\a\b\f\n\r\t\v'\"\\?",
                      Escaped[] = "abfnrtv'\"\\?";
    if (const char *P = C ? std::strchr(Plain, C) : nullptr) {
      S += '\\';
      S += Escaped[P - Plain];
    } else if (C > ' ' && C <= '~') {
      S += C;
    } else {
      auto U = static_cast<unsigned char>(C);
      S += '\\';
      S += char('0' + (U >> 6));
      S += char('0' + (U >> 3 & 7));
      S += char('0' + (U & 7));
    }
  }
  return S;
}

struct VcdRegister {
  std::string Name;
  RegisterSlice Slice;
  std::string Code;
};

/// The registers in the order in which a dump lists and tells them.
std::vector<VcdRegister> coreRegisters(const TraceHeader &Header,
                                       const RegisterFile &File) {
  std::vector<VcdRegister> R;
  if (Header.Architecture == Arch::AArch64) {
    for (unsigned I = 0; I < 31; ++I)
      R.push_back({"x" + llvm::utostr(I), {uint16_t(arm::X0 + I), 0, 8}, ""});
    R.push_back({"xsp", {arm::SP, 0, 8}, ""});
    R.push_back({"psr", {arm::CPSR, 0, 4}, ""});
  } else if (Header.Architecture == Arch::Arm) {
    for (unsigned I = 0; I < 13; ++I)
      R.push_back({"r" + llvm::utostr(I), {uint16_t(arm::X0 + I), 0, 4}, ""});
    R.push_back({"r13", {arm::R13, 0, 4}, ""});
    R.push_back({"r14", {arm::R14, 0, 4}, ""});
    R.push_back({"psr", {arm::CPSR, 0, 4}, ""});
  } else if (Header.Can.Registers) {
    for (const RegisterInfo &Info : File.registers())
      if (Info.Set == RegisterSet::General && !Info.IsPC &&
          Info.Container < 0 && Info.Slice.Size <= 8)
        R.push_back({Info.Name, Info.Slice, ""});
  }
  return R;
}

std::vector<VcdRegister> floatRegisters(const TraceHeader &Header,
                                        unsigned Size) {
  std::vector<VcdRegister> R;
  const char *Prefix = Size == 8 ? "d" : "s";
  if (Header.Architecture == Arch::AArch64) {
    for (unsigned I = 0; I < 32; ++I)
      R.push_back(
          {Prefix + llvm::utostr(I), {arm::v(I), 0, uint16_t(Size)}, ""});
  } else if (Header.Architecture == Arch::Arm) {
    unsigned Count = Size == 8 ? 16 : 32, PerVector = 16 / Size;
    for (unsigned I = 0; I < Count; ++I) {
      unsigned Byte = I % PerVector * Size;
      R.push_back({Prefix + llvm::utostr(I),
                   {arm::v(I / PerVector, Byte / 8), uint16_t(Byte % 8),
                    uint16_t(Size)},
                   ""});
    }
  }
  return R;
}

class Writer {
public:
  Writer(const CallQuery &Q, const VcdOptions &Options, llvm::raw_ostream &Out)
      : Q(Q), Options(Options), Out(Out), Header(Q.Store.header()) {}
  llvm::Error run();

private:
  struct ThreadState {
    /// Core, single and double registers: in the order in which they are told.
    std::vector<VcdRegister> Registers;
    std::vector<std::vector<unsigned>> ByLane;
    RegisterState State;
    std::string Cycle, Function, Inst, InstAsm, InstExecuted, PC, MemRW,
        MemAddr, MemData;
    bool Executed = false;
    uint64_t LastPC = ~uint64_t(0), LastOpcode = ~uint64_t(0);
    bool HadAccesses = false;
    std::unique_ptr<TtuCalls> Calls;
    std::optional<TtuCalls::Event> NextChange; ///< but the root's exit
    uint64_t NextChangeTime = 0;
    std::vector<std::string> FunctionStack; ///< as of NextChange
    std::string LastFunction;
    uint64_t LastStart = ~uint64_t(0); ///< of the function
    std::unique_ptr<SiteReader> Sites;
  };

  void declare(ThreadState &T, ThreadIndex Index);
  llvm::Error advanceChange(ThreadState &T);
  llvm::Error moment(ThreadState &T, const Instruction &I);
  void registers(ThreadState &T, llvm::ArrayRef<RegItem> Regs);
  void changedRegister(ThreadState &T, const VcdRegister &R);
  void number(llvm::StringRef Code, unsigned Width, uint64_t Value);
  void fill(llvm::StringRef Code, unsigned Width, char Digit);
  void string(llvm::StringRef Code, llvm::StringRef Text);
  std::string signal(llvm::StringRef Type, unsigned Width,
                     llvm::StringRef Name);
  void tick(uint64_t Time);

  const CallQuery &Q;
  const VcdOptions &Options;
  llvm::raw_ostream &Out;
  const TraceHeader &Header;
  std::vector<std::unique_ptr<ThreadState>> Threads;
  unsigned NumSignals = 0, BusWidth = 64, InstWidth = 32;
  uint64_t Tick = ~uint64_t(0); ///< the first one becomes 0
};

std::string Writer::signal(llvm::StringRef Type, unsigned Width,
                           llvm::StringRef Name) {
  std::string Code = signalCode(NumSignals++);
  Out << "$var " << Type << ' ' << Width << ' ' << Code << ' ' << Name
      << " $end\n";
  return Code;
}

void Writer::declare(ThreadState &T, ThreadIndex Index) {
  std::string Scope = "CPU";
  if (Q.Store.numThreads() > 1) {
    Scope = Index < Header.Threads.size() ? Header.Threads[Index].Name : "";
    if (Scope.empty())
      Scope = "CPU" + llvm::utostr(Index);
    for (char &C : Scope)
      if (!llvm::isAlnum(C) && C != '_')
        C = '_';
  }
  Out << "$scope module " << Scope << " $end\n";
  std::vector<VcdRegister> Core = coreRegisters(Header, Q.Store.registerFile());
  std::vector<VcdRegister> Doubles = floatRegisters(Header, 8);
  std::vector<VcdRegister> Singles = floatRegisters(Header, 4);
  for (auto *Bank : {&Core, &Doubles, &Singles})
    for (VcdRegister &R : *Bank)
      R.Code = signal("integer", 8 * R.Slice.Size, R.Name);
  for (auto *Bank : {&Core, &Singles, &Doubles})
    T.Registers.insert(T.Registers.end(), Bank->begin(), Bank->end());
  for (unsigned I = 0; I < T.Registers.size(); ++I) {
    unsigned Lane = T.Registers[I].Slice.Lane;
    if (T.ByLane.size() <= Lane)
      T.ByLane.resize(Lane + 1);
    T.ByLane[Lane].push_back(I);
  }
  T.Cycle = signal("integer", 32, "Cycle");
  T.Function = signal("string", 1, "Function");
  T.Inst = signal("integer", InstWidth, "Inst");
  T.InstAsm = signal("string", 1, "InstAsm");
  T.InstExecuted = signal("bit", 1, "InstExecuted");
  T.PC = signal("integer", BusWidth, "PC");
  T.MemRW = signal("string", 1, "MemRW");
  T.MemAddr = signal("integer", BusWidth, "MemAddr");
  T.MemData = signal("integer", BusWidth, "MemData");
  Out << "$upscope $end\n";
}

void Writer::number(llvm::StringRef Code, unsigned Width, uint64_t Value) {
  // Eight digits at a time: the product has bit 7 - i of the byte in bit 8 * i
  // + 7.
  char Text[96], *To = Text;
  *To++ = 'b';
  unsigned Odd = Width % 8;
  for (unsigned I = Width; I > Width - Odd; --I)
    *To++ = char('0' + (Value >> (I - 1) & 1));
  for (unsigned I = Width - Odd; I > 0; I -= 8) {
    uint64_t Byte = Value >> (I - 8) & 0xff;
    uint64_t Digits = (Byte * 0x8040201008040201 >> 7 & 0x0101010101010101) |
                      0x3030303030303030;
    llvm::support::endian::write64le(To, Digits);
    To += 8;
  }
  *To++ = ' ';
  Out.write(Text, size_t(To - Text)) << Code << '\n';
}

void Writer::fill(llvm::StringRef Code, unsigned Width, char Digit) {
  Out << 'b' << std::string(Width, Digit) << ' ' << Code << '\n';
}

void Writer::string(llvm::StringRef Code, llvm::StringRef Text) {
  Out << 's' << escapeString(Text) << ' ' << Code << '\n';
}

void Writer::tick(uint64_t Time) {
  Tick = Options.TraceTimestamps ? Time : Tick + 1;
  Out << '#' << Tick * TickUnits << '\n';
}

llvm::Error Writer::advanceChange(ThreadState &T) {
  auto Next = T.Calls->next();
  if (!Next)
    return Next.takeError();
  T.NextChange = *Next;
  if (T.Calls->depth() == 0)
    T.NextChange.reset();
  if (!T.NextChange)
    return llvm::Error::success();
  auto Site = T.Sites->at(T.NextChange->At);
  if (!Site)
    return Site.takeError();
  T.NextChangeTime = Site->Time;
  if (T.NextChange->Entry)
    T.FunctionStack.push_back(Q.Names.at(Site->PC).Name);
  else
    T.FunctionStack.pop_back();
  return llvm::Error::success();
}

void Writer::changedRegister(ThreadState &T, const VcdRegister &R) {
  if (auto Value = T.State.get(R.Slice))
    number(R.Code, 8 * R.Slice.Size, *Value);
}

void Writer::registers(ThreadState &T, llvm::ArrayRef<RegItem> Regs) {
  llvm::SmallVector<unsigned, 16> Changed;
  for (const RegItem &R : Regs) {
    if (R.Lane >= T.State.Value.size())
      continue;
    uint64_t &Value = T.State.Value[R.Lane];
    uint8_t &Known = T.State.Known[R.Lane];
    uint64_t Mask = 0;
    for (unsigned B = 0; B < 8; ++B)
      if (R.Written >> B & 1)
        Mask |= uint64_t(0xff) << 8 * B;
    Value = (Value & ~Mask) | (R.Value & Mask);
    Known = uint8_t((Known | R.Written) & ~R.Unknown);
    if (R.Lane < T.ByLane.size())
      for (unsigned I : T.ByLane[R.Lane]) {
        RegisterSlice S = T.Registers[I].Slice;
        if (R.Written >> S.Offset & ((1u << S.Size) - 1))
          Changed.push_back(I);
      }
  }
  llvm::sort(Changed);
  Changed.erase(std::unique(Changed.begin(), Changed.end()), Changed.end());
  for (unsigned I : Changed)
    changedRegister(T, T.Registers[I]);
}

llvm::Error Writer::moment(ThreadState &T, const Instruction &I) {
  tick(I.Insn.Time);
  number(T.Cycle, 32, I.Insn.Time);
  bool Executed = I.Insn.Flags & InsnItem::Executed;
  if (Executed != T.Executed) {
    Out << (Executed ? '1' : '0') << T.InstExecuted << '\n';
    T.Executed = Executed;
  }
  if (I.Insn.PC != T.LastPC) {
    number(T.PC, BusWidth, I.Insn.PC);
    T.LastPC = I.Insn.PC;
  }
  // The opcode holds only a part of a long x86-64 instruction.
  if (I.Insn.Opcode != T.LastOpcode || I.Insn.Size > 8) {
    if (I.Insn.Flags & InsnItem::OpcodeKnown)
      number(T.Inst, InstWidth, I.Insn.Opcode);
    else
      fill(T.Inst, InstWidth, 'x');
    string(T.InstAsm, Options.Disassemble ? Options.Disassemble(I) : "");
    T.LastOpcode = I.Insn.Opcode;
  }
  if (!Options.TtuStyle) {
    uint64_t Start = Q.Names.at(I.Insn.PC).Start;
    if (Start != T.LastStart) {
      T.LastStart = Start;
      std::string Name = Q.Names.nameOr(Start);
      if (Name != T.LastFunction)
        string(T.Function, T.LastFunction = std::move(Name));
    }
  } else if (T.NextChange && T.NextChangeTime == I.Insn.Time) {
    // One at most, even if a call and what it calls share a time.
    string(T.Function, T.FunctionStack.back());
    if (llvm::Error E = advanceChange(T))
      return E;
  }
  registers(T, I.Regs);

  if (T.HadAccesses && I.Mems.empty()) {
    string(T.MemRW, "");
    fill(T.MemAddr, BusWidth, 'z');
    fill(T.MemData, BusWidth, 'z');
  }
  T.HadAccesses = !I.Mems.empty();
  size_t N = I.Mems.size();
  for (size_t K = 0; K < N; ++K) {
    if (K > 0)
      Out << '#' << Tick * TickUnits + K * TickUnits / N << '\n';
    const MemAccess &M = I.Mems[K];
    string(T.MemRW, M.isWrite() ? "W" : "R");
    number(T.MemAddr, BusWidth, M.Addr);
    uint64_t Value = 0;
    bool Known = !M.Bytes.empty();
    for (size_t B = 0; B < std::min<size_t>(M.Bytes.size(), 8); ++B) {
      size_t Byte =
          Header.Order == ByteOrder::Little ? B : M.Bytes.size() - 1 - B;
      Value |= uint64_t(M.Bytes[Byte]) << 8 * B;
      Known = Known && M.Known[Byte];
    }
    if (Known)
      number(T.MemData, BusWidth, Value);
    else
      fill(T.MemData, BusWidth, 'x');
  }
  return llvm::Error::success();
}

llvm::Error Writer::run() {
  BusWidth = Header.Architecture == Arch::Arm ? 32 : 64;
  InstWidth = Header.Architecture == Arch::X86_64 ? 64 : 32;
  if (Options.Date) {
    std::time_t Now = std::time(nullptr);
    std::tm Local;
    char Text[64];
    localtime_r(&Now, &Local);
    std::strftime(Text, sizeof(Text), "%a %b %e %H:%M:%S %Y", &Local);
    Out << "$date\n" << Text << "\n$end\n";
  }
  const char *Tool = Options.TtuStyle ? "tarmac-vcd" : "rewind";
  Out << "$version\n"
      << Tool << " 0.0\n$end\n$comment\nGenerated by " << Tool
      << ".\n$end\n$timescale 1ps $end\n";
  for (ThreadIndex T = 0; T < Q.Store.numThreads(); ++T) {
    auto &State = *Threads.emplace_back(std::make_unique<ThreadState>());
    declare(State, T);
    if (Q.Store.numInstructions(T) == 0)
      continue;
    if (Options.TtuStyle) {
      State.Calls = std::make_unique<TtuCalls>(Q.Index, T);
      State.Sites = std::make_unique<SiteReader>(Q.Store, T);
      if (llvm::Error E = advanceChange(State))
        return E;
    }
    auto Registers = Q.Store.registersAt(T, 0);
    if (!Registers)
      return Registers.takeError();
    State.State = std::move(*Registers);
  }
  Out << "$enddefinitions $end\n$dumpvars\n";

  // What the trace tells before its first instruction.
  bool Any = false;
  for (auto &T : Threads)
    Any |= llvm::any_of(T->State.Known, [](uint8_t K) { return K != 0; });
  if (Any) {
    tick(0);
    for (auto &T : Threads) {
      number(T->Cycle, 32, 0);
      for (const VcdRegister &R : T->Registers)
        changedRegister(*T, R);
    }
  }
  std::unique_ptr<InstructionCursor> Cursor = Q.Store.cursor(true);
  Cursor->seek(0);
  uint64_t Total = Q.Store.numInstructions();
  while (const Instruction *I = Cursor->next()) {
    if (I->When % 4096 == 0)
      if (llvm::Error E = Q.Watch.step("writing", I->When, Total))
        return E;
    if (I->Thread < Threads.size())
      if (llvm::Error E = moment(*Threads[I->Thread], *I))
        return E;
  }
  if (llvm::Error E = Cursor->takeError())
    return E;
  ++Tick;
  Out << '#' << Tick * TickUnits << "\n$end\n";
  return llvm::Error::success();
}

} // namespace

llvm::Error exportVcd(const CallQuery &Q, const VcdOptions &Options,
                      llvm::raw_ostream &Out) {
  return Writer(Q, Options, Out).run();
}

} // namespace rw
