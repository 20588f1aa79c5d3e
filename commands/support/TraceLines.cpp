//===- TraceLines.cpp - The text of a session's trace ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/TraceLines.h"
#include "core/store/Indexer.h"

namespace rw {

llvm::Expected<TraceText> traceLines(const Session &S) {
  if (llvm::Error E = checkUnchanged(S.Store, S.TracePath))
    return E;
  return TraceText::open(S.TracePath, S.Watch.Cancel);
}

} // namespace rw
