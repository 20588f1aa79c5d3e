//===- StoreBuilder.h - From a trace to a store -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_STOREBUILDER_H
#define REWIND_STORE_STOREBUILDER_H

#include "core/model/CodePage.h"
#include "core/model/CodeSequence.h"
#include "core/store/SectionWriter.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace rw {

/// Sees every instruction in order while a store is built, with the register
/// state, and may add a section of its own at the end. The call recogniser is
/// one. Runs on the builder's thread: be quick.
class StreamObserver {
public:
  virtual ~StreamObserver() = default;
  /// \p LaneValue and \p LaneKnown are the thread's registers *before* the
  /// instruction; \p Regs and \p Mems are its effects.
  virtual void instruction(Moment When, const InsnItem &Insn,
                           llvm::ArrayRef<RegItem> Regs,
                           llvm::ArrayRef<MemItem> Mems,
                           const uint64_t *LaneValue,
                           const uint8_t *LaneKnown) = 0;
  /// An execution of a whole sequence of \p Code, from \p When on. Calls
  /// instruction() for each unless overridden.
  virtual void sequence(Moment When, const FlowItem &Flow,
                        const CodeTable &Code, const FlowEffects &Effects,
                        const uint64_t *LaneValue, const uint8_t *LaneKnown);
  virtual void event(Moment Before, const EventItem &Event) = 0;
  /// Writes its section or sections. Called once, after the last instruction.
  virtual llvm::Error finish(const TraceHeader &Header, SectionWriter &Out) = 0;
};

/// What a store remembers of the file it was made from, to notice that it is
/// stale.
struct SourceStamp {
  std::string Path; ///< absolute
  uint64_t Size = 0;
  uint64_t MTimeNs = 0;
  uint64_t Digest = 0; ///< of the first and last 64 KiB
  std::string Options; ///< reader options that change the result
  uint64_t Whole = 0;  ///< digest of all bytes of all files; 0: not taken
  static llvm::Expected<SourceStamp> of(llvm::StringRef Path,
                                        llvm::StringRef Options);
};

/// Builds a store from the batches of a reader, in one pass. Memory is bounded
/// by a few segments of items plus twice the memory footprint of the traced
/// program. Encoding runs on other threads. The file is written under a
/// temporary name and renamed by finish(); destroyed before that, it leaves
/// nothing behind.
class StoreBuilder final : public TraceSink {
public:
  struct Options {
    unsigned Threads = 0; ///< for encoding; 0: as many as there are cores
    bool Private = false; ///< the file is nobody else's to read
    /// Where the reader puts them (ReaderOptions::CodePages), if it does.
    std::vector<CodePage> *CodePages = nullptr;
  };
  static llvm::Expected<std::unique_ptr<StoreBuilder>>
  create(llvm::StringRef Path, const SourceStamp &Source, const Options &Opts);
  ~StoreBuilder() override;

  /// Before the first batch. The observer must outlive the builder.
  void addObserver(StreamObserver &O);

  bool takesFlow() const override { return true; }
  llvm::Error consume(ItemBatch &Batch) override;
  llvm::Error finish(const TraceHeader &Header) override;

private:
  StoreBuilder();
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_STORE_STOREBUILDER_H
