//===- InputFile.h - Files that are read as a whole -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_INPUTFILE_H
#define REWIND_SUPPORT_INPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <sys/types.h>

namespace rw {

/// "a named pipe", for messages.
llvm::StringRef fileKind(mode_t Mode);

/// A file descriptor that is closed at the end.
class FileHandle {
public:
  explicit FileHandle(int FD = -1) : FD(FD) {}
  FileHandle(FileHandle &&Other) : FD(Other.release()) {}
  FileHandle &operator=(FileHandle &&Other);
  ~FileHandle();
  int get() const { return FD; }
  int release() {
    int Old = FD;
    FD = -1;
    return Old;
  }

private:
  int FD;
};

/// What the open file \p FD is if reading it may wait or never end: "a pipe",
/// and the files that the kernel makes up (/proc, /sys), which look regular.
/// Empty for a regular file.
llvm::StringRef endlessKind(int FD, mode_t Mode);

/// Opens a regular file for reading. An Error, at once, for anything that would
/// make a reader wait or never end: pipes, devices, sockets, directories, what
/// the kernel makes up.
llvm::Expected<FileHandle> openRegular(llvm::StringRef Path,
                                       uint64_t *Size = nullptr);

/// An Error if \p Path cannot be opened as a regular file: for those who let
/// somebody else open it.
llvm::Error checkRegular(llvm::StringRef Path);

/// The contents of a regular file, ended by a 0: read, not mapped, so that the
/// file may shrink meanwhile. An Error if it has more than \p MaxBytes (at most
/// what the machine has of memory).
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readWholeFile(llvm::StringRef Path, uint64_t MaxBytes = ~uint64_t(0));
llvm::Expected<std::unique_ptr<llvm::WritableMemoryBuffer>>
readWritable(llvm::StringRef Path, uint64_t MaxBytes = ~uint64_t(0));

} // namespace rw

#endif // REWIND_SUPPORT_INPUTFILE_H
