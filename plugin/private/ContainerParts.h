//===- ContainerParts.h - Containers with unknown bytes ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_CONTAINERPARTS_H
#define REWIND_PLUGIN_PRIVATE_CONTAINERPARTS_H

#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBType.h"

namespace rw {

/// LLDB shows elements of a container (a std::map, or what a user's script
/// knows) only if it can read all bytes of the container itself, also those
/// that mean nothing: an empty comparator, padding. In a recording these are
/// mostly unknown. After this call it needs only those that say which elements
/// there are; if one of them is unknown, so are the elements, also behind a
/// pointer or a reference, for which LLDB would show none. Once for all
/// debuggers of a process; what is no recording is shown as ever, but that LLDB
/// does not crash over members that it failed to parse. Formatters that are
/// made later are not seen. Uses private headers of LLDB; does nothing in
/// another.
void showKnownElements(lldb::SBDebugger Debugger);

/// Whether LLDB failed to parse members of \p Type, or of what is in it. Some
/// of its front ends and summaries take for granted that they are there, and
/// crash. At no \p Depth also of what it points to.
bool lacksMembers(lldb::SBType Type, unsigned Depth = 0);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_CONTAINERPARTS_H
