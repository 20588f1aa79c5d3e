//===- RandomTrace.cpp - Made-up traces for property tests ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomTrace.h"
#include "core/arch/RegisterFile.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <unordered_map>

using namespace rw;
using namespace llvm;

std::string TraceKnobs::describe() const {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "length " << Length << ", threads " << Threads << ", shape "
     << int(Shape) << ", static " << StaticInsns << ", named lanes "
     << NamedLanes << ", registers " << Registers << ", memory " << Memory
     << ", values " << Values << ", heap " << HeapBytes << ", wrap "
     << WrapAround << ", unknown " << UnknownBytes << ", no value " << NoValue
     << ", implied " << ImpliedWrites << ", outside " << OutsideChanges
     << ", initial " << InitialRegs << '/' << InitialMems << ", time "
     << int(Time) << ", lines " << Lines << ", events " << Events;
  return Text;
}

TraceKnobs rw::randomKnobs(uint64_t Seed, uint64_t Length) {
  Rng R(Seed * 7919 + 17);
  auto Maybe = [&](double P) {
    switch (R.below(4)) {
    case 0:
      return P;
    case 1:
      return P / 10;
    default:
      return 0.0;
    }
  };
  TraceKnobs K;
  K.Length = Length;
  K.Threads = R.chance(0.5) ? 1 : R.between(2, 4);
  K.ThreadRun = R.chance(0.3) ? 1 : R.between(2, 300);
  K.Shape = ProgramShape(R.below(4));
  K.StaticInsns = R.chance(0.3) ? R.between(1, 8) : R.between(20, 2000);
  K.Architecture =
      R.pick(std::vector<Arch>{Arch::AArch64, Arch::AArch64, Arch::Arm,
                               Arch::PPC64, Arch::PPC64LE, Arch::X86_64});
  K.SkippedInsns = Maybe(0.2);
  K.SelfModifying = Maybe(0.05);
  K.EffectVariation = Maybe(0.5);
  K.EffectsWhenSkipped = Maybe(1);
  K.Registers = R.chance(0.9);
  K.NamedLanes = R.chance(0.5) ? 0 : R.between(1, 230);
  K.PartialLanes = Maybe(0.7);
  K.UnknownRegBytes = Maybe(0.1);
  K.InferredRegs = Maybe(0.5);
  K.OtherThreadsRegs = Maybe(0.05);
  K.InitialRegs = R.chance(0.5) ? 0 : R.between(1, 100);
  K.Memory = R.chance(0.9);
  K.Values = R.chance(0.9);
  K.HeapBytes = uint64_t(1) << R.between(4, 24);
  K.Unaligned = Maybe(0.5);
  K.PageCrossing = Maybe(0.2);
  K.WrapAround = Maybe(0.2);
  K.Exclusive = Maybe(0.1);
  K.UnknownBytes = Maybe(0.3);
  K.NoValue = Maybe(0.3);
  K.ImpliedWrites = Maybe(0.01);
  K.OutsideChanges = Maybe(0.1);
  K.InitialMems = R.chance(0.5) ? 0 : R.between(1, 500);
  K.RealAddresses = R.chance(0.3);
  K.Garbage = R.chance(0.3);
  K.Time = TimeShape(R.below(6));
  K.Lines = R.chance(0.7);
  K.Events = Maybe(0.05);
  return K;
}

namespace {

enum class Place { Stack, Array, Heap };

/// A register or memory effect that a static instruction usually has.
struct RegEffect {
  uint16_t Lane;
  uint8_t Mask;
  unsigned Behaviour; ///< how the value changes
};
struct MemEffect {
  bool Write;
  unsigned Size;
  Place Where;
  uint64_t Base;
  uint64_t Stride;
};
struct StaticInsn {
  uint64_t PC;
  uint64_t Opcode;
  uint8_t Size;
  ISA Isa;
  bool OpcodeKnown;
  std::vector<RegEffect> Regs;
  std::vector<MemEffect> Mems;
};

struct ThreadState {
  uint64_t At = 0; ///< index of the next static instruction
  uint64_t LoopBegin = 0, LoopEnd = 0, Iterations = 0;
  std::vector<uint64_t> Returns;
  uint64_t SP = 0;
};

class Generator {
public:
  Generator(RandomTrace &T, const TraceKnobs &K, uint64_t Seed)
      : T(T), K(K), R(Seed), Threads(K.Threads) {}
  void run();

private:
  void makeHeader();
  void makeProgram();
  void step(ThreadState &S);
  void instruction(unsigned Thread);
  void setTime(InsnItem &I);
  void addReg(const RegEffect &E, unsigned Thread);
  void addMem(const MemEffect &E, ThreadState &S);
  void addAccess(uint64_t Addr, unsigned Size, uint8_t Flags);
  void addSemihostingCall();
  void addEvent(uint64_t Before);
  uint64_t anyAddress(unsigned Size);
  RegEffect anyRegEffect();
  MemEffect anyMemEffect();
  uint8_t &byteAt(uint64_t Addr);

