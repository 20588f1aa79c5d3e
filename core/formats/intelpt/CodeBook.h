//===- CodeBook.h - Blocks of code as sequences -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libipt's block decoder says "so many instructions from here on". Which ones
// follows from the code alone, so that is worked out once for each block.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_CODEBOOK_H
#define REWIND_FORMATS_INTELPT_CODEBOOK_H

#include "core/arch/X86Decoder.h"
#include "core/formats/intelpt/InsnStarts.h"
#include "core/formats/intelpt/SequenceJoiner.h"
#include "core/model/CodeSequence.h"
#include "core/support/NumberMap.h"
#include "llvm/ADT/DenseMap.h"
#include <mutex>

namespace rw::intelpt {

/// A block: \p Count instructions from \p IP on, without a decision of the
/// trace between them.
struct BlockKey {
  uint64_t IP = 0;
  uint32_t Count = 0;
};

struct BlockInfo {
  static constexpr uint32_t NoSequence = ~uint32_t(0);
  uint32_t Sequence = NoSequence;
  /// Instructions in Sequence: fewer than asked for where those do not fit one
  /// sequence (the others begin at Next), or if Wrong.
  uint32_t Count = 0;
  uint64_t Next = 0; ///< where code goes on after it, if the trace need not
                     ///< tell
  /// Its end takes a decision of the trace: a conditional or indirect branch, a
  /// return, something that leaves the traced code.
  bool Decides = false;
  /// Its end is an indirect branch, a return or what leaves the traced code: a
  /// packet tells where it goes on, and code does not say that it may.
  bool Jumps = false;
  bool Wrong = false; ///< after these, the code is not what libipt took it for
};

/// Thread-safe; a lookup takes a lock. Decoders have caches of their own.
class CodeBook {
public:
  /// \p Timed: executions will come with times.
  CodeBook(const Image &Code, bool Timed)
      : Code(Code), Timed(Timed), Starts(Code) {
    Table.Nonlocal = Code.nonlocal();
  }
  BlockInfo block(BlockKey Key);
  /// The instruction that \p IP lies inside of, where that is no way to read
  /// the code (see InsnStarts).
  std::optional<uint64_t> around(uint64_t IP);
  const CodeTable &table() const { return Table; }
  /// A joiner of blocks, for one thread, which may go on while others look
  /// blocks up.
  SequenceJoiner joiner() { return SequenceJoiner(Table, &Lock); }
  /// The bytes of all instructions of all blocks.
  std::vector<CodeRange> executed() const;

private:
  struct Insn {
    InsnItem Item;
    uint64_t Target = 0; ///< of a direct branch
    InsnClass Class = InsnClass::Unknown;
    uint32_t FirstReg = 0;
  };
  const Insn *insn(uint64_t IP);

  const Image &Code;
  const bool Timed;
  std::mutex Lock;
  X86Decoder Decoder;
  InsnStarts Starts;
  NumberSet AfterCalls;          ///< where calls that ran return to
  NumberMap<uint32_t> ByAddress; ///< number in Insns
  std::vector<Insn> Insns;
  std::vector<RegItem> Regs;
  llvm::DenseMap<std::pair<NumberKey, uint32_t>, BlockInfo> Blocks;
  CodeTable Table;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_CODEBOOK_H
