//===- StoreFile.h - Writing a file of named sections -----------*- C++ -*-===//
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
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace rw {

/// The container of stores and of layers: named sections with checksums, which
/// MappedSections reads. Format.h has the layout. Memory: that of the stream.
class SectionFile : public SectionWriter {
public:
  llvm::Error begin(llvm::StringRef Name) override;
  llvm::Error write(llvm::ArrayRef<uint8_t> Bytes) override;
  llvm::Error end() override;

  /// The open section's stream, for who fills it out of order. Its errors are
  /// told by end().
  llvm::raw_pwrite_stream &os() { return *Out; }

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

protected:
  SectionFile() = default;
  void start(llvm::raw_pwrite_stream &To, const char (&Magic)[8],
             uint32_t Version);
  /// Writes the table of contents, and the header in front of everything.
  llvm::Error finish();
  /// What went wrong so far.
  virtual llvm::Error check() = 0;
  /// The checksum of what was written there.
  virtual llvm::Expected<uint64_t> checksumOf(uint64_t Offset,
                                              uint64_t Size) = 0;

private:
  void align();

  format::FileHeader Header = {};
  llvm::raw_pwrite_stream *Out = nullptr;
  std::vector<format::TocEntry> Toc;
  bool Open = false;
};

/// On the disk. The file appears under its name only when it is complete.
class StoreFile final : public SectionFile {
public:
  /// \p O is made Regular and Derived.
  static llvm::Expected<std::unique_ptr<StoreFile>>
  create(llvm::StringRef Path, const char (&Magic)[8], uint32_t Version,
         OutputFile::Options O);
  llvm::Error commit();

private:
  StoreFile() = default;
  llvm::Error check() override { return File->check(); }
  llvm::Expected<uint64_t> checksumOf(uint64_t Offset, uint64_t Size) override;

  std::string Path;
  std::unique_ptr<OutputFile> File;
};

/// In memory, where there is no place for a file.
class StoreBuffer final : public SectionFile {
public:
  StoreBuffer(const char (&Magic)[8], uint32_t Version) {
    start(Stream, Magic, Version);
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> take();

private:
  llvm::Error check() override { return llvm::Error::success(); }
  llvm::Expected<uint64_t> checksumOf(uint64_t Offset, uint64_t Size) override;

  llvm::SmallVector<char, 0> Bytes;
  llvm::raw_svector_ostream Stream{Bytes};
};

} // namespace rw

#endif // REWIND_STORE_STOREFILE_H
