//===- SequenceTest.cpp - Sequences and single instructions agree ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTestSupport.h"
#include "core/calls/CallRecogniser.h"
#include "core/model/CodeSequence.h"

using namespace rw;
using namespace llvm;

namespace {

/// A random trace of sequences: straight pieces of made-up x86-64 code, with
/// calls and returns, that follow each other at random or by falling through.
struct RandomFlow {
  CodeTable Code;
  std::vector<FlowItem> Flow;
  std::vector<EventItem> Events; ///< Before counts flow items
  unsigned NumThreads;

  RandomFlow(uint64_t Seed, unsigned NumSequences, size_t Length,
             unsigned Threads)
      : NumThreads(Threads) {
    Rng R(Seed);
    // Without call and return, with a call at the end, with a return.
    const uint64_t Last[] = {0x90, 0x75, 0xe8, 0xc3, 0xd0ff};
    std::vector<uint64_t> Ends; // where control goes on without a jump
    for (unsigned S = 0; S < NumSequences; ++S) {
      std::vector<InsnItem> Insns;
      std::vector<RegItem> Regs;
      uint64_t PC = Ends.empty() || R.chance(0.4) ? 0x1000 + R.below(64) * 0x100
                                                  : R.pick(Ends);
      for (uint64_t N = R.between(1, R.chance(0.1) ? 90 : 9); N--;) {
        InsnItem I;
        I.PC = PC;
        I.Isa = ISA::X86_64;
        I.Flags =
            InsnItem::Executed | InsnItem::OpcodeKnown | InsnItem::TimeKnown;
        I.Size = uint8_t(1 + PC % 7);
        // What is at a pc is always the same, if control goes on there.
        I.Opcode = N ? 0x90 : Last[PC % 5];
        for (unsigned K = 0; K < PC % 3; ++K, ++I.NumRegs) {
          RegItem Reg;
          Reg.Lane = uint16_t((PC + K) % 20);
          Reg.Written = Reg.Unknown = PC % 2 ? 0xff : 0x0f;
          Regs.push_back(Reg);
        }
        Insns.push_back(I);
        PC += I.Size;
        // A direct jump in the middle.
        if (N && R.chance(0.05))
          PC = 0x8000 + R.below(16) * 0x40;
      }
      Ends.push_back(PC);
      Code.add(Insns, Regs);
    }
    uint64_t Time = 1000;
    unsigned Thread = 0;
    for (size_t K = 0; K < Length; ++K) {
      if (R.chance(0.05))
        Thread = unsigned(R.below(Threads));
      if (R.chance(0.01)) {
        EventItem E;
        E.Before = uint32_t(K);
        E.Thread = uint8_t(Thread);
        E.Kind = R.chance(0.5) ? EventKind::Gap : EventKind::Mark;
        E.Text = "here";
        Events.push_back(E);
      }
      FlowItem F;
      // Mostly the same few, as programs do.
      F.Sequence = uint32_t(
          R.below(R.chance(0.8) ? 1 + NumSequences / 8 : NumSequences));
      F.Thread = uint8_t(Thread);
      F.Time = Time += R.below(3);
      Flow.push_back(F);
    }
  }

