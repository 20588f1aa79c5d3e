//===- Index.cpp - rewind index -------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/ShellOptions.h"

namespace rw {

extern const Command IndexCommand = {
    .Name = "index",
    .Summary = "Build the store of a trace and stop",
    .Help = R"(
Builds the index that all answers come from, or tells that there is a good one.
Every other command does so at need.

  rewind index
  rewind index --force-index --verify
)",
    .Options = opt::Json,
    .MaxArguments = 0,
};

} // namespace rw
