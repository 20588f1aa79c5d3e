//===- Measure.cpp - A bundle to measure, and the least it can take -------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   intelpt-measure make DIR N    a bundle of N instructions of random code
//   intelpt-measure blocks BUNDLE decodes with libipt's block decoder and does
//                                 nothing with it: instructions, then the
//                                 seconds of each of five times
//   intelpt-measure read BUNDLE   the same with our reader, into nothing
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/Image.h"
#include "core/formats/intelpt/IntelPTReader.h"
#include "core/model/CodeSequence.h"
#include "test/unit/intelpt/Synth.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;
using namespace rw;
using namespace rw::intelpt;

static ExitOnError Check("intelpt-measure: ");

static void write(StringRef Dir, StringRef Name, StringRef Bytes) {
  SmallString<128> Path(Dir);
  sys::path::append(Path, Name);
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  Check(errorCodeToError(EC));
  OS << Bytes;
}

static void make(StringRef Dir, size_t N) {
  Check(errorCodeToError(sys::fs::create_directories(Dir)));
  constexpr const char *Id = "0123456789ABCDEF0123456789ABCDEF01234567";
  Program P = Program::random(1, 0x401000, 2000);
  RunOptions O;
  O.Instructions = N;
  O.PsbBytes = 4096;
  O.CompressReturns = true;
  Execution X = run(P, O);
  write(Dir, "program", P.elf(Id));
  write(Dir, "1.ipt",
        {reinterpret_cast<char *>(X.Packets.data()), X.Packets.size()});
  write(Dir, "trace.json",
        formatv(R"({{
  "type": "intel-pt",
  "cpuInfo": {{ "vendor": "GenuineIntel", "family": 6, "model": 143, "stepping": 8 },
  "processes": [ {{
    "pid": 1, "triple": "x86_64-*-linux",
    "threads": [ {{ "tid": 1, "iptTrace": "1.ipt" } ],
    "modules": [ {{ "systemPath": "/program", "file": "program",
                   "uuid": "{0}", "loadAddress": "0x401000" } ]
  } ],
  "tscPerfZeroConversion": {{ "timeMult": 1651910498, "timeShift": 32, "timeZero": "0" }
}
)",
                Id)
            .str());
}

static uint64_t decodeBlocks(const Recording &R, const Image &Code) {
  uint64_t Insns = 0;
  Image::View View = Check(Code.view());
  for (const Buffer &B : R.Buffers) {
    pt_config C;
    pt_config_init(&C);
    C.cpu = R.Cpu;
    pt_cpu_errata(&C.errata, &C.cpu);
    C.begin = const_cast<uint8_t *>(B.Bytes.data());
    C.end = C.begin + B.Bytes.size();
    pt_block_decoder *D = pt_blk_alloc_decoder(&C);
    pt_blk_set_image(D, View.get());
    for (;;) {
      int Status = pt_blk_sync_forward(D);
      if (Status < 0)
        break;
      while (Status >= 0) {
        pt_event E;
        while (Status >= 0 && Status & pts_event_pending)
          Status = pt_blk_event(D, &E, sizeof E);
        pt_block Block;
        if (Status >= 0)
          Status = pt_blk_next(D, &Block, sizeof Block);
        Insns += Block.ninsn;
      }
    }
    pt_blk_free_decoder(D);
  }
  return Insns;
}

namespace {
struct Nothing final : TraceSink {
  bool takesFlow() const override { return true; }
  Error consume(ItemBatch &B) override {
    for (const FlowItem &F : B.Flow)
      Insns += B.Code->insns(F.Sequence).size();
    return Error::success();
  }
  Error finish(const TraceHeader &) override { return Error::success(); }
  uint64_t Insns = 0;
};
} // namespace

int main(int argc, char **argv) {
  StringRef What = argc > 1 ? argv[1] : "";
  if (What == "make" && argc == 4) {
    make(argv[2], size_t(std::stoull(argv[3])));
    return 0;
  }
  if ((What != "blocks" && What != "read") || argc != 3) {
    errs() << "usage: intelpt-measure make DIR N | blocks BUNDLE | "
              "read BUNDLE\n";
    return 2;
  }
  Recording R = Check(readBundle(argv[2]));
  Image Code = Check(Image::load(R.Modules, /*Tolerate=*/false));
  for (unsigned N = 0; N < 5; ++N) {
    auto Reader = makeReader(R, {});
    auto Begin = std::chrono::steady_clock::now();
    uint64_t Insns;
    if (What == "blocks") {
      Insns = decodeBlocks(R, Code);
    } else {
      Nothing Sink;
      Check(Reader->read(Sink));
      Insns = Sink.Insns;
    }
    std::chrono::duration<double> Took =
        std::chrono::steady_clock::now() - Begin;
    if (!N)
      outs() << Insns << '\n';
    outs() << formatv("{0:f6}\n", Took.count());
  }
}
