//===- TruthTest.cpp - Recorded bundles decode to what really ran ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bundles lie beside the repository, and in $REWIND_PT_BUNDLES (a directory of
// bundles) if that is set. Beside each thread's packets is what it executed.
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"

using namespace llvm;

namespace rw::intelpt {

static std::vector<std::string> bundles() {
  std::vector<std::string> Found;
  std::vector<std::string> Roots = {REWIND_SOURCE_DIR
                                    "/../shared/data/intelpt"};
  if (const char *More = getenv("REWIND_PT_BUNDLES"))
    Roots.push_back(More);
  for (const std::string &Root : Roots) {
    std::error_code EC;
    for (sys::fs::directory_iterator I(Root, EC), E; I != E && !EC;
         I.increment(EC))
      if (sys::fs::exists(I->path() + "/trace.json"))
        Found.push_back(I->path());
  }
  llvm::sort(Found);
  if (Found.empty())
    Found.push_back("none");
  return Found;
}

class Truth : public testing::TestWithParam<std::string> {};

/// \p PieceBytes 1: every PSB is a seam.
static void check(const std::string &Dir, size_t PieceBytes, bool Flow) {
  SCOPED_TRACE(Dir + ", pieces of " + std::to_string(PieceBytes));
  ReaderOptions Options;
  Options.ChunkBytes = PieceBytes;
  auto R = openTrace(Dir, "", Options);
  ASSERT_TRUE(bool(R)) << toString(R.takeError());
  EXPECT_EQ((*R)->formatName(), "intelpt");
  Trace T(Flow);
  if (Error E = (*R)->read(T)) {
    std::string Text = toString(std::move(E));
    if (isOtherBuild(Text))
      GTEST_SKIP() << Text;
    FAIL() << Text;
  }
  EXPECT_EQ(T.Header.NumMalformed, 0u)
      << (T.Header.Malformed.empty() ? "" : T.Header.Malformed[0].What);
  ASSERT_FALSE(T.Header.Threads.empty());
  for (size_t Thread = 0; Thread < T.Header.Threads.size(); ++Thread) {
    std::string Tid = std::to_string(T.Header.Threads[Thread].Id);
    auto Expected = truth(Dir + "/" + Tid + ".pcs.gz");
    ASSERT_FALSE(Expected.empty()) << "no truth for thread " << Tid;
    auto &PCs = T.PCs[unsigned(Thread)];
    size_t N = std::min(PCs.size(), Expected.size()), I = 0;
    while (I < N && PCs[I] == Expected[I])
      ++I;
    EXPECT_EQ(PCs.size(), Expected.size()) << "thread " << Tid;
    EXPECT_EQ(I, N) << "thread " << Tid << " differs at " << I;
  }
}

TEST_P(Truth, SamePCs) {
  if (GetParam() == "none")
    GTEST_SKIP() << "no recorded bundles";
  check(GetParam(), 0, true);
  check(GetParam(), 1, true);
  check(GetParam(), 1, false);
}

INSTANTIATE_TEST_SUITE_P(Bundles, Truth, testing::ValuesIn(bundles()),
                         [](const testing::TestParamInfo<std::string> &I) {
                           std::string Name =
                               sys::path::filename(I.param).str();
                           for (char &C : Name)
                             if (!isalnum(C))
                               C = '_';
                           return Name;
                         });

} // namespace rw::intelpt
