//===- Registry.cpp - The list of commands --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"

namespace rw {

// One line each here and below.
extern const Command WhereCommand;
extern const Command GotoCommand;
extern const Command BackCommand;
extern const Command ForwardCommand;

static const Command *const All[] = {
    &WhereCommand,
    &GotoCommand,
    &BackCommand,
    &ForwardCommand,
};

llvm::ArrayRef<const Command *> commands() { return All; }

} // namespace rw