  RandomTrace &T;
  const TraceKnobs &K;
  Rng R;
  std::vector<StaticInsn> Program;
  std::vector<ThreadState> Threads;
  std::vector<uint16_t> Lanes;
  std::unordered_map<uint64_t, uint8_t> Memory; ///< as it really is
  std::unordered_map<uint32_t, uint64_t> LaneValues;
  uint64_t Clock = 0;
  static constexpr uint64_t HeapBase = 0x20000000;
};

} // namespace

uint8_t &Generator::byteAt(uint64_t Addr) {
  auto [It, New] = Memory.try_emplace(Addr);
  if (New)
    It->second = Rng(Addr).next();
  return It->second;
}

void Generator::makeHeader() {
  TraceHeader &H = T.Header;
  H.Format = "random";
  H.Architecture = K.Architecture;
  H.Order = R.chance(0.2) ? ByteOrder::Big : ByteOrder::Little;
  H.TimeUnit = K.Time == TimeShape::None ? "" : "clk";
  H.Can.Registers = K.Registers;
  H.Can.MemAddresses = K.Memory;
  H.Can.MemValues = K.Memory && K.Values;
  H.Can.RealAddresses = K.Memory && K.RealAddresses;
  H.Can.Opcodes = true;
  H.Can.Time = K.Time != TimeShape::None;
  H.Can.Lines = K.Lines;
  for (unsigned I = 0; I < K.Threads; ++I)
    H.Threads.push_back({K.Threads == 1 ? "" : "cpu" + std::to_string(I),
                         K.Threads == 1 ? 1 : 10 * I + 7});
  H.Ignored = {{"BR", 12}, {"", R.next()}};
  H.Malformed = {{17, 170, "a register name"}, {0, ~uint64_t(0), ""}};
  H.NumMalformed = R.below(1000);
  H.TotalLines = R.next();
  H.Notes = {{"dialect", "random"}, {"empty", ""}};

  RegisterFile File(K.Architecture, {});
  uint16_t Lane = File.numLanes();
  for (const RegisterInfo &I : File.registers())
    if (!I.IsPC && I.Slice.Lane < 400)
      Lanes.push_back(I.Slice.Lane);
  for (unsigned I = 0; I < K.NamedLanes && Lane < 400; ++I) {
    NamedRegister N;
    N.Name = "sysreg_" + std::to_string(I);
    N.Lane = Lane;
    N.Size = R.chance(0.2) ? 16 : R.between(1, 8);
    Lane += N.Size > 8 ? 2 : 1;
    H.NamedRegisters.push_back(N);
    Lanes.push_back(N.Lane);
    if (N.Size > 8)
      Lanes.push_back(N.Lane + 1);
  }
  if (Lanes.empty())
    Lanes.push_back(0);
}

RegEffect Generator::anyRegEffect() {
  RegEffect E;
  E.Lane = R.chance(0.5) ? Lanes[R.below(std::min<size_t>(8, Lanes.size()))]
                         : R.pick(Lanes);
  E.Mask = 0xff;
  if (R.chance(K.PartialLanes))
    E.Mask = R.chance(0.5) ? 0x0f : R.between(1, 255);
  E.Behaviour = R.below(4);
  return E;
}

MemEffect Generator::anyMemEffect() {
  static const std::vector<unsigned> Sizes = {1, 2, 4, 4, 8, 8, 8, 16};
  static const std::vector<unsigned> OddSizes = {3, 5, 6, 7, 12, 24, 32, 64};
  MemEffect E;
  E.Write = R.chance(0.5);
  E.Size = R.chance(0.05) ? R.pick(OddSizes) : R.pick(Sizes);
  E.Where = Place(R.below(3));
  E.Base = R.below(K.HeapBytes);
  E.Stride = R.chance(0.5) ? E.Size : R.below(64);
  return E;
}

