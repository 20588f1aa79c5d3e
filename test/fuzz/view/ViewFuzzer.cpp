//===- ViewFuzzer.cpp - Messages that no page would send ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is a message of a page about a small random trace, in which any of
// the questions may be asked. The answer must be JSON, whatever was asked. What
// a stranger says of himself in a request goes through the guard, too.
//
//===----------------------------------------------------------------------===//

#include "commands/view/Answers.h"
#include "commands/view/HttpGuard.h"
#include "core/calls/CallRecogniser.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "core/support/Json.h"
#include "test/unit/support/RandomTrace.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace rw;
using namespace llvm;

namespace {

struct Asked {
  std::unique_ptr<TraceStore> Store;
  SessionMemory Memory;
  std::string Text;
  raw_string_ostream Out{Text};
  std::optional<Session> S;
  std::unique_ptr<ViewAnswers> Answers;

  Asked() {
    SmallString<128> Folder;
    if (sys::fs::createUniqueDirectory("rewind-fuzz", Folder))
      std::abort();
    TraceKnobs K = randomKnobs(3, 2000);
    K.Registers = K.Memory = K.Values = true;
    K.Architecture = Arch::AArch64;
    K.Shape = ProgramShape::Calls;
    K.Threads = 2;
    std::string Path = (Folder + "/store").str();
    StoreBuilder::Options Opts;
    Opts.Threads = 1;
    auto Builder = cantFail(StoreBuilder::create(Path, SourceStamp(), Opts));
    CallRecogniser Calls;
    Builder->addObserver(Calls);
    cantFail(RandomTrace(K, 3).feed(*Builder, BatchCut()));
    Builder.reset();
    Store = cantFail(TraceStore::open(Path));
    sys::fs::remove_directories(Folder);
    S.emplace(*Store, Out, Memory);
    Answers = cantFail(ViewAnswers::open(*S));
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static Asked &A = *new Asked();
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  auto Answer = parseJson(A.Answers->answer(Text));
  if (!Answer || !Answer->getAsObject())
    std::abort();
  HttpRequestFacts R;
  auto [Host, Origin] = Text.split('\n');
  R.Method = "GET";
  R.Target = "/";
  R.Host = Host.str();
  R.Origin = Origin.str();
  R.NumHosts = 1;
  R.NumOrigins = !Origin.empty();
  // Only these names of hosts are ours.
  if (!refuse(R, 4711) && Host != "127.0.0.1:4711" && Host != "[::1]:4711" &&
      !Host.equals_insensitive("localhost:4711") &&
      !Host.ends_with_insensitive(":04711"))
    std::abort();
  (void)parseViewToken(Text);
  return 0;
}
