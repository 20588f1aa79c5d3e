//===- OtherTrace.h - A second trace beside the session ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_PROFILE_OTHERTRACE_H
#define REWIND_COMMANDS_PROFILE_OTHERTRACE_H

#include "commands/Command.h"
#include "commands/lvalues/ImageSession.h"

namespace rw {

namespace opt {
inline constexpr OptionSpec OtherImage{
    "other-image", 0, "elf[@addr]",
    "program of the other trace, if it is not the same (several times)"};
} // namespace opt

/// A trace to be compared with the session's, its index built if need be.
class OtherTrace {
public:
  /// An Error says what is wrong with the trace or with images that do not fit
  /// it.
  static llvm::Expected<std::unique_ptr<OtherTrace>>
  open(Session &S, const ParsedOptions &O, llvm::StringRef Path);

  Session &session() { return Other->session(); }

private:
  std::unique_ptr<TraceStore> Store;
  std::optional<ImageSession> Other;
};

} // namespace rw

#endif // REWIND_COMMANDS_PROFILE_OTHERTRACE_H
