//===- Decompressor.cpp - gzip, xz, zstd, bzip2 ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/Decompressor.h"
#include <algorithm>
#include <bzlib.h>
#include <climits>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace rw {

namespace {

constexpr char CutShort[] = "the file is cut short";
constexpr char Trailing[] = "something else follows the compressed data";

class Gzip final : public Decompressor {
public:
  Gzip() { Broken = inflateInit2(&Z, 15 + 16) != Z_OK; }
  ~Gzip() override { inflateEnd(&Z); }
  llvm::StringRef name() const override { return "gzip"; }

  Step run(llvm::ArrayRef<uint8_t> In, bool Last,
           llvm::MutableArrayRef<uint8_t> Out) override {
    Step S;
    if (Broken) {
      S.Problem = "out of memory";
      return S;
    }
    if (AtMemberEnd) {
      if (In.empty()) {
        S.Finished = Last;
        return S;
      }
      // Padding with zeros after the last member is common (tapes, blocks).
      if (In[0] == 0) {
        S.Consumed = std::find_if(In.begin(), In.end(),
                                  [](uint8_t C) { return C != 0; }) -
                     In.begin();
        return S;
      }
      inflateReset(&Z);
      AtMemberEnd = false;
    }
    size_t InSize = std::min<size_t>(In.size(), UINT_MAX);
    size_t OutSize = std::min<size_t>(Out.size(), UINT_MAX);
    Z.next_in = const_cast<uint8_t *>(In.data());
    Z.avail_in = uInt(InSize);
    Z.next_out = Out.data();
    Z.avail_out = uInt(OutSize);
    int R = inflate(&Z, Z_NO_FLUSH);
    S.Consumed = InSize - Z.avail_in;
    S.Produced = OutSize - Z.avail_out;
    if (R == Z_STREAM_END)
      AtMemberEnd = true;
    else if (R == Z_BUF_ERROR || R == Z_OK) {
      if (Last && S.Consumed == In.size() && S.Produced == 0)
        S.Problem = CutShort;
    } else
      S.Problem = Z.msg ? Z.msg : "not deflate data";
    return S;
  }

private:
  z_stream Z = {};
  bool Broken = false, AtMemberEnd = false;
};

class Xz final : public Decompressor {
public:
  Xz() {
    // The largest preset (-9) needs 65 MiB; more is a bomb.
    Broken =
        lzma_stream_decoder(&Z, 512ull << 20, LZMA_CONCATENATED) != LZMA_OK;
  }
  ~Xz() override { lzma_end(&Z); }
  llvm::StringRef name() const override { return "xz"; }

  Step run(llvm::ArrayRef<uint8_t> In, bool Last,
           llvm::MutableArrayRef<uint8_t> Out) override {
    Step S;
    if (Broken) {
      S.Problem = "out of memory";
      return S;
    }
    Z.next_in = In.data();
    Z.avail_in = In.size();
    Z.next_out = Out.data();
    Z.avail_out = Out.size();
    lzma_ret R = lzma_code(&Z, Last ? LZMA_FINISH : LZMA_RUN);
    S.Consumed = In.size() - Z.avail_in;
    S.Produced = Out.size() - Z.avail_out;
    switch (R) {
    case LZMA_OK:
      break;
    case LZMA_STREAM_END:
      S.Finished = true;
      break;
    case LZMA_BUF_ERROR:
      if (Last && S.Produced == 0)
        S.Problem = CutShort;
      break;
    case LZMA_MEMLIMIT_ERROR:
      S.Problem = "it needs more than 512 MiB to decompress";
      break;
    case LZMA_FORMAT_ERROR:
      S.Problem = Trailing;
      break;
    default:
      S.Problem = "checksum or structure is wrong";
    }
    return S;
  }

private:
  lzma_stream Z = LZMA_STREAM_INIT;
  bool Broken = false;
};

class Zstd final : public Decompressor {
public:
  ~Zstd() override { ZSTD_freeDStream(Z); }
  llvm::StringRef name() const override { return "zstd"; }

