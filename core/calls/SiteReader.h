//===- SiteReader.h - Instructions of a thread, in order --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_SITEREADER_H
#define REWIND_CALLS_SITEREADER_H

#include "core/store/StoreAnswers.h"

namespace rw {

/// Where and when an instruction of a thread is.
struct Site {
  Position Pos = 0;
  Moment When = 0;
  uint64_t PC = 0;
  uint64_t Time = 0;
  uint64_t Line = 0;
  ISA Isa = ISA::Unknown;
  uint8_t Size = 0; ///< of the instruction
  bool JumpsToNext = false;
};

/// Reads sites of one thread by position. Cheap where positions ascend, since
/// near ones are reached by walking; others cost a search.
class SiteReader {
public:
  SiteReader(const TraceStore &Store, ThreadIndex Thread);

  llvm::Expected<Site> at(Position P);
  /// Time at \p P, or of the last instruction if P is the end.
  llvm::Expected<uint64_t> timeAt(Position P);

private:
  llvm::Error seek(Position P);

  const TraceStore &Store;
  ThreadIndex Thread;
  std::unique_ptr<InstructionCursor> Cursor;
  bool Valid = false;
  Site Last, BeforeLast;
  bool HaveBefore = false;
};

} // namespace rw

#endif // REWIND_CALLS_SITEREADER_H
