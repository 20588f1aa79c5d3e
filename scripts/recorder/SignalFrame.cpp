//===- SignalFrame.cpp - What a signal handler finds on its stack ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As the kernel has it in arch/arm64/kernel/signal.c and arch/arm/kernel/
// signal.c: siginfo_t, then ucontext_t with all registers. Of these only what
// the kernel writes is written.
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/LinuxCalls.h"
#include <cstring>

using namespace llvm;
using namespace rw::record;

namespace {
constexpr uint64_t InfoSize = 128, SizeOfMask = 8;

/// Offsets in ucontext_t, and what it is long.
struct Layout {
  unsigned Word, Stack, Mask, Context, Size;
};
constexpr Layout Layout64 = {8, 16, 40, 176, 4560};
constexpr Layout Layout32 = {4, 8, 104, 20, 744};
// These are offsets in struct sigcontext.
constexpr unsigned Registers64 = 8, Pstate64 = 272, Extra64 = 288;
constexpr unsigned Registers32 = 12, Cpsr32 = 76, Fault32 = 80;
constexpr unsigned Extra32 = 232; ///< of ucontext_t
constexpr uint32_t VectorMagic64 = 0x46508001, VectorMagic32 = 0x56465001;
constexpr uint32_t VectorSize64 = 528, VectorSize32 = 288;
constexpr uint64_t CodeSize32 = 16; ///< of retcode, behind ucontext_t

template <class T> void put(std::string &Bytes, size_t At, T Value) {
  memcpy(Bytes.data() + At, &Value, sizeof Value);
}
template <class T> T get(const std::string &Bytes, size_t At) {
  T Value;
  memcpy(&Value, Bytes.data() + At, sizeof Value);
  return Value;
}

/// The If-Then state as the CPSR has it: bits 7:2 at 15:10, 1:0 at 26:25.
uint32_t ifThenBits(uint8_t State) {
  return uint32_t(State >> 2) << 10 | uint32_t(State & 3) << 25;
}
} // namespace

std::string LinuxCalls::signalInfo(const SignalInfo &I) const {
  std::string Bytes(InfoSize, '\0');
  size_t At = G.is64() ? 16 : 12;
  put<int32_t>(Bytes, 0, I.Signal);
  put<int32_t>(Bytes, 8, I.Code);
  bool IsFault = I.Code > 0 && I.Code < 0x80;
  if (IsFault && G.is64()) {
    put<uint64_t>(Bytes, At, I.Address);
  } else if (IsFault) {
    put<uint32_t>(Bytes, At, I.Address);
  } else {
    constexpr int ByTimer = -2;
    put<uint32_t>(Bytes, At, I.Code == ByTimer ? I.Timer : I.Sender);
    put<uint32_t>(Bytes, At + 4,
                  I.Code == ByTimer ? I.Overrun
                  : I.Sender        ? UserNumber
                                    : 0);
    if (G.is64())
      put<uint64_t>(Bytes, At + 8, I.Value);
    else
      put<uint32_t>(Bytes, At + 8, I.Value);
  }
  return Bytes;
}

