//===- HtrLayers.h - The table of layers ------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_HTR_HTRLAYERS_H
#define REWIND_COMMANDS_HTR_HTRLAYERS_H

#include "commands/htr/Htr.h"

namespace rw {

llvm::Error printLayers(Session &S, const HtrFile &File, bool Json);

} // namespace rw

#endif // REWIND_COMMANDS_HTR_HTRLAYERS_H
