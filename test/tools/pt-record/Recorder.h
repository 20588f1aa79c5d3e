//===- Recorder.h - Single-steps a program and tells what it did *- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_TOOLS_PT_RECORD_RECORDER_H
#define REWIND_TEST_TOOLS_PT_RECORD_RECORDER_H

#include "test/tools/pt-record/Branches.h"
#include "test/tools/pt-record/PacketWriter.h"
#include <map>
#include <sys/types.h>
#include <unordered_map>
#include <zlib.h>

namespace rw::ptrecord {

struct RecordOptions {
  std::string Folder;         ///< the bundle
  std::string Start = "main"; ///< a function, an address (0x...), or "entry"
  uint64_t Limit = ~uint64_t(0);
  uint64_t InterruptPeriod = 0; ///< instructions; 0: no interrupts
  bool CopyLibraries = false;
  PacketOptions Packets;
  std::vector<std::string> Command;
};

/// A file of which the program executes something.
struct Module {
  struct Range {
    uint64_t End = 0, FileOffset = 0;
  };
  uint64_t LoadAddress = 0;       ///< the lowest mapped one
  std::map<uint64_t, Range> Code; ///< executable mappings, by address
};

struct RecordedThread {
  uint64_t Instructions = 0, Bytes = 0, SyncPoints = 0;
};

/// Records one run of a program, with ptrace: a step for each instruction, so
/// some 40,000 a second. Threads are followed, each with packets and truth of
/// its own, numbered from 1001 on as they begin, so that a program of one
/// thread always makes the same bundle; fork, exec and code that changes are
/// not supported.
class Recorder {
public:
  explicit Recorder(const RecordOptions &Options) : Options(Options) {}
  ~Recorder();
  /// Writes <number>.ipt, <number>.pcs.gz (the address of each instruction, 8
  /// bytes little endian), the modules, trace.json
  /// and segments.txt (mappings of code: address, size, offset, file).
  llvm::Error run();
  /// By number.
  const std::map<unsigned, RecordedThread> &threads() const { return Finished; }

private:
  struct Thread {
    unsigned Number = 0;
    uint64_t IP = 0, Instructions = 0, NextInterrupt = 0;
    bool EntersHandler = false; ///< the next stop is a handler's beginning
    std::unique_ptr<PacketWriter> Packets;
    gzFile Truth = nullptr;
  };
  /// What a stop of a thread leads to.
  enum class After { Step, StepWithSignal, Finish };

  llvm::Error launch();
  llvm::Error runToStart();
  llvm::Expected<uint64_t> startAddress();
  llvm::Error readModules();
  llvm::Error addThread(pid_t Tid);
  llvm::Error step();
  llvm::Expected<After> stopped(pid_t Tid, int Status);
  llvm::Expected<After> overCpuid(pid_t Tid, After Next);
  llvm::Error stepped(pid_t Tid, Thread &T, uint64_t IP);
  void retire(Thread &T, const Branch &B, uint64_t Next, bool Exited);
  llvm::Error finish(pid_t Tid, bool Exited);
  llvm::Expected<Branch> branchAt(uint64_t IP);
  llvm::Error writeBundle() const;
  llvm::Error copyVdso() const;
  std::string path(const llvm::Twine &Name) const;

  RecordOptions Options;
  pid_t Pid = 0;
  std::string Program; ///< the path that runs
  std::map<pid_t, Thread> Threads;
  std::map<unsigned, RecordedThread> Finished;
  std::map<std::string, Module> Modules; ///< by path; "[vdso]"
  std::unordered_map<uint64_t, Branch> Code;
  uint64_t Instructions = 0;
  /// Where the start function returns to, and the stack pointer then.
  uint64_t StopIP = 0, StopSP = 0;
};

} // namespace rw::ptrecord

#endif // REWIND_TEST_TOOLS_PT_RECORD_RECORDER_H