  Step run(llvm::ArrayRef<uint8_t> In, bool Last,
           llvm::MutableArrayRef<uint8_t> Out) override {
    Step S;
    if (In.empty() && Last && AtFrameEnd) {
      S.Finished = true;
      return S;
    }
    ZSTD_inBuffer I = {In.data(), In.size(), 0};
    ZSTD_outBuffer O = {Out.data(), Out.size(), 0};
    size_t R = ZSTD_decompressStream(Z, &O, &I);
    S.Consumed = I.pos;
    S.Produced = O.pos;
    if (ZSTD_isError(R))
      S.Problem = ZSTD_getErrorName(R);
    else {
      AtFrameEnd = R == 0;
      if (Last && !AtFrameEnd && S.Consumed == In.size() && S.Produced == 0)
        S.Problem = CutShort;
    }
    return S;
  }

private:
  ZSTD_DStream *Z = ZSTD_createDStream();
  bool AtFrameEnd = false;
};

class Bzip2 final : public Decompressor {
public:
  Bzip2() { Broken = BZ2_bzDecompressInit(&Z, 0, 0) != BZ_OK; }
  ~Bzip2() override { BZ2_bzDecompressEnd(&Z); }
  llvm::StringRef name() const override { return "bzip2"; }

  Step run(llvm::ArrayRef<uint8_t> In, bool Last,
           llvm::MutableArrayRef<uint8_t> Out) override {
    Step S;
    if (AtMemberEnd) {
      if (In.empty()) {
        S.Finished = Last;
        return S;
      }
      BZ2_bzDecompressEnd(&Z);
      Z = {};
      Broken = BZ2_bzDecompressInit(&Z, 0, 0) != BZ_OK;
      AtMemberEnd = false;
    }
    if (Broken) {
      S.Problem = "out of memory";
      return S;
    }
    size_t InSize = std::min<size_t>(In.size(), UINT_MAX);
    size_t OutSize = std::min<size_t>(Out.size(), UINT_MAX);
    Z.next_in = reinterpret_cast<char *>(const_cast<uint8_t *>(In.data()));
    Z.avail_in = unsigned(InSize);
    Z.next_out = reinterpret_cast<char *>(Out.data());
    Z.avail_out = unsigned(OutSize);
    int R = BZ2_bzDecompress(&Z);
    S.Consumed = InSize - Z.avail_in;
    S.Produced = OutSize - Z.avail_out;
    if (R == BZ_STREAM_END)
      AtMemberEnd = true;
    else if (R != BZ_OK)
      S.Problem = R == BZ_DATA_ERROR_MAGIC ? Trailing
                                           : "checksum or structure is wrong";
    else if (Last && S.Consumed == In.size() && S.Produced == 0)
      S.Problem = CutShort;
    return S;
  }

private:
  bz_stream Z = {};
  bool Broken = false, AtMemberEnd = false;
};

} // namespace

std::unique_ptr<Decompressor>
Decompressor::recognise(llvm::ArrayRef<uint8_t> Head) {
  auto Begins = [&](std::initializer_list<uint8_t> Magic) {
    return Head.size() >= Magic.size() &&
           std::equal(Magic.begin(), Magic.end(), Head.begin());
  };
  if (Begins({0x1f, 0x8b}))
    return std::make_unique<Gzip>();
  if (Begins({0xfd, '7', 'z', 'X', 'Z', 0}))
    return std::make_unique<Xz>();
  if (Begins({0x28, 0xb5, 0x2f, 0xfd}))
    return std::make_unique<Zstd>();
  if (Begins({'B', 'Z', 'h'}) && Head.size() > 3 && Head[3] >= '1' &&
      Head[3] <= '9')
    return std::make_unique<Bzip2>();
  return nullptr;
}

} // namespace rw
