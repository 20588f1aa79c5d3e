//===- FindTest.cpp - What rewind find finds ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "test/unit/support/NaiveModel.h"
#include "test/unit/support/RandomTrace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <cstdlib>

using namespace rw;
using namespace llvm;

namespace {

class FindTest : public TinyTrace {
protected:
  std::vector<int64_t> positions(std::vector<StringRef> Words) {
    Words.push_back("--json");
    const std::string Text = run(Words);
    auto Parsed = json::parse(Text);
    std::vector<int64_t> Found;
    if (!Parsed) {
      ADD_FAILURE() << toString(Parsed.takeError()) << " in " << Text;
      return Found;
    }
    for (const json::Value &V : *Parsed->getAsObject()->getArray("items"))
      Found.push_back(*V.getAsObject()->getInteger("position"));
    return Found;
  }
};

/// The naive way: the whole state before and after each instruction.
class NaiveFinder {
public:
  NaiveFinder(const NaiveModel &Model, unsigned Lanes)
      : Model(Model), Lanes(Lanes) {}

  bool gives(Moment M, uint64_t Value, std::optional<uint64_t> Size,
             bool Registers, bool Memory) const {
    const Instruction I = Model.instruction(M);
    bool Does = false;
    if (Registers)
      for (const RegItem &R : I.Regs)
        if (!(R.Flags & RegItem::NotWritten))
          Does |=
              laneBecame(R.Thread, R.Lane, M, Value, Size.value_or(8), !Size);
    if (!Memory)
      return Does;
    const int64_t S = int64_t(Value);
    const uint64_t N =
        Size.value_or(S == int32_t(S) || Value <= 0xffffffff ? 4 : 8);
    for (const MemAccess &A : I.Mems)
      if (A.isWrite())
        for (size_t B = 0; B < A.Bytes.size(); ++B) {
          const uint64_t Word = (A.Addr + B) / N * N;
          Does |= wordIs(Word, N, Value, M + 1) && !wordIs(Word, N, Value, M);
        }
    return Does;
  }

private:
  std::optional<uint64_t> lane(ThreadIndex T, unsigned L, Moment M,
                               uint64_t Size) const {
    const RegisterState S = Model.registersAt(T, M, Lanes);
    const uint64_t Mask =
        Size == 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * Size) - 1;
    const auto Needed = uint8_t((1u << Size) - 1);
    if ((S.Known[L] & Needed) != Needed)
      return std::nullopt;
    return S.Value[L] & Mask;
  }
  bool laneBecame(ThreadIndex T, unsigned L, Moment M, uint64_t Value,
                  uint64_t Size, bool Natural) const {
    auto New = lane(T, L, M + 1, Size), Old = lane(T, L, M, Size);
    // A negative int may be in a register in its own size, without its sign.
    bool Is = New && (*New == Value || (Natural && Value >> 32 == 0xffffffff &&
                                        *New == (Value & 0xffffffff)));
    return Is && Old != New;
  }
  bool wordIs(uint64_t Addr, uint64_t N, uint64_t Value, Moment M) const {
    const auto Bytes = Model.memoryAt(M, Addr, N);
    const bool Big = Model.header().Order == ByteOrder::Big;
    for (uint64_t I = 0; I < N; ++I)
      if (!Bytes[I].Known ||
          Bytes[I].Value != uint8_t(Value >> 8 * (Big ? N - 1 - I : I)))
        return false;
    return true;
  }

  const NaiveModel &Model;
  const unsigned Lanes;
};

} // namespace

