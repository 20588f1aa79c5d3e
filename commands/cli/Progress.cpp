//===- Progress.cpp - A progress bar for terminals ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/Progress.h"
#include "core/support/Printable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include <algorithm>

using namespace llvm;

namespace rw {

using Clock = std::chrono::steady_clock;

ProgressBar::ProgressBar(bool Show)
    : Show(Show), Next(Clock::now() + std::chrono::milliseconds(300)) {}

bool ProgressBar::due() const { return Show && Clock::now() >= Next; }

void ProgressBar::update(StringRef What, uint64_t Done, uint64_t Total) {
  if (due())
    draw(What, Done, Total, "");
}

void ProgressBar::updateBytes(StringRef What, uint64_t Done, uint64_t Total) {
  constexpr uint64_t MiB = 1 << 20;
  if (due())
    draw(What, Done, Total,
         Total ? formatv(" of {0:N0} MiB", Total / MiB).str()
               : formatv(" {0:N0} MiB", Done / MiB).str());
}

void ProgressBar::draw(StringRef What, uint64_t Done, uint64_t Total,
                       StringRef Amount) {
  Next = Clock::now() + std::chrono::milliseconds(100);
  Drawn = true;
  errs() << '\r' << What;
  if (Total) {
    double Share = std::min(1.0, double(Done) / double(Total));
    unsigned Columns = std::max(40u, sys::Process::StandardErrColumns());
    unsigned Room = Columns - std::min<size_t>(Columns, What.size() + 32);
    unsigned Width = std::clamp(Room, 10u, 50u);
    unsigned Full = unsigned(Share * Width);
    errs() << " [" << std::string(Full, '#') << std::string(Width - Full, ' ')
           << ']' << format(" %3.0f%%", Share * 100);
  }
  errs() << Amount << "\x1b[K";
}

void ProgressBar::clear() {
  if (Drawn)
    errs() << "\r\x1b[K";
  Drawn = false;
}

void AnswerStream::writeLines(StringRef Lines) {
  if (isPlain(Lines, "\n\t"))
    Out << Lines;
  else
    Out << printableLines(Lines);
}

void AnswerStream::write_impl(const char *Text, size_t Size) {
  if (Displayed)
    Bar.stop();
  Written += Size;
  StringRef New(Text, Size);
  if (Raw) {
    Out << New;
    return;
  }
  const size_t Whole = New.rfind('\n') + 1;
  if (!Whole) {
    Pending += New;
    return;
  }
  StringRef Lines = New.take_front(Whole);
  if (!Pending.empty()) {
    const size_t First = Lines.find('\n') + 1;
    Pending += Lines.take_front(First);
    writeLines(Pending);
    Lines = Lines.drop_front(First);
  }
  writeLines(Lines);
  Pending = New.drop_front(Whole);
  // A buffer that is not full was flushed by a command, which goes on for long
  // and wants it to be seen.
  if (Size < GetBufferSize())
    Out.flush();
}

void AnswerStream::finish() {
  flush();
  Out << printableLines(Pending);
  Pending.clear();
  Out.flush();
}

} // namespace rw
