//===- CompletionScripts.cpp - rewind completion --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/ShellOptions.h"

using namespace llvm;

namespace rw {

// Those of scripts/completion.
#include "CompletionScripts.inc"

static Error printScript(const FileRequest &Request) {
  const StringRef Shell = Request.Options.arguments()[0];
  for (const auto &[Name, Text, Size] :
       {std::tuple(StringRef("bash"), rewind_bash, sizeof(rewind_bash)),
        std::tuple(StringRef("zsh"), rewind_zsh, sizeof(rewind_zsh)),
        std::tuple(StringRef("fish"), rewind_fish, sizeof(rewind_fish))})
    if (Name == Shell) {
      Request.Out << StringRef(reinterpret_cast<const char *>(Text), Size);
      return Error::success();
    }
  return usageError("no completion for '" + Shell +
                    "'; there are bash, zsh and fish");
}

extern const Command CompletionCommand = {
    .Name = "completion",
    .Summary = "Print a script that completes command lines in a shell",
    .Arguments = "bash|zsh|fish",
    .Help = R"(
Completes commands, options and their values, files and, once the trace is on
the line, its bookmarks, functions, variables and registers. An installed Rewind
has put the scripts where the shells look already; else the shell's own start
file reads what this prints: source <(rewind completion bash), the same in zsh,
and in fish rewind completion fish | source.

  rewind completion bash
)",
    .MinArguments = 1,
    .MaxArguments = 1,
    .RunOnFile = printScript,
    .WithoutTrace = true,
};

} // namespace rw
