//===- HtmDecoder.h - Core HTM dumps as instructions ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words (WordWindow) become records, records become groups (what the hardware
// sent for one instruction), and groups become instructions: address, opcode as
// the architecture has it, data addresses, time. Damage costs what is
// physically missing and nothing else; see docs/htm.md for how each kind is
// treated.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_HTMDECODER_H
#define REWIND_FORMATS_HTM_HTMDECODER_H

#include "core/formats/htm/HtmWords.h"
#include "core/formats/htm/Resync.h"
#include "core/formats/htm/WordWindow.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

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

/// What happened between instructions.
struct Event {
  uint32_t Before = 0; ///< index of the instruction in the batch
  Stamp What;
  uint64_t Offset = 0;
  uint64_t Time = 0;
};

/// Where a dump is damaged, or holds what no one understands.
enum class Damage : uint8_t {
  UndefinedStamp,
  ReservedBits,  ///< bits are set that must not be
  UnknownWords,  ///< words that belong to no record
  LostWords,     ///< words of a record are missing
  SurplusWords,  ///< words inside a record that do not belong there
  InvalidHeader, ///< POWER10 header of type 0
  InvalidOpcode, ///< opcode 0
  InvalidRecord, ///< POWER8 record with the valid bit clear
  BadPageSize,
  LongWalk,  ///< a radix walk without end
  NoAddress, ///< instructions before the first address
  Truncated, ///< the dump ends inside a record
  NumKinds
};
const char *describe(Damage D);

struct Problem {
  Damage Kind;
  uint64_t Offset = 0;
  std::string What;
};

/// Counts, kept while decoding.
struct Summary {
  uint64_t Words = 0; ///< bytes / 8
  uint64_t Instructions = 0, P8Instructions = 0;
  uint64_t Stamps[7] = {}; ///< by StampKind
  uint64_t Cycles = 0;     ///< sum of the TIME stamps
  uint64_t Walks = 0, WalkWords = 0;
  uint64_t Unplaced = 0; ///< instructions whose address is not known
  uint64_t Gaps = 0;
  uint64_t DroppedEvents = 0; ///< marks inside one group beyond some thousands
  uint64_t Damages[unsigned(Damage::NumKinds)] = {};
  std::vector<Problem> Problems; ///< the first few
  uint64_t numDamages() const;
};

/// A radix walk as the dump has it.
struct Walk {
  uint64_t Header = 0;
  unsigned Size = 0; ///< entries, without the terminator
  std::array<uint64_t, walk::MaxEntries> Entry;

  bool isData() const { return bit(Header, 0); }
  /// LPID << 20 | PID.
  uint32_t context() const { return uint32_t(bits(Header, 1, 32)); }
  llvm::ArrayRef<uint64_t> entries() const {
    return llvm::ArrayRef(Entry.data(), Size);
  }
};

class Translator; // Translation.h

struct Batch {
  llvm::ArrayRef<Instruction> Instructions;
  llvm::ArrayRef<Event> Events; ///< ascending in Before
};

/// Consumes a decoded dump.
class BatchSink {
public:
  virtual ~BatchSink() = default;
  virtual llvm::Error batch(const Batch &B) = 0;
};

struct DecoderOptions {
  /// If set, walks are completed and joined to the instructions.
  Translator *Translate = nullptr;
  const std::atomic<bool> *Cancel = nullptr;
  std::function<void(uint64_t Bytes)> Progress;
  size_t WindowWords = WordWindow::DefaultWords;
  /// Read the source on another thread (see ReadAhead).
  bool ReadAhead = false;
  unsigned MaxProblems = 100;
  bool KeepTimeStamps = false; ///< TIME stamps are events, too
};

/// Decodes a dump from beginning to end in constant memory, some nanoseconds an
/// instruction. Fails if \p Source or the sink do, or if what it reads is not a
/// dump at all; damage is counted in the summary.
class HtmDecoder {
public:
  HtmDecoder(ByteSource Source, BatchSink &Sink,
             const DecoderOptions &Options = {});
  ~HtmDecoder();
  llvm::Error run();
  const Summary &summary() const { return Sum; }

private:
  static constexpr unsigned BatchSize = 128;
  static constexpr unsigned MaxEvents = 4096;

  llvm::Error decodeRecord(uint64_t W);
  llvm::Error stampOrRecord(uint64_t W);
  unsigned p10Fast(uint64_t W, const uint64_t *Data, size_t Available,
                   uint64_t Offset);
  unsigned p8Fast(uint64_t W, const uint64_t *Data, uint64_t Offset);
  void p8Sequential();
  void p8Jump(uint64_t Iea);
  void fastRun();
  llvm::Error p10Info(uint64_t W);
  llvm::Error p10InfoSlow(uint64_t W);
  llvm::Error p8Info(uint64_t W);
  llvm::Error ieara();
  llvm::Error xlate(uint64_t W);
  llvm::Error unknown();
  llvm::Error flush(bool Last);

  llvm::Error gather(size_t N, const Slots &S, size_t &Got);
  bool stampIsData(size_t I, const Slots &S, size_t Slot) const;
  Lookahead lookAhead(size_t From, size_t Keep = 1);
  Reading recover(uint64_t W, const Slots &S, uint64_t Offset);
  void consume(const Reading &R);
  void stamp(uint64_t W, uint64_t Offset, bool InGroup);
  void startGap();
  void report(Damage D, uint64_t Offset, const llvm::Twine &What);

  Instruction &begin(uint64_t W, uint64_t Offset);
  void finish(Instruction &I);
  void setP10Opcode(Instruction &I, uint32_t Word, bool Branch);
  void resolveAmbiguous(uint64_t NextEA, bool NextKnown);

  WordWindow Window;
  BatchSink &Sink;
  DecoderOptions Options;
  Summary Sum;

  std::unique_ptr<Instruction[]> Insns;
  unsigned Count = 0;
  std::vector<Event> Events;

  // Where we are.
  uint64_t Line = 0, LineRA = NoAddress; ///< POWER10: of the latest IEARA
  bool LineKnown = false, NewLine = false;
  uint64_t NextEA = 0; ///< POWER8: where the next one is without an IEA
  uint64_t LastRA = NoAddress;
  bool NextKnown = false;
  uint8_t LastPageShift = 0;
  uint16_t P8Msr = 0;
  bool P8MsrKnown = false;
  uint64_t Time = 0;
  uint32_t Context = 0;
  bool ContextKnown = false;
  bool Started = false; ///< something of the dump has been seen
  bool GapAfterRecord = false;
  uint64_t GroupEvents = 0;
  uint64_t InstructionsAtGap = 0; ///< before the latest gap
  bool Ambiguous = false; ///< the last instruction may be isel or a branch
  uint64_t UnknownRun = 0, UnknownOffset = 0;
  uint64_t Unplaced = 0, UnplacedOffset = 0;
  std::array<uint64_t, LookaheadWords> AheadWords;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMDECODER_H
