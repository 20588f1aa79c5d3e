//===- FlowWriter.h - Items as executions of sequences ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_PPC_FLOWWRITER_H
#define REWIND_FORMATS_PPC_FLOWWRITER_H

#include "core/model/CodeSequence.h"
#include "core/support/NumberMap.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace rw {

/// Hands a sink executions of sequences, of which it keeps one of each kind.
/// What an execution did after all can be added until the next one begins, so
/// the latest one is held back.
class FlowWriter {
public:
  /// Sequences go to \p Code, which must be there until the trace is finished.
  FlowWriter(TraceSink &Sink, CodeTable &Code) : Sink(Sink), Code(Code) {
    Items.Code = &Code;
  }

  const CodeTable &code() const { return Code; }
  /// Whether an access can be that of a sequence.
  static bool sameShape(const MemItem &A, const MemItem &B) {
    return A.Size == B.Size && A.Flags == B.Flags &&
           (A.Real == ~uint64_t(0)) == (B.Real == ~uint64_t(0));
  }

  /// The next execution: begin, append what it did, end. What was appended can
  /// be taken back before that. \p Offset: of it in the trace.
  llvm::Error begin(uint64_t Offset);
  std::vector<uint64_t> &values() { return Items.FlowValues; }
  std::vector<FlowPlace> &places() { return Items.FlowPlaces; }
  void end(uint32_t Sequence, uint64_t Time);
  /// begin and end, with what \p One has.
  llvm::Error execute(const ItemBatch &One, uint64_t Offset);
  /// The sequence of the latest execution.
  uint32_t latest() const { return Last.Sequence; }

  /// An effect that belongs to the last instruction of the latest execution.
  void addToLast(const RegItem &R);
  /// An event after it. Valid until the next call.
  EventItem &addEvent(EventKind Kind, std::string Text);

  /// Hands over what is there.
  llvm::Error finish();

private:
  /// So many that a batch stays in a cache until it is consumed.
  static constexpr size_t BatchItems = 1024, BatchPlaces = 8192;

  /// The number of the sequence that \p One is an execution of, made if it is
  /// new: the same instructions with effects of the same shape. Costs some
  /// nanoseconds an instruction.
  uint32_t sequence(const ItemBatch &One);
  void commit();
  llvm::Error flush();
  bool isSequence(uint32_t Id, const ItemBatch &One) const;
  uint32_t withExtra();

  TraceSink &Sink;
  CodeTable &Code;
  ItemBatch Items;
  struct {
    bool Valid = false;
    uint32_t Sequence = 0;
    uint64_t Time = 0;
    llvm::SmallVector<RegItem, 4> Extra;
  } Last; ///< held back
  /// By hash of its shape.
  NumberMap<llvm::SmallVector<uint32_t, 1>> Known;
  /// Sequence and hash of what was added: the latest such sequence.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Extended;
};

} // namespace rw

#endif // REWIND_FORMATS_PPC_FLOWWRITER_H
