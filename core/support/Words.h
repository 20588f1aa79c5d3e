//===- Words.h - The letters of names ---------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_WORDS_H
#define REWIND_SUPPORT_WORDS_H

#include "llvm/ADT/StringExtras.h"

namespace rw {

/// Whether \p C is of a name, as C and LLDB's own variables ("$x0") have them.
/// Letters that are not ASCII are bytes of UTF-8.
inline bool isWord(char C) {
  return llvm::isAlnum(C) || C == '_' || C == '$' || (C & 0x80);
}

/// Whether \p Name is that of \p Whole, "a::b::c", or its last words, "b::c".
inline bool endsInName(llvm::StringRef Whole, llvm::StringRef Name) {
  return Whole.consume_back(Name) && (Whole.empty() || Whole.ends_with("::"));
}

} // namespace rw

#endif // REWIND_SUPPORT_WORDS_H