void Generator::makeProgram() {
  uint64_t PC = R.chance(0.2)   ? 0
                : R.chance(0.2) ? 0xffffffff80000000
                                : 0x400000 + R.below(1 << 20);
  ISA Isa = K.Architecture == Arch::X86_64 ? ISA::X86_64
            : K.Architecture == Arch::PPC64 || K.Architecture == Arch::PPC64LE
                ? ISA::PPC64
            : K.Architecture == Arch::Arm ? ISA::T32
                                          : ISA::A64;
  uint64_t Size = K.Shape == ProgramShape::Straight
                      ? std::min<uint64_t>(K.Length, 50000) + 1
                      : K.StaticInsns;
  for (uint64_t I = 0; I < Size; ++I) {
    StaticInsn N;
    if (Isa == ISA::X86_64)
      N.Size = R.between(1, 15);
    else if (Isa == ISA::T32)
      N.Size = R.chance(0.5) ? 2 : 4;
    else
      N.Size = Isa == ISA::PPC64 && R.chance(0.02) ? 8 : 4;
    if (Isa != ISA::X86_64)
      PC = (PC + 1) & ~uint64_t(1);
    N.PC = PC;
    PC += N.Size;
    if (R.chance(0.03))
      PC += R.below(R.chance(0.3) ? uint64_t(1) << 40 : 4096);
    N.Isa = Isa;
    N.Opcode = N.Size >= 8 ? R.next() : R.below(uint64_t(1) << 8 * N.Size);
    N.OpcodeKnown = !R.chance(0.02);
    if (K.Registers)
      for (unsigned J = R.below(3); J-- > 0;)
        N.Regs.push_back(anyRegEffect());
    if (K.Memory && R.chance(0.4))
      for (unsigned J = R.chance(0.1) ? R.between(2, 16) : 1; J-- > 0;)
        N.Mems.push_back(anyMemEffect());
    Program.push_back(N);
  }
}

void Generator::step(ThreadState &S) {
  uint64_t Size = Program.size();
  ++S.At;
  switch (K.Shape) {
  case ProgramShape::Loops:
    if (S.At < S.LoopEnd)
      return;
    if (S.Iterations-- > 0) {
      S.At = S.LoopBegin;
      return;
    }
    S.LoopBegin = R.below(Size);
    S.LoopEnd = std::min(Size, S.LoopBegin + R.between(1, 30));
    S.Iterations = R.chance(0.1) ? R.below(5000) : R.below(20);
    S.At = S.LoopBegin;
    return;
  case ProgramShape::Calls:
    if (S.At >= Size || R.chance(0.1)) {
      if (!S.Returns.empty() && R.chance(0.5)) {
        S.At = S.Returns.back();
        S.Returns.pop_back();
      } else {
        if (S.Returns.size() < 100)
          S.Returns.push_back(S.At % Size);
        S.At = R.below(Size) / 10 * 10; // a function's entry
      }
    }
    S.At %= Size;
    return;
  case ProgramShape::Straight:
    S.At %= Size;
    return;
  case ProgramShape::Chaos:
    S.At = R.below(Size);
    return;
  }
}

void Generator::setTime(InsnItem &I) {
  bool Told = true;
  uint64_t Time = 0;
  switch (K.Time) {
  case TimeShape::None:
    return;
  case TimeShape::Constant:
    Time = Clock += 10;
    break;
  case TimeShape::Irregular:
    Clock += R.chance(0.3) ? 0 : R.below(R.chance(0.01) ? 1000000 : 20);
    Time = Clock;
    break;
  case TimeShape::Missing:
    Time = Clock += R.below(5);
    Told = T.Insns.empty() ? !R.chance(0.1) : R.chance(0.5);
    break;
  case TimeShape::GoesBack:
    Time = Clock += R.below(5);
    if (R.chance(0.1))
      Time -= std::min(Time, R.below(100));
    break;
  case TimeShape::Huge:
    Clock += R.chance(0.01) ? R.below(uint64_t(1) << 50) : R.below(3);
    Time = Clock + (uint64_t(1) << 63);
    break;
  }
  if (Told) {
    I.Time = Time;
    I.Flags |= InsnItem::TimeKnown;
  } else if (!T.Insns.empty()) {
    I.Time = T.Insns.back().Time;
  }
}

