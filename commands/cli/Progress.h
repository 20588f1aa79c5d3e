//===- Progress.h - A progress bar for terminals ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_CLI_PROGRESS_H
#define REWIND_COMMANDS_CLI_PROGRESS_H

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

namespace rw {

/// One line on stderr, redrawn a few times a second and removed at the end.
/// What is done quickly never shows.
class ProgressBar {
public:
  explicit ProgressBar(bool Show);
  ~ProgressBar() { clear(); }
  /// \p Total is 0 where it is not known.
  void update(llvm::StringRef What, uint64_t Done, uint64_t Total);
  /// update() for a file that is read.
  void updateBytes(llvm::StringRef What, uint64_t Done, uint64_t Total);
  /// Makes room for other text.
  void clear();
  /// Clears it for good.
  void stop() {
    clear();
    Show = false;
  }

private:
  bool Show;
  bool Drawn = false;
  std::chrono::steady_clock::time_point Next;

  void draw(llvm::StringRef What, uint64_t Done, uint64_t Total,
            llvm::StringRef Amount);
  bool due() const;
};

/// Standard output of a command that has a bar: once the answer comes on the
/// same terminal, the bar goes. Lines that hold names from a file are made
/// printable; what is a file itself goes to a pipe as it is.
class AnswerStream final : public llvm::raw_ostream {
public:
  AnswerStream(ProgressBar &Bar, llvm::raw_ostream &Out, bool IsFile)
      : Bar(Bar), Out(Out),
        Displayed(llvm::sys::Process::StandardOutIsDisplayed()),
        Raw(IsFile && !Displayed) {}
  ~AnswerStream() override { finish(); }
  /// Writes all that is there.
  void finish();

private:
  ProgressBar &Bar;
  llvm::raw_ostream &Out;
  const bool Displayed, Raw;
  uint64_t Written = 0;
  std::string Pending; ///< the beginning of a line: a character may be in two

  void writeLines(llvm::StringRef Lines);
  void write_impl(const char *Text, size_t Size) override;
  uint64_t current_pos() const override { return Written; }
};

} // namespace rw

#endif // REWIND_COMMANDS_CLI_PROGRESS_H
