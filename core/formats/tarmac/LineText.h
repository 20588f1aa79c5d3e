//===- LineText.h - A cursor in one line ------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_LINETEXT_H
#define REWIND_FORMATS_TARMAC_LINETEXT_H

#include "core/formats/tarmac/Scan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace rw::tarmac {

/// What is left of a line; behind End there are SlackBytes more to read. Cheap
/// to copy, which is how to look ahead.
struct LineText {
  const char *P, *End;
  LineText(const char *P, const char *End) : P(P), End(End) {}

  bool atEnd() const { return P >= End; }
  char peek(size_t Ahead = 0) const {
    return P + Ahead < End ? P[Ahead] : '\0';
  }
  llvm::StringRef rest() const { return {P, size_t(End - P)}; }
  void skip() {
    while (P < End && isBlank(*P))
      ++P;
  }
  template <typename Fn> llvm::StringRef takeWhile(Fn Accept) {
    const char *Begin = P;
    while (P < End && Accept(*P))
      ++P;
    return {Begin, size_t(P - Begin)};
  }
  /// The next run of characters that are not blanks.
  llvm::StringRef word() {
    skip();
    return takeWhile([](char C) { return !isBlank(C); });
  }
  /// Skips blanks and \p C, if that comes next.
  bool eat(char C) {
    const char *Old = P;
    skip();
    if (peek() == C) {
      ++P;
      return true;
    }
    P = Old;
    return false;
  }
  /// 1 to 16 hex digits behind blanks, perhaps with 0x.
  bool hex(uint64_t &Value) {
    skip();
    if (peek() == '0' && (peek(1) | 0x20) == 'x')
      P += 2;
    unsigned N = scanHex(P, Value);
    if (N == 0 || N > 16 || P + N > End)
      return false;
    P += N;
    return true;
  }
  bool decimal(uint64_t &Value) {
    skip();
    unsigned N = scanDecimal(P, Value);
    if (N == 0 || N > 19 || P + N > End)
      return false;
    P += N;
    return true;
  }
  /// The text in parentheses, if they come next; else nothing happens.
  llvm::StringRef brackets() {
    LineText Old = *this;
    if (eat('(')) {
      llvm::StringRef Inner = takeWhile([](char C) { return C != ')'; });
      if (eat(')'))
        return Inner.trim();
    }
    *this = Old;
    return {};
  }
};

/// Whole bytes of a memory diagram.
inline bool isDiagramWord(llvm::StringRef W) {
  if (W.empty() || W.size() % 2 != 0 || W.size() > 32)
    return false;
  for (size_t I = 0; I < W.size(); I += 2) {
    char A = W[I], B = W[I + 1];
    auto Data = [](char C) { return isHex(C) || C == 'x' || C == 'X'; };
    if (!(A == B && (A == '.' || A == '#')) && !(Data(A) && Data(B)))
      return false;
  }
  return true;
}

/// Whether \p Word tells what kind of line it is: "IT", "R", "MR4_X"... What
/// stands before it is the name of a CPU. SlowParser.cpp
bool isKind(llvm::StringRef Word);

/// "cpu0", "cluster0.cpu1", "Core[2]": what may name the CPU of a line.
inline bool isCpuName(llvm::StringRef W) {
  return !W.empty() && W.size() <= 128 && llvm::all_of(W, [](char C) {
    return llvm::isAlnum(C) || C == '_' || C == '.' || C == '[' || C == ']' ||
           C == '/' || C == '-';
  });
}

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_LINETEXT_H
