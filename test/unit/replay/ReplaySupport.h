//===- ReplaySupport.h - A replay of a random trace -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_REPLAYSUPPORT_H
#define REWIND_TEST_REPLAYSUPPORT_H

#include "core/replay/MemoryView.h"
#include "core/replay/ReplayEngine.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "test/unit/support/NaiveModel.h"
#include "test/unit/support/RandomTrace.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

namespace rw {

/// A store of a random trace and the naive model of the same.
class ReplayTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("rewind-replay", Folder));
  }
  void TearDown() override {
    Store.reset();
    llvm::sys::fs::remove_directories(Folder);
  }

  void make(const TraceKnobs &Knobs, uint64_t Seed) {
    RandomTrace Trace(Knobs, Seed);
    llvm::SmallString<128> Path(Folder);
    llvm::sys::path::append(Path, "store");
    auto B = StoreBuilder::create(Path, SourceStamp(), {});
    ASSERT_TRUE(bool(B)) << llvm::toString(B.takeError());
    llvm::Error E = Trace.feed(**B, BatchCut());
    ASSERT_FALSE(bool(E)) << llvm::toString(std::move(E));
    Model = NaiveModel();
    llvm::cantFail(Trace.feed(Model, BatchCut()));
    auto S = TraceStore::open(Path);
    ASSERT_TRUE(bool(S)) << llvm::toString(S.takeError());
    Store = std::move(*S);
  }

  std::shared_ptr<const TraceStore> Store;
  NaiveModel Model;
  llvm::SmallString<128> Folder;
};

} // namespace rw

#endif // REWIND_TEST_REPLAYSUPPORT_H
