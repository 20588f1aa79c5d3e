//===- ElfFile.cpp - ELF files that are read where they lie ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/ElfFile.h"
#include "core/support/MappedFile.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;
using namespace llvm::object;

namespace rw {

Expected<ElfFile> openElf(StringRef Path) {
  auto Bytes = MappedFile::open(Path);
  if (!Bytes)
    return Bytes.takeError();
  if (!(*Bytes)->getBuffer().starts_with(ELF::ElfMagic))
    return createStringError("it is not an ELF file");
  auto File = ObjectFile::createELFObjectFile((*Bytes)->getMemBufferRef());
  if (!File)
    return File.takeError();
  std::unique_ptr<ELFObjectFileBase> Elf(
      cast<ELFObjectFileBase>(File->release()));
  return ElfFile(std::move(Elf), std::move(*Bytes));
}

} // namespace rw
