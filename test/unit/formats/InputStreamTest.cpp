//===- InputStreamTest.cpp - Plain and compressed input -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/InputStream.h"
#include "test/unit/formats/Collect.h"
#include "test/unit/formats/Compress.h"
#include "gtest/gtest.h"

using namespace rw;

static std::string sample() {
  std::string S;
  uint32_t X = 1;
  for (int I = 0; I < 100000; ++I) {
    X = X * 1664525 + 1013904223;
    S += "line " + std::to_string(X >> 20) + "\n";
  }
  return S;
}

static llvm::Expected<std::string> readAll(llvm::StringRef Path,
                                           size_t PieceSize) {
  auto In = InputStream::open(Path);
  if (!In)
    return In.takeError();
  std::string Out;
  std::vector<char> Piece(PieceSize);
  for (;;) {
    auto N = (*In)->read(Piece);
    if (!N)
      return N.takeError();
    Out.append(Piece.data(), *N);
    if (*N < PieceSize)
      return Out;
  }
}

TEST(InputStream, EveryCodecInEveryPieceSize) {
  std::string Text = sample();
  for (auto Codec : {Plain, Gzip, Xz, Zstd, Bzip2}) {
    TempFile F(compress(Text, Codec));
    for (size_t Piece : {size_t(1000), size_t(65536), size_t(10) << 20}) {
      auto Got = readAll(F.Path, Piece);
      ASSERT_TRUE(bool(Got)) << toString(Got.takeError());
      EXPECT_EQ(*Got == Text, true) << "codec " << Codec << " " << Piece;
    }
  }
}

TEST(InputStream, PeekDoesNotConsume) {
  std::string Text = sample();
  for (auto Codec : {Plain, Gzip, Zstd}) {
    TempFile F(compress(Text, Codec));
    auto In = InputStream::open(F.Path);
    ASSERT_TRUE(bool(In));
    auto Head = (*In)->peek(100);
    ASSERT_TRUE(bool(Head));
    EXPECT_EQ(Head->size(), 100u);
    Head = (*In)->peek(5000);
    ASSERT_TRUE(bool(Head));
    EXPECT_EQ(llvm::toStringRef(*Head), llvm::StringRef(Text).take_front(5000));
    std::vector<char> All(Text.size() + 10);
    auto N = (*In)->read(All);
    ASSERT_TRUE(bool(N));
    EXPECT_EQ(llvm::StringRef(All.data(), *N) == Text, true);
  }
}

TEST(InputStream, ConcatenatedMembersAreOneStream) {
  std::string Text = sample();
  for (auto Codec : {Gzip, Xz, Zstd, Bzip2}) {
    TempFile F(compress(Text, Codec) + compress(Text, Codec));
    auto Got = readAll(F.Path, 1 << 20);
    ASSERT_TRUE(bool(Got)) << toString(Got.takeError());
    EXPECT_EQ(*Got == Text + Text, true);
  }
}

TEST(InputStream, TruncatedAndDamagedDataIsAnError) {
  std::string Text = sample();
  for (auto Codec : {Gzip, Xz, Zstd, Bzip2}) {
    std::string Packed = compress(Text, Codec);
    TempFile Cut(llvm::StringRef(Packed).drop_back(Packed.size() / 3));
    auto Got = readAll(Cut.Path, 1 << 20);
    ASSERT_FALSE(bool(Got)) << "codec " << Codec;
    std::string Message = toString(Got.takeError());
    EXPECT_NE(Message.find(Cut.Path.c_str()), std::string::npos) << Message;
    EXPECT_NE(Message.find("byte"), std::string::npos) << Message;
    Packed[Packed.size() / 2] ^= 0x55;
    Packed[Packed.size() / 2 + 1] ^= 0x55;
    TempFile Bad(Packed);
    auto Other = readAll(Bad.Path, 1 << 20);
    EXPECT_TRUE(errorToBool(Other.takeError())) << "codec " << Codec;
  }
}

TEST(InputStream, MissingFilesAndDirectories) {
  auto Missing = InputStream::open("/nonexistent/trace");
  ASSERT_FALSE(bool(Missing));
  EXPECT_NE(toString(Missing.takeError()).find("/nonexistent/trace"),
            std::string::npos);
  auto Dir = InputStream::open("/");
  ASSERT_FALSE(bool(Dir));
  EXPECT_NE(toString(Dir.takeError()).find("directory"), std::string::npos);
}
