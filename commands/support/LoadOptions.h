//===- LoadOptions.h - Options for loading a trace --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table for both doors: the shell, where every command loads the trace, and
// LLDB's `rewind load`.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_LOADOPTIONS_H
#define REWIND_COMMANDS_SUPPORT_LOADOPTIONS_H

#include "commands/support/Options.h"
#include "core/store/Indexer.h"

namespace rw {

/// Those of every format included.
llvm::ArrayRef<OptionSpec> loadOptions();
/// What help says of the formats: a line for each.
std::string formatHelp();

/// What the options say about reading the trace and keeping the store. Of a
/// command that \p ShowsValues a letter behind --format is one of values.
llvm::Expected<IndexOptions> indexOptions(const ParsedOptions &Options,
                                          bool ShowsValues = false);

/// What --image names.
struct ImageOption {
  std::string Path;
  std::optional<uint64_t> Base; ///< where its lowest segment lay
};

/// All --image (or what \p Name says) of a command line, in order. What is no
/// file is an Error.
llvm::Expected<std::vector<ImageOption>>
imageOptions(const ParsedOptions &Options, llvm::StringRef Name = "image");

/// An image that the trace names, too, and whose address the user left out, is
/// where the trace says.
void placeImages(std::vector<ImageOption> &Images, const TraceHeader &Header);

/// The options among \p Given that decide how a trace is read and which images
/// are taken, for a script: " --big-endian --format \"tarmac\"".
std::string repeatedOptions(const ParsedOptions &Given);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_LOADOPTIONS_H