void Generator::addReg(const RegEffect &E, unsigned Thread) {
  RegItem I;
  I.Lane = E.Lane;
  I.Written = E.Mask;
  I.Thread = Thread;
  if (K.Threads > 1 && R.chance(K.OtherThreadsRegs))
    I.Thread = R.below(K.Threads);
  uint64_t &Value = LaneValues[uint32_t(I.Thread) << 16 | I.Lane];
  switch (E.Behaviour) {
  case 0:
    Value += R.below(3) * 8; // a counter or pointer, sometimes the same again
    break;
  case 1:
    Value = R.next();
    break;
  case 2:
    Value = R.below(4);
    break;
  default:
    Value = HeapBase + R.below(K.HeapBytes);
    break;
  }
  if (R.chance(K.UnknownRegBytes))
    I.Unknown = I.Written & (R.chance(0.5) ? 0xff : R.below(256));
  for (unsigned B = 0; B < 8; ++B)
    if ((I.Written & ~I.Unknown) >> B & 1)
      I.Value |= Value & uint64_t(0xff) << 8 * B;
  if (!T.Insns.empty() && R.chance(K.InferredRegs))
    I.Flags = uint8_t(R.below(4));
  T.Regs.push_back(I);
}

uint64_t Generator::anyAddress(unsigned Size) {
  uint64_t Addr = HeapBase + R.below(K.HeapBytes);
  if (R.chance(0.5)) // some bytes are popular
    Addr = HeapBase + R.below(std::min<uint64_t>(K.HeapBytes, 64));
  if (R.chance(K.PageCrossing))
    Addr = HeapBase + 4096 * R.between(1, 4) - R.below(Size + 1);
  else if (!R.chance(K.Unaligned))
    Addr -= Addr % (Size & -Size);
  if (R.chance(K.WrapAround))
    Addr = R.below(32) - 20;
  return Addr;
}

void Generator::addMem(const MemEffect &E, ThreadState &S) {
  uint64_t Addr = 0;
  switch (E.Where) {
  case Place::Stack:
    if (R.chance(0.3))
      S.SP += R.chance(0.5) ? 16 : -16;
    if (S.SP % 16 || S.SP > 0x7ffff000 || S.SP < 0x7fff0000)
      S.SP = 0x7fffe000;
    Addr = S.SP + E.Base % 64 / E.Size * E.Size;
    break;
  case Place::Array:
    Addr = HeapBase + (E.Base + E.Stride * R.below(64)) % K.HeapBytes;
    if (!R.chance(K.Unaligned))
      Addr -= Addr % (E.Size & -E.Size);
    break;
  case Place::Heap:
    Addr = anyAddress(E.Size);
    break;
  }
  uint8_t Flags = E.Write ? MemItem::Write : 0;
  if (R.chance(K.Exclusive))
    Flags |= MemItem::Exclusive;
  if (!K.Values || R.chance(K.NoValue))
    Flags |= MemItem::NoValue;
  addAccess(Addr, E.Size, Flags);
}

void Generator::addAccess(uint64_t Addr, unsigned Size, uint8_t Flags) {
  bool Write = Flags & MemItem::Write;
  bool SomeUnknown = R.chance(K.UnknownBytes);
  uint64_t Real = ~uint64_t(0);
  if (K.RealAddresses && !R.chance(0.1))
    Real = Addr ^ 0x8000000000 ^ (R.chance(0.2) ? 0x10000 : 0); // remapped
  for (unsigned Done = 0; Done < Size; Done += 8) {
    MemItem I;
    I.Addr = Addr + Done;
    I.Size = std::min(8u, Size - Done);
    I.Flags = Flags | (Done ? MemItem::Joined : 0);
    I.Real = Real == ~uint64_t(0) ? Real : Real + Done;
    I.Known = Flags & MemItem::NoValue ? 0 : 0xff >> (8 - I.Size);
    if (SomeUnknown)
      I.Known &= R.next();
    bool Fresh = R.chance(0.7);
    for (unsigned B = 0; B < I.Size; ++B) {
      uint8_t &Byte = byteAt(I.Addr + B);
      if (Write ? Fresh : R.chance(K.OutsideChanges))
        Byte = R.chance(0.2) ? 0 : R.next();
      if (K.Garbage || (I.Known >> B & 1))
        I.Value |= uint64_t(Byte) << 8 * B;
    }
    T.Mems.push_back(I);
  }
}

