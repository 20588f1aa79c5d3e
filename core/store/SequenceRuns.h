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
// costs little more than what it tells.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_SEQUENCERUNS_H
#define REWIND_STORE_SEQUENCERUNS_H

#include "core/model/CodeSequence.h"
#include "core/store/Dictionary.h"
#include <vector>

namespace rw {

class SequenceRuns {
  struct Known {
    uint32_t Node = ~0u, Code = ~0u; ///< the key
    uint32_t FirstPiece = 0, NumPieces = 0;
    uint32_t EndNode = 0, EndLength = 0;
  };

public:
  SequenceRuns(TemplateTable &Templates, RunTable &Runs)
      : Templates(Templates), Runs(Runs) {}

  /// A run that ends after so many more instructions of the sequence.
  struct Piece {
    uint32_t NumInsns, Run;
  };
  /// What is left of a lane's effects when the sequence is over.
  struct LaneEffect {
    uint16_t Lane;
    uint8_t Written, Unknown; ///< without what a later one writes
    uint32_t Value;           ///< which of its values, if it tells any of them
  };
  /// A sequence as the store has it.
  struct Code {
    uint32_t NumValues = 0, NumAccesses = 0;
    uint32_t NumTemplates = 0; ///< from here on: once it can be appended
    uint64_t FirstPC = 0, EndPC = 0;
    unsigned NumLanes = 0; ///< all that it writes are below
    bool TimeKnown = false;
    bool WholeValues = false; ///< they tell all bytes of their lanes

  private:
    friend SequenceRuns;
    bool Counted = false;
    enum : uint8_t { New, Executed, LookedUp, Settled } State = New;
    uint32_t FirstTemplate = 0, FirstValue = 0;
    uint32_t FirstEffect = 0, NumEffects = 0;
    uint32_t Id = 0;
    Known Last; ///< what it was the last time
  };

  /// The sequence. Valid until the next call.
  Code &at(const CodeTable &Source, uint32_t Sequence) {
    if (Sequence >= Codes.size() || !Codes[Sequence].Counted)
      count(Source, Sequence);
    return Codes[Sequence];
  }
  /// Whether the sequence, which is executed now, can be appended as a whole:
  /// not while its templates are new or learn from each execution. Then it must
  /// be appended instruction by instruction.
  bool isSettled(Code &C, const CodeTable &Source, uint32_t Sequence) {
    return C.State == Code::Settled || settle(C, Source, Sequence);
  }

  /// Appends it to the run at hand of the RunTable, whose next instruction is
  /// expected at \p ExpectedPC: the runs that end within it. Valid until the
  /// next call.
  llvm::ArrayRef<Piece> append(Code &C, uint64_t ExpectedPC);

  llvm::ArrayRef<uint32_t> templates(const Code &C) const {
    return {Ids.data() + C.FirstTemplate, C.NumTemplates};
  }
  llvm::ArrayRef<LaneEffect> effects(const Code &C) const {
    return {Effects.data() + C.FirstEffect, C.NumEffects};
  }
  /// Which bytes of their lanes the values tell.
  llvm::ArrayRef<uint8_t> valueBytes(const Code &C) const {
    return {ValueBytes.data() + C.FirstValue, C.NumValues};
  }

private:
  void count(const CodeTable &Source, uint32_t Sequence);
  bool settle(Code &C, const CodeTable &Source, uint32_t Sequence);
  void lookUp(const CodeTable &Source, uint32_t Sequence, Code &C);
  Known work(const Code &C, uint64_t ExpectedPC);
  void grow();

  TemplateTable &Templates;
  RunTable &Runs;
  std::vector<Code> Codes; ///< by sequence
  uint32_t NumCodes = 0;   ///< with an Id
  // What all sequences have, one after the other.
  std::vector<uint32_t> Ids;
  std::vector<LaneEffect> Effects;
  std::vector<uint8_t> ValueBytes;
  std::vector<Piece> Pieces;
  std::vector<Known> Table = std::vector<Known>(1u << 12);
  size_t Used = 0;
};

} // namespace rw

#endif // REWIND_STORE_SEQUENCERUNS_H
