//===- HtmReports.h - What the HTM commands share ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_POWER_HTMREPORTS_H
#define REWIND_COMMANDS_POWER_HTMREPORTS_H

#include "commands/Command.h"
#include "core/formats/TarMember.h"
#include "core/formats/htm/HtmStatistics.h"
#include "llvm/ADT/STLExtras.h"

namespace rw::htm {

/// Decodes the dump \p Path (plain, compressed or in a tar archive) into
/// \p Sink. An error names the file.
llvm::Error decodeFile(llvm::StringRef Path, BatchSink &Sink,
                       DecoderOptions Options, Summary &Sum);

/// Decodes a command's dump: stops when its user says so, and warns if the dump
/// is damaged.
llvm::Error decodeFile(const FileRequest &Request, BatchSink &Sink,
                       Summary &Sum, DecoderOptions Options = {});

void printStatistics(llvm::raw_ostream &OS, const Statistics &S,
                     const Summary &Sum);
/// As text, or as JSON in the envelope of all lists.
void printMix(llvm::raw_ostream &OS, InstructionMix &Mix, uint64_t Limit,
              bool Json = false);
void printBlocks(llvm::raw_ostream &OS, BasicBlocks &Blocks, uint64_t Limit,
                 bool Json = false);
/// "Invalid record: ..." for each of the first problems, and how many more.
void printProblems(llvm::raw_ostream &OS, const Summary &Sum);
/// One line for a damaged dump; nothing for a good one.
void warnOfDamage(const FileRequest &Request, const Summary &Sum);

/// Passes batches on to several sinks.
struct Tee : BatchSink {
  std::vector<BatchSink *> Sinks;
  bool takesBlocks() const override {
    return llvm::all_of(Sinks, [](BatchSink *S) { return S->takesBlocks(); });
  }
  void finish() override {
    for (BatchSink *S : Sinks)
      S->finish();
  }
  llvm::Error batch(const Batch &B) override {
    for (BatchSink *S : Sinks)
      if (llvm::Error E = S->batch(B))
        return E;
    return llvm::Error::success();
  }
};

/// A listing as objects of JSON (JSON Lines).
class JsonListing : public BatchSink {
public:
  JsonListing(llvm::raw_ostream &OS, bool Stamps, uint64_t Limit)
      : OS(OS), Stamps(Stamps), Left(Limit) {}
  llvm::Error batch(const Batch &B) override;

private:
  llvm::raw_ostream &OS;
  bool Stamps;
  uint64_t Left;
};

/// A line per instruction, and per event and stamp if \p Stamps.
class Listing : public BatchSink {
public:
  Listing(llvm::raw_ostream &OS, bool Everything, bool Stamps, uint64_t Limit)
      : OS(OS), Everything(Everything), Stamps(Stamps), Left(Limit) {}
  llvm::Error batch(const Batch &B) override;
  bool cut() const { return Cut; } ///< there was more than the limit

private:
  llvm::raw_ostream &OS;
  bool Everything, Stamps, Cut = false;
  uint64_t Left;
};

} // namespace rw::htm

#endif // REWIND_COMMANDS_POWER_HTMREPORTS_H
