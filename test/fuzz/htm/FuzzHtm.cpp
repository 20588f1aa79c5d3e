//===- FuzzHtm.cpp - Any bytes as a Core HTM dump -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmReader.h"
#include "core/formats/htm/HtmToQtrace.h"
#include "core/formats/qtrace/QtraceReader.h"
#include <cstdlib>

using namespace rw;

namespace {
ByteSource memory(llvm::ArrayRef<uint8_t> Bytes, size_t Chunk) {
  return [Bytes, Chunk](uint8_t *Buffer,
                        size_t Size) mutable -> llvm::Expected<size_t> {
    Size = std::min({Size, Bytes.size(), Chunk});
    std::copy_n(Bytes.begin(), Size, Buffer);
    Bytes = Bytes.drop_front(Size);
    return Size;
  };
}

void expect(bool Holds) {
  if (!Holds)
    abort();
}

struct CheckItems : TraceSink {
  uint64_t Insns = 0;
  llvm::Error consume(ItemBatch &B) override {
    size_t Regs = B.LeadRegs, Mems = B.LeadMems;
    for (const InsnItem &I : B.Insns) {
      Regs += I.NumRegs;
      Mems += I.NumMems;
    }
    expect(Regs == B.Regs.size() && Mems == B.Mems.size());
    for (const MemItem &M : B.Mems)
      expect(M.Size >= 1 && M.Size <= 8);
    for (const EventItem &E : B.Events)
      expect(E.Before <= B.Insns.size());
    Insns += B.Insns.size();
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &) override {
    return llvm::Error::success();
  }
};

struct CheckBatches : htm::BatchSink {
  htm::QtraceSink Out;
  uint64_t Insns = 0, Placed = 0, LastTime = 0;
  CheckBatches(llvm::raw_ostream &OS, const htm::Translator *T) : Out(OS, T) {}
  llvm::Error batch(const htm::Batch &B) override {
    for (const htm::Instruction &I : B.Instructions) {
      expect(I.Time >= LastTime);
      LastTime = I.Time;
      expect(I.NumData <= 2);
      ++Insns;
      Placed += htm::QtraceSink::fits(I);
    }
    return Out.batch(B);
  }
};
/// Takes code that was decoded before as blocks.
struct CountBlocks : htm::BatchSink {
  uint64_t Insns = 0;
  bool takesBlocks() const override { return true; }
  llvm::Error batch(const htm::Batch &B) override {
    expect(B.Instructions.empty() || B.Executions.empty());
    std::vector<htm::Instruction> Expanded;
    for (const htm::Execution &E : B.Executions) {
      expect(E.FirstData + E.Block->NumData <= B.Data.size());
      expand(B, E, Expanded);
    }
    Insns += B.Instructions.size() + Expanded.size();
    return llvm::Error::success();
  }
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::ArrayRef<uint8_t> Bytes(Data, Size);
  std::string File;
  llvm::raw_string_ostream OS(File);
  htm::Translator T;
  CheckBatches Sink(OS, &T);
  htm::DecoderOptions O;
  O.Translate = &T;
  O.WindowWords = 256; // many refills
  htm::HtmDecoder D(memory(Bytes, 1000), Sink, O);
  if (llvm::Error E = D.run()) {
    consumeError(std::move(E));
    return 0;
  }
  expect(D.summary().Instructions == Sink.Insns);
  // An instruction needs a word of its own.
  expect(Sink.Insns <= Size / 8);
  Sink.Out.close();

  CountBlocks Blocks;
  htm::DecoderOptions Plain;
  Plain.WindowWords = 2048;
  htm::HtmDecoder ByBlocks(memory(Bytes, 1000), Blocks, Plain);
  llvm::cantFail(ByBlocks.run());
  expect(Blocks.Insns == Sink.Insns);

  std::string FileOfBlocks;
  llvm::raw_string_ostream BlocksOS(FileOfBlocks);
  htm::Translator BlocksT;
  htm::QtraceSink BlocksOut(BlocksOS, &BlocksT);
  htm::DecoderOptions Translated = Plain;
  Translated.Translate = &BlocksT;
  htm::HtmDecoder WithWalks(memory(Bytes, 1000), BlocksOut, Translated);
  llvm::cantFail(WithWalks.run());
  BlocksOut.close();
  expect(FileOfBlocks == File);

  // What was written can be read, and is as long.
  qtrace::QtraceParser P(
      memory(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(File.data()),
                            File.size()),
             ~size_t(0)));
  qtrace::ReadInsn I;
  uint64_t Read = 0;
  while (llvm::cantFail(P.next(I)))
    ++Read;
  expect(Read == Sink.Placed);

  CheckItems Items;
  ReaderOptions Inline;
  Inline.Threads = 1;
  consumeError(
      htm::makeReader(memory(Bytes, ~size_t(0)), Size, Inline)->read(Items));
  expect(Items.Insns <= Sink.Insns);
  return 0;
}
