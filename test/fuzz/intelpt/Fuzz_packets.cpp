//===- Fuzz_packets.cpp - Any bytes as Intel PT packets -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is random, but always the same. The first byte says whether to
// cut at every PSB.
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/IntelPTReader.h"
#include "core/model/CodeSequence.h"
#include "test/unit/intelpt/Synth.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace rw;
using namespace rw::intelpt;

namespace {
struct Count final : TraceSink {
  bool takesFlow() const override { return true; }
  Error consume(ItemBatch &B) override {
    for (const FlowItem &F : B.Flow)
      for (const InsnItem &I : B.Code->insns(F.Sequence))
        if (I.PC < 0x401000 || I.PC > 0x410000)
          abort();
    for (const EventItem &E : B.Events)
      if (E.Before > B.Flow.size())
        abort();
    return Error::success();
  }
  Error finish(const TraceHeader &) override { return Error::success(); }
};

Recording makeProgram() {
  static SmallString<128> Path;
  Program P = Program::random(3);
  int FD;
  if (sys::fs::createTemporaryFile("rewind-fuzz", "elf", FD, Path))
    abort();
  raw_fd_ostream(FD, /*shouldClose=*/true) << P.elf("00112233");
  sys::RemoveFileOnSignal(Path);
  return recording(P, Path.str().str(), {Execution()});
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const Recording Base = makeProgram();
  if (!Size)
    return 0;
  Recording R = Base;
  R.Buffers[0].Bytes.assign(Data + 1, Data + Size);
  ReaderOptions Options;
  Options.Threads = 1;
  Options.ChunkBytes = Data[0] % 2 ? 1 : 0;
  Count Sink;
  consumeError(makeReader(std::move(R), Options)->read(Sink));
  return 0;
}
