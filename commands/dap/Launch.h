//===- Launch.h - What a launch configuration asks for ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DAP_LAUNCH_H
#define REWIND_COMMANDS_DAP_LAUNCH_H

#include "llvm/Support/JSON.h"
#include <string>
#include <utility>
#include <vector>

namespace rw::dap {

/// Whether the arguments of a launch or attach request load a recording, by
/// "trace" or by commands of their own.
bool loadsTrace(const llvm::json::Object &Arguments);

/// Replaces "trace", "image", "images", "program" and "index" by what makes
/// lldb-dap's attach load the recording with \p Plugin. An Error says what is
/// wrong with them, for the user. Nothing happens without "trace".
llvm::Error takeTrace(llvm::json::Object &Arguments, llvm::StringRef Plugin);

/// Where sources are now, by where they were compiled: "sourceMap" of the
/// arguments.
std::vector<std::pair<std::string, std::string>>
sourceMap(const llvm::json::Object &Arguments);

/// The file that a client names by \p Path: some give a "file://" address, with
/// bytes as "%20".
std::string filePath(llvm::StringRef Path);

} // namespace rw::dap

#endif // REWIND_COMMANDS_DAP_LAUNCH_H
