//===- SequenceTest.cpp - Sequences and single instructions agree ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTestSupport.h"
#include "core/calls/CallRecogniser.h"
#include "core/model/CodeSequence.h"
#include "core/store/TraceStore.h"

using namespace rw;
using namespace llvm;

namespace {

/// A random trace of sequences: straight pieces of made-up code, with calls and
/// returns, that follow each other at random or by falling through. That of
/// x86-64 tells nothing of registers and memory, that of POWER values of
/// registers, whole and in part, and addresses.
struct RandomFlow {
  CodeTable Code;
  std::vector<FlowItem> Flow;
  std::vector<EventItem> Events; ///< Before counts flow items
  std::vector<uint64_t> Values;
  std::vector<FlowPlace> Places;
  bool Power;
  unsigned NumThreads;

  RandomFlow(uint64_t Seed, bool Power, unsigned NumSequences, size_t Length,
             unsigned Threads)
      : Power(Power), NumThreads(Threads) {
    Rng R(Seed);
    std::vector<uint64_t> Ends; // where control goes on without a jump
    for (unsigned S = 0; S < NumSequences; ++S) {
      uint64_t PC = Ends.empty() || R.chance(0.4) ? 0x1000 + R.below(64) * 0x100
                                                  : R.pick(Ends);
      Ends.push_back(addSequence(R, PC));
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
        E.Kind = R.pick<EventKind>(
            {EventKind::Gap, EventKind::Mark, EventKind::Exception});
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
      execute(R, F);
    }
  }

  /// Hands it over in batches, as flow or as instructions of a reader that
  /// knows no sequences. The instructions do not come from the CodeTable: they
  /// are what this trace was made from.
  Error feed(TraceSink &Sink, bool AsFlow, size_t PerBatch) const {
    size_t Event = 0, Value = 0, Place = 0, Reg = 0, Mem = 0;
    for (size_t At = 0; At < Flow.size() || Event < Events.size();
         At += PerBatch) {
      size_t N = std::min(PerBatch, Flow.size() - At);
      ItemBatch B;
      auto events = [&](size_t Before) {
        for (; Event < Events.size() && Events[Event].Before <= Before;
             ++Event) {
          B.Events.push_back(Events[Event]);
          B.Events.back().Before =
              uint32_t(AsFlow ? Events[Event].Before - At : B.Insns.size());
        }
      };
      for (size_t K = At; K < At + N; ++K) {
        events(K);
        const Made &M = Sequences[Flow[K].Sequence];
        if (AsFlow) {
          B.Flow.push_back(Flow[K]);
          for (size_t I = 0; I < M.NumValues; ++I)
            B.FlowValues.push_back(Values[Value++]);
          for (size_t I = 0; I < M.Mems.size(); ++I)
            B.FlowPlaces.push_back(Places[Place++]);
          continue;
        }
        for (InsnItem I : M.Insns) {
          I.Thread = Flow[K].Thread;
          I.Time = Flow[K].Time;
          B.Insns.push_back(I);
        }
        for (size_t I = 0; I < M.Regs.size(); ++I)
          B.Regs.push_back(Regs[Reg++]);
        for (size_t I = 0; I < M.Mems.size(); ++I)
          B.Mems.push_back(Mems[Mem++]);
      }
      events(At + N);
      if (AsFlow)
        B.Code = &Code;
      if (Error E = Sink.consume(B))
        return E;
    }
    TraceHeader H;
    H.Format = "made up";
    H.Architecture = Power ? Arch::PPC64LE : Arch::X86_64;
    H.TimeUnit = "ns";
    H.Can.Time = true;
    H.Can.Registers = H.Can.MemAddresses = H.Can.RealAddresses = Power;
    for (unsigned K = 0; K < NumThreads; ++K)
      H.Threads.push_back({("tid " + Twine(K)).str(), K + 1});
    return Sink.finish(H);
  }

private:
  /// A sequence as it was made.
  struct Made {
    std::vector<InsnItem> Insns;
    std::vector<RegItem> Regs;
    std::vector<MemItem> Mems;
    size_t NumValues = 0;
  };
  std::vector<Made> Sequences;
  /// What the executions did, one after the other.
  std::vector<RegItem> Regs;
  std::vector<MemItem> Mems;
  static constexpr unsigned NumLanes = 20;
  uint64_t Lanes[3][NumLanes] = {}; ///< what was told last

  uint64_t addSequence(Rng &R, uint64_t PC) {
    // No call and no return, a conditional branch, a call, a return, an
    // indirect call.
    const uint64_t LastX86[] = {0x90, 0x75, 0xe8, 0xc3, 0xd0ff};
    const uint64_t LastPower[] = {0x60000000, 0x41820010, 0x48000101,
                                  0x4e800020, 0x4e800421};
    Made New;
    auto &[Insns, Regs, Mems, NumValues] = New;
    for (uint64_t N = R.between(1, R.chance(0.1) ? 90 : 9); N--;) {
      InsnItem I;
      I.PC = PC;
      I.Flags =
          InsnItem::Executed | InsnItem::OpcodeKnown | InsnItem::TimeKnown;
      // What is at a pc is always the same, if control goes on there.
      if (Power) {
        I.Isa = ISA::PPC64;
        I.Size = 4;
        I.Opcode = N ? 0x60000000 : LastPower[PC / 4 % 5];
        told(PC / 4, I, Regs, Mems);
      } else {
        I.Isa = ISA::X86_64;
        I.Size = uint8_t(1 + PC % 7);
        I.Opcode = N ? 0x90 : LastX86[PC % 5];
        for (unsigned K = 0; K < PC % 3; ++K, ++I.NumRegs) {
          RegItem Reg;
          Reg.Lane = uint16_t((PC + K) % NumLanes);
          Reg.Written = Reg.Unknown = PC % 2 ? 0xff : 0x0f;
          Regs.push_back(Reg);
        }
      }
      Insns.push_back(I);
      PC += I.Size;
      // A direct jump in the middle.
      if (N && R.chance(0.05))
        PC = 0x8000 + R.below(16) * 0x40;
    }
    for (const RegItem &Reg : Regs)
      NumValues += tellsValue(Reg);
    Code.add(Insns, Regs, Mems);
    Sequences.push_back(std::move(New));
    return PC;
  }

