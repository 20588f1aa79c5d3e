//===- TraceText.cpp - The lines of a text trace --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/TraceText.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

namespace rw {

llvm::Expected<TraceText> TraceText::open(llvm::StringRef Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/false);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(),
                                   "cannot read " + Path + ": " +
                                       Buffer.getError().message());
  llvm::StringRef Head = (*Buffer)->getBuffer().take_front(6);
  if (Head.starts_with("\x1f\x8b") || Head.starts_with("\x28\xb5\x2f\xfd") ||
      Head.starts_with("\xfd"
                       "7zXZ") ||
      Head.starts_with("BZh"))
    return llvm::createStringError(Path + " is compressed");
  TraceText T;
  T.Buffer = std::move(*Buffer);
  return T;
}

llvm::StringRef TraceText::line(uint64_t Number) {
  llvm::StringRef Text = Buffer->getBuffer();
  if (Number < Current)
    startFrom(1, 0);
  while (Current < Number && Offset < Text.size()) {
    const void *End =
        std::memchr(Text.data() + Offset, '\n', Text.size() - Offset);
    Offset = End ? uint64_t(static_cast<const char *>(End) - Text.data()) + 1
                 : Text.size();
    ++Current;
  }
  if (Offset >= Text.size() || Number == 0)
    return "";
  return Text.substr(Offset).split('\n').first.rtrim('\r');
}

/// Splits off the first word.
static llvm::StringRef nextWord(llvm::StringRef &Rest) {
  Rest = Rest.ltrim(" \t");
  size_t N = std::min(Rest.find_first_of(" \t"), Rest.size());
  llvm::StringRef Word = Rest.take_front(N);
  Rest = Rest.drop_front(N);
  return Word;
}

std::string disassemblyOf(llvm::StringRef Line) {
  llvm::StringRef Rest = Line;
  bool Found = false;
  // The instruction set state comes right before mode and disassembly.
  for (unsigned I = 0; I < 12 && !Found && !Rest.empty(); ++I) {
    llvm::StringRef Word = nextWord(Rest);
    Found = Word == "A" || Word == "T" || Word == "O" || Word == "T16" ||
            Word == "T32" || Word == "X";
  }
  if (!Found)
    return "";
  Rest = Rest.ltrim(" \t");
  // "EL3h_s : MOV", "svc_s:  MOV", ": B", or no mode at all.
  llvm::StringRef AfterMode = Rest;
  llvm::StringRef Mode = nextWord(AfterMode);
  if (Mode.ends_with(":"))
    Rest = AfterMode;
  else if (AfterMode.ltrim(" \t").starts_with(":"))
    Rest = AfterMode.ltrim(" \t").drop_front();
  llvm::StringRef AfterFail = Rest;
  if (nextWord(AfterFail) == "CCFAIL")
    Rest = AfterFail;
  std::string Text;
  for (Rest = Rest.split(';').first; !(Rest = Rest.ltrim(" \t")).empty();) {
    if (!Text.empty())
      Text += ' ';
    Text += nextWord(Rest);
  }
  return Text;
}

std::optional<uint64_t> timestampOf(llvm::StringRef Line) {
  llvm::StringRef Rest = Line.ltrim(" \t");
  uint64_t Time;
  size_t Digits = std::min(Rest.find_first_not_of("0123456789"), Rest.size());
  if (Digits == 0 || Digits == Rest.size() ||
      Rest.take_front(Digits).getAsInteger(10, Time))
    return std::nullopt;
  return Time;
}

uint64_t firstLineOfMoment(TraceText &Text, uint64_t Line, uint64_t Time) {
  std::optional<uint64_t> Last;
  uint64_t First = Line;
  for (uint64_t N = 1; N < Line; ++N) {
    if (auto T = timestampOf(Text.line(N)))
      Last = T;
    if (!Last) // a header or a comment
      continue;
    if (*Last != Time)
      First = Line;
    else if (First == Line)
      First = N;
  }
  return First;
}

} // namespace rw
