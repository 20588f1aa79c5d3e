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

#include "core/formats/htm/BlockCache.h"
#include "core/formats/htm/Instruction.h"
#include "core/formats/htm/Resync.h"
#include "core/formats/htm/WordWindow.h"
#include "core/formats/ppc/RadixWalk.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace rw::htm {

/// What happened between instructions.
struct Event {
  uint32_t Before = 0; ///< index of the instruction or execution in the batch
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
  ZeroWords,     ///< where records should be
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

/// Instructions that are those of a block.
struct Execution {
  const CodeBlock *Block;
  uint64_t Offset;    ///< of its first word in the dump
  uint64_t Time;      ///< of all its instructions
  uint32_t FirstData; ///< in Batch::Data: the first of Block->NumData
  uint32_t FirstLine; ///< in Batch::Lines, if there are any: of Block->lines()
  uint32_t Context;   ///< LPID << 20 | PID, if ContextKnown
  bool ContextKnown;
};

/// Either instructions or executions, never both.
struct Batch {
  llvm::ArrayRef<Instruction> Instructions;
  llvm::ArrayRef<Execution> Executions;
  llvm::ArrayRef<DataPlace> Data; ///< of all executions, in order
  /// If there is a translator: where all executions' lines begin, in order.
  llvm::ArrayRef<ppc::RealAddress> Lines;
  /// Ascending in Before, which counts whichever of the two there is.
  llvm::ArrayRef<Event> Events;
};

/// Appends the instructions of an execution of \p B to \p Out.
void expand(const Batch &B, const Execution &E, std::vector<Instruction> &Out);

/// Consumes a decoded dump.
class BatchSink {
public:
  virtual ~BatchSink() = default;
  /// Whether batches may have executions. They cost a sink that knows what to
  /// do with a block much less than its instructions.
  virtual bool takesBlocks() const { return false; }
  virtual llvm::Error batch(const Batch &B) = 0;
  /// Called once, after the last batch or an error. Blocks are not there any
  /// more when it returns.
  virtual void finish() {}
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
  llvm::Error run() {
    llvm::Error E = decode();
    Sink.finish();
    return E;
  }
  const Summary &summary() const { return Sum; }

private:
  static constexpr unsigned BatchSize = 128;
  static constexpr unsigned MaxExecutions = 512, MaxData = 2048;
  static constexpr unsigned MaxEvents = 4096;

  llvm::Error decode();
  llvm::Error decodeRecord(uint64_t W);
  llvm::Error stampOrRecord(uint64_t W);
  unsigned p10Fast(uint64_t W, const uint64_t *Data, size_t Available,
                   uint64_t Offset);
  unsigned p8Fast(uint64_t W, const uint64_t *Data, uint64_t Offset);
  void p8Sequential();
  void p8Jump(uint64_t Iea);
  void fastRun();
  llvm::Error knownBlocks();
  void translate(const CodeBlock &B);
  BlockCache::State blockState() const;
  llvm::Error p10Info(uint64_t W);
  llvm::Error p10InfoSlow(uint64_t W);
  llvm::Error p8Info(uint64_t W);
  llvm::Error ieara();
  llvm::Error xlate(uint64_t W);
  llvm::Error unknown();
  llvm::Error flush(bool Last);

  llvm::Error gather(size_t N, const Slots &S, size_t &Got);
  bool realigned();
  void lose();
  void afterLoss();
  bool comesFromBefore(uint64_t EA, bool Addressed) const;
  bool stampIsData(size_t I, const Slots &S, size_t Slot) const;
  Lookahead lookAhead(size_t From, size_t Keep = 1);
  Reading recover(uint64_t W, const Slots &S, uint64_t Offset);
  void consume(const Reading &R);
  void stamp(uint64_t W, uint64_t Offset, bool InGroup);
  void startGap();
  void report(Damage D, uint64_t Offset, const llvm::Twine &What);
  void reportUnplaced();

  Instruction &begin(uint64_t W, uint64_t Offset);
  void finish(Instruction &I);
  void setP10Opcode(Instruction &I, uint32_t Word, bool Branch);
  void resolveAmbiguous(uint64_t NextEA, bool NextKnown);

  WordWindow Window;
  BatchSink &Sink;
  DecoderOptions Options;
  Summary Sum;

  // The batch at hand: Count instructions, or executions.
  std::unique_ptr<Instruction[]> Insns;
  unsigned Count = 0;
  std::vector<Execution> Executions;
  std::unique_ptr<DataPlace[]> Data;
  unsigned NumData = 0;
  llvm::SmallVector<ppc::RealAddress, 0> Lines;
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
  bool CountGap = false; ///< what starts the next gap lost something
  uint64_t GroupEvents = 0;
  uint64_t InstructionsAtGap = 0; ///< before the latest gap
  bool Ambiguous = false; ///< the last instruction may be isel or a branch
  uint64_t UnknownRun = 0, UnknownOffset = 0;
  uint64_t Unplaced = 0, UnplacedOffset = 0;
  uint64_t ZeroRun = 0, ZeroOffset = 0;
  uint64_t InstructionsAtEnd = 0; ///< before tracing ended or paused
  bool LossPending = false;       ///< what comes next comes after a loss
  /// What was before the next instruction, if that is known.
  const Instruction *Before = nullptr;
  Instruction Kept;      ///< *Before when its batch is gone
  uint64_t Follow = 0;   ///< POWER10: the address behind it, if it is no branch
  bool MustJump = false; ///< POWER8: control cannot go on behind it
  std::array<uint64_t, LookaheadWords> AheadWords;
  std::unique_ptr<BlockCache> Blocks; ///< null: the sink does not take them
  CodeBlock *LastBlock = nullptr;     ///< it was just before
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMDECODER_H
