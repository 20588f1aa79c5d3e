//===- ImageSession.h - A session that knows the images ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_IMAGESESSION_H
#define REWIND_COMMANDS_LVALUES_IMAGESESSION_H

#include "commands/lvalues/ImageExpressions.h"
#include "commands/support/ElfSymbols.h"
#include "commands/support/LoadOptions.h"
#include "commands/support/Session.h"

namespace rw {

/// A session with the images of a trace: those that the user names, and the
/// modules that the trace names. Nothing of a debugger is in it.
class ImageSession {
public:
  /// The store must outlive this, and so must \p Out.
  ImageSession(const TraceStore &Store, llvm::raw_ostream &Out)
      : S(Store, Out, Memory) {}
  ImageSession(const ImageSession &) = delete;

  /// What is odd about an image goes to the session's Warn. An Error if one
  /// cannot be read, or, without \p Force, is not that of the trace.
  llvm::Error add(std::vector<ImageOption> Images, bool Force);
  Session &session() { return S; }

private:
  SessionMemory Memory;
  ElfSymbols Symbols;
  std::optional<ImageExpressions> Expressions;
  Session S;
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_IMAGESESSION_H
