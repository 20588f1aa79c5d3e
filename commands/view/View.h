//===- View.h - What both rewind view have ----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_VIEW_H
#define REWIND_COMMANDS_VIEW_VIEW_H

#include "commands/Command.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

namespace rw {

/// "view": it serves until it is stopped, and LLDB has other things to do.
extern const Command ViewCommand;
/// "browse": it takes the terminal.
extern const Command BrowseCommand;

inline constexpr OptionSpec ViewOptions[] = {
    {"port", 'p', "n", "listen there (default: any port that is free)"},
    {"no-open", 0, "", "only print the URL; open no browser"},
    opt::Json};
/// What --port says; 0 without it.
llvm::Expected<uint16_t> viewPort(const ParsedOptions &O);

/// Prints \p Url, and opens it where there is a desktop and the options let it.
void showUrl(const ParsedOptions &O, llvm::StringRef Url,
             llvm::raw_ostream &Out,
             const std::function<void(const std::string &)> &Warn);

} // namespace rw

#endif // REWIND_COMMANDS_VIEW_VIEW_H