bool LinuxCalls::pushFrame(const SignalInfo &Info, const SignalAction &A,
                           uint8_t IfThen) {
  Thread &T = *Current;
  const bool Is64 = G.is64();
  const Layout &L = Is64 ? Layout64 : Layout32;
  // AArch32 has a frame without siginfo_t for handlers that do not want it.
  const bool HasInfo = Is64 || (A.Flags & SignalAction::Info);
  uint64_t SPValue = G.sp(), At = SPValue;
  bool OnAlternate = !T.AltStackDisabled && SPValue > T.AltStack &&
                     SPValue - T.AltStack <= T.AltStackSize;
  if ((A.Flags & SignalAction::OnStack) && !T.AltStackDisabled && !OnAlternate)
    At = T.AltStack + T.AltStackSize;

  // A frame record leads unwinders to what was interrupted.
  uint64_t Record = (At & ~15ull) - 16;
  if (Is64)
    At = Record;
  uint64_t Before = HasInfo ? InfoSize : 0;
  At -= Before + L.Size + (Is64 ? 0 : CodeSize32);
  At &= Is64 ? ~15ull : ~7ull;
  uint64_t Context = At + Before;

  // What the kernel writes of ucontext_t: all up to the registers, and the
  // vectors. Ranges of it, by offset.
  std::string U(L.Size, '\0');
  uint32_t StackFlags = T.AltStackDisabled ? 2 : OnAlternate ? 1 : 0;
  SignalSet Mask = T.HasMaskBefore ? T.MaskBefore : T.Mask;
  unsigned Extra, ExtraSize;
  if (Is64) {
    put<uint64_t>(U, L.Stack, T.AltStack);
    put<uint32_t>(U, L.Stack + 8, StackFlags);
    put<uint64_t>(U, L.Stack + 16, T.AltStackSize);
    put<uint64_t>(U, L.Context, Info.Address);
    for (unsigned R = 0; R < 32; ++R)
      put<uint64_t>(U, L.Context + Registers64 + 8 * R, G.read(R).Lo);
    put<uint64_t>(U, L.Context + Registers64 + 8 * 32, T.PC);
    put<uint64_t>(U, L.Context + Pstate64, G.read(CPSR).Lo);
    Extra = L.Context + Extra64;
    ExtraSize = VectorSize64 + 8; // and the end of such records
    put<uint32_t>(U, Extra, VectorMagic64);
    put<uint32_t>(U, Extra + 4, VectorSize64);
    put<uint32_t>(U, Extra + 8, G.read(FPSR).Lo);
    put<uint32_t>(U, Extra + 12, G.read(FPCR).Lo);
    for (unsigned R = 0; R < 32; ++R) {
      RegValue V = G.read(V0 + R);
      put<uint64_t>(U, Extra + 16 + 16 * R, V.Lo);
      put<uint64_t>(U, Extra + 24 + 16 * R, V.Hi);
    }
  } else {
    put<uint32_t>(U, 0, HasInfo ? 0 : 0x5ac3c35a);
    put<uint32_t>(U, L.Stack, T.AltStack);
    put<uint32_t>(U, L.Stack + 4, StackFlags);
    put<uint32_t>(U, L.Stack + 8, T.AltStackSize);
    for (unsigned R = 0; R < 15; ++R)
      put<uint32_t>(U, L.Context + Registers32 + 4 * R, G.read(R).Lo);
    uint32_t Cpsr = uint32_t(G.read(CPSR).Lo) & ~0x20u;
    Cpsr |= ifThenBits(IfThen) | (T.PC & 1 ? 0x20 : 0);
    put<uint32_t>(U, L.Context + Registers32 + 4 * 15, T.PC & ~1ull);
    put<uint32_t>(U, L.Context + Cpsr32, Cpsr);
    put<uint32_t>(U, L.Context + Fault32, Info.Address);
    Extra = Extra32;
    ExtraSize = VectorSize32 + 4;
    put<uint32_t>(U, Extra, VectorMagic32);
    put<uint32_t>(U, Extra + 4, VectorSize32);
    for (unsigned R = 0; R < 32; ++R)
      put<uint64_t>(U, Extra + 8 + 8 * R, G.read(V0 + R).Lo);
    put<uint32_t>(U, Extra + 8 + 256, G.read(FPSR).Lo);
  }
  put<uint64_t>(U, L.Mask, Mask);

  auto Store = [&](uint64_t To, StringRef Bytes) { return !store(To, Bytes); };
  StringRef All(U);
  unsigned Core = Is64 ? L.Context + Extra64 : L.Mask + SizeOfMask;
  if (HasInfo && !Store(At, signalInfo(Info)))
    return false;
  if (!Store(Context, All.take_front(Core)) ||
      !Store(Context + Extra, All.substr(Extra, ExtraSize)))
    return false;
  uint64_t Return = A.Restorer ? A.Restorer : Trampoline;
  if (Is64) {
    uint64_t Words[] = {G.read(29).Lo, G.read(X30).Lo};
    if (!Store(Record, StringRef(reinterpret_cast<char *>(Words), 16)))
      return false;
    G.write(29, Record);
    // Linux/arm64 goes by the vdso, whose code unwinders recognise.
    Return = Trampoline;
  } else if (!A.Restorer) {
    Return = Trampoline + (HasInfo ? 8 : 0);
  }
  G.write(X0, Info.Signal);
  if (A.Flags & SignalAction::Info) {
    G.write(X0 + 1, At);
    G.write(X0 + 2, Context);
  }
  G.write(Is64 ? SP : R13, At);
  G.write(Is64 ? X30 : R14, Return);
  if (!Is64) {
    uint32_t Cpsr = uint32_t(G.read(CPSR).Lo) & ~0x20u;
    G.write(CPSR, Cpsr | (A.Handler & 1 ? 0x20 : 0));
  }
  T.PC = A.Handler;
  return true;
}

bool LinuxCalls::popFrame(bool HasInfo) {
  Thread &T = *Current;
  const bool Is64 = G.is64();
  const Layout &L = Is64 ? Layout64 : Layout32;
  std::string U(L.Size, '\0');
  if (!G.readMemory(G.sp() + (HasInfo ? InfoSize : 0), U.data(), U.size()))
    return false;
  T.Mask = get<uint64_t>(U, L.Mask) & ~(signalBit(9) | signalBit(19));
  if (Is64) {
    for (unsigned R = 0; R < 32; ++R)
      G.write(R, get<uint64_t>(U, L.Context + Registers64 + 8 * R));
    T.PC = get<uint64_t>(U, L.Context + Registers64 + 8 * 32);
    G.write(CPSR, get<uint64_t>(U, L.Context + Pstate64));
    unsigned Extra = L.Context + Extra64;
    if (get<uint32_t>(U, Extra) == VectorMagic64) {
      G.write(FPSR, get<uint32_t>(U, Extra + 8));
      G.write(FPCR, get<uint32_t>(U, Extra + 12));
      for (unsigned R = 0; R < 32; ++R)
        G.writeVector(V0 + R, {get<uint64_t>(U, Extra + 16 + 16 * R),
                               get<uint64_t>(U, Extra + 24 + 16 * R)});
    }
    ReturnedIfThen = 0;
    return true;
  }
  for (unsigned R = 0; R < 15; ++R)
    G.write(R, get<uint32_t>(U, L.Context + Registers32 + 4 * R));
  uint32_t Cpsr = get<uint32_t>(U, L.Context + Cpsr32);
  T.PC = get<uint32_t>(U, L.Context + Registers32 + 4 * 15) & ~1ull;
  T.PC |= Cpsr >> 5 & 1;
  ReturnedIfThen = (Cpsr >> 10 & 0x3f) << 2 | (Cpsr >> 25 & 3);
  // The flags and the instruction set only.
  constexpr uint32_t User = 0xf80f0020;
  G.write(CPSR, (G.read(CPSR).Lo & ~uint64_t(User)) | (Cpsr & User));
  if (get<uint32_t>(U, Extra32) == VectorMagic32) {
    for (unsigned R = 0; R < 32; ++R)
      G.write(V0 + R, get<uint64_t>(U, Extra32 + 8 + 8 * R));
    G.write(FPSR, get<uint32_t>(U, Extra32 + 8 + 256));
  }
  return true;
}
