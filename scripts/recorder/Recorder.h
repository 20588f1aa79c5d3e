//===- Recorder.h - Runs a program and writes what it does -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_RECORDER_H
#define REWIND_RECORDER_RECORDER_H

#include "scripts/recorder/CallLog.h"
#include "scripts/recorder/Decoder.h"
#include "scripts/recorder/LinuxCalls.h"
#include "scripts/recorder/TarmacWriter.h"
#include "scripts/recorder/Verifier.h"
#include <array>
#include <set>

namespace rw::record {

/// How a recording ended.
struct Outcome {
  enum { Exited, Limit, Stopped, Reached, Failed } Kind = Failed;
  Ending End;                ///< if Exited
  std::string Failure;       ///< if Failed: what happened and where
  uint64_t Instructions = 0; ///< in the trace
  bool Began = true;         ///< else the program never came to where to begin
  std::vector<std::string> Unsupported; ///< calls that are not known
  std::vector<std::string> Refused;     ///< what else it did not get
};

/// What is to be recorded, and how.
struct Plan {
  uint64_t Limit = ~0ull; ///< instructions
  bool Verify = false;
  /// Begin at the first of these addresses; none: at once.
  std::vector<uint64_t> From;
  /// End when the function at one of these, called after that, has returned.
  std::vector<uint64_t> To;
};

/// Single use. Each instruction is written when the next one is about to start:
/// by then its effects are known, and whether it branched.
class Recorder {
public:
  Recorder(const Image &I, Guest &G, World &W, TarmacWriter &Writer,
           CallLog *Calls, Plan P);

  llvm::Expected<Outcome> run(const Image &I);

private:
  enum class Stop {
    None,
    Limit,
    Signal,
    Trap,
    Turn,
    Begin,
    Reached,
    Rewritten
  };

  /// A CPU of the trace: a thread.
  struct Cpu {
    unsigned ThreadId = 0; ///< 0: the trace has had none here
    std::string Name;
    RegValue Values[NumRegs]; ///< what the trace has said
    const StaticInsn *Pending = nullptr;
    StaticInsn Held; ///< it, while the thread waits
    uint64_t PendingPC = 0;
    uint64_t Shown = 0; ///< instructions of it that the trace has
    bool PendingThumb = false, PendingHeld = true;
    bool HasResult = false; ///< a call has written its result register
    bool InCall = false;    ///< which waits
    bool Restored = false;  ///< it has set all registers
    uint8_t IfThen = 0;
  };

  static void onCode(uc_engine *, uint64_t PC, uint32_t Size, void *Self);
  static void onMemory(uc_engine *, uc_mem_type Type, uint64_t Addr, int Size,
                       int64_t Value, void *Self);
  static bool onBadMemory(uc_engine *, uc_mem_type Type, uint64_t Addr,
                          int Size, int64_t Value, void *Self);
  static void onTrap(uc_engine *, uint32_t Number, void *Self);
  static bool onInvalid(uc_engine *, void *Self);

  void stop(Stop R, uint64_t PC);
  void begin(uint64_t PC, uint32_t Size);
  bool reached(uint64_t PC);
  void finish(uint64_t NextPC, bool Executed = true);
  void finishFault(bool Fetch, uint64_t Next);
  void skipIfThen(uint64_t PC, uint64_t NextPC);
  void writeMemory(const StaticInsn *By);
  bool isAhead(const Access &A) const;
  void knowIfThen(uint64_t Written);
  void tellRewritten();
  void writeRegisters();
  void writeChanged();
  void writeCall(uint64_t NextPC);
  void noteWrite(uint64_t Addr, llvm::StringRef Bytes);
  void forget(uint64_t Addr, uint64_t Size);
  void noteShown(const Access &A);
  std::vector<uint64_t> shownPages(uint64_t Addr, uint64_t Size) const;
  std::string place(const Image &I) const;
  bool hasRegister(unsigned R) const {
    return G.is64() || !(R == 15 || (R >= 16 && R < V0) || R == FPCR);
  }

  bool runSlice(Outcome &O);
  void restoreIfThen(uint8_t State);

  // RecorderThreads.cpp
  void startWriting();
  void useThread();
  void setTurn();
  void setCpu();
  void resumeCall();
  void finishCall();
  bool deliverSignals(Outcome &O, bool AtFault);
  bool goOn(Outcome &O);
  bool serveLinux(Outcome &O, uint64_t Next);
  bool becomesSignal(uc_err E);

  std::optional<Ending> serve(std::string &Failure, bool &IsLinux);
  std::string failure(uc_err E) const;

  Guest &G;
  World &W;
  TarmacWriter &Writer;
  CallLog *Calls;
  const Plan Wanted;
  Decoder Decode;
  LinuxCalls Linux;
  SemihostingCalls Semihosting;
  std::unique_ptr<Verifier> Verify;

  std::vector<std::unique_ptr<Cpu>> Cpus;
  Cpu *Now = nullptr;       ///< the one that runs
  Cpu *LastShown = nullptr; ///< whose instruction is the last in the trace
  std::vector<Access> Accesses;
  std::set<uint64_t> ShownPages; ///< the trace has said something of them
  /// Some of them, by the lower bits of their numbers. (Nothing is at 0.)
  std::array<uint64_t, 64> RecentlyShown{};

  bool Writing = false;
  uint64_t Begun = 0;        ///< W.Instructions then
  uint64_t CheckAt = 0;      ///< W.Instructions from which begin() has to look
  bool CanInterrupt = true;  ///< a signal may come before the next instruction
  unsigned ExclusiveFor = 0; ///< instructions since an exclusive load
  bool WroteAhead = false;   ///< maybe to what the engine has translated
  std::vector<Access> Rewritten; ///< that the decoder is still to be told of
  struct {
    const Cpu *Of = nullptr;
    uint64_t Return = 0, SP = 0;
  } LastCall; ///< of Wanted.To

  Stop Reason = Stop::None;
  uint64_t StopPC = 0;
  uint32_t TrapNumber = 0;
  uint64_t BadAddr = 0;
  uc_mem_type BadType = UC_MEM_READ;
};

} // namespace rw::record

#endif // REWIND_RECORDER_RECORDER_H
