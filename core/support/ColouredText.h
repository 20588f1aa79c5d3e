//===- ColouredText.h - Text with a debugger's colours ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_COLOUREDTEXT_H
#define REWIND_SUPPORT_COLOUREDTEXT_H

#include "core/support/Printable.h"
#include "llvm/ADT/StringExtras.h"

namespace rw {

/// Whether \p Code, of a terminal's sequence that selects graphics, sets a
/// colour (or bold, faint, italic, underlined) in which text can be read. 30
/// and 90 are black.
inline bool isReadableColour(llvm::StringRef Code) {
  unsigned N = 0;
  if (Code.getAsInteger(10, N))
    return Code.empty(); // all as usual
  return N <= 4 || (N >= 22 && N <= 24) || (N >= 31 && N <= 37) || N == 39 ||
         (N >= 91 && N <= 97);
}

/// The length of the sequence that \p Text begins with, if all that it does is
/// to set such colours; else 0.
inline size_t colourSequence(llvm::StringRef Text) {
  if (!Text.starts_with("\x1b["))
    return 0;
  const llvm::StringRef Codes = Text.drop_front(2).take_while(
      [](char C) { return llvm::isDigit(C) || C == ';'; });
  const size_t Length = Codes.size() + 3; // with ESC, "[" and "m"
  return Text.size() >= Length && Text[Length - 1] == 'm' &&
                 llvm::all_of(llvm::split(Codes, ';'), isReadableColour)
             ? Length
             : 0;
}

/// printableLines(), but colours stay, as LLDB has them in what it says. No
/// sequence that hides text does, whoever wrote it.
inline std::string printableInColour(llvm::StringRef Text) {
  std::string Out;
  while (!Text.empty()) {
    const size_t Colour = colourSequence(Text);
    const size_t Next =
        Colour ? Colour : std::min(Text.find('\x1b', 1), Text.size());
    Out += Colour ? Text.take_front(Next).str()
                  : printableLines(Text.take_front(Next));
    Text = Text.drop_front(Next);
  }
  return Out;
}

} // namespace rw

#endif // REWIND_SUPPORT_COLOUREDTEXT_H
