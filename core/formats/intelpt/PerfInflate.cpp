//===- PerfInflate.cpp - Records that perf record -z has packed -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/PerfInflate.h"
#include "core/formats/TraceFormat.h"
#include "core/formats/intelpt/PerfRecords.h"
#include "llvm/Support/FormatVariadic.h"
#include <zstd.h>

using namespace llvm;

namespace rw::intelpt::perf {

struct Inflater::Stream {
  ZSTD_DCtx *Context = ZSTD_createDCtx();
  ~Stream() { ZSTD_freeDCtx(Context); }
};

Inflater::Inflater(uint64_t MaxBytes)
    : MaxBytes(MaxBytes), In(std::make_unique<Stream>()) {}
Inflater::~Inflater() = default;

Error Inflater::add(ArrayRef<uint8_t> Packed,
                    function_ref<Error(ArrayRef<uint8_t>)> Found) {
  if (!In->Context)
    return createStringError(std::make_error_code(std::errc::not_enough_memory),
                             "no memory to decompress with");
  ZSTD_inBuffer From{Packed.data(), Packed.size(), 0};
  uint64_t Bytes = 0;
  std::vector<uint8_t> Piece(ZSTD_DStreamOutSize());
  // A full piece may leave some that is unpacked already.
  for (bool More = true; More;) {
    ZSTD_outBuffer To{Piece.data(), Piece.size(), 0};
    size_t Left = ZSTD_decompressStream(In->Context, &To, &From);
    if (ZSTD_isError(Left))
      return badTrace(
          formatv("is damaged: zstd says \"{0}\"", ZSTD_getErrorName(Left)));
    Bytes += To.pos;
    if (Bytes > MaxBytes)
      return badTrace(formatv(
          "holds more than the {0} bytes of a buffer of perf", MaxBytes));
    Waiting.insert(Waiting.end(), Piece.begin(), Piece.begin() + To.pos);
    More = From.pos < From.size || To.pos == To.size;

    ArrayRef<uint8_t> Rest(Waiting);
    while (Rest.size() >= RecordHeader::Size) {
      FieldReader F(Rest);
      RecordHeader H = readHeader(F);
      if (H.Bytes < RecordHeader::Size)
        return badTrace(
            formatv("holds something that is no record: it says that it "
                    "has {0} bytes",
                    H.Bytes));
      if (H.Bytes > Rest.size())
        break;
      if (Error E = Found(Rest.take_front(H.Bytes)))
        return E;
      Rest = Rest.drop_front(H.Bytes);
    }
    Waiting.erase(Waiting.begin(), Waiting.end() - Rest.size());
  }
  return Error::success();
}

} // namespace rw::intelpt::perf
