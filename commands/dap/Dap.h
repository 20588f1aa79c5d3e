//===- Dap.h - rewind dap ---------------------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DAP_DAP_H
#define REWIND_COMMANDS_DAP_DAP_H

#include "commands/Command.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <atomic>

namespace rw {

/// "dap": its options are another program's.
extern const Command DapCommand;

/// `rewind dap`: lldb-dap with time travel, in its place and with its flags,
/// which are \p Words. Serves until the client leaves or \p Cancel is set; the
/// result is the exit status.
llvm::Expected<int> runDap(llvm::ArrayRef<llvm::StringRef> Words,
                           const std::atomic<bool> &Cancel);

} // namespace rw

#endif // REWIND_COMMANDS_DAP_DAP_H
