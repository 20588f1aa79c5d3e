//===- TargetTypes.h - Types as LLDB knows them -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_TARGETTYPES_H
#define REWIND_PLUGIN_TARGETTYPES_H

#include "core/model/Types.h"
#include "core/types/Type.h"
#include "lldb/API/SBType.h"

namespace rw {

/// The type of integers of \p Size bytes: 1, 2, 4 or 8.
lldb::BasicType integerType(uint64_t Size, bool Signed);

/// Never null; what cannot be described is Opaque.
TypeRef describeType(lldb::SBType Type, Arch Machine);

} // namespace rw

#endif // REWIND_PLUGIN_TARGETTYPES_H
