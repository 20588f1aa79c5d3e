//===- CommandHost.h - Commands for those without a terminal ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_COMMANDHOST_H
#define REWIND_COMMANDS_SUPPORT_COMMANDHOST_H

#include "commands/Command.h"

namespace rw {

/// Runs commands of the registry for a client of a server, which stands
/// somewhere in the trace as a debugger does and remembers what one command
/// leaves for the next, unless it is Alone.
class CommandHost {
public:
  enum Trust {
    All,     ///< it may do what the user may
    Answers, ///< what Command::OnlyAsks says
  };
  /// Symbols, paths and the watch are those of \p Base, which must outlive
  /// this.
  CommandHost(const Session &Base, Trust T) : Base(Base), Allowed(T) {}

  /// Where the client stands. Its own place if these are not set.
  std::function<Place()> Where;
  std::function<llvm::Error(Place, const std::string &Why)> Move;
  /// Asked along with the watch of the base session.
  std::function<bool()> Interrupted;
  /// Each command is on its own: there is no place to stand at and to move, and
  /// nothing is remembered.
  bool Alone = false;
  /// As rw::Watch has it.
  std::function<void(llvm::StringRef, uint64_t, uint64_t)> Progress;

  /// An Error says why \p C is not for this client.
  llvm::Error allows(const Command &C, const ParsedOptions &O) const;
  /// Runs \p C, which writes to \p Out. \p Warn is told what is no part of the
  /// answer.
  llvm::Error run(const Command &C, llvm::ArrayRef<llvm::StringRef> Words,
                  llvm::raw_ostream &Out,
                  std::function<void(const std::string &)> Warn);
  /// Runs "list #5 -c 3", words quoted as in a shell, with or without "rewind";
  /// "help" too. What there is to say, errors included, comes out as printable
  /// text.
  void runLine(llvm::StringRef Line,
               llvm::function_ref<void(llvm::StringRef)> Print);

  /// What commands remember.
  SessionMemory &memory() { return Memory; }

private:
  const Session &Base;
  const Trust Allowed;
  SessionMemory Memory;
  Place Here;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_COMMANDHOST_H
