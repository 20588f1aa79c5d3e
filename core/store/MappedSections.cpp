//===- MappedSections.cpp - A file of named sections, mapped --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/MappedSections.h"
#include "core/store/Checksum.h"
#include "llvm/ADT/StringExtras.h"

using namespace rw;
using namespace rw::format;

llvm::Error MappedSections::damaged(const llvm::Twine &Text) const {
  return llvm::createStringError("'" + Path + "' is damaged: " + Text +
                                 "; build it again with --force-index");
}

llvm::Expected<std::unique_ptr<MappedSections>>
MappedSections::open(llvm::StringRef Path, const char (&Magic)[8],
                     uint32_t Version, llvm::StringRef What) {
  std::unique_ptr<MappedSections> M(new MappedSections);
  M->Path = Path.str();
  M->What = What.str();
  auto Map = MappedFile::open(Path);
  if (!Map)
    return Map.takeError();
  M->Map = std::move(*Map);
  M->File = llvm::arrayRefFromStringRef(M->Map->getBuffer());
  const uint64_t Size = M->File.size();
  if (Size < sizeof(FileHeader))
    return llvm::createStringError("'" + M->Path + "' is not " + M->What +
                                   ": too short");
  FileHeader H;
  std::memcpy(&H, M->File.data(), sizeof(H));
  if (std::memcmp(H.Magic, Magic, 8))
    return llvm::createStringError("'" + M->Path + "' is not " + M->What +
                                   ": it does not begin with the magic number");
  if (H.Version != Version)
    return llvm::createStringError("'" + M->Path + "' is " + M->What +
                                   " of version " + llvm::Twine(H.Version) +
                                   "; this program reads version " +
                                   llvm::Twine(Version));
  if (H.HeaderChecksum !=
      checksum(M->File.take_front(offsetof(FileHeader, HeaderChecksum))))
    return M->damaged("wrong checksum of the header");
  if (H.FileBytes != Size)
    return M->damaged("it has " + llvm::Twine(Size) + " bytes, not " +
                      llvm::Twine(H.FileBytes));
  if (H.TocOffset % 8 || H.TocOffset > Size ||
      H.TocBytes > Size - H.TocOffset || H.TocBytes % sizeof(TocEntry))
    return M->damaged("the table of contents is not inside the file");
  llvm::ArrayRef<uint8_t> T = M->File.slice(H.TocOffset, H.TocBytes);
  if (checksum(T) != H.TocChecksum)
    return M->damaged("wrong checksum of the table of contents");
  M->Toc = {reinterpret_cast<const TocEntry *>(T.data()),
            T.size() / sizeof(TocEntry)};
  for (const TocEntry &E : M->Toc)
    if (E.Offset % 8 || E.Offset > Size || E.Bytes > Size - E.Offset ||
        E.Name[sizeof(E.Name) - 1])
      return M->damaged("a section is not inside the file");
  M->Checked = std::make_unique<std::atomic<bool>[]>(M->Toc.size());
  return M;
}

unsigned MappedSections::number(llvm::StringRef Name) const {
  for (unsigned I = 0; I < Toc.size(); ++I)
    if (Name == Toc[I].Name)
      return I;
  return None;
}

llvm::Expected<llvm::ArrayRef<uint8_t>>
MappedSections::section(unsigned I) const {
  if (I == None)
    return llvm::ArrayRef<uint8_t>();
  if (Map->lost())
    return check();
  llvm::ArrayRef<uint8_t> S = File.slice(Toc[I].Offset, Toc[I].Bytes);
  if (!Checked[I].load(std::memory_order_acquire)) {
    if (checksum(S) != Toc[I].Checksum)
      return damaged("wrong checksum of section '" + name(I) + "'");
    Checked[I].store(true, std::memory_order_release);
  }
  return S;
}
