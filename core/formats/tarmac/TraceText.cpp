//===- TraceText.cpp - The lines of a text trace --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/TraceText.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

namespace rw {

llvm::Expected<TraceText> TraceText::open(llvm::StringRef Path,
                                          const std::atomic<bool> *Cancel) {
  TraceText T;
  T.Path = Path.str();
  T.Cancel = Cancel;
  auto Stream = InputStream::open(Path, Cancel);
  if (!Stream)
    return Stream.takeError();
  T.Stream = std::move(*Stream);
  T.Buffer.resize(1 << 20);
  return T;
}

/// Makes room behind the current line and reads on.
llvm::Error TraceText::fill() {
  std::memmove(Buffer.data(), Buffer.data() + At, Filled - At);
  BufferOffset += At;
  Filled -= At;
  At = 0;
  if (Filled == Buffer.size())
    Buffer.resize(Buffer.size() * 2);
  auto N = Stream->read(llvm::MutableArrayRef<char>(Buffer).drop_front(Filled));
  if (!N)
    return N.takeError();
  AtEnd = *N == 0;
  Filled += *N;
  return llvm::Error::success();
}

llvm::Expected<size_t> TraceText::length() {
  for (size_t Searched = 0;;) {
    if (const void *End = std::memchr(Buffer.data() + At + Searched, '\n',
                                      Filled - At - Searched))
      return size_t(static_cast<const char *>(End) - (Buffer.data() + At)) + 1;
    if (AtEnd)
      return Filled - At;
    Searched = Filled - At;
    if (llvm::Error E = fill())
      return E;
  }
}

llvm::Expected<llvm::StringRef> TraceText::line(uint64_t Number) {
  if (Number < Current) {
    auto Again = open(Path, Cancel);
    if (!Again)
      return Again.takeError();
    *this = std::move(*Again);
  }
  for (;;) {
    auto Length = length();
    if (!Length)
      return Length.takeError();
    if (Current == Number || *Length == 0)
      return llvm::StringRef(Buffer.data() + At, *Length).rtrim("\r\n");
    At += *Length;
    ++Current;
  }
}

/// Splits off the first word.
static llvm::StringRef nextWord(llvm::StringRef &Rest) {
  const char *I = Rest.begin(), *E = Rest.end();
  auto IsBlank = [](char C) { return C == ' ' || C == '\t'; };
  while (I != E && IsBlank(*I))
    ++I;
  const char *Begin = I;
  while (I != E && !IsBlank(*I))
    ++I;
  Rest = Rest.drop_front(size_t(I - Rest.begin()));
  return {Begin, size_t(I - Begin)};
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
  Rest = Rest.split(';').first;
  for (llvm::StringRef Word; !(Word = nextWord(Rest)).empty();) {
    if (!Text.empty())
      Text += ' ';
    Text += Word;
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

llvm::Expected<uint64_t> firstLineOfMoment(TraceText &Text, uint64_t Line,
                                           uint64_t Time) {
  std::optional<uint64_t> Last;
  uint64_t First = Line;
  for (uint64_t N = 1; N < Line; ++N) {
    auto Content = Text.line(N);
    if (!Content)
      return Content.takeError();
    if (auto T = timestampOf(*Content))
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
