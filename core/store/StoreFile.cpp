//===- StoreFile.cpp - Writing the file of a store ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/StoreFile.h"
#include "core/store/Checksum.h"

using namespace rw;
using namespace rw::format;

llvm::Expected<std::unique_ptr<StoreFile>>
StoreFile::create(llvm::StringRef Path, const char (&Magic)[8],
                  uint32_t Version, bool Private) {
  std::unique_ptr<StoreFile> F(new StoreFile);
  OutputFile::Options O;
  O.Regular = O.Derived = true;
  O.Private = Private;
  O.What = "the index ";
  auto File = OutputFile::create(Path, O);
  if (!File)
    return File.takeError();
  F->File = std::move(*File);
  F->Out = &F->File->os();
  F->Out->SetBufferSize(1 << 20);
  std::memcpy(F->Header.Magic, Magic, 8);
  F->Header.Version = Version;
  F->Header.HeaderBytes = sizeof(FileHeader);
  F->Out->write(reinterpret_cast<const char *>(&F->Header), sizeof(FileHeader));
  return F;
}

void StoreFile::align() {
  static const char Zeros[8] = {};
  Out->write(Zeros, size_t(-Out->tell() & 7));
}

llvm::Expected<uint64_t> StoreFile::append(llvm::ArrayRef<uint8_t> Data) {
  assert(!Open && "inside a section");
  align();
  uint64_t At = Out->tell();
  Out->write(reinterpret_cast<const char *>(Data.data()), Data.size());
  if (llvm::Error E = File->check())
    return E;
  return At;
}

llvm::Error StoreFile::begin(llvm::StringRef Name) {
  assert(!Open && Name.size() < sizeof(TocEntry::Name));
  Open = true;
  TocEntry T = {};
  std::memcpy(T.Name, Name.data(), Name.size());
  Toc.push_back(T);
  Pending.clear();
  return llvm::Error::success();
}

llvm::Error StoreFile::write(llvm::ArrayRef<uint8_t> Data) {
  assert(Open);
  Pending.insert(Pending.end(), Data.begin(), Data.end());
  return llvm::Error::success();
}

llvm::Error StoreFile::end() {
  assert(Open);
  Open = false;
  llvm::Expected<uint64_t> At = append(Pending);
  if (!At)
    return At.takeError();
  Toc.back().Offset = *At;
  Toc.back().Bytes = Pending.size();
  Toc.back().Checksum = checksum(Pending);
  Pending = {};
  return llvm::Error::success();
}

llvm::Error StoreFile::section(llvm::StringRef Name,
                               llvm::ArrayRef<uint8_t> Data) {
  if (llvm::Error E = begin(Name))
    return E;
  Open = false;
  llvm::Expected<uint64_t> At = append(Data);
  if (!At)
    return At.takeError();
  Toc.back().Offset = *At;
  Toc.back().Bytes = Data.size();
  Toc.back().Checksum = checksum(Data);
  return llvm::Error::success();
}

llvm::Error StoreFile::commit() {
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
  return File->commit();
}
