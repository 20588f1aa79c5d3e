//===- TarMember.h - A trace inside a tar archive ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMEMBER_H
#define REWIND_FORMATS_TARMEMBER_H

#include "core/formats/InputStream.h"
#include <functional>

namespace rw {

/// Fills a buffer with the next bytes of a file; 0 at its end.
using ByteSource =
    std::function<llvm::Expected<size_t>(uint8_t *Buffer, size_t Size)>;

/// Where the first regular file of a tar archive begins and how long it is.
/// Offset 0: \p Head is not the beginning of an archive.
struct TarMember {
  uint64_t Offset = 0, Size = 0;
};
TarMember firstTarMember(llvm::ArrayRef<uint8_t> Head);

/// The bytes of a file that is plain, compressed, or the first member of a tar
/// archive. \p Stream is moved into the result.
llvm::Expected<ByteSource> openBytes(std::unique_ptr<InputStream> Stream);

} // namespace rw

#endif // REWIND_FORMATS_TARMEMBER_H
