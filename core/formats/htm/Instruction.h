//===- Instruction.h - An instruction of a Core HTM dump --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_INSTRUCTION_H
#define REWIND_FORMATS_HTM_INSTRUCTION_H

#include "core/formats/htm/HtmWords.h"

namespace rw::htm {

/// The MSR bits that a dump tells, at their place in the upper 16 bits of the
/// POWER10 MSR word.
enum MsrBits : uint16_t {
  MsrHV = 0x8000,
  MsrPR = 0x4000,
  MsrIR = 0x2000,
  MsrDR = 0x1000,
  MsrEE = 0x0800,
  MsrS = 0x0400,
  MsrTS = 0x0300,
  MsrLE = 0x0080,
  MsrSF = 0x0040
};

struct Instruction {
  enum : uint16_t {
    P10 = 1,
    AddressKnown = 2, ///< EA is known
    MsrKnown = 4,     ///< on POWER8 only HV and IR are
    Prefixed = 8,
    BranchForm = 16,   ///< the dump calls it a branch (isel, mtmsr... too)
    Slb = 32,          ///< Data[0] is an ESID word, DataRA[0] a VSID word
    ContextKnown = 64, ///< LPID and PID are those of the latest walk
    Damaged = 128,     ///< words of its record were lost
    FromIEARA = 256,   ///< first instruction after an IEARA (IEA on POWER8)
    Microcoded = 512,  ///< POWER8
  };
  uint64_t EA;
  uint64_t RA;        ///< NoAddress if not known
  uint64_t Data[2];   ///< effective addresses; NoAddress if lost
  uint64_t DataRA[2]; ///< real addresses; NoAddress if not known
  uint64_t Time;      ///< cycles: the sum of the TIME stamps so far
  uint64_t Offset;    ///< of the INFO word in the dump
  uint32_t Opcode;    ///< architected; of a prefixed instruction the suffix
  uint32_t Context;   ///< LPID << 20 | PID
  uint32_t Prefix;    ///< 0 if there is none
  /// Numbers of walks (Translator::find); 0: none.
  uint32_t Walk, DataWalk[2];
  uint16_t Flags;
  uint16_t Msr;
  uint8_t NumData;
  uint8_t PageShift; ///< log2 of the page size; 0 if not known
  uint8_t DataPageShift[2];

  bool has(uint16_t F) const { return Flags & F; }
  unsigned size() const { return has(Prefixed) ? 8 : 4; }
  uint64_t next() const { return EA + size(); }
};

/// Whether \p I is a branch that does not go on with what is behind it.
bool endsFlow(const Instruction &I);
/// Whether control can go from \p I to \p EA by what its opcode says.
bool canLeadTo(const Instruction &I, uint64_t EA);
/// Whether it can go to the line of the cache that \p EA is in, but not there.
bool missesInLine(const Instruction &I, uint64_t EA);

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_INSTRUCTION_H
