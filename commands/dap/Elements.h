//===- Elements.h - Names for elements of containers ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DAP_ELEMENTS_H
#define REWIND_COMMANDS_DAP_ELEMENTS_H

#include "llvm/Support/JSON.h"

namespace rw::dap {

/// Gives the elements of containers in \p Body, of a variables response, names
/// that can be evaluated: LLDB calls the second of a vector
/// "v._M_impl._M_start->[1]", which is no expression. One without such a name
/// has none.
void nameElements(llvm::json::Object &Body);

} // namespace rw::dap

#endif // REWIND_COMMANDS_DAP_ELEMENTS_H
