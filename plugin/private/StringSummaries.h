//===- StringSummaries.h - Strings of which bytes are unknown ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_STRINGSUMMARIES_H
#define REWIND_PLUGIN_PRIVATE_STRINGSUMMARIES_H

#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBTarget.h"

namespace rw {

/// Makes LLDB show which bytes of a C string are not known: "abc" <unknown>.
/// Its own summaries show a text of some kind whatever they could read. They
/// are asked where everything is known, and for all that is no recording.
/// Formatters belong to all debuggers: once is enough. Uses private headers of
/// LLDB; does nothing in an LLDB of another version.
void showUnknownStrings(lldb::SBDebugger Debugger);

/// A value that LLDB shows as "<unknown>", and that is of another size than any
/// other. Null in an LLDB of another version.
lldb::ValueObjectSP unknownValue(lldb::SBTarget Target);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_STRINGSUMMARIES_H
