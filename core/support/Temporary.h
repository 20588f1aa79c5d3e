//===- Temporary.h - Files that are not yet what they will be ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_TEMPORARY_H
#define REWIND_SUPPORT_TEMPORARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdio>
#include <memory>
#include <string>
#include <sys/types.h>

namespace rw {

/// A file with a name of its own in a given folder, until it is renamed. It is
/// removed by the destructor, by a signal that ends the process (SIGHUP,
/// SIGINT, SIGTERM, SIGQUIT), and, after SIGKILL or a crash, by the next
/// process that makes one in the same folder. Its owner holds a lock on it:
/// thus that process knows it from the file of somebody who is at work.
class Temporary {
public:
  /// \p Mode as open() takes it: less what umask forbids.
  static llvm::Expected<Temporary> create(llvm::StringRef Folder, mode_t Mode);
  Temporary(Temporary &&Other);
  ~Temporary();

  int descriptor() const { return FD; }
  const std::string &path() const { return Path; }
  /// Gives it its name: an error of the system, or success.
  std::error_code rename(llvm::StringRef To);

private:
  Temporary() = default;
  void forget();

  int FD = -1;
  unsigned Slot = 0;
  std::string Path;
};

/// A file without a name in TMPDIR (or /tmp), written from its beginning to its
/// end, then read back by the same process. Errors name the folder.
class ScratchFile {
public:
  ScratchFile();
  /// What fails, finish() tells.
  void write(llvm::ArrayRef<uint8_t> Data);
  /// After the last write().
  llvm::Error finish();
  /// All of \p To, from \p Offset on.
  llvm::Error read(uint64_t Offset, llvm::MutableArrayRef<uint8_t> To);

private:
  struct Closer {
    void operator()(std::FILE *F) const { std::fclose(F); }
  };
  std::string Folder;
  std::unique_ptr<std::FILE, Closer> File;
  int Failure = 0; ///< errno of the first one
};

/// Removes the temporary files of \p Folder whose owners are gone.
void removeLeftTemporaries(llvm::StringRef Folder);

/// Removes all temporary files of this process, then ends it by \p Signal: for
/// handlers of signals.
void endBySignal(int Signal);

} // namespace rw

#endif // REWIND_SUPPORT_TEMPORARY_H
