//===- CursorReader.h - Traces that LLDB has loaded itself ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_CURSORREADER_H
#define REWIND_PLUGIN_CURSORREADER_H

#include "core/arch/X86Decoder.h"
#include "core/formats/TraceReader.h"
#include "core/model/NonlocalTargets.h"
#include "core/support/Watch.h"
#include "lldb/API/SBTarget.h"
#include <map>

namespace rw {

/// Reads the trace of a target of x86-64 through SBTraceCursor, thread by
/// thread. That interface tells pcs and events only: no time, and so no order
/// of what different threads did. Code comes from the target's modules.
class CursorReader final : public TraceReader {
public:
  CursorReader(lldb::SBTarget Target, Watch Progress)
      : Target(Target), Progress(std::move(Progress)) {}

  llvm::StringRef formatName() const override { return "intelpt"; }
  llvm::Error read(TraceSink &Sink) override;
  /// Those of the modules' files that can be read.
  NonlocalTargets nonlocalTargets();

private:
  struct Known {
    InsnItem Insn;
    std::vector<RegItem> Writes;
    llvm::SmallVector<uint8_t, 15> Bytes;
  };
  const Known &codeAt(uint64_t PC);
  llvm::Error readThread(lldb::SBThread Thread, uint8_t Number,
                         TraceSink &Sink);
  std::vector<ModuleInfo> modules();
  TraceHeader header();

  lldb::SBTarget Target;
  Watch Progress;
  X86Decoder Decoder;
  std::map<uint64_t, Known> Code;
  std::vector<ThreadInfo> Threads;
  uint64_t Ticks = 0, SyncPoints = 0, NoCode = 0;
};

} // namespace rw

#endif // REWIND_PLUGIN_CURSORREADER_H
