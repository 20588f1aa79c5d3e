//===- PipesTest.cpp - Reading and writing on other threads ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/BatchPipe.h"
#include "core/formats/ReadAhead.h"
#include "core/formats/WriteBehind.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace rw {
namespace {

struct Counter : TraceSink {
  size_t Insns = 0, FailAt = ~size_t(0);
  bool Finished = false;
  llvm::Error consume(ItemBatch &B) override {
    for (const InsnItem &I : B.Insns)
      EXPECT_EQ(I.PC, Insns++);
    if (Insns >= FailAt)
      return llvm::createStringError("the sink is full");
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &H) override {
    EXPECT_EQ(H.Format, "made up");
    Finished = true;
    return llvm::Error::success();
  }
};

llvm::Error produce(TraceSink &Sink, size_t Batches, bool Fail) {
  ItemBatch B;
  size_t PC = 0;
  for (size_t N = 0; N < Batches; ++N) {
    for (unsigned I = 0; I < 100; ++I)
      B.Insns.emplace_back().PC = PC++;
    if (llvm::Error E = Sink.consume(B))
      return E;
    B.clear();
  }
  if (Fail)
    return llvm::createStringError("the file is damaged");
  TraceHeader H;
  H.Format = "made up";
  return Sink.finish(H);
}

TEST(BatchPipe, HandsOverInOrder) {
  Counter C;
  unsigned Calls = 0;
  llvm::Error E = readAhead(
      C, [](TraceSink &S) { return produce(S, 200, false); }, [&] { ++Calls; });
  EXPECT_FALSE(llvm::errorToBool(std::move(E)));
  EXPECT_EQ(C.Insns, 20000u);
  EXPECT_EQ(Calls, 200u);
  EXPECT_TRUE(C.Finished);
}

TEST(BatchPipe, AnErrorOfTheSinkStopsTheReader) {
  Counter C;
  C.FailAt = 3000;
  llvm::Error E =
      readAhead(C, [](TraceSink &S) { return produce(S, 200, false); });
  EXPECT_EQ(llvm::toString(std::move(E)), "the sink is full");
  EXPECT_EQ(C.Insns, 3000u);
  EXPECT_FALSE(C.Finished);
}

TEST(BatchPipe, AnErrorOfTheReaderComesAfterWhatItRead) {
  Counter C;
  llvm::Error E =
      readAhead(C, [](TraceSink &S) { return produce(S, 7, true); });
  EXPECT_EQ(llvm::toString(std::move(E)), "the file is damaged");
  EXPECT_EQ(C.Insns, 700u);
  EXPECT_FALSE(C.Finished);
}

constexpr size_t FileBytes = 100003;

/// Byte N is N; delivered in small pieces.
ByteSource numbers(size_t FailAt = ~size_t(0)) {
  return [At = size_t(0), FailAt](uint8_t *B,
                                  size_t N) mutable -> llvm::Expected<size_t> {
    if (At >= FailAt)
      return llvm::createStringError(std::errc::io_error, "disk on fire");
    N = std::min({N, size_t(777), FileBytes - At});
    for (size_t I = 0; I < N; ++I)
      B[I] = uint8_t(At++);
    return N;
  };
}

TEST(ReadAhead, ChunksWithWhatWasLeftInFrontOfThem) {
  for (bool Threaded : {false, true})
    for (size_t Keep : {0, 16, 2000}) {
      ReadAhead R(numbers(), 4096, Threaded);
      size_t Seen = 0;
      llvm::ArrayRef<uint8_t> Left;
      for (bool Last = false; !Last;) {
        auto C = R.next(Left);
        ASSERT_TRUE(bool(C));
        Last = C->Last;
        size_t Use = C->Size - (Last ? 0 : Keep);
        for (size_t I = 0; I < Use; ++I)
          ASSERT_EQ(C->Begin[I], uint8_t(Seen++));
        Left = {C->Begin + Use, C->Size - Use};
      }
      EXPECT_EQ(Seen, FileBytes);
    }
}

TEST(ReadAhead, CanBeGivenUp) {
  ReadAhead R(numbers(), 4096, true);
  for (unsigned I = 0; I < 3; ++I)
    ASSERT_TRUE(bool(R.next({})));
}

TEST(ReadAhead, ErrorsComeWhereTheyAre) {
  for (bool Threaded : {false, true}) {
    ReadAhead R(numbers(20000), 4096, Threaded);
    for (unsigned I = 0; I < 4; ++I)
      ASSERT_TRUE(bool(R.next({})));
    auto C = R.next({});
    ASSERT_FALSE(bool(C));
    EXPECT_EQ(llvm::toString(C.takeError()), "disk on fire");
  }
}

TEST(WriteBehind, WritesInOrder) {
  std::string Text, Expected;
  llvm::raw_string_ostream OS(Text);
  WriteBehind W(OS, 1000);
  WriteBehind::Buffer B = W.buffer();
  for (unsigned I = 0; I < 100; ++I) {
    std::fill_n(B.get(), 1000, uint8_t('!' + I % 90));
    Expected.append(1000 - I, char('!' + I % 90));
    B = W.exchange(std::move(B), 1000 - I);
  }
  W.finish();
  EXPECT_EQ(Text, Expected);
}

} // namespace
} // namespace rw
