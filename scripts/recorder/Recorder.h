//===- Recorder.h - Runs a program and writes what it does -------*- C++
//-*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_RECORDER_H
#define REWIND_RECORDER_RECORDER_H

#include "scripts/recorder/CallLog.h"
#include "scripts/recorder/Decoder.h"
#include "scripts/recorder/Services.h"
#include "scripts/recorder/TarmacWriter.h"
#include "scripts/recorder/Verifier.h"

namespace rw::record {

/// How a recording ended.
struct Outcome {
  enum { Exited, Limit, Stopped, Failed } Kind = Failed;
  Ending End;          ///< if Exited
  std::string Failure; ///< if Failed: what happened and where
  uint64_t Instructions = 0;
  std::vector<std::string> Unsupported; ///< calls that were refused
};

/// Single use. Each instruction is written when the next one is about to start:
/// by then its effects are known, and whether it branched.
class Recorder {
public:
  Recorder(const Image &I, Guest &G, World &W, TarmacWriter &Writer,
           CallLog *Calls, uint64_t Limit, bool Verify);

  llvm::Expected<Outcome> run(const Image &I);

private:
  enum class Stop { None, Limit, Signal, Trap };

  static void onCode(uc_engine *, uint64_t PC, uint32_t Size, void *Self);
  static void onMemory(uc_engine *, uc_mem_type Type, uint64_t Addr, int Size,
                       int64_t Value, void *Self);
  static bool onBadMemory(uc_engine *, uc_mem_type Type, uint64_t Addr,
                          int Size, int64_t Value, void *Self);
  static void onTrap(uc_engine *, uint32_t Number, void *Self);
  static bool onInvalid(uc_engine *, void *Self);

  void begin(uint64_t PC, uint32_t Size);
  void finish(uint64_t NextPC);
  void skipIfThen(uint64_t PC, uint64_t NextPC);
  void writeMemory();
  void writeRegisters();
  void writeCall(uint64_t NextPC);
  void noteWrite(uint64_t Addr, llvm::StringRef Bytes);
  std::optional<Ending> serve(std::string &Failure);
  std::string failure(uc_err E) const;

  Guest &G;
  World &W;
  TarmacWriter &Writer;
  CallLog *Calls;
  uint64_t Limit;
  Decoder Decode;
  LinuxCalls Linux;
  SemihostingCalls Semihosting;

  RegValue Values[NumRegs];
  std::vector<Access> Accesses;
  std::unique_ptr<Verifier> Verify;

  const StaticInsn *Pending = nullptr;
  uint64_t PendingPC = 0;
  bool PendingThumb = false, PendingHeld = true;
  bool HasResult = false; ///< a call has written its result register
  uint8_t IfThen = 0;

  Stop Reason = Stop::None;
  uint32_t TrapNumber = 0;
  uint64_t BadAddr = 0;
  uc_mem_type BadType = UC_MEM_READ;
};

} // namespace rw::record

#endif // REWIND_RECORDER_RECORDER_H
