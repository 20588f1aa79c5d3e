//===- MappedFile.h - Files that are read where they lie --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_MAPPEDFILE_H
#define REWIND_SUPPORT_MAPPEDFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace rw {

/// A regular file, mapped for reading. Whoever reads from a mapping of a file
/// that has become shorter, or whose disk has errors, is ended by SIGBUS, and
/// with him a debugger that has done no wrong. Therefore
///
/// - the kernel is asked to tell (a lease, see fcntl(2)) before anybody opens
///   the file for writing or cuts it short; who does waits until its contents
///   have been copied into memory, where they go on being read;
/// - where there is no lease, a file that is not large is copied at once;
/// - a page that cannot be read after all becomes zeros, and check() tells.
class MappedFile final : public llvm::MemoryBuffer {
public:
  static llvm::Expected<std::unique_ptr<MappedFile>> open(llvm::StringRef Path);
  ~MappedFile() override;

  /// Costs next to nothing.
  bool lost() const;
  /// An Error if anything that was read may have been wrong.
  llvm::Error check() const;

  BufferKind getBufferKind() const override { return MemoryBuffer_MMap; }
  llvm::StringRef getBufferIdentifier() const override { return Path; }

private:
  MappedFile() = default;
  std::string Path;
  struct Region *Where = nullptr; ///< null: it is in memory
  std::unique_ptr<llvm::MemoryBuffer> Copy;
};

/// check() of the mappings of \p Path, whoever has made them.
llvm::Error checkMapped(llvm::StringRef Path);

} // namespace rw

#endif // REWIND_SUPPORT_MAPPEDFILE_H
