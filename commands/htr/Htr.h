//===- Htr.h - What the htr commands have in common -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_HTR_HTR_H
#define REWIND_COMMANDS_HTR_HTR_H

#include "commands/support/Format.h"
#include "commands/support/Options.h"
#include "core/htr/HtrFile.h"
#include "core/htr/HtrRun.h"
#include "core/htr/LoopPaths.h"

namespace rw {

using htr::BlockId;
using htr::BlockInfo;
using htr::BlockKind;
using htr::HtrFile;
using htr::UnitRange;

/// The layers kept beside the store. If there are none (or not of this state of
/// the store), the default passes are run first, with a remark. Where the
/// session may keep no files, its memory keeps them.
llvm::Expected<std::shared_ptr<HtrFile>> openHtr(Session &S);

/// Runs passes and keeps the result beside the store, if it may and the store
/// has a file. Where it cannot be kept: an Error before the work if \p
/// MustKeep, else a warning.
llvm::Expected<std::shared_ptr<HtrFile>>
computeHtr(Session &S, const htr::RunOptions &Options, bool MustKeep);

/// "17" or "B17".
llvm::Expected<BlockId> parseBlock(const HtrFile &File, llvm::StringRef Text);
/// The layers, and the block that the command's first argument names.
struct OpenedBlock {
  std::shared_ptr<HtrFile> File;
  BlockId Id = 0;
};
llvm::Expected<OpenedBlock> openBlock(Session &S, const ParsedOptions &O);
/// A layer's number, "top", or the name of its pass (the uppermost of that
/// name).
llvm::Expected<unsigned> parseLayer(const HtrFile &File, llvm::StringRef Text);

std::string percent(double Part, double Whole); ///< "12.3%"
std::string blockLabel(BlockId B);              ///< "B17"
llvm::StringRef blockKindName(BlockKind Kind);  ///< for JSON
std::string formatHtrPlace(const Session &S, const HtrFile &File, htr::Place P);

/// Whole names in JSON.
inline NameLength nameLength(const ParsedOptions &Options) {
  return Options.has("json") ? NameLength::Whole : NameLength::Brief;
}

/// "f()", unless the name has parameters.
std::string asCall(std::string Name);

/// Names that people can read, and source lines. Keeps what it has looked up:
/// make one per command. JSON has whole names.
class HtrNames {
public:
  HtrNames(Session &S, const HtrFile &File,
           NameLength Length = NameLength::Brief)
      : S(S), File(File), Length(Length) {}

  /// "quicksort()", "loop 1,024 x main+0x10", "main+0x10..+0x3c".
  std::string block(BlockId B);
  /// A run of code from one instruction to another.
  std::string code(BlockId First, BlockId Last);
  std::string pc(uint64_t PC); ///< "main+0x10", or "0x8010"
  /// Where the rounds of a loop begin: "main+0x10".
  std::string header(BlockId Loop);
  /// What activations that begin at \p EntryPC are called: "main", or "0x8010".
  std::string function(uint64_t EntryPC);
  /// The instruction that a Function block is named by: where it begins, or the
  /// beginning of the function that it jumps to at once.
  BlockId entry(BlockId Function);
  std::string call(BlockId Function);
  /// "find+0x20", "loop find+0x3c", "insert()", "the end".
  std::string step(htr::PathStep Step);
  llvm::json::Object stepJson(htr::PathStep Step);
  /// "quicksort.c:12-20"; empty without debug info, or if it is not one file.
  std::string source(BlockId First, BlockId Last);

private:
  Session &S;
  const HtrFile &File;
  const NameLength Length;
  std::map<uint64_t, std::optional<CodeSymbol>> Known;
  std::map<uint64_t, BlockId> FunctionAt; ///< by entry pc: the first block
  const std::optional<CodeSymbol> &symbol(uint64_t PC);
  std::string symbolName(uint64_t PC);
  /// The name of what was entered at EntryPC, with what Named is called.
  std::string entered(uint64_t EntryPC, uint64_t Named);
  std::string blockAt(BlockId B, unsigned Depth);
};

/// Times of places; nothing if the trace has no time.
class HtrClock {
public:
  HtrClock(Session &S, const HtrFile &File) : S(S), File(File) {}
  /// From the instruction at \p P to the one \p Length further on in the same
  /// thread; to the last one at its end.
  llvm::Expected<std::optional<uint64_t>> spent(htr::Place P, uint64_t Length);
  llvm::Expected<std::optional<uint64_t>> at(htr::Place P);
  /// The first to the last instruction of each thread, added up.
  llvm::Expected<std::optional<uint64_t>> total();

private:
  Session &S;
  const HtrFile &File;
};

/// Occurrences of any block, instructions (for which the store is asked)
/// included.
class HtrOccurrences {
public:
  HtrOccurrences(Session &S, const HtrFile &File, BlockId B)
      : S(S), File(File), Block(File.block(B)) {}
  uint64_t count() const { return Block.Occurrences; }
  /// The k-th, from 0. O(k) for instructions and breaks.
  llvm::Expected<rw::Place> get(uint64_t K);
  /// The first one after / the last one before a moment.
  llvm::Expected<std::optional<rw::Place>> next(rw::Place After);
  llvm::Expected<std::optional<rw::Place>> previous(rw::Place Before);
  llvm::Expected<rw::Place> toPlace(htr::Place P) const;

private:
  Session &S;
  const HtrFile &File;
  BlockInfo Block;
};

} // namespace rw

#endif // REWIND_COMMANDS_HTR_HTR_H
