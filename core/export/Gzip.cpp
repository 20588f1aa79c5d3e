//===- Gzip.cpp - Compressed files ----------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/Gzip.h"

namespace rw {

llvm::Expected<std::string> gunzip(llvm::StringRef Bytes) {
  constexpr size_t Most = size_t(2) << 30;
  z_stream Z = {};
  if (inflateInit2(&Z, 15 + 16) != Z_OK)
    return llvm::createStringError("there is no memory to uncompress it");
  std::string Out;
  char Buffer[1 << 16];
  Z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Bytes.data()));
  Z.avail_in = uInt(Bytes.size());
  int Status = Z_OK;
  while (Status == Z_OK && Out.size() < Most) {
    Z.next_out = reinterpret_cast<Bytef *>(Buffer);
    Z.avail_out = sizeof(Buffer);
    Status = inflate(&Z, Z_NO_FLUSH);
    Out.append(Buffer, sizeof(Buffer) - Z.avail_out);
    if (Status == Z_STREAM_END && Z.avail_in)
      Status = inflateReset(&Z);
  }
  uint64_t At = Bytes.size() - Z.avail_in;
  inflateEnd(&Z);
  if (Status == Z_STREAM_END)
    return Out;
  if (Status == Z_OK)
    return llvm::createStringError("it is larger than 2 GiB");
  return llvm::createStringError("the compressed data end or are damaged at "
                                 "byte " +
                                 llvm::Twine(At));
}

} // namespace rw
