//===- InterpretedExpressions.h - Expressions without running -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_INTERPRETEDEXPRESSIONS_H
#define REWIND_PLUGIN_PRIVATE_INTERPRETEDEXPRESSIONS_H

#include "lldb/API/SBTarget.h"

namespace rw {

/// Tells LLDB that the process of \p Target can run no code of LLDB's, so that
/// it interprets expressions and keeps their results in its own memory. LLDB
/// would find that out by asking the process for memory, and gets it wrong: it
/// takes the refusal for success. Uses private headers of LLDB; does nothing in
/// an LLDB of another version, where LLDBServer refuses in another way.
void interpretExpressions(lldb::SBTarget Target);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_INTERPRETEDEXPRESSIONS_H
