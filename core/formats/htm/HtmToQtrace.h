//===- HtmToQtrace.h - From dumps to Qtrace files ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_HTMTOQTRACE_H
#define REWIND_FORMATS_HTM_HTMTOQTRACE_H

#include "core/arch/PPCInsn.h"
#include "core/formats/htm/Translation.h"
#include "core/formats/qtrace/QtraceWriter.h"

namespace rw::htm {

/// Writes a decoded dump as a Qtrace file. The decoder's translator, if it has
/// one, must be given here too. Instructions that a Qtrace file cannot tell are
/// left out (see fits).
class QtraceSink : public BatchSink {
public:
  QtraceSink(llvm::raw_ostream &OS, const Translator *Translation);
  bool takesBlocks() const override { return true; }
  llvm::Error batch(const Batch &B) override;
  /// Its address is known, and a prefix is where it should be.
  static bool fits(const Instruction &I) {
    return I.has(Instruction::AddressKnown) &&
           (I.has(Instruction::Prefixed) ? I.Prefix != 0
                                         : !ppc::isPrefix(I.Opcode));
  }
  uint64_t written() const { return Written; }
  void close() { Writer.close(); }
  const qtrace::QtraceWriter &writer() const { return Writer; }

private:
  /// A code block, made ready.
  struct Prepared {
    qtrace::InsnRun Run;
    bool Good = false; ///< Run can be used
    /// Where its lines were then.
    llvm::SmallVector<ppc::RealAddress, 1> Lines;
    /// The numbers of the block's data places, for its instructions with data.
    llvm::SmallVector<uint8_t, 4> Places;
  };
  void add(const Instruction &I);
  void execution(const Batch &B, const Execution &E);
  void prepare(Prepared &P);

  std::vector<std::unique_ptr<Prepared>> Blocks; ///< by number
  std::vector<Instruction> Expanded;
  qtrace::QtraceWriter Writer;
  uint64_t Written = 0;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMTOQTRACE_H
