//===- MappedSections.h - A file of named sections, mapped ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_MAPPEDSECTIONS_H
#define REWIND_STORE_MAPPEDSECTIONS_H

#include "core/store/Format.h"
#include "core/support/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <memory>

namespace rw {

/// Tells the contents of a file of sections from those of any other, wherever
/// it lies.
struct StoreIdentity {
  uint64_t Bytes = 0;
  uint64_t Checksum = 0; ///< of its table of contents, with all checksums
  bool operator==(const StoreIdentity &) const = default;
};

/// A kind of file of sections.
struct SectionFileKind {
  const char (&Magic)[8];
  uint32_t Version;
  const char *What;   ///< for messages: "a Rewind index"
  const char *Remedy; ///< for one that is damaged: "build it again with ..."
};

/// What a SectionFile writes, mapped for reading. A section's checksum is
/// verified when it is first asked for; asking again costs a look-up among some
/// twenty. Safe to use from several threads.
class MappedSections {
public:
  static llvm::Expected<std::unique_ptr<MappedSections>>
  open(llvm::StringRef Path, const SectionFileKind &Kind);
  /// \p Buffer's identifier is its name in messages.
  static llvm::Expected<std::unique_ptr<MappedSections>>
  open(std::unique_ptr<llvm::MemoryBuffer> Buffer, const SectionFileKind &Kind);

  /// The number of a section, for those who ask for it often.
  static constexpr unsigned None = ~0u;
  unsigned number(llvm::StringRef Name) const;

  /// The bytes of a section; empty if there is none of that name.
  llvm::Expected<llvm::ArrayRef<uint8_t>> section(unsigned Number) const;
  llvm::Expected<llvm::ArrayRef<uint8_t>> section(llvm::StringRef Name) const {
    return section(number(Name));
  }
  /// As an array; it must be there and be a whole number of elements.
  template <typename T>
  llvm::Expected<llvm::ArrayRef<T>> array(llvm::StringRef Name) const {
    unsigned Number = number(Name);
    if (Number == None)
      return damaged("there is no section '" + Name + "'");
    return array<T>(Number);
  }
  template <typename T>
  llvm::Expected<llvm::ArrayRef<T>> array(unsigned Number) const {
    auto S = section(Number);
    if (!S)
      return S.takeError();
    if (S->size() % sizeof(T))
      return damaged("section '" + name(Number) + "' has a wrong size");
    return llvm::ArrayRef(reinterpret_cast<const T *>(S->data()),
                          S->size() / sizeof(T));
  }
  llvm::ArrayRef<uint8_t> bytes() const { return File; }
  StoreIdentity identity() const { return Identity; }
  llvm::Error damaged(const llvm::Twine &What) const;
  /// An Error if it was damaged while it was in use.
  llvm::Error check() const {
    return Map ? Map->check() : llvm::Error::success();
  }

private:
  llvm::StringRef name(unsigned Number) const { return Toc[Number].Name; }

  explicit MappedSections(const SectionFileKind &Kind) : Kind(Kind) {}
  llvm::Error load();
  llvm::Error isNot(const llvm::Twine &Why) const;

  const SectionFileKind Kind;
  std::string Path;
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  const MappedFile *Map = nullptr; ///< the buffer, if it is a file
  llvm::ArrayRef<uint8_t> File;
  llvm::ArrayRef<format::TocEntry> Toc;
  StoreIdentity Identity;
  std::unique_ptr<std::atomic<bool>[]> Checked;
};

} // namespace rw

#endif // REWIND_STORE_MAPPEDSECTIONS_H
