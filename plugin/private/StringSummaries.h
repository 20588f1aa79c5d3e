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
#include "lldb/API/SBValue.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace rw {

/// Makes LLDB show which bytes of a C string are not known: "abc" <unknown>.
/// Its own summaries show a text of some kind whatever they could read. They
/// are asked where everything is known, and for all that is no recording.
/// Formatters belong to all debuggers: once is enough. Uses private headers of
/// LLDB; does nothing in an LLDB of another version.
void showUnknownStrings(lldb::SBDebugger Debugger);

/// \p Size characters that are in no memory; null in an LLDB of another
/// version. LLDB asks for their text as for that of any array.
lldb::ValueObjectSP arrayValue(lldb::SBTarget Target, uint64_t Size);
lldb::ValueObjectSP objectOf(lldb::SBValue Value);

/// A value of \p Type that is in no memory, of zeros.
lldb::ValueObjectSP zeroValue(lldb::SBTarget Target, const char *Name,
                              lldb::SBType Type);

/// A text of which some bytes may be unknown: `<4 unknown> "ab" <2 unknown>`.
std::string describeKnown(llvm::ArrayRef<uint8_t> Value,
                          llvm::ArrayRef<uint8_t> Known);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_STRINGSUMMARIES_H
