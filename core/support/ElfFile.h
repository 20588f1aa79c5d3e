//===- ElfFile.h - ELF files that are read where they lie -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_ELFFILE_H
#define REWIND_SUPPORT_ELFFILE_H

#include "llvm/Object/ELFObjectFile.h"

namespace rw {

/// The file and what it is read from.
using ElfFile = llvm::object::OwningBinary<llvm::object::ELFObjectFileBase>;

/// Opens an image. It is mapped as MappedFile does it, so it may be cut short
/// while it is in use. An Error, at once, for what is no regular file, and for
/// other kinds of object files.
llvm::Expected<ElfFile> openElf(llvm::StringRef Path);

} // namespace rw

#endif // REWIND_SUPPORT_ELFFILE_H
