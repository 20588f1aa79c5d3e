//===- BatchPipe.h - Reading on a thread of its own -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_BATCHPIPE_H
#define REWIND_FORMATS_BATCHPIPE_H

#include "core/model/ItemBatch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace rw {

/// Runs \p Read on another thread, with a sink that hands over to \p Sink on
/// the caller's: so reading goes on while the batches before are consumed. A
/// few batches wait at most. Of two errors, that of \p Sink is returned.
/// \p Consumed, if set, is called on the caller's thread after each batch.
llvm::Error readAhead(TraceSink &Sink,
                      llvm::function_ref<llvm::Error(TraceSink &)> Read,
                      const std::function<void()> &Consumed = {});

} // namespace rw

#endif // REWIND_FORMATS_BATCHPIPE_H
