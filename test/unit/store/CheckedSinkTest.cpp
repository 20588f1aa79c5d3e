//===- CheckedSinkTest.cpp ------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/CheckedSink.h"
#include "gtest/gtest.h"
#include <functional>

using namespace llvm;
using namespace rw;

namespace {
struct CountingSink final : TraceSink {
  unsigned Batches = 0, Finishes = 0;
  Error consume(ItemBatch &) override {
    ++Batches;
    return Error::success();
  }
  Error finish(const TraceHeader &) override {
    ++Finishes;
    return Error::success();
  }
};

/// Two instructions, one register, one access.
ItemBatch goodBatch() {
  ItemBatch B;
  B.Insns.resize(2);
  B.Insns[0].Size = B.Insns[1].Size = 4;
  B.Insns[0].NumRegs = B.Insns[1].NumMems = 1;
  B.Regs.resize(1);
  B.Mems.resize(1);
  B.Mems[0].Size = 8;
  return B;
}

TraceHeader goodHeader() {
  TraceHeader H;
  H.Architecture = Arch::AArch64;
  H.Threads.resize(1);
  return H;
}
} // namespace

/// What a reader is told that hands over a batch made wrong by \p Spoil.
static std::string
refusal(function_ref<void(ItemBatch &, TraceHeader &)> Spoil) {
  CountingSink To;
  CheckedSink Checked(To);
  ItemBatch B = goodBatch();
  TraceHeader H = goodHeader();
  Spoil(B, H);
  Error E = Checked.consume(B);
  EXPECT_EQ(To.Batches, E ? 0u : 1u);
  if (!E)
    E = Checked.finish(H);
  if (!E)
    E = Checked.checkFinished();
  return toString(std::move(E));
}

TEST(CheckedSink, HandsOnWhatIsRight) {
  EXPECT_EQ(refusal([](ItemBatch &, TraceHeader &) {}), "");
  EXPECT_EQ(refusal([](ItemBatch &B, TraceHeader &) {
              B.LeadRegs = 1;
              B.Regs.resize(2);
            }),
            "");
}

TEST(CheckedSink, BlamesTheReader) {
  const std::string Fault = "the reader of this format is at fault: ";
  const char *Counts = "the instructions from 0 on count ";
  auto Is = [&](const std::string &Text, StringRef Told) {
    EXPECT_TRUE(StringRef(Text).starts_with(Fault)) << Text;
    EXPECT_TRUE(StringRef(Text).contains(Told)) << Text;
  };
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.Insns[0].NumRegs = 2; }),
     Counts + std::string("2 register effects and 1 accesses"));
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.Regs.resize(3); }), Counts);
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.Insns[1].NumMems = 60000; }),
     Counts);
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.LeadMems = 1; }), Counts);
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.Mems[0].Size = 9; }),
     "has 9 bytes");
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.Mems[0].Size = 0; }),
     "has 0 bytes");
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.Insns[1].Size = 0; }),
     "instruction 1 has 0 bytes");
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.Regs[0].Lane = 60000; }),
     "lane 60000");
  Is(refusal([](ItemBatch &B, TraceHeader &) { B.Insns[0].Thread = 3; }),
     "thread 3");
}

TEST(CheckedSink, NoticesAMissingEnd) {
  CountingSink To;
  CheckedSink Checked(To);
  ItemBatch B = goodBatch();
  ASSERT_FALSE(errorToBool(Checked.consume(B)));
  EXPECT_TRUE(errorToBool(Checked.checkFinished()));
  EXPECT_EQ(To.Finishes, 0u);
}
