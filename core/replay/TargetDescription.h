//===- TargetDescription.h - Registers for the debugger ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_TARGETDESCRIPTION_H
#define REWIND_REPLAY_TARGETDESCRIPTION_H

#include "core/store/StoreAnswers.h"
#include <string>

namespace rw {

/// The triple that a replay process of \p A reports.
llvm::StringRef tripleFor(Arch A);
/// Its name in a target description.
llvm::StringRef xmlArchitecture(Arch A);
/// Bytes of an address.
unsigned addressSize(Arch A);

/// target.xml for LLDB (docs/resources/lldbgdbremote and
/// GDB manual, "Target Description Format"): register number N is index N of
/// RegisterFile::registers(), and behind those come TracePartNames.
std::string targetXML(const TraceStore &Store);

} // namespace rw

#endif // REWIND_REPLAY_TARGETDESCRIPTION_H
