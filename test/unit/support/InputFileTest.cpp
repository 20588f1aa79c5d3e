//===- InputFileTest.cpp - Files that are none ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/InputFile.h"
#include "Folder.h"
#include "core/support/Json.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace rw;
using namespace llvm;

namespace {

std::string whyNotRead(StringRef Path, uint64_t Max = ~uint64_t(0)) {
  auto F = readWholeFile(Path, Max);
  return F ? "" : toString(F.takeError());
}

TEST(InputFile, OnlyRegularFiles) {
  Folder D;
  D.write("file", "text");
  auto F = readWholeFile(D / "file");
  ASSERT_TRUE(bool(F));
  EXPECT_EQ((*F)->getBuffer(), "text");
  EXPECT_EQ(*(*F)->getBufferEnd(), 0);
  ASSERT_EQ(mkfifo((D / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(whyNotRead(D / "pipe"), "cannot read '" + (D / "pipe") +
                                        "': it is a pipe, not a regular file");
  EXPECT_EQ(whyNotRead("/dev/zero"),
            "cannot read '/dev/zero': it is a device, not "
            "a regular file");
  EXPECT_EQ(whyNotRead(D.path()),
            "cannot read '" + D.path() +
                "': it is a directory, not a regular file");
  EXPECT_EQ(whyNotRead(D / "none"),
            "cannot read '" + (D / "none") + "': No such file or directory");
}

TEST(InputFile, SizesAreBoundedBeforeMemoryIsTaken) {
  Folder D;
  D.write("file", "text");
  EXPECT_EQ(whyNotRead(D / "file", 4), "");
  EXPECT_EQ(whyNotRead(D / "file", 3),
            "cannot read '" + (D / "file") +
                "': it has 4 bytes; at most 3 can be "
                "read");
  ASSERT_EQ(truncate((D / "file").c_str(), off_t(1) << 42), 0);
  EXPECT_NE(whyNotRead(D / "file").find("4398046511104 bytes"),
            std::string::npos);
}

TEST(Json, DepthIsBounded) {
  auto depth = [](unsigned N) {
    auto V = parseJson(std::string(N, '[') + std::string(N, ']'));
    return V ? "" : toString(V.takeError());
  };
  EXPECT_EQ(depth(100), "");
  EXPECT_EQ(depth(101), "byte 100: lists and objects are nested in each other "
                        "more than 100 times");
  EXPECT_NE(depth(5000000), "");
  // Brackets in strings are text.
  std::string Text =
      "[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]";
  auto V = parseJson(Text);
  ASSERT_TRUE(bool(V));
  EXPECT_EQ(V->getAsArray()->front().getAsString()->size(), 2001u);
}

TEST(Json, NumbersAreFinite) {
  for (const char *Text : {"1e999", "[-1e999]", "{\"id\": [{\"a\": 1e400}]}"}) {
    auto V = parseJson(Text);
    ASSERT_FALSE(V) << Text;
    EXPECT_EQ(toString(V.takeError()), "a number is too large for a double");
  }
  EXPECT_TRUE(bool(parseJson("[1e308, 18446744073709551615]")));
}

} // namespace
