//===- ProfileFilter.h - A block as a person names it -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_PROFILE_PROFILEFILTER_H
#define REWIND_COMMANDS_PROFILE_PROFILEFILTER_H

#include "commands/Command.h"
#include "commands/support/NameGlob.h"
#include "core/profile/Blocks.h"

namespace rw {

/// What --select, --exclude, --fold and an argument name: a function, a source
/// line or file, a block of a layer; a pattern of such names ("str*"); an
/// address.
class ProfileFilter {
public:
  /// An Error if \p Text is no name and no pattern. A function is known by any
  /// symbol that it has in the image of \p S.
  static llvm::Expected<ProfileFilter> parse(Session &S, llvm::StringRef Text);

  const std::string &text() const { return Text; }
  /// Whether it names lines or a file: "file.c:12", "file.c", "src/*.c:1?".
  bool namesLines() const { return Lines; }
  /// A line, not a whole file.
  bool namesOneLine() const { return OneLine; }

  /// \p B by its name or its address; a function by any of its names.
  bool names(const ProfileBlock &B, bool IsFunction) const;
  bool namesFunction(llvm::StringRef Name) const;
  /// Whether it names the file and line of \p F, if that has them.
  bool namesLine(const CodeFrame &F) const;
  bool namesFile(const CodeFrame &F) const;

  mutable bool Used = false; ///< for whoever asks

private:
  bool isPath(llvm::StringRef Path) const;

  std::string Text;
  std::optional<NameGlob> Glob;
  std::optional<uint64_t> Address;
  std::vector<uint64_t> Starts; ///< of functions of that name
  /// What these are called where they are listed; of lines that is all that is
  /// known.
  std::vector<std::string> Shown;
  bool Lines = false, OneLine = false;
};

} // namespace rw

#endif // REWIND_COMMANDS_PROFILE_PROFILEFILTER_H
