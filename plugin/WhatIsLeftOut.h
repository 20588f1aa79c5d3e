//===- WhatIsLeftOut.h - How much of Rewind a plugin is ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_WHATISLEFTOUT_H
#define REWIND_PLUGIN_WHATISLEFTOUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace rw {

/// What a user is told who types a command that there is none of, of a plugin
/// that lacks some: a sentence. Empty for the whole plugin.
llvm::StringRef whatIsLeftOut();

/// whatIsLeftOut() behind \p Before; nothing for the whole plugin.
inline std::string unlessWhole(llvm::StringRef Before) {
  return whatIsLeftOut().empty() ? "" : (Before + whatIsLeftOut()).str();
}

} // namespace rw

#endif // REWIND_PLUGIN_WHATISLEFTOUT_H
