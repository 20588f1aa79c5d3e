//===- SilentABI.h - No return values where none are known ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_SILENTABI_H
#define REWIND_PLUGIN_SILENTABI_H

#include "lldb/API/SBTarget.h"

namespace rw {

/// After `finish` LLDB shows the return value; where its register is
/// unavailable, zero. This makes it show none. Uses private headers of LLDB:
/// with another one nothing is touched.
void hideReturnValues(lldb::SBTarget Target);

} // namespace rw

#endif // REWIND_PLUGIN_SILENTABI_H
