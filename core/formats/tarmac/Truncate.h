//===- Truncate.h - Cutting a trace where it gets stuck ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_TRUNCATE_H
#define REWIND_FORMATS_TARMAC_TRUNCATE_H

#include "core/support/Watch.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace rw {

struct TruncateReport {
  uint64_t Lines = 0; ///< written
  bool Cut = false;   ///< there was something to cut
  std::string Why;    ///< "a loop that changes no register at 0x8010"
};

/// Copies the Tarmac trace \p Path ("-": standard input) up to and with the
/// line where it falls into a tight loop: a pc seen among the last 16 with no
/// register changed since, or events (no instruction, no register) that repeat
/// exactly. What tarmac-truncate does.
///
/// One CPU's loop may wait for another: a trace of several is cut where all
/// that have an instruction later go round, each for 32 lines since the last of
/// them began to. Which have one is looked up ahead (the rest of the file is
/// read); of standard input, which cannot be, all that were seen go on.
/// Memory: a few lines and the registers of each CPU.
llvm::Expected<TruncateReport>
truncateTrace(llvm::StringRef Path, llvm::raw_ostream &Out, const Watch &Watch);

} // namespace rw

#endif // REWIND_FORMATS_TARMAC_TRUNCATE_H
