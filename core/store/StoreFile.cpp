//===- StoreFile.cpp - Writing the file of a store ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/StoreFile.h"
#include "core/store/Checksum.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace rw;
using namespace rw::format;

llvm::Expected<std::unique_ptr<StoreFile>>
StoreFile::create(llvm::StringRef Path, const char (&Magic)[8],
                  uint32_t Version) {
  std::unique_ptr<StoreFile> F(new StoreFile);
  F->Path = Path.str();
  llvm::SmallString<256> Name;
  int FD;
  if (std::error_code EC =
          llvm::sys::fs::createUniqueFile(Path + ".tmp-%%%%%%%%", FD, Name))
    return llvm::createStringError(EC, "cannot write the index '%s': %s",
                                   F->Path.c_str(), EC.message().c_str());
  F->Temporary = std::string(Name);
  // createUniqueFile asks for 0600 or'ed with what umask leaves; an index is as
  // readable as the user's other files.
  llvm::sys::fs::setPermissions(
      FD, llvm::sys::fs::perms(0666 & ~llvm::sys::fs::getUmask()));
  F->Out = std::make_unique<llvm::raw_fd_ostream>(FD, /*shouldClose=*/true);
  F->Out->SetBufferSize(1 << 20);
  std::memcpy(F->Header.Magic, Magic, 8);
  F->Header.Version = Version;
  F->Header.HeaderBytes = sizeof(FileHeader);
  F->Out->write(reinterpret_cast<const char *>(&F->Header), sizeof(FileHeader));
  return F;
}

StoreFile::~StoreFile() {
  if (!Out)
    return;
  Out->clear_error();
  Out.reset();
  llvm::sys::fs::remove(Temporary);
}

llvm::Error StoreFile::failure() const {
  if (!Out->has_error())
    return llvm::Error::success();
  return llvm::createStringError(Out->error(),
                                 "cannot write the index '%s': %s",
                                 Path.c_str(), Out->error().message().c_str());
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
  if (llvm::Error E = failure())
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
  Out->close();
  if (llvm::Error E = failure())
    return E;
  Out->clear_error();
  std::error_code EC = llvm::sys::fs::rename(Temporary, Path);
  if (EC)
    llvm::sys::fs::remove(Temporary);
  Out.reset();
  if (EC)
    return llvm::createStringError(EC, "cannot write the index '%s': %s",
                                   Path.c_str(), EC.message().c_str());
  return llvm::Error::success();
}
