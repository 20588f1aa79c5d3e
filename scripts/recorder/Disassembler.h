//===- Disassembler.h - LLVM's knowledge of instructions -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_DISASSEMBLER_H
#define REWIND_RECORDER_DISASSEMBLER_H

#include "scripts/recorder/Decoder.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"

namespace rw::record {

/// LLVM's disassembler for one instruction set.
class Disassembler {
public:
  explicit Disassembler(llvm::StringRef Triple);

  /// Fills in the text, and which registers are written in any case.
  void decode(StaticInsn &I, uint64_t PC, const uint8_t *Bytes);

private:
  void addWritten(StaticInsn &I, const llvm::MCInst &Inst);
  void addRegister(StaticInsn &I, llvm::MCRegister R);

  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Assembler;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Decode;
  std::unique_ptr<llvm::MCInstPrinter> Printer;
  llvm::DenseMap<unsigned, int> Known; ///< LLVM's register to ours, or -1
};

} // namespace rw::record

#endif // REWIND_RECORDER_DISASSEMBLER_H
