//===- Progress.cpp - A progress bar for terminals ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/Progress.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace llvm;

namespace rw {

void ProgressBar::update(uint64_t Done, uint64_t Total) {
  if (!Show)
    return;
  auto Now = std::chrono::steady_clock::now();
  if (Now < Next)
    return;
  Next = Now + std::chrono::milliseconds(100);
  Drawn = true;
  constexpr double MiB = 1 << 20;
  errs() << '\r' << Title << ' ';
  if (Total) {
    double Share = std::min(1.0, double(Done) / double(Total));
    unsigned Columns = std::max(40u, sys::Process::StandardErrColumns());
    unsigned Room = Columns - std::min<size_t>(Columns, Title.size() + 32);
    unsigned Width = std::clamp(Room, 10u, 50u);
    unsigned Full = unsigned(Share * Width);
    errs() << '[' << std::string(Full, '#') << std::string(Width - Full, ' ')
           << ']' << format(" %3.0f%% of %.0f MiB", Share * 100, Total / MiB);
  } else {
    errs() << format("%.0f MiB", Done / MiB);
  }
  errs() << "\x1b[K";
}

void ProgressBar::clear() {
  if (Drawn)
    errs() << "\r\x1b[K";
  Drawn = false;
}

} // namespace rw
