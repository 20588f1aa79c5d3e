//===- SequenceRuns.h - Sequences as runs -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How sequences of a CodeTable become runs. The run at hand when a sequence
// begins, and the sequence, decide which runs end in it and what is at hand
// after it: that is worked out once and then looked up, so that an execution
// costs the same whatever its length.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_SEQUENCERUNS_H
#define REWIND_STORE_SEQUENCERUNS_H

#include "core/model/CodeSequence.h"
#include "core/store/Dictionary.h"

namespace rw {

class SequenceRuns {
public:
  SequenceRuns(TemplateTable &Templates, RunTable &Runs)
      : Templates(Templates), Runs(Runs) {}

  /// A run that ends after so many more instructions of the sequence.
  struct Piece {
    uint32_t NumInsns, Run;
  };
  struct Step {
    llvm::ArrayRef<Piece> Ended;
    llvm::ArrayRef<uint32_t> Templates; ///< of the whole sequence
    uint64_t ExpectedPC = 0;            ///< after it
    unsigned NumLanes = 0;              ///< all that it writes are below
    bool TimeKnown = false;
  };
  /// Appends a sequence to the run at hand of the RunTable, whose next
  /// instruction is expected at \p ExpectedPC. The result is valid until the
  /// next call.
  Step append(const CodeTable &Source, uint32_t Sequence, uint64_t ExpectedPC);

private:
  struct Known {
    uint32_t Node = ~0u, Sequence = ~0u; ///< the key
    uint32_t FirstPiece = 0, NumPieces = 0;
    uint32_t EndNode = 0, EndLength = 0;
  };
  struct Code {
    std::vector<uint32_t> Templates;
    uint64_t EndPC = 0;
    unsigned NumLanes = 0;
    bool TimeKnown = false;
    Known Last; ///< what it was the last time
  };
  Code &code(const CodeTable &Source, uint32_t Sequence);
  Known work(uint32_t Sequence, uint64_t ExpectedPC);
  void grow();

  TemplateTable &Templates;
  RunTable &Runs;
  std::vector<Code> Codes; ///< by sequence
  std::vector<Piece> Pieces;
  std::vector<Known> Table = std::vector<Known>(1u << 12);
  size_t Used = 0;
};

} // namespace rw

#endif // REWIND_STORE_SEQUENCERUNS_H
