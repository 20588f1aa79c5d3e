//===- ReverseVerbs.h - reverse-step and its kin --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_REVERSEVERBS_H
#define REWIND_PLUGIN_REVERSEVERBS_H

#include "lldb/API/SBTarget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

class LoadedTrace;

enum class ReverseVerb : uint8_t {
  StepInstruction,
  NextInstruction,
  Step,
  Next,
  Finish,
  Continue,
};

struct ReverseVerbInfo {
  ReverseVerb Verb;
  const char *Name, *Alias, *Summary, *Help;
};

/// GDB's names and meanings.
llvm::ArrayRef<ReverseVerbInfo> reverseVerbs();

/// Works out where the verb ends, \p Count times, and takes the debugger there
/// in one go; a breakpoint or watchpoint on the way stops it.
llvm::Error runReverse(ReverseVerb Verb, uint64_t Count,
                       lldb::SBDebugger Debugger, lldb::SBTarget Target,
                       LoadedTrace &Trace, llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_PLUGIN_REVERSEVERBS_H
