//===- TruthTest.cpp - Recorded bundles decode to what really ran ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bundles are those that the build made, and those of $REWIND_TEST_DATA.
// Beside each thread's packets is what it executed.
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace rw::intelpt {

/// The first module whose file is not the one that was traced; empty if there
/// is none. It is found without Rewind's reader, so that what that refuses by
/// mistake is a failure. Bundles of others name libraries of their machine.
static std::string otherBuild(const std::string &Bundle) {
  auto Text = MemoryBuffer::getFile(Bundle + "/trace.json");
  auto Parsed = json::parse((*Text)->getBuffer());
  EXPECT_TRUE(bool(Parsed)) << toString(Parsed.takeError());
  const json::Array *Processes = Parsed->getAsObject()->getArray("processes");
  for (const json::Value &P : *Processes)
    for (const json::Value &M : *P.getAsObject()->getArray("modules")) {
      const json::Object &Module = *M.getAsObject();
      std::string Path = Module.getString("systemPath")->str();
      if (auto File = Module.getString("file"))
        Path = (Bundle + "/" + *File).str();
      std::string Expected = Module.getString("uuid").value_or("").str();
      llvm::erase(Expected, '-');
      auto Elf = object::ObjectFile::createObjectFile(Path);
      if (!Elf) {
        consumeError(Elf.takeError());
        return Path;
      }
      if (toHex(object::getBuildID(Elf->getBinary())) != Expected)
        return Path;
    }
  return "";
}

/// \p PieceBytes 1: every PSB is a seam.
static void check(const std::string &Dir, size_t PieceBytes, bool Flow) {
  SCOPED_TRACE(Dir + ", pieces of " + std::to_string(PieceBytes));
  ReaderOptions Options;
  Options.ChunkBytes = PieceBytes;
  auto R = openTrace(Dir, "", Options);
  ASSERT_TRUE(bool(R)) << toString(R.takeError());
  EXPECT_EQ((*R)->formatName(), "intelpt");
  Trace T(Flow);
  if (Error E = (*R)->read(T))
    FAIL() << toString(std::move(E));
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

static void checkAll(const std::string &Dir) {
  check(Dir, 0, true);
  check(Dir, 1, true);
  check(Dir, 1, false);
}

TEST(Truth, OfMadeBundles) {
  std::string Reason = test::whyNotMade("intelpt");
  if (!Reason.empty())
    REWIND_SKIP(Reason);
  unsigned Bundles = 0;
  for (const std::string &Dir : test::entries(test::madeData("intelpt"))) {
    checkAll(Dir);
    ++Bundles;
  }
  EXPECT_GE(Bundles, 12u);
}

TEST(Truth, OfOtherBundles) {
  std::vector<std::string> Missing;
  unsigned Bundles = 0;
  for (const std::string &Dir : test::entries(test::otherData("intelpt"))) {
    if (!sys::fs::exists(Dir + "/trace.json"))
      continue;
    std::string Module = otherBuild(Dir);
    if (!Module.empty()) {
      Missing.push_back(Module);
      continue;
    }
    checkAll(Dir);
    ++Bundles;
  }
  if (!Bundles && Missing.empty())
    REWIND_SKIP(test::whyNoOther("intelpt: bundles"));
  // Those that bring all of their modules are decoded on every machine.
  EXPECT_GT(Bundles, 0u) << "only other builds are here: "
                         << llvm::join(Missing, ", ");
}

} // namespace rw::intelpt
