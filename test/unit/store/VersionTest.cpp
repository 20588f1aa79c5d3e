//===- VersionTest.cpp - A store's bytes and its version belong together --===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTestSupport.h"
#include "core/store/Format.h"
#include "llvm/Support/xxhash.h"

using namespace rw;

namespace {

class StoreVersion : public StoreTest {};

TEST_F(StoreVersion, IsThatOfTheseBytes) {
  TraceKnobs K;
  K.Length = 5000;
  K.Threads = 2;
  RandomTrace T(K, 1);
  ASSERT_TRUE(build(T, path("store"), {1, 1 << 30, false, false}));
  EXPECT_EQ(format::Version, 10u);
  EXPECT_EQ(llvm::xxh3_64bits(llvm::StringRef(contents(path("store")))), 0x0u)
      << "The bytes of stores are other ones. If a reader of before would "
         "misread them, raise format::Version (core/store/Format.h), so that "
         "old stores are built again. Then write the new numbers here.";
}

} // namespace
