//===- McTarget.h - LLVM's tables of an instruction set ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_MCTARGET_H
#define REWIND_ARCH_MCTARGET_H

#include "core/model/Types.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>

namespace llvm {
class Target;
}

namespace rw {

/// What LLVM's MC layer needs to decode an instruction set, with every
/// extension that it knows. Takes some milliseconds to make. Not thread-safe.
struct McTarget {
  /// \p Fallback: T32 of another profile, whose encodings overlap.
  explicit McTarget(ISA Isa, bool Fallback = false);
  ~McTarget();

  /// False: this LLVM lacks it. Then nothing else is set.
  explicit operator bool() const { return Decoder != nullptr; }
  /// Makes a new decoder. The Thumb one remembers IT blocks.
  void resetDecoder();

  const llvm::Target *T = nullptr;
  llvm::Triple Name;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Asm;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Decoder;
};

} // namespace rw

#endif // REWIND_ARCH_MCTARGET_H
