//===- TraceTest.cpp - HTR of recorded traces -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include "core/calls/CallIndex.h"
#include "core/calls/CallRecogniser.h"
#include "core/htr/InstructionLayer.h"
#include "core/store/Indexer.h"
#include "core/store/TraceStore.h"
#include "test/unit/htm/Generated.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace rw;
using namespace rw::htr;

// Every pipeline on every trace: nothing is lost, and bsb is what its
// definition says.
TEST(HtrTraces, LosslessAndByTheRule) {
  for (const char *Kind : {"tarmac", "intelpt"}) {
    std::string Reason = test::whyNotMade(Kind);
    if (!Reason.empty())
      REWIND_SKIP(Reason);
  }
  SmallString<128> Dir;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("htrtraces", Dir));
  std::vector<std::string> Traces = test::tarmacTraces();
  for (const std::string &Bundle : test::entries(test::madeData("intelpt")))
    Traces.push_back(Bundle);
  for (const char *Processor : {"p8", "p10"}) {
    Traces.push_back((Dir + "/" + Processor + ".htm").str());
    std::error_code Code;
    raw_fd_ostream(Traces.back(), Code)
        << htm::test::generate(Processor, 2000).Dump;
    ASSERT_FALSE(Code);
  }
  for (const htm::test::RealDump &Dump : htm::test::realDumps())
    Traces.push_back(Dump.Name);
  ASSERT_GE(Traces.size(), 17u);
  for (const std::string &Path : Traces) {
    SCOPED_TRACE(Path);
    IndexOptions Options;
    Options.IndexPath = (Dir + "/store").str();
    Options.Force = true;
    CallRecogniser Recogniser;
    Options.Observers = {&Recogniser};
    Options.Sections = {"calls"};
    auto Store = openOrBuildStore(Path, Options);
    ASSERT_TRUE(bool(Store)) << toString(Store.takeError());
    auto Layer0 = readInstructionLayer(**Store);
    ASSERT_TRUE(bool(Layer0)) << toString(Layer0.takeError());
    ASSERT_EQ(Layer0->first.numInstructions(), (*Store)->numInstructions());
    auto Calls = CallIndex::open(**Store);
    ASSERT_TRUE(bool(Calls)) << toString(Calls.takeError());
    PassContext Context;
    Context.Calls = [&](ThreadIndex T, function_ref<bool(const Call &)> F) {
      return (*Calls)->forEach(T, 1, (*Calls)->size(T),
                               [&](const Activation &A) {
                                 return F({A.Start, A.End, A.EntryPC});
                               });
    };
    for (StringRef Names : {"bsb", "loops", "grammar", "functions,bsb,loops",
                            "functions,loops,bsb,grammar"})
      for (bool Similar : {false, true}) {
        SCOPED_TRACE(Names.str());
        Hierarchy H = Layer0->first;
        Context.Options.Similar = Similar;
        for (const Pass *P : cantFail(parsePipeline(Names))) {
          size_t Below = H.Layers.size() - 1;
          bool Bsb = P->Name == "bsb";
          auto Expected =
              Bsb ? naiveBsb(H, Below) : std::vector<std::vector<size_t>>();
          ASSERT_FALSE(errorToBool(P->Run(H, Context)));
          if (Bsb && H.Layers.size() > Below + 1) {
            ASSERT_EQ(bsbSizes(H, Below + 1), Expected);
          }
        }
        expectLossless(H);
      }
  }
  sys::fs::remove_directories(Dir);
}
