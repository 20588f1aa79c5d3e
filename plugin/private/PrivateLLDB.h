//===- PrivateLLDB.h - Access to LLDB's insides -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_PRIVATELLDB_H
#define REWIND_PLUGIN_PRIVATE_PRIVATELLDB_H

#include "lldb/API/SBFrame.h"
#include "lldb/API/SBProcess.h"
#include "lldb/API/SBTarget.h"
#include "lldb/API/SBThread.h"
#include <string>

namespace rw {

/// An explicit instantiation may name a protected member. Tags belong to this
/// namespace, too.
template <typename Tag, typename Tag::type Member> struct Expose {
  friend typename Tag::type memberOf(Tag) { return Member; }
};

/// Exposes members of a type that is private, too.
template <typename Tag, auto Member> struct ExposeAny {
  friend auto memberOf(Tag) { return Member; }
};

/// Empty if the running LLDB is the one that this was compiled against, so that
/// its private headers describe it; else what to tell the user, as in "built
/// for LLDB 1, running in 2".
std::string otherLLDB();

/// Whether private LLDB may be called. The guard is inside plugin/private: each
/// of its functions that others call asks this first, and does nothing in
/// another LLDB. Others ask only to do without what is off, or to say that it
/// is; what they call needs no guard of theirs.
inline bool privateLLDB() { return otherLLDB().empty(); }

/// Null if there is none.
lldb::ProcessSP processOf(lldb::SBProcess Process);
lldb::ThreadSP threadOf(lldb::SBThread Thread);
lldb::TargetSP targetOf(lldb::SBTarget Target);

/// As the public interface has them.
lldb::SBTarget publicTarget(const lldb::TargetSP &Target);
lldb::SBFrame publicFrame(const lldb::StackFrameSP &Frame);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_PRIVATELLDB_H
