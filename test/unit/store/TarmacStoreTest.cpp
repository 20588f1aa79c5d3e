//===- TarmacStoreTest.cpp - Stores of real traces ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTestSupport.h"
#include "core/formats/TraceReader.h"

using namespace rw;
using namespace llvm;

namespace {

class TarmacStore : public StoreTest {
protected:
  /// Reads the trace twice, into the model and into a store, with different
  /// chunks, and compares them.
  void check(StringRef Trace, const ReaderOptions &Usual, unsigned Questions) {
    SCOPED_TRACE(Trace.str());
    NaiveModel Model;
    {
      auto Reader = openTrace(Trace, "", Usual);
      ASSERT_TRUE(bool(Reader)) << toString(Reader.takeError());
      Error E = (*Reader)->read(Model);
      ASSERT_FALSE(bool(E)) << toString(std::move(E));
    }
    ASSERT_GT(Model.numInstructions(), 0u);
    {
      ReaderOptions Small = Usual;
      Small.ChunkBytes = 4096;
      auto Reader = openTrace(Trace, "", Small);
      ASSERT_TRUE(bool(Reader)) << toString(Reader.takeError());
      std::unique_ptr<StoreBuilder> B = builder(path("store"));
      ASSERT_TRUE(B);
      Error E = (*Reader)->read(*B);
      ASSERT_FALSE(bool(E)) << toString(std::move(E));
    }
    std::unique_ptr<TraceStore> Store = open(path("store"));
    ASSERT_TRUE(Store);
    StoreCheck Check(*Store, Model, 1);
    ASSERT_EQ(Check.wholeTrace(), "");
    if (Model.numInstructions() < 30000) {
      ASSERT_EQ(Check.walk(0, Model.numInstructions() + 1, true), "");
    }
    ASSERT_EQ(Check.randomQuestions(Questions), "");
  }
};

TEST_F(TarmacStore, TracesOfTheCorpus) {
  std::string Corpus = REWIND_SOURCE_DIR "/../shared/data/tarmac";
  if (!sys::fs::is_directory(Corpus))
    GTEST_SKIP() << "no traces in " << Corpus;
  std::error_code EC;
  unsigned Traces = 0;
  for (sys::fs::directory_iterator I(Corpus, EC), E; !EC && I != E;
       I.increment(EC)) {
    if (sys::path::extension(I->path()) != ".tarmac")
      continue;
    ++Traces;
    check(I->path(), ReaderOptions(), 1500);
    if (HasFatalFailure())
      return;
    ReaderOptions Thumb;
    Thumb.ImplicitThumb = true;
    Thumb.BigEndian = true;
    check(I->path(), Thumb, 300);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(Traces, 0u);
}

/// The traces named in REWIND_TEST_TRACES (separated by colons), such as one
/// that rewind-record made.
TEST_F(TarmacStore, TracesOfTheCaller) {
  const char *Names = std::getenv("REWIND_TEST_TRACES");
  if (!Names)
    GTEST_SKIP() << "REWIND_TEST_TRACES names no traces";
  SmallVector<StringRef> Paths;
  StringRef(Names).split(Paths, ':', -1, /*KeepEmpty=*/false);
  for (StringRef Path : Paths)
    check(Path, ReaderOptions(), 200);
}

} // namespace