/// REWIND_TEST_SEEDS multiplies the number of traces: 50 ask 10,000 questions.
TEST_F(FindTest, ValuesAsANaiveScanFindsThem) {
  const char *Factor = std::getenv("REWIND_TEST_SEEDS");
  const unsigned Traces = 8 * (Factor ? std::max(1, std::atoi(Factor)) : 1);
  constexpr unsigned Questions = 25, Length = 120;
  InDebugger = false;
  for (unsigned Seed = 1; Seed <= Traces; ++Seed) {
    TraceKnobs Knobs = randomKnobs(Seed, Length);
    Knobs.Threads = 1;
    Knobs.WrapAround = 0;
    RandomTrace T(Knobs, Seed);
    NaiveModel Model;
    BatchCut Cut;
    Cut.Seed = Seed;
    cantFail(T.feed(Model, Cut));
    SourceStamp Stamp;
    Stamp.Path = path("tiny.tarmac");
    auto Builder =
        StoreBuilder::create(path("find" + std::to_string(Seed)), Stamp, {});
    ASSERT_TRUE(bool(Builder)) << toString(Builder.takeError());
    cantFail(T.feed(**Builder, Cut));
    auto Opened = TraceStore::open(path("find" + std::to_string(Seed)));
    ASSERT_TRUE(bool(Opened)) << toString(Opened.takeError());
    Store = std::move(*Opened);
    if (!Model.numInstructions() || !Store->header().Can.Registers ||
        !Store->header().Can.MemValues)
      continue;
    NaiveFinder Naive(Model, Store->registerFile().numLanes());
    Rng R(Seed);
    for (unsigned Q = 0; Q < Questions; ++Q) {
      // Mostly a value that occurs.
      const Instruction I = Model.instruction(R.below(Model.numInstructions()));
      uint64_t Value = R.below(4);
      std::optional<uint64_t> Size;
      if (R.chance(0.6))
        Size = uint64_t(1) << R.below(4);
      if (!I.Regs.empty() && R.chance(0.5))
        Value = I.Regs[R.below(I.Regs.size())].Value;
      else if (!I.Mems.empty())
        for (size_t B = 0; B < std::min<size_t>(8, I.Mems[0].Bytes.size()); ++B)
          Value = Value << 8 | I.Mems[0].Bytes[B];
      if (Size && *Size < 8)
        Value &= (uint64_t(1) << 8 * *Size) - 1;
      const bool Registers = R.chance(0.7),
                 Memory = !Registers || R.chance(0.5);
      const std::string Text = "0x" + utohexstr(Value),
                        SizeText = std::to_string(Size.value_or(0));
      std::vector<StringRef> Words{"find", "value", Text};
      if (Size)
        Words.insert(Words.end(), {"--size", SizeText});
      if (!Memory)
        Words.insert(Words.end(), {"--in", "reg"});
      if (!Registers)
        Words.insert(Words.end(), {"--in", "mem"});
      std::vector<int64_t> Expected;
      for (Moment M = 0; M < Model.numInstructions(); ++M)
        if (Naive.gives(M, Value, Size, Registers, Memory))
          Expected.push_back(int64_t(M));
      auto All = Words;
      All.push_back("--all");
      ASSERT_EQ(positions(All), Expected)
          << "seed " << Seed << ": " << join(Words, " ") << "\n"
          << Knobs.describe();
      auto Last = Words;
      Last.push_back("--last");
      ASSERT_EQ(positions(Last), Expected.empty()
                                     ? Expected
                                     : std::vector<int64_t>{Expected.back()})
          << "seed " << Seed << ": " << join(Words, " ");
    }
  }
}

TEST_F(FindTest, WhatIsAskedWrongly) {
  InDebugger = false;
  auto Says = [&](std::vector<StringRef> Words, StringRef Error) {
    EXPECT_EQ(StringRef(run(Words)).take_front(7 + Error.size()),
              "error: " + Error.str())
        << join(Words, " ");
  };
  Says({"find", "value", "abc"}, "'abc' is no value");
  Says({"find", "value", "5", "--size", "3"}, "--size of a value is");
  Says({"find", "value", "256", "--size", "1"}, "'256' does not fit into 1");
  Says({"find", "0x1000", "--in", "reg"}, "--in is for 'find value'");
  Says({"find", "opcode", "xyz"}, "'xyz' is no opcode");
  Says({"find", "syscall", "opnat"}, "there is no system call 'opnat'");
  Says({"find", "0x1000", "--nth", "0"}, "--nth counts from 1");
  Says({"find", "0x1000", "--first", "--last"}, "only one of");
  Says({"find", "0x1000", "--kind", "irq"}, "--kind is for");
  Says({"find", "exception", "irq"}, "'find exception' takes no more words");
}
