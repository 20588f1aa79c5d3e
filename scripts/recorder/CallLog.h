//===- CallLog.h - The calls that a program makes --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_CALLLOG_H
#define REWIND_RECORDER_CALLLOG_H

#include "scripts/recorder/TarmacWriter.h"
#include <map>
#include <vector>

namespace rw::record {

/// Keeps a shadow stack, and writes a line for each call and return:
///   call <index> <from> <to> <depth>
///   return <index> <from> <to> <depth>
///   unwind <index> <from> <to> <depth>
/// Index is that of the branch, from 0; depth is the callee's, from 1. "unwind"
/// is a frame that was left without returning (longjmp, exceptions). In threads
/// but the first, " <thread>" follows: its number in the trace, from 1.
class CallLog {
public:
  explicit CallLog(TextFile &Out) : Out(Out) {}

  struct Transfer {
    uint64_t Index, From, To;
    uint64_t Next;   ///< the address behind From
    uint64_t LR, SP; ///< after the branch, without Thumb bit
    bool Link, Indirect;
  };
  void transfer(const Transfer &T);
  /// Whose transfers follow; each thread has a stack of its own.
  void setThread(unsigned Number) { Current = Number; }

private:
  struct Frame {
    uint64_t Return, SP;
  };
  void line(const char *What, const Transfer &T);

  TextFile &Out;
  std::map<unsigned, std::vector<Frame>> Stacks;
  unsigned Current = 0;
};

} // namespace rw::record

#endif // REWIND_RECORDER_CALLLOG_H
