//===- Synth.h - Random programs and the packets of running them *- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is random machine code; running it decides branches at random and
// writes the packets that a processor would have written, with libipt's
// encoder. So it is known which instructions the packets mean.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_INTELPT_SYNTH_H
#define REWIND_TEST_INTELPT_SYNTH_H

#include "core/formats/intelpt/Recording.h"
#include <map>
#include <random>

namespace rw::intelpt {

/// The build ID of the programs, in hexadecimal digits.
inline constexpr const char *TestBuildId =
    "0123456789abcdef0123456789abcdef01234567";

struct Program {
  enum Kind : uint8_t {
    Plain,
    CondJump,
    Jump,
    Call,
    IndirectJump,
    IndirectCall,
    Return,
    SystemCall,
    PtWrite,
  };
  struct Insn {
    Kind What = Plain;
    uint8_t Size = 1;
    uint64_t Target = 0;
  };
  uint64_t Base = 0;
  std::vector<uint8_t> Code;
  std::map<uint64_t, Insn> Insns;
  std::vector<uint64_t> Entries; ///< of blocks: targets of all branches

  static Program random(unsigned Seed, uint64_t Base = 0x401000,
                        unsigned Blocks = 60);
  /// An ELF file with a build id and the code at Base, which is in its page.
  /// Symbols tell functions that begin at \p Functions, ascending.
  std::string elf(const std::string &BuildId,
                  const std::vector<uint64_t> &Functions = {}) const;
};

struct RunOptions {
  unsigned Seed = 1;
  size_t Instructions = 5000;
  uint32_t PsbBytes = 120;
  unsigned PsbDelay = 0; ///< a PSB comes so many instructions late
  bool CompressReturns = false, LongTnt = false, Timing = true;
  /// A tick of the crystal clock is 512 of the TSC.
  unsigned MtcEvery = 0; ///< instructions
  /// Instructions. The core runs at CbrRatio / NominalRatio of the TSC.
  unsigned CycEvery = 0;
  unsigned CbrRatio = 26, NominalRatio = 13;
  unsigned InterruptEvery = 0; ///< tracing is off for a moment
  unsigned OverflowEvery = 0;  ///< instructions and packets are lost
  uint64_t FirstTsc = 1 << 20;
  double TscPerInsn = 1;
  unsigned Threads = 1;     ///< that share the CPU
  unsigned SwitchEvery = 0; ///< instructions
};

struct Execution {
  std::vector<uint8_t> Packets;
  std::vector<uint64_t> PCs; ///< that the packets tell
  std::vector<uint64_t> PtWrites;
  std::vector<unsigned> Owners; ///< of PCs: thread, from 0
  /// Tid is the thread + 1, Pid 1.
  std::vector<ContextSwitch> Switches;
  size_t Overflows = 0, Interrupts = 0, SystemCalls = 0, Psbs = 0;
  uint64_t EndTsc = 0;
};
Execution run(const Program &P, const RunOptions &Options);

/// One program, and one thread for each execution; its module is \p Elf.
Recording recording(const Program &P, const std::string &Elf,
                    const std::vector<Execution> &Threads);

} // namespace rw::intelpt

#endif // REWIND_TEST_INTELPT_SYNTH_H
