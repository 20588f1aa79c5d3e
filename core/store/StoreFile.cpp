//===- StoreFile.cpp - Writing a file of named sections -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/StoreFile.h"
#include "core/store/Checksum.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace rw;
using namespace rw::format;

void SectionFile::start(llvm::raw_pwrite_stream &To, const char (&Magic)[8],
                        uint32_t Version) {
  Out = &To;
  std::memcpy(Header.Magic, Magic, 8);
  Header.Version = Version;
  Header.HeaderBytes = sizeof(FileHeader);
  Out->write(reinterpret_cast<const char *>(&Header), sizeof(FileHeader));
}

void SectionFile::align() { Out->write_zeros(unsigned(-Out->tell() & 7)); }

llvm::Expected<uint64_t> SectionFile::append(llvm::ArrayRef<uint8_t> Data) {
  assert(!Open && "inside a section");
  align();
  uint64_t At = Out->tell();
  Out->write(reinterpret_cast<const char *>(Data.data()), Data.size());
  if (llvm::Error E = check())
    return E;
  return At;
}

llvm::Error SectionFile::begin(llvm::StringRef Name) {
  assert(!Open && Name.size() < sizeof(TocEntry::Name));
  Open = true;
  align();
  TocEntry T = {};
  std::memcpy(T.Name, Name.data(), Name.size());
  T.Offset = Out->tell();
  Toc.push_back(T);
  return llvm::Error::success();
}

llvm::Error SectionFile::write(llvm::ArrayRef<uint8_t> Data) {
  assert(Open);
  Out->write(reinterpret_cast<const char *>(Data.data()), Data.size());
  return llvm::Error::success();
}

llvm::Error SectionFile::end() {
  assert(Open);
  Open = false;
  TocEntry &T = Toc.back();
  T.Bytes = Out->tell() - T.Offset;
  Out->flush();
  if (llvm::Error E = check())
    return E;
  auto Sum = checksumOf(T.Offset, T.Bytes);
  if (!Sum)
    return Sum.takeError();
  T.Checksum = *Sum;
  return llvm::Error::success();
}

llvm::Error SectionFile::section(llvm::StringRef Name,
                                 llvm::ArrayRef<uint8_t> Data) {
  if (llvm::Error E = begin(Name))
    return E;
  if (llvm::Error E = write(Data))
    return E;
  Open = false;
  Toc.back().Bytes = Data.size();
  Toc.back().Checksum = checksum(Data);
  return check();
}

llvm::Error SectionFile::finish() {
  llvm::ArrayRef<uint8_t> T(reinterpret_cast<const uint8_t *>(Toc.data()),
                            Toc.size() * sizeof(TocEntry));
  llvm::Expected<uint64_t> At = append(T);
  if (!At)
    return At.takeError();
  Header.TocOffset = *At;
  Header.TocBytes = T.size();
  Header.TocChecksum = checksum(T);
  Header.FileBytes = Out->tell();
  Header.HeaderChecksum = checksum({reinterpret_cast<const uint8_t *>(&Header),
                                    offsetof(FileHeader, HeaderChecksum)});
  Out->pwrite(reinterpret_cast<const char *>(&Header), sizeof(Header), 0);
  return check();
}

llvm::Expected<std::unique_ptr<StoreFile>>
StoreFile::create(llvm::StringRef Path, const char (&Magic)[8],
                  uint32_t Version, OutputFile::Options O) {
  std::unique_ptr<StoreFile> F(new StoreFile);
  F->Path = Path.str();
  O.Regular = O.Derived = true;
  auto File = OutputFile::create(Path, std::move(O));
  if (!File)
    return File.takeError();
  F->File = std::move(*File);
  F->File->os().SetBufferSize(1 << 20);
  F->start(F->File->os(), Magic, Version);
  return F;
}

llvm::Expected<uint64_t> StoreFile::checksumOf(uint64_t Offset, uint64_t Size) {
  auto Written = llvm::MemoryBuffer::getOpenFileSlice(
      llvm::sys::fs::convertFDToNativeFile(File->descriptor()), Path, Size,
      int64_t(Offset));
  if (!Written)
    return llvm::createStringError(Written.getError(),
                                   "cannot read back '" + Path +
                                       "': " + Written.getError().message());
  return checksum(llvm::arrayRefFromStringRef((*Written)->getBuffer()));
}

llvm::Error StoreFile::commit() {
  if (llvm::Error E = finish())
    return E;
  return File->commit();
}

llvm::Expected<uint64_t> StoreBuffer::checksumOf(uint64_t Offset,
                                                 uint64_t Size) {
  return checksum(
      llvm::arrayRefFromStringRef(Stream.str().substr(Offset, Size)));
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> StoreBuffer::take() {
  if (llvm::Error E = finish())
    return E;
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(Bytes), /*RequiresNullTerminator=*/false);
}
