//===- AnswerFile.h - The file that -o names --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_ANSWERFILE_H
#define REWIND_COMMANDS_SUPPORT_ANSWERFILE_H

#include "commands/Command.h"
#include "core/formats/TraceReader.h"
#include "core/support/OutputFile.h"

namespace rw {

namespace opt {
inline constexpr OptionSpec Output{"output", 'o', "file",
                                   "write to a file (- is standard output)"};
inline constexpr OptionSpec Replace{
    "force", 0, "", "write over another trace, an ELF file or an index, too"};
inline constexpr OptionSpec JsonOfFile{"json", 0, "",
                                       "with -o: print file and bytes as JSON"};
} // namespace opt

/// The files of a session, which no command writes over: the trace and what
/// belongs to it, as \p Settings have it, images, the store and what is kept
/// beside it.
std::vector<ReservedFile> reservedFiles(llvm::StringRef TracePath,
                                        llvm::StringRef StorePath,
                                        llvm::ArrayRef<std::string> Images,
                                        const FormatSettings &Settings = {});
std::vector<ReservedFile> reservedFiles(const Session &S);

/// How the file that -o names is written: none of \p Reserved is replaced, nor,
/// without --force, the traces, programs and indexes of others.
OutputFile::Options answerOptions(const ParsedOptions &O,
                                  std::vector<ReservedFile> Reserved);

/// Where a command writes large results: -o, or the command's own output.
class AnswerFile {
public:
  /// Fails before any work is done if -o cannot be written.
  static llvm::Expected<std::unique_ptr<AnswerFile>>
  open(Session &S, const ParsedOptions &O);
  static llvm::Expected<std::unique_ptr<AnswerFile>> open(const FileRequest &R);

  llvm::raw_ostream &os() {
    return File ? static_cast<llvm::raw_ostream &>(File->os()) : Else;
  }
  /// The name of the file; empty without one.
  llvm::StringRef path() const { return Path; }
  /// Puts the file in its place; not if there is an error, which is handed on.
  llvm::Error close(llvm::Error E);
  uint64_t bytes() const { return Bytes; } ///< once it is closed
  /// close(), and says what was written if it was a file: as JSON if wanted.
  llvm::Error finish(llvm::Error E, bool Json = false);

private:
  explicit AnswerFile(llvm::raw_ostream &Else) : Else(Else) {}
  static llvm::Expected<std::unique_ptr<AnswerFile>>
  open(const ParsedOptions &O, llvm::raw_ostream &Else, const Watch &W,
       std::vector<ReservedFile> Reserved);

  llvm::raw_ostream &Else;
  std::string Path;
  uint64_t Bytes = 0;
  std::unique_ptr<OutputFile> File;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_ANSWERFILE_H