/// A call that may have filled a buffer; the trace does not tell.
void Generator::addSemihostingCall() {
  uint64_t Addr = anyAddress(1);
  uint64_t Size = R.chance(0.1) ? R.between(1, 4000) : R.between(1, 40);
  for (uint64_t Done = 0; Done < Size; Done += 8) {
    MemItem I;
    I.Addr = Addr + Done;
    I.Real = ~uint64_t(0);
    I.Size = std::min<uint64_t>(8, Size - Done);
    I.Flags = MemItem::Write | MemItem::NoValue | MemItem::Implied;
    if (Done)
      I.Flags |= MemItem::Joined;
    for (unsigned B = 0; B < I.Size; ++B)
      if (R.chance(0.5))
        byteAt(I.Addr + B) = R.next();
    T.Mems.push_back(I);
  }
}

void Generator::addEvent(uint64_t Before) {
  static const std::vector<std::string> Texts = {
      "", "CoreEvent_LOOK", "SVC (SVC 64)", "ctx switch", "\xff\x01 \n odd"};
  RandomTrace::Event E;
  E.Before = Before;
  E.Item.Kind = EventKind(R.below(7));
  E.Item.Thread = R.below(K.Threads);
  E.Item.PC = R.chance(0.3) ? ~uint64_t(0) : R.pick(Program).PC;
  E.Item.Value = R.chance(0.5) ? R.below(100) : R.next();
  E.Item.Text = R.pick(Texts);
  if (R.chance(0.02))
    E.Item.Text.assign(R.below(5000), 'x');
  T.Events.push_back(E);
}

void Generator::instruction(unsigned Thread) {
  ThreadState &S = Threads[Thread];
  const StaticInsn &N = Program[S.At];
  InsnItem I;
  I.PC = N.PC;
  I.Opcode = N.OpcodeKnown ? N.Opcode : 0;
  I.Size = N.Size;
  I.Isa = N.Isa;
  I.Thread = Thread;
  I.Flags = InsnItem::Executed | (N.OpcodeKnown ? InsnItem::OpcodeKnown : 0);
  if (R.chance(K.SelfModifying)) {
    I.Opcode ^= 1 + R.below(2);
    I.Flags |= InsnItem::OpcodeKnown;
    if (R.chance(0.3))
      I.Size ^= 6;
    if (R.chance(0.3))
      I.Isa = ISA(R.below(6));
  }
  if (R.chance(K.SkippedInsns))
    I.Flags &= ~InsnItem::Executed;
  setTime(I);

  size_t RegsBefore = T.Regs.size(), MemsBefore = T.Mems.size();
  if ((I.Flags & InsnItem::Executed) || R.chance(K.EffectsWhenSkipped)) {
    for (const RegEffect &E : N.Regs)
      if (!R.chance(K.EffectVariation))
        addReg(E, Thread);
    for (const MemEffect &E : N.Mems)
      if (!R.chance(K.EffectVariation))
        addMem(E, S);
    if (K.Registers && R.chance(K.EffectVariation))
      addReg(anyRegEffect(), Thread);
    if (K.Memory && R.chance(K.EffectVariation))
      addMem(anyMemEffect(), S);
    if (K.Memory && R.chance(K.ImpliedWrites))
      addSemihostingCall();
  }
  I.NumRegs = T.Regs.size() - RegsBefore;
  I.NumMems = T.Mems.size() - MemsBefore;
  I.Lines = K.Lines ? 1 + I.NumRegs + I.NumMems : 0;
  if (K.Lines && R.chance(0.05))
    I.Lines += R.below(10); // comments, events
  T.Insns.push_back(I);
  step(S);
}

