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
  return llvm::createStringError("'" + Path + "' is damaged: " + Text + "; " +
                                 Kind.Remedy);
}

llvm::Error MappedSections::isNot(const llvm::Twine &Why) const {
  return llvm::createStringError("'" + Path + "' is not " + Kind.What + ": " +
                                 Why);
}

llvm::Expected<std::unique_ptr<MappedSections>>
MappedSections::open(llvm::StringRef Path, const SectionFileKind &Kind) {
  auto Map = MappedFile::open(Path);
  if (!Map)
    return Map.takeError();
  std::unique_ptr<MappedSections> M(new MappedSections(Kind));
  M->Path = Path.str();
  M->Map = Map->get();
  M->Buffer = std::move(*Map);
  if (llvm::Error E = M->load())
    return E;
  return M;
}

llvm::Expected<std::unique_ptr<MappedSections>>
MappedSections::open(std::unique_ptr<llvm::MemoryBuffer> Buffer,
                     const SectionFileKind &Kind) {
  std::unique_ptr<MappedSections> M(new MappedSections(Kind));
  M->Path = Buffer->getBufferIdentifier().str();
  M->Buffer = std::move(Buffer);
  if (llvm::Error E = M->load())
    return E;
  return M;
}

llvm::Error MappedSections::load() {
  File = llvm::arrayRefFromStringRef(Buffer->getBuffer());
  const uint64_t Size = File.size();
  if (Size < sizeof(FileHeader))
    return isNot("too short");
  FileHeader H;
  std::memcpy(&H, File.data(), sizeof(H));
  if (std::memcmp(H.Magic, Kind.Magic, 8))
    return isNot("it does not begin with the magic number");
  if (H.Version != Kind.Version)
    return llvm::createStringError("'" + Path + "' is " + Kind.What +
                                   " of version " + llvm::Twine(H.Version) +
                                   "; this program reads version " +
                                   llvm::Twine(Kind.Version));
  if (H.HeaderChecksum !=
      checksum(File.take_front(offsetof(FileHeader, HeaderChecksum))))
    return damaged("wrong checksum of the header");
  if (H.FileBytes != Size)
    return damaged("it has " + llvm::Twine(Size) + " bytes, not " +
                   llvm::Twine(H.FileBytes));
  if (H.TocOffset % 8 || H.TocOffset > Size ||
      H.TocBytes > Size - H.TocOffset || H.TocBytes % sizeof(TocEntry))
    return damaged("the table of contents is not inside the file");
  llvm::ArrayRef<uint8_t> T = File.slice(H.TocOffset, H.TocBytes);
  if (checksum(T) != H.TocChecksum)
    return damaged("wrong checksum of the table of contents");
  Identity = {H.FileBytes, H.TocChecksum};
  Toc = {reinterpret_cast<const TocEntry *>(T.data()),
         T.size() / sizeof(TocEntry)};
  for (const TocEntry &E : Toc)
    if (E.Offset % 8 || E.Offset > Size || E.Bytes > Size - E.Offset ||
        E.Name[sizeof(E.Name) - 1])
      return damaged("a section is not inside the file");
  Checked = std::make_unique<std::atomic<bool>[]>(Toc.size());
  return llvm::Error::success();
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
  if (Map && Map->lost())
    return check();
  llvm::ArrayRef<uint8_t> S = File.slice(Toc[I].Offset, Toc[I].Bytes);
  if (!Checked[I].load(std::memory_order_acquire)) {
    if (checksum(S) != Toc[I].Checksum)
      return damaged("wrong checksum of section '" + name(I) + "'");
    Checked[I].store(true, std::memory_order_release);
  }
  return S;
}