  static void told(uint64_t Word, InsnItem &I, std::vector<RegItem> &Regs,
                   std::vector<MemItem> &Mems) {
    const uint8_t Written[] = {0xff, 0xff, 0xff, 0x0f, 0xf0, 0x01};
    const uint8_t Unknown[] = {0x00, 0xff, 0x00, 0x0f, 0x00};
    for (unsigned K = 0; K < Word % 4; ++K, ++I.NumRegs) {
      RegItem Reg;
      // The stack pointer now and then, and a lane twice.
      Reg.Lane = uint16_t(Word % 7 ? (Word / 3 + K / 2) % NumLanes : 1);
      Reg.Written = Written[(Word + K) % 6];
      Reg.Unknown = Reg.Written & Unknown[(Word / 2 + K) % 5];
      Reg.Flags = Word % 11 ? 0 : RegItem::NotWritten;
      Regs.push_back(Reg);
    }
    for (unsigned K = 0; K < Word / 4 % 5 / 2; ++K, ++I.NumMems) {
      MemItem M;
      M.Size = uint8_t(1 + (Word + K) % 8);
      M.Flags = uint8_t(MemItem::NoValue | (Word % 3 ? MemItem::Write : 0) |
                        (K ? MemItem::Joined : 0));
      M.Real = (Word + K) % 4 ? 0 : ~uint64_t(0);
      Mems.push_back(M);
    }
  }

  /// Some byte of what it writes is known, and differs between executions.
  static bool tellsValue(const RegItem &Reg) {
    return (Reg.Written & ~Reg.Unknown) != 0;
  }

  /// What an execution tells: mostly what can be predicted.
  void execute(Rng &R, const FlowItem &F) {
    uint64_t *Own = Lanes[F.Thread];
    for (RegItem Reg : Sequences[F.Sequence].Regs) {
      Reg.Thread = F.Thread;
      Reg.Value = 0;
      if (!tellsValue(Reg)) {
        Regs.push_back(Reg);
        continue;
      }
      uint64_t V = 0x1000 * Reg.Lane;
      if (Reg.Lane == 1)
        V = 0x7fff0000 - 0x40 * R.below(4);
      else if (R.chance(0.1))
        V = R.next();
      else if (Reg.Lane % 3)
        V = Own[(Reg.Lane + 5) % NumLanes] + 8;
      Values.push_back(V);
      Own[Reg.Lane] = Reg.Value = V;
      Regs.push_back(Reg);
    }
    size_t K = 0;
    for (MemItem M : Sequences[F.Sequence].Mems) {
      FlowPlace P;
      P.Addr = R.chance(0.2) ? 0x20000 + R.below(0x3000)
                             : Own[M.Size] + 16 * (K % 4);
      if (!M.Real)
        P.Real = P.Addr % 0x8000 + (R.chance(0.1) ? 0x9000 : 0x100000);
      Places.push_back(P);
      M.Addr = P.Addr;
      M.Real = P.Real;
      Mems.push_back(M);
      ++K;
    }
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
  for (uint64_t Seed = 0; Seed < 120; ++Seed) {
    RandomFlow T(Seed, Seed % 2, 3 + Seed, 200 + Seed * 25, 1 + Seed % 3);
    std::string Whole = build(T, "flow", true, 1 + Seed * 7, 1);
    ASSERT_GT(Whole.size(), 1000u);
    ASSERT_EQ(difference(Whole, build(T, "insns", false, 64, 2)), "")
        << "seed " << Seed;
  }
}

TEST_F(Sequences, AnswersAsTheModel) {
  for (uint64_t Seed = 0; Seed < 16; ++Seed) {
    RandomFlow T(Seed, Seed % 2, 40, 400, 1 + Seed % 3);
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
  for (bool Power : {false, true}) {
    RandomFlow T(1, Power, 50, 200000, 2);
    std::string Whole = build(T, "flow", true, 5000, 2);
    ASSERT_EQ(difference(Whole, build(T, "insns", false, 3000, 1)), "");
    auto Store = open(path("flow"));
    ASSERT_TRUE(Store);
    EXPECT_GT(Store->numInstructions(), uint64_t(1) << 20);
  }
}

/// A register that is known is forgotten by a sequence that writes it.
TEST_F(Sequences, ForgetWhatWasKnown) {
  RandomFlow T(3, false, 20, 500, 1);
  for (bool AsFlow : {true, false}) {
    std::unique_ptr<StoreBuilder> B = builder(path(AsFlow ? "flow" : "insns"));
    ASSERT_TRUE(B);
    ItemBatch First;
    First.Code = AsFlow ? &T.Code : nullptr;
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