  /// Hands it over in batches, as flow or as instructions.
  Error feed(TraceSink &Sink, bool AsFlow, size_t PerBatch) const {
    size_t Event = 0;
    for (size_t At = 0; At < Flow.size() || Event < Events.size();
         At += PerBatch) {
      size_t N = std::min(PerBatch, Flow.size() - At);
      ItemBatch B;
      B.Code = &Code;
      B.Flow.assign(Flow.begin() + At, Flow.begin() + At + N);
      for (; Event < Events.size() && Events[Event].Before <= At + N; ++Event) {
        B.Events.push_back(Events[Event]);
        B.Events.back().Before -= uint32_t(At);
      }
      if (!AsFlow)
        expandFlow(B);
      if (Error E = Sink.consume(B))
        return E;
    }
    TraceHeader H;
    H.Format = "made up";
    H.Architecture = Arch::X86_64;
    H.TimeUnit = "ns";
    H.Can.Time = true;
    for (unsigned K = 0; K < NumThreads; ++K)
      H.Threads.push_back({("tid " + Twine(K)).str(), K + 1});
    return Sink.finish(H);
  }
};

class Sequences : public StoreTest {
protected:
  std::string build(const RandomFlow &T, StringRef Name, bool AsFlow,
                    size_t PerBatch, unsigned Threads) {
    CallRecogniser Calls;
    std::unique_ptr<StoreBuilder> B = builder(path(Name), Threads);
    if (!B)
      return "";
    EXPECT_TRUE(B->takesFlow());
    B->addObserver(Calls);
    if (Error E = T.feed(*B, AsFlow, PerBatch))
      ADD_FAILURE() << toString(std::move(E));
    auto Bytes = MemoryBuffer::getFile(path(Name));
    return Bytes ? (*Bytes)->getBuffer().str() : "";
  }
  /// Where they differ, if they do: gtest would print both.
  static std::string difference(StringRef A, StringRef B) {
    if (A == B)
      return "";
    size_t At = 0;
    while (At < A.size() && At < B.size() && A[At] == B[At])
      ++At;
    return ("sizes " + Twine(A.size()) + " and " + Twine(B.size()) +
            ", different from byte " + Twine(At))
        .str();
  }
};

TEST_F(Sequences, TheSameStoreAsFromInstructions) {
  for (uint64_t Seed = 0; Seed < 60; ++Seed) {
    RandomFlow T(Seed, 3 + Seed * 2, 200 + Seed * 50, 1 + Seed % 3);
    std::string Whole = build(T, "flow", true, 1 + Seed * 7, 1);
    ASSERT_GT(Whole.size(), 1000u);
    ASSERT_EQ(difference(Whole, build(T, "insns", false, 64, 2)), "")
        << "seed " << Seed;
  }
}

TEST_F(Sequences, AnswersAsTheModel) {
  for (uint64_t Seed = 0; Seed < 8; ++Seed) {
    RandomFlow T(Seed, 40, 400, 1 + Seed % 3);
    NaiveModel Model;
    cantFail(T.feed(Model, false, 100));
    ASSERT_FALSE(build(T, "store", true, 33, 2).empty());
    std::unique_ptr<TraceStore> Store = open(path("store"));
    ASSERT_TRUE(Store);
    StoreCheck Check(*Store, Model, Seed);
    std::string Difference = Check.wholeTrace();
    if (Difference.empty())
      Difference = Check.randomQuestions(300);
    ASSERT_EQ(Difference, "") << "seed " << Seed;
  }
}

TEST_F(Sequences, AcrossSegments) {
  RandomFlow T(1, 50, 200000, 2);
  std::string Whole = build(T, "flow", true, 5000, 2);
  ASSERT_EQ(difference(Whole, build(T, "insns", false, 3000, 1)), "");
  auto Store = open(path("flow"));
  ASSERT_TRUE(Store);
  EXPECT_GT(Store->numInstructions(), uint64_t(1) << 20);
}

/// A register that is known is forgotten by a sequence that writes it.
TEST_F(Sequences, ForgetWhatWasKnown) {
  RandomFlow T(3, 20, 500, 1);
  for (bool AsFlow : {true, false}) {
    std::unique_ptr<StoreBuilder> B = builder(path(AsFlow ? "flow" : "insns"));
    ASSERT_TRUE(B);
    ItemBatch First;
    for (uint16_t Lane = 0; Lane < 20; ++Lane) {
      RegItem R;
      R.Lane = Lane;
      R.Written = 0xff;
      R.Value = 1000 + Lane;
      First.Regs.push_back(R);
      ++First.LeadRegs;
    }
    cantFail(B->consume(First));
    cantFail(T.feed(*B, AsFlow, 50));
  }
  auto Flow = MemoryBuffer::getFile(path("flow"));
  auto Insns = MemoryBuffer::getFile(path("insns"));
  ASSERT_TRUE(Flow && Insns);
  EXPECT_EQ(difference((*Flow)->getBuffer(), (*Insns)->getBuffer()), "");
}

} // namespace
