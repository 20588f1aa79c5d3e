//===- Compress.h - Test data in every compression --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_FORMATS_COMPRESS_H
#define REWIND_TEST_FORMATS_COMPRESS_H

#include <bzlib.h>
#include <lzma.h>
#include <string>
#include <zlib.h>
#include <zstd.h>

namespace rw {

enum Codec { Plain, Gzip, Xz, Zstd, Bzip2 };

inline std::string compress(const std::string &Text, Codec C) {
  std::string Out(Text.size() + Text.size() / 50 + 1000, '\0');
  size_t Size = 0;
  auto *Bytes = reinterpret_cast<uint8_t *>(Out.data());
  switch (C) {
  case Plain:
    return Text;
  case Gzip: {
    z_stream Z = {};
    deflateInit2(&Z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    Z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Text.data()));
    Z.avail_in = uInt(Text.size());
    Z.next_out = Bytes;
    Z.avail_out = uInt(Out.size());
    deflate(&Z, Z_FINISH);
    Size = Z.total_out;
    deflateEnd(&Z);
    break;
  }
  case Xz:
    if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, nullptr,
                                reinterpret_cast<const uint8_t *>(Text.data()),
                                Text.size(), Bytes, &Size,
                                Out.size()) != LZMA_OK)
      abort();
    break;
  case Zstd:
    Size = ZSTD_compress(Out.data(), Out.size(), Text.data(), Text.size(), 1);
    break;
  case Bzip2: {
    unsigned N = unsigned(Out.size());
    BZ2_bzBuffToBuffCompress(Out.data(), &N, const_cast<char *>(Text.data()),
                             unsigned(Text.size()), 1, 0, 0);
    Size = N;
    break;
  }
  }
  Out.resize(Size);
  return Out;
}

} // namespace rw

#endif // REWIND_TEST_FORMATS_COMPRESS_H
