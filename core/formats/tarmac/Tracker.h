//===- Tracker.h - What a chunk needs from those before it ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_TRACKER_H
#define REWIND_FORMATS_TARMAC_TRACKER_H

#include "core/formats/tarmac/LineParser.h"
#include <map>

namespace rw::tarmac {

/// Sees all parsed chunks in file order and finishes their batches: threads and
/// named registers get their final numbers, missing and backward times are
/// filled in, lines that depend on earlier ones are parsed, changes of bank and
/// semihosting calls get their effects. Costs little where none of that occurs.
class Tracker {
public:
  /// \p FirstIsa: of the trace's first instruction, for what precedes it.
  Tracker(const ParserOptions &Options, SharedNames &Names, ISA FirstIsa)
      : Options(Options), Names(Names), Parser(Options, Names),
        FirstIsa(FirstIsa) {}

  /// Completes C.Parsed.Batch.
  void apply(Chunk &C);

  /// What is known when the last chunk has been applied.
  TraceHeader header() const;
  uint64_t instructions() const { return NumInsns; }

private:
  /// An effect to be put between others.
  struct Insertion {
    uint32_t RegIndex, MemIndex, InsnCount;
    size_t Order = 0; ///< among those at one place
    llvm::SmallVector<RegItem, 2> Regs;
    llvm::SmallVector<MemItem, 0> Mems;
  };
  struct Argument { ///< r0/x0 or r1/x1
    uint64_t Value = 0;
    uint8_t Known = 0;
  };
  struct Cpu {
    CpuState State;
    Argument Arguments[2];
  };

  uint8_t thread(const std::string &Name);
  void mapThreads(ParsedChunk &P);
  void mapNames(ParsedChunk &P);
  void publish();
  void fillTimes(ParsedChunk &P);
  void parseDeferred(const Chunk &C, bool Inherited,
                     std::vector<Insertion> &Out);
  void resolveChecks(const ParsedChunk &P, std::vector<Insertion> &Out);
  static void splice(ItemBatch &B, const std::vector<Insertion> &Insertions);
  void mergeStates(const ParsedChunk &P);
  void semihosting(ParsedChunk &P);
  Argument argumentAt(const ItemBatch &B, size_t RegEnd, uint8_t Thread,
                      unsigned Which) const;
  std::optional<uint64_t> wordAt(const ItemBatch &B, size_t MemEnd,
                                 uint64_t Addr, unsigned Size) const;
  void remember(const ItemBatch &B);
  void mergeStatistics(const ParsedChunk &P, uint64_t LineBase,
                       uint64_t OffsetBase);
  void limitLead(ItemBatch &B);

  const ParserOptions Options;
  SharedNames &Names;
  LineParser Parser; ///< for deferred lines
  ParsedChunk DeferredOut;
  const ISA FirstIsa;

  std::vector<Cpu> Cpus;
  std::vector<uint8_t> ThreadOf; ///< of the chunk's local CPU numbers
  uint8_t LastCpu = InheritedCpu;
  uint8_t LastLineKind = 0;
  uint32_t LastAddressColumn = 0;

  NameTable Table;
  bool TableChanged = false;
  uint16_t NextLane = 0;
  std::vector<NamedRegister> Registers;
  std::vector<std::pair<std::string, std::string>> Aliases;

  bool HasTime = false, TimeWentBack = false, UnitsDiffer = false;
  uint64_t LastTime = 0, MaxTime = 0;
  std::string Unit;

  /// The last memory items, a ring.
  std::vector<MemItem> Recent;
  size_t RecentAt = 0;
  /// How many more items semihosting calls may add; grows with every
  /// instruction, so that no trace can make them exceed all measure.
  uint64_t Budget = 0xffff;
  uint64_t NumSemihosting = 0, NumUnfollowed = 0;
  std::string WhyUnfollowed;

  uint64_t NumInsns = 0, NumLines = 0;
  uint32_t LastRegs = 0, LastMems = 0; ///< effects of the last instruction
  std::map<std::string, uint64_t> Ignored;
  std::vector<MalformedLine> Malformed;
  uint64_t NumMalformed = 0;
  uint64_t LoadsLoggedAsWrites = 0, SpecialLanes = 0;
  bool AnyRegs = false, AnyMems = false, MemValues = false;
  bool RealAddresses = false, Opcodes = false;
  bool SawA64 = false, SawA32 = false, SawES = false, SawIT = false;
  bool SawHeader = false;
  uint64_t CutLine = 0; ///< number of the last line, if it was cut
};

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_TRACKER_H
