//===- StoreTestSupport.h - Stores in a scratch folder ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_STORETESTSUPPORT_H
#define REWIND_TEST_STORETESTSUPPORT_H

#include "StoreCheck.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace rw {

/// A fixture with a folder of its own that goes away with the test.
class StoreTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("rewind-store", Folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  std::string path(llvm::StringRef Name) const {
    llvm::SmallString<128> P(Folder);
    llvm::sys::path::append(P, Name);
    return std::string(P);
  }

  /// The names in the folder, sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> Names;
    std::error_code EC;
    for (llvm::sys::fs::directory_iterator I(Folder, EC), E; !EC && I != E;
         I.increment(EC))
      Names.push_back(llvm::sys::path::filename(I->path()).str());
    std::sort(Names.begin(), Names.end());
    return Names;
  }

  static SourceStamp stamp() {
    SourceStamp S;
    S.Path = "/no/such/trace";
    S.Size = 12345;
    S.MTimeNs = 67890;
    S.Digest = 0x123456789abcdef0;
    S.Options = "";
    return S;
  }

  static std::unique_ptr<StoreBuilder> builder(llvm::StringRef Path,
                                               unsigned Threads = 2) {
    StoreBuilder::Options Opts;
    Opts.Threads = Threads;
    auto B = StoreBuilder::create(Path, stamp(), Opts);
    if (!B) {
      ADD_FAILURE() << llvm::toString(B.takeError());
      return nullptr;
    }
    return std::move(*B);
  }

  /// Builds a store of \p T; true if all went well.
  static bool build(const RandomTrace &T, llvm::StringRef Path,
                    const BatchCut &Cut, unsigned Threads = 2) {
    std::unique_ptr<StoreBuilder> B = builder(Path, Threads);
    if (!B)
      return false;
    if (llvm::Error E = T.feed(*B, Cut)) {
      ADD_FAILURE() << llvm::toString(std::move(E));
      return false;
    }
    return true;
  }

  static std::unique_ptr<TraceStore> open(llvm::StringRef Path) {
    auto S = TraceStore::open(Path);
    if (!S) {
      ADD_FAILURE() << llvm::toString(S.takeError());
      return nullptr;
    }
    return std::move(*S);
  }

  static std::string contents(llvm::StringRef Path) {
    auto Buffer = llvm::MemoryBuffer::getFile(Path, false, false);
    if (!Buffer) {
      ADD_FAILURE() << "cannot read " << Path.str();
      return "";
    }
    return (*Buffer)->getBuffer().str();
  }

  static void write(llvm::StringRef Path, llvm::StringRef Bytes) {
    std::error_code EC;
    llvm::raw_fd_ostream OS(Path, EC);
    ASSERT_FALSE(EC) << EC.message();
    OS << Bytes;
  }

  llvm::SmallString<128> Folder;
};

} // namespace rw

#endif // REWIND_TEST_STORETESTSUPPORT_H