void Generator::run() {
  makeHeader();
  makeProgram();
  for (ThreadState &S : Threads)
    S.At = R.below(Program.size());

  unsigned Thread = 0;
  if (K.Registers)
    for (unsigned I = 0; I < K.InitialRegs; ++I)
      addReg(anyRegEffect(), R.below(K.Threads));
  if (K.Memory)
    for (unsigned I = 0; I < K.InitialMems; ++I)
      addMem(anyMemEffect(), Threads[0]);
  T.InitialRegs = T.Regs.size();
  T.InitialMems = T.Mems.size();
  T.InitialLines = K.Lines ? R.below(20) : 0;

  uint64_t Offset = T.InitialLines * RandomTrace::BytesPerLine;
  for (uint64_t I = 0; I < K.Length; ++I) {
    if (R.chance(1.0 / K.ThreadRun))
      Thread = R.below(K.Threads);
    while (R.chance(K.Events))
      addEvent(I);
    T.Offsets.push_back(Offset);
    instruction(Thread);
    Offset += std::max(1u, T.Insns.back().Lines) * RandomTrace::BytesPerLine;
  }
  if (R.chance(0.5))
    addEvent(K.Length);
}

RandomTrace::RandomTrace(const TraceKnobs &Knobs, uint64_t Seed) {
  Generator(*this, Knobs, Seed).run();
}

Error RandomTrace::feed(TraceSink &Sink, const BatchCut &Cut,
                        uint64_t StopBefore) const {
  Rng R(Cut.Seed);
  ItemBatch Batch;
  uint64_t Line = 0, Room = R.below(Cut.MaxInsns + 1);
  size_t NextEvent = 0;

  auto Flush = [&]() -> Error {
    if (Error E = Sink.consume(Batch))
      return E;
    Batch.clear();
    Batch.FileOffset = Cut.FileOffsets ? Line * BytesPerLine : 0;
    Room = R.below(Cut.MaxInsns + 1);
    return Error::success();
  };
  auto AddLines = [&](uint32_t N) {
    (Batch.Insns.empty() ? Batch.LeadLines : Batch.Insns.back().Lines) += N;
    Line += N;
  };
  auto AddEvents = [&](uint64_t Before) {
    for (; NextEvent < Events.size() && Events[NextEvent].Before == Before;
         ++NextEvent) {
      Batch.Events.push_back(Events[NextEvent].Item);
      Batch.Events.back().Before = Batch.Insns.size();
    }
  };
  // Adds the effects of one instruction, or those before the first one.
  auto AddEffects = [&](uint64_t FirstReg, uint32_t NumRegs, uint64_t FirstMem,
                        uint32_t NumMems, uint32_t NumLines) -> Error {
    for (uint32_t I = 0; I < NumRegs + NumMems; ++I) {
      if (Cut.WithinInsns && R.chance(0.5 / (Cut.MaxInsns + 1)))
        if (Error E = Flush())
          return E;
      bool Lead = Batch.Insns.empty();
      if (I < NumRegs) {
        Batch.Regs.push_back(Regs[FirstReg + I]);
        Lead ? ++Batch.LeadRegs : ++Batch.Insns.back().NumRegs;
      } else {
        Batch.Mems.push_back(Mems[FirstMem + I - NumRegs]);
        Lead ? ++Batch.LeadMems : ++Batch.Insns.back().NumMems;
      }
      if (NumLines) {
        AddLines(1);
        --NumLines;
      }
    }
    AddLines(NumLines);
    return Error::success();
  };

  if (Error E = AddEffects(0, InitialRegs, 0, InitialMems, InitialLines))
    return E;
  uint64_t FirstReg = InitialRegs, FirstMem = InitialMems;
  for (uint64_t M = 0; M < Insns.size(); ++M) {
    if (M == StopBefore)
      return Error::success();
    AddEvents(M);
    while (Batch.Insns.size() >= Room && R.chance(0.9))
      if (Error E = Flush())
        return E;
    const InsnItem &I = Insns[M];
    Batch.Insns.push_back(I);
    Batch.Insns.back().NumRegs = Batch.Insns.back().NumMems = 0;
    Batch.Insns.back().Lines = 0;
    if (I.Lines)
      AddLines(1);
    else
      ++Line; // a binary trace has bytes, too
    if (Error E = AddEffects(FirstReg, I.NumRegs, FirstMem, I.NumMems,
                             I.Lines ? I.Lines - 1 : 0))
      return E;
    FirstReg += I.NumRegs;
    FirstMem += I.NumMems;
  }
  AddEvents(Insns.size());
  if (Error E = Sink.consume(Batch))
    return E;
  return Sink.finish(Header);
}
