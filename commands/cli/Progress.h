//===- Progress.h - A progress bar for terminals ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_CLI_PROGRESS_H
#define REWIND_COMMANDS_CLI_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace rw {

/// One line on stderr, redrawn a few times a second and removed at the end.
class ProgressBar {
public:
  ProgressBar(std::string Title, bool Show) : Title(Title), Show(Show) {}
  ~ProgressBar() { clear(); }
  /// \p Total is 0 where it is not known.
  void update(uint64_t Done, uint64_t Total);
  void clear();

private:
  std::string Title;
  bool Show;
  bool Drawn = false;
  std::chrono::steady_clock::time_point Next{};
};

} // namespace rw

#endif // REWIND_COMMANDS_CLI_PROGRESS_H
