//===- ServedFiles.h - Files that a debugger may read -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_SERVEDFILES_H
#define REWIND_REPLAY_SERVEDFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rw {

/// Host I/O packets (GDB manual, "Host I/O Packets") for a few named files, to
/// be read: GDB then finds the program by itself. No other file exists.
class ServedFiles {
public:
  explicit ServedFiles(std::vector<std::string> Paths)
      : Paths(std::move(Paths)) {}

  /// \p Packet is what comes after "vFile:". Empty for operations that are not
  /// supported.
  std::string answer(llvm::StringRef Packet);

private:
  std::string open(llvm::StringRef Args);
  std::string read(llvm::StringRef Args) const;
  std::string status(llvm::StringRef Args) const;

  const std::vector<std::string> Paths;
  std::map<uint64_t, std::unique_ptr<llvm::MemoryBuffer>> Open;
  uint64_t Next = 1;
};

} // namespace rw

#endif // REWIND_REPLAY_SERVEDFILES_H
