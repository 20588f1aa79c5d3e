//===- McTarget.cpp - LLVM's tables of an instruction set -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/McTarget.h"
#include "core/arch/Targets.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include <mutex>

extern "C" {
#define REWIND_TARGET(T)                                                       \
  void LLVMInitialize##T##TargetInfo();                                        \
  void LLVMInitialize##T##TargetMC();                                          \
  void LLVMInitialize##T##Disassembler();
REWIND_TARGET(AArch64)
REWIND_TARGET(ARM)
REWIND_TARGET(PowerPC)
REWIND_TARGET(X86)
#undef REWIND_TARGET
}

using namespace llvm;

namespace rw {

void initializeTargets() {
  static std::once_flag Once;
  std::call_once(Once, [] {
#define REWIND_TARGET(T)                                                       \
  LLVMInitialize##T##TargetInfo();                                             \
  LLVMInitialize##T##TargetMC();                                               \
  LLVMInitialize##T##Disassembler();
    REWIND_TARGET(AArch64)
    REWIND_TARGET(ARM)
    REWIND_TARGET(PowerPC)
    REWIND_TARGET(X86)
#undef REWIND_TARGET
  });
}

namespace {
struct TargetSpec {
  const char *TripleName, *Cpu, *Features;
};
} // namespace

static TargetSpec specFor(ISA Isa, bool Fallback) {
  if (Fallback)
    return {"thumbv8a-none-eabi", "",
            "+neon,+fp-armv8,+crypto,+hwdiv,+mp,+virtualization,+trustzone"};
  switch (Isa) {
  case ISA::A64:
    return {"aarch64-none-elf", "", "+all"};
  case ISA::A32:
    return {"armv8a-none-eabi", "",
            "+neon,+fp-armv8,+fullfp16,+crypto,+hwdiv-arm,+mp,+virtualization,"
            "+trustzone"};
  case ISA::T32:
    return {"thumbv8.1m.main-none-eabi", "",
            "+thumb2,+hwdiv,+dsp,+mve.fp,+fp-armv8,+lob,+crc,+8msecext"};
  case ISA::PPC64:
    return {"powerpc64-unknown-linux-gnu", "future", ""};
  case ISA::X86_64:
    return {"x86_64-unknown-linux-gnu", "", ""};
  case ISA::Unknown:
    break;
  }
  return {nullptr, nullptr, nullptr};
}

McTarget::~McTarget() = default;

McTarget::McTarget(ISA Isa, bool Fallback) {
  initializeTargets();
  TargetSpec Spec = specFor(Isa, Fallback);
  if (!Spec.TripleName)
    return;
  Name = Triple(Spec.TripleName);
  std::string Problem;
  T = TargetRegistry::lookupTarget(Name, Problem);
  if (!T)
    return;
  Registers.reset(T->createMCRegInfo(Name));
  Asm.reset(T->createMCAsmInfo(*Registers, Name, MCTargetOptions()));
  Subtarget.reset(T->createMCSubtargetInfo(Name, Spec.Cpu, Spec.Features));
  Instructions.reset(T->createMCInstrInfo());
  if (!Asm || !Subtarget || !Instructions)
    return;
  Context = std::make_unique<MCContext>(Name, Asm.get(), Registers.get(),
                                        Subtarget.get());
  resetDecoder();
}

void McTarget::resetDecoder() {
  Decoder.reset(T->createMCDisassembler(*Subtarget, *Context));
}

} // namespace rw
