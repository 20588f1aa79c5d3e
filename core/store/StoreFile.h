//===- StoreFile.h - Writing the file of a store ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_STOREFILE_H
#define REWIND_STORE_STOREFILE_H

#include "core/store/Format.h"
#include "core/store/SectionWriter.h"
#include "core/support/Coding.h"
#include "core/support/OutputFile.h"
#include <memory>
#include <string>

namespace rw {

/// A file of named sections that appears under its name only when it is
/// complete. Also used for sidecar files with a magic of their own.
class StoreFile final : public SectionWriter {
public:
  static llvm::Expected<std::unique_ptr<StoreFile>>
  create(llvm::StringRef Path, const char (&Magic)[8], uint32_t Version,
         bool Private);

  llvm::Error begin(llvm::StringRef Name) override;
  llvm::Error write(llvm::ArrayRef<uint8_t> Bytes) override;
  llvm::Error end() override;

  /// Bytes outside any section, 8-byte aligned: their place in the file.
  llvm::Expected<uint64_t> append(llvm::ArrayRef<uint8_t> Bytes);
  /// A whole section at once.
  llvm::Error section(llvm::StringRef Name, llvm::ArrayRef<uint8_t> Bytes);
  template <typename T>
  llvm::Error arraySection(llvm::StringRef Name, const std::vector<T> &A) {
    return section(Name,
                   llvm::ArrayRef(reinterpret_cast<const uint8_t *>(A.data()),
                                  A.size() * sizeof(T)));
  }

  /// Writes the table of contents and puts the file in place.
  llvm::Error commit();

private:
  StoreFile() = default;
  void align();

  format::FileHeader Header = {};
  std::unique_ptr<OutputFile> File;
  FileStream *Out = nullptr; ///< File's
  std::vector<format::TocEntry> Toc;
  bool Open = false;
  Bytes Pending; ///< of the open section, to be checksummed as a whole
};

} // namespace rw

#endif // REWIND_STORE_STOREFILE_H
