//===- TarmacStoreTest.cpp - Stores of recorded traces --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTestSupport.h"
#include "core/formats/tarmac/TarmacReader.h"
#include "test/unit/support/TestData.h"

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
  std::string Reason = test::whyNotMade("tarmac");
  if (!Reason.empty())
    REWIND_SKIP(Reason);
  std::vector<std::string> Traces = test::tarmacTraces();
  ASSERT_GE(Traces.size(), 3u);
  for (const std::string &Path : Traces) {
    check(Path, ReaderOptions(), 1500);
    if (HasFatalFailure())
      return;
    ReaderOptions Thumb;
    Thumb.Settings.set(tarmac::ImplicitThumb);
    Thumb.Settings.set(format_option::BigEndian);
    check(Path, Thumb, 300);
    if (HasFatalFailure())
      return;
  }
}

/// By hand: the traces named in REWIND_TEST_TRACES (separated by colons), such
/// as one that rewind-record made. Nothing is missing if there are none.
TEST_F(TarmacStore, TracesOfTheCaller) {
  const char *Names = std::getenv("REWIND_TEST_TRACES");
  if (!Names)
    return;
  SmallVector<StringRef> Paths;
  StringRef(Names).split(Paths, ':', -1, /*KeepEmpty=*/false);
  for (StringRef Path : Paths)
    check(Path, ReaderOptions(), 200);
}

} // namespace
